"""Models as squares whose areas are their parameters, with a zoom; see `assets/widgets/sizes/to_scale.js`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MAX_MODELS = 12  # more squares in one corner cannot be told apart


@dataclass(frozen=True)
class Square:
    """One model.

    Args:
        name: of the model.
        parts: name -> parameters; their sum is the model's.
        times: how often the smallest fits into it, in words.
        words: said when it is chosen.
    """

    name: str
    parts: Mapping[str, int]
    times: str
    words: str

    @property
    def count(self) -> int:
        return sum(self.parts.values())


def to_scale(models: Sequence[Square], *, key: str, selected: int, label: str, takeaway: str) -> None:
    """Draw them, the selected one filling the picture. Zooming asks the server nothing.

    Args:
        models: from small to large.
        selected: place of the one to begin with.

    Raises:
        ValueError: if there are none or too many, one is empty, or they do not rise.
    """
    counts = [one.count for one in models]
    if not 1 <= len(models) <= MAX_MODELS:
        raise ValueError(f"{len(models)} models; a picture shows between 1 and {MAX_MODELS}")
    if min(counts) < 1 or counts != sorted(counts):
        raise ValueError(f"the models must rise from at least one parameter, not {counts}")
    if not 0 <= selected < len(models):
        raise ValueError(f"selected={selected} is none of {len(models)} models")
    header = {
        "widget": "to_scale",
        "models": [
            {
                "name": one.name,
                "count": one.count,
                "parts": [{"name": name, "count": count} for name, count in one.parts.items() if count],
                "times": one.times,
                "words": one.words,
            }
            for one in models
        ],
        "terms": list(dict.fromkeys(name for one in models for name, count in one.parts.items() if count)),
        "selected": selected,
        "label": label,
        "takeaway": takeaway,
    }
    mount("to_scale", key, pack(header, {}))
