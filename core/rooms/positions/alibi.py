"""ALiBi: the score falls with the distance, for each head on a straight line of its own."""

import numpy as np

from core import ui
from core.charts.curves import Curve
from core.charts.lines import lines
from core.inputs import Inputs as Base
from core.inputs import slider
from core.nn.positions import alibi_bias, alibi_slopes
from core.rooms.positions.compute import biases
from core.rooms.positions.compute.biases import Alibi

N_TOKEN = 24  # of the small matrix
CODE = (alibi_slopes, alibi_bias, biases.alibi)
WARM_UP = True


class Inputs(Base, prefix="alibi_"):
    """How many heads, how far, and whose weights are drawn."""

    n_head: int = slider("Heads", 1, 16, 6, name="alibi_heads")
    reach: int = slider("Distances up to", 8, 256, 32, step=8)
    head: int = slider("Head", 0, lambda i: i.n_head - 1, 0)


def compute(inputs: Inputs) -> Alibi:
    """Slopes, biases and what each head would read by them alone."""
    return biases.alibi(inputs.n_head, N_TOKEN, inputs.head)


def draw(result: Alibi, inputs: Inputs) -> None:
    """The bias of each head by distance, and what one head would read by its bias alone."""
    slopes, written, head = result.slopes.tolist(), result.written, inputs.head
    ui.say("slopes")
    distance = range(0, inputs.reach + 1, max(1, inputs.reach // 64))
    curves = [Curve(f"{h}: {written[h]}", distance, [-slopes[h] * d for d in distance]) for h in range(len(slopes))]
    chart, matrix = ui.pair("alibi")
    with chart:
        spec = lines(
            curves,
            x_title="distance (tokens)",
            y_title="added to the score",
            mode=ui.color_mode(),
            height=320 + 10 * len(slopes),  # the legend takes two heads a line
            legend_title="head: its slope",
        )
        steepest, flattest = slopes.index(max(slopes)), slopes.index(min(slopes))
        ui.chart(spec, key="alibi-lines", alt=ui.words("lines", steepest=steepest, flattest=flattest))
    with matrix:
        ui.matrix(
            result.weights[head],
            rows=[str(t) for t in range(N_TOKEN)],
            columns=[str(t) for t in range(N_TOKEN)],
            key="alibi-weights",
            mask=np.tril(np.ones((N_TOKEN, N_TOKEN), bool)),
            label=f"Head {head}, slope {written[head]}: its weights if all words were alike",
            height=330,
        )
