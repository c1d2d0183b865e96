"""All heads of a model on one text, ranked by what they look at; and the open one in three pictures of its own."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.cache import MAX_TRACES, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.heads.as_lines import as_lines
from core.rooms.heads.compute import heads as head_scores
from core.rooms.heads.compute.heads import NAMES
from core.rooms.heads.coordinates import coordinates
from core.rooms.heads.one_head import one_head
from core.rooms.heads.open_head import EDITING, MOST_TOKENS, choose_head, shown_text
from core.rooms.heads.scores_chart import scores as bars
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit, show
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.widgets import widgets

if TYPE_CHECKING:
    from core.rooms.heads.compute.heads import HeadScores

MOST_BARS = 16  # more heads than these are in the numbers; the best ones can be seen
RANKS = ["previous_token", "first_token", "current_token", "induction", "focus"]
MEANING = {
    "previous_token": "its mean weight on the token right before",
    "first_token": "its mean weight on the first token, where a head can rest when it finds nothing to read",
    "current_token": "its mean weight on the token itself",
    "induction": "on random words that come twice, its mean weight on the word that followed the first time",
    "induction_text": "where a token occurred before in this text, its mean weight on the one that followed it then",
    "focus": "how little it spreads its weight, whatever it reads: 1 is one token only, 0 is all tokens alike, and "
    "0.50 is like reading 4 of 16 tokens alike",
}
LABELS = {
    "previous_token": "previous-token head",
    "first_token": "first-token head",
    "current_token": "head that reads itself",
    "induction": "induction head",
    "induction_text": "induction head on this text",
    "focus": "focused head",
}


def warm_up() -> None:
    """Look at the default model once: torch imports hundreds of modules only when it is first used."""
    key = models.shipped_key()
    packed = models.encode(key, models.SENTENCES[models.DEFAULT], MOST_TOKENS).packed
    models.attention(key, packed)
    scores_of(key, packed)


@memoize(MAX_TRACES)
def scores_of(key: ModelKey, packed: str) -> "HeadScores":
    """The scores of all heads on a text."""
    return head_scores.score_heads(models.reader(key), models.unpack(packed))


@st.fragment
def room(looked: ModelAndText) -> None:
    """All heads, the sliders and the open head: one fragment, so that a slider leaves the rest of the page alone.

    Inside it each picture is a fragment of its own: its controls draw it alone.
    """
    grid = st.container()
    with st.container(key="stays"):  # stays in sight while one reads what it opened (style.css)
        layer, head = choose_head(looked)
    if picks.has_changed("heads.open", f"{layer}.{head}") and st.session_state.get("experiment") == EDITING:
        st.rerun()  # the row editor below looks at the open head too
    with grid:
        show(all_heads, looked, layer, head)
    show(one_head, looked, layer, head)
    show(as_lines, looked, layer, head)
    show(coordinates, looked, layer, head)


@exhibit(
    title="Every head at once",
    look_for="where the strong cells are. Each small picture is a head; rows read, columns are read. A stripe beside "
    "the diagonal reads the previous word, an upright stripe always the same one, scattered cells pick certain words.",
    try_this=[
        (
            "On the stories model with its own text, rank by “Previous token”, then by “First token”, “Induction” and "
            "“Focus”.",
            "Few heads reach the threshold, and some names fit no head. A picture that names every head is guessing.",
        ),
        (
            "Back at “Previous token”, lower the threshold to 0.20.",
            "More heads now count. Where to draw the line is our choice, so it's printed next to the result.",
        ),
        (
            "Click a head.",
            "The sliders Layer and Head follow, and “One head, cell by cell” enlarges it, with the arithmetic of every "
            "cell.",
        ),
    ],
    code=(head_scores.score_heads, head_scores.from_weights, head_scores.rank),
)
def all_heads(looked: ModelAndText, layer: int, head: int) -> Shown:
    """The grid, the score that ranks it, and who is best."""
    if picks.has_news("heads.grid", shown_text(looked)):
        st.rerun()  # the whole page opens another head
    with models.patience(looked.key, "Reading the text …"):
        record = models.attention(looked.key, looked.encoded.packed)
        scores = scores_of(looked.key, looked.encoded.packed)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        by = controls.segmented("rank", "Rank the heads by", RANKS, "previous_token", labels=NAMES)
    with right:
        threshold = controls.slider("threshold", "Threshold for the name", 0.05, 1.0, 0.5, step=0.05)
    ranked = head_scores.rank(scores, by, {by: threshold})
    st.markdown(_verdict(by, threshold, ranked, scores.uniform[by]))
    widgets.head_grid(
        record.weights,
        tokens=looked.encoded.tokens,
        key=picks.key("heads.grid", shown_text(looked), {"layer": layer, "head": head}),
        selected=(layer, head),
        scores={NAMES[by]: getattr(scores, by)},
        best=NAMES[by],
        label="All heads",
    )
    _ranking(by, threshold, ranked, scores.uniform[by])
    return Shown(
        numbers=scores.table,
        arrays={"weights": record.weights, "ids": record.ids},
        script=lambda: _script(looked),
    )


def _script(looked: ModelAndText) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.heads.compute import heads
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # Two passes: one over the text, one over random tokens that come twice, which only induction can foresee.
        print_table(heads.score_heads(model, ids).table())
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
    )


def _verdict(by: str, threshold: float, ranked: "tuple[head_scores.RankedHead, ...]", uniform: float) -> str:
    """Who is best by this score, how many reach the threshold, and what looking at everything alike would give."""
    best = ranked[0]
    if np.isnan(best.value):
        return f"**No score.** This text has no case for it: {MEANING[by]}."
    reached = [f"layer {one.layer}, head {one.head} ({one.value:.2f})" for one in ranked if one.label is not None]
    more = f" and {len(reached) - 4} more" if len(reached) > 4 else ""
    who = (
        f"**{len(reached)} of {len(ranked)}** {'reaches' if len(reached) == 1 else 'reach'} {threshold:.2f} and "
        f"{'counts' if len(reached) == 1 else 'count'} as “{LABELS[by]}”: "
        f"{'; '.join(reached[:4])}{more}."
        if reached
        else f"**None** of the {len(ranked)} heads reaches {threshold:.2f}: no head here is a {LABELS[by]}."
    )
    return (
        f"★ Best: **layer {best.layer}, head {best.head}** with **{best.value:.2f}**. {who} "
        f"The score is {MEANING[by]}. A head that reads all tokens alike would get {uniform:.2f}."
    )


def _ranking(by: str, threshold: float, ranked: "tuple[head_scores.RankedHead, ...]", uniform: float) -> None:
    """The best heads as bars; nothing where the text gives no case for the score."""
    best = [one for one in ranked[:MOST_BARS] if not np.isnan(one.value)]
    if not best:
        return
    which = "" if len(ranked) == len(best) else f", best {len(best)} of {len(ranked)} heads"
    st.vega_lite_chart(
        bars(
            [f"layer {one.layer}, head {one.head}" for one in best],
            [one.value for one in best],
            threshold=threshold,
            chance=uniform,
            mode=color_mode(),
            value_title=f"{NAMES[by]} score{which}",
        ),
        alt=f"Bars: heads by {NAMES[by]}, best layer {best[0].layer}, head {best[0].head} with {best[0].value:.2f}.",
        key="heads-ranking",
    )
