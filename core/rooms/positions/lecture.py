"""Sinusoidal positions with common mistakes, next to the correct version; no model uses them."""

import math
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, segmented_control, slider
from core.inspect import position_properties
from core.inspect.position_properties import FloatArray, PositionVectorProperties
from core.nn.positions import sinusoidal
from core.rooms.positions.inputs import format_small, round_to_even

LABELS = module_labels(__name__)

SHIFT = 5


def lecture_table(n_position: int, d_model: int) -> Float[Tensor, "T D"]:
    """Return sines and cosines as often coded, WRONG: a pair's cosine does not get the frequency of its sine.

    The exponent of the cosine in column j is j / d_model; correct is (j - 1) / d_model, as in the sine of its pair. So
    the two numbers of a pair are no longer the hands of one clock.

    The width must be even: with an odd width this code fails with a shape error.
    """
    position = torch.arange(0, n_position, dtype=torch.float64).unsqueeze(1)
    div_term_0 = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    div_term_1 = torch.exp(torch.arange(1, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(n_position, d_model, dtype=torch.float64)
    pe[:, 0::2] = torch.sin(position * div_term_0)
    pe[:, 1::2] = torch.cos(position * div_term_1)  # the mistake: div_term_0 is correct here, too
    return pe


def formula_without_brackets(n_position: int, d_model: int) -> Float[Tensor, "T D"]:
    """Compute the formula as often printed, WRONG: 10000^{j-1/r} means j - (1/r); (j - 1)/r was intended."""
    i = torch.arange(n_position, dtype=torch.float64)[:, None]
    j = torch.arange(d_model, dtype=torch.float64)
    sine = torch.sin(i / 10000.0 ** (j / d_model))
    cosine = torch.cos(i / 10000.0 ** (j - 1 / d_model))
    return torch.where(j % 2 == 0, sine, cosine)


VERSIONS = {"code": lecture_table, "formula": formula_without_brackets}
NAMES = {"code": LABELS["version.code"], "formula": LABELS["version.formula"]}
CODE = (lecture_table, formula_without_brackets, sinusoidal, position_properties.measure_position_properties)
WARM_UP = True


class Inputs(Base, prefix="lecture_"):
    width: int = slider(4, 128, 8, step=4)
    n_position: int = slider(16, 96, 64, step=8, name="lecture_positions")
    version: str = segmented_control(NAMES, "code")
    drawn: str = segmented_control(("tables", "products"), "tables")


class PromiseComparison(Result):
    """The correct table of positions and a wrong one, (T, D), with the three properties of each."""

    right: PositionVectorProperties
    wrong: PositionVectorProperties
    error: float  # largest error of a single number

    def table(self) -> Table:
        """Return one row per position or distance: lengths and products."""
        right, wrong = self.right, self.wrong
        return {
            LABELS["table.position_or_distance"]: np.arange(len(right.spread)),
            LABELS["table.squared_length_right"]: right.squared_norm,
            LABELS["table.squared_length_wrong"]: wrong.squared_norm,
            LABELS["table.spread_products_at_this_distance_right"]: right.spread,
            LABELS["table.spread_products_at_this_distance_wrong"]: wrong.spread,
        }


def compute(inputs: Inputs) -> PromiseComparison:
    """Measure the three properties of both; the fit gets four positions for each number of a vector."""
    width, wrong = round_to_even(inputs.width), VERSIONS[inputs.version]
    right = lambda n, d: sinusoidal(n, d, dtype=torch.float64)  # noqa: E731
    kept, broken = (
        position_properties.measure_position_properties(
            make(inputs.n_position, width), make(4 * width + SHIFT, width), SHIFT
        )
        for make in (right, wrong)
    )
    return PromiseComparison(right=kept, wrong=broken, error=float(np.abs(kept.vectors - broken.vectors).max()))


def draw(result: PromiseComparison, inputs: Inputs) -> None:
    """Draw three measured properties, both tables and their difference."""
    name, cells = NAMES[inputs.version], [*zip(_cells(result.right), _cells(result.wrong), strict=True)]
    ui.show_text_section("promises", version_name=name, cells=cells)
    if inputs.drawn == "tables":
        _draw(result.right.vectors.T, result.wrong.vectors.T, name, inputs.drawn)
    else:
        _draw(result.right.products, result.wrong.products, name, inputs.drawn)


def _cells(found: PositionVectorProperties) -> tuple[str, ...]:
    low, high = found.squared_norm.min(), found.squared_norm.max()
    length = f"{low:.2f}" if high - low < 1e-6 else f"{low:.2f} … {high:.2f}"
    return length, *(
        f"{one:.2f}" if one >= 0.005 else format_small(one, 1) for one in (found.spread.max(), found.misfit)
    )


def _draw(right: FloatArray, wrong: FloatArray, name: str, drawn: str) -> None:
    """Draw the correct table, the wrong one and their difference, each with a fixed color range."""
    n_row, n_column = right.shape
    limit = 1.0 if drawn == "tables" else float(max(np.abs(right).max(), np.abs(wrong).max()))
    difference = wrong - right
    pictures = ((LABELS["right"], right, limit), (name, wrong, limit), (LABELS["difference"], difference, 2 * limit))
    n_drawn = 3 if ui.depth_at_least("numbers") else 2
    places: tuple[AbstractContextManager[object], ...] = (*ui.two_columns("lecture-drawn", alike=True), nullcontext())
    for (title, values, most), place in zip(pictures[:n_drawn], places, strict=False):
        with place:
            ui.matrix(
                values,
                rows=[str(i) for i in range(n_row)],
                columns=[str(i) for i in range(n_column)],
                key=f"lecture-{values is right}-{values is difference}",
                kind="signed",
                limits=(-most, most),
                row_title=LABELS["number"] if drawn == "tables" else LABELS["position"],
                column_title=LABELS["position"],
                value_title=LABELS["value"],
                label=title,
                height=330,
            )
