"""Click a word to hide it, and see the encoder's predictions in the gaps of your own text."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic.masked_stories import masked_story_vocabulary
from core.exhibit import Inputs as Base, Result, Table, content_key, selection_in_picture, text_input
from core.inspect.gaps import fill_gaps
from core.models.bert import BERT, MaskedHead
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.inputs import STORY, note_story, story_ids, text_ids, trained_pair
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.widgets.mount import index_or_none

LABELS = module_labels(__name__)

TRAINED = "masked"
N_TOP = 5
FIRST_GAPS = "14.18"  # "hungry" and "an"
CODE = (fill_gaps, BERT.body, MaskedHead.forward)


def _content(inputs: "Inputs") -> str:
    return content_key(*map(str, text_ids(inputs.text)))[:12]


def _text(sent: object, inputs: "Inputs") -> str | None:
    found = parse_positions(sent, len(text_ids(inputs.text)), [0])
    return None if found is None else ".".join(map(str, found)) or "none"


class Inputs(Base, prefix="gap_"):
    text: str = text_input(task.PROBE, max_chars=400, notes=note_story, label=STORY)
    places: str = selection_in_picture("gaps.row", FIRST_GAPS, text=_text, check=lambda text, i: None, content=_content)


class Gaps(Result):
    """The encoder's predictions at each position."""

    ids: NDArray[np.int64]  # (T,) ids of the text
    gaps: NDArray[np.int64]  # positions that are hidden from the model
    probabilities: NDArray[np.float32]  # (T, V)
    plain: NDArray[np.float32]  # (T, V) of words only, without special tokens
    tokens: list[str]
    best: list[str]  # (T,) the most probable words

    def table(self) -> Table:
        """Return one row for each position, with its word and the model's prediction."""
        places = np.arange(len(self.ids))
        return {
            LABELS["place"]: places.tolist(),
            LABELS["word"]: self.tokens,
            LABELS["hidden"]: np.isin(places, self.gaps).tolist(),
            LABELS["most_probable"]: self.best,
            LABELS["its_probability"]: self.plain.max(1).tolist(),
            LABELS["word_probability"]: self.probabilities[places, self.ids].tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> Gaps:
    """Put the mask token into the gaps, and predict every position in one pass."""
    opened, ids = trained_pair(run), story_ids(inputs.text)
    named = [int(one) for one in inputs.places[:200].split(".") if one.isascii() and one.isdigit() and len(one) < 4]
    hidden = parse_positions(named, len(ids), [0]) or []
    said = fill_gaps(opened.bert, ids, hidden, masked_story_vocabulary().mask_id)
    return make_gaps(np.array(ids), np.array(hidden, np.int64), said)


def make_gaps(ids: NDArray[np.int64], gaps: NDArray[np.int64], probabilities: NDArray[np.float32]) -> Gaps:
    """Return the predictions with words, from the (T, V) probabilities at each position of a text with gaps."""
    plain = probabilities[:, : masked_story_vocabulary().n_plain]
    return Gaps(
        ids=ids,
        gaps=gaps,
        probabilities=probabilities,
        plain=plain,
        tokens=masked_story_vocabulary().labels(ids),
        best=masked_story_vocabulary().labels(plain.argmax(1)),
    )


MAX_TOKENS = 64


def parse_positions(value: object, n_token: int, never: Collection[int]) -> list[int] | None:
    """Return the valid positions in untrusted browser data, each once and without `never`; None if it isn't a list."""
    if not isinstance(value, list):
        return None
    found = {index_or_none(one, n_token) for one in value[: 2 * MAX_TOKENS]}
    return sorted(one for one in found if one is not None and one not in never)


def draw(result: Gaps, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw a text, its gaps and the predictions."""
    top = np.argsort(-result.plain, axis=1, kind="stable")[:, :N_TOP]
    ui.mount_widget(
        "gap_row",
        tokens=result.tokens,
        gaps=result.gaps.tolist(),
        never=[0],
        top=[masked_story_vocabulary().labels(row) for row in top],
        chances=np.take_along_axis(result.plain, top, 1),
        truth=result.probabilities[np.arange(len(result.ids)), result.ids],
        takeaway=ui.section_text("takeaway"),
        key=ui.picks.picture_widget_key("gaps.row", _content(inputs)),
        state=("pick",),
    )
