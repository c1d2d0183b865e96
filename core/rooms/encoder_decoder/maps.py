"""The three attentions of one translation: encoder, decoder, and between the two."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.models.transformer import Stack
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block
from core.rooms.encoder_decoder.common import Sentence, Translator, ask, badge, heads, most_written, tell, translator
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record, share_on, weights_table
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets

PARTS = {"cross": "between the two", "encoder": "in the encoder", "decoder": "in the decoder"}


@exhibit(
    title="Three attentions",
    look_for="which tokens are in the rows and which in the columns. In the encoder, English reads English, both ways; "
    "in the decoder, Tamari reads Tamari, only backward; between the two, Tamari reads English.",
    try_this=[
        (
            "Stay at “between the two” and go through the heads.",
            "The heads of the last layer read the word being translated: most of their weight is on the rings. Those "
            "of the first layer spread it wider.",
        ),
        (
            "Choose “in the decoder”.",
            "The upper right half is empty: what isn't written yet can't be read. The first row has one cell, with all "
            "the weight.",
        ),
        (
            "Choose “in the encoder”.",
            "No cell is masked. Before a word is written, an article or adjective can look at the noun to its right, "
            "whose gender it needs in Tamari.",
        ),
    ],
    code=(record, MultiHeadAttention.forward, Block.forward, Stack.forward),
)
def maps() -> Shown | None:
    """One map, of any head; the rings are the words that are translated."""
    model = translator()
    given = ask("maps_text", "the young king does not follow some red horses here")
    if model is None or given is None:
        return None
    seen = model.write(given.ids)
    tell(seen, given)
    one, two = st.columns([4, 1], gap="small")
    with one:
        part = controls.segmented("maps_part", "Attention", list(PARTS), "cross", labels=PARTS)
    names = heads(model.n_layer, model.n_head)
    with two:
        at = controls.select("maps_head", "Layer and head", list(names), list(names)[-model.n_head], labels=names)
    weights: NDArray[np.float32] = getattr(seen, part)[at]
    rows, columns = (languages.tokens(ids.tolist()) for ids in seen.axes(part))
    rings = _rings(given, seen) if part == "cross" else None
    widgets.matrix(
        weights,
        rows=rows,
        columns=columns,
        key=f"maps.{part}:{given.key}.{at}",
        mask=np.tril(np.ones(weights.shape, bool)) if part == "decoder" else None,
        operands={"q": seen.q[at], "k": seen.k[at], "scale": seen.scale} if part == "cross" else None,
        truth=rings,
        truth_title="the word being translated",
        row_title="reading" if part == "encoder" else "writes",
        column_title="has read" if part == "decoder" else "reads",
        height=420,
        label=f"Attention {PARTS[part]}, head {names[at]}",
        badge=badge(model, part, at, seen),
    )
    st.caption(_in_words(given, seen, part))
    return Shown(
        numbers=lambda: weights_table(weights, rows, columns),
        arrays={"encoder": seen.encoder, "decoder": seen.decoder, "cross": seen.cross, "scores": seen.scores},
        script=lambda: _script(model, given, part, at),
    )


def _script(model: Translator, given: Sentence, part: str, at: tuple[int, int]) -> str:
    return scripts.script(
        """
        from core.rooms.encoder_decoder.compute import languages
        from core.data.csv_table import print_table
        from core.rooms.encoder_decoder.compute import cross_attention
        from core.train.experiment import record_of
        from core.rooms.encoder_decoder.experiments import translation

        model = translation.rebuilt($record, n_layer=$n_layer, n_head=$n_head)
        source = languages.encode($english)

        # It writes the translation word by word; all of its attention is recorded on the way.
        start, end = languages.START, languages.END
        seen = cross_attention.record(model, source, start_id=start, end_id=end, max_new_tokens=$most)
        rows, columns = (languages.tokens(ids.tolist()) for ids in seen.axes($part))
        print_table(cross_attention.weights_table(seen.$name[$at], rows, columns))
        """,
        **model.in_script(),
        english=given.english,
        most=most_written(len(given.ids)),
        part=part,
        name=scripts.Code(part),
        at=scripts.Code(", ".join(map(str, at))),
    )


def _rings(given: Sentence, seen: CrossAttentionRecord) -> NDArray[np.bool_] | None:
    """(T, S) where the word stands that is translated; None where what is written is not the right translation."""
    sentence = languages.read_english(given.english)
    if sentence is None or languages.decode(seen.written.tolist()) != given.truth:
        return None
    found = np.zeros(seen.cross.shape[2:], bool)
    places = sentence.alignment()
    found[np.arange(len(places)), places] = True
    return found


def _in_words(given: Sentence, seen: CrossAttentionRecord, part: str) -> str:
    n, m = seen.cross.shape[2:]
    if part == "encoder":
        return f"{m} source tokens read {m} source tokens: {m} × {m} weights per head."
    if part == "decoder":
        return (
            f"{n} output tokens read what was written before them: {n} × {n} weights, {n * (n + 1) // 2} of them not "
            "masked. A row reads up to the token before the one it writes; the first to read is “start”."
        )
    rings = _rings(given, seen)
    shares = "" if rings is None else _shares(seen, rings)
    return f"{n} output tokens read {m} source tokens: {n} × {m} weights per head. {shares}"


def _shares(seen: CrossAttentionRecord, rings: NDArray[np.bool_]) -> str:
    mean = share_on(seen.cross, [int(row.argmax()) for row in rings if row.any()])
    listed = ", ".join(
        f"{share:.0%} in head {name}" for (at, name) in heads(*mean.shape).items() for share in [mean[at]]
    )
    return f"Weight on the rings, averaged over the words: {listed}."
