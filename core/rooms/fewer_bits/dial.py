"""All weights in fewer bits: the weights of each matrix before and after, and what the model then says."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.printable import printable
from core.exhibit import MAX_FIGURES, NOT_YET, Came, Guessed, Look, guess, memoize, segmented, slider
from core.inspect.reading.model_and_text import load, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.fewer_bits.compute import judge, quantise, rounding
from core.rooms.fewer_bits.compute.judge import TIMES, Spoken, held_out, spoken, verdict
from core.rooms.fewer_bits.compute.rounding import PARTS, WHOLE, by_layer, bytes_of, check_size, in_bits, part_of
from core.rooms.fewer_bits.inputs import BITS, SCALES, Text
from core.rooms.fewer_bits.levels_widget import Before, count, levels

GUESSES = {bits: f"at {bits} bits" for bits in ("8", "4", "3", "2")}
N_NEW = 24  # tokens that are written
AT = ("bits_layer", "bits_part")
CODE = (quantise.quantise, rounding.rounded_weights, judge.verdict, judge.spoken)


@memoize(MAX_FIGURES)
def parts_of(key: ModelKey) -> tuple[str, ...]:
    """The parts of the model that are rounded."""
    here = {part_of(name) for name, _ in load(key).model.named_parameters()}
    return tuple(part for part in PARTS if part in here)


class Inputs(Text, prefix="bits_"):
    """How the weights are rounded; and which of them are looked at."""

    guess: str = guess("Before you look: at how many bits does the text fall apart?", GUESSES)
    bits: int = segmented("Bits of a weight", BITS, 4)
    scales: str = segmented(
        "One scale for each",
        SCALES,
        "row",
        help="The scale is the distance between two levels. A row of a matrix makes one number of its output.",
        depth="numbers",
    )
    part: str = segmented(
        "Weights to look at",
        lambda i: {one: PARTS[one] for one in parts_of(i.given.key)},
        "w_o",
        look=Look(),
        depth="numbers",
    )
    layer: int = slider("Layer", 0, lambda i: i.given.config.n_layer - 1, 0, look=Look(), depth="numbers")


@dataclass(frozen=True)
class Result(Guessed):
    """A model before and after, in its weights and in its words."""

    guesses = GUESSES
    guess: str
    bits: int
    losses: dict[int, float]  # nats per token by bits; only those of the original, until there is a guess
    divergence: float  # of the next tokens from the original's, in nats
    n_byte: int
    n_byte_before: int
    share: float  # of all parameters that are rounded
    before: Spoken
    after: Spoken
    vocabulary: tuple[str, ...]
    is_held_out: bool

    @property
    def is_told(self) -> bool:
        return self.guess != NOT_YET

    @property
    def falls(self) -> int:
        """The most bits at which the right token is on average so many times less likely; 0: at none of them."""
        return next((b for b, loss in self.losses.items() if loss - self.losses[WHOLE] > np.log(TIMES)), 0)

    @property
    def came(self) -> Came | None:
        if not self.is_told:
            return None
        return Came(str(self.falls), "") if self.falls else Came("", "not even at 2 bits")

    @property
    def loss(self) -> float:
        return self.losses[self.bits]

    @property
    def first(self) -> int | None:
        """The first place at which the two texts differ; None: they are the same."""
        differ = np.flatnonzero(self.before.written != self.after.written)
        return int(differ[0]) if len(differ) else None

    @property
    def less_likely(self) -> float:
        """How many times less likely the right token is, on average."""
        return float(np.exp(self.loss - self.losses[WHOLE]))

    @property
    def smaller(self) -> float:
        """How many times fewer bytes."""
        return self.n_byte_before / self.n_byte

    def tokens(self, one: Spoken) -> list[str]:
        return [self.vocabulary[i] for i in one.written]

    def table(self) -> dict[str, Any]:
        """One line for each number of bits."""
        return {"bits": [*self.losses], "loss": [*self.losses.values()]}

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"before": self.before.probabilities, "after": self.after.probabilities}


def compute(inputs: Inputs) -> Result:
    """The model's loss by bits, and what it writes with the original and with the rounded weights."""
    key, ids_key, bits = inputs.given.key, inputs.given.encoded.ids_key, inputs.bits
    model, scales, is_told = load(key).model, inputs.scales, inputs.guess != NOT_YET
    check_size(model)
    now = bits if is_told else WHOLE
    all_bits = BITS if is_told else (WHOLE,)
    n_all = sum(weight.numel() for weight in model.parameters())
    return Result(
        guess=inputs.guess,
        bits=now,
        losses={one: verdict(key, ids_key, one, scales).loss for one in all_bits},
        divergence=verdict(key, ids_key, now, scales).divergence,
        n_byte=bytes_of(model, bits, scales),
        n_byte_before=bytes_of(model, WHOLE, scales),
        share=sum(weight.numel() for weight in rounding.matrices(model).values()) / n_all,
        before=spoken(key, ids_key, WHOLE, scales, N_NEW),
        after=spoken(key, ids_key, now, scales, N_NEW),
        vocabulary=vocabulary(key),
        is_held_out=held_out(key) is not None,
    )


@memoize(MAX_FIGURES)
def _counts(key: ModelKey, part: str, bits: int, scales: str) -> tuple[Before, ...]:
    """How many weights of a part fall where, in each layer, before and after."""
    weights = by_layer(load(key).model, part)
    return tuple(count(weight, in_bits(weight, bits, scales)) for weight in weights)


def draw(result: Result, inputs: Inputs) -> None:
    """Both texts, the weights of a matrix, and the next tokens."""
    key, n_layer = inputs.given.key, inputs.given.config.n_layer
    counts = {part: _counts(key, part, inputs.bits, inputs.scales) for part in parts_of(key)}
    at = partial(_at, counts)
    found = ui.along([[at(part, layer) for part in counts] for layer in range(n_layer)], *AT)
    _row(result, result.before, "Written with 32 bits", None)
    if result.is_told:
        _row(result, result.after, f"Written with {result.bits} bits", result.first)
    show = partial(
        levels, found, names=("32 bits", f"{inputs.bits} bits"), key=f"bits.{inputs.given.content}",
        label=_label(counts, n_layer),
    )  # fmt: skip
    if result.is_told:
        left, right = ui.pair("bits-weights")
        with left:
            show()
        with right:
            _next(result)
    else:
        show()
    ui.say("bytes")
    if not result.is_told:
        ui.say("guess")
        return
    ui.say("same" if result.first is None else "differs")
    ui.say("loss")
    ui.say("falls")
    ui.say("zeros", zeros=ui.over(lambda one: one.zeros, found))
    ui.say("rest")


def _at(counts: dict[str, tuple[Before, ...]], part: str, layer: int) -> Before:
    return counts[part][min(layer, len(counts[part]) - 1)]  # outside of the blocks there is one for all layers


def _label(counts: dict[str, tuple[Before, ...]], n_layer: int) -> Any:
    def name(part: str, layer: int) -> str:
        return f"{PARTS[part].capitalize()}" + (f", layer {layer}" if len(counts[part]) > 1 else "")

    return ui.along([[name(part, layer) for part in counts] for layer in range(n_layer)], *AT)


def _next(result: Result) -> None:
    """The next token with the original and with the rounded weights."""
    before, after = result.before.probabilities, result.after.probabilities
    top = ui.top_of_either(before, after)
    ui.before_after(
        [result.vocabulary[i] for i in top],
        before[top].astype(float).tolist(),
        after[top].astype(float).tolist(),
        names=("32 bits", f"{result.bits} bits"),
        label="The next token, before and after",
        key="bits.next",
    )


def _row(result: Result, one: Spoken, title: str, first: int | None) -> None:
    """What was written; the first token that differs has a sign."""
    tokens = result.tokens(one)
    said = "" if first is None else f" It differs from the first at new token {first + 1}."
    ui.token_row(
        [f"✗{token}" if i == first else token for i, token in enumerate(tokens)],
        key=f"bits.row.{title}",
        title=title,
        takeaway=f"{title}: {printable(one.text)}.{said}",
    )
