"""An ImageGPT learns to write digits, live: its bits per pixel beside those of counting, and what it writes now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import seed
from core.rooms.pixels.compute import completions, pixel_bits, pixel_text
from core.rooms.pixels.compute import pixels as writing
from core.rooms.pixels.compute.pixel_text import TITLES
from core.rooms.pixels.experiments import pixels as task
from core.train.experiments.live import Live
from core.train.trainer import Trainer

EXPERIMENT = "pixels"
N_SAMPLE = 10
CODE = (
    task.Pixels, task.jittered, Trainer.learn, writing.bits, writing.started,
    pixel_bits.of_ngram, pixel_bits.of_table,
)  # fmt: skip


class Inputs(Base, prefix="train_"):
    """What is trained."""

    seed: int = seed()
    n_level: int = task.Options.control("n_level")
    warped: bool = task.Options.control("warped")


def warm_up() -> None:
    """Count the n-grams of the example, most of a second of work, before somebody waits for it."""
    for order in task.VARIANTS:
        pixel_bits.ngrams(task.Options().n_level, order)


@dataclass(frozen=True)
class Result:
    """The training as far as it is, beside counting."""

    run: Live  # of the experiment
    grams: Mapping[str, NDArray[np.float64]]  # order -> (smoothings, orders) bits per pixel of all n-grams
    by_place: float  # bits per pixel of a table that knows only where a pixel is
    samples: Mapping[str, NDArray[np.uint8]]  # order -> (N, 8, 8) what the model writes from the start token alone

    @property
    def n_level(self) -> int:
        return int(self.run.options["n_level"])

    @property
    def now(self) -> dict[str, float]:
        """Bits per pixel in both orders."""
        return {order: float(self.run.record[f"curve.{order}.bits"][-1]) for order in task.VARIANTS}

    @property
    def best_order(self) -> str:
        """That of the best n-gram."""
        return min(self.grams, key=lambda order: float(self.grams[order].min()))

    def table(self) -> dict[str, list[Any]]:
        """Bits per pixel, look by look."""
        return self.run.table()


def compute(inputs: Inputs, run: Live) -> Result:
    """What counting pays, and what both models write now: temperature 1, nothing cut."""
    n_level, samples = run.options["n_level"], {}
    for order in task.VARIANTS:
        nothing, settings = np.zeros(0, np.int64), {"seed": 0, "temperature": 1.0, "top_k": 0}
        written = completions.complete(task.writer(run, order), nothing, N_SAMPLE, **settings)  # type: ignore[arg-type]
        samples[order] = pixel_text.to_pixels(written.ids, n_level, order)
    grams = {order: pixel_bits.ngrams(n_level, order) for order in task.VARIANTS}
    return Result(run, grams, float(pixel_bits.of_table(n_level).mean()), samples)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The curves beside counting, and samples from nothing."""
    record, now, blind = run.record, result.now, float(np.log2(result.n_level))
    fewest = float(result.grams[result.best_order].min())
    counting = min(fewest, result.by_place)
    curves = {TITLES[order]: (record["step"], record[f"curve.{order}.bits"]) for order in task.VARIANTS}
    curves[f"{TITLES['raster']}, known digits"] = (record["step"], record["curve.raster.known"])
    lowest = min(float(values.min()) for _, values in curves.values())
    ", ".join(f"{TITLES[order]} {bits:.2f}" for order, bits in now.items())
    left, right = ui.pair("pixels-training")
    with left:
        ui.curves(
            curves,
            n_step=run.n_step,
            y=ui.Axis("bits per pixel", (min(0.75 * counting, 0.9 * lowest), 1.06 * blind)),
            references={f"blind guess: {blind:g} bits": blind, "the best of counting": counting},
            height=340,
        )
    gram = f"{pixel_bits.best_ngram(result.n_level, result.best_order)}, {TITLES[result.best_order]}"
    n_gram = sum(some.size for some in result.grams.values())
    ui.say("bits", step=int(record["step"][-1]), n_gram=n_gram, fewest=fewest, gram=gram)
    with right:
        for order, samples in result.samples.items():
            ui.pictures(
                samples,
                key=f"pixels-sample-{order}",
                label=f"Written from nothing, {TITLES[order]}",
                takeaway=f"{N_SAMPLE} pictures that the model writes at step {run.step}.",
                size=64,
                columns=5,
            )
    ui.say("settled")
