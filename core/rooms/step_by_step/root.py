"""The root misplaced: outside the softmax, or missing."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, seed, segmented_control, slider
from core.nn.attention import attention_scores
from core.rooms.step_by_step.compute import score_scaling
from core.rooms.step_by_step.compute.score_scaling import WRONG_VERSIONS, RootRecord

LABELS = module_labels(__name__)

CODE = (score_scaling.compare_roots, attention_scores)


class Inputs(Base, prefix="root_"):
    d_k: int = slider(4, 512, 64, step=4, name="root_width")
    wrong: str = segmented_control(WRONG_VERSIONS, "outside")
    seed: int = seed()


def compute(inputs: Inputs) -> RootRecord:
    """Compute attention of the same queries, keys and values with the right formula and with two wrong ones."""
    return score_scaling.compare_roots(inputs.d_k, inputs.seed, wrong=inputs.wrong)


def draw(result: RootRecord, inputs: Inputs) -> None:
    """Draw the weights of the right formula next to those of a wrong one, and the error of each output."""
    ui.add_template_values(label=WRONG_VERSIONS[inputs.wrong])
    tokens, sides = [f"t{t}" for t in range(result.weights.shape[1])], ui.two_columns("root")
    for side, which, label in zip(
        sides, (0, result.place), (LABELS["right"], WRONG_VERSIONS[inputs.wrong]), strict=True
    ):
        with side:
            ui.matrix(
                result.weights[which],
                rows=tokens,
                columns=tokens,
                key=f"root.{which}",
                height=340,
                label=label,
                takeaway=LABELS(
                    "row_sums", label=label, row_sum=result.row_sum[which], largest=result.weights[which].max()
                ),
            )
