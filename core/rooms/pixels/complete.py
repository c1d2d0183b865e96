"""Complete a digit: its upper rows are given, and the model writes the rest many times over, pixel by pixel."""

from collections import Counter

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.generate import filters
from core.inspect.pictures import Picture
from core.rooms.pixels.common import NO_JUDGE, Writer, current, in_script, judge, open_writer
from core.rooms.pixels.compute import completions, pixel_text
from core.rooms.pixels.compute import pixels as writing
from core.rooms.pixels.compute.completions import Answers, Completions, Share
from core.rooms.pixels.experiments import pixels as task
from core.rooms.pixels.pixel_film_widget import pixel_film
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown, percent
from core.ui.training.digit_reader import Reader
from core.ui.widgets.picture import ask_digit

N_SAMPLE = 16
ROWS, TEMPERATURE, TOP_K, SEED = 4, 0.3, 0, 0
ORDER = "raster"
DIGIT = 7


@memoize(64)
def written(
    writer: Writer, order: str, picture: Picture, n_given: int, seed: int, temperature: float, top_k: int
) -> tuple[Completions, NDArray[np.int64]]:
    """N_SAMPLE continuations of the first pixels of a picture, and the picture itself in the model's levels."""
    truth = pixel_text.to_ids(torch.from_numpy(picture.shades), writer.n_level, order)[0].numpy()
    made = completions.complete(
        open_writer(writer, order), truth[:n_given], N_SAMPLE, seed=seed, temperature=temperature, top_k=top_k
    )
    return made, truth


@memoize(64)
def share(writer: Writer, judge: Reader, order: str, n_given: int, seed: int, temperature: float, top_k: int) -> Share:
    """One completion of each of the 360 held-out digits, judged: some tenths of a second."""
    return completions.share(
        open_writer(writer, order), judge.vit, writer.n_level, order, n_given,
        seed=seed, temperature=temperature, top_k=top_k,
    )  # fmt: skip


@exhibit(
    title="Complete a digit",
    look_for="the pixel where two completions part. What is drawn there is given to all later pixels, so one draw "
    "can decide which digit it becomes.",
    try_this=[
        (
            "Press Play in the film, then click a picture and step with ‹ and ›.",
            "Most pixels are nearly decided: all the probability is on one or two levels. A few are open, and there "
            "the pictures part.",
        ),
        (
            "Set the temperature to 0.",
            "All sixteen are the same picture: the likeliest level each time. It isn't the likeliest picture, and it "
            "may show another digit.",
        ),
        (
            "Give it only one row, then six.",
            "With one row it writes whatever digit comes to it; with six there's little left to choose.",
        ),
        (
            "Choose “drawing” and draw something that is no digit.",
            "It goes on with what digits have below strokes like these. It knows nothing else.",
        ),
    ],
    code=(writing.write, writing.filtered, filters.temperature, filters.top_k, completions.share),
    formula=r"x_t \sim p(x_t \mid x_1, \dots, x_{t-1}) \qquad t = S + 1, \dots, 64 \quad (S \text{ pixels are given})",
)
def complete() -> Shown | None:
    """The digit, the film of its completions, what is recognized in them, and the share over held-out digits."""
    found = current()
    if found is None:
        return None
    picture = ask_digit("fill", DIGIT)
    if picture is None:
        return None
    rows, temperature, top_k, seed = settings(found.n_level)
    n_given = rows * pixel_text.SIDE
    made, truth = written(found, ORDER, picture, n_given, seed, temperature, top_k)
    by = judge()
    answers = None if by is None else recognised(found, by, ORDER, picture, n_given, seed, temperature, top_k)
    draw_film(made, truth, answers, picture, ORDER, how=told(temperature, top_k), key="fill-film")
    if by is None or answers is None:
        st.info(NO_JUDGE)
        return Shown(numbers={"picture": list(range(1, N_SAMPLE + 1))})
    st.markdown(sentence(answers, picture))
    _share(found, by, n_given, temperature, top_k)
    return Shown(
        numbers=answers.table,
        arrays=lambda: {"levels": made.ids, "raw": made.raw, "used": made.used},
        script=lambda: _script(found, by, picture, n_given, seed, temperature, top_k),
    )


def _script(
    found: Writer, by: Reader, picture: Picture, n_given: int, seed: int, temperature: float, top_k: int
) -> str:
    return scripts.script(
        """
        import torch

        from core.data import images
        from core.rooms.pixels.compute import pixel_text
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.pixels.compute.completions import complete, recognise
        from core.train.experiment import rebuild, record_of
        from core.rooms.patches.experiments import digits
        from core.rooms.pixels.experiments import pixels

        model = $model
        judge = $judge
        picture = $picture

        # The picture as a text: its pixels one after the other, in a few levels of gray.
        text = pixel_text.to_ids(torch.from_numpy(images.shades(picture)), n_level=$n_level)[0].numpy()

        # The first pixels are given, the model writes the rest, and a ViT says which digit it sees.
        made = complete(model, text[:$n_given], $n_sample, seed=$seed, temperature=$temperature, top_k=$top_k)
        print_table(recognise(judge, made.ids, $n_level, order=$order).table())
        """,
        model=in_script(found, ORDER),
        judge=by.in_script(),
        picture=scripts.pixels(picture),
        n_level=found.n_level,
        n_given=n_given,
        n_sample=N_SAMPLE,
        seed=seed,
        temperature=temperature,
        top_k=top_k,
        order=ORDER,
    )


def settings(n_level: int) -> tuple[int, float, int, int]:
    """Rows that are given, temperature, top-k and the seed."""
    columns = st.columns(4, gap="medium")
    with columns[0]:
        rows = int(controls.slider("fill_rows", "Rows given", 0, pixel_text.SIDE - 1, ROWS, step=1))
    with columns[1]:
        temperature = float(controls.slider("fill_temperature", "Temperature", 0.0, 2.0, TEMPERATURE, step=0.1))
    with columns[2]:
        top_k = int(
            controls.slider("fill_top_k", "Top-k", 0, max(task.LEVELS), TOP_K, step=1, help="0 keeps every level")
        )
    with columns[3]:
        seed = controls.seed(SEED, name="fill_seed")
    if top_k > n_level:
        st.caption(f":material/info: There are only {n_level} levels of gray: top-k {top_k} cuts nothing.")
    return rows, temperature, top_k, seed


@memoize(64)
def recognised(
    writer: Writer, judge: Reader, order: str, picture: Picture, n_given: int, seed: int, temperature: float, top_k: int
) -> Answers:
    """What the ViT says of the completions."""
    made, _ = written(writer, order, picture, n_given, seed, temperature, top_k)
    return completions.recognise(judge.vit, made.ids, writer.n_level, order)


def told(temperature: float, top_k: int) -> str:
    """The settings in words."""
    if temperature == 0:
        return "temperature 0: the likeliest level"
    cut = f", the {top_k} likeliest levels" if top_k else ""
    return f"at temperature {temperature:g}{cut}"


def draw_film(
    made: Completions,
    truth: NDArray[np.int64],
    answers: Answers | None,
    picture: Picture,
    order: str,
    *,
    how: str,
    key: str,
) -> None:
    """The completions growing side by side, the real picture before them."""
    titles = [f"picture {n + 1}" for n in range(len(made.ids))]
    if answers is not None:
        mark = {True: "✓", False: "✗"} if picture.label is not None else {True: "", False: ""}
        titles = [f"{said} {mark[bool(said == picture.label)]}".strip() for said in answers.said.tolist()]
    name = picture.name if picture.label is None else f"{picture.name}, a {picture.label}"
    n_given = made.ids.shape[1] - made.raw.shape[1]
    pixel_film(
        made.ids,
        made.raw,
        made.used,
        order=pixel_text.order(order),
        titles=titles,
        settings=how,
        truth=truth,
        truth_title="given" if picture.label is None else f"real: {picture.label}",
        key=key,
        label=f"{len(made.ids)} completions of {name}",
        takeaway=f"{n_given} pixels are given; {made.raw.shape[1]} are written in each picture.",
    )


def sentence(answers: Answers, picture: Picture) -> str:
    """What the ViT recognizes in these completions, counted."""
    counts = Counter(answers.said.tolist()).most_common()
    listed = ", ".join(f"{digit} in {n}" for digit, n in counts)
    text = (
        f"The **vision transformer** (ViT) of the room “Patches”, which reads digits, recognizes {listed} of the "
        f"{len(answers.said)} pictures."
    )
    if picture.label is None:
        return text
    n_right = int((answers.said == picture.label).sum())
    return f"**{n_right} of {len(answers.said)}** are recognized as {picture.label}, the right digit. {text}"


def _share(found: Writer, by: Reader, n_given: int, temperature: float, top_k: int) -> None:
    """How often it is right over all held-out digits: with the default settings at once, with others on request."""
    is_default = (n_given, temperature, top_k) == (ROWS * pixel_text.SIDE, TEMPERATURE, TOP_K)
    asked = is_default or controls.toggle(
        "fill_measure", "Measure these settings on all 360 held-out digits (a moment)"
    )
    if not asked:
        return
    measured = share(found, by, ORDER, n_given, SEED, temperature, top_k)
    given = "nothing" if n_given == 0 else f"the upper {n_given // pixel_text.SIDE} rows"
    st.markdown(
        f"Over **all 360** held-out digits, {escape_markdown(told(temperature, top_k))}, one completion of each from "
        f"{given}, seed {SEED}: **{percent(float(np.mean(measured.right)))}** are recognized as the right digit. Of "
        f"the real pictures at these levels the ViT recognizes {percent(float(np.mean(measured.whole)))}. Nothing "
        "tells the model which digit is meant, and many upper halves fit two digits."
    )
