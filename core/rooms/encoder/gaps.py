"""Click a word to hide it: what the encoder puts into the gaps of the learner's own text."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.data.synthetic.gap_stories import words
from core.exhibit import Inputs as Base
from core.exhibit import Result, content_key, picked, text_input
from core.inspect.gaps import fill
from core.models.bert import BERT, MaskedHead
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.inputs import STORY, ids_of, pair, read, tell_story
from core.train.experiments.live import Live
from core.ui.widgets.mount import index

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
    text: str = text_input(STORY, task.PROBE, max_chars=400, notes=tell_story)
    places: str = picked("gaps.row", FIRST_GAPS, text=_text, check=lambda text, i: None, content=_content)


class Gaps(Result):
    """The words of the encoder at each place."""

    ids: NDArray[np.int64]  # (T,) of the text
    gaps: NDArray[np.int64]  # places that the model could not see
    probabilities: NDArray[np.float32]  # (T, V)

    plain: NDArray[np.float32]  # (T, V) of words alone
    tokens: list[str]
    best: list[str]  # (T,) the most probable words

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
    return gaps_of(np.array(ids), np.array(hidden, np.int64), said)


def gaps_of(ids: NDArray[np.int64], gaps: NDArray[np.int64], probabilities: NDArray[np.float32]) -> Gaps:
    """Add the words to the (T, V) probabilities at each place of a text with its gaps."""
    plain = probabilities[:, : words().n_plain]
    return Gaps(
        ids=ids,
        gaps=gaps,
        probabilities=probabilities,
        plain=plain,
        tokens=words().labels(ids),
        best=words().labels(plain.argmax(1)),
    )


MAX_TOKENS = 64


def gap_row(
    tokens: Sequence[str],
    gaps: Collection[int],
    top: ArrayLike,
    chances: ArrayLike,
    truth: ArrayLike,
    *,
    vocabulary: Sequence[str],
    never: Collection[int],
    key: str,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the text, and what the model says in each gap.

    Args:
        tokens: T words as they stand in the text.
        gaps: the places that are hidden.
        top: (T, n) ids of the most probable words at each place, best first, as the model sees the text with its gaps.
        chances: (T, n) their probabilities.
        truth: (T,) the probability of the word that stands there.
        vocabulary: the words by id.
        never: places that cannot be hidden.
        key: names the instance; the gaps that a person chose are kept as long as it lives.

    Raises:
        ValueError: if the shapes do not match.
    """
    ids, p, q = np.asarray(top), np.asarray(chances, np.float32), np.asarray(truth, np.float32)
    n_token = len(tokens)
    if n_token > MAX_TOKENS or ids.shape != p.shape or len(ids) != n_token or q.shape != (n_token,):
        raise ValueError(f"{n_token} tokens, words {ids.shape}, chances {p.shape} and truth {q.shape} do not match")
    ui.widget(
        "gap_row",
        tokens=list(tokens),
        gaps=sorted(int(i) for i in gaps),
        never=sorted(int(i) for i in never),
        top=[[vocabulary[i] for i in row] for row in ids.tolist()],
        chances=p,
        truth=q,
        label=label,
        takeaway=takeaway,
        key=key,
        state=("pick",),
    )


def places(value: Any, n_token: int, never: Collection[int]) -> list[int] | None:
    """Places that came from a browser, if they are some: those that can be hidden, each once."""
    if not isinstance(value, list):
        return None
    found = {index(one, n_token) for one in value[: 2 * MAX_TOKENS]}
    return sorted(one for one in found if one is not None and one not in never)


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
