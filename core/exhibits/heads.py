"""All heads of a model on one text, ranked by what they look at; and one of them large, with its arithmetic."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.exhibits.telling import telling_head
from core.inspect import heads as head_scores
from core.nn.attention import MultiHeadAttention, attention_scores, masked_softmax
from core.ui import controls, layout, models, picks, state, widgets
from core.ui.cache import MAX_TRACES, content_key, kept
from core.ui.frame import Shown, exhibit, show
from core.ui.looking import Looked
from core.ui.models import ModelKey
from core.ui.text import escape_markdown

if TYPE_CHECKING:
    from core.inspect.heads import HeadScores
    from core.inspect.trace import AttentionRecord

# At most so many tokens: 64 x 64 cells of a head can still be told apart on a screen.
MOST_TOKENS = 64
NAMES = {
    "previous_token": "Previous token",
    "first_token": "First token",
    "current_token": "Itself",
    "induction": "Induction",
    "induction_text": "Induction here",
    "entropy": "Spread",
}
EDITING = "Set a row of weights"
RANKS = ["previous_token", "first_token", "current_token", "induction", "entropy"]
MEANING = {
    "previous_token": "its mean weight on the token right before",
    "first_token": "its mean weight on the first token, where heads rest that find nothing to read",
    "current_token": "its mean weight on the token itself",
    "induction": "on random words that come twice, its mean weight on the word that followed the first time",
    "induction_text": "where a token occurred before in this text, its mean weight on the one that followed it then",
    "entropy": "how evenly it spreads its weight: 0 is one token only, 1 is all alike",
}
LABELS = {
    "previous_token": "previous-token head",
    "first_token": "first-token head",
    "current_token": "head that reads itself",
    "induction": "induction head",
    "induction_text": "induction head on this text",
    "entropy": "head that reads everything alike",
}


def warm_up() -> None:
    """Look at the default model once: torch imports hundreds of modules only when it is first used."""
    key = models.shipped_key()
    packed = models.encode(key, models.SENTENCES[models.DEFAULT], MOST_TOKENS).packed
    models.attention(key, packed)
    scores_of(key, packed)


@kept(MAX_TRACES)
def scores_of(key: ModelKey, packed: str) -> "HeadScores":
    """The scores of all heads on a text."""
    return head_scores.score_heads(models.load(key).model, models.unpack(packed))


def shown_text(looked: Looked) -> str:
    """A short name of model and text, for the keys of pictures."""
    return content_key(looked.key, looked.encoded.packed)[:12]


def choose_head(looked: Looked) -> tuple[int, int]:
    """The sliders `Layer` and `Head`; a click in the grid of all heads moves them too."""
    config = models.load(looked.key).config
    first = _first_head(looked.key)
    pick = picks.news("heads.grid", shown_text(looked))
    if pick:
        controls.put("layer", pick["layer"])
        controls.put("head", pick["head"])
    left, right = st.columns(2, gap="medium")
    with left:
        layer = controls.slider("layer", "Layer", 0, config.n_layer - 1, first[0], step=1)
    with right:
        head = controls.slider("head", "Head", 0, config.n_head - 1, first[1], step=1)
    return int(layer), int(head)


@st.fragment
def room(looked: Looked) -> None:
    """All heads, the sliders and the open head: one fragment, so that a slider leaves the rest of the page alone."""
    grid = st.container()
    layer, head = choose_head(looked)
    if picks.has_changed("heads.open", f"{layer}.{head}") and st.session_state.get("experiment") == EDITING:
        st.rerun()  # the row editor below looks at the open head too
    with grid:
        show(all_heads, looked, layer, head)
    show(one_head, looked, layer, head)


def open_head(looked: Looked) -> tuple[int, int]:
    """Which head is open: where the sliders stand."""
    config, (layer, head) = models.load(looked.key).config, _first_head(looked.key)
    return (
        min(int(st.session_state.get("layer", layer)), config.n_layer - 1),
        min(int(st.session_state.get("head", head)), config.n_head - 1),
    )


@kept(MAX_TRACES)
def _first_head(key: ModelKey) -> tuple[int, int]:
    """The head to open when a link names none. It must not depend on the text: a link without it says "the same"."""
    if key.is_run:
        return int(models.load(key).config.n_layer) // 2, 0
    sample = models.encode(key, models.about(key).sample, MOST_TOKENS)
    return telling_head(models.attention(key, sample.packed))


@exhibit(
    title="Every head at once",
    look_for="where the strong cells lie. Each small picture is a head, rows ask and columns are read: a stripe beside "
    "the diagonal reads the word before, an upright stripe keeps reading one word, scattered cells pick certain words.",
    try_this=[
        (
            "On the stories model with its own text, rank by “Previous token”, then by “First token” and “Induction”.",
            "Two heads, 0.0 and 1.0, are previous-token heads. The other two names go to nobody: the best first-token "
            "score is 0.17, the best induction score 0.04. A picture that gives every head a name is guessing.",
        ),
        (
            "Back at “Previous token”, lower the threshold to 0.20.",
            "A third head, 1.1 with 0.26, now counts as one too. Where “is one” begins is our choice, so it is printed "
            "beside.",
        ),
        (
            "Click a head.",
            "It opens below, large, with the arithmetic of every cell; the sliders Layer and Head follow.",
        ),
    ],
    code=(head_scores.score_heads, head_scores.from_weights, head_scores.rank),
)
def all_heads(looked: Looked, layer: int, head: int) -> Shown:
    """The grid, the score that ranks it, and who is best."""
    if picks.has_news("heads.grid", shown_text(looked)):
        st.rerun()  # the whole page opens another head
    record = models.attention(looked.key, looked.encoded.packed)
    scores = scores_of(looked.key, looked.encoded.packed)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        by = controls.segmented("rank", "Rank the heads by", RANKS, "previous_token", labels=NAMES)
    with right:
        threshold = controls.slider("threshold", "A head gets the name from", 0.05, 1.0, 0.5, step=0.05)
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
    return Shown(numbers=lambda: _table(scores), arrays={"weights": record.weights, "ids": record.ids})


def _verdict(by: str, threshold: float, ranked: "tuple[head_scores.RankedHead, ...]", uniform: float) -> str:
    """Who is best by this score, how many reach the threshold, and what looking at everything alike would give."""
    best = ranked[0]
    if np.isnan(best.value):
        return f"**No score.** This text gives no case for it: {MEANING[by]}."
    reached = [f"layer {one.layer} head {one.head} ({one.value:.2f})" for one in ranked if one.label is not None]
    more = f" and {len(reached) - 4} more" if len(reached) > 4 else ""
    who = (
        f"**{len(reached)} of {len(ranked)}** reach {threshold:.2f} and count as “{LABELS[by]}”: "
        f"{', '.join(reached[:4])}{more}."
        if reached
        else f"**None** of the {len(ranked)} heads reaches {threshold:.2f}: no head here is a {LABELS[by]}."
    )
    chance = "" if by == "entropy" else f" A head that reads all tokens alike would get {uniform:.2f}."
    return (
        f"★ Best: **layer {best.layer}, head {best.head}** with **{best.value:.2f}**. {who} "
        f"The score is {MEANING[by]}.{chance}"
    )


def _table(scores: "HeadScores") -> dict[str, list[float]]:
    n_layer, n_head = scores.previous_token.shape
    table: dict[str, list[float]] = {
        "layer": [layer for layer in range(n_layer) for _ in range(n_head)],
        "head": list(range(n_head)) * n_layer,
    }
    return table | {NAMES[name]: getattr(scores, name).ravel().round(4).tolist() for name in head_scores.SCORES}


@exhibit(
    title="One head, cell by cell",
    look_for="one row: it is one token asking, and its weights say from which tokens it reads. They sum to 1.",
    try_this=[
        (
            "Point at a cell, then at another one in the same row.",
            "The formula below fills with that cell's own numbers: query times key, divided by the square root of the "
            "head's width, then the softmax over the row.",
        ),
        (
            "Switch to “Scores”.",
            "Scores can be negative and know no limit; only the softmax makes shares of them. Hatched cells are later "
            "tokens: a model that predicts the next token must not read them.",
        ),
        (
            "Click a row, then look at the colored text under the matrix.",
            "It is the same row, laid over the text: who this token reads from.",
        ),
    ],
    code=(attention_scores, masked_softmax, MultiHeadAttention.forward),
)
def one_head(looked: Looked, layer: int, head: int) -> Shown:
    """The matrix of one head, and one of its rows over the text."""
    record = models.attention(looked.key, looked.encoded.packed)
    tokens = looked.encoded.tokens
    content = content_key(shown_text(looked), layer, head)[:12]
    if picks.has_changed("heads.query", looked.encoded.packed):
        controls.put("query", len(tokens) - 1)
    for picture in ("heads.one", "heads.reads"):
        pick = picks.news(picture, content)
        if isinstance(pick, Mapping):
            controls.put("query", pick["row"])
            state.put("heads.cell", (content, pick["row"], pick["column"]))
        elif pick is not None:
            controls.put("query", pick)
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    with left:
        shows = controls.segmented(
            "shows", "Show", ["weights", "scores"], "weights", labels={"weights": "Weights", "scores": "Scores"}
        )
    with right:
        query = int(controls.slider("query", "Token that asks", 0, len(tokens) - 1, len(tokens) - 1, step=1))
    weights, scores = record.weights[layer, head], record.scores[layer, head]
    strongest = int(weights[query].argmax())
    shown, row, column = state.slot("heads.cell", lambda: ("", 0, 0))
    selected = (query, column if (shown, row) == (content, query) else strongest)
    map_side, text_side = layout.pair("head")
    with map_side:
        widgets.matrix(
            weights if shows == "weights" else scores,
            rows=tokens,
            columns=tokens,
            key=picks.key("heads.one", content, {"row": selected[0], "column": selected[1]}),
            kind="probability" if shows == "weights" else "signed",
            mask=record.mask,
            value_title="weight" if shows == "weights" else "score",
            operands=_operands(record, layer, head) if shows == "weights" else None,
            selected=selected,
            label=f"Layer {layer}, head {head}",
        )
    with text_side:
        _who_reads(tokens, np.where(record.mask[query], weights[query], np.nan), query, content)
    return Shown(
        numbers=lambda: _cells(record, looked, layer, head),
        arrays={
            "weights": weights,
            "scores": scores,
            "q": record.q[layer, head],
            "k": record.k[layer, head],
            "v": record.v[layer, head],
        },
        formula=_with_numbers(record, layer, head, query, strongest),
    )


def _who_reads(tokens: tuple[str, ...], reads: NDArray[np.floating], query: int, content: str) -> None:
    """One row of the matrix, laid over the text; and what it does not say."""
    strongest = int(np.nanargmax(reads))
    widgets.token_row(
        tokens,
        key=picks.key("heads.reads", content, query),
        values=reads,
        kind="probability",
        value_title="weight",
        selected=query,
        title=f"Where token {query} reads from",
        takeaway=f"Token {query} {tokens[query]!r} reads most from token {strongest} {tokens[strongest]!r}, "
        f"weight {reads[strongest]:.2f}.",
    )
    st.markdown(
        f"Token {query} **{_quoted(tokens[query])}** reads most from token {strongest} "
        f"**{_quoted(tokens[strongest])}**: {reads[strongest]:.2f} of 1."
    )
    st.caption(
        "Where a head looks is not yet why the model says what it says: quite different weights can lead to the same "
        "answer (Jain and Wallace 2019; for the other side see Wiegreffe and Pinter 2019). The last two pictures of "
        "this page change the weights and show what really happens."
    )


def _operands(record: "AttentionRecord", layer: int, head: int) -> dict[str, Any]:
    """What the matrix needs to show a cell's arithmetic; the scores only where a bias was added."""
    q, k = record.q[layer, head], record.k[layer, head]
    return {
        "q": q,
        "k": k,
        "scale": record.scale,
        "scores": None if record.bias is None else record.scores[layer, head],
    }


def _with_numbers(record: "AttentionRecord", layer: int, head: int, query: int, key: int) -> str:
    """The formula of the strongest cell of the chosen row, in its own numbers."""
    dot = float(record.q[layer, head, query] @ record.k[layer, head, key])
    score, weight = float(record.scores[layer, head, query, key]), float(record.weights[layer, head, query, key])
    d_head = record.q.shape[-1]
    bias = "" if record.bias is None else f" {record.bias[head, query, key]:+.3f}"
    total = float(np.exp(record.scores[layer, head, query, : query + 1] - score).sum())
    added = "" if record.bias is None else r" + \text{bias}"
    return (
        r"\begin{aligned}"
        rf"\text{{weights}} &= \mathrm{{softmax}}\!"
        rf"\left(\frac{{q\,k^{{\top}}}}{{\sqrt{{d_\text{{head}}}}}}{added}\right) \\"
        rf"q_{{{query}}}\cdot k_{{{key}}} &= {dot:.3f} \\"
        rf"\text{{score}} &= \frac{{{dot:.3f}}}{{\sqrt{{{d_head}}}}}{bias} = {score:.3f} \\"
        rf"\text{{weight}} &= \frac{{1}}{{\sum_s e^{{\,\text{{score}}_s {-score:+.3f}}}}} "
        rf"= \frac{{1}}{{{total:.3f}}} = {weight:.4f}"
        r"\end{aligned}"
    )


def _cells(record: "AttentionRecord", looked: Looked, layer: int, head: int) -> dict[str, Any]:
    """One line for each cell that is not masked."""
    queries, keys = np.nonzero(record.mask)
    tokens = np.array(looked.encoded.tokens, dtype=object)
    return {
        "query": queries,
        "query token": tokens[queries],
        "key": keys,
        "key token": tokens[keys],
        "score": record.scores[layer, head, queries, keys],
        "weight": record.weights[layer, head, queries, keys],
    }


def _quoted(token: str) -> str:
    return f"“{escape_markdown(token.strip() or token.replace(chr(10), '↵').replace(' ', '␣'))}”"
