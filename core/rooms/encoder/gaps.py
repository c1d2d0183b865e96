"""Click a word to hide it: what the encoder puts into the gaps of the learner's own text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.cache import content_key
from core.data.synthetic.gap_stories import words
from core.inputs import Inputs as Base
from core.inputs import picked, text_input
from core.inspect.gaps import fill
from core.models.bert import BERT, MaskedHead
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.gap_row_widget import gap_row, places
from core.rooms.encoder.inputs import STORY, ids_of, pair, read, tell_story
from core.train.experiments.live import Live

TRAINED = "masked"
N_TOP = 5
FIRST_GAPS = "14.18"  # "hungry" and "an"
CODE = (fill, BERT.body, MaskedHead.forward)


def _content(inputs: Any) -> str:
    return content_key(*map(str, ids_of(inputs.text)))[:12]


def _text(sent: Any, inputs: Any) -> str | None:
    found = places(sent, len(ids_of(inputs.text)), [0])
    return None if found is None else ".".join(map(str, found)) or "none"


class Inputs(Base, prefix="gap_"):
    """A text and its gaps."""

    text: str = text_input(STORY, task.PROBE, max_chars=400, notes=tell_story)
    places: str = picked("gaps.row", FIRST_GAPS, text=_text, check=lambda text, i: None, content=_content)


@dataclass(frozen=True)
class Gaps:
    """What the encoder says at each place.

    Attributes:
        ids: (T,) of the text.
        gaps: places that the model could not see.
        probabilities: (T, V).
    """

    ids: NDArray[np.int64]
    gaps: NDArray[np.int64]
    probabilities: NDArray[np.float32]

    @property
    def plain(self) -> NDArray[np.float32]:
        """(T, V) of words alone."""
        return self.probabilities[:, : words().n_plain]

    @property
    def tokens(self) -> list[str]:
        return words().labels(self.ids)

    @property
    def best(self) -> list[str]:
        """(T,) the most probable words."""
        return words().labels(self.plain.argmax(1))

    def table(self) -> dict[str, list[Any]]:
        """One line for each place: what stands there, and what the model would say there."""
        places = np.arange(len(self.ids))
        return {
            "place": places.tolist(),
            "word": self.tokens,
            "hidden": np.isin(places, self.gaps).tolist(),
            "most probable": self.best,
            "its probability": self.plain.max(1).tolist(),
            "probability of the word": self.probabilities[places, self.ids].tolist(),
        }


def compute(inputs: Inputs, run: Live) -> Gaps:
    """The mask token stands in the gaps; one pass says something at every place."""
    opened, ids = pair(run), read(inputs.text)
    named = [int(one) for one in inputs.places[:200].split(".") if one.isascii() and one.isdigit() and len(one) < 4]
    hidden = places(named, len(ids), [0]) or []
    said = fill(opened.bert, ids, hidden, words().mask_id)
    return Gaps(np.array(ids), np.array(hidden, np.int64), said)


def draw(result: Gaps, inputs: Inputs, run: Live) -> None:
    """A text, its gaps and the answers."""
    top = np.argsort(-result.plain, axis=1, kind="stable")[:, :N_TOP]
    gap_row(
        result.tokens,
        result.gaps,
        top,
        np.take_along_axis(result.plain, top, 1),
        result.probabilities[np.arange(len(result.ids)), result.ids],
        vocabulary=words().labels(range(words().n_plain)),
        never=[0],
        key=ui.picks.key("gaps.row", _content(inputs)),
        label="Your text, and what the model puts into its gaps",
        takeaway=ui.words("takeaway"),
    )
    if not len(result.gaps):
        ui.say("whole")
