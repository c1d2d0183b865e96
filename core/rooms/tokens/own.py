"""Characters, the visitor's own merges and those of the stories, trained live: bits, rows, samples."""

import numpy as np
import streamlit as st

from core.charts.race import race
from core.rooms.tokens.born import WRITTEN
from core.rooms.tokens.experiments import own_tokens as task
from core.train.live import Live
from core.ui import state
from core.ui.controls import control_log, controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.text import plural
from core.ui.training import live
from core.ui.widgets.strips import Strip, strips

NAME = "own-tokens"
PAIRS = (("red", "blue"), ("Tom", "Ben"), ("Mia", "Lily"), ("dog", "cat"), ("he", "she"))
BESIDE = ("red", "ball")  # follow each other often, and cannot take each other's place
TAKEN = "tokens.taken"  # what was written a step before, once it is here
N_STRIP = 5  # moments at which the two rows are drawn
BEGINNING = "Mia had a"


@exhibit(
    title="Characters against your own tokens",
    look_for="three things while it trains: the curves of the first chart, the two rows growing alike, and what the "
    "models write in the end.",
    try_this=[
        (
            "Copy what the third model wrote into your text, and train again.",
            "Your curve falls: your merges now occur in the stories, so your tokens are longer there.",
        ),
        (
            "Press Train and watch the pair of rows.",
            "At first both are noise. Step by step their colors fall into the same pattern, because the same words "
            "come after either.",
        ),
        (
            "Choose “he, she” or two names.",
            "They can take each other's place, too, and their rows come together. “red” and “ball”, which often follow "
            "each other, stay apart.",
        ),
        (
            "Take 64 merges and train.",
            "The stories' tokens are shorter, and that model needs more bits per character. Hardly any word is one "
            "token now, so most have no row of their own to watch.",
        ),
    ],
    code=(task.recipe, task.TokensOf, task.bits_per_character, task.cosines, task.OwnTokens.advance),
)
def own_tokens() -> Shown | None:
    """The training, the curves of all models, two rows on their way, and the samples."""
    left, middle, right = st.columns([4, 4, 2], gap="medium")
    with left:
        text = _own_text()
    with middle:
        merges = int(
            controls.segmented(
                "own_merges", "Merges at most", list(task.MERGES), 256,
                help="How many tokens your text and the stories may add to the 256 bytes.",
            )
        )  # fmt: skip
        labels = {"-".join(pair): ", ".join(pair) for pair in PAIRS}
        pair = controls.select("own_pair", "Two words", list(labels), "red-blue", labels=labels)
    with right:
        seed = controls.seed(name="own_seed")
    if not text:
        st.info("Your text is empty. Type at least one letter.")
        return None
    options = {"text": text, "merges": merges}
    shown = live.train(NAME, options, seed, about="Three models, about fifteen seconds on one core.")
    if shown is None:
        return None
    curves = _bits(shown, "Your text" if shown.options["text"] == text else "The text of this training")
    first, second = pair.split("-")
    _rows(shown, first, second)
    _samples(shown)
    return Shown(
        numbers=lambda: task.table(shown.record),
        arrays=dict(shown.record),
        figure=curves,
        script=lambda: scripts.of_record(
            NAME,
            shown,
            "Three models alike: one reads characters, one the merges of a text of one's own, one the stories' merges. "
            "With the settings that ship, the record that ships is read; with others they are trained now, which takes "
            "about fifteen seconds.",
        ),
    )


def _own_text() -> str:
    """The text that the own vocabulary is learned from; in a lesson it begins as the one written a step before."""
    written = state.slot(WRITTEN, str)
    is_news = written != state.slot(TAKEN, str) or controls.now("own_text", None) is None
    if written and is_news and "tokens_text" not in control_log.here():  # the room shows both texts, each for itself
        state.put(TAKEN, written)
        controls.begin("own_text", written)
    return controls.text_area(
        "own_text",
        "Your text",
        task.TEXT,
        max_chars=task.MOST_CHARS,
        height=122,
        help="Your own tokens are merged from this text. What all models are trained on are the little stories.",
    )


def _bits(shown: Live, text: str) -> dict[str, object]:
    """All curves, and what must be known to compare them; `text` is what the own text is called."""
    record = shown.record
    st.markdown("**Bits per character** for new text (a **bit** is one yes-or-no question; fewer is better)")
    spec = race(
        {task.NAMES[v]: (record["step"], record[f"bits.{v}"]) for v in task.VARIANTS},
        y_title="bits per character",
        n_step=shown.n_step,
        mode=color_mode(),
        y_limits=(0, 2),  # all begin far above, and then differ by tenths
        height=220,
    )
    st.vega_lite_chart(
        spec=spec, width="stretch", alt="Bits per character of new text by training step, for all three models."
    )
    now = {v: float(record[f"bits.{v}"][-1]) for v in task.VARIANTS}
    own, longer = float(record["length.own"]), float(record["length.stories"])
    n_new = int(record["size.own"]) - 256
    st.caption(
        f"Now {now['characters']:.2f} with {task.NAMES['characters']}, **{now['own']:.2f}** with {task.NAMES['own']} "
        f"and {now['stories']:.2f} with {task.NAMES['stories']}. The models are built alike and read as many tokens in "
        f"each step. {text} makes {plural(n_new, 'new token')} by merging, and cuts the stories into tokens {own:.1f} "
        f"characters long on average. The stories' tokens are {longer:.1f}, so their model reads {longer:.1f} times as "
        f"much text as the one with characters and looks {longer:.1f} times as far back."
        f"{_at_equal_text(shown, longer)}"
    )
    return spec


def _at_equal_text(shown: Live, longer: float) -> str:
    """How well the stories' tokens did when they had read as much text as the characters in all; "" before the end."""
    if not shown.is_done:
        return ""
    at = int(np.searchsorted(shown.record["step"], shown.n_step / longer))
    step, bits = int(shown.record["step"][at]), float(shown.record["bits.stories"][at])
    return f" At step {step}, when it had read about as much text as that one has now, it was at {bits:.2f}."


def _rows(shown: Live, first: str, second: str) -> None:
    """The rows of two words at some moments, and how alike they are at every look."""
    record = shown.record
    alike = task.cosines(record, first, second)
    if alike is None:
        st.info(
            f"With so few merges, “{first}” or “{second}” is several tokens, so there is no row of its own to watch."
        )
        return
    picture, chart = layout.pair("own-rows")
    pair = {word: task.rows(record, word) for word in (first, second)}
    looks = sorted({round(i) for i in np.linspace(0, len(alike) - 1, N_STRIP)})
    with picture:
        st.markdown(
            f"**The rows of “{first}” and “{second}”** in the stories' table of embeddings, from the start to now"
        )
        strips(
            [
                Strip(f"{word}, step {record['step'][look]}", word, values[look])
                for look in looks
                for word, values in pair.items()
                if values is not None
            ],
            kinds=dict.fromkeys(pair, "row"),
            key=f"own.rows.{first}.{second}.{shown.seed}",
            label=f"Rows of {first} and {second}",
            takeaway=f"The rows of {first} and {second}: cosine {alike[0]:.2f} at first, {alike[-1]:.2f} now.",
        )
    with chart:
        st.markdown("**How alike**: the **cosine similarity**, 1 for the same direction, 0 for no relation")
        beside = task.cosines(record, *BESIDE)
        curves = {f"{first}, {second}": (record["step"], alike)}
        if beside is not None:
            curves[", ".join(BESIDE)] = (record["step"], beside)
        st.vega_lite_chart(
            spec=race(
                curves,
                y_title="cosine similarity",
                n_step=shown.n_step,
                mode=color_mode(),
                y_limits=(-0.6, 1.05),
                height=220,
            ),
            width="stretch",
            alt=f"Cosine of the rows of {first} and {second} by training step, beside {' and '.join(BESIDE)}.",
        )


def _samples(shown: Live) -> None:
    """What the models write, once they are trained."""
    if not shown.is_done:
        st.caption("The models write when the training is over.")
        return
    beginning = controls.text_input("own_beginning", "Let all three write on from", BEGINNING, max_chars=40)
    options = task.Options(**shown.options)
    for variant in task.VARIANTS:
        st.markdown(f"**Written with {task.NAMES[variant]}**")
        text = task.written(shown.record, options, variant, beginning, shown.seed)
        st.code(text.strip(), language=None, wrap_lines=True)
