"""Attention of the class token, head by head, laid over the picture; any patch can be the query instead."""

from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, ViewChoice, content_key, select
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.inspect.tap_lines import find_tap_line
from core.models.images.vit import ViT
from core.nn.attention import MultiHeadAttention
from core.rooms.patches.compute.patch_attention import PatchAttention, cached_patch_attention, record_patch_attention
from core.rooms.patches.compute.patch_effect import held_out_attention
from core.rooms.patches.inputs import DIGIT_NAMES, VIT_NAME, DigitsRunInputs, answer_bars, format_percent
from core.train.experiments.digit_reader import DigitReader
from core.ui.widgets.picture_grid import to_grid

LABELS = module_labels(__name__)

CODE = (record_patch_attention, ViT.encode, MultiHeadAttention.forward)


def _heads(i: "Inputs") -> dict[int, str]:
    n_head = DigitReader(i.run).model().config.n_head
    return {
        at: LABELS("head_name", layer=at // n_head, head=at % n_head)
        for at in range(DigitReader(i.run).n_layer * n_head)
    }


def _first_of_the_last_layer(i: "Inputs") -> int:
    """Return the first head of the last layer, which the answer is read from."""
    return (DigitReader(i.run).n_layer - 1) * DigitReader(i.run).model().config.n_head


class Inputs(DigitsRunInputs, prefix="attend_"):
    picture: InputPicture = digit_control("attend", 5)
    asks: int = select(
        lambda i: {token: DigitReader(i.run).token_name(token) for token in range(1 + DigitReader(i.run).n_patch)},
        0,
        view=ViewChoice(),
    )
    head: int = select(_heads, _first_of_the_last_layer, view=ViewChoice())


def _query_name(reader: DigitReader, asks: int) -> str:
    return LABELS("query.patch", place=reader.token_name(asks)) if asks else LABELS["query.class"]


class QueryAttention(Result):
    """One picture through the ViT, and one query token in one head."""

    seen: PatchAttention  # all heads
    reader: DigitReader  # the ViT
    picture: InputPicture  # its input
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
        name = LABELS("formula.for_patch", patch=self.reader.patch_name(self.best_patch))
        return (
            rf"w = \frac{{e^{{{scores[at]:.3f}}}}}{{{np.exp(scores).sum():.3f}}} = {self.row[at]:.4f} "
            rf"\quad \text{{{name}}}"
        )

    def table(self) -> Table:
        """Return, for each head, the patch with the query's largest weight, and the weight on the class token."""
        rows = self.seen.weights[:, :, self.asks].reshape(-1, self.seen.weights.shape[-1])  # (L H, T)
        layers, heads = (places.ravel().tolist() for places in np.indices(self.seen.weights.shape[:2]))
        best = rows[:, 1:].argmax(1)
        return {
            LABELS["table.layer"]: layers,
            LABELS["table.head"]: heads,
            LABELS["table.looks_most_at"]: [self.reader.patch_name(int(patch)) for patch in best],
            LABELS["table.weight"]: rows[np.arange(len(rows)), 1 + best].tolist(),
            LABELS["table.on_class_token"]: rows[:, 0].tolist(),
        }


def compute(inputs: Inputs) -> QueryAttention:
    """Run the ViT on the picture, and count where the same query looks in the held-out digits."""
    return _query_attention(inputs.reader, inputs.picture, inputs.asks, inputs.head)


def _query_attention(reader: DigitReader, picture: InputPicture, asks: int, number: int) -> QueryAttention:
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
    each = ui.for_each_option(partial(_query_attention, reader, picture), inputs.asks, inputs.head)
    one, every = ui.two_columns("attend-one")
    with one:
        ui.pictures(
            picture.pixels[None],
            key=f"attend-asker-{content}",
            label=ui.map_choices(
                lambda one: LABELS("asks_title", layer=one.layer, head=one.head, asker=one.asker), each
            ),
            takeaway=ui.map_choices(_takeaway, each),
            weights=ui.pad_stack(ui.map_choices(lambda one: to_grid(one.row[None, 1:]), each)),
            lines=reader.patch_size,
            pick="patch",
            chosen=ui.for_each_option(lambda asks: (0, asks - 1) if asks else None, inputs.asks),
            click_sets=(inputs.asks, range(1, 1 + reader.n_patch)),
            size=336,
        )
    with every:
        _draw_heads(result, inputs, content)
    facts = ("layer", "head", "asker", "best", "weight", "share", "favorite", "n_half")
    ui.add_template_values(
        said=int(p.argmax()),
        sure=format_percent(float(p.max())),
        on_class=ui.map_choices(lambda one: one.row[0], each),
        **{name: ui.map_choices(attrgetter(name), each) for name in facts},
    )
    if ui.depth_at_least("numbers"):
        _numbers(result, inputs, content, each)


def _asks_title(one: QueryAttention) -> str:
    return LABELS("asks_title", layer=one.layer, head=one.head, asker=one.asker)


def _takeaway(one: QueryAttention) -> str:
    return LABELS("takeaway", best=one.best, weight=one.weight)


def _numbers(result: QueryAttention, inputs: Inputs, content: str, each: object) -> None:
    """Draw the answer as bars, and the matrix of one head."""
    reader, picture, seen, p = result.reader, result.picture, result.seen, result.seen.probabilities
    answer_bars(DIGIT_NAMES, p.tolist(), right=picture.label, key="attend-answer")
    names = reader.short_names()
    at = ui.for_each_option(lambda number: divmod(number, seen.weights.shape[1]), inputs.head)
    weights, q, k = (ui.pad_stack(ui.map_choices(values.__getitem__, at)) for values in (seen.weights, seen.q, seen.k))
    ui.matrix(
        weights,
        rows=names,
        columns=names,
        key=f"attend-matrix-{content}",
        operands={"q": q, "k": k, "scale": seen.scale},
        selected=(ui.choice_ref(inputs.asks), ui.map_choices(lambda one: 1 + one.best_patch, each)),
        click_sets={"row": ui.choice_ref(inputs.asks).name},
        label=ui.map_choices(lambda at: LABELS("every_token_asks", layer=at[0], head=at[1]), at),
        height=430,
        badge=ui.map_choices(partial(_badge, result, inputs), at),
    )


def _badge(result: QueryAttention, inputs: Inputs, at: tuple[int, int]) -> "ui.ProvenanceBadge":
    layer, head = at
    return ui.badges.run_tensor_badge(
        inputs.run, result.reader.model(), f"blocks.{layer}.attn.weights", (head, "row", "column"),
        result.seen.weights[layer], VIT_NAME, image=result.picture.shades[0],
    )  # fmt: skip


def _draw_heads(result: QueryAttention, inputs: Inputs, content: str) -> None:
    """Draw all heads: each picture is the query's row without its first number, which is on the class token."""
    seen, picture, reader = result.seen, result.picture, result.reader
    n_layer, n_head, n_token = seen.weights.shape[:3]
    whole = seen.weights.reshape(-1, n_token, n_token)
    rows = ui.select_by_choice(whole.swapaxes(0, 1), inputs.asks)  # (L H, T) of the query
    ui.pictures(
        np.repeat(picture.pixels[None], n_layer * n_head, 0),
        key=f"attend-heads-{content}",
        label=ui.for_each_option(lambda asks: LABELS("all_heads", asker=_query_name(reader, asks)), inputs.asks),
        takeaway=LABELS("all_heads_takeaway", n_layer=n_layer, n_head=n_head),
        titles=list(_heads(inputs).values()),
        details=ui.map_choices(lambda some: [LABELS("on_class_token", weight=row[0]) for row in some], rows),
        weights=ui.pad_stack(ui.map_choices(lambda some: to_grid(some[:, 1:]), rows)),
        lines=reader.patch_size,
        columns=n_head,
        pick="picture",
        chosen=ui.choice_ref(inputs.head),
        click_sets=(ui.choice_ref(inputs.head).name, range(n_layer * n_head)),
        badge=ui.for_each_option(partial(_badge_of_all, result, inputs, whole), inputs.asks),
    )


def _badge_of_all(
    result: QueryAttention, inputs: Inputs, whole: NDArray[np.float32], asks: int
) -> "ui.ProvenanceBadge":
    model = result.reader.model()
    names = [f"blocks.{layer}.attn.weights" for layer in range(result.reader.n_layer)]
    made = ui.badges.TensorDerivation(
        find_tap_line(model, names[0]), lambda taps: np.concatenate([taps[name] for name in names])
    )
    badge = ui.badges.run_tensor_badge(
        inputs.run, model, f"concat({', '.join(names)})", ("row", asks, "column"), whole, VIT_NAME, derived=made,
        image=result.picture.shades[0],
    )  # fmt: skip
    return replace(badge, columns=tuple(range(1, whole.shape[-1])))
