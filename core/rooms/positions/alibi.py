"""ALiBi: the score falls linearly with distance, with a different slope for each head."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, slider
from core.nn.attention import masked_softmax
from core.nn.masks import causal
from core.nn.positions import alibi_bias, alibi_slopes

LABELS = module_labels(__name__)

N_TOKEN = 24  # of the small matrix
WARM_UP = True


class Inputs(Base, prefix="alibi_"):
    n_head: int = slider(1, 16, 6, name="alibi_heads")
    reach: int = slider(8, 256, 32, step=8)
    head: int = slider(0, lambda i: i.n_head - 1, 0, view=ViewChoice())


class AlibiRecord(Result):
    """ALiBi for a number of heads, on a text where every score is 0 before the bias."""

    slopes: NDArray[np.float32]  # (H,)
    bias: NDArray[np.float32]  # (H, T, T) added to the scores
    # (H, T, T) causal softmax of the bias alone: how far back each head looks if nothing else counts
    weights: NDArray[np.float32]
    half: NDArray[np.float64]  # (H,) distance in tokens at which a weight has fallen to half, ln 2 / slope
    written: list[str]  # the slopes as text
    formula: str  # for one head

    def table(self) -> Table:
        """Return one row per head."""
        return {
            LABELS["table.head"]: list(range(len(self.slopes))),
            LABELS["table.slope"]: self.slopes.tolist(),
            LABELS["table.as_fraction"]: self.written,
            LABELS["table.weight_halves_every_tokens"]: self.half.round(2).tolist(),
        }


def compute_alibi(n_head: int, n_token: int, head: int = 0) -> AlibiRecord:
    """Compute the biases for the paper's slopes. Source: Press et al. 2021, section 3."""
    slopes, bias = alibi_slopes(n_head), alibi_bias(n_head, n_token, n_token)
    weights = masked_softmax(bias[None], causal(n_token))[0]
    half = math.log(2) / slopes.double().numpy()
    slope = LABELS("formula.slope", head=head, slope=float(slopes[head]))
    halved = LABELS("formula.half", half=float(half[head]))
    formula = rf"\begin{{gathered}} {slope} \\[1ex] {halved} \end{{gathered}}"
    written = [format_slope(float(slope)) for slope in slopes]
    return AlibiRecord(
        slopes=slopes.numpy(), bias=bias.numpy(), weights=weights.numpy(), half=half, written=written, formula=formula
    )


def format_slope(slope: float) -> str:
    """Format a slope: 1/256 for a power of two, otherwise four digits."""
    fraction = Fraction(slope).limit_denominator(1 << 16)
    is_power = fraction.numerator == 1 and float(fraction) == slope
    return f"1/{fraction.denominator}" if is_power else f"{slope:.4f}"


CODE = (alibi_slopes, alibi_bias, compute_alibi)


def compute(inputs: Inputs) -> AlibiRecord:
    """Compute slopes, biases and each head's attention weights from the biases alone."""
    return compute_alibi(inputs.n_head, N_TOKEN, inputs.head)


def draw(result: AlibiRecord, inputs: Inputs) -> None:
    """Draw the bias of each head by distance, and one head's weights from its bias alone."""
    distance = np.arange(0, inputs.reach + 1, max(1, inputs.reach // 64))
    chart, matrix = ui.two_columns("alibi")
    with chart:
        ui.curves(
            {f"{h}: {result.written[h]}": (distance, -slope * distance) for h, slope in enumerate(result.slopes)},
            x=LABELS["distance_axis"],
            y=LABELS["bias_axis"],
            title=LABELS["legend"],
        )
    with matrix:
        names = [str(t) for t in range(N_TOKEN)]
        titles = [LABELS("weights", h=h, s=s) for h, s in enumerate(result.written)]
        ui.matrix(
            ui.select_by_choice(result.weights, inputs.head),
            rows=names,
            columns=names,
            key="alibi-weights",
            mask=np.tril(np.ones((N_TOKEN, N_TOKEN), bool)),
            label=ui.select_by_choice(titles, inputs.head),
            height=330,
        )
