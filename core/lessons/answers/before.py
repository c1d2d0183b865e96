"""Answers on what came before transformers: counting, the chain rule, recurrent nets, and the bottleneck."""

from typing import Any

from core.cache import memoize
from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import shown
from core.train.experiments.live import Live
from core.ui.numbers import power_of_ten, signed
from core.ui.training.trained_models import MAX_RESULTS

N_STRING = 32  # of each length; more change a share by a few hundredths only


@answer("before.pairs-seen")
def pairs_seen(corpus: str, cut: str) -> Answer:
    """How many of all possible pairs of words stand in a text at least once, in percent."""
    from core.rooms.ngrams.compute.ngram_counts import Counts
    from core.rooms.ngrams.inputs import Text

    counts = Text(corpus, cut).counts
    n, seen = (len(counts.plain[order].keys) - 1 for order in (0, 1))
    percent = 100 * seen / n**2
    return Answer(
        round(percent, 1),
        f"Of all {n} × {n} = {n * n:,} pairs, {seen:,} occur in the text: {percent:.1f}%.",
        Counts.of,
    )


@answer("before.sentence")
def sentence(text: str, order: int) -> Answer:
    """What an n-gram model without smoothing makes of a sentence: "zero", "tiny" or "likely"."""
    from core.rooms.ngrams import markov
    from core.rooms.ngrams.compute import ngram_chain

    found = markov.compute(markov.Inputs(sentence=markov.OWN, own=text))
    product, factors, names = float(found.factors.product[order - 1]), found.factors.p[order - 1], found.tokens
    never = int((factors == 0).sum())
    where = [t for t in range(len(names)) if factors[t] == 0]
    pair = "" if not where else f" “{''.join(names[where[0] - 1 : where[0] + 1]).strip()}” never occurs in the text."
    return Answer(
        "zero" if product == 0 else "tiny" if product < 1e-6 else "likely",
        f"{len(names)} factors, {never} of them 0; the product is {power_of_ten(product)}.{pair}",
        ngram_chain.chain,
    )


@answer("before.never-seen")
def never_seen(corpus: str, cut: str, order: int) -> Answer:
    """How many of the n-grams of new text never stood in the text that was counted, in percent."""
    from core.rooms.ngrams.compute import ngram_orders
    from core.rooms.ngrams.inputs import Text

    read = Text(corpus, cut)
    found = 100 * ngram_orders.never_seen(read.counts, read.val)
    return Answer(
        round(float(found[order - 1]), 1),
        "Share of the new text's n-grams that never occurred in the one counted: "
        + ", ".join(f"{share:.1f}% of order {number}" for number, share in enumerate(found, 1))
        + ".",
        ngram_orders.never_seen,
    )


@answer("before.gradient-of-a-net")
def gradient_of_a_net(kind: str, distance: int) -> Answer:
    """How much of an input's influence is left so many steps later in a net just drawn, as a power of ten."""
    import math

    from core.charts.decades import told
    from core.rooms.recurrent.compute import forgetting
    from core.rooms.recurrent.experiments import remember
    from core.rooms.recurrent.forgetting import fresh_sizes

    sizes = fresh_sizes(kind, distance, 0, 0)
    powers = [math.log10(one[-1] / one[1]) for one in (sizes, *(fresh_sizes(kind, distance, s, 0) for s in (1, 2)))]
    factor = forgetting.kept_per_step(sizes)
    return Answer(
        round(powers[0], 1),
        f"{remember.NAMES[kind]}, just drawn: {told(float(sizes[1]))} one step back, {told(float(sizes[-1]))} "
        f"{len(sizes) - 1} steps back. Each step keeps {factor:.3f} of it, so {factor:.3f} to the power of "
        f"{len(sizes) - 2} is left: 10 to the power of {signed(powers[0], 1)}. Two other draws, seeds 1 and 2, "
        f"give {signed(powers[1], 1)} and {signed(powers[2], 1)}.",
        forgetting.by_distance,
    )


@answer("before.bottleneck")
def bottleneck(variant: str, lengths: list[int]) -> Answer:
    """The curve of how many letters come out right by the length of the string, the true ones before each given."""
    from core.inspect import forcing

    found = _right_by_length(shown("bottleneck"), variant, tuple(lengths))
    return Answer(
        [round(share, 3) for share in found],
        f"Measured now, on {N_STRING} new strings of each length: "
        + ", ".join(f"{share:.0%} at {n}" for n, share in zip(lengths, found, strict=True))
        + " letters.",
        forcing.by_place,
    )


@memoize(MAX_RESULTS)
def _right_by_length(run: Live, variant: str, lengths: tuple[int, ...]) -> tuple[float, ...]:
    from core.inspect.forcing import by_place
    from core.rooms.seq2seq.experiments.bottleneck import model_of

    model = model_of(run, variant)
    return tuple(float(by_place(model, length, N_STRING, seed=1).forced.mean()) for length in lengths)


@answer("before.where-it-looks")
def where_it_looks(word: str) -> Answer | NotYet:
    """Where most of the weight lies while a letter is written: on it ("own"), before or after it in the source."""
    from core.rooms.seq2seq import alignment
    from core.rooms.seq2seq.compute.alignment import stripe

    found = alignment.compute(alignment.Inputs(reversal=word), shown("bottleneck")).stripe
    if not found:
        return NotYet("The model doesn't write the whole word yet: train it to the end.")
    best = max(found, key=lambda offset: found[offset])
    return Answer(
        {0: "own", 1: "right", -1: "left"}.get(best, "else"),
        f"On “{word}”, while a letter is written, it has on average {found[0]:.2f} of the weight, its left neighbor "
        f"{found[-1]:.2f} and its right neighbor {found[1]:.2f}.",
        stripe,
    )


@answer("before.who-is-best")
def who_is_best(text: str, amount: str) -> Answer:
    """Who needs fewest bits for new text: counting, the recurrent net or the transformer."""
    from core.rooms.ledger import budget
    from core.rooms.ledger.experiments.budget import ngram_bits

    inputs = budget.Inputs(text=text)
    now = shown(budget.EXPERIMENT(inputs))
    order, counted = budget.compute(inputs, now).best(amount)
    bits: dict[str, float] = {"ngram": counted} | {
        net: float(now.record[f"curve.{amount}.{net}"][-1]) for net in ("gru", "gpt")
    }
    seconds: dict[str, Any] = {name: float(now.record[f"seconds.{amount}.{name}"].max()) for name in bits}
    names = {"ngram": f"{order}-gram", "gru": "GRU", "gpt": "GPT"}
    told = ", ".join(f"{names[name]} {bits[name]:.2f} (after {seconds[name]:.2f} s)" for name in bits)
    return Answer(min(bits, key=bits.__getitem__), f"Bits for each new character: {told}.", ngram_bits)


@answer("before.notices-the-ending")
def notices_the_ending() -> Answer:
    """Which models give the last noun another probability when "full" becomes "empty": the set, as one option."""
    from core.models.ngram import NGram
    from core.rooms.ledger import ledger
    from core.rooms.ledger.experiments.ledger import ANSWER

    results = [ledger.compute(ledger.Inputs(ending=ending), shown("ledger")) for ending in ("full", "empty")]
    costs = [{name: float(losses[ANSWER]) for name, losses in result.losses.items()} for result in results]
    change = {name: abs(costs[0][name] - costs[1][name]) for name in costs[0]}
    by_kind = {
        "ngram": max(value for name, value in change.items() if "gram" in name) > 0.5,
        "gru": change["GRU"] > 0.5,
        "gpt": change["GPT"] > 0.5,
    }
    noticed = [name for name, has in by_kind.items() if has]
    value = "none" if not noticed else "gpt" if noticed == ["gpt"] else "nets" if "ngram" not in noticed else "all"
    grams = [name for name in change if "gram" in name]
    return Answer(
        value,
        "The loss of “cup” after “full” and after “empty”: "
        + ", ".join(f"{name} {costs[0][name]:.2f} and {costs[1][name]:.2f}" for name in (grams[-1], "GRU", "GPT"))
        + ".",
        NGram.log_probs,
    )
