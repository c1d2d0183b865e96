"""Where the class token looks, head by head, laid over the picture; any patch can ask in its place."""

from dataclasses import replace

import numpy as np
import streamlit as st

from core.cache import MAX_FIGURES, content_key, memoize
from core.inspect.pictures import Picture
from core.inspect.tap_lines import tap_line
from core.models.vit import ViT
from core.nn.attention import MultiHeadAttention
from core.rooms.patches.answers_chart import answers, in_percent
from core.rooms.patches.compute.patch_attention import PatchAttention, look
from core.rooms.patches.reading import DIGITS, VIT, held_out_attention, looked
from core.ui.controls import controls, picks
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown, percent
from core.ui.training import live
from core.ui.training.digit_reader import NAME, Reader, current
from core.ui.widgets import badges, widgets
from core.ui.widgets.badge import Badge
from core.ui.widgets.mount import index
from core.ui.widgets.picture import ask_digit
from core.ui.widgets.pictures import as_grid, pictures

HEADS, ASKER = "attend.heads", "attend.asker"
DEFAULT_DIGIT = 5


@exhibit(
    title="Where the class token looks",
    look_for="the thick frames. The answer is read from the class token, and what it knows it has read from the "
    "patches: each frame is as thick as its weight in that head.",
    try_this=[
        (
            "Open one head after another and read the last sentence under the pictures.",
            "Some heads look at the same position whatever the digit; what they bring is how much ink is there. "
            "Others go by what they find.",
        ),
        (
            "Click a patch in the first picture: now it asks.",
            "Patches look around too. But in the last layer only the class token's reading counts: the answer is "
            "computed from its vector, and what the patches read there is never used.",
        ),
        (
            "Choose “drawing” and draw a digit with one stroke too many.",
            "The pictures and bars follow. Whether the stroke is looked at is one question; whether it changes the "
            "answer is another.",
        ),
    ],
    code=(look, ViT.encode, MultiHeadAttention.forward),
    formula=r"w_{\text{class},p} = \mathrm{softmax}_p\!\left(\frac{q_{\text{class}} \cdot k_p}{\sqrt{d_k}}\right), "
    r"\qquad \sum_p w_{\text{class},p} + w_{\text{class},\text{class}} = 1",
)
def attention() -> Shown | None:
    """All heads over the picture, the matrix of one head, and the answer."""
    reader = current()
    if reader is None:
        return None
    picture = ask_digit("attend", DEFAULT_DIGIT)
    if picture is None:
        return None
    seen = looked(reader, picture)
    content = content_key(reader.models.digest, picture.key)[:12]
    n_layer, n_head = seen.weights.shape[:2]
    _take_clicks(content, n_layer * n_head, reader)
    left, right = st.columns(2, gap="medium")
    with left:
        names = {token: reader.token_name(token) for token in range(1 + reader.n_patch)}
        asks = controls.select("attend_asks", "Who asks", list(names), 0, labels=names)
    with right:
        heads = {i: _head_name(i, n_head) for i in range(n_layer * n_head)}
        first = (n_layer - 1) * n_head  # the last layer is the one that the answer is read from
        chosen = controls.select("attend_head", "Layer and head", list(heads), first, labels=heads)
    one, answer = layout.pair("attend-one")
    with one:
        _draw_asker(reader, picture, seen, asks, chosen, content)
    with answer:
        _draw_answer(seen, picture)
    _draw_heads(reader, picture, seen, asks, chosen, content)
    layer, head = divmod(chosen, n_head)
    st.markdown(_in_words(reader, seen, asks, layer, head))
    _draw_matrix(reader, picture, seen, asks, layer, head, content)
    st.caption(
        "Attention shows where a head takes something from, not what it takes, nor whether the answer needs it. What "
        "the answer needs is measured in “Rollout, and what hiding a patch really changes”."
    )
    return Shown(
        numbers=lambda: seen.table(asks),
        arrays={"weights": seen.weights, "probabilities": seen.probabilities, "pixels": picture.pixels},
        formula=_with_numbers(reader, seen, asks, layer, head),
        script=lambda: _script(reader, picture, asks),
    )


def _script(reader: Reader, picture: Picture, asks: int) -> str:
    return scripts.script(
        """
        import torch

        from core.data import images
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.patches.compute.patch_attention import look
        from core.train.experiment import rebuild, record_of
        from core.rooms.patches.experiments import digits

        model = $model
        picture = $picture

        # One pass through the model keeps all weights. Token 0 is the class token, then come the patches.
        seen = look(model, torch.from_numpy(images.shades(picture)))
        print_table(seen.table(token=$asks))
        """,
        model=reader.in_script(),
        picture=scripts.pixels(picture),
        asks=asks,
    )


def _take_clicks(content: str, n_head: int, reader: Reader) -> None:
    """A click on a head or on a patch moves the control of its name."""
    clicked = index(picks.news(HEADS, content), n_head)
    if clicked is not None:
        controls.put("attend_head", clicked)
    asked = picks.news(ASKER, content)
    patch = index(asked[1], reader.n_patch) if isinstance(asked, list) and len(asked) == 2 else None
    if patch is not None:
        controls.put("attend_asks", 1 + patch)


def _head_name(i: int, n_head: int) -> str:
    return f"layer {i // n_head}, head {i % n_head}"


def _draw_asker(reader: Reader, picture: Picture, seen: PatchAttention, asks: int, chosen: int, content: str) -> None:
    """The chosen head, large; a click on a patch lets it ask."""
    layer, head = divmod(chosen, seen.weights.shape[1])
    row = seen.weights[layer, head, asks]
    best = seen.strongest_patch(layer, head, asks)
    pictures(
        picture.pixels[None],
        key=picks.key(ASKER, content, [0, asks - 1] if asks else [0, -1]),
        label=f"Layer {layer}, head {head}: the {_asker(reader, asks)} asks",
        takeaway=f"Most weight is on {reader.patch_name(best)}: {row[1 + best]:.2f}. Choose a patch to let it ask.",
        weights=as_grid(row[None, 1:]),
        lines=reader.patch_size,
        pick="patch",
        chosen=(0, asks - 1) if asks else None,
        size=288,
    )


def _draw_answer(seen: PatchAttention, picture: Picture) -> None:
    p = seen.probabilities
    said = int(p.argmax())
    truth = "" if picture.label is None else f" It is a {picture.label}." if picture.label != said else " Right."
    name, sure = escape_markdown(picture.name), in_percent(float(p[said]))
    st.markdown(f"**{name[:1].upper()}{name[1:]}.** The model says **{said}**, with {sure}.{truth}")
    spec = answers(DIGITS, p.tolist(), right=picture.label, mode=layout.color_mode())
    alt = f"Ten bars. The longest is that of {said}, with {sure}."
    st.vega_lite_chart(spec, width="stretch", alt=alt, key="attend-answer")


def _draw_heads(reader: Reader, picture: Picture, seen: PatchAttention, asks: int, chosen: int, content: str) -> None:
    n_layer, n_head, n_token = seen.weights.shape[:3]
    rows = seen.weights[:, :, asks].reshape(-1, n_token)  # (L H, T)
    pictures(
        np.repeat(picture.pixels[None], len(rows), 0),
        key=picks.key(HEADS, content, chosen),
        label=f"All heads: where the {_asker(reader, asks)} looks",
        takeaway=f"{n_layer} layers of {n_head} heads over the picture; choose one to open it.",
        titles=[_head_name(i, n_head) for i in range(len(rows))],
        details=[f"on the class token, outside the picture: {row[0]:.3f}" for row in rows],
        weights=as_grid(rows[:, 1:]),
        lines=reader.patch_size,
        columns=n_head,
        pick="picture",
        chosen=chosen,
        badge=_badge(reader, picture, seen, asks),
    )


def _badge(reader: Reader, picture: Picture, seen: PatchAttention, asks: int) -> Badge | None:
    """Of all heads: each picture is the row of who asks, its first number, on the class token, left away."""
    shown, n_token = live.current(NAME), seen.weights.shape[-1]
    if shown is None:
        return None
    names = [f"blocks.{layer}.attn.weights" for layer in range(len(seen.weights))]
    all_heads = badges.Derived(
        tap_line(reader.vit, names[0]), lambda taps: np.concatenate([taps[name] for name in names])
    )
    badge = badges.of_live(
        shown,
        reader.vit,
        f"concat({', '.join(names)})",
        ("row", asks, "column"),
        seen.weights.reshape(-1, n_token, n_token),
        VIT,
        derived=all_heads,
        image=picture.shades[0],
    )
    return replace(badge, columns=tuple(range(1, n_token)))


def _draw_matrix(
    reader: Reader, picture: Picture, seen: PatchAttention, asks: int, layer: int, head: int, content: str
) -> None:
    names, shown = reader.short_names(), live.current(NAME)
    widgets.matrix(
        seen.weights[layer, head],
        rows=names,
        columns=names,
        key=f"attend-matrix-{content}-{layer}-{head}",
        operands={"q": seen.q[layer, head], "k": seen.k[layer, head], "scale": seen.scale},
        selected=(asks, 1 + seen.strongest_patch(layer, head, asks)),
        label=f"Layer {layer}, head {head}: every token asks",
        height=430,
        badge=None
        if shown is None
        else badges.of_live(
            shown,
            reader.vit,
            f"blocks.{layer}.attn.weights",
            (head, "row", "column"),
            seen.weights[layer],
            VIT,
            image=picture.shades[0],
        ),
    )
    st.caption(
        "“r1 c3” is the patch in row 1, column 3; row 0 is at the top and column 0 on the left. Nothing is masked: "
        "every patch may look at every patch, later ones included."
    )


@memoize(MAX_FIGURES)
def favorite_patch(reader: Reader, layer: int, head: int, asks: int) -> tuple[int, float]:
    """The patch that a token looks at most in most of the held-out digits, and the share of those."""
    first = held_out_attention(reader)[:, layer, head, asks, 1:].argmax(-1)
    times = np.bincount(first, minlength=reader.n_patch)
    return int(times.argmax()), float(times.max() / len(first))


def _asker(reader: Reader, asks: int) -> str:
    return f"patch in {reader.token_name(asks)}" if asks else "class token"


def _in_words(reader: Reader, seen: PatchAttention, asks: int, layer: int, head: int) -> str:
    row = seen.weights[layer, head, asks]
    best = seen.strongest_patch(layer, head, asks)
    rest = np.sort(row[1:])[::-1]
    n_half = int(np.searchsorted(np.cumsum(rest), rest.sum() / 2) + 1)
    patches = "patch holds" if n_half == 1 else "patches hold"
    told = (
        f"In layer {layer}, head {head}, the {_asker(reader, asks)} looks most at **{reader.patch_name(best)}** "
        f"({row[1 + best]:.3f}). {n_half} of {reader.n_patch} {patches} half of its weight on the picture. "
    )
    outside = f"{row[0]:.3f} is on the class token"
    told += f"{outside} itself, outside the picture. " if not asks else f"{outside}, outside the picture. "
    favorite, share = favorite_patch(reader, layer, head, asks)
    return told + (
        f"In {percent(share)} of {len(held_out_attention(reader))} held-out digits it looks most at "
        f"{reader.patch_name(favorite)}; no other patch comes first so often."
    )


def _with_numbers(reader: Reader, seen: PatchAttention, asks: int, layer: int, head: int) -> str:
    patch = seen.strongest_patch(layer, head, asks)
    q, k = seen.q[layer, head], seen.k[layer, head]
    scores = (q[asks].astype(np.float64) @ k.T.astype(np.float64)) * seen.scale
    total, weight = float(np.exp(scores).sum()), seen.weights[layer, head, asks, 1 + patch]
    return (
        rf"w = \frac{{e^{{{scores[1 + patch]:.3f}}}}}{{{total:.3f}}} = {weight:.4f} "
        rf"\quad \text{{for the patch in {reader.patch_name(patch)}}}"
    )
