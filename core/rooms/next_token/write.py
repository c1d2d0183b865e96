"""Text written token by token: each step's distribution, the number that was drawn, and the token it fell on."""

from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from core.cache import MAX_FIGURES, content_key, memoize
from core.generate import decode
from core.generate.cache import reading_limit
from core.generate.settings import Settings, Written, write_on
from core.inspect.model_and_text import ModelAndText
from core.rooms.next_token.number_line_chart import number_line
from core.rooms.next_token.sampling_settings import settings_in_force
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.place_in_text import next_logits
from core.ui.text import escape_markdown, visible
from core.ui.widgets import widgets

# A step costs one pass of the model, and the server answers everybody: more would keep others waiting.
MOST_STEPS = 200
AT_ONCE = 40
# Computed in such portions, so that one more token is usually there already.
PORTION = 20


@memoize(MAX_FIGURES)
def written_on(key: ModelKey, packed: str, settings: Settings, seed: int, n: int) -> Written:
    """A text continued by n tokens."""
    return write_on(models.load(key).model, models.unpack(packed), n, settings, seed)


@exhibit(
    title="Write on, token by token",
    look_for="faint tokens among strong ones: there an unlikely token was drawn, and the rest has to live with it. The "
    "faintest one is shown first.",
    try_this=[
        (
            "Press “40 tokens”, then change the seed.",
            "You get another text from the same model: only the random numbers differ. The old seed brings the old "
            "text back, letter by letter.",
        ),
        (
            "Set the temperature to 0, under “What comes next, and what sampling does to it”.",
            "Nothing is drawn any more. The model takes the likeliest token each time, so the seed no longer matters.",
        ),
        (
            "Click a new token.",
            "The line shows all tokens side by side, each as wide as it was likely, and the random number that fell on "
            "this one.",
        ),
    ],
    code=(decode.generate, decode.inverse_cdf, write_on),
)
def write(looked: ModelAndText) -> Shown:
    """The text so far, colored; one step looked at closely."""
    vocabulary = models.vocabulary(looked.key)
    settings = settings_in_force(len(vocabulary))
    n, seed = _ask_how_many()
    limit = reading_limit(models.load(looked.key).model)
    reads = "reads all tokens" if limit is None else f"reads at most the last {limit} tokens"
    st.caption(f"Written with {settings.in_words}. For each new token the model {reads} before it.")
    given = looked.encoded.tokens
    with models.patience(looked.key, "Writing …"):
        written = written_on(looked.key, looked.encoded.packed, settings, seed, -(-n // PORTION) * PORTION).first(n)
    new = [vocabulary[i] for i in written.tokens]
    content = content_key(looked.key, looked.encoded.packed, seed, settings.in_words)[:12]
    pick = picks.news("write.text", content)
    if pick is not None and pick >= len(given):
        controls.put("step", pick - len(given) + 1)
    step = _ask_which(written)
    widgets.token_row(
        [*given, *new],
        key=picks.key("write.text", content, None if step is None else len(given) + step - 1),
        values=[*[np.nan] * len(given), *written.probabilities],
        kind="probability",
        value_title="probability when drawn",
        details=[*["given"] * len(given), *map(_detail, written.n_kept)],
        selected=None if step is None else len(given) + step - 1,
        title="Given (dashed) and written (colored)",
    )
    if step is not None:
        _look_at(looked, settings, written, step)
    elif n == 0:
        st.caption("Nothing is written yet. Press “One token” as often as you like.")
    return Shown(
        numbers=lambda: written.table(vocabulary),
        arrays=vars(written) | {"given": np.array(looked.encoded.ids)},
        script=lambda: _script(looked, n, settings, seed),
    )


def _script(looked: ModelAndText, n: int, settings: Settings, seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.generate.settings import Settings, write_on
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # Token by token: ask the model, filter, draw, append. The same seed draws the same numbers.
        settings = Settings(temperature=$temperature, top_k=$top_k, top_p=$top_p)
        written = write_on(model, ids, $n, settings, seed=$seed)
        print_table(written.table(found.vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        n=n,
        seed=seed,
        **asdict(settings),
    )


def _ask_how_many() -> tuple[int, int]:
    """How many tokens are written (buttons that move a slider), and the seed."""
    with st.container(horizontal=True):
        for label, icon, key, n_more in (
            ("One token", "add", "write-one", 1),
            (f"{AT_ONCE} tokens", "fast_forward", "write-many", AT_ONCE),
            ("Start again", "restart_alt", "write-reset", -MOST_STEPS),
        ):
            look: dict[str, Any] = {"icon": f":material/{icon}:", "type": "primary" if n_more == 1 else "secondary"}
            controls.button(label, "written", key=key, on_click=_add, args=(n_more,), **look)
    left, right = st.columns([2, 1], gap="medium", vertical_alignment="bottom")
    with left:
        n = controls.slider("written", "New tokens", 0, MOST_STEPS, AT_ONCE // 2, step=1)
    with right:
        seed = controls.seed()
    return int(n), seed


def _add(n: int) -> None:
    controls.put("written", min(MOST_STEPS, max(0, int(controls.now("written", AT_ONCE // 2)) + n)))


def _ask_which(written: Written) -> int | None:
    """Which step to look at: first the one whose token was least likely, for there the draw shows most."""
    n = len(written.tokens)
    if n == 0:
        return None
    first = int(written.probabilities.argmin()) + 1
    return int(controls.slider("step", "Step to look at", 1, n, first, step=1)) if n > 1 else 1


def _look_at(looked: ModelAndText, settings: Settings, written: Written, step: int) -> None:
    """One step: the number line of what was drawn from, and where the number fell."""
    vocabulary = models.vocabulary(looked.key)
    before = ",".join([looked.encoded.packed, *map(str, written.tokens[: step - 1])])
    token, u = int(written.tokens[step - 1]), float(written.draws[step - 1])
    probabilities = settings.probabilities(next_logits(looked.key, before))
    high = probabilities.astype(np.float64).cumsum()
    high /= high[-1]
    low = np.concatenate([[0.0], high[:-1]])
    shown = np.flatnonzero(probabilities > 5e-4)  # narrower ones are no pixel wide
    if token not in shown:
        shown = np.sort(np.append(shown, token))
    name = f"**“{escape_markdown(visible(vocabulary[token]))}”**"
    if np.isnan(u):
        st.markdown(f"Step {step}: nothing was drawn. {name} was taken, the likeliest token.")
    else:
        st.markdown(
            f"Step {step}: the tokens lie side by side in the order of their ids, each as wide as it is likely. {name} "
            f"goes from {low[token]:.4f} to {high[token]:.4f}, and the random number, **{u:.4f}**, fell into it. "
            f"{int(written.n_kept[step - 1]):,} of {len(vocabulary):,} tokens were left to draw from."
        )
    st.vega_lite_chart(
        number_line(
            [visible(vocabulary[i]) for i in shown],
            low[shown].tolist(),
            high[shown].tolist(),
            None if np.isnan(u) else u,
            int(np.flatnonzero(shown == token)[0]),
            mode=color_mode(),
        ),
        alt=f"Between 0 and 1, the token that was taken owns {low[token]:.4f} to {high[token]:.4f}.",
        key="write-line",
    )


def _detail(n_kept: float) -> str:
    return f"one of {int(n_kept):,} tokens left to draw from" if n_kept > 1 else "the only token left"
