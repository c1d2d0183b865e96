"""One optimizer step for one weight, with its numbers: the gradient twice, and then AdamW's arithmetic."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.cache import MAX_TRACES, memoize
from core.inputs import NothingToShow, number, segmented, select, slider
from core.inspect.reading.model_and_text import ModelAndText
from core.rooms.decoder import inputs as room
from core.rooms.decoder.compute import one_step
from core.rooms.decoder.compute.one_step import GradientCheck, Update
from core.rooms.decoder.finite_difference_chart import check
from core.rooms.decoder.inputs import Looked, is_small, n_weight
from core.train.optimizers import AdamW

N_STEP = 8
DEFAULT = "blocks.0.mlp.w_in.weight"
BETAS = (0.9, 0.99)
CODE = (one_step.check_gradient, one_step.follow, AdamW.step)


def _names(inputs: Any) -> list[str]:
    return [name for name, _ in inputs.given.model.named_parameters()]


def _shape(inputs: Any) -> tuple[int, ...]:
    return tuple(inputs.given.model.get_parameter(inputs.weight).shape)


def _place(label: Any, axis: int, default: int, **how: Any) -> Any:
    """A row or a column of the matrix, counted from 0."""
    last = lambda i: _shape(i)[axis] - 1  # noqa: E731
    reason = lambda i: f"as it has {_shape(i)[axis]:,} of them"  # noqa: E731
    return number(label, 0, last, default, step=1, reason=reason, **how)


class Inputs(Looked, prefix="adam_"):
    """Which weight: a matrix or vector by its name, its row and column; and how it is trained."""

    weight: str = select("Matrix", _names, lambda i: DEFAULT if DEFAULT in _names(i) else _names(i)[-1], when=is_small)
    row: int = _place(lambda i: "Row" if len(_shape(i)) > 1 else "Number", 0, 3, when=is_small)
    column: int = _place("Column", -1, 5, when=lambda i: is_small(i) and len(_shape(i)) > 1)
    rate: float = segmented("Learning rate", {1e-4: "0.0001", 1e-3: "0.001", 1e-2: "0.01"}, 1e-3, when=is_small)
    decay: float = slider("Weight decay", 0.0, 1.0, 0.0, step=0.1, when=is_small)

    @property
    def place(self) -> tuple[int, ...]:
        return (self.row, self.column)[: len(_shape(self))]


@dataclass(frozen=True)
class OneWeight:
    check: GradientCheck
    updates: tuple[Update, ...]

    @property
    def best(self) -> int:
        return int(self.check.errors.argmin())

    @property
    def formula(self) -> str:
        one = self.updates[0]
        decay = rf"&\quad - {_tex(one.decay)} \\" if one.decay else ""
        return (
            rf"\begin{{aligned}} t = 1:\quad m &= {1 - BETAS[0]:.1f} \cdot {_tex(one.gradient)} = {_tex(one.m)} \\ "
            rf"v &= {1 - BETAS[1]:.2f} \cdot ({_tex(one.gradient)})^2 = {_tex(one.v)} \\ "
            rf"\hat m / \sqrt{{\hat v}} &= {_tex(one.m_hat)} / {_tex(one.v_hat**0.5)} \\ "
            rf"w &= {one.before:.6f} - {_tex(one.move)} \\ {decay} &= {one.after:.6f} \end{{aligned}}"
        )

    def table(self) -> dict[str, list[float]]:
        one = self.check
        return {
            "h": one.steps.tolist(),
            "finite difference": one.differences.tolist(),
            "autograd": [one.gradient] * len(one.steps),
            "difference": one.errors.tolist(),
        }


@memoize(MAX_TRACES)
def checked(given: ModelAndText, name: str, place: tuple[int, ...]) -> GradientCheck:
    return one_step.check_gradient(given.model, given.ids, name, place)


def compute(inputs: Inputs) -> OneWeight:
    """The gradient of one weight, checked on a 64-bit copy of the model, and AdamW's first steps, seen from it."""
    given = inputs.given
    if not is_small(inputs):
        raise NothingToShow(
            f"The model has {n_weight(given):,} parameters. Training a copy in 64-bit numbers takes 32 bytes for each, "
            f"so this is only done for models of at most {room.MOST_WEIGHTS:,}. Choose a smaller one."
        )
    how: Any = {"n_step": N_STEP, "learning_rate": inputs.rate, "betas": BETAS, "weight_decay": inputs.decay}
    updates = one_step.follow(given.model, given.ids, inputs.weight, inputs.place, **how)
    return OneWeight(checked(given, inputs.weight, inputs.place), updates)


def draw(result: OneWeight, inputs: Inputs) -> None:
    one, best, deep = result.check, result.best, ui.at_least("numbers")
    h, error = ui.power_of_ten(one.steps[best]), ui.power_of_ten(one.errors[best], 2)
    left, right = ui.pair("adam-sides") if deep else (ui.st.empty(), ui.st.container())
    if deep:
        with left:
            spec = check(one.steps, one.errors, mode=ui.color_mode())
            ui.chart(spec, alt=f"Error of the finite difference against h; the smallest is {error} at h = {h}.")
    with right:
        ui.say("gradient", h=h, error=error)
        ui.say("precise")
    ui.st.markdown(f"**What {'AdamW' if deep else 'training'} does to it in {N_STEP} steps on this text**")
    ui.st.dataframe(_table(result.updates, deep), hide_index=True, key=f"adam-{inputs.content}")
    ui.say("copy")
    ui.say("memories")


def _table(updates: tuple[Update, ...], deep: bool) -> dict[str, list[Any]]:
    def digits(name: str, sign: int = 1) -> list[str]:
        # Two digits and not three, so that the table fits beside the list of rooms.
        return [ui.power_of_ten(sign * getattr(one, name), 3) for one in updates]

    found: dict[str, list[Any]] = {
        "step": [one.t for one in updates],
        "loss": [f"{one.loss:.4f}" for one in updates],
    }
    if deep:
        memories = {"g": "gradient", "m": "m", "v": "v", "m̂": "m_hat", "v̂": "v_hat"}
        found |= {title: digits(name) for title, name in memories.items()}
        found |= {name: digits(name, -1) for name in ("move", "decay")}
    return found | {"weight after": [f"{one.after:.7f}" for one in updates]}


def _tex(value: float) -> str:
    """A number as it is set: 2.3 · 10^-5, in brackets where it is negative."""
    if value == 0:
        return "0"
    digits, power = f"{value:.2e}".split("e")
    text = digits if int(power) == 0 else rf"{digits} \cdot 10^{{{int(power)}}}"
    return rf"({text})" if value < 0 else text
