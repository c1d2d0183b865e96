"""An ImageGPT learns to write digits, live: its bits per pixel compared with counting, and its current samples."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed
from core.rooms.pixels.compute import completions, pixel_bits, pixel_generation as writing, pixel_text
from core.rooms.pixels.compute.pixel_text import ORDER_TITLES
from core.rooms.pixels.experiments import pixels as task
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.trainer import Trainer

LABELS = module_labels(__name__)

EXPERIMENT = "pixels"
N_SAMPLE = 10
CODE = (
    task.Pixels, task.add_level_noise, Trainer.learn, writing.bits_per_pixel, writing.shift_pixels_right,
    pixel_bits.ngram_pixel_bits, pixel_bits.position_table_bits,
)  # fmt: skip


class Inputs(Base, prefix="train_"):
    seed: int = seed()
    n_level: int = task.Options.control("n_level")
    warped: bool = task.Options.control("warped")


def warm_up() -> None:
    """Count the example's n-grams, which takes most of a second, before a visitor waits for them."""
    for order in task.VARIANTS:
        pixel_bits.compare_ngram_bits(task.Options().n_level, order)


class WritingProgress(Result):
    """The current state of the run, compared with counting; mappings use the order as key."""

    run: ExperimentRun
    now: dict[str, float]  # bits per pixel
    n_gram: int
    grams: dict[str, NDArray[np.float64]]  # (smoothings, orders) bits per pixel of all n-grams
    gram: str  # name of the best one
    fewest: float  # its bits
    by_place: float  # bits per pixel of a table that knows only a pixel's position
    samples: dict[str, NDArray[np.uint8]]  # (N, 8, 8) pictures generated from the start token alone

    def table(self) -> Table:
        """Return the bits per pixel at each evaluation."""
        return self.run.table()


def compute(inputs: Inputs, run: ExperimentRun) -> WritingProgress:
    """Measure the bits of counting models, and sample from both models at temperature 1 without filters."""
    n_level, samples = int(run.options["n_level"]), {}
    for order in task.VARIANTS:
        nothing = np.zeros(0, np.int64)
        written = completions.complete_pixels(
            task.trained_pixel_model(run, order), nothing, N_SAMPLE, seed=0, temperature=1.0, top_k=0
        )
        samples[order] = pixel_text.to_pixels(written.ids, n_level, order)
    grams = {order: pixel_bits.compare_ngram_bits(n_level, order) for order in task.VARIANTS}
    best = min(grams, key=lambda order: float(grams[order].min()))
    return WritingProgress(
        run=run,
        now={order: float(run.record[f"curve.{order}.bits"][-1]) for order in task.VARIANTS},
        n_gram=sum(some.size for some in grams.values()),
        grams=grams,
        gram=LABELS("best_ngram", name=pixel_bits.best_ngram_name(n_level, best), order=ORDER_TITLES[best]),
        fewest=float(grams[best].min()),
        by_place=float(pixel_bits.position_table_bits(n_level).mean()),
        samples=samples,
    )


def draw(result: WritingProgress, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the training curves with counting for comparison, and samples from the start token."""
    record, blind = run.record, float(np.log2(run.options["n_level"]))
    counting = min(result.fewest, result.by_place)
    curves = {ORDER_TITLES[order]: (record["step"], record[f"curve.{order}.bits"]) for order in task.VARIANTS}
    curves[LABELS("known_digits", order=ORDER_TITLES["raster"])] = (record["step"], record["curve.raster.known"])
    lowest = min(float(values.min()) for _, values in curves.values())
    left, right = ui.two_columns("pixels-training")
    with left:
        ui.curves(
            curves,
            y=ui.Axis(LABELS["bits_axis"], (min(0.75 * counting, 0.9 * lowest), 1.06 * blind)),
            n_step=run.n_step,
            references={LABELS("blind_guess", bits=blind): blind, LABELS["counting"]: counting},
            height=340,
        )
    with right:
        for order, samples in result.samples.items():
            ui.pictures(
                samples,
                key=f"pixels-sample-{order}",
                label=LABELS("written", order=ORDER_TITLES[order]),
                takeaway=LABELS("written_takeaway", n_sample=N_SAMPLE, step=run.step),
                size=64,
                columns=5,
            )
