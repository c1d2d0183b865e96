"""The nonlinearities: GELU (exact and two approximations), ReLU, squared ReLU and SiLU."""

import math

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, multi_select, slider
from core.nn.feed_forward import gelu, gelu_tanh, quick_gelu, relu, relu2, silu

FUNCTIONS = {
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "quick_gelu": quick_gelu,
    "relu": relu,
    "relu2": relu2,
    "silu": silu,
}
LABELS = module_labels(__name__)
X_LIMIT, N_POINT = 6.0, 121
CODE = tuple(FUNCTIONS.values())


class Inputs(Base, prefix="bend_"):
    names: tuple[str, ...] = multi_select(tuple(FUNCTIONS), ("gelu", "gelu_tanh", "relu"), name="bend")
    x: float = slider(-X_LIMIT, X_LIMIT, 1.0, step=0.1)


class Curves(Result):
    """All functions at evenly spaced points.

    Source: Hendrycks and Gimpel 2016 (1606.08415), section 2.
    """

    places: NDArray[np.float64]  # (P,) from -6 to 6
    curves: dict[str, NDArray[np.float64]]  # name -> (P,)
    here: dict[str, float]  # name -> the value at x
    gap: float  # gap, gap_at: the largest difference between the two GELUs, and the x >= 0 where it occurs
    gap_at: float
    formula: str  # GELU(x) as x times a share

    def table(self) -> dict[str, NDArray[np.float64]]:
        """Return one column for each function."""
        return {"x": self.places, **{LABELS[f"names.{name}"]: values for name, values in self.curves.items()}}


def compute(inputs: Inputs) -> Curves:
    """Evaluate every function from -6 to 6, and find where the exact GELU and its tanh approximation differ most."""
    x = torch.linspace(-X_LIMIT, X_LIMIT, N_POINT, dtype=torch.float64)
    curves = {name: function(x).numpy() for name, function in FUNCTIONS.items()}
    place = round((inputs.x + X_LIMIT) / (2 * X_LIMIT) * (N_POINT - 1))
    here = {name: float(values[place]) for name, values in curves.items()}
    fine = torch.linspace(0, X_LIMIT, 120_001, dtype=torch.float64)
    gap, at = (gelu(fine) - gelu_tanh(fine)).abs().max(0)
    share = 0.5 * (1 + math.erf(inputs.x / math.sqrt(2)))
    return Curves(
        places=x.numpy(),
        curves=curves,
        here=here,
        gap=float(gap),
        gap_at=float(fine[at]),
        formula=rf"\mathrm{{GELU}}({inputs.x:.1f}) = {inputs.x:.1f} \cdot {share:.4f} = {here['gelu']:.5f}",
    )


def draw(result: Curves, inputs: Inputs) -> None:
    """Draw the curves, and the difference between the two GELUs."""
    left, right = ui.two_columns("bends")
    with left:
        ui.show_markdown(LABELS["functions"])
        if inputs.names:
            ui.curves(
                {LABELS[f"names.{name}"]: (result.places, result.curves[name]) for name in inputs.names},
                x="x",
                y=ui.Axis("f(x)", (-1.0, 6.0)),
                at=inputs.x,
                looks={LABELS[f"names.{name}"]: (i, i) for i, name in enumerate(FUNCTIONS)},
                height=320,
            )
        else:
            ui.show_text_section("none")
    with right:
        ui.show_markdown(LABELS["tanh_minus_exact"])
        difference = result.curves["gelu_tanh"] - result.curves["gelu"]
        axis = ui.Axis(LABELS["difference"], format=".6f")
        ui.curves({LABELS["difference"]: (result.places, difference)}, x="x", y=axis, at=inputs.x, height=320)
