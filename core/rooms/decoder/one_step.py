"""One optimizer step for one weight: its gradient computed in two ways, and AdamW's arithmetic."""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    MAX_TRACES,
    Column,
    NothingToShow,
    Result,
    Table,
    memoize,
    number_input,
    segmented_control,
    select,
    slider,
)
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.nn.linear import Embedding
from core.rooms.decoder import inputs as room
from core.rooms.decoder.inputs import DecoderInputs, count_weights, is_small_model
from core.train.optimizers import AdamW

LABELS = module_labels(__name__)

N_STEP = 8
DEFAULT = "blocks.0.mlp.w_in.weight"
BETAS = (0.9, 0.99)
STEP_SIZES = tuple(10.0**-k for k in range(13))  # step sizes h of the finite difference


class GradientCheck(Result):
    """A gradient by backpropagation, and by central finite differences."""

    weight: float  # the weight's value
    loss: float  # of the window, nats per token
    gradient: float  # by autograd
    steps: NDArray[np.float64]  # (N,) h, how far the weight is moved
    differences: NDArray[np.float64]  # (N,) (loss(w + h) - loss(w - h)) / 2h
    errors: NDArray[np.float64]  # (N,) |difference - gradient|


class AdamWStep(NamedTuple):
    """AdamW's arithmetic for one weight at one step."""

    t: int  # number of the step, from 1
    loss: float  # before the step
    gradient: float  # of the weight
    m: float  # m, v: moving averages of the gradient and of its square, after the step
    v: float
    m_hat: float  # m_hat, v_hat: the same, corrected for their start at 0
    v_hat: float
    decay: float  # the amount subtracted by weight decay
    move: float  # learning rate times m_hat / (sqrt(v_hat) + eps)
    before: float  # before, after: the weight
    after: float


def to_double(model: nn.Module) -> nn.Module:
    """Return a 64-bit copy of the model, to be trained and discarded."""
    copied = copy.deepcopy(model).double().requires_grad_(True)
    for one in copied.modules():
        if isinstance(one, Embedding):
            one.is_widened = False  # widening would convert it to 32 bits
    return copied


def window_loss(model: nn.Module, window: Tensor) -> Tensor:
    """Return the mean cross-entropy of a window (N,), in which each token but the first is predicted."""
    loss: Tensor = F.cross_entropy(model(window[None, :-1])[0], window[1:])
    return loss


def check_gradient(model: nn.Module, window: Sequence[int], name: str, place: Sequence[int]) -> GradientCheck:
    """Compute the gradient of one weight by autograd and by central finite differences.

    Args:
        window: (N,) the text whose loss is differentiated.
        name, place: the parameter, and its (row, column) or (index,).

    Source: the error of the difference is of order h^2 (truncation) plus of order 1e-16 / h (rounding).
    """
    copied, ids = to_double(model), torch.tensor(window)
    weights = dict(copied.named_parameters())[name]
    at = tuple(place)
    with torch.enable_grad():
        loss = window_loss(copied, ids)
        gradient = float(_gradients(loss, weights)[at])
    value, differences = float(weights[at].detach()), []
    with torch.no_grad():
        for h in STEP_SIZES:
            weights[at] = value + h
            above = window_loss(copied, ids)
            weights[at] = value - h
            below = window_loss(copied, ids)
            weights[at] = value
            differences.append(float(above - below) / (2 * h))
    found = np.array(differences)
    return GradientCheck(
        weight=value,
        loss=float(loss.detach()),
        gradient=gradient,
        steps=np.array(STEP_SIZES),
        differences=found,
        errors=np.abs(found - gradient),
    )


def _gradients(loss: Tensor, weights: Tensor) -> Tensor:
    """Return the gradients of weights; 0 if they don't affect the loss, as in an expert that got no token."""
    found = torch.autograd.grad(loss, weights, allow_unused=True)[0]
    return torch.zeros_like(weights) if found is None else found


def follow_weight(
    model: nn.Module,
    window: Sequence[int],
    name: str,
    place: Sequence[int],
    *,
    n_step: int,
    learning_rate: float,
    weight_decay: float = 0.0,
) -> tuple[AdamWStep, ...]:
    """Train a copy of the whole model on one window, and record AdamW's numbers for one weight; see `check_gradient`.

    All weights are updated. The numbers are read from the optimizer's own state, before and after each step.
    """
    copied, ids, at = to_double(model), torch.tensor(window), tuple(place)
    parameters = dict(copied.named_parameters())
    weights = parameters[name]
    optimizer = AdamW(parameters, learning_rate=learning_rate, betas=BETAS, weight_decay=weight_decay)
    found = []
    for t in range(1, n_step + 1):
        with torch.enable_grad():
            copied.zero_grad()
            loss = window_loss(copied, ids)
            loss.backward()
        for one in parameters.values():  # an expert that got no token doesn't affect the loss
            one.grad = torch.zeros_like(one) if one.grad is None else one.grad
        assert weights.grad is not None
        before, gradient = float(weights[at].detach()), float(weights.grad[at])
        optimizer.step()
        m, v = (float(optimizer.state[f"{name}.{part}"][at]) for part in "mv")
        m_hat, v_hat = m / (1 - BETAS[0] ** t), v / (1 - BETAS[1] ** t)
        decay = learning_rate * weight_decay * before if weights.ndim >= 2 else 0.0
        move, after = learning_rate * m_hat / (v_hat**0.5 + optimizer.eps), float(weights[at].detach())
        found.append(AdamWStep(t, float(loss.detach()), gradient, m, v, m_hat, v_hat, decay, move, before, after))
    return tuple(found)


IS_PARTIAL = True  # a table that can be sorted
CODE = (check_gradient, follow_weight, AdamW.step)


def _names(inputs: "Inputs") -> list[str]:
    return [name for name, _ in inputs.given.model.named_parameters()]


def _shape(inputs: "Inputs") -> tuple[int, ...]:
    return tuple(inputs.given.model.get_parameter(inputs.weight).shape)


def _place(label: Any, axis: int, default: int, **how: Any) -> Any:
    """Return a number input for a row or column of the matrix, counted from 0."""
    last = lambda i: _shape(i)[axis] - 1  # noqa: E731
    reason = lambda i: LABELS("reason", n=_shape(i)[axis])  # noqa: E731
    return number_input(0, last, default, step=1, reason=reason, **how, label=label)


class Inputs(DecoderInputs, prefix="adam_"):
    """The weight, given by the name of its matrix or vector, row and column, and the training settings."""

    weight: str = select(_names, lambda i: DEFAULT if DEFAULT in _names(i) else _names(i)[-1], when=is_small_model)
    row: int = _place(lambda i: LABELS["row"] if len(_shape(i)) > 1 else LABELS["index"], 0, 3, when=is_small_model)
    column: int = _place(LABELS["column"], -1, 5, when=lambda i: is_small_model(i) and len(_shape(i)) > 1)
    rate: float = segmented_control({1e-4: "0.0001", 1e-3: "0.001", 1e-2: "0.01"}, 1e-3, when=is_small_model)
    decay: float = slider(0.0, 1.0, 0.0, step=0.1, when=is_small_model)

    @property
    def place(self) -> tuple[int, ...]:
        return (self.row, self.column)[: len(_shape(self))]


class OneWeight(Result):
    """The gradient of one weight, and its first updates."""

    check: GradientCheck
    updates: tuple[AdamWStep, ...]
    best: int  # index of the step size with the smallest error
    formula: str

    def table(self) -> dict[str, list[float]]:
        one = self.check
        return {
            "h": one.steps.tolist(),
            LABELS["finite_difference"]: one.differences.tolist(),
            LABELS["table.autograd"]: [one.gradient] * len(one.steps),
            LABELS["difference"]: one.errors.tolist(),
        }


@memoize(MAX_TRACES)
def _cached_check(given: ModelAndText, name: str, place: tuple[int, ...]) -> GradientCheck:
    return check_gradient(given.model, given.ids, name, place)


def compute(inputs: Inputs) -> OneWeight:
    """Check the gradient of one weight on a 64-bit copy of the model, and follow AdamW's first steps."""
    given = inputs.given
    if not is_small_model(inputs):
        raise NothingToShow(LABELS("too_large", n_weight=count_weights(given), most=room.MAX_WEIGHTS))
    how: Any = {"n_step": N_STEP, "learning_rate": inputs.rate, "weight_decay": inputs.decay}
    updates = follow_weight(given.model, given.ids, inputs.weight, inputs.place, **how)
    found = _cached_check(given, inputs.weight, inputs.place)
    return OneWeight(check=found, updates=updates, best=int(found.errors.argmin()), formula=_formula(updates[0]))


def _formula(one: AdamWStep) -> str:
    decay = rf"&\quad - {_tex(one.decay)} \\" if one.decay else ""
    return (
        rf"\begin{{aligned}} t = 1:\quad m &= {1 - BETAS[0]:.1f} \cdot {_tex(one.gradient)} = {_tex(one.m)} \\ "
        rf"v &= {1 - BETAS[1]:.2f} \cdot ({_tex(one.gradient)})^2 = {_tex(one.v)} \\ "
        rf"\hat m / \sqrt{{\hat v}} &= {_tex(one.m_hat)} / {_tex(one.v_hat**0.5)} \\ "
        rf"w &= {one.before:.6f} - {_tex(one.move)} \\ {decay} &= {one.after:.6f} \end{{aligned}}"
    )


def draw(result: OneWeight, inputs: Inputs) -> None:
    """Draw the gradient by both methods, the error of the difference, and the first training steps."""
    one, best, deep = result.check, result.best, ui.depth_at_least("numbers")
    left, right = ui.two_columns("adam-sides") if deep else (ui.st.empty(), ui.st.container())
    if deep:
        with left:
            ui.curves(
                {"": (one.steps[::-1], one.errors[::-1])},
                x=ui.Axis([LABELS["step_size_axis"], LABELS["step_size_axis.more"]], is_log=True),
                y=ui.Axis(LABELS["error_axis"], is_log=True),
                rings={"": one.steps[best]},
                has_dots=True,
                height=260,
            )
    with right:
        ui.show_text_section(
            "gradient", h=ui.format_power_of_ten(one.steps[best]), error=ui.format_power_of_ten(one.errors[best], 2)
        )
    ui.show_markdown(LABELS("updates.optimizer" if deep else "updates", n=N_STEP))
    ui.st.dataframe(_table(result.updates, deep), hide_index=True, key=f"adam-{inputs.content}")


def _table(updates: tuple[AdamWStep, ...], deep: bool) -> Table:
    def digits(name: str, sign: int = 1) -> list[str]:
        # Two digits instead of three, so that the table fits next to the list of rooms.
        return [ui.format_power_of_ten(sign * getattr(one, name), 3) for one in updates]

    found: dict[str, Column] = {
        LABELS["step"]: [one.t for one in updates],
        LABELS["loss"]: [f"{one.loss:.4f}" for one in updates],
    }
    if deep:
        memories = {"g": "gradient", "m": "m", "v": "v", "m̂": "m_hat", "v̂": "v_hat"}
        found |= {title: digits(name) for title, name in memories.items()}
        found |= {LABELS["move"]: digits("move", -1), LABELS["decay.column"]: digits("decay", -1)}
    return found | {LABELS["weight_after"]: [f"{one.after:.7f}" for one in updates]}


def _tex(value: float) -> str:
    """Return a number in LaTeX: 2.3 · 10^-5, in parentheses if it is negative."""
    if value == 0:
        return "0"
    digits, power = f"{value:.2e}".split("e")
    text = digits if int(power) == 0 else rf"{digits} \cdot 10^{{{int(power)}}}"
    return rf"({text})" if value < 0 else text
