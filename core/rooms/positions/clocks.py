"""Sinusoidal positions: the vector of a position as clock hands."""

from typing import Any

import torch

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, selection_in_picture, slider
from core.inspect import position_properties
from core.inspect.position_properties import FloatArray
from core.nn.positions import sinusoidal
from core.rooms.positions.inputs import PlaceMap, format_places, parse_places, round_to_even

LABELS = module_labels(__name__)

MOST_WIDTH = 64  # 32 clocks: more hands than this cannot be read
CODE = (sinusoidal,)
WARM_UP = True


def parse_clock_place(given: "Inputs", n_position: int, width: int) -> PlaceMap | None:
    """Return the position, distance and pair from a browser or a link, or None if they are out of range."""
    found = parse_places(given, position=n_position, distance=n_position, pair=width // 2)
    return found if found and found["position"] + found["distance"] < n_position else None


def _where(given: Any, inputs: Any) -> PlaceMap | None:
    return parse_clock_place(given, inputs.n_position, round_to_even(inputs.width))


def _check(text: str, inputs: "Inputs") -> None:
    if _where(text, inputs) is None:
        raise ValueError(LABELS["no_such_position"])


class Inputs(Base, prefix="clock_"):
    width: int = slider(4, MOST_WIDTH, 16, step=2)
    n_position: int = slider(8, 128, 64, step=8, name="clock_positions")
    at: str = selection_in_picture(
        "clock", "5.0.0", text=lambda sent, i: format_places(_where(sent, i)), check=_check, name="clock"
    )


class ClockRecord(Result):
    """Sinusoidal positions."""

    vectors: FloatArray  # (T, D) float64
    frequencies: FloatArray  # (D/2,) radians per position
    at: PlaceMap  # selected position, distance and pair
    formula: str  # for this position and pair

    def table(self) -> Table:
        """Return one row per position and one column per dimension."""
        return {LABELS["table.position"]: range(len(self.vectors))} | {
            str(j): column for j, column in enumerate(self.vectors.T)
        }


def compute(inputs: Inputs) -> ClockRecord:
    """Compute the table in double precision."""
    width, at = round_to_even(inputs.width), _where(inputs.at, inputs)
    assert at is not None, "it was checked"
    vectors = sinusoidal(inputs.n_position, width, dtype=torch.float64).numpy()
    p, i = at["position"], at["pair"]
    angle = rf"\frac{{{p}}}{{10000^{{{2 * i}/{width}}}}}"
    formula = (
        rf"\begin{{aligned}} \sin\!\left({angle}\right) &= {vectors[p, 2 * i]:.4f} \\[1ex]"
        rf"\cos\!\left({angle}\right) &= {vectors[p, 2 * i + 1]:.4f} \end{{aligned}}"
    )
    return ClockRecord(
        vectors=vectors, frequencies=position_properties.sinusoidal_frequencies(width), at=at, formula=formula
    )


def draw(result: ClockRecord, inputs: Inputs) -> None:
    """Draw the clocks, the curves and the heat map, linked in the browser."""
    n_position, width = result.vectors.shape
    ui.mount_widget(
        "clock",
        key=ui.picks.picture_widget_key("clock", ""),
        state=("pick",),
        table=result.vectors,
        n_position=n_position,
        width=width,
        frequencies=result.frequencies.tolist(),
        at=result.at,
        label=LABELS("clocks", n_position=n_position, width=width),
        takeaway=LABELS("clocks_takeaway", n=width // 2, n_position=n_position),
    )
