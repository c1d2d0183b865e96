"""What an ImageGPT knows at each layer: a linear classifier reads digits from its vectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.cache import memoize
from core.charts.grouped import grouped
from core.data import images
from core.inputs import segmented
from core.models import registry
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute import probe as probes
from core.rooms.pixels.compute.pixel_text import TITLES
from core.rooms.pixels.compute.pixels import started
from core.rooms.pixels.compute.probe import Pool, Probed
from core.rooms.pixels.experiments import pixels as task
from core.rooms.pixels.inputs import Judged
from core.train.experiments.digit_reader import Reader
from core.train.experiments.live import Live

TRAINED = "pixels"
CHANCE = 0.015  # of 360 digits it is five: layers that lie closer cannot be told apart
POOLS: Mapping[Pool, str] = {"mean": "their mean", "last": "the last"}
FEW = 16  # results of up to 5 MB, and each holds on to its record of some hundred kilobytes
CODE = (probes.features, probes.pooled, probes.linear_probe)


def warm_up() -> None:
    """Probe the untrained model before somebody waits for it; the trained one takes as long."""
    probed(None, task.Options().n_level, "raster", "mean")


class Inputs(Judged, prefix="probe_"):
    """Whose vectors are read, and which of them."""

    pool: Pool = segmented("Of its 64 vectors", POOLS, "mean")
    order: str = segmented("Model that writes", TITLES, "raster")


@dataclass(frozen=True)
class Result:
    """How many digits are read, by what they are read from."""

    names: Mapping[str, str]  # tap -> the layer in words
    trained: Mapping[str, Probed]  # trained, untrained: tap -> from its vectors
    untrained: Mapping[str, Probed]
    raw: Probed  # from the shades of the 64 pixels themselves
    vit: Probed  # from the ViT's class token after its last norm

    @property
    def best(self) -> str:
        """The tap whose vectors are read best; of equals the first."""
        return max(self.trained, key=lambda tap: self.trained[tap].held_out)

    @property
    def n_near(self) -> int:
        """Other layers that are as good but for chance."""
        return sum(self.trained[self.best].held_out - one.held_out < CHANCE for one in self.trained.values()) - 1

    @property
    def place(self) -> str:
        """Where the best is; the last block's vectors and the same after the norm both are the end."""
        at = list(self.trained).index(self.best)
        return "start" if at == 0 else "near" if self.n_near else "middle" if at < len(self.trained) - 2 else "end"

    def table(self) -> dict[str, list[Any]]:
        """Layer by layer, and what to compare them with."""
        rows = {f"trained, {self.names[tap]}": one for tap, one in self.trained.items()}
        rows |= {f"untrained, {self.names[tap]}": one for tap, one in self.untrained.items()}
        return probes.table(rows | {"64 pixels as they are": self.raw, "ViT, its class token": self.vit})


@memoize(FEW)
def features(run: Live | None, n_level: int, order: str) -> Mapping[Pool, Mapping[str, NDArray[np.float32]]]:
    """One vector of each digit at each layer, of the model of a run, or of an untrained one: by far the slowest part.

    Returns:
        Pool -> tap -> (1797, D), the digits to learn from first.
    """
    model = registry.build(task.config(n_level), 0).eval() if run is None else task.writer(run, order)
    return probes.features(model, started(model, torch.cat(pixel_text.texts(n_level, order))), tuple(POOLS))


@memoize(FEW)
def probed(run: Live | None, n_level: int, order: str, pool: Pool) -> dict[str, Probed]:
    """The layers of such a model, probed: tap -> result."""
    return {tap: probes.of_digits(x) for tap, x in features(run, n_level, order)[pool].items()}


@memoize(1)
def raw_pixels() -> Probed:
    """No model at all: the same classifier on the shades of the 64 pixels."""
    return probes.of_digits(probes.all_shades())


@memoize(FEW)
def class_token(judge: Live) -> Probed:
    """The ViT's, after its last norm."""
    shades = torch.from_numpy(probes.all_shades())
    return probes.of_digits(probes.features(Reader(judge).model(), shades, ("first",))["first"]["final"])


def compute(inputs: Inputs, run: Live) -> Result:
    """A linear classifier reads digits from each layer of the trained model, and of one whose weights are drawn."""
    trained, untrained = (probed(one, run.options["n_level"], inputs.order, inputs.pool) for one in (run, None))
    names = probes.layer_names(task.writer(run, inputs.order))
    return Result(names, trained, untrained, raw_pixels(), class_token(inputs.judge))


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The bars of all layers, with what they have to be compared with."""
    names, raw = result.names, result.raw.held_out
    both = {"trained": result.trained, "untrained": result.untrained}
    spec = grouped(
        list(names.values()),
        {who: [some[tap].held_out for tap in names] for who, some in both.items()},
        [raw] * len(names),
        x_title="held-out digits read right",
        mark_title="on the 64 pixels themselves",
        mode=ui.color_mode(),
    )
    chart, text = ui.pair("probe-sides")
    with chart:
        shares = ", ".join(f"{name} {result.trained[tap].held_out:.1%}" for tap, name in names.items())
        ui.chart(spec, alt=f"Right by layer: {shares}. The pixels: {raw:.1%}.", key="probe")
    with text:
        ui.say("best", chance=f"{100 * CHANCE:g}")
        ui.say("compared")
        ui.say("probe", n_learn=len(images.to_learn()), n_held=len(images.held_out()))
