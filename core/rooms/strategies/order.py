"""The order of the knobs: temperature before top-p, and after it."""

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.exhibit import Result, Table, ViewChoice, slider
from core.generate import filters
from core.rooms.strategies.inputs import PromptPlace

LABELS = module_labels(__name__)

N_SHOWN = 7


class Inputs(PromptPlace, prefix="order_"):
    t: float = slider(0.1, 5.0, 2.0, step=0.1, view=ViewChoice())
    p: float = slider(0.1, 1.0, 0.9, step=0.01, view=ViewChoice())


class KnobOrders(Result):
    """The same two knobs in both orders."""

    ids: NDArray[np.int64]  # (V,) all tokens, the most probable one first
    tokens: tuple[str, ...]  # (V,) printable
    temperature_first: Float[NDArray[np.float64], " V"]  # the distribution to sample from, 0 for removed tokens
    top_p_first: Float[NDArray[np.float64], " V"]
    n_left: tuple[int, int]  # tokens left, for temperature first and for top-p first
    apart: float  # total variation distance between the two

    def table(self) -> Table:
        return {
            "id": self.ids,
            LABELS["table.token"]: self.tokens,
            LABELS["table.temperature_first"]: self.temperature_first,
            LABELS["table.top_p_first"]: self.top_p_first,
        }


CODE = (filters.temperature, filters.top_p)


def compute(inputs: Inputs) -> KnobOrders:
    """Apply temperature before top-p, as is usual, and after it."""
    order = np.argsort(-inputs.logits, kind="stable")
    z, t, p = torch.as_tensor(inputs.logits[order].astype(np.float64)), inputs.t, inputs.p
    first = filters.top_p(filters.temperature(z, t), p).softmax(-1).numpy()
    last = filters.temperature(filters.top_p(z, p), t).softmax(-1).numpy()
    return KnobOrders(
        ids=order,
        tokens=tuple(inputs.vocabulary[i] for i in order),
        temperature_first=first,
        top_p_first=last,
        n_left=(int((first > 0).sum()), int((last > 0).sum())),
        apart=float(np.abs(first - last).sum() / 2),
    )


def draw(result: KnobOrders, inputs: Inputs) -> None:
    """Draw the same temperature and top-p in both orders, at one position."""
    ui.mount_widget(
        "orders",
        key=f"order:{inputs.given.content}",
        height=330,
        tokens=[visible_token(token) for token in result.tokens[:N_SHOWN]],
        t=inputs.t,
        p=inputs.p,
        # The browser repeats `compute`, because sending the results for all temperatures and all p would be too much.
        logits=inputs.logits[result.ids],
        label="",
        takeaway=LABELS("takeaway", n_shown=N_SHOWN),
    )
