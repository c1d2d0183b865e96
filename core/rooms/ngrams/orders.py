"""Longer and longer pasts: perplexity by order and smoothing, n-grams never seen, and texts that begin to copy."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.cache import memoize
from core.generate.decode import inverse_cdf
from core.inputs import seed, segmented
from core.models.ngram import NGram
from core.rooms.ngrams import perplexity_chart
from core.rooms.ngrams.compute import ngram_orders
from core.rooms.ngrams.compute.ngram_orders import Losses, Sample
from core.rooms.ngrams.formatting import large
from core.rooms.ngrams.inputs import (
    MAX_ORDER,
    SMOOTHINGS,
    USUAL_K,
    Looked,
    Text,
    added_count,
    smoothing,
    smoothing_options,
)
from core.rooms.ngrams.ngram_samples_widget import Card, ngram_samples

MAX_RESULTS = 128  # some kilobytes each
GIVEN = MAX_ORDER - 1  # tokens that a text begins with: as many as the highest order looks at
N_TOKEN = {"char": 180, "word": 45, "bpe": 45}  # about as many letters
UNITS = {"perplexity": "perplexity per token", "token": "bits per token", "character": "bits per character"}
ONE, ALL = "this smoothing", "all four"
WARM_UP = True
CODE = (NGram, ngram_orders.losses, ngram_orders.never_seen, ngram_orders.longest_copy, inverse_cdf)


class Inputs(Looked, prefix="order_"):
    """The smoothing, how its results are shown, and the seed of the texts."""

    smoothing: str = smoothing("interpolated")
    k: float = added_count()
    unit: str = segmented("Unit", UNITS, "perplexity")
    show: str = segmented("Show", [ONE, ALL], ONE)
    seed: int = seed(label="Seed of the texts")


@dataclass(frozen=True)
class Result:
    """Six orders."""

    losses: Mapping[str, Losses]  # by smoothing
    # (6,) for each length the share of the validation text's n-grams that the training text does not have
    unseen: NDArray[np.float64]
    prompt: tuple[int, ...]  # ids of the beginning that each order goes on from
    samples: tuple[Sample, ...]  # what each order writes after it
    chosen: Losses  # the losses of the smoothing that was chosen

    @property
    def best(self) -> int:
        """The order with the lowest loss on the validation text; 0: all are infinite."""
        return int(np.argmin(self.chosen.val)) + 1 if np.isfinite(self.chosen.val).any() else 0

    @property
    def lowest(self) -> str:
        """Its perplexity."""
        return large(math.exp(self.chosen.val.min()))

    @property
    def n_infinite(self) -> int:
        return int(np.isinf(self.chosen.val).sum())

    @property
    def shares(self) -> list[str]:
        """Of the n-grams never seen, in words."""
        return [perplexity_chart.told_share(share) for share in self.unseen]

    @property
    def formula(self) -> str:
        """For order 3 on the validation text."""
        value = self.chosen.val[2]
        number = r"\infty" if math.isinf(value) else f"{value:.4f}"
        power = r"\infty" if math.isinf(value) else f"{math.exp(value):.4g}"
        return rf"\text{{order 3, validation text: }} \exp({number}) = {power}"

    def table(self) -> dict[str, list[Any]]:
        """One line for each order: what was never seen, and the surprise under each smoothing."""
        columns = {"order": list(range(1, MAX_ORDER + 1)), "never-seen share": self.unseen.tolist()}
        for name, one in self.losses.items():
            for part, nats in (("training", one.train), ("validation", one.val)):
                columns[f"{SMOOTHINGS[name]}: {part} nats per token"] = nats.tolist()
                columns[f"{SMOOTHINGS[name]}: {part} perplexity"] = np.exp(nats).tolist()
        return columns


@memoize(MAX_RESULTS)
def losses_of(text: Text, smoothing: Any, k: float = USUAL_K) -> Losses:
    """Of the orders 1 to 6 under one smoothing."""
    return ngram_orders.losses(text.counts, smoothing, text.train, text.val, **smoothing_options(smoothing, k))


@memoize(MAX_RESULTS)
def samples_of(text: Text, smoothing: str, k: float, seed: int) -> tuple[tuple[int, ...], tuple[Sample, ...]]:
    """A beginning, and what each order writes after it."""
    newlines = [i for i, name in enumerate(text.names(range(text.tokenizer.vocab_size))) if "\n" in name]
    prompt = ngram_orders.beginning(text.train, np.array(newlines, dtype=np.int64), GIVEN, seed)
    models = [text.model(order, smoothing, k) for order in range(1, MAX_ORDER + 1)]
    given = (prompt, N_TOKEN[text.unit], seed, text.train)
    return tuple(prompt), tuple(ngram_orders.sample(model, *given) for model in models)


def compute(inputs: Inputs) -> Result:
    """How good the orders 1 to 6 are on both parts of the text, and what they write."""
    text, k = inputs.text, inputs.k
    shown = SMOOTHINGS if inputs.show == ALL else (inputs.smoothing,)
    losses = {name: losses_of(text, name, k if name == "lidstone" else USUAL_K) for name in shown}
    unseen = ngram_orders.never_seen(text.counts, text.val)
    return Result(losses, unseen, *samples_of(text, inputs.smoothing, k, inputs.seed), losses[inputs.smoothing])


def draw(result: Result, inputs: Inputs) -> None:
    """Two charts, the best order, and six texts."""
    mode, curves = ui.color_mode(), _curves(result, inputs)
    values = "; ".join(f"{name}: {', '.join(map(_number, curve))}" for name, curve in curves.items())
    shares = ", ".join(f"order {n} {share}" for n, share in enumerate(result.shares, 1))
    unseen = perplexity_chart.shares(result.unseen, y_title="never seen in training", mode=mode)
    left, right = ui.pair("order-charts")
    with right:
        ui.chart(unseen, alt=ui.words("unseen-alt", told=shares), key="order-unseen")
    with left:
        spec = perplexity_chart.by_order(curves, y_title=UNITS[inputs.unit], mode=mode)
        alt = f"{UNITS[inputs.unit].capitalize()} of the orders 1 to {MAX_ORDER}. {values}"
        ui.chart(spec, alt=alt, key="order-losses")
    ui.say("verdict")
    ngram_samples(
        [_card(one, result, inputs.text) for one in result.samples],
        key="order-texts",
        label=ui.words("texts", shown_name=SMOOTHINGS[inputs.smoothing]),
        takeaway=ui.words("takeaway"),
    )


def _number(value: float) -> str:
    return large(value) if math.isfinite(value) else "infinite"


def _curves(result: Result, inputs: Inputs) -> dict[str, NDArray[np.float64]]:
    """Both texts for one smoothing; for all four, the validation text alone."""
    text = inputs.text

    def in_unit(nats: NDArray[np.float64], ids: NDArray[np.int64]) -> NDArray[np.float64]:
        if inputs.unit == "perplexity":
            return np.exp(nats)
        per_token = len(text.tokenizer.decode(ids.tolist())) / len(ids) if inputs.unit == "character" else 1
        return nats / math.log(2) / per_token

    if inputs.show == ONE:
        one = result.chosen
        return {"training text": in_unit(one.train, text.train), "validation text": in_unit(one.val, text.val)}
    names = SMOOTHINGS | {"lidstone": f"add k = {inputs.k:g}"}
    return {f"{names[name]}, validation": in_unit(one.val, text.val) for name, one in result.losses.items()}


def _card(one: Sample, result: Result, text: Text) -> Card:
    copied = slice(one.copied.start, one.copied.start + one.copied.length)
    return Card(
        title=f"Order {one.order}",
        note="looks at nothing" if one.order == 1 else f"looks at {ui.plural(one.order - 1, 'token')}",
        prompt=text.names(result.prompt),
        tokens=text.names(one.ids),
        p=one.p,
        copied=(one.copied.start, one.copied.length),
        foot=ui.words("foot", sample=one, n_letter=len(text.tokenizer.decode(one.ids[copied]))),
    )
