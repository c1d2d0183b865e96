"""The traces that the first letter of a sequence leaves in a net's state, after each letter that follows."""

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.nn.tap import Trace

RIDGE = 1e-3  # only keeps the least squares solvable


def states_of(model: nn.Module, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
    """Return the state of a recurrent net after each token of each sequence."""
    with torch.no_grad(), Trace(model) as trace:
        model(ids)
    return trace["final"]


def readable_share(
    fitted: Float[Tensor, "N T D"], fitted_answers: Int[Tensor, " N"], states: Float[Tensor, "B T D"],
    answers: Int[Tensor, " B"], n_answer: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Return (T,) the share of sequences in which a linear probe reads the answer off the state, after each token.

    Each step has a probe of its own, fitted by least squares on other sequences: one output for each answer, and the
    largest one is what it reads.

    Args:
        fitted: states of the sequences that the probes are fitted on, with their answers.
        states: those of the sequences that they are tested on, with their answers.

    Source: Alain and Bengio 2016 (1610.01644), for linear probes.
    """
    targets = torch.eye(n_answer, dtype=torch.float64)[fitted_answers]
    x, y = (
        torch.cat([one.double(), one.new_ones(*one.shape[:2], 1).double()], -1).transpose(0, 1)
        for one in (fitted, states)
    )  # (T, N, D + 1), (T, B, D + 1)
    normal = x.mT @ x + RIDGE * torch.eye(x.shape[-1], dtype=torch.float64)
    read = (y @ torch.linalg.solve(normal, x.mT @ targets)).argmax(-1)  # (T, B)
    share: NDArray[np.float64] = (read == answers).double().mean(-1).numpy()
    return share


def look_back(model: nn.Module, ids: Int[Tensor, "1 T"]) -> NDArray[np.float64]:
    """Return (T,) the weights of the last token, in the head that gives the first token the largest one."""
    with torch.no_grad(), Trace(model) as trace:
        model(ids)
    rows = trace["blocks.0.attn.weights"][0, :, -1]  # (H, T)
    weights: NDArray[np.float64] = rows[rows[:, 0].argmax()].double().numpy()
    return weights


def lost_after(share: NDArray[np.float64], below: float) -> int | None:
    """Return after how many letters the share falls below a limit and stays there; None if it doesn't."""
    high = np.flatnonzero(share >= below)
    last = int(high[-1]) if len(high) else -1
    return last + 1 if last + 1 < len(share) else None
