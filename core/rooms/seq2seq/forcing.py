"""Teacher forcing, and its absence: one mistake becomes the next step's input."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import reversal
from core.exhibit import Inputs as Base, Result, segmented_control, text_input
from core.generate.seq2seq import greedy_decode
from core.inspect.teacher_forcing import AccuracyByPosition, string_reversal_accuracy
from core.models.recurrent_seq2seq import RecurrentSeq2Seq, shift_right
from core.rooms.seq2seq.compute.alignment import Alignment
from core.rooms.seq2seq.experiments import bottleneck
from core.rooms.seq2seq.inputs import TASKS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "bottleneck"
N_STRING = 64  # random strings for the curve
REVERSAL_TASK = TASKS["reversal"]
CODE = (shift_right, RecurrentSeq2Seq.forward, greedy_decode, string_reversal_accuracy)


class Inputs(Base, prefix="force_"):
    """One of the two models of the race, and a string."""

    model: str = segmented_control(bottleneck.NAMES, "with")
    reversal: str = text_input(**REVERSAL_TASK.field | {"default": "thequickbrownfoxjumpsover"})


class ForcingComparison(Result):
    """One string written both ways, and many random ones of the same length."""

    truth: tuple[int, ...]  # the right tokens of the string
    forced: Alignment
    free: Alignment
    shares: AccuracyByPosition  # of right letters at each position, over random strings

    def table(self) -> dict[str, list[float]]:
        """Return one row per position."""
        return self.shares.table()


def compute(inputs: Inputs, run: ExperimentRun) -> ForcingComparison:
    """Write the string from the true tokens and from its own; do the same with random strings of its length."""
    ids, model = REVERSAL_TASK.ids(inputs.reversal), bottleneck.trained_reversal_model(run, inputs.model)
    truth = (*ids[::-1], reversal.END)
    free = REVERSAL_TASK.write(model, ids)
    return ForcingComparison(
        truth=truth,
        forced=REVERSAL_TASK.write(model, ids, forced=truth),
        free=free,
        shares=string_reversal_accuracy(model, len(ids), N_STRING, seed=0),
    )


def draw(result: ForcingComparison, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw two rows of tokens and two curves."""
    for name, seen in (("forced", result.forced), ("free", result.free)):
        how = {"title": ui.section_text(name), "key": f"force-{name}"}
        ui.token_row_with_errors(seen, result.truth, reversal.tokens, unit="token", **how)
    ui.add_template_values(
        n=N_STRING, told=ui.describe_token_errors(result.forced, result.free, result.truth, ui.section_text("advice"))
    )
    places = np.arange(1, len(result.truth) + 1).tolist()
    ui.curves(
        {LABELS["forced"]: (places, result.shares.forced), LABELS["free"]: (places, result.shares.free)},
        x=LABELS["position_axis"],
        y=ui.Axis(LABELS["share_axis"], (0, 1.05)),
        height=240,
    )
