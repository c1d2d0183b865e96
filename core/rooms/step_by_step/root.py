"""The root misplaced: outside the softmax, or missing."""

from core import ui
from core.exhibit import Inputs as Base, seed, segmented_control, slider
from core.nn.attention import attention_scores
from core.rooms.step_by_step.compute import score_scaling
from core.rooms.step_by_step.compute.score_scaling import WRONG_VERSIONS, RootRecord

CODE = (score_scaling.compare_roots, attention_scores)


class Inputs(Base, prefix="root_"):
    d_k: int = slider("Width of a head", 4, 512, 64, step=4, name="root_width")
    wrong: str = segmented_control("As a lecture note has it", WRONG_VERSIONS, "outside")
    seed: int = seed()


def compute(inputs: Inputs) -> RootRecord:
    """Compute attention of the same queries, keys and values with the right formula and with two wrong ones."""
    return score_scaling.compare_roots(inputs.d_k, inputs.seed, wrong=inputs.wrong)


def draw(result: RootRecord, inputs: Inputs) -> None:
    """Draw the weights of the right formula next to those of a wrong one, and the error of each output."""
    ui.add_template_values(label=WRONG_VERSIONS[inputs.wrong])
    tokens, sides = [f"t{t}" for t in range(result.weights.shape[1])], ui.two_columns("root")
    for side, which, label in zip(
        sides, (0, result.place), ("Right: root inside", WRONG_VERSIONS[inputs.wrong]), strict=True
    ):
        with side:
            ui.matrix(
                result.weights[which],
                rows=tokens,
                columns=tokens,
                key=f"root.{which}",
                height=340,
                label=label,
                takeaway=f"{label}: rows sum to {result.row_sum[which]:.3f}, the largest weight is "
                f"{result.weights[which].max():.2f}.",
            )
