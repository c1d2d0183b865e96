"""Attention rollout and its limits: compared with hiding the same tokens from the model one by one."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, Result, Table, ViewChoice, memoize, segmented_control, slider, toggle
from core.inspect import rollout as rolling
from core.inspect.attention_record import AttentionRecord
from core.inspect.model_inputs.model_and_text import (
    ModelAndText,
    load_text_model,
    model_prediction_kind,
    model_vocabulary,
    parse_ids_key,
    text_attention,
)
from core.inspect.model_inputs.model_key import ModelKey
from core.inspect.rollout import MATRIX_NAMES, OcclusionRecord
from core.inspect.tap_lines import find_source_line
from core.rooms.heads.inputs import HeadsInputs, text_key

LABELS = module_labels(__name__)

# Hiding each of 64 tokens takes a model of this size about half a second; larger ones are measured only on request.
MAX_UNASKED_PARAMETERS = 1_000_000  # parameters
CODE = (rolling.rollout, rolling.occlude_tokens, rolling.rank_correlation)

GUESS_NAMES = {"rollout": LABELS["guess.rollout"], "last": LABELS["guess.last"], "nearest": LABELS["guess.nearest"]}


@memoize(MAX_TRACES)
def _cached_occlusion(key: ModelKey, ids_key: str) -> OcclusionRecord:
    """Return the change of the model's predictions when each token is hidden."""
    return rolling.occlude_tokens(
        load_text_model(key).model, parse_ids_key(ids_key), text_attention(key, ids_key).reach
    )


def _is_next(inputs: "Inputs") -> bool:
    return model_prediction_kind(inputs.given.key) == "next"


def _is_small(inputs: "Inputs") -> bool:
    return (
        sum(parameter.numel() for parameter in load_text_model(inputs.given.key).model.parameters())
        <= MAX_UNASKED_PARAMETERS
    )


def _first_row(inputs: "Inputs") -> int:
    """Return the token whose prediction depends most on an earlier one, if that is cheap to compute, else the last."""
    given: ModelAndText = inputs.given
    is_cheap = _is_small(inputs) and _is_next(inputs)
    change = (
        np.abs(np.nan_to_num(_cached_occlusion(given.key, given.encoded.ids_key).change))
        if is_cheap
        else np.zeros((1, 1))
    )
    return int(change.max(-1).argmax()) if change.any() else given.n_token - 1


class Inputs(HeadsInputs, prefix="rollout_"):
    share: float = slider(0.0, 1.0, rolling.DEFAULT_RESIDUAL, step=0.05)
    row: int = slider(
        0,
        lambda i: i.given.n_token - 1,
        _first_row,
        view=ViewChoice(scope=text_key),
        label=lambda i: LABELS["row_predicts" if _is_next(i) else "row_reads"],
    )
    measure: bool = toggle(
        lambda i: _is_next(i) and _is_small(i),
        when=lambda i: _is_next(i) and not _is_small(i),
    )
    shows: str = segmented_control(
        lambda i: [name for name in MATRIX_NAMES if i.measure or name != "hidden"],
        "rollout",
        labels=MATRIX_NAMES,
    )


class RolloutComparison(Result):
    """Two pictures of attention, and a measurement to compare them with."""

    tokens: tuple[str, ...]  # (T,)
    layers: NDArray[np.float64]  # (L, T, T) rollout after each layer
    last: NDArray[np.float64]  # (T, T) the last layer alone
    hidden: OcclusionRecord | None  # the changes caused by hiding each token, if they were measured
    share: float  # the residual share of rollout: the fraction of each token that stays in place
    row: int
    is_next: bool  # True if the model predicts the next token, so that the effect of hiding one can be measured

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the matrices (T, T), by their names in `MATRIX_NAMES`."""
        arrays = {"rollout": self.layers[-1], "last": self.last}
        return arrays if self.hidden is None else arrays | {"hidden": self.hidden.change}

    def table(self) -> Table:
        return rolling.rollout_row_table(self.tokens, self.row, **self.arrays())

    @property
    def formula(self) -> str:
        """The rollout of the row's strongest other token in numbers, with the largest term of the sum."""
        layers, row, share, is_row = self.layers, self.row, self.share, np.arange(len(self.tokens)) == self.row
        n_layer, key = len(layers), int(np.where(is_row & ~is_row.all(), -1, layers[-1][row]).argmax())
        before = layers[-2] if n_layer > 1 else np.eye(len(is_row))
        mixed = (1 - share) * self.last[row] + share * is_row
        middle, rollout = int((mixed * before[:, key]).argmax()), LABELS["formula.rollout"]
        return (
            r"\begin{aligned}"
            rf"A_{{{n_layer}}}[{row},{middle}] &= {1 - share:.2f}\cdot {self.last[row, middle]:.3f} "
            rf"+ {share * is_row[middle]:.2f} = {mixed[middle]:.3f} \\"
            rf"\text{{{rollout}}}[{row},{key}] &= \textstyle\sum_u A_{{{n_layer}}}[{row},u]\; "
            rf"R_{{{n_layer - 1}}}[u,{key}] \\"
            rf"&= {mixed[middle]:.3f}\cdot {before[middle, key]:.3f} + \dots = {layers[-1][row, key]:.3f}"
            r"\end{aligned}"
        )


def compute(inputs: Inputs) -> RolloutComparison:
    """Compute the product of all layers, the last layer alone, and the effect of hiding each token from all others."""
    given, weights = inputs.given, inputs.given.attention.weights
    return RolloutComparison(
        tokens=given.tokens,
        layers=rolling.rollout(weights, inputs.share),
        last=rolling.mean_last_layer_attention(weights),
        hidden=_cached_occlusion(given.key, given.encoded.ids_key) if inputs.measure else None,
        share=inputs.share,
        row=inputs.row,
        is_next=_is_next(inputs),
    )


def draw(result: RolloutComparison, inputs: Inputs) -> None:
    """Draw rollout, the last layer and the measurement, as a matrix and over the text."""
    tokens, name, arrays = result.tokens, inputs.shows, result.arrays()
    values, strongest = arrays[name], np.nan_to_num(arrays[name], nan=-1.0).argmax(-1)
    scales = {one: _scale(one, matrix) for one, matrix in arrays.items()}
    picture, texts = ui.two_columns("rollout")
    with picture:
        ui.matrix(
            values,
            rows=tokens,
            columns=tokens,
            key="heads.rollout",
            mask=_mask(name, inputs.given.attention),
            row_title=LABELS["row_title"] if name == "hidden" else LABELS["query_title"],
            column_title=LABELS["hidden_title"] if name == "hidden" else LABELS["key_title"],
            selected=(inputs.row, ui.select_by_choice(strongest, inputs.row)),
            click_sets={"row": inputs.row},
            height=430,
            label=MATRIX_NAMES[name],
            badge=_badge(result, inputs),
            **scales[name],
        )
    with texts:
        for one, matrix in arrays.items():
            if one == "last" and name != "last" and not ui.depth_at_least("numbers"):
                continue
            title = ui.select_by_choice(
                [LABELS("matrix_row", matrix=MATRIX_NAMES[one], row=at) for at in range(len(tokens))], inputs.row
            )
            shown = ui.select_by_choice(matrix, inputs.row)
            ui.token_row(tokens, key=f"rollout-{one}", values=shown, selected=inputs.row, title=title, **scales[one])
    if result.hidden is not None:
        rows, right = _compare_guesses(result, result.hidden, model_vocabulary(inputs.given.key))
        ui.add_template_values(ui.select_by_choice(rows, inputs.row), right=right)


def _mask(name: str, record: AttentionRecord) -> NDArray[np.bool_] | None:
    """Return the cells that can hold something; for rollout, every cell that can be reached through all layers."""
    return {"hidden": None, "last": record.mask_of(-1)}.get(name, record.reach)


def _scale(name: str, values: NDArray[np.float64]) -> dict[str, Any]:
    """Return color options: for shares, or for changes, on a symmetric scale of at least 1 nat to keep noise pale."""
    if name != "hidden":
        return {"kind": "probability", "value_title": LABELS["share_axis"]}
    limit = max(1.0, float(np.abs(np.nan_to_num(values)).max()))
    return {
        "kind": "signed",
        "limits": (-limit, limit),
        "value_title": ui.quantity_label(LABELS["fall"], LABELS["nats"]),
    }


def _compare_guesses(
    result: RolloutComparison, found: OcclusionRecord, names: tuple[str, ...]
) -> tuple[list[dict[str, object]], dict[str, str]]:
    """Compare which token each row needs with three guesses, one of which (nearness) doesn't use the model.

    Returns:
        The facts of each row, and the number of rows in which each guess ranks the right token first.
    """
    n_row, size = len(result.tokens), np.abs(found.change)
    guesses = {
        "rollout": result.layers[-1],
        "last": result.last,
        "nearest": rolling.inverse_distance_baseline(n_row),
    }
    same = {name: rolling.occlusion_top_token_matches(guess, found) for name, guess in guesses.items()}
    mean = {name: rolling.mean_occlusion_correlation(guess, found)[0] for name, guess in guesses.items()}

    def scores(row: int) -> list[tuple[object, ...]]:
        each = ((name, rolling.rank_correlation(guess[row], size[row])) for name, guess in guesses.items())
        return [(GUESS_NAMES[name], here, mean[name], *same[name]) for name, here in each]

    is_deep = ui.depth_at_least("numbers")
    rows = [_row_facts(result, found, row, names) | {"scores": scores(row) if is_deep else []} for row in range(n_row)]
    return rows, {name: LABELS("n_of", n=right, total=of) for name, (right, of) in same.items()}


def _row_facts(
    result: RolloutComparison, found: OcclusionRecord, row: int, names: tuple[str, ...]
) -> dict[str, object]:
    """Return a row's prediction, the token that rollout ranks first for it, and the token that it needs most."""
    change, is_read = np.nan_to_num(found.change[row]), np.isfinite(found.change[row])
    shares = np.where(is_read, result.layers[-1][row], -1)
    first, needed = int(shares.argmax()), int(np.abs(change).argmax())
    return {
        "row": row,
        "expects": names[found.expected[row]],
        "before": np.exp(found.log_probability[row]),
        "can_read": is_read.any(),
        "first": first,
        "share": shares[first],
        "needed": needed,
        "fall": change[needed],
        "least": rolling.MIN_CHANGE,
    }


def _badge(result: RolloutComparison, inputs: Inputs) -> "ui.ProvenanceBadge":
    """Return the badge: rollout and the last layer follow from weights that a second pass computes; hiding doesn't."""
    n_layer, at, derived = (
        len(result.layers),
        (inputs.given.key, inputs.given.encoded.ids_key),
        ui.badges.TensorDerivation,
    )
    names = [f"blocks.{layer}.attn.weights" for layer in range(n_layer)]
    cell: tuple[Literal["row"], Literal["column"]] = ("row", "column")
    if result.hidden is not None and inputs.shows == "hidden":
        made = derived(
            find_source_line(rolling.occlude_tokens, "(own - hidden_own)"), why_unchecked=ui.section_text("second-pass")
        )
        return ui.badges.model_tensor_badge(*at, "change", cell, result.hidden.change, derived=made)
    if inputs.shows == "last":
        mean = derived(
            find_source_line(rolling.mean_last_layer_attention, ".mean(0)"), lambda taps: taps[names[-1]].mean(0)
        )
        return ui.badges.model_tensor_badge(*at, f"{names[-1]}.mean(0)", cell, result.last, derived=mean)
    whole = derived(
        find_source_line(rolling.rollout, "@ so_far"),
        lambda taps: rolling.rollout_by_rows([taps[name] for name in names], inputs.share),
        option=f"residual={inputs.share}",
    )
    return ui.badges.model_tensor_badge(*at, "rollout", (n_layer - 1, *cell), result.layers, derived=whole)
