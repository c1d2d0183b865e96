"""Positions as often written, mistakes included: shown running beside the right ones, never used by a model."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.nn.positions import sinusoidal

# What a lecture note prints of the first token: the embedding, and "the positional encoded vector". Columns of 128.
COLUMNS = (0, 1, 2, 125, 126, 127)
EMBEDDING = (0.2332, 0.3238, 0.3962, 0.3544, -0.5660, 0.0352)
PRINTED_SUM = (0.2332, 0.3238, 0.3962, 0.3544, -0.5660, 0.0352)


def lecture_table(n_position: int, d_model: int) -> Float[Tensor, "T D"]:
    """Sines and cosines as often coded, WRONG: the cosine of a pair does not get the frequency of its sine.

    The exponent of the cosine in column j is j / d_model; right is (j - 1) / d_model, that of the sine beside it. So
    the two numbers of a pair are no longer the hands of one clock.

    Args:
        n_position: number of positions, from 0.
        d_model: width, even: with an odd one this code breaks off with an error about shapes.
    """
    position = torch.arange(0, n_position, dtype=torch.float64).unsqueeze(1)
    div_term_0 = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    div_term_1 = torch.exp(torch.arange(1, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(n_position, d_model, dtype=torch.float64)
    pe[:, 0::2] = torch.sin(position * div_term_0)
    pe[:, 1::2] = torch.cos(position * div_term_1)  # the mistake: right is div_term_0 here, too
    return pe


def formula_without_brackets(n_position: int, d_model: int) -> Float[Tensor, "T D"]:
    """The formula as often printed, read as it stands, WRONG: 10000^{j-1/r} is j - (1/r), meant is (j - 1)/r.

    Args:
        n_position: number of positions, from 0.
    """
    i = torch.arange(n_position, dtype=torch.float64)[:, None]
    j = torch.arange(d_model, dtype=torch.float64)
    sine = torch.sin(i / 10000.0 ** (j / d_model))
    cosine = torch.cos(i / 10000.0 ** (j - 1 / d_model))
    return torch.where(j % 2 == 0, sine, cosine)


@dataclass(frozen=True)
class Printed:
    """Some numbers of a token that a lecture note prints."""

    columns: tuple[int, ...]  # which numbers of the vector
    added: NDArray[np.float64]  # what the position adds to them
    rows: dict[str, Any]  # the embedding, the position, their sum; for position 0 also the sum as printed

    @property
    def off(self) -> NDArray[np.float64]:
        """How far the printed sum is off; nothing where there is none."""
        return np.abs(self.rows["sum"] - np.array(self.rows.get("printed", self.rows["sum"])))

    def table(self) -> dict[str, Any]:
        return {"number": self.columns, **self.rows}


def printed_token(position: int) -> Printed:
    """The printed embedding, the position added to it, and their sum."""
    added = sinusoidal(position + 1, 128, dtype=torch.float64).numpy()[position, list(COLUMNS)]
    rows = {"token": EMBEDDING, f"PE({position})": added, "sum": np.array(EMBEDDING) + added}
    return Printed(COLUMNS, added, rows | ({"printed": PRINTED_SUM} if position == 0 else {}))
