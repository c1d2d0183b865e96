"""The first letter: how long a net that reads one letter at a time still knows it, and attention, which looks back."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, Inputs as Base, Result, Table, ViewChoice, memoize, segmented_control
from core.rooms.recurrent.compute import first_letter
from core.rooms.recurrent.experiments import remember as task
from core.rooms.recurrent.remember import GUESSES_BELOW, KNOWS_FROM, LETTERS
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "remember"
RECURRENT = ("rnn", "lstm", "gru")
GATES = ("none", "lstm", "gru")
N_FIT = 1024  # sequences that the probes are fitted on
HARDLY = 0.2  # a share below this is hardly better than guessing, 1 in 8
CODE = (first_letter.readable_share, first_letter.look_back, task.answer_accuracy)


class Inputs(Base, prefix="first_"):
    distance: int = segmented_control(task.DISTANCES, 20)
    gates: str = segmented_control(GATES, "none", view=ViewChoice())


class FirstLetter(Result):
    """Four nets on one task: what each still knows after each letter, and what it answers."""

    text: str  # a held-out sequence, with the question mark
    shares: Mapping[str, NDArray[np.float64]]  # recurrent variant -> (T,) share of sequences where a probe reads it
    weights: NDArray[np.float64]  # (T,) of attention, at the question mark
    answers: Mapping[str, str]  # variant -> its answer to this text
    right: Mapping[str, float]  # variant -> share of right answers
    width: int  # numbers in a state

    @property
    def n_between(self) -> int:
        """The letters between the first one and the question mark."""
        return len(self.text) - 2

    def lost_after(self, variant: str) -> int | None:
        """Return after how many letters the first one is as good as lost; None if it never is."""
        return first_letter.lost_after(self.shares[variant], HARDLY)

    def sentence(self, gates: str) -> str:
        """Return what the picture shows, with a gated net ("lstm", "gru") or with none."""
        net = gates if gates != "none" else "rnn"
        kind = "keeps" if self.right[net] >= KNOWS_FROM else "loses" if self.right[net] < GUESSES_BELOW else "partly"
        values = {"net": task.NAMES[net], "n": self.n_between, "share": self.right[net]}
        first = LABELS(f"sentence.{'gates' if gates != 'none' else 'plain'}.{kind}", **values)
        return f"{first} {LABELS['sentence.attention']}" if self.right["attention"] >= KNOWS_FROM else first

    def table(self) -> Table:
        """Return one row after each letter."""
        return {
            LABELS["letter"]: [*self.text],
            **{LABELS("readable", net=task.NAMES[one]): share.tolist() for one, share in self.shares.items()},
            LABELS["weight"]: self.weights.tolist(),
        }


@memoize(MAX_TRACES)
def _measure(run: ExperimentRun, distance: int) -> FirstLetter:
    """Run the four nets of one distance on the held-out sequences."""
    ids, answers = task.held_out_sequences(distance, run.seed)
    # Sequences drawn from another seed: neither the nets nor the probes have seen the held-out ones.
    fit_ids, fit_answers = task.draw(N_FIT, distance, torch.Generator().manual_seed(run.seed + 1))
    shares, said, right = {}, {}, {}
    for variant in task.VARIANTS:
        name = task.record_name(variant, distance)
        model = experiment.rebuild_model(run.record, name, task.config(variant, distance))
        if variant in RECURRENT:
            fitted, states = (first_letter.states_of(model, some) for some in (fit_ids, ids))
            shares[variant] = first_letter.readable_share(fitted, fit_answers, states, answers, task.N_LETTER)
        else:
            weights = first_letter.look_back(model, ids[:1])
        with torch.no_grad():
            said[variant] = LETTERS[int(model(ids[:1])[0, -1].argmax())]
        right[variant] = float(run.record[f"curve.{name}.accuracy"][-1])
    text = "".join(LETTERS[i] for i in ids[0].tolist())
    return FirstLetter(text=text, shares=shares, weights=weights, answers=said, right=right, width=task.WIDTH)


def compute(inputs: Inputs, run: ExperimentRun) -> FirstLetter:
    """Measure the nets of the chosen distance, or of the furthest one that was trained."""
    distances = [int(one) for one in run.record["distances"]]
    return _measure(run, inputs.distance if inputs.distance in distances else distances[-1])


def draw(result: FirstLetter, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the letters, and under each what is left of the first one."""
    ui.mount_widget(
        "first_letter",
        key="first-letter",
        text=result.text,
        gates=inputs.gates,
        nets=[{"key": one, "name": task.NAMES[one]} for one in task.VARIANTS],
        answers=result.answers,
        right=result.right,
        lost={one: result.lost_after(one) for one in RECURRENT},
        chance=1 / task.N_LETTER,
        hardly=HARDLY,
        n_held=task.N_HELD,
        shares=np.stack([result.shares[one] for one in RECURRENT]),  # (3, T)
        weights=result.weights,
        sentence=ui.select_by_choice([result.sentence(one) for one in GATES], inputs.gates),
        takeaway=LABELS["takeaway"],
        height=420,
    )
