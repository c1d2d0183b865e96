"""Padding against causal: a batch of texts of different length, and whether padding changes what they become."""

from core import ui
from core.cache import content_key
from core.inputs import NothingToShow, slider, text_area
from core.inspect.reading.model_and_text import ModelAndText
from core.inspect.reading.padding import PADDING, pad_id, room_for_padding
from core.nn import masks
from core.rooms.masks.compute import padded_batch
from core.rooms.masks.compute.padded_batch import CASES, BatchRecord, Change
from core.rooms.masks.inputs import Looked
from core.rooms.masks.mask_batch_widget import MAX_TEXTS, mask_batch

MOST_TOKENS = 12  # of one text, so that three panels of it fit side by side on a small screen
SAME = 1e-3  # outputs are of the size of 1; 32-bit rounding through some layers stays far below this
TEXTS = "Tom looked in the box. No Mia!\nAnna had a red ball.\nMia hid.\nTom and Mia played near the park."
CODE = (masks.padding, masks.causal, padded_batch.padded_batch, padded_batch.changes_by_padding)


class Inputs(Looked, prefix="batch_"):
    """Some texts, for the room's model; the room's own text is not read."""

    texts: str = text_area(f"Your texts, one on each line (up to {MAX_TEXTS})", TEXTS, max_chars=400, height=130)
    more: int = slider(
        "More padding", 0, lambda i: room_for_padding(i.given.key, max((t.n_token for t in read(i)), default=1), 8), 2
    )


def read(inputs: Inputs) -> list[ModelAndText]:
    """The lines as the model reads them."""
    lines = [line.strip() for line in inputs.texts.splitlines() if line.strip()]
    return [one for one in (inputs.given.other(line, MOST_TOKENS) for line in lines[:MAX_TEXTS]) if one.ids]


def compute(inputs: Inputs) -> BatchRecord:
    """How much padding moves the outputs of real tokens, case by case."""
    found = read(inputs)
    if not found:
        raise NothingToShow("There is no text here. Type at least one line with a word.")
    n_token, pad = max(one.n_token for one in found) + inputs.more, pad_id(inputs.given.key)
    texts = [one.ids for one in found]
    return BatchRecord(
        tokens=tuple((*one.tokens, *[PADDING] * (n_token - one.n_token)) for one in found),
        batch=padded_batch.padded_batch(texts, n_token, pad),
        changes=padded_batch.changes_by_padding(inputs.given.model, texts, n_token, pad),
    )


def draw(result: BatchRecord, inputs: Inputs) -> None:
    """The batch, its masks in one picture, and what padding changes."""
    _notes(inputs)
    key = f"batch:{content_key(str(inputs.given.key), *map(str, result.tokens))[:12]}"
    mask_batch(result.tokens, result.batch.lengths.tolist(), key=key, label="One batch, two masks")
    ui.say("outputs", is_encoder=bool(inputs.given.model.mask(2).all()))  # type: ignore[operator]
    rows = [f"| {CASES[one.causal, one.masked, one.left]} | {_said(one)} |" for one in result.changes]
    ui.st.markdown("\n".join(["| case | largest change of an output |", "|---|---|", *rows]))
    ui.say("left", stays=result.changes[-1].largest < SAME)


def _notes(inputs: Inputs) -> None:
    """What was cut or unknown."""
    n_line, found = sum(bool(line.strip()) for line in inputs.texts.splitlines()), read(inputs)
    if n_line > MAX_TEXTS:
        ui.say("lines", n_line=n_line, most=MAX_TEXTS)
    for note in dict.fromkeys(note for one in found for note in one.encoded.notes):
        ui.st.caption(f":material/info: {ui.escape_markdown(note)}")
    unknown = [word for one in found for word in one.encoded.unknown]
    ui.offer_words_of(inputs.given.key, unknown, "batch_texts", inputs.texts)


def _said(change: Change) -> str:
    figure = f"{ui.power_of_ten(change.largest)}: " if ui.at_least("numbers") else ""
    size = "exactly 0" if change.largest == 0 else f"{figure}rounding"
    return size if change.largest < SAME else f"**{change.largest:.2f}**: other outputs"
