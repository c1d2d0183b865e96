"""An ImageGPT learns to write digits, live: its bits per pixel beside those of counting, and what it writes now."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.curves import Reference
from core.charts.race import race
from core.rooms.pixels.common import NAME, Writer, ngram_title, open_writer, writer_of
from core.rooms.pixels.compute import completions, pixel_bits, pixel_text
from core.rooms.pixels.compute import pixels as writing
from core.rooms.pixels.compute.pixel_text import TITLES
from core.rooms.pixels.experiments import pixels as task
from core.train.live import Live
from core.train.trainer import Trainer
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS
from core.ui.widgets.pictures import pictures

N_SAMPLE = 10
SAMPLE_SEED = 0


def warm_up() -> None:
    """Count the n-grams of the example, most of a second of work, before somebody waits for it."""
    for order in task.VARIANTS:
        pixel_bits.ngrams(task.Options().n_level, order)


@memoize(MAX_RESULTS)
def samples(writer: Writer, order: str) -> NDArray[np.uint8]:
    """(N, 8, 8) pictures written from the start token alone, as the model would: temperature 1, nothing cut."""
    written = completions.complete(
        open_writer(writer, order), np.zeros(0, np.int64), N_SAMPLE, seed=SAMPLE_SEED, temperature=1.0, top_k=0
    )
    return pixel_text.to_pixels(written.ids, writer.n_level, order)


@exhibit(
    title="Learning to write digits",
    look_for="the curves falling below the lower dashed line. That's the best that counting does: how often each "
    "level occurs at a position, or after the pixels just before it.",
    try_this=[
        (
            "Press Train and watch the pictures below the curves.",
            "Noise at first; then ink in the middle and paper at the edges; then strokes; then digits.",
        ),
        (
            "Choose 4 levels of gray and train.",
            "Fewer levels mean fewer bits for all of them: compare bits per pixel only at equal levels.",
        ),
        (
            "Switch the warping off and train.",
            "The curve of the known digits parts further from that of the held-out ones: without new variants of the "
            "1,437 pictures, the model learns more of them by heart.",
        ),
    ],
    code=(
        task.Pixels.advance,
        task.jittered,
        Trainer.learn,
        writing.bits,
        writing.started,
        pixel_bits.of_ngram,
        pixel_bits.of_table,
    ),
    formula=r"\text{bits per pixel} = -\frac{1}{64} \sum_{t=1}^{64} \log_2 p(x_t \mid x_1, \dots, x_{t-1})",
)
def training() -> Shown | None:
    """The training, its curves beside counting, and samples from nothing."""
    left, middle, right = st.columns([4, 5, 5], gap="small")
    with left:
        seed = controls.seed(name="train_seed")
    with middle:
        n_level = controls.segmented("train_levels", "Gray levels", list(task.LEVELS), task.Options().n_level)
    with right:
        warped = controls.toggle(
            "train_warped",
            "Warp the digits",
            True,
            help="Turns, slants, stretches and moves each digit a little, differently every time",
        )
    shown = live.train(
        NAME,
        {"n_level": n_level, "warped": warped},
        seed,
        about=f"{task.Options().n_step:,} steps of two models take a minute and a half.",
    )
    if shown is None:
        return None
    found = writer_of(shown)
    spec = _curves(shown, found)
    now = {order: float(shown.record[f"curve.{order}.bits"][-1]) for order in task.VARIANTS}
    st.vega_lite_chart(
        spec,
        width="stretch",
        alt="Bits per pixel by training step; now " + ", ".join(f"{TITLES[o]} {b:.2f}" for o, b in now.items()),
        key="pixels-curve",
    )
    _tell(shown, found, now)
    for place, order in zip(layout.pair("pixels-samples", alike=True), task.VARIANTS, strict=True):
        with place:
            pictures(
                samples(found, order),
                key=f"pixels-sample-{order}",
                label=f"Written from nothing, {TITLES[order]}",
                takeaway=f"{N_SAMPLE} pictures that the model writes at step {shown.step}.",
                size=56,
            )
    st.caption(
        f"Sampled as the model itself would have it: temperature 1, nothing cut, seed {SAMPLE_SEED}. Nothing tells "
        "it which digit to write."
    )
    depth.note(
        "In training, each pixel that is read may be off by a level; where something is measured or written, none is. "
        "How long it learns and how much it is disturbed was settled in trials measured on the held-out digits too, "
        "which flatters it a little."
    )
    return Shown(
        numbers=lambda: task.table(shown.record),
        arrays=lambda: dict(shown.record),
        figure=spec,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.pixels.experiments import pixels

        # Two models on the same digits; with the settings that ship, the record that ships.
        print_table(pixels.table($record))
        """,
        record=scripts.record(NAME, shown),
    )


def _curves(shown: Live, found: Writer) -> dict[str, Any]:
    record, n_level = shown.record, found.n_level
    blind, counting = float(np.log2(n_level)), min(best(n_level), float(pixel_bits.of_table(n_level).mean()))
    curves = {TITLES[order]: (record["step"], record[f"curve.{order}.bits"]) for order in task.VARIANTS}
    curves[f"{TITLES['raster']}, known digits"] = (record["step"], record["curve.raster.known"])
    lowest = min(float(values.min()) for _, values in curves.values())
    return race(
        curves,
        [Reference(blind, f"blind guess: {blind:g} bits"), Reference(counting, "the best of counting")],
        y_title="bits per pixel",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(min(0.75 * counting, 0.9 * lowest), 1.06 * blind),
        height=320,
    )


def best(n_level: int) -> float:
    """Bits per pixel of the best n-gram in either order."""
    return min(float(pixel_bits.ngrams(n_level, order).min()) for order in task.VARIANTS)


def _tell(shown: Live, found: Writer, now: dict[str, float]) -> None:
    n_level = found.n_level
    grams = {order: float(pixel_bits.ngrams(n_level, order).min()) for order in task.VARIANTS}
    order = min(grams, key=grams.__getitem__)
    table = float(pixel_bits.of_table(n_level).mean())
    counted = pixel_bits.ngrams(n_level, order).size * len(task.VARIANTS)
    st.markdown(
        f"At step {int(shown.record['step'][-1]):,}, on 360 **held-out** digits, which it doesn't learn from: "
        f"**{now['raster']:.3f} bits** per pixel row by row, **{now['column']:.3f}** column by column. The best of "
        f"{counted} **n-grams**, which count what follows the last few pixels, needs {grams[order]:.3f} "
        f"({ngram_title(n_level, order)}, {TITLES[order]}). A table that knows only **where** a pixel is, and "
        f"nothing of the others, needs {table:.3f}."
    )
