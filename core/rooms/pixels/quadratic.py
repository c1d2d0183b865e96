"""Quadratic cost on pixels: the cost of a picture by its size, as pixels and as patches, counted and measured."""

from collections.abc import Mapping
from typing import NamedTuple

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_bytes, format_count
from core.exhibit import Column, Inputs as Base, Result, Table, custom_control, segmented_control, select
from core.inspect.costs import layer_cost as costs
from core.inspect.costs.layer_cost import FLOAT_BYTES, LayerCost, LayerTiming, TimingFit, layer_cost
from core.rooms.pixels.experiments import pixels as task

LABELS = module_labels(__name__)

N_COLOR = 3  # red, green, blue
PICTURE_SIDES = (16, 32, 48, 64, 96, 128, 192, 224, 256, 384, 512)
COUNTS: Mapping[str, str] = {
    "tokens": LABELS["count.tokens"],
    "pairs": LABELS["count.pairs"],
    "bytes": LABELS["count.bytes"],
    "work": LABELS["count.work"],
}
COUNT_AXES = {
    "tokens": LABELS["axis.tokens"],
    "pairs": LABELS["axis.pairs"],
    "bytes": LABELS["axis.bytes"],
    "work": LABELS["axis.work"],
}
TABLE_HEADINGS = {
    "pairs": LABELS["heading.pairs"],
    "bytes": LABELS["heading.bytes"],
    "work": LABELS["heading.work"],
}


class PictureCost(NamedTuple):
    """The cost of one picture in one layer."""

    n_token: int  # N
    n_head: int  # H
    layer: LayerCost  # its multiply-adds and numbers

    @property
    def pairs(self) -> int:
        """Entries of the attention matrix of one head: N^2."""
        return self.n_token**2

    @property
    def matrix_bytes(self) -> int:
        """Size of the attention matrices of all heads in single precision: 4 H N^2 bytes."""
        return FLOAT_BYTES * self.n_head * self.pairs

    def number(self, what: str) -> int:
        """Return one of `COUNTS`."""
        return {"tokens": self.n_token, "pairs": self.pairs, "bytes": self.matrix_bytes, "work": self.layer.total}[what]


def pixel_tokens(side: int) -> int:
    """Return the number of tokens of a picture whose pixels are tokens, as in ImageGPT: one palette color each.

    The start token comes first and the last pixel is never read, so the start token adds none.
    """
    return side * side


def patch_tokens(side: int, patch_size: int) -> int:
    """Return the number of tokens of a picture in patches, as in ViT: one per patch, and the class token.

    Raises:
        ValueError: if patches of this size do not fill the picture.
    """
    if side % patch_size:
        raise ValueError(f"patches of {patch_size} pixels do not fill a picture of {side}")
    return (side // patch_size) ** 2 + 1


def picture_cost(n_token: int, d_model: int, n_head: int) -> PictureCost:
    """Count the cost of one layer (attention and feed-forward) that reads a picture of n_token tokens."""
    return PictureCost(n_token, n_head, layer_cost(n_token, d_model, n_head))


PATCH_SIDES = (4, 8, 16)
IMAGE_GPT_SIDES = (32, 48, 64)  # sides of the pictures that the paper's models read
TARGET_SIDE = 224  # the side that classifiers of photographs usually read
MEASURED_SIDES = (8, 12, 16, 20, 24, 28, 32, 36, 40, 44)  # sides; longer rows with 4 heads exceed the memory limit
FIT_FROM_TOKENS = 400  # tokens: the extrapolated curve is fitted to rows of at least this length
ROOM_CONFIG = task.config()  # the layer that is timed: as wide as this room's
# Name, D and H. Sources: Chen et al. 2020, table of models, heads as in the weights they published; Dosovitskiy et al.
# 2020, table 1.
WIDTHS: Mapping[str, tuple[str, int, int]] = {
    "here": (LABELS["this_room"], ROOM_CONFIG.d_model, ROOM_CONFIG.n_head),
    "small": ("ImageGPT-S", 512, 8),
    "base": ("ViT-Base", 768, 12),
    "large": ("ImageGPT-L", 1536, 16),
}
Measurements = tuple[tuple[int, float, int], ...]
CODE = (
    pixel_tokens, patch_tokens, PictureCost, costs.layer_cost, costs.time_layer_by_length, costs.fit_timings
)  # fmt: skip


def ask_timings() -> Measurements:
    """Return (length, seconds, passes) as measured in this session; the button measures again."""
    from core.ui.training import layer_timer

    smallest, largest = MEASURED_SIDES[0], MEASURED_SIDES[-1]
    done: dict[str, Measurements] = ui.state.session_slot("quadratic.measured", dict)
    if ui.st.button(
        LABELS["measure"],
        icon=":material/timer:",
        key="quad-measure",
        help=LABELS(
            "measure_help",
            d_model=ROOM_CONFIG.d_model,
            n_head=ROOM_CONFIG.n_head,
            smallest=smallest,
            largest=largest,
            seconds=layer_timer.TIMING_SECONDS,
        ),
    ):
        lengths = sorted({*map(pixel_tokens, MEASURED_SIDES), patch_tokens(TARGET_SIDE, 16)})
        if found := layer_timer.time_layer_with_bar(ROOM_CONFIG.d_model, ROOM_CONFIG.n_head, lengths, whole_block=True):
            done["here"] = tuple((one.n_token, one.seconds, one.n_repeat) for one in found)
    if not done:
        ui.st.caption(LABELS("nothing_measured", seconds=layer_timer.TIMING_SECONDS))
    return done.get("here", ())


class Inputs(Base, prefix="quad_"):
    count: str = segmented_control(COUNTS, "pairs")
    side: int = select({side: f"{side} × {side}" for side in PICTURE_SIDES}, TARGET_SIDE, heading="")
    patch_size: int = segmented_control(PATCH_SIDES, 16, name="quad_patch")
    width: str = select({key: name for key, (name, _, _) in WIDTHS.items()}, "here")
    measured: Measurements = custom_control(f"{__name__}:ask_timings", (), heading="")


class QuadraticCost(Result):
    """The cost of pictures of all sizes in one layer."""

    d_model: int  # d_model, n_head: of the layer
    n_head: int
    pixels: PictureCost  # pixels, patches: the selected picture with pixels as tokens and with patches as tokens
    patches: PictureCost
    ladder: Mapping[str, list[PictureCost]]  # the same for all `PICTURE_SIDES`, by name
    timings: tuple[LayerTiming, ...]  # measured, in this room's own layer
    # The fitted curve and the measured times it was fitted to: the long rows, if there are enough. The time of short
    # rows (mostly the overhead of starting each product) doesn't predict that of long ones.
    fitted: tuple[TimingFit, tuple[LayerTiming, ...]] | None
    carried: dict[str, object]  # extrapolated to a picture of 224 x 224
    formula: str  # tokens and pairs of both

    def table(self) -> Table:
        """Return the costs by side length, with the measured time of pictures whose pixels are tokens."""
        ms = {one.n_token: 1000 * one.seconds for one in self.timings}
        sides = sorted({*PICTURE_SIDES, *(side for side in MEASURED_SIDES if pixel_tokens(side) in ms)})
        table: dict[str, Column] = {LABELS["table.side"]: sides}
        for name, some in self.ladder.items():
            at = dict(zip(PICTURE_SIDES, some, strict=True))
            for key, title in COUNTS.items():
                table[LABELS("table.count", count=title, name=name)] = [
                    at[side].number(key) if side in at else None for side in sides
                ]
        return table | {LABELS["table.measured_ms_pixels"]: [ms.get(pixel_tokens(side)) for side in sides]}


def compute(inputs: Inputs) -> QuadraticCost:
    """Count the costs; the measured times come with the inputs."""
    side, size, (_, d, h) = inputs.side, inputs.patch_size, WIDTHS[inputs.width]
    by_pixel = [picture_cost(pixel_tokens(one), d, h) for one in PICTURE_SIDES]
    by_patch = [picture_cost(patch_tokens(one, size), d, h) for one in PICTURE_SIDES]
    at, timings = PICTURE_SIDES.index(side), tuple(LayerTiming(*one) for one in inputs.measured)
    pixels, patches = by_pixel[at], by_patch[at]
    long = tuple(one for one in timings if one.n_token >= FIT_FROM_TOKENS)
    used = long if len(long) >= 4 else timings
    fitted = (costs.fit_timings(used), used) if timings else None
    pixel_name, patch_name = LABELS["formula.pixels"], LABELS["formula.patches"]
    formula = (
        rf"\begin{{aligned}} N_{{\text{{{pixel_name}}}}} &= {side}^2 = {pixels.n_token:,} \\"
        rf"N_{{\text{{{pixel_name}}}}}^2 &= {pixels.pairs:,} \\[1ex]"
        rf"N_{{\text{{{patch_name}}}}} &= ({side} / {size})^2 + 1 = {patches.n_token:,} \\"
        rf"N_{{\text{{{patch_name}}}}}^2 &= {patches.pairs:,}"
        r"\end{aligned}"
    )
    return QuadraticCost(
        d_model=d,
        n_head=h,
        pixels=pixels,
        patches=patches,
        ladder={LABELS["each_pixel"]: by_pixel, LABELS("each_patch", size=size): by_patch},
        timings=timings,
        fitted=fitted,
        carried=_extrapolate_cost(fitted[0], timings) if fitted else {},
        formula=formula.replace(",", "{,}"),
    )


def _extrapolate_cost(fitted: TimingFit, timings: tuple[LayerTiming, ...]) -> dict[str, object]:
    """Extrapolate the curve to a picture of 224 × 224, next to its time in patches."""
    far, n_patch = pixel_tokens(TARGET_SIDE), patch_tokens(TARGET_SIDE, 16)
    pixels, patches = fitted.seconds(far), {one.n_token: one.seconds for one in timings}.get(n_patch)
    return {
        "grows": fitted.per_pair > 0,
        "far": far,
        "took": _format_seconds(pixels),
        "memory": picture_cost(far, ROOM_CONFIG.d_model, ROOM_CONFIG.n_head).matrix_bytes,
        "n_patch": n_patch,
        "patches_took": patches and _format_seconds(patches),
        "times": patches and format_count(float(f"{pixels / patches:.1g}")),
    }


def draw(result: QuadraticCost, inputs: Inputs) -> None:
    """Draw the counted lines, a table of the papers' sizes, and the timings."""
    count, timings = inputs.count, result.timings
    left, right = ui.two_columns("quad-sides")
    with left:
        ui.curves(
            {name: (PICTURE_SIDES, [one.number(count) for one in some]) for name, some in result.ladder.items()},
            x=ui.Axis(LABELS["side_axis"], format=",d", is_log=True),
            y=ui.Axis(COUNT_AXES[count], format="~s", is_log=True),
            at={f"{inputs.side} × {inputs.side}": inputs.side},
            height=330,
        )
    with right:
        ui.show_markdown(_table(result, count))
    ui.add_template_values(
        here=ROOM_CONFIG,
        size=FLOAT_BYTES,
        n_color=N_COLOR,
        colors=N_COLOR * pixel_tokens(TARGET_SIDE),
        goal=TARGET_SIDE,
    )
    if result.fitted is None:
        return
    (curve, used), far = result.fitted, pixel_tokens(TARGET_SIDE)
    first = used[0].n_token
    places = [first * (far / first) ** (i / 80) for i in range(81)]
    ui.fitted_curve_chart(
        ([one.n_token for one in timings], [1000 * one.seconds for one in timings]),
        (places, [1000 * curve.seconds(n) for n in places]),
        x=ui.Axis(LABELS["length_axis"], format=",d", is_log=True),
        y=ui.Axis(LABELS["time_axis"], is_log=True),
        beyond=[(far, 1000 * curve.seconds(far), f"{TARGET_SIDE} × {TARGET_SIDE}")],
    )
    ui.add_template_values(
        first=timings[0],
        last=timings[-1],
        took=_format_seconds(timings[0].seconds),
        took_last=_format_seconds(timings[-1].seconds),
        curve=curve,
        beyond=first,
    )


def _table(result: QuadraticCost, count: str) -> str:
    """Return the table of the papers' sizes and this room's, narrow enough for a phone."""
    rows = [(f"{one} × {one}", pixel_tokens(one)) for one in (8, *IMAGE_GPT_SIDES, TARGET_SIDE)]
    rows.append((LABELS("in_patches", side=TARGET_SIDE), patch_tokens(TARGET_SIDE, 16)))
    second = "pairs" if count == "tokens" else count
    lines = [TABLE_HEADINGS[second], "|:--|--:|--:|"]
    for name, n_token in rows:
        number = picture_cost(n_token, result.d_model, result.n_head).number(second)
        text = {"bytes": format_bytes, "work": format_count}.get(second, "{:,}".format)(number)
        lines.append(f"| {name} | {n_token:,} | {text} |")
    return "\n".join(lines)


def _format_seconds(value: float) -> str:
    """Write seconds with their unit."""
    return f"{value:,.0f} s" if value >= 100 else f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
