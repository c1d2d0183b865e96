"""Row by row against column by column: the same pictures, other factors, nearly the same bits; and n-grams in both."""

from typing import Any

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.curves import Reference
from core.charts.race import race
from core.inspect.pictures import Picture
from core.models.ngram import NGram
from core.rooms.pixels.common import Writer, bits, current, judge, ngram_title, open_writer, record_in_script
from core.rooms.pixels.complete import draw_film, recognised, sentence, told, written
from core.rooms.pixels.compute import pixel_bits, pixel_text
from core.rooms.pixels.compute import pixels as writing
from core.rooms.pixels.compute.pixel_text import TITLES
from core.rooms.pixels.experiments import pixels as task
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess
from core.ui.frame.guess import told as told_guess
from core.ui.training.trained_models import MAX_RESULTS
from core.ui.widgets import widgets
from core.ui.widgets.picture import ask_digit

ORDER = "column"
COLUMNS, TEMPERATURE = 4, 0.3
DIGIT = 5
HALVES = {"raster": "upper", "column": "left"}
LITTLE = 0.03  # bits per pixel
GUESSES = {"both": "both alike", "model": "ImageGPT more", "ngram": "the n-grams more", "none": "neither"}


@memoize(MAX_RESULTS)
def maps(writer: Writer) -> NDArray[np.float64]:
    """(2, 8, 8) mean bits of each pixel on the held-out digits, for both orders."""
    return np.stack([pixel_bits.as_map(bits(writer, order), order) for order in task.VARIANTS])


@exhibit(
    title="Rows or columns first?",
    look_for="what changes with the order, and for whom. ImageGPT sees all pixels written so far; an n-gram sees "
    "only the last few, and the order decides which neighbors those are.",
    try_this=[
        (
            "Compare the two 2-grams: the curves at n = 2.",
            "Column by column, the pixel before is the one above. Strokes of digits run down more than across, so it "
            "tells more than the one to the left.",
        ),
        (
            "Follow the curve “row by row” up to n = 9.",
            "Only there does the n-gram reach the pixel above, eight back. By then most contexts were never seen in "
            "training, and longer ones help little.",
        ),
        (
            "Look at the two maps: where are the bits?",
            "Hardly any at the left and right edges, where there's almost never ink. The first row costs more where "
            "rows come first, the second column where columns do: little is known yet.",
        ),
    ],
    code=(pixel_text.order, writing.bits, pixel_bits.of_ngram, pixel_bits.as_map, NGram.log_probs),
    formula=r"p(x) = \prod_{t=1}^{64} p\big(x_{\pi(t)} \mid x_{\pi(1)}, \dots, x_{\pi(t-1)}\big) \quad"
    r"\text{for every order } \pi",
)
def orders() -> Shown | None:
    """A guess, bits of both orders, where they stand, one digit's account, and completions from the left half."""
    found = current()
    if found is None:
        return None
    answer = guess("orders_guess", "Whose bits per pixel depend more on the order?", GUESSES)
    if answer == NOT_YET:
        st.caption("Guess first; then you'll see what was measured.")
        return None
    spec = _bits(found, answer)
    _maps(found)
    picture = _one(found)
    if picture is None:
        return Shown(arrays=lambda: {"bits": maps(found)}, figure=spec)
    return Shown(
        numbers=lambda: pixel_bits.table(
            {order: cost(found, order, picture) for order in task.VARIANTS},
            {order: bits(found, order).mean(0) for order in task.VARIANTS},
            {order: pixel_bits.ngrams(found.n_level, order).min(0) for order in task.VARIANTS},
        ),
        arrays=lambda: {"bits": maps(found)},
        figure=spec,
        script=lambda: _script(found, picture),
    )


def _script(found: Writer, picture: Picture) -> str:
    return scripts.script(
        """
        import torch

        from core.data import images
        from core.rooms.pixels.compute import pixel_text
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.pixels.compute.pixels import bits
        from core.rooms.pixels.compute import pixel_bits
        from core.train.experiment import rebuild, record_of
        from core.rooms.pixels.experiments import pixels

        record, config = $record, pixels.config($n_level)
        models = {order: rebuild(record, order, config).float() for order in pixel_text.ORDERS}
        picture = $picture

        # The same pixels in two orders, and what each costs the model that writes in this order.
        shades = torch.from_numpy(images.shades(picture))
        texts = {order: pixel_text.to_ids(shades, $n_level, order) for order in models}
        cost = {order: bits(model, texts[order])[0].double().numpy() for order, model in models.items()}

        # On all held-out digits: what each pixel costs on average, and the best n-gram for each n.
        held = {order: pixel_text.texts($n_level, order)[1] for order in models}
        means = {order: bits(model, held[order]).double().numpy().mean(0) for order, model in models.items()}
        grams = {order: pixel_bits.ngrams($n_level, order).min(0) for order in models}
        print_table(pixel_bits.table(cost, means, grams))
        """,
        record=record_in_script(),
        picture=scripts.pixels(picture),
        n_level=found.n_level,
    )


def _bits(found: Writer, answer: str) -> dict[str, Any]:
    """Bits per pixel by n, with what ImageGPT needs as lines."""
    n_level = found.n_level
    own = {order: float(bits(found, order).mean()) for order in task.VARIANTS}
    grams = {order: pixel_bits.ngrams(n_level, order).min(0) for order in task.VARIANTS}
    spec = race(
        {f"n-gram, {TITLES[order]}": (pixel_bits.ORDERS, values) for order, values in grams.items()},
        [Reference(float(np.mean(list(own.values()))), "ImageGPT, mean of both orders")],
        y_title="bits per pixel",
        n_step=max(pixel_bits.ORDERS),
        x_title="n of the n-gram: it looks at n − 1 pixels",
        mode=layout.color_mode(),
        y_limits=(0.85 * min(own.values()), 1.04 * max(float(one.max()) for one in grams.values())),
        height=280,
    )
    came = who_depends(abs(own["raster"] - own["column"]), abs(float(grams["raster"][1] - grams["column"][1])))
    st.vega_lite_chart(
        spec,
        width="stretch",
        alt="Bits per pixel of n-grams by n in both orders, with a line for ImageGPT.",
        key="orders-curve",
    )
    st.markdown(
        f"ImageGPT: **{own['raster']:.3f} bits** per pixel row by row, **{own['column']:.3f}** column by column. "
        f"The 2-gram: {grams['raster'][1]:.3f} and {grams['column'][1]:.3f}. The best n-gram: "
        f"{grams['raster'].min():.3f} ({ngram_title(n_level, 'raster')}) and "
        f"{grams['column'].min():.3f} ({ngram_title(n_level, 'column')}).{told_guess(answer, GUESSES, GUESSES[came])}"
    )
    depth.note(
        "Each n-gram has the smoothing that serves it best among "
        f"{', '.join(pixel_bits.TITLES[one] for one in pixel_bits.SMOOTHINGS)}. All write the same 360 pictures, so "
        "their bits can be compared: by the chain rule, every order gives a probability of the whole picture."
    )
    return spec


def who_depends(model: float, two: float) -> str:
    """The right answer to the guess: by how many bits the orders differ, for ImageGPT and for the 2-gram."""
    if max(model, two) < LITTLE:
        return "none"
    return "ngram" if two > 2 * model else "model" if model > 2 * two else "both"


def _maps(found: Writer) -> None:
    """Where the bits stand, for both orders with one scale."""
    both = maps(found)
    names = [str(i + 1) for i in range(pixel_text.SIDE)]
    for place, order, values in zip(layout.pair("orders-maps", alike=True), task.VARIANTS, both, strict=True):
        half = pixel_text.N_PIXEL // 2
        first = float(bits(found, order)[:, :half].sum(1).mean())
        with place:
            widgets.matrix(
                values,
                rows=names,
                columns=names,
                row_title="row",
                column_title="column",
                value_title="bits",
                kind="value",
                limits=(0.0, float(both.max())),
                key=f"orders-map-{order}",
                label=f"Bits of each pixel, {TITLES[order]}",
                takeaway=f"The 32 pixels written first cost {first:.0f} of {float(values.sum()):.0f} bits of a "
                "picture.",
                height=300,
            )
            st.caption(
                f"A whole picture: {float(values.sum()):.1f} bits; the {HALVES[order]} half, which comes first: "
                f"{first:.1f}."
            )


def _one(found: Writer) -> Picture | None:
    """One digit: its account in both orders, and its right half written from its left half."""
    st.markdown("**One digit, column by column.** Its left columns are given; the model writes the others.")
    picture = ask_digit("orders", DIGIT)
    if picture is None:
        return None
    left, middle, right = st.columns(3, gap="medium")
    with left:
        columns = int(controls.slider("orders_columns", "Columns given", 0, pixel_text.SIDE - 1, COLUMNS, step=1))
    with middle:
        temperature = float(controls.slider("orders_temperature", "Temperature", 0.0, 2.0, TEMPERATURE, step=0.1))
    with right:
        seed = controls.seed(name="orders_seed")
    n_given = columns * pixel_text.SIDE
    made, truth = written(found, ORDER, picture, n_given, seed, temperature, 0)
    by = judge()
    answers = None if by is None else recognised(found, by, ORDER, picture, n_given, seed, temperature, 0)
    draw_film(made, truth, answers, picture, ORDER, how=told(temperature, 0), key="orders-film")
    if answers is not None:
        st.markdown(sentence(answers, picture))
    account = {order: cost(found, order, picture) for order in task.VARIANTS}
    st.markdown(
        f"This picture costs ImageGPT **{account['raster'].sum():.1f} bits** row by row and "
        f"**{account['column'].sum():.1f}** column by column. A table by position needs "
        f"{float(pixel_bits.of_table(found.n_level).sum(1).mean()):.1f} for a picture, on average."
    )
    return picture


@memoize(64)
def cost(writer: Writer, order: str, picture: Picture) -> NDArray[np.float64]:
    """(64,) bits of each pixel of one picture, in the order of writing."""
    ids = pixel_text.to_ids(torch.from_numpy(picture.shades), writer.n_level, order)
    found: NDArray[np.float64] = writing.bits(open_writer(writer, order), ids)[0].double().numpy()
    return found
