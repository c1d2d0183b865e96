"""The same text written twice: with keys and values kept, and with everything read anew at each step."""

import math
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, memoize
from core.charts.curves import Curve
from core.charts.lines import lines
from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues
from core.inspect.model_and_text import ModelAndText
from core.rooms.cache.compute import cached_writing
from core.rooms.cache.inputs import Prompt, prompt_of
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.text import plural

KEPT, ANEW = "with the cache", "without"


@memoize(MAX_FIGURES)
def race(key: ModelKey, packed: str, n_new: int, again: int) -> cached_writing.Race:
    """Both texts, compared and timed; `again` counts how often the person asked for new times."""
    return cached_writing.race(models.load(key).model, models.unpack(packed), n_new)


@exhibit(
    title="Same words, less work",
    look_for="the two curves of multiply-adds. Without the cache each step costs more than the one before; with it, "
    "the steps after the first cost next to nothing, and the words are the same.",
    try_this=[
        (
            "Choose more new tokens.",
            "Without the cache the total work grows with the square of the length, because every step reads the whole "
            "text. With it, it grows in proportion, as long as attention itself is a small part of the work.",
        ),
        (
            "Compare the first step with the others.",
            "The first one reads the prompt, and there's nothing to reuse yet, so both ways cost nearly the same. The "
            "cache saves a little even there, because a prediction is computed only for the last token.",
        ),
        (
            "Write until the text is longer than the model's context (with the stories model: 96 tokens).",
            "From there on the cached curve jumps up to the other one. The first token drops out, every other token "
            "moves by one position, and nothing that was kept is right any more.",
        ),
    ],
    code=(KeyValues, CachedModel, cached_writing.step_work),
    formula=r"\begin{aligned}\text{without: } & L\,(4 N D^2 + 2 N D F + 2 N^2 D) + N D V \\ "
    r"\text{with: } & L\,(4 D^2 + 2 D F + 2 N D) + D V\end{aligned}",
)
def same_words(looked: ModelAndText) -> Shown:
    """The counted work, the measured time, the difference of the logits, and the words."""
    left, right = st.columns([2, 1], gap="medium", vertical_alignment="bottom")
    with left:
        n_new = int(controls.slider("same_new", "New tokens", 8, 96, 32, step=8))
    with right:
        again = int(
            controls.number(
                "same_again",
                "Measurement no.",
                1,
                20,
                1,
                step=1,
                reason="enough to see how much they differ",
                help="Another number measures the times again.",
            )
        )
    prompt = prompt_of(looked)
    with models.patience(prompt.key, "Writing the text twice …"):
        found = race(prompt.key, prompt.packed, n_new, again)
    n = len(found.tokens)
    lengths = [len(prompt.ids) + step for step in range(n)]
    if n < n_new:
        st.info(f"Without a cache this model is slow: the measurement stopped after {n} of {n_new} tokens.")
    _facts(found)
    config: Any = models.load(prompt.key).config
    context = int(config.context_length)
    n_over = sum(length > context for length in lengths)
    if n_over:
        st.info(
            f"This model reads at most {context} tokens. In the last {plural(n_over, 'step')} the text is longer: its "
            "first token drops out, all others move up, and what was kept is no longer right. With the cache, too, all "
            f"{context} tokens are read anew there."
        )
    specs = [
        _chart(lengths, found.work / 1e6, found.work_anew / 1e6, "multiply-adds (millions)"),
        _chart(lengths, found.seconds * 1e3, found.seconds_anew * 1e3, "time (milliseconds)"),
    ]
    words = (
        f"Multiply-adds of each step: the last one {found.work[-1]:,} with the cache, {found.work_anew[-1]:,} without.",
        f"Time of each step: the last one {found.seconds[-1] * 1e3:.2f} milliseconds with the cache, "
        f"{found.seconds_anew[-1] * 1e3:.2f} without.",
    )
    for place, spec, alt, name in zip(layout.pair("same-curves"), specs, words, ("work", "time"), strict=True):
        with place:
            st.vega_lite_chart(spec, alt=alt, key=f"same-{name}")
    st.caption(
        "Each point is one step, which writes one token. A multiply-add multiplies two numbers and adds the product to "
        "a sum; these are counted exactly. The times were measured here, on a machine that may be busy: each is the "
        "shortest of up to five runs, and still some jump. A small model spends most of its time starting operations, "
        "not on arithmetic, so the time falls less than the count."
    )
    depth.note(
        "A lecture note says that for writing “there is no such trick” as for training. There is one, and it's the "
        "cache."
    )
    return Shown(
        numbers=lambda: found.table(len(prompt.ids)),
        figure=specs[0],
        formula=_filled(config, lengths, found),
        script=lambda: _script(prompt, found),
    )


def _script(prompt: Prompt, found: cached_writing.Race) -> str:
    return scripts.script(
        """
        from dataclasses import replace

        import numpy as np

        from core.data.csv_table import print_table
        from core.rooms.cache.compute import cached_writing
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        prompt = $ids

        # The same text twice, step by step: with keys and values kept, and with everything read anew.
        race = cached_writing.race(found.model, prompt, n_new=$n_new, n_repeat=1, most_seconds=600)

        # Microseconds as they were measured in the app; without these lines, the times are those of this run.
        kept = np.array($kept)
        anew = np.array($anew)
        race = replace(race, seconds=kept / 1e6, seconds_anew=anew / 1e6)
        print_table(race.table(n_prompt=len(prompt)))
        """,
        folder=scripts.folder(prompt.key),
        ids=scripts.ids(prompt.looked),
        n_new=len(found.tokens),
        kept=_microseconds(found.seconds),
        anew=_microseconds(found.seconds_anew),
    )


def _microseconds(seconds: NDArray[np.float64]) -> list[int]:
    return [round(one * 1e6) for one in seconds.tolist()]


def _facts(found: cached_writing.Race) -> None:
    same = "the same" if np.array_equal(found.tokens, found.tokens_anew) else "**not the same**"
    apart = f"largest difference between their logits | {_small(found.difference.max())}"
    n, share = len(found.tokens), found.work_anew.sum() / found.work.sum()
    faster = found.seconds_anew.sum() / found.seconds.sum()
    st.markdown(
        f"| {n} new tokens | {KEPT} | {ANEW} | |\n|---|---|---|---|\n"
        f"| tokens that the model computed | {found.n_token:,} | {found.n_token_anew:,} | |\n"
        f"| multiply-adds | {found.work.sum() / 1e6:,.1f} million | {found.work_anew.sum() / 1e6:,.1f} million | "
        f"**{share:,.1f} times less** |\n"
        f"| time, measured | {found.seconds.sum() * 1e3:,.1f} ms | {found.seconds_anew.sum() * 1e3:,.1f} ms | "
        f"**{faster:,.1f} times as fast** |\n"
        f"| {f'{apart} | | words:' if depth.at_least('numbers') else 'the words | | |'} {same} |"
    )
    depth.note("The logits differ only in their last digits: the same sums are taken in another order, with rounding.")


def _small(value: float) -> str:
    """A difference as a decimal with its first digit that is not 0: 0.000008."""
    if not 0 < value < 1:
        return f"{value:.3g}"
    return f"{value:.{-math.floor(math.log10(value))}f}"


def _chart(lengths: list[int], kept_y: Any, anew_y: Any, title: str) -> dict[str, Any]:
    top = max(np.quantile(kept_y, 0.9), np.quantile(anew_y, 0.95)) * 1.25  # a step that was held up may stand out
    return lines(
        [Curve(KEPT, lengths, kept_y), Curve(ANEW, lengths, anew_y)],
        x_title="length of the text (tokens)",
        y_title=title,
        mode=color_mode(),
        y_range=(0.0, float(top)),
    )


def _filled(config: Any, lengths: list[int], found: cached_writing.Race) -> str:
    """The last step in which the cache still holds."""
    last = max(step for step, length in enumerate(lengths) if length <= config.context_length)
    n, d_ff = lengths[last], config.d_ff or 4 * config.d_model
    without, work = (f"{one[last]:,}".replace(",", "{,}") for one in (found.work_anew, found.work))
    return (
        rf"N = {n},\; L = {config.n_layer},\; D = {config.d_model},\; F = {d_ff},\; V = {config.vocab_size}: \quad "
        rf"{without} \text{{ without}},\quad {work} \text{{ with}}"
    )
