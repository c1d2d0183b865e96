"""The nonlinearities of a feed-forward layer, number by number, and which units of a model they leave on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.nn.feed_forward import gelu, gelu_tanh, quick_gelu, relu, relu2, silu

Array = NDArray[np.float64]
_BENDS: dict[str, Callable[[Tensor], Tensor]] = {
    "GELU, exact": gelu,
    "GELU by tanh": gelu_tanh,
    "GELU by sigmoid": quick_gelu,
    "ReLU": relu,
    "squared ReLU": relu2,
    "SiLU": silu,
}
BENDS = tuple(_BENDS)
REACH = 6.0


@dataclass(frozen=True)
class UnitsRecord:
    """Which of a feed-forward layer's units are on.

    A unit is on where its number before the nonlinearity is above 0: there every nonlinearity that we have lets it
    through nearly or wholly, and below 0 ReLU stops it and GELU nearly.

    Args:
        share: (T,) share of the units that are on, for each token.
        never: number of units that are on for no token of the text.
        always: number of units that are on for every token.
    """

    share: Array
    never: int
    always: int


def curves(names: Sequence[str], n_point: int = 121) -> tuple[Array, dict[str, Array]]:
    """The chosen nonlinearities at evenly spaced x from -6 to 6: (n_point,), and name -> (n_point,).

    Raises:
        ValueError: if there is no nonlinearity of a name.
    """
    for name in names:
        if name not in _BENDS:
            raise ValueError(f"{name!r} is none of {', '.join(BENDS)}")
    x = torch.linspace(-REACH, REACH, n_point, dtype=torch.float64)
    return x.numpy(), {name: _BENDS[name](x).numpy() for name in names}


def curve_table(n_point: int = 121) -> dict[str, Any]:
    """Every nonlinearity at the same places, as a table."""
    x, found = curves(BENDS, n_point)
    return {"x": x, **found}


def gelu_gap(n_point: int = 120_001) -> tuple[float, float]:
    """The largest difference between the exact GELU and its tanh form, and the x >= 0 where it is: (gap, x).

    Source: Hendrycks and Gimpel 2016 (1606.08415), section 2.
    """
    x = torch.linspace(0, REACH, n_point, dtype=torch.float64)
    gap = (gelu(x) - gelu_tanh(x)).abs()
    at = int(gap.argmax())
    return float(gap[at]), float(x[at])


@torch.no_grad()
def bend_size(layer: nn.Module, a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    """How far a layer is from being one linear layer, on two inputs: 0 if it is one.

    A linear layer, with or without a bias, gives f(a + b) = f(a) + f(b) - f(0).

    Args:
        layer: takes (1, 1, D).
        a, b: (D,) two inputs.

    Returns:
        The length of the difference of both sides, as a share of the length of f(a + b); nan where that is 0.
    """
    weight = next(layer.parameters())
    x, y = (torch.from_numpy(np.array(v))[None, None].to(weight.device, weight.dtype) for v in (a, b))
    together, apart = layer(x + y), layer(x) + layer(y) - layer(torch.zeros_like(x))
    size = float(together.norm())
    return float((together - apart).norm()) / size if size > 0 else float("nan")


def units_on(pre: NDArray[np.floating]) -> UnitsRecord:
    """Count the units that are on.

    Args:
        pre: (T, F) the numbers before the nonlinearity.
    """
    on = pre > 0
    return UnitsRecord(on.mean(-1), int((~on.any(0)).sum()), int(on.all(0).sum()))
