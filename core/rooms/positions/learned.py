"""The positions that a trained model has learned or was given."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, NothingToShow, Result, Table, custom_control, segmented_control
from core.inspect import position_properties
from core.inspect.model_inputs.model_and_text import load_text_model, load_text_reader
from core.inspect.model_inputs.model_key import READER_KINDS, ModelKey
from core.inspect.position_properties import FloatArray, LearnedPositions
from core.models.gpt import GPT
from core.models.registry import family_of, modern_options_of_model
from core.nn.positions import RelativeBias, alibi_slopes, sinusoidal

LABELS = module_labels(__name__)

DEFAULT_MODEL = "stories-learned"  # shipped because its table is smooth; the default model's is much less so
MOST_HEADS = 8  # lines that can be distinguished
MAX_POSITIONS = 96  # positions: beyond 96 x 96 cells the labels are unreadable
LEARNED_HINT = LABELS["hint"]
NO_ORDER_TEXT = LABELS["no_order"]
NO_TABLE_TEXTS = {
    "none": LABELS["no_table.none"],
    "sinusoidal": LABELS["no_table.sinusoidal"],
    "rotary": LABELS["no_table.rotary"],
}
CODE = (GPT.embed, position_properties.learned_position_similarities)
WARM_UP = True


class Inputs(Base, prefix="learned_"):
    model: ModelKey = custom_control(
        "core.ui.models.pick_inputs:pick_model",
        lambda _: ModelKey.at(DEFAULT_MODEL),
        kinds=READER_KINDS,
        name="positions_model",
        first=DEFAULT_MODEL,
    )
    drawn: str = segmented_control(
        ("learned", "fixed"),
        "learned",
        when=lambda i: _config(i.model).positions == "learned",
    )


class PositionTable(Result):
    """A table of positions, compared with sines and cosines of the same size."""

    learned: LearnedPositions  # of its first rows
    n: int  # their number
    total: int  # rows of the whole table
    by_distance: FloatArray  # (T,) mean cosine
    fixed: FloatArray  # (T, T) cosine similarities of sines and cosines
    formula: str

    def table(self) -> Table:
        return self.learned.table()


class AlibiSlopes(Result):
    """A model with ALiBi: the slope of each head and the paper's slopes."""

    slopes: tuple[float, ...]
    paper: tuple[float, ...]
    longest: int

    def table(self) -> Table:
        """Return one row per head."""
        return {LABELS["table.head"]: list(range(len(self.slopes))), LABELS["table.slope"]: list(self.slopes)}


class RelativeBiases(Result):
    """A model with T5's scheme: the bias that each head adds to a score by distance, (H, T)."""

    bias: NDArray[np.float32]
    both_sides: bool

    def table(self) -> Table:
        """Return one row per distance and one column per head."""
        return {
            LABELS["table.distance"]: range(self.bias.shape[1]),
            **{LABELS("table.head_of_bias", h=h): one for h, one in enumerate(self.bias)},
        }


def _config(key: ModelKey) -> Any:
    """Return the config of the model that reads the text; for an encoder-decoder, the encoder's."""
    return load_text_reader(key).config


def compute(inputs: Inputs) -> PositionTable | AlibiSlopes | RelativeBiases:
    """Return the position table of the selected model, or what the model has instead."""
    model: Any = load_text_reader(inputs.model)
    config, scheme = model.config, model.config.positions
    if scheme == "learned":
        weights = load_text_model(inputs.model).model.get_parameter("pos_emb.weight").float().cpu()
        weights = weights[: config.context_length]  # padding's own position comes after them
        found = position_properties.learned_position_similarities(weights[:MAX_POSITIONS].numpy())
        n, width = found.vectors.shape
        fixed = position_properties.cosine_similarities(sinusoidal(n, width, dtype=torch.float64).numpy())
        formula = r"\cos(p, q) = \frac{E_p \cdot E_q}{\lVert E_p \rVert \, \lVert E_q \rVert}"
        formula += rf" \qquad \cos(0, 1) = {found.cosine[0, 1]:.4f}" if n > 1 else ""
        return PositionTable(
            learned=found, n=n, total=len(weights), by_distance=found.by_distance, fixed=fixed, formula=formula
        )
    if scheme == "alibi":
        paper = tuple(alibi_slopes(config.n_head).tolist())
        return AlibiSlopes(
            slopes=tuple(map(float, modern_options_of_model(config).slopes or paper)),
            paper=paper,
            longest=config.context_length,
        )
    if scheme == "relative":
        relative: RelativeBias = model.pos_emb
        n = family_of(config).context_length(config) or relative.max_distance
        bias = relative(1, n)[:, 0].flip(-1).float().cpu().numpy()  # of the last query, by distance 0 .. n - 1
        return RelativeBiases(bias=bias, both_sides=relative.bidirectional)
    raise NothingToShow(
        f"{NO_ORDER_TEXT if scheme == 'none' and not config.causal else NO_TABLE_TEXTS[scheme]} {LEARNED_HINT}"
    )


def draw(result: PositionTable | AlibiSlopes | RelativeBiases, inputs: Inputs) -> None:
    """Draw the similarities of all positions, or each head's bias by distance."""
    if isinstance(result, PositionTable):
        _table(result, inputs.drawn)
    elif isinstance(result, AlibiSlopes):
        ui.show_text_section("slopes", how=LEARNED_HINT)
        distance = np.arange(result.longest)
        slopes = {
            LABELS("head_slope", head=h, slope=slope): (distance, -slope * distance)
            for h, slope in enumerate(result.slopes)
        }
        ui.curves(slopes, x=LABELS["distance_axis"], y=LABELS["bias_axis"])
    else:
        ui.show_text_section("biases", most=MOST_HEADS)
        distance = np.arange(result.bias.shape[1])
        biases = {LABELS("head", head=h): (distance, values) for h, values in enumerate(result.bias[:MOST_HEADS])}
        ui.curves(biases, x=LABELS["earlier_axis"], y=LABELS["bias_axis"], is_staircase=True)


def _table(result: PositionTable, drawn: str) -> None:
    """Draw the map, and the mean cosine by distance next to sines and cosines of the same size."""
    ui.show_text_section("first")
    ui.show_text_section("neighbors")
    picture, chart = ui.two_columns("learned-table")
    with picture:
        _similarities(result, drawn)
    values = {
        LABELS["learned"]: result.by_distance,
        LABELS["sines"]: position_properties.mean_by_distance(result.fixed),
    }
    with chart:
        ui.curves(
            {name: (np.arange(result.n), one) for name, one in values.items()},
            x=LABELS["position_distance_axis"],
            y=ui.Axis(LABELS["cosine_axis"], (-1, 1)),
            height=280,
        )


def _similarities(result: PositionTable, drawn: str) -> None:
    ui.matrix(
        result.learned.cosine if drawn == "learned" else result.fixed,
        rows=[str(p) for p in range(result.n)],
        columns=[str(p) for p in range(result.n)],
        key=f"positions-{drawn}",
        kind="signed",
        limits=(-1, 1),
        row_title=LABELS["position"],
        column_title=LABELS["position"],
        value_title=LABELS["cosine"],
        label=LABELS["map.learned"] if drawn == "learned" else LABELS["map.fixed"],
        height=440,
    )
