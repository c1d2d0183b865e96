"""The bottleneck race: one vector for the whole string, or attention to every letter."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import reversal
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, guess_control, seed, select
from core.inspect.teacher_forcing import string_reversal_accuracy
from core.models.recurrent_seq2seq import RecurrentDecoder, RecurrentEncoder
from core.rooms.seq2seq.compute.alignment import reversal_diagonal
from core.rooms.seq2seq.experiments import bottleneck as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "bottleneck"
LONGEST = reversal.LONGEST
CODE = (RecurrentEncoder.forward, RecurrentDecoder.step, task.Bottleneck, task.measure_accuracies)


class Inputs(Base, prefix="race_"):
    guess: str = guess_control(("most", "half", "few"), label=LABELS("guess", longest=LONGEST))
    seed: int = seed()
    d_model: int = task.Options.control("d_model")
    measure: str = select(task.MEASURES, "forced")


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
        return {LABELS["table.letters"]: record["lengths"].tolist()} | {
            LABELS("table.measure", name=name, measure=measure): np.round(
                record[f"curve.{variant}.{what}"][-1], 4
            ).tolist()
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
            notes=[LABELS("share_right", share=share) for share in record["curve.with.forced"][:, at]],
            truth=reversal_diagonal(len(ids), len(ids) + 1),
            truth_title=LABELS["right_letter"],
            key="race-film",
            label=LABELS["film"],
            takeaway=ui.section_text("film"),
        )
    with left:
        lengths = record["lengths"].tolist()
        ui.curves(
            {name: (lengths, record[f"curve.{v}.{measure}"][-1]) for v, name in variants.items()},
            x=LABELS["length_axis"],
            y=ui.Axis(LABELS["share_axis"], (0, 1.05)),
            at=float(LONGEST),
            height=320,
        )
    if ui.depth_at_least("numbers"):
        ui.curves(
            {name: (record["step"], record[f"curve.{v}.{measure}"][:, at]) for v, name in task.NAMES.items()},
            n_step=run.n_step,
            y=ui.Axis(LABELS("longest_axis", n=LONGEST), (0, 1.05)),
            references={LABELS["chance"]: 1 / len(reversal.LETTERS)} if measure != "exact" else {},
            hidden=[task.NAMES[v] for v in hidden],
            height=240,
        )
