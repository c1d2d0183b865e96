"""The order of the knobs: temperature before top-p, and after it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from core import ui
from core.browser.message import pack
from core.data.printable import visible
from core.exhibit import Look, slider
from core.generate import filters
from core.rooms.strategies.inputs import Place
from core.ui.widgets.mount import mount

N_SHOWN = 7


class Inputs(Place, prefix="order_"):
    """The two knobs."""

    t: float = slider("Temperature", 0.1, 5.0, 2.0, step=0.1, look=Look())
    p: float = slider("Top-p", 0.1, 1.0, 0.9, step=0.01, look=Look())


@dataclass(frozen=True)
class Orders:
    """The same two knobs in both orders.

    Attributes:
        ids: (V,) all tokens, the likeliest first.
        tokens: (V,) how they are read.
        temperature_first, top_p_first: (V,) what is drawn from, 0 for what was cut.
    """

    ids: NDArray[np.int64]
    tokens: tuple[str, ...]
    temperature_first: Float[NDArray[np.float64], " V"]
    top_p_first: Float[NDArray[np.float64], " V"]

    @property
    def n_left(self) -> tuple[int, int]:
        """Tokens that are left, temperature first and top-p first."""
        return int((self.temperature_first > 0).sum()), int((self.top_p_first > 0).sum())

    @property
    def apart(self) -> float:
        """The probability in which the two differ."""
        return float(np.abs(self.temperature_first - self.top_p_first).sum() / 2)

    def table(self) -> dict[str, Any]:
        """All tokens, the likeliest first."""
        return {
            "id": self.ids,
            "token": self.tokens,
            "temperature first": self.temperature_first,
            "top-p first": self.top_p_first,
        }


CODE = (filters.temperature, filters.top_p)


def compute(inputs: Inputs) -> Orders:
    """Temperature before top-p, as is usual, and after it."""
    order = np.argsort(-inputs.logits, kind="stable")
    z, t, p = torch.as_tensor(inputs.logits[order].astype(np.float64)), inputs.t, inputs.p
    first = filters.top_p(filters.temperature(z, t), p).softmax(-1)
    last = filters.temperature(filters.top_p(z, p), t).softmax(-1)
    return Orders(order, tuple(inputs.vocabulary[i] for i in order), first.numpy(), last.numpy())


def draw(result: Orders, inputs: Inputs) -> None:
    """The same temperature and top-p in both orders, at one place."""
    header = {
        "widget": "orders",
        "tokens": [visible(token) for token in result.tokens[:N_SHOWN]],
        "t": ui.chosen("order_t"),
        "p": ui.chosen("order_p"),
        "label": "",
        "takeaway": f"The {N_SHOWN} likeliest tokens in both orders of the knobs.",
    }
    # The browser does what `compute` does here: for all temperatures and all p it would be too much to send.
    logits = inputs.logits[result.ids].astype(np.float32)
    mount("orders", f"order:{inputs.given.content}", pack(header, {"logits": logits}), height=330)
    ui.say("orders")
