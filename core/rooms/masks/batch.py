"""Padding against causal: a batch of texts of different length, and whether padding changes what they become."""

import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.nn import masks
from core.rooms.masks.compute import padded_batch
from core.rooms.masks.compute.padded_batch import Change
from core.rooms.masks.mask_batch_widget import MAX_TEXTS, mask_batch
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import Encoded, ModelKey
from core.ui.models.padding import PADDING, pad_id, room_for_padding
from core.ui.numbers import power_of_ten
from core.ui.text import escape_markdown

MOST_TOKENS = 12  # of one text, so that three panels of it fit side by side on a small screen
MOST_MORE = 8
SAME = 1e-3  # outputs are of the size of 1; 32-bit rounding through some layers stays far below this
TEXTS = "Tom looked in the box. No Mia!\nAnna had a red ball.\nMia hid.\nTom and Mia played near the park."


@memoize(MAX_TRACES)
def changes(key: ModelKey, packed: tuple[str, ...], n_token: int) -> tuple[Change, ...]:
    """How much padding moves the outputs of real tokens, case by case."""
    texts = [models.unpack(one) for one in packed]
    return padded_batch.changes_by_padding(models.reader(key), texts, n_token, pad_id(key))


@exhibit(
    title="Padding against causal, in one batch",
    look_for="columns against a triangle. The padding mask closes whole columns, different ones in each text; the "
    "causal mask closes the same triangle in all.",
    try_this=[
        (
            "Read the row “encoder, no mask”, then the row below it.",
            "Without the padding mask every real token also reads the padding, and its output changes. With the mask "
            "only rounding is left: the text doesn't notice that it's in a batch.",
        ),
        (
            "Compare the two rows of the decoder.",
            "They're alike: padding on the right comes after every real token, so the causal mask already hides it. "
            "There the padding mask is mere tidiness (but the loss must still skip the padding).",
        ),
        (
            "Move “More padding”.",
            "The rectangle grows, and with padding on the right the masked cases stay at rounding. The unmasked "
            "encoder drifts further: its outputs depend on how long its neighbors in the batch are.",
        ),
    ],
    code=(masks.padding, masks.causal, padded_batch.padded_batch, padded_batch.changes_by_padding),
    formula=r"m_{b,t,s} = [\,s \le t\,] \land [\,s < \text{length}_b\,]",
)
def padding_against_causal(key: ModelKey) -> Shown:
    """The batch, its masks in one picture, and what padding changes."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        text = controls.text_area(
            "batch_texts", f"Your texts, one on each line (up to {MAX_TEXTS})", TEXTS, max_chars=400, height=130
        )
        found = _encode(key, text)
    if not found:
        st.info("There is no text here. Type at least one line with a word.")
        return Shown()
    longest = max(len(one.ids) for one in found)
    with right:
        most = room_for_padding(key, longest, MOST_MORE)
        more = int(controls.slider("batch_more", "More padding", 0, most, min(2, most), step=1))
    n_token = longest + more
    lengths = [len(one.ids) for one in found]
    packed = tuple(one.packed for one in found)
    tokens = [[*one.tokens, *[PADDING] * (n_token - len(one.ids))] for one in found]
    mask_batch(
        tokens, lengths, key=f"batch:{content_key(str(key), n_token, *packed)[:12]}", label="One batch, two masks"
    )
    with models.patience(key, "Reading each text alone, and all in one batch …"):
        measured = changes(key, packed, n_token)
    is_encoder = bool(models.reader(key).mask(2).all())  # type: ignore[operator]
    other = (
        "The “decoder” is this same model, run with a causal mask."
        if is_encoder
        else "The “encoder” is this same model, run without its causal mask."
    )
    st.markdown(f"**What padding does to the outputs of the real tokens**, compared with each text on its own. {other}")
    st.markdown(_table(measured))
    st.caption(_left(measured[-1]))
    batch = padded_batch.padded_batch([one.ids for one in found], n_token, pad_id(key))
    return Shown(
        numbers=lambda: padded_batch.change_table(measured),
        arrays={"ids": batch.ids, "lengths": batch.lengths, "padding": batch.padding, "both": batch.both},
        formula=rf"\text{{lengths}} = ({', '.join(map(str, lengths))}),\ \text{{padded to }} {n_token}:\ "
        rf"{int(batch.both.sum())} \text{{ of }} {batch.both.size} \text{{ cells are open}}",
        script=lambda: _script(key, found, n_token),
    )


def _encode(key: ModelKey, text: str) -> list[Encoded]:
    """The lines as the model reads them; what was cut or unknown is said."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_TEXTS:
        st.caption(f":material/info: There are {len(lines)} lines; only the first {MAX_TEXTS} are used.")
    found = [models.encode(key, line, MOST_TOKENS) for line in lines[:MAX_TEXTS]]
    for note in dict.fromkeys(note for one in found for note in one.notes):
        st.caption(f":material/info: {escape_markdown(note)}")
    models.offer_words([word for one in found for word in one.unknown], key, "batch_texts", text)
    return [one for one in found if one.ids]


def _script(key: ModelKey, found: list[Encoded], n_token: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.masks.compute import padded_batch
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        texts = [
            $texts
        ]

        # Each text alone against the same text in a padded batch, under five combinations of masks.
        changes = padded_batch.changes_by_padding(model, texts, n_token=$n_token, pad_id=$pad)
        print_table(padded_batch.change_table(changes))
        """,
        folder=scripts.folder(key),
        texts=scripts.lines([scripts.ids(ModelAndText(key, one)) for one in found], indent=4),
        n_token=n_token,
        pad=pad_id(key),
    )


def _table(measured: tuple[Change, ...]) -> str:
    lines = ["| case | largest change of an output |", "|---|---|"]
    for one in measured:
        figure = f"{power_of_ten(one.largest)}: " if depth.at_least("numbers") else ""
        size = "exactly 0" if one.largest == 0 else f"{figure}rounding"
        told = size if one.largest < SAME else f"**{one.largest:.2f}**: other outputs"
        lines.append(f"| {padded_batch.CASES[one.causal, one.masked, one.left]} | {told} |")
    return "\n".join(lines)


def _left(change: Change) -> str:
    """What padding on the left means for this model's positions."""
    first = (
        "For writing in batches, texts are padded on the left so that they all end together. The causal mask then "
        "hides no padding, the padding mask is a must, and rows of padding may read nothing at all. "
    )
    if change.largest < SAME:
        return first + (
            "This model only sees distances between tokens, so every text stays the same. A model with a table of "
            "positions would also have to count them from the first real token."
        )
    return first + (
        "This model counts positions from the start of the line, padding included, so its outputs still move: "
        "positions too must start at the first real token."
    )
