"""The range of temperature: from greedy to uniform, without ever removing a token."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, slider
from core.generate import filters
from core.rooms.strategies.inputs import PromptPlace

LABELS = module_labels(__name__)

TEMPERATURE_GRID = tuple(float(t) for t in np.logspace(-2, 2, 81))
TABLE_TEMPERATURES = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0)  # in the table


class Inputs(PromptPlace, prefix="sweep_"):
    p: float = slider(0.1, 0.99, 0.9, step=0.01)


class TemperatureSweep(Result):
    """One distribution at many temperatures."""

    temperatures: Float[NDArray[np.float64], " n"]
    entropy: Float[NDArray[np.float64], " n"]  # nats
    top: Float[NDArray[np.float64], " n"]  # probability of the most probable token
    smallest: Float[NDArray[np.float64], " n"]  # probability of the rarest token; 0 if it is below the precision
    left: Int[NDArray[np.int64], " n"]  # tokens with a probability above 0, in 64-bit numbers
    left_32: Int[NDArray[np.int64], " n"]  # the same in 32-bit numbers, which most programs use
    left_top_p: Int[NDArray[np.int64], " n"]  # tokens left after a top-p that follows
    from_greedy: Float[NDArray[np.float64], " n"]  # total variation distance: half the sum of differences, 0 to 1
    from_uniform: Float[NDArray[np.float64], " n"]
    n_vocabulary: int

    @property
    def lines(self) -> list[dict[str, object]]:
        """One row per temperature, with its values by name."""
        arrays = {name: value.tolist() for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return [dict(zip(arrays, line, strict=True)) for line in zip(*arrays.values(), strict=True)]

    def table(self) -> Table:
        return {
            "T": self.temperatures,
            LABELS["table.entropy"]: self.entropy,
            LABELS["table.top"]: self.top,
            LABELS["table.smallest"]: self.smallest,
            LABELS["table.left"]: self.left,
            LABELS["table.left_32"]: self.left_32,
            LABELS["table.left_top_p"]: self.left_top_p,
            LABELS["table.from_greedy"]: self.from_greedy,
            LABELS["table.from_uniform"]: self.from_uniform,
        }


def sweep_temperatures(
    logits: Float[NDArray[np.float32], " V"], temperatures: Sequence[float], p: float
) -> TemperatureSweep:
    """Measure one distribution at each temperature.

    Args:
        logits: (V,).
        temperatures: above 0, because 0 is a limit and not a setting.
        p: of the top-p that may follow.
    """
    # Sorted once in descending order: sorting again at each temperature then takes a fifth of the time.
    z = torch.as_tensor(np.array(logits, dtype=np.float64)).sort(descending=True).values
    scaled = torch.stack([filters.temperature(z, float(t)) for t in temperatures])  # (n, V)
    probabilities = scaled.softmax(-1)
    greedy = torch.zeros_like(z).scatter(0, z.argmax()[None], 1.0)
    return TemperatureSweep(
        temperatures=np.asarray(temperatures, dtype=np.float64),
        entropy=-torch.xlogy(probabilities, probabilities).sum(-1).numpy() + 0.0,
        top=probabilities.amax(-1).numpy(),
        smallest=probabilities.amin(-1).numpy(),
        left=(probabilities > 0).sum(-1).numpy(),
        left_32=(scaled.float().softmax(-1) > 0).sum(-1).numpy(),
        left_top_p=(filters.top_p(scaled, p) > -torch.inf).sum(-1).numpy(),
        from_greedy=((probabilities - greedy).abs().sum(-1) / 2).numpy(),
        from_uniform=((probabilities - 1 / len(z)).abs().sum(-1) / 2).numpy(),
        n_vocabulary=len(z),
    )


CODE = (sweep_temperatures, filters.temperature)


def compute(inputs: Inputs) -> TemperatureSweep:
    """Apply 81 temperatures to the logits of one position, from nearly greedy to nearly uniform."""
    return sweep_temperatures(inputs.logits, TEMPERATURE_GRID, inputs.p)


def draw(result: TemperatureSweep, inputs: Inputs) -> None:
    """Draw entropy, the most probable token's probability and the number of tokens left against temperature."""
    n, (cool, *_, hot) = result.n_vocabulary, result.lines
    undecided = LABELS["entropy_over_ln_v" if ui.depth_at_least("numbers") else "entropy_of_greatest"]
    curves = {
        undecided: result.entropy / np.log(n),
        LABELS["top"]: result.top,
        LABELS["left"]: result.left / n,
        LABELS("left_top_p", p=inputs.p): result.left_top_p / n,
    }
    ui.curves(
        {name: (TEMPERATURE_GRID, values) for name, values in curves.items()},
        x=ui.Axis(LABELS["temperature_axis"], (0.01, 100), ticks=(0.01, 0.1, 1, 10, 100), is_log=True),
        y=ui.Axis(LABELS["share_axis"], (0, 1.02)),
        at=1,
        alt=LABELS("alt", low=cool["entropy"], high=hot["entropy"], top_when_cool=cool["top"], top_when_hot=hot["top"]),
    )
    marks = sweep_temperatures(inputs.logits, TABLE_TEMPERATURES, inputs.p).lines
    ui.add_template_values(marks=marks, tenth=marks[TABLE_TEMPERATURES.index(0.1)])
