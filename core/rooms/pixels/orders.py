"""Row by row against column by column: the same pictures, other factors, nearly the same bits; and n-grams in both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, NothingToShow, guess, seed, slider
from core.inspect.reading.pictures import Picture, digit
from core.models.ngram import NGram
from core.rooms.pixels.compute import pixel_bits, pixel_text
from core.rooms.pixels.compute import pixels as writing
from core.rooms.pixels.compute.completions import Completed, completed
from core.rooms.pixels.compute.pixel_text import N_PIXEL, SIDE, TITLES
from core.rooms.pixels.experiments import pixels as task
from core.rooms.pixels.inputs import Judged
from core.rooms.pixels.pixel_film_widget import film_of
from core.train.experiments.live import Live

TRAINED, ORDER = "pixels", "column"
LITTLE = 0.03  # bits per pixel
GUESSES = {"both": "both alike", "model": "ImageGPT more", "ngram": "the n-grams more", "none": "neither"}
CODE = (pixel_text.order, writing.bits, pixel_bits.of_ngram, pixel_bits.as_map, NGram.log_probs)


def guessed(i: Any) -> bool:
    """Whether the rest is asked for."""
    return bool(i.guess != NOT_YET)


class Inputs(Judged, prefix="orders_"):
    """A guess, a digit, and how it goes on."""

    guess: str = guess("Whose bits per pixel depend more on the order?", GUESSES)
    picture: Picture = replace(
        digit("orders", 5),
        when=guessed,
        heading="**One digit, column by column.** Its left columns are given; the model writes the others.",
    )
    columns: int = slider("Columns given", 0, SIDE - 1, 4, when=guessed)
    temperature: float = slider("Temperature", 0.0, 2.0, 0.3, step=0.1, when=guessed)
    seed: int = seed(when=guessed)


@dataclass(frozen=True)
class Result(Guessed):
    """Both orders; every mapping goes by their names."""

    guesses = GUESSES
    guess: str
    bits: Mapping[str, NDArray[np.float64]]  # (360, 64) what the held-out digits cost ImageGPT, in the order of writing
    grams: Mapping[str, NDArray[np.float64]]  # (orders,) bits per pixel of the best n-gram for each n
    best: Mapping[str, str]  # the best of all n-grams, in words
    cost: Mapping[str, NDArray[np.float64]]  # (64,) what one picture costs ImageGPT
    by_place: float  # bits of a picture from a table that knows only where a pixel is
    done: Completed  # the picture, completed column by column

    @property
    def own(self) -> dict[str, float]:
        """Bits per pixel of ImageGPT."""
        return {order: float(bits.mean()) for order, bits in self.bits.items()}

    @property
    def maps(self) -> NDArray[np.float64]:
        """(2, 8, 8) mean bits of each pixel."""
        return np.stack([pixel_bits.as_map(bits, order) for order, bits in self.bits.items()])

    @property
    def apart(self) -> tuple[float, float]:
        """By how many bits the orders differ, for ImageGPT and for the 2-gram."""
        return abs(self.own["raster"] - self.own["column"]), abs(
            float(self.grams["raster"][1] - self.grams["column"][1])
        )

    @property
    def came(self) -> Came:
        return Came(who_depends(*self.apart))

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """The maps."""
        return {"bits": self.maps}

    def table(self) -> dict[str, list[Any]]:
        """Pixel after pixel as they are written; beside the first rows, the n-grams by n, of which there are fewer."""
        rest = [None] * (N_PIXEL - len(pixel_bits.ORDERS))
        return {
            "pixel written": list(range(1, N_PIXEL + 1)),
            **{f"bits, {TITLES[order]}": bits.tolist() for order, bits in self.cost.items()},
            **{f"mean of held-out digits, {TITLES[o]}": bits.mean(0).tolist() for o, bits in self.bits.items()},
            "n of the n-gram": [*pixel_bits.ORDERS, *rest],
            **{f"n-gram, {TITLES[order]}": [*bits.tolist(), *rest] for order, bits in self.grams.items()},
        }


def who_depends(model: float, two: float) -> str:
    """The right answer to the guess: by how many bits the orders differ, for ImageGPT and for the 2-gram."""
    if max(model, two) < LITTLE:
        return "none"
    return "ngram" if two > 2 * model else "model" if model > 2 * two else "both"


def compute(inputs: Inputs, run: Live) -> Result:
    """What each order costs ImageGPT and n-grams, on all held-out digits and on one; and that one completed."""
    if inputs.guess == NOT_YET:
        raise NothingToShow("Guess first; then you'll see what was measured.")
    n_level, picture, cost = run.options["n_level"], inputs.picture, {}
    for order in task.VARIANTS:
        ids = pixel_text.to_ids(torch.from_numpy(picture.shades), n_level, order)
        cost[order] = writing.bits(task.writer(run, order), ids)[0].double().numpy()
    settings: dict[str, Any] = {"seed": inputs.seed, "temperature": inputs.temperature}
    return Result(
        inputs.guess,
        {order: pixel_bits.of_writer(run, order) for order in task.VARIANTS},
        {order: pixel_bits.ngrams(n_level, order).min(0) for order in task.VARIANTS},
        {order: pixel_bits.best_ngram(n_level, order) for order in task.VARIANTS},
        cost,
        float(pixel_bits.of_table(n_level).sum(1).mean()),
        completed(run, inputs.judge, picture, ORDER, inputs.columns * SIDE, **settings),
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Bits of both orders, where they stand, one digit's account, and completions from the left half."""
    _bits(result, inputs)
    if ui.at_least("numbers"):
        _maps(result)
    film_of(result.done, key="orders-film")
    ui.say("recognized")
    ui.say("account")


def _bits(result: Result, inputs: Inputs) -> None:
    """Bits per pixel by n, with what ImageGPT needs as a line."""
    own, grams = result.own.values(), result.grams
    ui.curves(
        {f"n-gram, {TITLES[order]}": (pixel_bits.ORDERS, values) for order, values in grams.items()},
        x="n of the n-gram: it looks at n − 1 pixels",
        n_step=max(pixel_bits.ORDERS),
        y=ui.Axis("bits per pixel", (0.85 * min(own), 1.04 * max(float(values.max()) for values in grams.values()))),
        references={"ImageGPT, mean of both orders": float(np.mean(list(own)))},
        height=240,
    )
    ui.say("bits")
    ui.say("smoothing", smoothings=", ".join(pixel_bits.TITLES[name] for name in pixel_bits.SMOOTHINGS))


def _maps(result: Result) -> None:
    """Where the bits stand, for both orders with one scale."""
    names, maps = [str(i + 1) for i in range(SIDE)], result.maps
    places = ui.pair("orders-maps", alike=True)
    for place, (order, bits), values, half in zip(places, result.bits.items(), maps, ("upper", "left"), strict=True):
        first, whole = float(bits[:, : N_PIXEL // 2].sum(1).mean()), float(values.sum())
        with place:
            ui.matrix(
                values,
                rows=names,
                columns=names,
                row_title="row",
                column_title="column",
                value_title="bits",
                kind="value",
                limits=(0.0, float(maps.max())),
                key=f"orders-map-{order}",
                label=f"Bits of each pixel, {TITLES[order]}",
                takeaway=f"The 32 pixels written first cost {first:.0f} of {whole:.0f} bits of a picture.",
                height=300,
            )
            ui.say("whole", whole=whole, half=half, first=first)
