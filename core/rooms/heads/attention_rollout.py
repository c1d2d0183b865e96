"""Attention rollout, and what its limits are: the same tokens hidden from the model one by one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect import rollout as rolling
from core.inspect.model_and_text import ModelAndText
from core.inspect.tap_lines import line_of
from core.rooms.heads.open_head import shown_text
from core.rooms.heads.rollout_words import comparison, row_in_words, with_numbers
from core.ui.controls import controls, picks
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.widgets import badges, widgets
from core.ui.widgets.badge import Badge
from core.ui.widgets.mount import index

if TYPE_CHECKING:
    from core.inspect.rollout import Hidden

# Hiding each of 64 tokens in turn takes a model of this size about half a second; a larger one is measured when asked.
AT_ONCE = 1_000_000  # parameters
ATTENTION = ("rollout", "last")
LIMITS = (
    "Rollout averages the heads, so one that matters counts no more than one that doesn't. It ignores the values (a "
    "weight of 0.9 may bring next to nothing) and the **feed-forward parts**, which work on each token separately. And "
    "the share that stays in place is set by hand: one half is the paper's convention, measured nowhere."
)


@memoize(MAX_TRACES)
def rolled(key: ModelKey, packed: str, residual: float) -> NDArray[np.float64]:
    """Rollout after each layer: (L, T, T)."""
    return rolling.rollout(models.attention(key, packed).weights, residual)


@memoize(MAX_TRACES)
def last_layer(key: ModelKey, packed: str) -> NDArray[np.float64]:
    """The mean over the heads of the last layer: (T, T)."""
    return rolling.last_layer(models.attention(key, packed).weights)


@memoize(MAX_TRACES)
def hidden(key: ModelKey, packed: str) -> "Hidden":
    """What the model predicts when each token is hidden in turn."""
    return rolling.hide_each(models.load(key).model, models.unpack(packed), models.attention(key, packed).mask)


@memoize(MAX_TRACES)
def first_row(key: ModelKey, packed: str) -> int:
    """The row to open: a token whose prediction hangs most on an earlier one, if that is cheap to know."""
    is_cheap = _is_small(key) and models.predicts(key) == "next"
    change = np.abs(np.nan_to_num(hidden(key, packed).change)) if is_cheap else np.zeros((1, 1))
    return int(change.max(-1).argmax()) if change.any() else len(models.unpack(packed)) - 1


@exhibit(
    title="Rollout: through all layers at once",
    look_for="whether the same tokens are strong in all three texts. Two are pictures of attention. The third is a "
    "measurement: each token was hidden in turn, and the model had to predict again.",
    try_this=[
        (
            "Choose a row in the middle and move the share that stays in place from 0.00 to 0.90.",
            "Another token comes first, from the same weights. Each share tells another story, and nothing in the "
            "model says which is right. The effect of hiding a token stays the same.",
        ),
        (
            "Put the share back to 0.50 and read the table: how often does each picture rank the most important token "
            "first?",
            "None is right in every row. Compare each with “Nearest token”, a guess without any model: a picture has "
            "to beat that before it explains anything.",
        ),
        (
            "On the stories model's own text, go to row 21, “Mia”, where it expects “!”.",
            "Rollout puts “looked” first, yet the model does just as well without it. What it needs is “No”.",
        ),
        (
            "On the stories model's own text, go to the last row, where the model says “Mia”. “Mia” is in the text "
            "three times.",
            "Hiding any one changes little, because the other two are still there. A measurement has limits too.",
        ),
    ],
    code=(rolling.rollout, rolling.hide_each, rolling.rank_correlation),
    formula=r"\begin{aligned}A_\ell &= (1 - r)\,\overline{W}_\ell + r\,I \\ "
    r"R_\ell &= A_\ell\, R_{\ell-1}, \quad R_0 = I, \quad \text{rollout} = R_L\end{aligned}",
)
def attention_rollout(looked: ModelAndText) -> Shown:
    """Rollout, the last layer and the measurement, as a matrix and over the text."""
    key, packed, tokens = looked.key, looked.encoded.packed, looked.encoded.tokens
    content = content_key(shown_text(looked), "rollout")[:12]
    first = first_row(key, packed)
    if picks.has_changed("rollout.text", packed):
        controls.reset("rollout_row", first)
    pick = picks.news("heads.rollout", content)
    if isinstance(pick, Mapping) and (clicked := index(pick.get("row"), len(tokens))) is not None:
        controls.put("rollout_row", clicked)
    left, right = st.columns(2, gap="medium")
    with left:
        residual = controls.slider("rollout_share", "Share that stays in place", 0.0, 1.0, rolling.RESIDUAL, step=0.05)
    with right:
        does = "predicts" if models.predicts(key) == "next" else "reads"
        row = int(controls.slider("rollout_row", f"Row: the token that {does}", 0, len(tokens) - 1, first, step=1))
    measured = _measure(looked)
    layers = rolled(key, packed, residual)
    matrices = {"rollout": layers[-1], "last": last_layer(key, packed)}
    if measured is not None:
        matrices["hidden"] = measured.change
    picture, texts = layout.pair("rollout")
    with picture:
        _matrix(looked, matrices, layers, residual, row, content)
    with texts:
        _texts(tokens, matrices, row)
    if measured is not None:
        told = row_in_words(looked, matrices, measured, row)
        st.markdown(f"{told}\n\n{comparison(matrices, measured, row)}")
    st.caption(LIMITS)
    return Shown(
        numbers=lambda: rolling.row_table(tokens, row, **matrices),
        arrays=matrices,
        formula=with_numbers(layers, matrices["last"], residual, row),
        script=lambda: _script(looked, residual, row, is_measured=measured is not None),
    )


def _script(looked: ModelAndText, residual: float, row: int, *, is_measured: bool) -> str:
    measured = "\n\n# A measurement: each token hidden from all others in turn, and the model asked again.\n"
    measured += "hidden = rollout.hide_each(model, ids, record.mask).change"
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import rollout, trace
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # Two pictures of attention: the product of all layers, and the last layer alone.
        record = trace.attention(model, ids)
        rolled = rollout.rollout(record.weights, residual=$residual)[-1]
        last = rollout.last_layer(record.weights)$measured
        print_table(rollout.row_table(tokenizer.tokens(ids), $row, rollout=rolled, last=last$given))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        residual=residual,
        row=row,
        measured=scripts.Code(measured if is_measured else ""),
        given=scripts.Code(", hidden=hidden" if is_measured else ""),
    )


def _is_small(key: ModelKey) -> bool:
    return sum(parameter.numel() for parameter in models.load(key).model.parameters()) <= AT_ONCE


def _measure(looked: ModelAndText) -> "Hidden | None":
    if models.predicts(looked.key) != "next":
        st.caption(
            "This model doesn't predict the next token, so there is no prediction to test by hiding one. You only get "
            "the pictures of attention."
        )
        return None
    if not _is_small(looked.key) and not controls.toggle(
        "rollout_measure", "Hide each token in turn and measure (some seconds with a model of this size)"
    ):
        return None
    with models.patience(looked.key, "Hiding each token in turn …"):
        return hidden(looked.key, looked.encoded.packed)


def _matrix(
    looked: ModelAndText,
    matrices: dict[str, NDArray[np.float64]],
    layers: NDArray[np.float64],
    residual: float,
    row: int,
    content: str,
) -> None:
    offered = list(rolling.NAMES) if models.predicts(looked.key) == "next" else list(ATTENTION)
    shown = controls.segmented("rollout_shows", "The whole matrix", offered, "rollout", labels=rolling.NAMES)
    shown = shown if shown in matrices else "rollout"
    values, tokens = matrices[shown], looked.encoded.tokens
    changes = shown == "hidden"
    known = np.nan_to_num(values[row], nan=-1.0)
    widgets.matrix(
        values,
        rows=tokens,
        columns=tokens,
        key=picks.key("heads.rollout", content, {"row": row, "column": int(known.argmax())}),
        kind="signed" if changes else "probability",
        limits=_limits(values) if changes else None,
        mask=None if changes else models.attention(looked.key, looked.encoded.packed).mask,
        row_title="row (predicts)" if changes else "query (reading)",
        column_title="token hidden" if changes else "key (read from)",
        value_title=depth.measured("fall", "nats") if changes else "share",
        selected=(row, int(known.argmax())),
        height=430,
        label=rolling.NAMES[shown],
        badge=_badge(looked, shown, matrices, layers, residual),
    )


def _badge(
    looked: ModelAndText,
    shown: str,
    matrices: dict[str, NDArray[np.float64]],
    layers: NDArray[np.float64],
    residual: float,
) -> Badge:
    """Rollout and the last layer are made of the weights, which a second pass knows; hiding changes the model."""
    n_layer, at = len(layers), (looked.key, looked.encoded.packed)
    if shown == "hidden":
        source = line_of(rolling.hide_each, "(own - kept)")
        told = "Here each token was hidden from the model in turn. The second pass only knows the model as it is."
        derived = badges.Derived(source, why_not=told)
        return badges.of_key(*at, "change", ("row", "column"), matrices[shown], derived=derived)
    if shown == "last":
        name = f"blocks.{n_layer - 1}.attn.weights"
        mean = badges.Derived(line_of(rolling.last_layer, ".mean(0)"), lambda taps: taps[name].mean(0))
        return badges.of_key(*at, f"{name}.mean(0)", ("row", "column"), matrices[shown], derived=mean)
    names = [f"blocks.{layer}.attn.weights" for layer in range(n_layer)]
    whole = badges.Derived(
        line_of(rolling.rollout, "@ so_far"),
        lambda taps: rolling.again([taps[name] for name in names], residual),
        option=f"residual={residual}",
    )
    return badges.of_key(*at, "rollout", (n_layer - 1, "row", "column"), layers, derived=whole)


def _texts(tokens: tuple[str, ...], matrices: dict[str, NDArray[np.float64]], row: int) -> None:
    """The chosen row laid over the text, once for each matrix."""
    for name, title in rolling.NAMES.items():
        if name not in matrices:
            continue
        values, changes = matrices[name], name == "hidden"
        widgets.token_row(
            tokens,
            key=f"rollout-{name}",
            values=values[row],
            kind="signed" if changes else "probability",
            limits=_limits(values) if changes else None,
            value_title=depth.measured("fall", "nats") if changes else "share",
            selected=row,
            title=f"{title}, row {row}",
        )


def _limits(change: NDArray[np.float64]) -> tuple[float, float]:
    """Symmetric, and not narrower than one nat: noise must not look like an effect."""
    limit = max(1.0, float(np.abs(np.nan_to_num(change)).max()))
    return -limit, limit
