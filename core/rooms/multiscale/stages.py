"""The stages of a multi-scale ViT drawn to scale, and what its windows save."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from core.cache import content_key, memoize
from core.models.multiscale import Merge, MultiScaleConfig, Stage, to_windows
from core.rooms.multiscale import stages_widget as drawing
from core.rooms.multiscale.compute import stages as sizes
from core.rooms.multiscale.experiments.scales import CONFIGS
from core.rooms.multiscale.image_cost_chart import by_size
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.numbers import short

SWIN_T = MultiScaleConfig(
    image_size=224, patch_size=4, n_channel=3, d_model=96, n_layer=(2, 2, 6, 2), n_head=(3, 6, 12, 24), window=7,
    n_class=1000,
)  # fmt: skip
PRESETS = {"swin": "Swin-T", "ours": "Of the race", "own": "Your own"}
TITLES = {"swin": "Swin-T, as published", "ours": "The model of “A race at equal cost”", "own": "Your own sizes"}
TIMES = (1, 2, 4, 8, 16)
N_POINT = 33
WINDOWS, GLOBAL, PLAIN = (
    "in windows",
    "no windows",
    "plain ViT",
)


@exhibit(
    title="Stages, drawn to scale",
    look_for="the trade: from stage to stage there are a quarter of the tokens, each with twice the channels "
    "(numbers), so the stacks get thin and deep. The bold lines are windows: a token attends only to its own window, "
    "and a window holds the same number of tokens in every stage.",
    try_this=[
        (
            "Press the button below the map of stage 0 and point at a corner of the map.",
            "Every second block shifts its windows by half. In the corner a small piece is left over, and a mask "
            "keeps it apart from the pieces at the other ends with which it shares a window in memory.",
        ),
        (
            "Make the picture 448, then 896 pixels wide.",
            "In windows the work grows fourfold each time, like the area. Where every token attends to all, it grows "
            "tenfold, then nearly fourteenfold, on its way to sixteen.",
        ),
        (
            "Choose stage 3 of Swin-T at 224 × 224.",
            "It's no larger than a window, so there is just one, and nothing to shift: the net ends as a plain "
            "transformer of 49 tokens.",
        ),
    ],
    code=(sizes.stages, sizes.count, sizes.without_windows, sizes.by_area, to_windows, Stage.forward, Merge.forward),
    formula=r"\begin{aligned} & N \text{ tokens of } D \text{ channels, windows of } w \times w \\ & "
    r"\text{in windows: } 12\,N D^2 + 2\,N w^2 D \\ & \text{without: } 12\,N D^2 + 2\,N^2 D \end{aligned}",
)
def stages() -> Shown:
    """Sizes, the stacks, the costs."""
    config, title = _ask()
    found = sizes.stages(config)
    first, last = found[0], found[-1]
    drawing.stages(
        found,
        key=f"stages-{content_key(repr(config))[:12]}",
        label=f"{title}: {config.image_size} × {config.image_size} pixels",
        takeaway=f"{len(found)} stages, from {first.n_token:,} tokens of {first.width} channels to {last.n_token:,} of "
        f"{last.width:,}. Arrow keys choose a stage.",
    )
    totals = _totals(config)
    crossing = sizes.crossing(config)
    spec = _chart(config, crossing)
    chart, text = layout.pair("stages-cost")
    with chart:
        st.vega_lite_chart(
            spec,
            width="stretch",
            alt=f"Multiply-adds by picture size. At {config.image_size} pixels: {short(totals[WINDOWS])} in windows, "
            f"{short(totals[GLOBAL])} without.",
            key="stages-chart",
        )
    with text:
        st.markdown(_told(config, totals, crossing))
    return Shown(
        numbers=lambda: sizes.table(config),
        figure=spec,
        formula=_with_numbers(first),
        script=lambda: _script(config),
    )


def _script(config: MultiScaleConfig) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.multiscale.compute import stages
        from core.models.multiscale import MultiScaleConfig

        config = MultiScaleConfig(
            image_size=$image_size, patch_size=$patch_size, n_channel=$n_channel, d_model=$d_model,
            n_layer=$n_layer, n_head=$n_head, window=$window, n_class=$n_class,
        )

        # From stage to stage a quarter of the tokens, each twice as wide.
        print_table(stages.table(config))
        """,
        image_size=config.image_size,
        patch_size=config.patch_size,
        n_channel=config.n_channel,
        d_model=config.d_model,
        n_layer=config.n_layer,
        n_head=config.n_head,
        window=config.window,
        n_class=config.n_class,
    )


def _ask() -> tuple[MultiScaleConfig, str]:
    """Which model, at which size."""
    preset = controls.segmented("stage_model", "Model", list(PRESETS), "swin", labels=PRESETS)
    config = SWIN_T
    if preset == "ours":
        config = CONFIGS["scales"]  # type: ignore[assignment]
    elif preset == "own":
        config = _own()
    ladder = sizes.ladder(config, len(TIMES))
    labels = {times: f"{one.image_size:,} × {one.image_size:,}" for times, one in zip(TIMES, ladder, strict=True)}
    times = controls.select("stage_size", "Picture (pixels)", TIMES, 1, labels=labels)
    return replace(ladder[0], image_size=ladder[0].image_size * times), TITLES[preset]


def _own() -> MultiScaleConfig:
    one, two, three, four = st.columns(4, gap="medium")
    with one:
        patch = controls.select("stage_patch", "Patch (pixels)", (2, 4, 8), 4)
    with two:
        width = controls.select("stage_width", "Channels at first", (16, 32, 64, 96, 128), 64)
    with three:
        window = controls.select("stage_window", "Window (tokens)", (2, 3, 4, 7, 8, 12), 8)
    with four:
        n_stage = controls.select("stage_stages", "Stages", (3, 4), 4)
    return MultiScaleConfig(
        image_size=patch * 2 ** (n_stage - 1) * window, patch_size=patch, n_channel=3, d_model=width,
        n_layer=(2,) * n_stage, n_head=tuple(2**stage for stage in range(n_stage)), window=window, n_class=1000,
    )  # fmt: skip


def _totals(config: MultiScaleConfig) -> dict[str, int]:
    return {
        WINDOWS: sizes.count(config).total,
        GLOBAL: sizes.count(sizes.without_windows(config)).total,
        PLAIN: sizes.plain_count(config),
    }


@memoize(64)
def _lines(config: MultiScaleConfig) -> tuple[list[float], dict[str, list[float]]]:
    """Picture sizes, and what each model costs there."""
    smallest = sizes.ladder(config, 1)[0].image_size
    pixels = smallest * 2.0 ** np.linspace(-2, np.log2(TIMES[-1]), N_POINT)
    counted = {
        WINDOWS: lambda one: sizes.count(one).total,
        GLOBAL: lambda one: sizes.count(sizes.without_windows(one)).total,
        PLAIN: sizes.plain_count,
    }
    return pixels.tolist(), {
        name: np.polyval(sizes.by_area(count, config), pixels**2).tolist() for name, count in counted.items()
    }


def _chart(config: MultiScaleConfig, crossing: float | None) -> dict[str, Any]:
    pixels, lines = _lines(config)
    meeting = None
    if crossing is not None:
        meeting = crossing, float(np.polyval(sizes.by_area(sizes.plain_count, config), crossing**2))
    return by_size(pixels, lines, at=config.image_size, crossing=meeting, mode=layout.color_mode())


def _told(config: MultiScaleConfig, totals: dict[str, int], crossing: float | None) -> str:
    pairs = sizes.count(config).parts["pairs of tokens"]
    every = sizes.count(sizes.without_windows(config)).parts["pairs of tokens"]
    plain = sizes.plain(config)
    when = (
        f"For pictures above {crossing:,.0f} pixels a side the multi-scale model is cheaper."
        if crossing is not None
        else "The multi-scale model is cheaper at every size."
    )
    return (
        f"For {config.image_size:,} × {config.image_size:,} pixels it takes **{short(totals[WINDOWS])}** "
        f"multiply-adds, {short(pairs)} of them on pairs of tokens. If every token attended to all in every stage, "
        f"that would be {short(every)}: **{short(totals[GLOBAL])}** in all, {totals[GLOBAL] / totals[WINDOWS]:.3g} "
        f"times as many.\n\nA plain ViT gets around this with larger patches: {plain.n_layer} blocks of width "
        f"{plain.d_model} with patches of {plain.patch_size} × {plain.patch_size} pixels take "
        f"**{short(totals[PLAIN])}**. {when} And a patch is the smallest thing the plain one keeps apart, from first "
        "block to last: too coarse for an answer for each pixel, or for something small."
    )


def _with_numbers(first: sizes.StageSize) -> str:
    """Stage 0 of the model shown, one block of it."""
    n, d, w = first.n_token, first.width, first.window
    return (
        r"\begin{aligned} &\text{one block of stage 0:} \\ "
        rf"12\,N D^2 &= 12 \cdot {n} \cdot {d}^2 = {_tex(12 * n * d * d)} \\ "
        rf"2\,N w^2 D &= 2 \cdot {n} \cdot {w}^2 \cdot {d} = {_tex(2 * n * w * w * d)} \\ "
        rf"2\,N^2 D &= 2 \cdot {n}^2 \cdot {d} = {_tex(2 * n * n * d)} \end{{aligned}}"
    )


def _tex(value: int) -> str:
    return f"{value:,}".replace(",", "{,}")
