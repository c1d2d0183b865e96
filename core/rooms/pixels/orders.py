"""Row by row and column by column: the same pictures, factored differently, cost nearly the same; also for n-grams."""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, NothingToShow, Result, Table, guess_control, seed, slider
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.models.ngram import NGram
from core.rooms.pixels.compute import pixel_bits, pixel_generation as writing, pixel_text
from core.rooms.pixels.compute.completions import CompletedPicture, complete_picture
from core.rooms.pixels.compute.pixel_text import DIGIT_SIDE, N_PIXEL, ORDER_TITLES
from core.rooms.pixels.experiments import pixels as task
from core.rooms.pixels.inputs import ClassifierInputs, draw_completion_film
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED, ORDER = "pixels", "column"
SMALL_DIFFERENCE = 0.03  # bits per pixel
CODE = (
    pixel_text.pixel_order,
    writing.bits_per_pixel,
    pixel_bits.ngram_pixel_bits,
    pixel_bits.mean_bits_map,
    NGram.log_probs,
)


def _has_guessed_order(i: "Inputs") -> bool:
    """Return whether the guess has been made, which reveals the rest."""
    return bool(i.guess != NOT_YET)


class Inputs(ClassifierInputs, prefix="orders_"):
    guess: str = guess_control(
        ("both", "model", "ngram", "none"),
    )
    picture: InputPicture = replace(
        digit_control("orders", 5),
        when=_has_guessed_order,
        heading=LABELS["heading"],
    )
    columns: int = slider(0, DIGIT_SIDE - 1, 4, when=_has_guessed_order)
    temperature: float = slider(0.0, 2.0, 0.3, step=0.1, when=_has_guessed_order)
    seed: int = seed(when=_has_guessed_order)


class OrderComparison(Result):
    """Results for both orders; all mappings use their names as keys."""

    bits: dict[str, NDArray[np.float64]]  # (360, 64) of ImageGPT on the held-out digits, in the order of writing
    own: dict[str, float]  # bits per pixel of ImageGPT
    maps: NDArray[np.float64]  # (2, 8, 8) mean bits of each pixel
    halves: list[tuple[str, float, float]]  # the half written first, its bits, and the bits of the whole picture
    grams: dict[str, NDArray[np.float64]]  # (orders,) bits per pixel of the best n-gram for each n
    best: dict[str, str]  # name of the best n-gram model
    smoothings: str  # names of the smoothings that were tried
    apart: tuple[float, float]  # difference in bits between the orders, for ImageGPT and for the 2-gram
    cost: dict[str, NDArray[np.float64]]  # (64,) ImageGPT's bits for one picture
    by_place: float  # bits of a picture from a table that knows only a pixel's position
    done: CompletedPicture  # the picture, completed column by column
    outcome: GuessOutcome

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the maps."""
        return {"bits": self.maps}

    def table(self) -> Table:
        """Return one row per pixel in the order of writing; the n-grams by n fill only the first rows."""
        rest = [None] * (N_PIXEL - len(pixel_bits.NGRAM_ORDERS))
        return {
            LABELS["table.pixel_written"]: list(range(1, N_PIXEL + 1)),
            **{LABELS("table.bits", order=ORDER_TITLES[order]): bits.tolist() for order, bits in self.cost.items()},
            **{
                LABELS("table.mean_bits", order=ORDER_TITLES[o]): bits.mean(0).tolist() for o, bits in self.bits.items()
            },
            LABELS["table.n_n_gram"]: [*pixel_bits.NGRAM_ORDERS, *rest],
            **{
                LABELS("table.n_gram", order=ORDER_TITLES[order]): [*bits.tolist(), *rest]
                for order, bits in self.grams.items()
            },
        }


def order_dependence(model: float, two: float) -> str:
    """Return the right answer to the guess from the differences in bits, of ImageGPT and of the 2-gram."""
    if max(model, two) < SMALL_DIFFERENCE:
        return "none"
    return "ngram" if two > 2 * model else "model" if model > 2 * two else "both"


def compute(inputs: Inputs, run: ExperimentRun) -> OrderComparison:
    """Measure the bits of each order for ImageGPT and n-grams, on all held-out digits and on one; complete that one."""
    if inputs.guess == NOT_YET:
        raise NothingToShow(LABELS["guess_first"])
    n_level, picture, cost = run.options["n_level"], inputs.picture, {}
    for order in task.VARIANTS:
        ids = pixel_text.to_ids(torch.from_numpy(picture.shades), n_level, order)
        cost[order] = writing.bits_per_pixel(task.trained_pixel_model(run, order), ids)[0].double().numpy()
    bits = {order: pixel_bits.model_pixel_bits(run, order) for order in task.VARIANTS}
    own = {order: float(one.mean()) for order, one in bits.items()}
    grams = {order: pixel_bits.compare_ngram_bits(n_level, order).min(0) for order in task.VARIANTS}
    apart = abs(own["raster"] - own["column"]), abs(float(grams["raster"][1] - grams["column"][1]))
    return OrderComparison(
        bits=bits,
        own=own,
        halves=[
            (half, float(one[:, : N_PIXEL // 2].sum(1).mean()), float(one.sum(1).mean()))
            for half, one in zip(("upper", "left"), bits.values(), strict=True)
        ],
        maps=np.stack([pixel_bits.mean_bits_map(one, order) for order, one in bits.items()]),
        grams=grams,
        smoothings=", ".join(pixel_bits.SMOOTHING_TITLES[name] for name in pixel_bits.SMOOTHINGS),
        best={order: pixel_bits.best_ngram_name(n_level, order) for order in task.VARIANTS},
        apart=apart,
        cost=cost,
        by_place=float(pixel_bits.position_table_bits(n_level).sum(1).mean()),
        done=complete_picture(
            run,
            inputs.judge,
            picture,
            ORDER,
            inputs.columns * DIGIT_SIDE,
            seed=inputs.seed,
            temperature=inputs.temperature,
        ),
        outcome=GuessOutcome(order_dependence(*apart)),
    )


def draw(result: OrderComparison, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the bits of both orders, their maps, the bits of one digit, and completions of its left half."""
    own, grams = result.own.values(), result.grams
    ui.curves(
        {
            LABELS("ngram", order=ORDER_TITLES[order]): (pixel_bits.NGRAM_ORDERS, values)
            for order, values in grams.items()
        },
        x=ui.Axis(LABELS["n_axis"], (0, max(pixel_bits.NGRAM_ORDERS))),
        y=ui.Axis(LABELS["bits_axis"], (0.85 * min(own), 1.04 * max(float(values.max()) for values in grams.values()))),
        references={LABELS["image_gpt"]: float(np.mean(list(own)))},
        has_dots=True,
        height=240,
    )
    if ui.depth_at_least("numbers"):
        _maps(result)
    draw_completion_film(result.done, key="orders-film")


def _maps(result: OrderComparison) -> None:
    """Draw the bits of each pixel for both orders on one scale."""
    names = [str(i + 1) for i in range(DIGIT_SIDE)]
    places = ui.two_columns("orders-maps", alike=True)
    for place, order, values, (_, first, whole) in zip(places, result.bits, result.maps, result.halves, strict=True):
        with place:
            ui.matrix(
                values,
                rows=names,
                columns=names,
                row_title=LABELS["row"],
                column_title=LABELS["column"],
                value_title=LABELS["bits"],
                kind="value",
                limits=(0.0, float(result.maps.max())),
                key=f"orders-map-{order}",
                label=LABELS("bits_map", order=ORDER_TITLES[order]),
                takeaway=LABELS("bits_map_takeaway", first=first, whole=whole),
                height=300,
            )
