"""What most exhibits of the room look at: the ViT that reads digits, as far as it is trained."""

from collections.abc import Sequence
from typing import Any

from core import ui
from core.exhibit import Inputs, custom
from core.train.experiment import run_of
from core.train.experiments.digit_reader import Reader
from core.train.experiments.live import Live


def answer_bars(
    names: Sequence[str],
    now: object,
    before: Sequence[float] | None = None,
    *,
    right: int | None = None,
    before_title: str = "before",
    key: str,
) -> None:
    """One lying bar for each answer, in the order given, with its number; strokes where it stood before.

    Args:
        names: of the answers; each once.
        now: their probabilities; the browser may compute them, see `core.ui.exhibit.computed`.
        before: others, drawn as upright strokes.
        right: the place of the right answer, marked with a tick and another color.
        before_title: what the strokes are.
        key: names the instance.
    """
    shown: dict[str, Any] = {"names": names, "now": now, "before": before, "right": right, "before_title": before_title}
    ui.widget("answer_bars", **shown, label="The answer", key=key, height=200)


def in_percent(p: float) -> str:
    """A probability with one decimal; what is not quite 100% does not say so."""
    return "> 99.9%" if 0.9995 <= p < 1 else f"{p:.1%}"


VIT = "the vision transformer of “A ViT learns to read”"
DIGITS = tuple("0123456789")


class Trained(Inputs):
    """The newest training of digits."""

    run: Live = custom("core.ui.training.experiments:latest_run", lambda _: run_of("digits"), name="digits")

    @property
    def reader(self) -> Reader:
        """Its ViT."""
        return Reader(self.run)
