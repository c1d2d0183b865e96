"""The translations that a search found, beside the right one."""

from collections.abc import Sequence
from typing import Any

from core.generate.beam import Hypothesis
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import bleu


def against(truth: str | None, text: str) -> str:
    """BLEU of one text, smoothed, in two digits; a dash where no right translation is known."""
    return "–" if truth is None else f"{bleu([[truth.split()]], [text.split()], add_one=True).score:.2f}"


def table(found: Sequence[Hypothesis], truth: str | None) -> dict[str, list[Any]]:
    """One line for each finished text, best score first: log-probability of the whole text in nats, score, BLEU."""
    texts = [languages.decode(one.ids) for one in found]
    return {
        "text": texts,
        "log-probability": [one.log_prob for one in found],
        "score": [one.score for one in found],
        "BLEU": [against(truth, text) for text in texts],
    }
