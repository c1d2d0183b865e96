"""The browser widgets: pictures that answer to the pointer without asking the server.

Five functions; each draws one picture and returns what the person chose (None before that):

    pick = widgets.matrix(weights, rows=tokens, columns=tokens, key="map", label="Head 3 of layer 1")
    head = widgets.head_grid(all_weights, tokens=tokens, key="heads", scores={"previous token": scores})
    position = widgets.token_row(tokens, ids=ids, values=losses, kind="value", key="text")
    widgets.scrubber(frames, key="film", chance=math.log(vocab_size))
    settings = widgets.distribution(logits, tokens=vocabulary, key="next")

Hovering, scrubbing and sliding stay in the browser. Only a click, Enter or a released slider reruns the script.
`key` names the instance: put into it whatever makes an old choice meaningless (a hash of the text, the model),
because Streamlit keeps the choice for as long as the key lives. `label` is the title above the picture, `takeaway`
the one sentence that a screen reader gets in place of it; without one, a true sentence is computed.

The scripts are in `assets/widgets/`; each call sends one message (`core.browser.message`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.browser.linked import Along, Chosen, Computed, first, over
from core.browser.message import MOST_NAMES, as_levels, pack
from core.ui.text import plural
from core.ui.widgets.mount import index, mount, number, plain

Kind = Literal["probability", "signed", "value"]
MAX_CELLS = 256 * 256
MAX_TOKENS = 2_000
MOST_ROWS = 500  # of the table of a distribution (assets/widgets/shared/distribution.js)


class Head(TypedDict):
    """The head that was clicked."""

    layer: int
    head: int


class Settings(TypedDict):
    """How to sample: `top_k` 0 and `top_p` 1 cut nothing away; `position` is the row of the logits on show."""

    temperature: float
    top_k: int
    top_p: float
    position: int


@dataclass(frozen=True)
class Edited:
    """What a matrix shows in place of its values once somebody has changed something; all of it may be computed.

    Attributes:
        is_on: whether that is so.
        values: (T, S).
        mask: (T, S) booleans in place of the mask; None: that one stays.
        high: the end of the scale; None: that of the values.
        row: that was set by hand, so that the editor offers to undo it.
        why_not: in plain words, why no second pass can be compared with these; "" where one can, once the server knows
            what was changed.
    """

    is_on: Any
    values: Any
    mask: Any = None
    high: Any = None
    row: Any = None
    why_not: str = "These numbers follow from your edit. The second pass knows only the unedited model."

    def told(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """For the header, and the arrays."""
        arrays = {"edited": _linked(self.values, np.asarray(_plainly(self.values), np.float32))}
        if self.mask is not None:
            arrays["edited_mask"] = _linked(self.mask, np.asarray(_plainly(self.mask), np.uint8))
        return {"is_on": self.is_on, "high": self.high, "row": self.row, "why_not": self.why_not}, arrays


def matrix(
    values: Any,
    *,
    rows: Any,
    columns: Any,
    key: str,
    kind: Any = "probability",
    mask: ArrayLike | Along | None = None,
    row_title: str = "query (reading)",
    column_title: str = "key (read from)",
    value_title: Any = "weight",
    truth_title: str = "known truth",
    empty_title: str = "masked",
    operands: Any = None,
    truth: ArrayLike | None = None,
    limits: Any = None,
    selected: tuple[Any, Any] | None = None,
    edited: Edited | None = None,
    label: Any = "",
    takeaway: Any = "",
    editable: bool | tuple[str, Any] = False,
    compact: bool = False,
    height: int | None = None,
    badge: Any = None,
    chooses: Mapping[str, str | tuple[str, Sequence[Any]]] | None = None,
) -> dict[str, Any] | None:
    """Draw a matrix whose row, column, tokens and formula light up under the pointer.

    Args:
        values: (T, S), at most 256 x 256 cells. nan cells are drawn empty.
        rows, columns: T and S tokens, top to bottom and left to right; duplicates are fine.
        kind: "probability" (colors fixed to 0..1), "signed" (symmetric about 0) or "value" (lowest to highest).
        mask: (T, S) booleans, True where a cell may be read; the others are drawn hatched and read `empty_title`. It
            may run along some of the choices that the values do.
        row_title, column_title, value_title: what a row, a column and a cell are.
        operands: for attention, `q` (T, K), `k` (S, K), `scale` and, where a bias was added or a `softcap` bounds them,
            `scores` (T, S) before the softmax; `sink`, one more score in each row: the hovered cell then shows its
            formula with these numbers; none where the scale is None.
        truth: (T, S) booleans, True where the known answer lies: drawn as rings; `truth_title` says what they mark.
        limits: another fixed range for the colors, for frames or heads to be compared.
        selected: the cell marked when nothing has been clicked yet.
        edited: what is shown in place of the values where somebody has changed something.
        editable: a selected row opens a row editor. With the name of a choice of the page and what a row is of,
            ("row", "1.0"), an edit is told to that choice alone, as "1.0.3:0.5,0.5".
        compact: a thumbnail: cells alone, without labels, legend and toolbar.
        height: highest the cells may stand, in css pixels (default 620).
        badge: where the numbers are from, for a matrix that shows a model's own tensor, see `core.ui.widgets.badge`.
        chooses: the choices of the page that a click moves: {"row": "query"}, or as of `token_row`; nothing is then
            returned.

    Values, tokens, operands, badge, kind, titles and what is selected may depend on choices, see `core.browser.linked`.

    Returns:
        `{"row": t, "column": s}` after a click, else None. With `editable`, once an edit is applied, also
        `"edit": {"row": t, "weights": [S floats]}`; row and column are then None if no cell is selected.

    Raises:
        ValueError: if the shapes do not match, or there are too many cells.
    """
    along = values.names if isinstance(values, Along) else ()
    every_row, rows, every_column, columns = rows, first(rows), columns, first(columns)
    array = _matrix(values.values if isinstance(values, Along) else values, rows, columns, len(along))
    empty = ~np.isfinite(array)
    if mask is not None:
        hidden = _hidden(mask, values, array)
        empty = empty | hidden if empty.any() else hidden
    each = partial(_linked, values)
    cells, gaps = each(array), each(np.broadcast_to(empty, array.shape))
    ends = limits or over(_limits, cells, gaps, kind)
    arrays: dict[str, Any] = {"values": each(np.where(empty, 0, array).astype(np.float32))}
    if empty.any():
        gaps_sent = empty.astype(np.uint8)
        if isinstance(mask, Along) and empty.shape != array.shape:
            arrays["empty"] = replace(mask, values=gaps_sent.reshape(np.shape(mask.values)))
        else:
            arrays["empty"] = each(gaps_sent) if empty.ndim == array.ndim else gaps_sent
    if truth is not None:
        arrays["truth"] = _like(truth, array, "truth").astype(np.uint8)
    if operands is not None:
        arrays |= _operands(operands, rows, columns)
    header: dict[str, Any] = {
        "widget": "matrix",
        "rows": over(list, every_row),
        "columns": over(list, every_column),
        "kind": kind,
        "low": over(lambda both: both[0], ends),
        "high": over(lambda both: both[1], ends),
        "row_title": row_title,
        "column_title": column_title,
        "truth_title": truth_title,
        "empty_title": empty_title,
        "row_word": row_title.split(" (")[0],
        "column_word": column_title.split(" (")[0],
        "value_title": value_title,
        "operands": None
        if operands is None
        else over(_scaled, operands["scale"], operands.get("softcap"), operands.get("sink")),
        "selected": None if selected is None else list(selected),
        "editable": bool(editable),
        "edits": editable[1] if isinstance(editable, tuple) else None,
        "label": label,
        "takeaway": takeaway or over(_strongest, cells, gaps, label, every_row, every_column),
        "compact": compact,
        "height": height,
        "chooses": ({"pick": dict(chooses)} if chooses else {})
        | ({"edit": editable[0]} if isinstance(editable, tuple) else {}),
    }
    if edited is not None:
        header["edited"], more = edited.told()
        arrays |= more
    if badge is not None:
        told = over(lambda one, shown: one.message(key, shown) if one else (None, {}), badge, cells)
        header["badge"] = over(lambda both: both[0], told)
        over(lambda both: arrays.update(both[1]), told)
    state = mount("matrix", key, pack(header, arrays), pick=None, edit=None, check=None)
    shape = (len(rows), len(columns))
    pick = _cell(state.get("pick"), shape)
    edit = _edit(state.get("edit"), shape) if editable else None
    if edit is not None:
        return {**(pick or {"row": None, "column": None}), "edit": edit}
    return pick


def head_grid(
    weights: ArrayLike,
    *,
    tokens: Sequence[str],
    key: str,
    columns: Sequence[str] | None = None,
    selected: tuple[Any, Any] | None = None,
    scores: Any = None,
    best: Any = None,
    threshold: Any = None,
    off: Sequence[tuple[int, int]] = (),
    label: str = "",
    takeaway: str = "",
) -> Head | None:
    """Draw every head of every layer at once: rows are layers, columns are heads. A click opens one.

    The weights travel as one byte each (steps of 1/255): 144 heads of 64 tokens are 0.6 MB.

    Args:
        weights: (L, H, T, S) between 0 and 1; masked cells 0.
        tokens: the T tokens that ask; `columns` the S that are read, where they differ.
        selected: (layer, head) shown as open; where these are choices of the page, a click moves them.
        scores: name -> (L, H), larger is better: printed for the hovered head, and the best one gets a star.
        best: the name of the score that gives the star and the bars below the heads at first; the person can choose
            another.
        threshold: from where on a score counts: a tick on each bar.
        off: heads that are knocked out, drawn crossed out.

    Returns:
        `{"layer": l, "head": h}` of the last click, or None.

    Raises:
        ValueError: if a shape does not match or a weight is outside 0..1.
    """
    array = np.asarray(weights)
    keys = list(tokens if columns is None else columns)
    if array.ndim != 4 or array.shape[2:] != (len(tokens), len(keys)):
        raise ValueError(f"weights {array.shape} do not match (L, H, {len(tokens)}, {len(keys)})")
    levels = as_levels(array)
    n_layer, n_head = array.shape[:2]
    table = over(partial(_score_table, shape=(n_layer, n_head)), scores or {})
    is_chosen = selected is not None and isinstance(selected[0], Chosen)
    moves = (
        {"pick": dict(zip(("layer", "head"), (one.name for one in selected or ()), strict=True))} if is_chosen else None
    )
    header: dict[str, Any] = {
        "widget": "head_grid",
        "tokens": list(tokens),
        "columns": keys,
        "selected": None if selected is None else list(selected),
        "scores": table,
        "best": over(lambda name, known: name if name in known else next(iter(known), None), best, table),
        "threshold": threshold,
        "off": [list(pair) for pair in off],
        "label": label,
        "takeaway": takeaway
        or f"{label or 'Attention'}: {plural(n_layer, 'layer')} of {plural(n_head, 'head')} over "
        f"{plural(len(tokens), 'token')}.",
        "chooses": moves,
    }
    state = mount("head_grid", key, pack(header, {"weights": levels}), pick=None)
    pick = state.get("pick")
    if not isinstance(pick, Mapping):
        return None
    layer, head = index(pick.get("layer"), n_layer), index(pick.get("head"), n_head)
    return None if layer is None or head is None else {"layer": layer, "head": head}


def token_row(
    tokens: Any,
    *,
    key: str,
    ids: Sequence[int] | None = None,
    values: Any = None,
    kind: Any = "value",
    value_title: Any = "value",
    limits: Any = None,
    title: Any = "",
    details: Any = None,
    selected: Any = None,
    takeaway: Any = "",
    chooses: tuple[str, Sequence[Any]] | None = None,
    in_words: bool = False,
) -> int | None:
    """Draw a text as colored tokens that wrap like text; spaces, line ends and control characters are visible.

    Args:
        tokens: at most 2,000 strings; what they say may depend on choices of the page, as `values`, `title` and
            `selected` may.
        ids: their numbers; pointing at a number lights its token, and the other way round.
        values: one number per token (its loss, say), shown as its color with a legend; nan has no color.
        kind, limits, value_title: as in `matrix`.
        title: the heading of the picture.
        details: one line of text per token, shown under the pointer.
        selected: the position marked when nothing has been clicked yet; a choice of the page, which a click then moves.
        chooses: where the choice that a click moves is no position: its name, and its value for each token; None for
            those that mean none.
        in_words: what stands there are words and not tokens: spaces stay spaces.

    Values, kind, titles, limits and what is selected may depend on choices, see `core.browser.linked`.

    Returns:
        The position of the last click, or None.

    Raises:
        ValueError: if the lengths do not match, or there are too many tokens.
    """
    n_token = np.shape(tokens.values)[-1] if isinstance(tokens, Along) else len(_plainly(tokens))
    if n_token > MAX_TOKENS:
        raise ValueError(f"{n_token} tokens are more than the {MAX_TOKENS} that a token row shows")
    along = values.names if isinstance(values, Along) else ()
    given_values, values = values, values.values if along else _plainly(values)
    for name, given in (("ids", ids), ("values", values), ("details", _plainly(details))):
        if given is not None and np.shape(given)[len(along) if name == "values" else 0 :][:1] != (n_token,):
            raise ValueError(f"{name} has shape {np.shape(given)}, there are {n_token} tokens")
    arrays: dict[str, Any] = {}
    ends: Any = (0.0, 1.0)
    if values is not None:
        arrays["values"] = _linked(given_values, np.asarray(values, dtype=np.float32))
        ends = over(
            lambda one, which, given: given or _limits(one, ~np.isfinite(one), which), arrays["values"], kind, limits
        )
    moves: Any = list(chooses) if chooses else selected.name if isinstance(selected, Chosen) else None
    header: dict[str, Any] = {
        "widget": "token_row",
        "tokens": tokens if isinstance(tokens, Computed) else over(list, tokens),
        "ids": None if ids is None else [int(i) for i in ids],
        "kind": kind,
        "low": over(lambda both: both[0], ends),
        "high": over(lambda both: both[1], ends),
        "value_title": value_title,
        "label": title,
        "details": details if details is None or isinstance(details, Computed) else list(details),
        "selected": selected,
        "takeaway": takeaway or over(lambda one: f"{one or 'Text'}: {plural(n_token, 'token')}.", title),
        "chooses": {"pick": moves} if moves else None,
        **({"in_words": True} if in_words else {}),
    }
    state = mount("token_row", key, pack(header, arrays), pick=None)
    return index(state.get("pick"), n_token)


def scrubber(
    frames: Sequence[Mapping[str, Any]],
    *,
    key: str,
    chance: float | None = None,
    label: str = "",
    takeaway: str = "",
    head: tuple[int, int] = (0, 0),
    held_out: str = "validation",
    sample_title: str = "What it writes at this step",
    together: str = "",
) -> None:
    """Play, step and scrub through the frames of a training run; all frames are in the browser.

    Call it again with more frames while a run goes on: it stays at the newest one unless the person scrubbed away.

    Args:
        frames: in order of steps; each with `step`, `loss`, `val_loss` (or None), `sample` (text), `tokens` (of the
            probe sentence) and `attention` (L, H, T, S), uint8 or 0..1: how the last T of these tokens read the first
            S. All of one shape; without heads, the loss and the samples alone are shown.
        chance: the loss of guessing blindly, ln V, drawn as a line.
        head: the (layer, head) that is large at first.
        held_out: what `val_loss` is called, where it is the loss on a part of a task and not on text.
        sample_title: what the samples are.
        together: films of one name go to a step together.

    Raises:
        ValueError: if there are no frames or their attention has different shapes.
    """
    if not frames:
        raise ValueError("a scrubber needs at least one frame")
    attention = [np.asarray(frame["attention"]) for frame in frames]
    shapes = {a.shape for a in attention}
    if len(shapes) != 1 or attention[0].ndim != 4:
        raise ValueError(f"frames hold attention of shapes {sorted(shapes)}; one shape (L, H, T, S) is needed")
    tokens = [list(frame["tokens"]) for frame in frames]
    same = all(t == tokens[0] for t in tokens)
    header: dict[str, Any] = {
        "widget": "scrubber",
        "steps": [int(frame["step"]) for frame in frames],
        "loss": plain([number(frame.get("loss")) for frame in frames]),
        "val_loss": plain([number(frame.get("val_loss")) for frame in frames]),
        "samples": [str(frame.get("sample") or "") for frame in frames],
        "tokens": tokens[:1] if same else tokens,
        "chance": chance,
        "head": list(head),
        "held_out": held_out,
        "sample_title": sample_title,
        "together": together,
        "label": label,
        "takeaway": takeaway
        or f"{label or 'Training'}: {len(frames)} frames, steps {frames[0]['step']} to {frames[-1]['step']}.",
    }
    stacked = np.stack([as_levels(a) for a in attention])
    mount("scrubber", key, pack(header, {"attention": stacked}, compress=True))


def distribution(
    logits: Any,
    *,
    tokens: Sequence[str],
    key: str,
    context_tokens: Sequence[str] | None = None,
    temperature: Any = 1.0,
    top_k: Any = 0,
    top_p: Any = 1.0,
    position: int | None = None,
    n_shown: int = 20,
    chosen: Any = None,
    label: str = "",
    takeaway: Any = "",
) -> Settings:
    """Draw the next-token distribution with temperature, top-k and top-p that follow the finger.

    The sliders work on the logits in the browser, in the order temperature, top-k, top-p, then renormalise, with the
    rules of `core.generate.filters`. The script hears of a setting when the slider is released.

    Args:
        logits: (V,) or (T, V). With (T, V) the person can choose the position.
        tokens: the V strings of the vocabulary.
        context_tokens: the T tokens of the text, so that positions can be told apart.
        temperature, top_k, top_p, position: settings to begin with; a changed one is taken over. The first three may be
            choices of the page, which the sliders then move.
        n_shown: how many of the most probable tokens get a row.
        chosen: the id of the token that really came next, marked in its row.

    Logits, what was chosen and the takeaway may depend on choices, see `core.browser.linked`.

    Returns:
        The settings in force, always complete.

    Raises:
        ValueError: if the logits do not match the vocabulary, or a setting is out of range.
    """
    n_choice = len(logits.names) if isinstance(logits, Along) else 0
    array = np.asarray(logits.values if isinstance(logits, Along) else logits, dtype=np.float32)
    if array.ndim == n_choice + 1:
        array = array[..., None, :]
    if array.ndim != n_choice + 2 or array.shape[-1] != len(tokens):
        raise ValueError(f"logits {array.shape[n_choice:]} do not match a vocabulary of {len(tokens)}")
    n_position = array.shape[-2]
    if context_tokens is not None and len(context_tokens) != n_position:
        raise ValueError(f"{len(context_tokens)} context tokens do not match {n_position} rows of logits")
    given: Any = {
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "position": n_position - 1 if position is None else int(position),
    }
    moves = {name: one.name for name, one in given.items() if isinstance(one, Chosen)}
    if not moves and not _are_settings(given, n_position):
        raise ValueError(f"settings out of range: {given} for {n_position} positions")
    header: dict[str, Any] = {
        "widget": "distribution",
        "tokens": _named(array, tokens, n_shown),
        "context": None if context_tokens is None else list(context_tokens),
        "settings": given,
        "n_shown": n_shown,
        "chosen": chosen,
        "chooses": {"settings": moves} if moves else None,
        "label": label,
        "takeaway": takeaway or f"{label or 'Next token'}: probabilities of {plural(len(tokens), 'token')}.",
    }
    state = mount("distribution", key, pack(header, {"logits": _linked(logits, array)}), settings=None)
    return given if moves else _settings(state.get("settings"), given, n_position)


def _named(logits: NDArray[np.float32], tokens: Sequence[str], n_shown: int) -> Sequence[str] | dict[str, str]:
    """What tokens are called: all of them, or of a large vocabulary by their ids those that a row can show."""
    if len(tokens) <= MOST_NAMES:
        return list(tokens)
    rows = logits.reshape(-1, len(tokens))
    best = np.unique(np.argsort(-rows, axis=-1, kind="stable")[:, : max(n_shown, MOST_ROWS)])
    return {str(i): tokens[i] for i in best.tolist()}


def _score_table(scores: Mapping[str, ArrayLike], shape: tuple[int, int]) -> dict[str, Any]:
    for name, score in scores.items():
        if np.shape(score) != shape:
            raise ValueError(f"score {name!r} is {np.shape(score)}, the heads are {shape}")
    return {name: plain(score) for name, score in scores.items()}


def _plainly(values: Any) -> Any:
    """What the browser computes, as the server has computed it."""
    return values.instead if isinstance(values, Computed) else values


def _linked(values: Any, array: NDArray[Any]) -> Any:
    """An array that depends on the same choices as these values; along some, by its leading axes."""
    if isinstance(values, Computed):
        return replace(values, instead=array)
    return replace(values, values=array) if isinstance(values, Along) and values.names else array


def _matrix(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], n_choice: int) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape[n_choice:] != (len(rows), len(columns)):
        raise ValueError(f"values {array.shape} do not match {len(rows)} rows x {len(columns)} columns")
    if not 0 < len(rows) * len(columns) <= MAX_CELLS:
        raise ValueError(f"{len(rows) * len(columns)} cells; a matrix shows between 1 and {MAX_CELLS}")
    return array


def _like(values: ArrayLike, array: NDArray[Any], name: str) -> NDArray[Any]:
    given = np.asarray(values)
    if given.shape != array.shape[-2:]:
        raise ValueError(f"{name} {given.shape} does not match values {array.shape}")
    return given


def _hidden(mask: ArrayLike | Along, values: Any, array: NDArray[Any]) -> NDArray[np.bool_]:
    """(…, T, S) True where a cell may not be read; where the mask runs along choices, its axes stand as the values' do.

    Raises ValueError if it does not match the values.
    """
    if not isinstance(mask, Along) or not mask.names:
        return ~_like(mask.values if isinstance(mask, Along) else mask, array, "mask").astype(bool)
    names = values.names if isinstance(values, Along) else ()
    given, along = np.asarray(mask.values).astype(bool), [name for name in names if name in mask.names]
    if tuple(along) != tuple(mask.names):
        raise ValueError(f"the mask runs along {mask.names}, the values along {names}")
    sizes = dict(zip(along, given.shape, strict=False))
    hidden = ~given.reshape(*(sizes.get(name, 1) for name in names), *given.shape[len(along) :])
    if np.broadcast_shapes(hidden.shape, array.shape) != array.shape:
        raise ValueError(f"mask {given.shape} does not match values {array.shape}")
    return hidden


def _scaled(scale: float | None, softcap: float | None, sink: float | None) -> dict[str, float] | None:
    if scale is None:
        return None
    given = {"scale": scale, "softcap": softcap, "sink": sink}
    return {name: float(one) for name, one in given.items() if one is not None}


def _operands(operands: Mapping[str, Any], rows: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    given = {name: operands[name] for name in ("q", "k", "scores") if operands.get(name) is not None}
    linked = {name: one if isinstance(one, Along) else Along(one, ()) for name, one in given.items()}
    arrays = {name: np.asarray(one.values, dtype=np.float32) for name, one in linked.items()}
    shapes = {name: one.shape[len(linked[name].names) :] for name, one in arrays.items()}
    width = shapes["q"][-1]
    expected = {"q": (len(rows), width), "k": (len(columns), width), "scores": (len(rows), len(columns))}
    if any(shape != expected[name] for name, shape in shapes.items()):
        raise ValueError(f"operands {shapes} do not match {len(rows)} rows x {len(columns)} columns")
    return {name: _linked(linked[name], one) for name, one in arrays.items()}


def _limits(array: NDArray[Any], empty: NDArray[np.bool_], kind: Kind) -> tuple[float, float]:
    if kind == "probability":
        return 0.0, 1.0
    shown = array[~empty]
    if shown.size == 0:
        return (-1.0, 1.0) if kind == "signed" else (0.0, 1.0)
    if kind == "signed":
        limit = float(np.abs(shown).max()) or 1.0
        return -limit, limit
    low, high = float(shown.min()), float(shown.max())
    return (low, high) if high > low else (low, low + 1.0)


def _strongest(
    array: NDArray[Any], empty: NDArray[np.bool_], label: str, rows: Sequence[str], columns: Sequence[str]
) -> str:
    """One true sentence about the matrix, for those who do not see it."""
    shape = f"{label or 'Matrix'}: {plural(len(rows), 'row')}, {plural(len(columns), 'column')}."
    if empty.all():
        return f"{shape} All cells are masked."
    row, column = divmod(int(np.argmax(np.where(empty, -np.inf, np.abs(array)))), len(columns))
    return f"{shape} Strongest: row {row} {rows[row]!r}, column {column} {columns[column]!r}, {array[row, column]:.3f}."


def _cell(pick: Any, shape: tuple[int, ...]) -> dict[str, Any] | None:
    if not isinstance(pick, Mapping):
        return None
    row, column = index(pick.get("row"), shape[0]), index(pick.get("column"), shape[1])
    return None if row is None or column is None else {"row": row, "column": column}


def _edit(edit: Any, shape: tuple[int, ...]) -> dict[str, Any] | None:
    if not isinstance(edit, Mapping):
        return None
    row, weights = index(edit.get("row"), shape[0]), edit.get("weights")
    if row is None or not isinstance(weights, Sequence) or len(weights) != shape[1]:
        return None
    if not all(isinstance(w, int | float) and 0 <= w <= 1 for w in weights):
        return None
    return {"row": row, "weights": [float(w) for w in weights]}


def _settings(committed: Any, given: Settings, n_position: int) -> Settings:
    """What the sliders say, except where the caller has changed a setting since they said it."""
    asked = committed.get("given") if isinstance(committed, Mapping) else None
    if not isinstance(asked, Mapping):
        return given
    before: Mapping[str, Any] = given
    merged: Any = {n: committed[n] if n in committed and asked.get(n) == v else v for n, v in before.items()}
    if not _are_settings(merged, n_position):
        return given
    return {
        "temperature": float(merged["temperature"]),
        "top_k": merged["top_k"],
        "top_p": float(merged["top_p"]),
        "position": merged["position"],
    }


def _are_settings(settings: Mapping[str, Any], n_position: int) -> bool:
    numbers = all(isinstance(settings[name], int | float) for name in ("temperature", "top_p"))
    return (
        numbers
        and 0 <= settings["temperature"] <= 10
        and 0 < settings["top_p"] <= 1
        and isinstance(settings["top_k"], int)
        and settings["top_k"] >= 0
        and index(settings["position"], n_position) is not None
    )
