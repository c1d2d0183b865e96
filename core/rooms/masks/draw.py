"""Draw a mask yourself: what reaches which position through several layers, and how the model behaves under it."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, ViewChoice, content_key, text_input, toggle
from core.inspect.attention_record import as_batch, has_token_independent_rounding, max_change_per_position
from core.inspect.block_differences import describe_windows
from core.inspect.model_inputs.model_and_text import is_large_model
from core.inspect.tap_lines import find_source_line
from core.nn import masks
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import masks as masked
from core.rooms.masks.compute.masks import MaskedHeads, cell_table, run_with_mask
from core.rooms.masks.inputs import MaskHeadInputs

LABELS = module_labels(__name__)

UNREACHABLE = -1


def receptive_field(mask: NDArray[np.bool_], n_layer: int, residual: bool = True) -> NDArray[np.bool_]:
    """Return which positions can influence which after some layers: (M or I) to the power of L, in booleans.

    One layer brings to query t the contents of the keys in its row. With a residual path a position also keeps its own.

    Args:
        mask: (T, T) True where query t may attend to key s, the same in each layer.
        n_layer: number of layers, at least 0.

    Returns:
        (T, T) True where information about token s can reach position t.

    Raises:
        ValueError: if the mask is not square or n_layer is negative.
    """
    if mask.ndim != 2 or mask.shape[0] != mask.shape[1]:
        raise ValueError(f"the mask must be square, it is {mask.shape}")
    if n_layer < 0:
        raise ValueError(f"n_layer={n_layer} must be at least 0")
    identity = np.eye(len(mask), dtype=bool)
    one_layer = mask | identity if residual else mask
    reached = identity
    for _ in range(n_layer):
        reached = one_layer @ reached  # for booleans, @ is "or" of "and"s
    return reached


def layers_needed(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many layers with a residual path information about token s needs to reach position t.

    Args:
        mask: (T, T) True where query t may attend to key s.

    Returns:
        (T, T) 0 on the diagonal, `UNREACHABLE` if no number of layers is enough.
    """
    needed = np.where(np.eye(len(mask), dtype=bool), 0, UNREACHABLE)
    reached = receptive_field(mask, 0)
    for n_layer in range(1, len(mask)):  # a path visits each position once at most
        wider = reached | (mask @ reached)
        if (wider == reached).all():
            break
        needed[wider & ~reached] = n_layer
        reached = wider
    return needed


def measure_receptive_field(model: nn.Module, ids: Sequence[int], mask: Bool[Tensor, "T T"]) -> NDArray[np.float64]:
    """Measure what really arrives: replace one token after the other, and see which outputs of the last layer change.

    Each text runs by itself. The same shapes then give the same sums in the same order, so that an output which the
    replaced token cannot reach does not change by a single bit; with experts, see `core.inspect.attention_record`.

    Args:
        mask: True where query t may attend to key s.

    Returns:
        (T, T) largest change of the outputs at position t when token s is replaced with a different one.
    """
    batch = as_batch(model, ids)
    n_token, vocab_size = batch.shape[1], int(model.config.vocab_size)  # type: ignore[union-attr, arg-type]
    before = run_with_mask(model, batch, mask)["final"][0]
    changes = np.zeros((n_token, n_token))
    for s in range(n_token):
        changed = batch.clone()
        changed[0, s] = (changed[0, s] + 1 + (vocab_size - 1) // 2) % vocab_size  # always a different one
        after = run_with_mask(model, changed, mask)["final"][0]
        changes[:, s] = max_change_per_position(model, after, before).double().cpu().numpy()
    return changes


class DrawnMaskResult(Result):
    """A hand-drawn mask, its predicted reach, and the measured one."""

    head: MaskedHeads  # all heads under the mask
    n_layer_drawn: int  # the number of layers for which the editor shows the reach
    n_layer: int  # of the model
    needed: NDArray[np.int64]  # (T, T) of `layers_needed`
    expected: NDArray[np.bool_]  # (T, T) True where token s can have an effect at position t of the last layer
    changes: NDArray[np.float64] | None  # (T, T) of `measure_receptive_field`; None if nothing was measured
    moved: NDArray[np.bool_]  # (T, T) True where a change was measured
    n_agree: int  # pairs for which prediction and measurement agree

    @property
    def formula(self) -> str:
        """The number of open cells in the mask and in its power."""
        mask, n_layer = self.head.mask, self.n_layer_drawn
        n_open = int((mask | np.eye(len(mask), dtype=bool)).sum())
        n_reached = int(receptive_field(mask, n_layer).sum())
        cells = LABELS("formula.open", n_open=n_open)
        reached = LABELS("formula.reached", n_reached=n_reached, n_cell=mask.size)
        return rf"M \lor I:\ {cells} \qquad (M \lor I)^{{{n_layer}}}:\ {reached}"

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        head = self.head
        found = {"mask": head.mask, "weights": head.weights, "scores": head.scores}
        return found | {"layers_needed": self.needed} | ({} if self.changes is None else {"changes": self.changes})

    def table(self) -> Table:
        needed, tokens = self.needed, self.head.rows
        measured = {} if self.changes is None else {"measured_change_of_the_output": self.changes}
        takes = np.where(needed == UNREACHABLE, np.nan, needed)
        return cell_table(tokens, tokens, may_attend=self.head.mask, layers_needed=takes, **measured)


MAX_LAYERS = 8  # enough for a window of 4 to reach all tokens
_ADDRESS = re.compile(r"(\d{1,2})\.(\d{1,2})\.([0-9a-f]{1,144})")


class DrawnMask(NamedTuple):
    """A mask drawn by hand."""

    mask: NDArray[np.bool_]  # (T, T) True where the row's token may read the column's
    n_layer: int  # the number of layers for which its reach is shown


def mask_to_hex(mask: NDArray[np.bool_]) -> str:
    """Encode the cells as hexadecimal digits, row by row, four cells a digit, each row padded with zeros."""
    padded = np.pad(mask, ((0, 0), (0, -mask.shape[1] % 4)))
    digits = padded.reshape(-1, 4) @ np.array([8, 4, 2, 1])
    return "".join(f"{digit:x}" for digit in digits)


def _mask_from_hex(text: str, n_token: int) -> NDArray[np.bool_]:
    """Decode the text that `mask_to_hex` wrote.

    Raises:
        ValueError: if it is not the text of a mask for n_token tokens.
    """
    n_digit = -(-n_token // 4)
    if re.fullmatch(f"[0-9a-f]{{{n_token * n_digit}}}", text) is None:
        raise ValueError(LABELS("refused.digits", n_token=n_token, n_digit=n_token * n_digit))
    bits = np.array([[int(digit, 16) >> place & 1 for place in (3, 2, 1, 0)] for digit in text], dtype=bool)
    rows = bits.reshape(n_token, 4 * n_digit)
    if rows[:, n_token:].any():
        raise ValueError(LABELS("refused.cells", n_token=n_token))
    return rows[:, :n_token].copy()


def mask_to_address(drawn: DrawnMask) -> str:
    """Encode the mask as one short word for the address: layers, tokens, cells."""
    return f"{drawn.n_layer}.{len(drawn.mask)}.{mask_to_hex(drawn.mask)}"


def mask_from_address(text: str, n_token: int) -> DrawnMask:
    """Decode the text that `mask_to_address` wrote.

    Raises:
        ValueError: if it is not a mask, or one for a different number of tokens; the message is for the user.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise ValueError(LABELS["refused.form"])
    n_layer, n_drawn = int(found[1]), int(found[2])
    if n_drawn != n_token:
        raise ValueError(LABELS("refused.length", n_drawn=n_drawn, n_token=n_token))
    if not 1 <= n_layer <= MAX_LAYERS:
        raise ValueError(LABELS("refused.layers", n_layer=n_layer, most=MAX_LAYERS))
    try:
        return DrawnMask(_mask_from_hex(found[3], n_token), n_layer)
    except ValueError as refused:
        raise ValueError(LABELS("refused.mask", refused=refused)) from None


INITIAL_WINDOW = 3  # the initial mask: short enough that each further layer adds something
CODE = (receptive_field, layers_needed, measure_receptive_field, masked.run_with_mask, masked_softmax)


def _initial_mask(given: Any) -> str:
    """Return the initial mask, as in an address."""
    mask = masks.sliding_window(given.n_token, INITIAL_WINDOW).numpy()
    return mask_to_address(DrawnMask(mask, min(MAX_LAYERS, int(given.config.n_layer))))


class Inputs(MaskHeadInputs):
    """The drawing, and whether the prediction is checked on the model, which reads the text again for each token."""

    drawn: str = text_input(
        lambda i: _initial_mask(i.given),
        max_chars=200,
        view=ViewChoice(scope=lambda i: str(i.given.n_token), is_drawn=False),
    )
    measure: bool = toggle(
        lambda i: not is_large_model(i.given.key),
        name="draw_measure",
        when=lambda i: is_large_model(i.given.key),
    )


def _parse_mask(inputs: Inputs) -> tuple[DrawnMask, str]:
    """Return the mask, and a message that says why it is not the one in the link; "" if it is."""
    n_token = inputs.given.n_token
    try:
        return mask_from_address(inputs.drawn, n_token), ""
    except ValueError as refused:
        told = LABELS("refused", refused=refused, window=INITIAL_WINDOW)
        return mask_from_address(_initial_mask(inputs.given), n_token), told


def compute(inputs: Inputs) -> DrawnMaskResult:
    """Run one head of the model under the drawn mask in every layer, and measure what changes in its last layer."""
    given, (drawn, _) = inputs.given, _parse_mask(inputs)
    mask, n_layer = torch.from_numpy(drawn.mask), int(given.config.n_layer)
    expected = receptive_field(drawn.mask, n_layer, bool(given.config.block.residual))
    changes = measure_receptive_field(given.model, given.ids, mask) if inputs.measure else None
    moved = np.zeros_like(expected) if changes is None else changes > 0
    return DrawnMaskResult(
        head=masked.heads_with_mask(given.model, given.ids, mask, inputs.layer, inputs.head, given.tokens),
        n_layer_drawn=drawn.n_layer,
        n_layer=n_layer,
        needed=layers_needed(drawn.mask),
        expected=expected,
        changes=changes,
        moved=moved,
        n_agree=int((expected == moved).sum()),
    )


def _mask_effects(result: DrawnMaskResult) -> dict[str, object]:
    """Return all results of the mask; `assets/widgets/computed/under_mask.js` computes the same in the browser."""
    head, agree = result.head, result.n_agree
    row = int(np.flatnonzero(~head.mask.any(-1))[0]) if head.n_empty else 0
    told = {
        "is_edited": False,
        "weights": head.weights,
        "open": head.mask,
        "blank": "empty" if head.n_empty else "",
        "n_empty": head.n_empty,
        "row": row,
        "word": head.rows[row].strip() if head.n_empty else "",
        "total": float(head.weights[row].sum()) if head.n_empty else 0,
    }
    if result.changes is None:
        return told | {"rule": ""}
    is_lost = agree < result.expected.size and bool((result.moved <= result.expected).all())
    return told | {
        "rule": "rounded" if is_lost else "rule",
        "n_moved": int(result.moved.sum()),
        "n_expected": int(result.expected.sum()),
        "n_agree": agree,
        "changes": result.changes,
        "moved": result.moved,
        "most": max(float(result.changes.max()), 1e-9),
    }


def draw(result: DrawnMaskResult, inputs: Inputs) -> None:
    """Draw the editor, then the model under the drawn mask."""
    given, tokens, label = inputs.given, inputs.given.tokens, LABELS["editor"]
    if why := _parse_mask(inputs)[1]:
        ui.st.warning(ui.escape_markdown(why))
    ui.mount_widget(
        "mask_editor",
        key="draw.mask",
        rows=tokens,
        drawn=inputs.drawn,
        first=_initial_mask(given),
        max_layers=MAX_LAYERS,
        label=label,
        takeaway=LABELS("takeaway", n=len(tokens)),
        click_sets={"drawn": inputs.drawn},
    )
    effect = ui.compute_in_browser(
        "under_mask",
        ui.offer_weights(given.key),
        _mask_effects(result),
        drawn=ui.choice_ref(inputs.drawn),
        layer=ui.choice_ref(inputs.layer),
        head=ui.choice_ref(inputs.head),
        first=_initial_mask(given),
        known=str(inputs.drawn),
        measure=inputs.measure,
        ids=[*map(int, given.ids)],
        tokens=tokens,
    )
    _say(result, inputs, effect)
    if not ui.depth_at_least("numbers"):
        return
    left, right = ui.two_columns("draw")
    with left:
        _weights(result, inputs, effect)
    if result.changes is not None:
        with right:
            _changes(result.changes, inputs, effect)


def _say(result: DrawnMaskResult, inputs: Inputs, effect: Mapping[str, object]) -> None:
    if windows := describe_windows(inputs.given.config):
        ui.show_text_section("window", windows=windows)
    if result.changes is not None:
        counts = {name: effect[name] for name in ("n_moved", "n_expected", "n_agree")}
        ui.show_text_section(ui.with_possible_section_names(effect["rule"], "rule", "rounded"), **counts)
        if not has_token_independent_rounding(inputs.given.model):
            ui.show_text_section("rounding")
    empty = {name: effect[name] for name in ("n_empty", "row", "word", "total")}
    plain = float(torch.full((len(result.head.rows),), -torch.inf).softmax(-1)[0])
    ui.show_text_section(ui.with_possible_section_names(effect["blank"], "empty", ""), plain=plain, **empty)


def _weights(result: DrawnMaskResult, inputs: Inputs, effect: Mapping[str, Any]) -> None:
    given, mask, at = inputs.given, result.head.mask, (inputs.layer, inputs.head)
    ui.matrix(
        ui.select_by_choice(result.head.all_weights, *at),
        rows=given.tokens,
        columns=given.tokens,
        height=380,
        key=f"draw.weights:{content_key(*given.tokens)[:12]}",
        mask=mask,
        edited=ui.EditedMatrix(effect["is_edited"], effect["weights"], effect["open"], why_unchecked=""),
        label=ui.for_each_option(lambda layer, head: LABELS("weights", layer=layer, head=head), *at),
        badge=ui.for_each_option(
            partial(ui.badges.custom_mask_attention_badge, given.key, given.ids, mask, "weights"), *at
        ),
    )


def _changes(changes: NDArray[np.float64], inputs: Inputs, effect: Mapping[str, Any]) -> None:
    """Draw the measurement; it reads the text again for each replaced token, which no second pass does."""
    given, why_not = inputs.given, ui.section_text("measured")
    made = ui.badges.TensorDerivation(
        find_source_line(measure_receptive_field, "changes[:, s] ="), why_unchecked=why_not
    )
    at = (given.key, given.encoded.ids_key)
    ui.matrix(
        changes,
        rows=given.tokens,
        columns=given.tokens,
        height=380,
        key=f"draw.changes:{content_key(*given.tokens)[:12]}",
        kind="value",
        mask=changes > 0,
        edited=ui.EditedMatrix(
            effect["is_edited"], effect["changes"], effect["moved"], effect["most"], why_unchecked=why_not
        ),
        row_title=LABELS["output"],
        column_title=LABELS["replaced"],
        value_title=LABELS["change"],
        limits=(0.0, max(float(changes.max()), 1e-9)),
        label=LABELS["changes"],
        badge=ui.badges.model_tensor_badge(*at, "measured_reach", ("row", "column"), changes, derived=made),
    )
