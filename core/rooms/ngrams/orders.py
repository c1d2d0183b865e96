"""Longer and longer pasts: perplexity by order and smoothing, n-grams never seen, and texts that begin to copy."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.generate.decode import generate
from core.models.ngram import NGram
from core.rooms.ngrams import choice, perplexity_chart
from core.rooms.ngrams.choice import MAX_ORDER, NO_K, SMOOTHINGS, USUAL_K, Chosen, Reading
from core.rooms.ngrams.compute import ngram_orders
from core.rooms.ngrams.compute.ngram_orders import Losses, Sample
from core.rooms.ngrams.formatting import large
from core.rooms.ngrams.ngram_samples_widget import Card, ngram_samples
from core.rooms.ngrams.perplexity_chart import OrderCurve
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit

if TYPE_CHECKING:
    from core.models.ngram import Smoothing

MAX_RESULTS = 128  # some kilobytes each
GIVEN = MAX_ORDER - 1  # tokens that a text begins with: as many as the highest order looks at
N_TOKEN = {"char": 180, "word": 45, "bpe": 45}  # about as many letters
UNITS = {"perplexity": "perplexity per token", "token": "bits per token", "character": "bits per character"}
ONE, ALL = "this smoothing", "all four"


def warm_up() -> None:
    """What the room opens with, and what it shows as soon as the text is cut in another way."""
    for cut in N_TOKEN:
        losses_of(choice.DEFAULT, cut, "interpolated", NO_K)
        samples_of(choice.DEFAULT, cut, "interpolated", NO_K, 0)


@memoize(MAX_RESULTS)
def losses_of(source: str, cut: str, smoothing: "Smoothing", k: float) -> Losses:
    """Of the orders 1 to 6 under one smoothing."""
    read = choice.reading(source, cut)
    options = choice.options(smoothing, k)
    return ngram_orders.losses(choice.counts(source, cut), smoothing, read.train, read.val, **options)


@memoize(MAX_RESULTS)
def never_seen(source: str, cut: str) -> NDArray[np.float64]:
    """(6,) shares of the validation text's n-grams."""
    return ngram_orders.never_seen(choice.counts(source, cut), choice.reading(source, cut).val)


@memoize(MAX_RESULTS)
def samples_of(
    source: str, cut: str, smoothing: "Smoothing", k: float, seed: int
) -> tuple[tuple[int, ...], tuple[Sample, ...]]:
    """The given beginning, and what each order writes after it."""
    read = choice.reading(source, cut)
    names = read.names(range(read.tokenizer.vocab_size))
    newlines = np.array([i for i, name in enumerate(names) if "\n" in name], dtype=np.int64)
    prompt = ngram_orders.beginning(read.train, newlines, GIVEN, seed)
    return tuple(prompt), tuple(
        ngram_orders.sample(
            choice.model(Chosen(source, cut), order, smoothing, k),
            prompt,
            N_TOKEN[cut],
            seed,
            choice.searchable(source, cut),
        )
        for order in range(1, MAX_ORDER + 1)
    )


@exhibit(
    title="How far back should you look?",
    look_for="the gap between the two curves. On the counted text, every extra token of the past helps. On new text it "
    "helps less and less, because more and more n-grams were never seen.",
    try_this=[
        (
            "Choose no smoothing.",
            "A single n-gram never seen makes the whole validation text impossible: its perplexity is infinite, "
            "however well the model does elsewhere.",
        ),
        (
            "Choose “add k”, then raise k.",
            "Both curves turn up again at the higher orders, even on the counted text: after a rare past, most of the "
            "weight goes to tokens that were added, not seen.",
        ),
        (
            "Read the six texts from order 1 to order 6.",
            "First a heap of tokens, then pairs that fit, then whole sentences. But look at the underlining: the "
            "better they read, the more is copied.",
        ),
    ],
    code=(NGram, ngram_orders.losses, ngram_orders.never_seen, ngram_orders.longest_copy, generate),
    formula=r"\text{perplexity} = \exp\Bigl(-\tfrac{1}{T} \sum_{t=1}^{T} \ln {p(x_t \mid x_{t-n+1}, \dots, x_{t-1})}"
    r"\Bigr)",
)
def how_far_back(chosen: Chosen) -> Shown:
    """The smoothing, two charts, and six texts."""
    smoothing, k = choice.ask_smoothing("order", "interpolated")
    with st.container(horizontal=True):
        unit = controls.segmented("order_unit", "Unit", list(UNITS), "perplexity", labels=UNITS)
        which = controls.segmented("order_show", "Show", [ONE, ALL], ONE)
    read = choice.reading(chosen.source, chosen.cut)
    with st.spinner("Trying six orders …"):
        asked = {
            one: k if one == smoothing else USUAL_K if one == "lidstone" else NO_K
            for one in (SMOOTHINGS if which == ALL else [smoothing])
        }
        measured: dict[Smoothing, Losses] = {
            one: losses_of(chosen.source, chosen.cut, one, k_of_it) for one, k_of_it in asked.items()
        }
        unseen = never_seen(chosen.source, chosen.cut)
    curves = _curves(measured, smoothing, k, unit, read)
    spec = perplexity_chart.by_order(curves, y_title=UNITS[unit], mode=layout.color_mode())
    one, two = layout.pair("order-charts")
    with one:
        st.vega_lite_chart(spec, alt=_chart_in_words(curves, unit), key="order-losses")
    with two:
        told = ", ".join(f"order {n} {perplexity_chart.told_share(share)}" for n, share in enumerate(unseen, 1))
        st.vega_lite_chart(
            perplexity_chart.shares(unseen, y_title="never seen in training", mode=layout.color_mode()),
            alt=f"Share of the validation text's n-grams that never occur in the training text: {told}.",
            key="order-unseen",
        )
    _verdict(measured[smoothing], unseen)
    left, _ = st.columns([1, 2])
    with left:
        seed = controls.seed(name="order_seed", label="Seed of the texts")
    prompt, samples = samples_of(chosen.source, chosen.cut, smoothing, k, seed)
    _texts(read, prompt, samples, smoothing)
    return Shown(
        numbers=lambda: ngram_orders.table({SMOOTHINGS[name]: one for name, one in measured.items()}, unseen),
        script=lambda: _script(chosen, asked),
        arrays=lambda: (
            {f"{name}.{part}": getattr(one, part) for name, one in measured.items() for part in ("train", "val")}
            | {"never_seen": unseen}
        ),
        figure=spec,
        formula=_filled(measured[smoothing], smoothing),
    )


def _script(chosen: Chosen, asked: "dict[Smoothing, float]") -> str:
    return scripts.script(
        """
        $imports
        from core.rooms.ngrams.compute import ngram_orders

        $counted
        # The mean surprisal of the orders 1 to 6 under each smoothing, on both parts of the text.
        measured = {
            name: ngram_orders.losses(counts, smoothing, train, val, **options)
            for name, smoothing, options in $asked
        }
        print_table(ngram_orders.table(measured, ngram_orders.never_seen(counts, val)))
        """,
        **choice.in_script(chosen),
        asked=[(SMOOTHINGS[name], name, choice.options(name, k)) for name, k in asked.items()],
    )


def _curves(
    measured: "dict[Smoothing, Losses]", smoothing: "Smoothing", k: float, unit: str, read: Reading
) -> list[OrderCurve]:
    """Both texts for one smoothing; for all four, the validation text alone."""
    letters = (
        {"train": len(read.tokenizer.decode(read.train.tolist())) / len(read.train)} if unit == "character" else {}
    )
    letters["val"] = read.val_characters / len(read.val)

    def told(nats: NDArray[np.float64], part: str) -> NDArray[np.float64]:
        if unit == "perplexity":
            return np.exp(nats)
        bits = nats / math.log(2)
        return bits / letters[part] if unit == "character" else bits

    if len(measured) > 1:
        names = {**SMOOTHINGS, "lidstone": f"add k = {k if smoothing == 'lidstone' else USUAL_K:g}"}
        return [OrderCurve(f"{names[name]}, validation", told(one.val, "val")) for name, one in measured.items()]
    (only,) = measured.values()
    return [
        OrderCurve("training text", told(only.train, "train")),
        OrderCurve("validation text", told(only.val, "val")),
    ]


def _chart_in_words(curves: list[OrderCurve], unit: str) -> str:
    def told(values: Any) -> str:
        return ", ".join(large(value) if math.isfinite(value) else "infinite" for value in values)

    return f"{UNITS[unit].capitalize()} of the orders 1 to {MAX_ORDER}. " + "; ".join(
        f"{curve.name}: {told(curve.values)}" for curve in curves
    )


def _verdict(one: Losses, unseen: NDArray[np.float64]) -> None:
    """Which order is best on new text, in a sentence."""
    if not np.isfinite(one.val).any():
        best = "every order has an infinite **perplexity**: it has a token that never occurs in the training text"
    else:
        order = int(np.argmin(one.val)) + 1
        lowest = large(math.exp(one.val[order - 1]))
        best = (
            f"order **{order}** is best, with a **perplexity** of **{lowest}**: as unsure as if {lowest} tokens were "
            "equally likely each time"
        )
        n_infinite = int(np.isinf(one.val).sum())
        if n_infinite:
            best += f"; {n_infinite} of the {MAX_ORDER} are infinite: one impossible token is enough"
    last = unseen[-1]
    share = (
        ""
        if math.isnan(last)
        else f" **{perplexity_chart.told_share(last)}** of its 6-grams never occur in the training text."
    )
    st.markdown(f"On the validation text, {best}.{share}")


def _texts(read: Reading, prompt: tuple[int, ...], samples: tuple[Sample, ...], smoothing: "Smoothing") -> None:
    cards = []
    for one in samples:
        copied = one.ids[one.copied.start : one.copied.start + one.copied.length]
        letters = len(read.tokenizer.decode(copied))
        foot = f"Longest copied piece: {_count(one.copied.length, 'token')}"
        foot += f", {_count(letters, 'character')}." if letters != one.copied.length else "."
        if one.ended:
            foot += " Here it had to stop: nothing ever followed its last tokens."
        cards.append(
            Card(
                title=f"Order {one.order}",
                note="looks at nothing" if one.order == 1 else f"looks at {_count(one.order - 1, 'token')}",
                prompt=read.names(prompt),
                tokens=read.names(one.ids),
                p=one.p,
                copied=(one.copied.start, one.copied.length),
                foot=foot,
            )
        )
    lengths = ", ".join(f"order {one.order} {one.copied.length}" for one in samples)
    ngram_samples(
        cards,
        key="order-texts",
        label=f"What each order writes (smoothing: {SMOOTHINGS[smoothing]}; the same random numbers for all)",
        takeaway=f"Six texts. Longest pieces copied from the training text, in tokens: {lengths}.",
    )


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _filled(one: Losses, smoothing: "Smoothing") -> str:
    """The formula for order 3 on the validation text."""
    value = one.val[2]
    if math.isinf(value):
        return r"\text{order 3, validation text: } \exp(\infty) = \infty"
    return rf"\text{{order 3, validation text: }} \exp({value:.4f}) = {math.exp(value):.4g}"
