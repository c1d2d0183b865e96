"""One token's way through a block: the stream, the norms, what attention and feed-forward add."""

import numpy as np
import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.nn.block import Block
from core.rooms.block import feed_forward
from core.rooms.block.compute import moments, residual_stream
from core.rooms.block.compute.residual_stream import BlockRecord
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit, show
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.pick_inputs import pick_inputs
from core.ui.numbers import signed
from core.ui.text import escape_markdown
from core.ui.widgets.strips import Strip, strips

# At most so many tokens: the colored text under the units stays readable.
MOST_TOKENS = 128
READS = models.READERS  # families with blocks to walk through
KINDS = {"stream": "stream and what is added", "norm": "after a norm", "write": "stream and what is added"}


def warm_up() -> None:
    """Look at the default model once: torch imports hundreds of modules only when it is first used."""
    key = models.shipped_key()
    way_of(key, models.encode(key, models.about(key).sample, MOST_TOKENS).packed, 0)


@memoize(MAX_TRACES)
def way_of(key: ModelKey, packed: str, layer: int) -> BlockRecord:
    """A text in one block, see `core.rooms.block.compute.residual_stream`."""
    return residual_stream.record(models.reader(key), models.unpack(packed), layer)


@st.fragment
def look_here() -> ModelAndText | None:
    """A model of blocks and a text."""
    return pick_inputs(most=MOST_TOKENS, kinds=READS)


def look_at_token() -> tuple[ModelAndText, int, int] | None:
    """Model, text, block and token."""
    looked = look_here()
    return None if looked is None else (looked, *choose(looked))


def look_at_record() -> tuple[ModelAndText, BlockRecord, int, int] | None:
    """Model, text, what happens in the block, block and token."""
    if (looked := look_here()) is None:
        return None
    layer, token = choose(looked)
    return looked, way_of(looked.key, looked.encoded.packed, layer), layer, token


def room(looked: ModelAndText) -> None:
    """The sliders, and the exhibits that follow them: one fragment, so that the rest of the page stays as it is."""
    depth.note(
        r"Post-norm is $\mathrm{norm}(x + f(x))$ and pre-norm $x + f(\mathrm{norm}(x))$, where $f$ is attention or the "
        "feed-forward part.",
        "formula",
    )
    layer, token = choose(looked)
    with models.patience(looked.key, "Reading the text …"):
        way_of(looked.key, looked.encoded.packed, layer)
    show(through_the_block, looked, layer, token)
    show(feed_forward.units, looked, way_of(looked.key, looked.encoded.packed, layer), layer, token)


def choose(looked: ModelAndText) -> tuple[int, int]:
    """Which layer, and which token; a click in the colored text moves the token too."""
    n_layer, n_token = int(models.load(looked.key).config.n_layer), len(looked.encoded.ids)
    if picks.has_changed("residual_stream.text", looked.encoded.packed):
        controls.reset("way_token", n_token - 1)
    pick = feed_forward.picked(looked)
    if pick is not None:
        controls.put("way_token", pick)
    # Under the name of the heads' room, whose style keeps the sliders in sight while one reads further down.
    with st.container(key="stays"):
        left, right = st.columns(2, gap="medium")
    with left:
        layer = int(controls.slider("way_layer", "Layer", 0, n_layer - 1, n_layer // 2, step=1))
    with right:
        token = int(controls.slider("way_token", "Token", 0, n_token - 1, n_token - 1, step=1))
    return layer, token


@exhibit(
    title="One token's way through a block",
    look_for="the rows of the residual stream: nothing replaces the token's vector. Attention and feed-forward only "
    "add to it.",
    try_this=[
        (
            "Point anywhere in the strips.",
            "One number of the vector lights up in every strip, and its sums appear below: the stream plus what "
            "attention writes is the stream after it.",
        ),
        (
            "On the stories model, move the layer from 0 to 1 and read the lengths.",
            "“Residual” sounds like a small correction. Yet at the last token, what feed-forward writes is longer in "
            "both layers than the stream it's added to.",
        ),
        (
            "Compare the skew before and after a norm in the table.",
            "A norm's own shifting and stretching leave it as it is; only the learned gain and bias, which differ from "
            "number to number, move it. So a norm brings a vector to a standard size; it doesn't make its numbers "
            "normally distributed.",
            "numbers",
        ),
    ],
    code=(Block.forward, residual_stream.record),
)
def through_the_block(looked: ModelAndText, layer: int, token: int) -> Shown:
    """The strips of one block, their sums, and the table of means and variances."""
    record = way_of(looked.key, looked.encoded.packed, layer)
    vectors = [stage.vectors[token] for stage in record.stages]
    lengths, last = residual_stream.lengths(record, token), _places(record)[-1][2]
    word = f"“{escape_markdown(looked.encoded.tokens[token].strip() or '·')}”"
    st.markdown(_in_words(record, token, word))
    adds = record.norm_first and record.residual
    strips(
        [
            Strip(stage.name, stage.kind, vector, _sum_of(record, place) if adds else None)
            for place, (stage, vector) in enumerate(zip(record.stages, vectors, strict=True))
        ],
        key=f"way.{content_key(looked.key.name, looked.encoded.packed)[:12]}",
        kinds=KINDS,
        label=f"Token {token} in layer {layer}",
        takeaway=f"Token {token} in layer {layer}: the stream enters with length {lengths[0]:.1f} and leaves with "
        f"{lengths[last]:.1f}.",
    )
    if depth.at_least("numbers"):
        st.markdown(_table(record, token))
        st.caption("Over the numbers of one vector. Skew: how lopsided they are about their mean; 0 is symmetric.")
    return Shown(
        numbers=record.table(token),
        arrays={stage.name.replace(" ", "_"): stage.vectors for stage in record.stages},
        formula=_formula(record, token),
        script=lambda: _script(looked, layer, token),
    )


def _script(looked: ModelAndText, layer: int, token: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.block.compute import residual_stream
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # Every stage of one block: the stream, what the norms hand on, what attention and feed-forward write.
        record = residual_stream.record(model, ids, layer=$layer)
        print_table(record.table(token=$token))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        layer=layer,
        token=token,
    )


def _places(record: BlockRecord) -> list[tuple[int, int, int]]:
    """For attention and feed-forward: where the stream before, what is written, and the stream after stand."""
    streams = [i for i, stage in enumerate(record.stages) if stage.kind == "stream"]
    writes = [i for i, stage in enumerate(record.stages) if stage.kind == "write"]
    return list(zip(streams[:-1], writes, streams[1:], strict=True))


def _sum_of(record: BlockRecord, place: int) -> tuple[int, int] | None:
    return next(((before, written) for before, written, after in _places(record) if after == place), None)


def _in_words(record: BlockRecord, token: int, word: str) -> str:
    lengths = residual_stream.lengths(record, token)
    told = []
    for before, written, _ in _places(record):
        name = record.stages[written].name.removesuffix(" writes").capitalize()
        angle = residual_stream.cosine(record.stages[before].vectors[token], record.stages[written].vectors[token])
        cosine = f" (cosine {signed(angle, plus=True)})" if depth.at_least("numbers") else ""
        told.append(
            f"{name} writes a vector of length **{lengths[written]:.1f}**; the stream it's added to has "
            f"**{lengths[before]:.1f}**{cosine}."
            if record.residual
            else f"{name} writes a vector of length **{lengths[written]:.1f}** in place of a stream of "
            f"**{lengths[before]:.1f}**{cosine}."
        )
    if depth.at_least("numbers"):
        told.append("A cosine of 0 is a right angle.")
    order = "before each of the two (pre-norm)" if record.norm_first else "on the stream itself (post-norm)"
    path = "" if record.residual else " This model has no residual path: what is written replaces the stream."
    return f"Token {token}, {word}. {' '.join(told)} This model's norms come {order}.{path}"


def _table(record: BlockRecord, token: int) -> str:
    lines = ["| | mean | variance | skew |", "|:--|--:|--:|--:|"]
    for stage in record.stages:
        found = moments.moments(stage.vectors[token].astype(np.float64))
        name = f"**{stage.name}**" if stage.kind == "stream" else stage.name
        lines.append(
            f"| {name} | {signed(found.mean, plus=True)} | {found.variance:.2f} | {signed(found.skew, plus=True)} |"
        )
    return "\n".join(lines)


def _formula(record: BlockRecord, token: int) -> str:
    """The block's own order of norm and sum; and how two lengths and an angle give the length of the sum."""
    names = [(r"\mathrm{Attn}", r"x'")] + ([(r"\mathrm{FF}", r"x''")] if record.pre is not None else [])
    lines, source = [], "x"
    for part, target in names:
        if record.norm_first:
            inner = rf"{part}(\mathrm{{norm}}({source}))"
            lines.append(rf"{target} = {f'{source} + ' if record.residual else ''}{inner}")
        else:
            inner = rf"{f'{source} + ' if record.residual else ''}{part}({source})"
            lines.append(rf"{target} = \mathrm{{norm}}({inner})")
        source = target
    told = r" \\ ".join(lines)
    if not (record.norm_first and record.residual):
        return rf"\begin{{gathered}} {told} \end{{gathered}}"
    before, written, after = _places(record)[0]
    a, b, c = (record.stages[place].vectors[token] for place in (before, written, after))
    cosine, size = residual_stream.cosine(a, b), [float(np.linalg.norm(v)) for v in (a, b, c)]
    return (
        rf"\begin{{gathered}} {told} \\ \lVert x' \rVert^2 = {size[0]:.2f}^2 + {size[1]:.2f}^2 \\ "
        rf"{{}} + 2 \cdot {size[0]:.2f} \cdot {size[1]:.2f} \cdot ({cosine:.3f}) = {size[2]:.2f}^2 \end{{gathered}}"
    )
