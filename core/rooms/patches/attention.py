"""Where the class token looks, head by head, laid over the picture; any patch can ask in its place."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.cache import content_key
from core.inputs import Control, select
from core.inspect.reading.pictures import Picture, digit
from core.inspect.tap_lines import tap_line
from core.models.vit import ViT
from core.nn.attention import MultiHeadAttention
from core.rooms.patches.answers_chart import answers, in_percent
from core.rooms.patches.compute.patch_attention import PatchAttention, look, looked
from core.rooms.patches.compute.patch_effect import held_out_attention
from core.rooms.patches.inputs import DIGITS, VIT, Trained
from core.train.experiments.digit_reader import Reader
from core.ui.widgets.pictures import as_grid

HEADS, ASKER = "attend.heads", "attend.asker"
CODE = (look, ViT.encode, MultiHeadAttention.forward)


def _heads(i: Any) -> dict[int, str]:
    n_head = Reader(i.run).model().config.n_head
    return {at: f"layer {at // n_head}, head {at % n_head}" for at in range(Reader(i.run).n_layer * n_head)}


def _first_of_the_last_layer(i: Any) -> int:
    """The layer that the answer is read from."""
    return (Reader(i.run).n_layer - 1) * Reader(i.run).model().config.n_head


def _content(i: Any) -> str:
    return content_key(i.run.digest, i.picture.key)[:12]


class Inputs(Trained, prefix="attend_"):
    """A picture, which of its tokens asks, and one head."""

    picture: Picture = digit("attend", 5)
    asks: int = select(
        "Who asks",
        lambda i: {token: Reader(i.run).token_name(token) for token in range(1 + Reader(i.run).n_patch)},
        0,
        before="core.rooms.patches.attention:follow_clicks",
    )
    head: int = select("Layer and head", _heads, _first_of_the_last_layer)


def follow_clicks(control: Control, inputs: Any) -> None:
    """A click on a head or on a patch moves the control of its name."""
    content, reader = _content(inputs), Reader(inputs.run)
    head, patch = ui.picks.news(HEADS, content), ui.picks.news(ASKER, content)
    if type(head) is int and head in _heads(inputs):
        ui.put("attend_head", head)
    if isinstance(patch, list) and len(patch) == 2 and type(patch[1]) is int and 0 <= patch[1] < reader.n_patch:
        ui.put("attend_asks", 1 + patch[1])


@dataclass(frozen=True)
class Result:
    """One picture through the ViT, and one token of it that asks in one head."""

    seen: PatchAttention  # all heads
    reader: Reader  # the ViT
    picture: Picture  # what it reads
    asks: int  # the token; 0 is the class token
    layer: int  # layer, head: the head
    head: int
    # favorite, share: the patch that the token looks at most in most of the held-out digits, and the share of those
    favorite: int
    share: float
    n_held: int  # how many those are

    @property
    def row(self) -> NDArray[np.float32]:
        """(T,) where it looks."""
        return self.seen.weights[self.layer, self.head, self.asks]

    @property
    def best(self) -> int:
        """The patch that it looks at most."""
        return self.seen.strongest_patch(self.layer, self.head, self.asks)

    @property
    def asker(self) -> str:
        """In words."""
        return f"patch in {self.reader.token_name(self.asks)}" if self.asks else "class token"

    @property
    def n_half(self) -> int:
        """The fewest patches that hold half of its weight on the picture."""
        most = np.sort(self.row[1:])[::-1]
        return int(np.searchsorted(np.cumsum(most), most.sum() / 2) + 1)

    @property
    def formula(self) -> str:
        """The weight of the patch that it looks at most."""
        q, k = (one[self.layer, self.head].astype(np.float64) for one in (self.seen.q, self.seen.k))
        scores, at = (q[self.asks] @ k.T) * self.seen.scale, 1 + self.best
        return (
            rf"w = \frac{{e^{{{scores[at]:.3f}}}}}{{{np.exp(scores).sum():.3f}}} = {self.row[at]:.4f} "
            rf"\quad \text{{for the patch in {self.reader.patch_name(self.best)}}}"
        )

    def table(self) -> dict[str, list[Any]]:
        """For each head the patch that the token looks at most, and what lies on the class token."""
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


def compute(inputs: Inputs) -> Result:
    """The picture through the ViT, and what the same token does in the held-out digits."""
    reader, seen = inputs.reader, looked(inputs.reader, inputs.picture)
    layer, head = divmod(inputs.head, seen.weights.shape[1])
    first = held_out_attention(reader)[:, layer, head, inputs.asks, 1:].argmax(-1)
    times = np.bincount(first, minlength=reader.n_patch)
    favorite, share = int(times.argmax()), float(times.max() / len(first))
    return Result(seen, reader, inputs.picture, inputs.asks, layer, head, favorite, share, len(first))


def draw(result: Result, inputs: Inputs) -> None:
    """One head large, and all heads over the picture."""
    reader, picture, seen, asks = result.reader, result.picture, result.seen, result.asks
    content, p = _content(inputs), seen.probabilities
    one, every = ui.pair("attend-one")
    with one:
        ui.pictures(
            picture.pixels[None],
            key=ui.picks.key(ASKER, content, [0, asks - 1] if asks else [0, -1]),
            label=f"Layer {result.layer}, head {result.head}: the {result.asker} asks",
            takeaway=f"Most weight is on {reader.patch_name(result.best)}: {result.row[1 + result.best]:.2f}. Choose a "
            "patch to let it ask.",
            weights=as_grid(result.row[None, 1:]),
            lines=reader.patch_size,
            pick="patch",
            chosen=(0, asks - 1) if asks else None,
            size=336,
        )
    with every:
        _draw_heads(result, inputs, content)
    said = int(p.argmax())
    sure = in_percent(float(p[said]))
    ui.say("said", said=said, sure=sure)
    ui.say("looks")
    ui.say("half")
    if ui.at_least("numbers"):
        _numbers(result, inputs, content)


def _numbers(result: Result, inputs: Inputs, content: str) -> None:
    """The answer as bars, and the matrix of one head."""
    reader, picture, seen, p = result.reader, result.picture, result.seen, result.seen.probabilities
    said = int(p.argmax())
    alt = f"Ten bars. The longest is that of {said}, with {in_percent(float(p[said]))}."
    spec = answers(DIGITS, p.tolist(), right=picture.label, mode=ui.color_mode())
    ui.chart(spec, alt=alt, key="attend-answer")
    names, layer, head = reader.short_names(), result.layer, result.head
    badge = ui.badges.of_live(
        inputs.run, reader.model(), f"blocks.{layer}.attn.weights", (head, "row", "column"), seen.weights[layer], VIT,
        image=picture.shades[0],
    )  # fmt: skip
    ui.matrix(
        seen.weights[layer, head],
        rows=names,
        columns=names,
        key=f"attend-matrix-{content}-{layer}-{head}",
        operands={"q": seen.q[layer, head], "k": seen.k[layer, head], "scale": seen.scale},
        selected=(result.asks, 1 + result.best),
        label=f"Layer {layer}, head {head}: every token asks",
        height=430,
        badge=badge,
    )
    ui.say("names")
    ui.say("limits")


def _draw_heads(result: Result, inputs: Inputs, content: str) -> None:
    """All heads: each picture is the row of who asks, but for its first number, on the class token."""
    seen, picture, model = result.seen, result.picture, result.reader.model()
    n_layer, n_head, n_token = seen.weights.shape[:3]
    names = [f"blocks.{layer}.attn.weights" for layer in range(n_layer)]
    whole = seen.weights.reshape(-1, n_token, n_token)
    rows = whole[:, result.asks]  # (L H, T)
    made = ui.badges.Derived(tap_line(model, names[0]), lambda taps: np.concatenate([taps[name] for name in names]))
    badge = ui.badges.of_live(
        inputs.run, model, f"concat({', '.join(names)})", ("row", result.asks, "column"), whole, VIT, derived=made,
        image=picture.shades[0],
    )  # fmt: skip
    ui.pictures(
        np.repeat(picture.pixels[None], len(rows), 0),
        key=ui.picks.key(HEADS, content, inputs.head),
        label=f"All heads: where the {result.asker} looks",
        takeaway=f"{n_layer} layers of {n_head} heads over the picture; choose one to open it.",
        titles=list(_heads(inputs).values()),
        details=[f"on the class token, outside the picture: {row[0]:.3f}" for row in rows],
        weights=as_grid(rows[:, 1:]),
        lines=result.reader.patch_size,
        columns=n_head,
        pick="picture",
        chosen=inputs.head,
        badge=replace(badge, columns=tuple(range(1, n_token))),
    )
