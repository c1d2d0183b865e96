"""N squared on pixels: what a picture costs by its size, pixel by pixel and patch by patch; counted and measured."""

from dataclasses import dataclass

import streamlit as st

from core.charts.cost import growth
from core.inspect.costs import layer_cost as costs
from core.inspect.costs.layer_cost import Timing
from core.rooms.pixels.clock import GOAL, MEASURED, clock
from core.rooms.pixels.compute import picture_cost as counts
from core.rooms.pixels.compute.picture_cost import COUNTS, SIDES, PictureCost, patch_tokens, picture_cost, pixel_tokens
from core.rooms.pixels.experiments import pixels as task
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.numbers import in_bytes, short

PATCHES = (4, 8, 16)
IMAGE_GPT = (32, 48, 64)  # sides of the pictures that the paper's models read


@dataclass(frozen=True)
class Width:
    """A layer's sizes: a name to choose it by, D and H."""

    name: str
    d_model: int
    n_head: int


# Sources: Chen et al. 2020, table of models, heads as in the weights they published; Dosovitskiy et al. 2020, table 1.
WIDTHS = {
    "here": Width("this room's", task.config().d_model, task.config().n_head),
    "small": Width("ImageGPT-S", 512, 8),
    "base": Width("ViT-Base", 768, 12),
    "large": Width("ImageGPT-L", 1536, 16),
}


@exhibit(
    title="Why not photographs, pixel by pixel?",
    look_for="how steep the line of the pixels is. Twice the side means four times the tokens and sixteen times the "
    "pairs: attention compares every token with every token.",
    try_this=[
        (
            "Read the pairs at 224, the usual size of photographs for classifiers.",
            "50,176 tokens, and 2.5 billion pairs in every head of every layer. In patches of 16 there are 197 "
            "tokens and 38,809 pairs.",
        ),
        (
            "Choose “Bytes, all heads” and the layer of ImageGPT-L, at 48, 64 and 224.",
            "At 48, the larger of the two sizes it was trained on, the matrices of one layer for one picture take "
            "340 MB. At 64 they'd take 1.07 GB, at 224 161 GB.",
            "numbers",
        ),
        (
            "Press “Measure on this machine”.",
            "The curve through the measured times is carried on to 224 × 224. That point is hollow: nobody measured "
            "it, and the memory for it probably isn't there.",
        ),
    ],
    code=(
        counts.pixel_tokens, counts.patch_tokens, counts.PictureCost, costs.layer_cost, costs.time_layer, costs.fit,
    ),
)  # fmt: skip
def quadratic() -> Shown:
    """The controls, the counted lines, the sizes of the papers in a table, and the clock."""
    side, patch_size, count, width = _ask()
    d, h = width.d_model, width.n_head
    pixels, patches = (picture_cost(n, d, h) for n in (pixel_tokens(side), patch_tokens(side, patch_size)))
    _tell(side, patch_size, pixels, patches)
    ladder = {
        "each pixel a token": [picture_cost(pixel_tokens(one), d, h) for one in SIDES],
        f"each patch of {patch_size} × {patch_size} a token": [
            picture_cost(patch_tokens(one, patch_size), d, h) for one in SIDES
        ],
    }
    figure = growth(
        SIDES,
        {name: [one.count(count) for one in some] for name, some in ladder.items()},
        y_title={"work": "multiply-adds of one layer"}.get(count, COUNTS[count].lower()),
        at=side,
        at_label=f"{side} × {side}",
        crossing=None,
        x_title="side of the picture, pixels",
        mode=layout.color_mode(),
    )
    left, right = layout.pair("quad-sides")
    with left:
        st.vega_lite_chart(
            figure,
            width="stretch",
            alt=f"{COUNTS[count]} by side. At {side}: {pixels.count(count):,} for pixels, "
            f"{patches.count(count):,} for patches.",
            key="quad-counted",
        )
    with right:
        st.markdown(_table(width, count))
        st.caption(
            f"One layer {d:,} wide with {h} heads, one picture. Bytes: one number of {costs.FLOAT_BYTES} bytes for "
            "each pair in each head. Some ways of computing never hold the whole matrix; they save memory, not "
            f"multiply-adds. ImageGPT's palette already helps: red, green and blue as {counts.N_COLOR} tokens would "
            f"make {counts.N_COLOR * pixel_tokens(GOAL):,} of a picture of {GOAL} × {GOAL}, and {counts.N_COLOR**2} "
            "times the pairs."
        )
    timings = clock()
    return Shown(
        numbers=lambda: counts.ladder_table(SIDES, ladder, _by_side(timings)),
        figure=figure,
        formula=(
            rf"\begin{{aligned}} N_{{\text{{pixels}}}} &= {side}^2 = {pixels.n_token:,} \\"
            rf"N_{{\text{{pixels}}}}^2 &= {pixels.pairs:,} \\[1ex]"
            rf"N_{{\text{{patches}}}} &= ({side} / {patch_size})^2 + 1 = {patches.n_token:,} \\"
            rf"N_{{\text{{patches}}}}^2 &= {patches.pairs:,}"
            r"\end{aligned}"
        ).replace(",", "{,}"),
        script=lambda: _script(patch_size, width, timings),
    )


def _by_side(timings: list[Timing]) -> dict[int, float]:
    """The measured seconds of pictures whose pixels are tokens."""
    seconds = {one.n_token: one.seconds for one in timings}
    return {side: seconds[pixel_tokens(side)] for side in sorted({*SIDES, *MEASURED}) if pixel_tokens(side) in seconds}


def _script(patch_size: int, width: Width, timings: list[Timing]) -> str:
    seconds = _by_side(timings)
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.pixels.compute.picture_cost import SIDES, ladder_table, patch_tokens, picture_cost, pixel_tokens

        # The tokens of a picture of side × side pixels, and what one layer makes of them.
        patch_size, d_model, n_head = $patch_size, $d_model, $n_head
        costs = {
            "each pixel a token": [picture_cost(pixel_tokens(side), d_model, n_head) for side in SIDES],
            f"each patch of {patch_size} × {patch_size} a token": [
                picture_cost(patch_tokens(side, patch_size), d_model, n_head) for side in SIDES
            ],
        }
        $measured
        print_table(ladder_table(SIDES, costs, seconds))
        """,
        patch_size=patch_size,
        d_model=width.d_model,
        n_head=width.n_head,
        measured=scripts.Code(
            f"seconds = {{{', '.join(f'{side}: {one!r}' for side, one in seconds.items())}}}  "
            + ("# by side: what your machine took, which nothing can compute" if seconds else "# nothing was measured")
        ),
    )


def _ask() -> tuple[int, int, str, Width]:
    count = controls.segmented("quad_count", "Count", list(COUNTS), "pairs", labels=COUNTS)
    left, middle, right = st.columns([4, 4, 5], gap="medium")
    with left:
        side = controls.select(
            "quad_side", "Picture (pixels)", SIDES, GOAL, labels={one: f"{one} × {one}" for one in SIDES}
        )
    with middle:
        patch_size = controls.segmented("quad_patch", "Patch (pixels)", list(PATCHES), 16)
    with right:
        names = {key: one.name for key, one in WIDTHS.items()}
        width = controls.select("quad_width", "Layer", list(WIDTHS), "here", labels=names)
    return side, patch_size, count, WIDTHS[width]


def _tell(side: int, patch_size: int, pixels: PictureCost, patches: PictureCost) -> None:
    st.markdown(
        f"{side} × {side} pixels, each a token: **{pixels.n_token:,} tokens**, {pixels.pairs:,} pairs in each head. "
        f"In patches of {patch_size} × {patch_size}, plus the **class token** that collects the answer: "
        f"**{patches.n_token:,} tokens**, {patches.pairs:,} pairs. That's {pixels.pairs / patches.pairs:,.0f} times "
        f"fewer pairs, and {pixels.layer.total / patches.layer.total:,.0f} times fewer multiply-adds in a layer."
    )


def _table(width: Width, count: str) -> str:
    """The sizes of the papers, beside this room's: narrow enough for a phone."""
    rows = [(f"{one} × {one}", pixel_tokens(one)) for one in (8, *IMAGE_GPT, GOAL)]
    rows.append((f"{GOAL} × {GOAL}, patches of 16", patch_tokens(GOAL, 16)))
    second = "pairs" if count == "tokens" else count
    lines = [f"| picture | tokens | {COUNTS[second].lower()} |", "|:--|--:|--:|"]
    for name, n_token in rows:
        number = picture_cost(n_token, width.d_model, width.n_head).count(second)
        told = {"bytes": in_bytes, "work": short}.get(second, "{:,}".format)(number)
        lines.append(f"| {name} | {n_token:,} | {told} |")
    return "\n".join(lines)
