"""What a trained model has learned, or was given, about positions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Curve
from core.charts.lines import lines
from core.exhibit import Inputs as Base
from core.exhibit import NothingToShow, custom, segmented
from core.inspect import positions
from core.inspect.positions import Array, Learned
from core.inspect.reading.model_and_text import load, reader
from core.inspect.reading.model_key import READERS, ModelKey
from core.models.gpt import GPT
from core.nn.positions import RelativeBias, alibi_slopes, sinusoidal

EXAMPLE = "stories-learned"  # ships because its table is smooth; that of the default model is hardly so
MOST_HEADS = 8  # lines that can be told apart
MOST_SHOWN = 96  # positions: of more than 96 x 96 cells the labels cannot be read
HOW = " To see a learned table, choose a model that has one, or train one in the training studio."
BLIND = "This model has no positions and no causal mask: it can't tell one order of the words from another."
WITHOUT = {
    "none": "This model has no positions at all: it knows the order of the words only from the causal mask.",
    "sinusoidal": "This model adds fixed sines and cosines. Nothing in them is learned.",
    "rotary": "This model turns its queries and keys by their positions. The angles are fixed, so there's nothing "
    "learned to show.",
}
CODE = (GPT.embed, positions.learned)
WARM_UP = True


class Inputs(Base, prefix="learned_"):
    """A model, and which map of its table."""

    model: ModelKey = custom(
        "core.ui.models.pick_inputs:pick_model",
        lambda _: ModelKey.at(EXAMPLE),
        kinds=READERS,
        name="positions_model",
        first=EXAMPLE,
    )
    drawn: str = segmented(
        "Map",
        {"learned": "Learned", "fixed": "Sines and cosines"},
        "learned",
        when=lambda i: _config(i.model).positions == "learned",
    )


@dataclass(frozen=True)
class Table:
    """A table of positions, compared with sines and cosines of the same size."""

    learned: Learned  # its first rows
    total: int  # how many rows it has
    fixed: Array  # (T, T) cosines of sines and cosines

    @property
    def n(self) -> int:
        return len(self.learned.vectors)

    @property
    def by_distance(self) -> Array:
        return self.learned.by_distance

    @property
    def formula(self) -> str:
        formula = r"\cos(p, q) = \frac{E_p \cdot E_q}{\lVert E_p \rVert \, \lVert E_q \rVert}"
        return formula + (rf" \qquad \cos(0, 1) = {self.learned.cosine[0, 1]:.4f}" if self.n > 1 else "")

    def table(self) -> dict[str, Any]:
        return self.learned.table()


@dataclass(frozen=True)
class Slopes:
    """A model with ALiBi: the slope of each head, and those of the paper."""

    slopes: tuple[float, ...]
    paper: tuple[float, ...]
    longest: int

    def table(self) -> dict[str, Any]:
        """One line for each head."""
        return {"head": list(range(len(self.slopes))), "slope": list(self.slopes)}


@dataclass(frozen=True)
class Biases:
    """A model with T5's scheme: what each head adds to a score by distance, (H, T)."""

    bias: NDArray[np.float32]
    both_sides: bool

    def table(self) -> dict[str, Any]:
        """One line for each distance, one column for each head."""
        return {"distance": list(range(self.bias.shape[1]))} | {f"head {h}": one for h, one in enumerate(self.bias)}


def _config(key: ModelKey) -> Any:
    """Of the model that reads a text: of an encoder-decoder, the encoder's."""
    return reader(key).config


def compute(inputs: Inputs) -> Table | Slopes | Biases:
    """The position table of the chosen model, or what it has in place of one."""
    model: Any = reader(inputs.model)
    config, scheme = model.config, model.config.positions
    if scheme == "learned":
        weights = load(inputs.model).model.get_parameter("pos_emb.weight").float().cpu()
        weights = weights[: config.context_length]  # padding's own position is behind them
        found = positions.learned(weights[:MOST_SHOWN].numpy())
        n, width = found.vectors.shape
        fixed = positions.cosines(sinusoidal(n, width, dtype=torch.float64).numpy())
        return Table(found, len(weights), fixed)
    if scheme == "alibi":
        paper = tuple(alibi_slopes(config.n_head).tolist())
        return Slopes(tuple(map(float, config.slopes or paper)), paper, config.context_length)
    if scheme == "relative":
        relative: RelativeBias = model.pos_emb
        n = int(getattr(config, "context_length", relative.max_distance))
        bias = relative(1, n)[:, 0].flip(-1).float().cpu().numpy()  # of the last query, by distance 0 .. n - 1
        return Biases(bias, relative.bidirectional)
    raise NothingToShow((BLIND if scheme == "none" and not config.causal else WITHOUT[scheme]) + HOW)


def draw(result: Table | Slopes | Biases, inputs: Inputs) -> None:
    """Similarities of all positions, or what each head adds to a score by distance."""
    if isinstance(result, Table):
        _table(result, inputs.drawn)
        return
    if isinstance(result, Slopes):
        ui.say("slopes", how=HOW)
        distance = range(result.longest)
        curves = [Curve(f"head {h}: {s:g}", distance, [-s * d for d in distance]) for h, s in enumerate(result.slopes)]
    else:
        ui.say("biases", most=MOST_HEADS)
        distance = range(result.bias.shape[1])
        curves = [Curve(f"head {h}", distance, values) for h, values in enumerate(result.bias[:MOST_HEADS])]
    steps = isinstance(result, Biases)
    spec = lines(
        curves,
        x_title="distance to an earlier word (tokens)" if steps else "distance (tokens)",
        y_title="added to the score",
        mode=ui.color_mode(),
        steps=steps,
    )
    alt = f"What each head adds to a score, by distance{', in steps' if steps else ''}."
    ui.chart(spec, key="learned-buckets" if steps else "learned-slopes", alt=alt)


def _table(result: Table, drawn: str) -> None:
    """The map, and the mean cosine by distance beside that of sines and cosines of the same size."""
    ui.say("first")
    ui.say("neighbors")
    picture, chart = ui.pair("learned-table")
    with picture:
        _similarities(result, drawn)
    values = {"learned": result.by_distance, "sines and cosines": positions.mean_by_distance(result.fixed)}
    with chart:
        spec = lines(
            [Curve(name, range(result.n), one.tolist()) for name, one in values.items()],
            x_title="distance between two positions (tokens)",
            y_title="mean cosine",
            mode=ui.color_mode(),
            height=280,
            y_range=(-1, 1),
        )
        ui.chart(spec, key="learned-by-distance", alt=ui.words("by-distance"))


def _similarities(result: Table, drawn: str) -> None:
    name = "Learned" if drawn == "learned" else "Sines and cosines of the same size"
    ui.matrix(
        result.learned.cosine if drawn == "learned" else result.fixed,
        rows=[str(p) for p in range(result.n)],
        columns=[str(p) for p in range(result.n)],
        key=f"positions-{drawn}",
        kind="signed",
        limits=(-1, 1),
        row_title="position",
        column_title="position",
        value_title="cosine",
        label=f"{name}: cosine of each pair of positions",
        height=440,
    )
