"""Answers on decoding: temperature, top-k, top-p, draws, greedy and beam search, and the cache."""

from core.lessons.answers.answer import Answer, answer
from core.lessons.answers.stories import stories
from core.lessons.answers.trainings import shown
from core.ui.numbers import power_of_ten

PLACE = 2  # after “Tom and”, where the stories model is least sure


@answer("decoding.favorite")
def favorite() -> Answer:
    """The probability of the likeliest next token after “Tom and”, in percent."""
    import numpy as np

    from core.models.gpt import GPT
    from core.rooms.strategies.inputs import Place

    at = Place(given=stories().given, place=PLACE)
    p = np.exp(at.logits.astype(np.float64) - at.logits.max())
    p /= p.sum()
    best = p.argsort()[::-1][:10]
    names = [at.vocabulary[int(i)].strip() for i in best]
    return Answer(
        round(100 * float(p[best[0]]), 1),
        f"The favorite is “{names[0]}” with {p[best[0]]:.1%}; the ten likeliest are {', '.join(names)}, together "
        f"{p[best].sum():.0%}.",
        GPT.forward,
    )


@answer("decoding.temperature")
def temperature(temperatures: list[float]) -> Answer:
    """The curve of the likeliest token's probability over the temperature."""
    from core.generate import filters
    from core.rooms.strategies.inputs import Place
    from core.rooms.strategies.temperature import sweep

    top = sweep(Place(given=stories().given, place=PLACE).logits, temperatures, 0.9).top
    return Answer(
        [round(float(p), 3) for p in top],
        "The likeliest token has "
        + ", ".join(f"{p:.2f} at T = {t:g}" for t, p in zip(temperatures, top, strict=True))
        + ".",
        filters.temperature,
    )


@answer("decoding.left-by-temperature")
def left_by_temperature(t: float) -> Answer:
    """How many tokens can still be drawn at a temperature."""
    from core.generate import filters
    from core.rooms.strategies.inputs import Place
    from core.rooms.strategies.temperature import sweep

    found = sweep(Place(given=stories().given, place=PLACE).logits, [t], 0.9)
    left = int(found.left[0])
    return Answer(
        left,
        f"At T = {t:g}, {left} of {found.n_vocabulary} tokens have a probability above 0; the smallest is "
        f"{power_of_ten(float(found.smallest[0]))}.",
        filters.temperature,
    )


@answer("decoding.kept-by-top-p")
def kept_by_top_p(probabilities: list[float], p: float) -> Answer:
    """How many tokens top-p keeps."""
    from core.generate import filters
    from core.rooms.strategies.crossing import crossing

    found = crossing(probabilities, p)
    n, too_few, too_many = (int(kept.sum()) for kept in found.rules)
    return Answer(
        n,
        f"Top-p {p:g} keeps {n}, which together have {found.masses[0]:g}. A rule that drops the token that crosses "
        f"keeps {too_few}; one that takes one more at an exact hit, {too_many}.",
        filters.top_p,
    )


@answer("decoding.order")
def order(t: float, p: float) -> Answer:
    """Whether temperature before top-p leaves more tokens than top-p before temperature."""
    from core.rooms.strategies.order import Inputs, compute

    first, second = compute(Inputs(given=stories().given, place=PLACE, t=t, p=p)).n_left
    return Answer(
        "more" if first > second else "fewer" if first < second else "same",
        f"With temperature {t:g} first, then top-p {p:g}, {first} tokens are left; with top-p first, {second}.",
        compute,
    )


@answer("decoding.draws")
def draws(n: int, seed: int) -> Answer:
    """How often the likeliest token comes in n draws."""
    from core.rooms.strategies.compute.draws import draw_many
    from core.rooms.strategies.thousand import Inputs, compute

    result = compute(Inputs(given=stories().given, place=PLACE, strategies=("softmax",), n=n, seed=seed))
    found, best = result.found["softmax"], int(result.likeliest[0])
    p, count = float(found.probabilities[best]), int(found.counts[best])
    off = (n * p * (1 - p)) ** 0.5
    return Answer(
        count,
        f"“{result.vocabulary[best].strip()}” has probability {p:.4f}, so {n * p:.0f} of {n:,} are expected, give or "
        f"take {off:.0f} or so by chance. With seed {seed} it came {count} times.",
        draw_many,
    )


@answer("decoding.greedy-misses")
def greedy_misses(n_beam: int, text: str = "") -> Answer:
    """How much likelier the sentence of a beam search is than the greedy one, after a text or the model's own."""
    import math

    from core.generate import beam
    from core.rooms.beam import tree

    found = tree.compute(tree.Inputs(given=stories(text).given, n_beam=n_beam))
    p_greedy, p_best = (math.exp(one.log_prob) for one in (found.greedy, found.best))
    return Answer(
        "same" if found.gain is None else "twice" if p_best > 2 * p_greedy else "little",
        f"Greedy: “{found.written(found.greedy)}”, probability {p_greedy:.2f}. Beam search with B = {n_beam}: "
        f"“{found.written(found.best)}”, probability {p_best:.2f}.",
        beam.search,
    )


@answer("decoding.short-list")
def short_list(n_beam: int) -> Answer:
    """Whether B candidates from each of B texts are enough, without and with an end token."""
    from core.rooms.beam.compute.shortlist import differs
    from core.rooms.beam.shortlist import N_CASE, Inputs, compute

    without, with_end = compute(Inputs()).shares[n_beam - 1].tolist()
    value = "never" if with_end == 0 else "always" if without > 0 else "ends"
    return Answer(
        value,
        f"In {N_CASE:,} random cases with B = {n_beam}, the shortcut lets other texts go on in {without:.1%} without "
        f"an end token, and in {with_end:.1%} with one.",
        differs,
    )


@answer("decoding.cache-saves")
def cache_saves(n_new: int) -> Answer:
    """How many times less the multiply-adds of writing n tokens are with the cache."""
    from core.rooms.cache.compute import cached_writing

    given = stories().given
    config, n = given.config, given.n_token
    kept = cached_writing.step_work(config, n, 0) + sum(
        cached_writing.step_work(config, 1, n + step - 1) for step in range(1, n_new)
    )
    anew = sum(cached_writing.step_work(config, n + step, 0, n_logit=n + step) for step in range(n_new))
    return Answer(
        round(anew / kept, 1),
        f"For {n_new} new tokens after a text of {n}: {kept / 1e6:.1f} million multiplications with the cache, "
        f"{anew / 1e6:.1f} million without.",
        cached_writing.step_work,
    )


@answer("decoding.where-greedy-lands")
def where_greedy_lands() -> Answer:
    """At which rank among all texts greedy search lands: which of three."""
    from core.rooms.beam import truth

    found = truth.compute(truth.Inputs(), shown("beam-truth"))
    rank = found.rank(found.greedy)
    return Answer(
        "best" if rank == 1 else "near" if rank <= 20 else "far",
        f"Of all {len(found.scores):,} texts, greedy search finds number {rank}, with probability "
        f"{found.probability(found.greedy):.3f}. The best has {found.probability(found.best):.3f}.",
        truth.search_ranks,
    )
