"""Attention of the class token, head by head, laid over the picture; any patch can be the query instead."""

from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Look, Result, Table, content_key, select
from core.inspect.reading.pictures import Picture, digit
from core.inspect.tap_lines import tap_line
from core.models.images.vit import ViT
from core.nn.attention import MultiHeadAttention
from core.rooms.patches.compute.patch_attention import PatchAttention, cached_patch_attention, record_patch_attention
from core.rooms.patches.compute.patch_effect import held_out_attention
from core.rooms.patches.inputs import DIGIT_NAMES, VIT_NAME, DigitsRunInputs, answer_bars, format_percent
from core.train.experiments.digit_reader import Reader
from core.ui.widgets.pictures import as_grid

CODE = (record_patch_attention, ViT.encode, MultiHeadAttention.forward)


def _heads(i: "Inputs") -> dict[int, str]:
    n_head = Reader(i.run).model().config.n_head
    return {at: f"layer {at // n_head}, head {at % n_head}" for at in range(Reader(i.run).n_layer * n_head)}


def _first_of_the_last_layer(i: "Inputs") -> int:
    """Return the first head of the last layer, which the answer is read from."""
    return (Reader(i.run).n_layer - 1) * Reader(i.run).model().config.n_head


class Inputs(DigitsRunInputs, prefix="attend_"):
    picture: Picture = digit("attend", 5)
    asks: int = select(
        "Who asks",
        lambda i: {token: Reader(i.run).token_name(token) for token in range(1 + Reader(i.run).n_patch)},
        0,
        look=Look(),
    )
    head: int = select("Layer and head", _heads, _first_of_the_last_layer, look=Look())


def _query_name(reader: Reader, asks: int) -> str:
    return f"patch in {reader.token_name(asks)}" if asks else "class token"


class QueryAttention(Result):
    """One picture through the ViT, and one query token in one head."""

    seen: PatchAttention  # all heads
    reader: Reader  # the ViT
    picture: Picture  # its input
    asks: int  # the query token; 0 is the class token
    asker: str  # its display name
    layer: int  # layer, head: the head
    head: int
    row: NDArray[np.float32]  # (T,) its attention weights
    best_patch: int  # the patch with the largest weight, followed by its name and weight
    best: str
    weight: float
    n_half: int  # the smallest number of patches that hold half of its weight on the picture
    # favorite, share: the most frequent such patch over the held-out digits, and the fraction of digits
    favorite: str
    share: float
    n_held: int  # number of held-out digits

    @property
    def formula(self) -> str:
        """The formula of the largest weight."""
        q, k = (one[self.layer, self.head].astype(np.float64) for one in (self.seen.q, self.seen.k))
        scores, at = (q[self.asks] @ k.T) * self.seen.scale, 1 + self.best_patch
        return (
            rf"w = \frac{{e^{{{scores[at]:.3f}}}}}{{{np.exp(scores).sum():.3f}}} = {self.row[at]:.4f} "
            rf"\quad \text{{for the patch in {self.reader.patch_name(self.best_patch)}}}"
        )

    def table(self) -> Table:
        """Return, for each head, the patch with the query's largest weight, and the weight on the class token."""
        rows = self.seen.weights[:, :, self.asks].reshape(-1, self.seen.weights.shape[-1])  # (L H, T)
        layers, heads = (places.ravel().tolist() for places in np.indices(self.seen.weights.shape[:2]))
        best = rows[:, 1:].argmax(1)
        return {
            "layer": layers,
            "head": heads,
            "looks most at": [self.reader.patch_name(int(patch)) for patch in best],
            "its weight": rows[np.arange(len(rows)), 1 + best].tolist(),
            "on the class token": rows[:, 0].tolist(),
        }


def compute(inputs: Inputs) -> QueryAttention:
    """Run the ViT on the picture, and count where the same query looks in the held-out digits."""
    return _query_attention(inputs.reader, inputs.picture, inputs.asks, inputs.head)


def _query_attention(reader: Reader, picture: Picture, asks: int, number: int) -> QueryAttention:
    seen = cached_patch_attention(reader, picture)
    layer, head = divmod(number, seen.weights.shape[1])
    first = held_out_attention(reader)[:, layer, head, asks, 1:].argmax(-1)
    times = np.bincount(first, minlength=reader.n_patch)
    row, best = seen.weights[layer, head, asks], seen.strongest_patch(layer, head, asks)
    most = np.sort(row[1:])[::-1]
    return QueryAttention(
        seen=seen,
        reader=reader,
        picture=picture,
        asks=asks,
        asker=_query_name(reader, asks),
        layer=layer,
        head=head,
        row=row,
        best_patch=best,
        best=reader.patch_name(best),
        weight=float(row[1 + best]),
        n_half=int(np.searchsorted(np.cumsum(most), most.sum() / 2) + 1),
        favorite=reader.patch_name(int(times.argmax())),
        share=float(times.max() / len(first)),
        n_held=len(first),
    )


def draw(result: QueryAttention, inputs: Inputs) -> None:
    """Draw one head large, and all heads over the picture."""
    reader, picture, p = result.reader, result.picture, result.seen.probabilities
    content = content_key(inputs.run.digest, picture.key)[:12]
    each = ui.each(partial(_query_attention, reader, picture), inputs.asks, inputs.head)
    one, every = ui.pair("attend-one")
    with one:
        ui.pictures(
            picture.pixels[None],
            key=f"attend-asker-{content}",
            label=ui.over(lambda one: f"Layer {one.layer}, head {one.head}: the {one.asker} asks", each),
            takeaway=ui.over(_takeaway, each),
            weights=ui.stacked(ui.over(lambda one: as_grid(one.row[None, 1:]), each)),
            lines=reader.patch_size,
            pick="patch",
            chosen=ui.each(lambda asks: (0, asks - 1) if asks else None, inputs.asks),
            chooses=(inputs.asks, range(1, 1 + reader.n_patch)),
            size=336,
        )
    with every:
        _draw_heads(result, inputs, content)
    facts = ("layer", "head", "asker", "best", "weight", "share", "favorite", "n_half")
    ui.facts(
        said=int(p.argmax()),
        sure=format_percent(float(p.max())),
        on_class=ui.over(lambda one: one.row[0], each),
        **{name: ui.over(attrgetter(name), each) for name in facts},
    )
    if ui.at_least("numbers"):
        _numbers(result, inputs, content, each)


def _takeaway(one: QueryAttention) -> str:
    return f"Most weight is on {one.best}: {one.weight:.2f}. Choose a patch to let it ask."


def _numbers(result: QueryAttention, inputs: Inputs, content: str, each: object) -> None:
    """Draw the answer as bars, and the matrix of one head."""
    reader, picture, seen, p = result.reader, result.picture, result.seen, result.seen.probabilities
    answer_bars(DIGIT_NAMES, p.tolist(), right=picture.label, key="attend-answer")
    names = reader.short_names()
    at = ui.each(lambda number: divmod(number, seen.weights.shape[1]), inputs.head)
    weights, q, k = (ui.stacked(ui.over(values.__getitem__, at)) for values in (seen.weights, seen.q, seen.k))
    ui.matrix(
        weights,
        rows=names,
        columns=names,
        key=f"attend-matrix-{content}",
        operands={"q": q, "k": k, "scale": seen.scale},
        selected=(ui.chosen(inputs.asks), ui.over(lambda one: 1 + one.best_patch, each)),
        chooses={"row": ui.chosen(inputs.asks).name},
        label=ui.over(lambda at: "Layer {}, head {}: every token asks".format(*at), at),
        height=430,
        badge=ui.over(partial(_badge, result, inputs), at),
    )


def _badge(result: QueryAttention, inputs: Inputs, at: tuple[int, int]) -> "ui.Badge":
    layer, head = at
    return ui.badges.of_live(
        inputs.run, result.reader.model(), f"blocks.{layer}.attn.weights", (head, "row", "column"),
        result.seen.weights[layer], VIT_NAME, image=result.picture.shades[0],
    )  # fmt: skip


def _draw_heads(result: QueryAttention, inputs: Inputs, content: str) -> None:
    """Draw all heads: each picture is the query's row without its first number, which is on the class token."""
    seen, picture, reader = result.seen, result.picture, result.reader
    n_layer, n_head, n_token = seen.weights.shape[:3]
    whole = seen.weights.reshape(-1, n_token, n_token)
    rows = ui.along(whole.swapaxes(0, 1), inputs.asks)  # (L H, T) of the query
    ui.pictures(
        np.repeat(picture.pixels[None], n_layer * n_head, 0),
        key=f"attend-heads-{content}",
        label=ui.each(lambda asks: f"All heads: where the {_query_name(reader, asks)} looks", inputs.asks),
        takeaway=f"{n_layer} layers of {n_head} heads over the picture; choose one to open it.",
        titles=list(_heads(inputs).values()),
        details=ui.over(lambda some: [f"on the class token, outside the picture: {row[0]:.3f}" for row in some], rows),
        weights=ui.stacked(ui.over(lambda some: as_grid(some[:, 1:]), rows)),
        lines=reader.patch_size,
        columns=n_head,
        pick="picture",
        chosen=ui.chosen(inputs.head),
        chooses=(ui.chosen(inputs.head).name, range(n_layer * n_head)),
        badge=ui.each(partial(_badge_of_all, result, inputs, whole), inputs.asks),
    )


def _badge_of_all(result: QueryAttention, inputs: Inputs, whole: NDArray[np.float32], asks: int) -> "ui.Badge":
    model = result.reader.model()
    names = [f"blocks.{layer}.attn.weights" for layer in range(result.reader.n_layer)]
    made = ui.badges.Derived(tap_line(model, names[0]), lambda taps: np.concatenate([taps[name] for name in names]))
    badge = ui.badges.of_live(
        inputs.run, model, f"concat({', '.join(names)})", ("row", asks, "column"), whole, VIT_NAME, derived=made,
        image=result.picture.shades[0],
    )  # fmt: skip
    return replace(badge, columns=tuple(range(1, whole.shape[-1])))
