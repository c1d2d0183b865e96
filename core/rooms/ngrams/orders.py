"""Longer and longer contexts: perplexity by order and smoothing, unseen n-grams, and texts that begin to copy."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, memoize, seed, segmented_control
from core.generate.decode import UniformDraws, inverse_cdf
from core.models.ngram import NGram, Smoothing
from core.rooms.ngrams.compute.counting import NGramCounts
from core.rooms.ngrams.inputs import (
    DEFAULT_K,
    MAX_ORDER,
    SMOOTHING_NAMES,
    CountedText,
    NGramInputs,
    added_count_input,
    format_perplexity,
    smoothing_input,
    smoothing_options,
)

LABELS = module_labels(__name__)

MAX_RESULTS = 128  # some kilobytes each
N_PROMPT = MAX_ORDER - 1  # tokens that a text begins with: as many as the highest order uses
N_TOKEN = {"char": 180, "word": 45, "bpe": 45}  # about the same number of letters
LOSS_UNITS = LABELS.options("unit", "perplexity", "token", "character")
ONE_SMOOTHING, ALL_SMOOTHINGS = "one", "all"
WARM_UP = True


class Inputs(NGramInputs, prefix="order_"):
    smoothing: Smoothing = smoothing_input("interpolated")
    k: float = added_count_input()
    unit: str = segmented_control((*LOSS_UNITS,), "perplexity")
    show: str = segmented_control((ONE_SMOOTHING, ALL_SMOOTHINGS), ONE_SMOOTHING)
    seed: int = seed()


class OrderLosses(NamedTuple):
    """Cross-entropy of the orders 1 to O, nats per token; infinite if a token was impossible."""

    train: NDArray[np.float64]  # (O,) on the text that was counted
    val: NDArray[np.float64]  # (O,) on new text


class CopiedRun(NamedTuple):
    """The longest piece of a generated text that occurs in the training text, word for word."""

    start: int  # its position in the generated text
    length: int  # in tokens
    place: int  # its first position in the training text; -1 if nothing was found


class GeneratedText(NamedTuple):
    """The text of one model."""

    order: int  # of the model
    ids: tuple[int, ...]  # the generated tokens, without the prompt
    p: tuple[float, ...]  # the probability of each token when it was drawn
    ended: bool  # True if it ended early because nothing ever followed its last tokens
    copied: CopiedRun  # the longest piece of `ids` that occurs in the training text


def order_losses(
    counts: NGramCounts, smoothing: Smoothing, train: NDArray[np.int64], val: NDArray[np.int64], **options: float
) -> OrderLosses:
    """Return the cross-entropy of the orders 1 to O on the training text and on new text; perplexity is its exp."""
    return OrderLosses(*(_mean_surprise(counts, smoothing, ids, options) for ids in (train, val)))


def _mean_surprise(
    counts: NGramCounts, smoothing: Smoothing, ids: NDArray[np.int64], options: dict[str, float]
) -> NDArray[np.float64]:
    """Return the mean loss (O,) in nats per token."""
    n_order = len(counts.plain)
    if smoothing == "kneser_ney":  # its lower levels are counted differently from the highest one
        models = [counts.model(order, smoothing, **options) for order in range(1, n_order + 1)]
        return np.array([-float(model.log_probs(ids).mean()) for model in models])
    levels = counts.model(n_order, smoothing, **options).evidence(ids)  # level n is the model of order n + 1
    with np.errstate(divide="ignore"):
        return np.array([-float(np.log(level.p).mean()) for level in levels])


def unseen_shares(counts: NGramCounts, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, for each length (O,), the fraction of a text's n-grams that were never counted; nan if it has none."""
    model = counts.model(len(counts.plain), "mle")
    shares = []
    for n, level in enumerate(model.evidence(ids)):
        here = level.counts[n:]
        shares.append(float((here == 0).mean()) if len(here) else np.nan)
    return np.array(shares)


def line_beginning(train: NDArray[np.int64], newlines: NDArray[np.int64], length: int, seed: int) -> list[int]:
    """Return the first tokens of a random line of the training text; without line breaks, start at any position."""
    last = len(train) - length
    starts = np.flatnonzero(np.isin(train[:last], newlines)) + 1
    starts = np.append(starts, 0) if len(starts) else np.arange(max(1, last))
    at = int(np.random.default_rng(seed).choice(starts))
    return train[at : at + length].tolist()


def generate_sample(
    model: NGram, prompt: Sequence[int], n_token: int, seed: int, train: NDArray[np.int64]
) -> GeneratedText:
    """Let a model continue a prompt.

    If nothing ever followed the last tokens, a model without smoothing gives every token the probability 0, and the
    text ends.

    Args:
        prompt: at least one token.
        n_token: the maximum number of tokens to draw.
        seed: of the draws; models of different orders with the same seed use the same random numbers.
        train: the text that the model was fitted on, to search for copies.
    """
    ids: list[int] = []
    p: list[float] = []
    draws = UniformDraws([seed])
    while len(ids) < n_token:
        probabilities = model.probabilities([*prompt, *ids])
        if not probabilities.any():
            break
        ids.append(int(inverse_cdf(probabilities[None], draws.next())))
        p.append(float(probabilities[ids[-1]]))
    return GeneratedText(model.order, tuple(ids), tuple(p), len(ids) < n_token, longest_copy(ids, train))


def longest_copy(ids: Sequence[int], train: NDArray[np.int64]) -> CopiedRun:
    """Return the longest run of a generated text that occurs in the training text; the first one on a tie."""
    letters, text = _ids_to_characters(np.asarray(ids, dtype=np.int64)), _ids_to_characters(train)
    best = CopiedRun(start=0, length=0, place=-1)
    for start in range(len(letters)):
        while start + best.length < len(letters):
            place = text.find(letters[start : start + best.length + 1])
            if place < 0:
                break
            best = CopiedRun(start=start, length=best.length + 1, place=place)
    return best


def _ids_to_characters(ids: NDArray[np.int64]) -> str:
    """Map each id to one character (surrogates are skipped, as they are not characters), to find substrings fast."""
    codes = np.where(ids < 0xD800, ids, ids + 0x800).astype("<u4")
    return codes.tobytes().decode("utf-32-le")


CODE = (NGram, order_losses, unseen_shares, longest_copy, inverse_cdf)


class OrderComparison(Result):
    """Results of the orders 1 to 6."""

    losses: Mapping[Smoothing, OrderLosses]  # by smoothing
    unseen: NDArray[np.float64]  # (6,) by length: fraction of the validation text's n-grams that are new
    shares: list[str]  # the same as text
    prompt: tuple[int, ...]  # ids of the beginning that each order continues
    samples: tuple[GeneratedText, ...]  # the text of each order
    chosen: OrderLosses  # of the chosen smoothing
    best: int  # order with the lowest loss on the validation text; 0 if all are infinite
    lowest: str  # the perplexity of that order
    n_infinite: int  # number of orders with an infinite loss

    @property
    def formula(self) -> str:
        """The perplexity of order 3 on the validation text."""
        value = self.chosen.val[2]
        number = r"\infty" if math.isinf(value) else f"{value:.4f}"
        power = r"\infty" if math.isinf(value) else f"{math.exp(value):.4g}"
        name = LABELS["formula.order_3"]
        return rf"\text{{{name} }} \exp({number}) = {power}"

    def table(self) -> Table:
        columns = {LABELS["order"]: list(range(1, MAX_ORDER + 1)), LABELS["unseen"]: self.unseen.tolist()}
        for key, one in self.losses.items():
            name = SMOOTHING_NAMES[key]
            columns[LABELS("training_nats", smoothing=name)] = one.train.tolist()
            columns[LABELS("training_perplexity", smoothing=name)] = np.exp(one.train).tolist()
            columns[LABELS("validation_nats", smoothing=name)] = one.val.tolist()
            columns[LABELS("validation_perplexity", smoothing=name)] = np.exp(one.val).tolist()
        return columns


@memoize(MAX_RESULTS)
def cached_order_losses(text: CountedText, smoothing: Smoothing, k: float = DEFAULT_K) -> OrderLosses:
    """Return the losses of the orders 1 to 6 under one smoothing."""
    return order_losses(text.counts, smoothing, text.train, text.val, **smoothing_options(smoothing, k))


@memoize(MAX_RESULTS)
def _cached_samples(
    text: CountedText, smoothing: Smoothing, k: float, seed: int
) -> tuple[tuple[int, ...], tuple[GeneratedText, ...]]:
    """Return a prompt, and each order's continuation of it."""
    newlines = [i for i, name in enumerate(text.names(range(text.tokenizer.vocab_size))) if "\n" in name]
    prompt = line_beginning(text.train, np.array(newlines, dtype=np.int64), N_PROMPT, seed)
    models = [text.model(order, smoothing, k) for order in range(1, MAX_ORDER + 1)]
    given = (prompt, N_TOKEN[text.unit], seed, text.train)
    return tuple(prompt), tuple(generate_sample(model, *given) for model in models)


def compute(inputs: Inputs) -> OrderComparison:
    """Measure the orders 1 to 6 on both parts of the text, and let each continue a prompt."""
    text, k = inputs.text, inputs.k
    shown = SMOOTHING_NAMES if inputs.show == ALL_SMOOTHINGS else (inputs.smoothing,)
    losses = {name: cached_order_losses(text, name, k if name == "lidstone" else DEFAULT_K) for name in shown}
    unseen = unseen_shares(text.counts, text.val)
    prompt, samples = _cached_samples(text, inputs.smoothing, k, inputs.seed)
    val = losses[inputs.smoothing].val
    return OrderComparison(
        losses=losses,
        unseen=unseen,
        shares=["<0.1%" if 0 < share < 0.001 else f"{share:.1%}" for share in unseen.tolist()],
        prompt=prompt,
        samples=samples,
        chosen=losses[inputs.smoothing],
        best=int(np.argmin(val)) + 1 if np.isfinite(val).any() else 0,
        lowest=format_perplexity(math.exp(val.min())),
        n_infinite=int(np.isinf(val).sum()),
    )


def draw(result: OrderComparison, inputs: Inputs) -> None:
    """Draw two charts, the best order, and six texts."""
    orders = range(1, MAX_ORDER + 1)
    charts, texts = ui.st.tabs([LABELS["curves_tab"], LABELS["texts_tab"]])
    with charts:
        left, right = ui.two_columns("order-charts")
        with right:
            unseen = ui.Axis(LABELS["unseen_axis"], unit="%")
            shares = {str(order): share for order, share in zip(orders, result.unseen, strict=True)}
            ui.bars(shares, x=unseen, y=LABELS["order_axis"], printed=".1%", is_upright=True)
        with left:
            ui.curves(
                {name: (orders, values) for name, values in _curves(result, inputs).items()},
                x=ui.Axis(LABELS["order_axis"], (0.8, MAX_ORDER + 0.2), ticks=orders, format="d"),
                y=ui.Axis(LOSS_UNITS[inputs.unit], is_log=True),
                has_dots=True,
                infinite=LABELS["infinite"],
                height=260,
            )
    with texts:
        ui.mount_widget(
            "ngram_samples",
            key="order-texts",
            cards=[_card(one, result, inputs.text) for one in result.samples],
            p=np.array([p for one in result.samples for p in one.p]),
            label=ui.section_text("texts", shown_name=SMOOTHING_NAMES[inputs.smoothing]),
            takeaway=ui.section_text("takeaway"),
        )


def _curves(result: OrderComparison, inputs: Inputs) -> dict[str, NDArray[np.float64]]:
    """Return the curves of both texts for one smoothing, or for all four those of the validation text."""
    text = inputs.text

    def in_unit(nats: NDArray[np.float64], ids: NDArray[np.int64]) -> NDArray[np.float64]:
        if inputs.unit == "perplexity":
            return np.exp(nats)
        per_token = len(text.tokenizer.decode(ids.tolist())) / len(ids) if inputs.unit == "character" else 1
        return nats / math.log(2) / per_token

    if inputs.show == ONE_SMOOTHING:
        one = result.chosen
        train, val = in_unit(one.train, text.train), in_unit(one.val, text.val)
        return {LABELS["training_text"]: train, LABELS["validation_text"]: val}
    names = {**SMOOTHING_NAMES, "lidstone": LABELS("add_k", k=inputs.k)}
    return {
        LABELS("validation_curve", smoothing=names[name]): in_unit(one.val, text.val)
        for name, one in result.losses.items()
    }


def _card(one: GeneratedText, result: OrderComparison, text: CountedText) -> dict[str, object]:
    """Return one text, with the longest piece marked that is copied from the training text."""
    copied = slice(one.copied.start, one.copied.start + one.copied.length)
    return {
        "title": LABELS("card_title", order=one.order),
        "note": LABELS["looks_at_nothing"] if one.order == 1 else LABELS("looks_at", n=one.order - 1),
        "prompt": text.names(result.prompt),
        "tokens": text.names(one.ids),
        "copied": (one.copied.start, one.copied.length),
        "foot": ui.section_text("foot", sample=one, n_letter=len(text.tokenizer.decode(one.ids[copied]))),
    }
