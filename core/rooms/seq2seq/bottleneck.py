"""The bottleneck race: one vector for the whole string, or attention to every letter."""

import numpy as np

from core import ui
from core.data.synthetic import reversal
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, guess_control, seed, select
from core.inspect.teacher_forcing import string_reversal_accuracy
from core.models.recurrent_seq2seq import RecurrentDecoder, RecurrentEncoder
from core.rooms.seq2seq.compute.alignment import reversal_diagonal
from core.rooms.seq2seq.experiments import bottleneck as task
from core.train.experiments.experiment_run_state import ExperimentRun

EXPERIMENT = "bottleneck"
LONGEST = reversal.LONGEST
GUESSES = {"most": "more than 90%", "half": "50 to 90%", "few": "less than 50%"}
CODE = (RecurrentEncoder.forward, RecurrentDecoder.step, task.Bottleneck, task.measure_accuracies)


class Inputs(Base, prefix="race_"):
    guess: str = guess_control(
        f"Before you look: without attention, how many of {LONGEST} letters will come out right?", GUESSES
    )
    seed: int = seed()
    d_model: int = task.Options.control("d_model")
    measure: str = select("What counts as right", task.MEASURES, "forced")


class BottleneckRace(Result):
    """Both models in their current state of training."""

    run: ExperimentRun
    hidden: tuple[str, ...]  # variants that are hidden until the guess
    n_parameter: dict[str, int]  # variant -> parameters
    outcome: GuessOutcome
    n_held: int = task.N_HELD
    longest: int = LONGEST

    def share(self, variant: str, length: int = LONGEST, measure: str = "forced") -> float:
        """Return the current accuracy at a length."""
        return _current_accuracy(self.run, variant, length, measure)

    def on_new_strings(self, variant: str, length: int, n: int = 32) -> float:
        """Return the share of right letters in new strings under teacher forcing."""
        return float(
            string_reversal_accuracy(task.trained_reversal_model(self.run, variant), length, n, seed=1).forced.mean()
        )

    def table(self) -> dict[str, list[float]]:
        """Return the accuracies after the last step, one row per string length."""
        record = self.run.record
        return {"letters": record["lengths"].tolist()} | {
            f"{name}: {measure}": np.round(record[f"curve.{variant}.{what}"][-1], 4).tolist()
            for variant, name in task.NAMES.items()
            for what, measure in task.MEASURES.items()
        }


def _current_accuracy(run: ExperimentRun, variant: str, length: int = LONGEST, measure: str = "forced") -> float:
    """Return the current accuracy at a length."""
    return float(run.record[f"curve.{variant}.{measure}"][-1][task.LENGTHS.index(length)])


def compute(inputs: Inputs, run: ExperimentRun) -> BottleneckRace:
    """Summarize the record, without the variant that has to be guessed."""
    right, weights = _current_accuracy(run, "without"), run.record.items()
    return BottleneckRace(
        run=run,
        hidden=("without",) if inputs.guess == NOT_YET else (),
        n_parameter={v: sum(a.size for name, a in weights if name.startswith(f"model.{v}.")) for v in task.NAMES},
        outcome=GuessOutcome("most" if right > 0.9 else "half" if right >= 0.5 else "few", f"{right:.0%}"),
    )


def draw(result: BottleneckRace, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw accuracy by length, the film of the alignment, and accuracy over the run."""
    record, measure, hidden = run.record, inputs.measure, result.hidden
    at = task.LENGTHS.index(LONGEST)
    variants = {v: name for v, name in task.NAMES.items() if v not in hidden}
    if not hidden:
        ui.show_text_section("passes", width=int(run.options["d_model"]))
    left, right = ui.two_columns("race-curves")
    with right:
        ids = reversal.encode(task.PROBE)
        ui.matrix_film(
            record["frames.with.weights"],
            steps=record["step"].tolist(),
            rows=reversal.tokens([*ids[::-1], reversal.END]),
            columns=list(task.PROBE),
            notes=[f"{share:.0%} right" for share in record["curve.with.forced"][:, at]],
            truth=reversal_diagonal(len(ids), len(ids) + 1),
            truth_title="the letter to be written",
            key="race-film",
            label="Where it reads, during training",
            takeaway=ui.section_text("film"),
        )
    with left:
        lengths = record["lengths"].tolist()
        ui.curves(
            {name: (lengths, record[f"curve.{v}.{measure}"][-1]) for v, name in variants.items()},
            x="letters in the string",
            y=ui.Axis("share that is right", (0, 1.05)),
            at=float(LONGEST),
            height=320,
        )
    if ui.depth_at_least("numbers"):
        ui.curves(
            {name: (record["step"], record[f"curve.{v}.{measure}"][:, at]) for v, name in task.NAMES.items()},
            n_step=run.n_step,
            y=ui.Axis(f"right at {LONGEST} letters", (0, 1.05)),
            references={"guessing a letter": 1 / len(reversal.LETTERS)} if measure != "exact" else {},
            hidden=[task.NAMES[v] for v in hidden],
            height=240,
        )
