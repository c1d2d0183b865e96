"""Inputs that most exhibits of the room share: the newest run of the ViT that reads digits."""

from collections.abc import Sequence
from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, custom_control
from core.train.experiment import run_experiment
from core.train.experiments.digit_reader import DigitReader
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


def answer_bars(
    names: Sequence[str],
    now: object,
    before: Sequence[float] | None = None,
    *,
    right: int | None = None,
    before_title: str = LABELS["before"],
    key: str,
) -> None:
    """Draw a horizontal bar for each answer, in the order given, with its number, and a mark at its earlier value.

    Args:
        names: of the answers; each once.
        now: their probabilities; the browser may compute them, see `core.ui.exhibit.browser_computation`.
        before: other probabilities, drawn as vertical strokes.
        right: the index of the right answer, marked with a tick and a different color.
        before_title: the name of the strokes.
        key: names the instance.
    """
    shown: dict[str, Any] = {"names": names, "now": now, "before": before, "right": right, "before_title": before_title}
    ui.mount_widget("answer_bars", **shown, label=LABELS["answer"], key=key, height=200)


def format_percent(p: float) -> str:
    """Format a probability with one decimal; one slightly below 100% is not rounded up to it."""
    return "> 99.9%" if 0.9995 <= p < 1 else f"{p:.1%}"


VIT_NAME = LABELS["vit_name"]
DIGIT_NAMES = tuple("0123456789")


class DigitsRunInputs(Inputs):
    """The newest run of the digits experiment."""

    run: ExperimentRun = custom_control(
        "core.ui.training.live_experiments:shown_run_with_note", lambda _: run_experiment("digits"), name="digits"
    )

    @property
    def reader(self) -> DigitReader:
        """The ViT of the run."""
        return DigitReader(self.run)
