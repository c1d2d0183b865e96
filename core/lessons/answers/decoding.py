"""Answers on decoding: temperature, top-k, top-p, draws, greedy and beam search, and the cache."""

from core.data.sentences import SENTENCES
from core.inspect.model_and_text import read
from core.inspect.model_key import DEFAULT
from core.lessons.answers.answer import Answer, answer
from core.lessons.answers.stories import Stories, stories
from core.lessons.answers.trainings import shown
from core.ui.numbers import power_of_ten

PLACE = 2  # after “Tom and”, where the stories model is least sure


def _here(place: int = PLACE) -> tuple[Stories, str]:
    """The stories model and the first tokens of its text, packed."""
    from core.ui.models import models

    here = stories()
    return here, ",".join(map(str, models.unpack(here.packed)[:place]))


@answer("decoding.favorite")
def favorite() -> Answer:
    """The probability of the likeliest next token after “Tom and”, in percent."""
    import numpy as np

    from core.models.gpt import GPT
    from core.ui.models import models
    from core.ui.models.place_in_text import next_logits

    here, packed = _here()
    logits = next_logits(here.key, packed).astype(np.float64)
    p = np.exp(logits - logits.max())
    p /= p.sum()
    names = models.vocabulary(here.key)
    best = p.argsort()[::-1][:10]
    return Answer(
        round(100 * float(p[best[0]]), 1),
        f"The favorite is “{names[int(best[0])].strip()}” with {p[best[0]]:.1%}; the ten likeliest are "
        f"{', '.join(names[int(i)].strip() for i in best)}, together {p[best].sum():.0%}.",
        GPT.forward,
    )


@answer("decoding.temperature")
def temperature(temperatures: list[float]) -> Answer:
    """The curve of the likeliest token's probability over the temperature."""
    from core.generate import filters
    from core.rooms.strategies.temperature import swept

    here, packed = _here()
    top = swept(here.key, packed, tuple(temperatures), 0.9).top
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
    from core.rooms.strategies.temperature import swept
    from core.ui.models import models

    here, packed = _here()
    found, n = swept(here.key, packed, (t,), 0.9), len(models.vocabulary(here.key))
    left = int(found.left[0])
    return Answer(
        left,
        f"At T = {t:g}, {left} of {n} tokens have a probability above 0; the smallest is "
        f"{power_of_ten(float(found.smallest[0]))}.",
        filters.temperature,
    )


@answer("decoding.kept-by-top-p")
def kept_by_top_p(probabilities: list[float], p: float) -> Answer:
    """How many tokens top-p keeps."""
    from core.generate import filters
    from core.rooms.strategies.compute import sampling_sweeps

    found = sampling_sweeps.crossing(probabilities, p)
    n, mass = int(found.right.sum()), float(found.probabilities[found.right].sum())
    return Answer(
        n,
        f"Top-p {p:g} keeps {n}, which together have {mass:g}. A rule that drops the token that crosses keeps "
        f"{int(found.too_few.sum())}; one that takes one more at an exact hit, {int(found.too_many.sum())}.",
        filters.top_p,
    )


@answer("decoding.order")
def order(t: float, p: float) -> Answer:
    """Whether temperature before top-p leaves more tokens than top-p before temperature."""
    from core.rooms.strategies.compute import sampling_sweeps
    from core.ui.models.place_in_text import next_logits

    here, packed = _here()
    found = sampling_sweeps.both_orders(next_logits(here.key, packed), t, p)
    first, second = (int((one > 0).sum()) for one in (found.temperature_first, found.top_p_first))
    return Answer(
        "more" if first > second else "fewer" if first < second else "same",
        f"With temperature {t:g} first, then top-p {p:g}, {first} tokens are left; with top-p first, {second}.",
        sampling_sweeps.both_orders,
    )


@answer("decoding.draws")
def draws(n: int, seed: int) -> Answer:
    """How often the likeliest token comes in n draws."""
    import numpy as np

    from core.rooms.strategies.compute import draws as many
    from core.rooms.strategies.thousand import drawn
    from core.ui.models import models

    here, packed = _here()
    found = drawn(here.key, packed, "softmax", n, seed)
    best = int(np.argmax(found.probabilities))
    p, count = float(found.probabilities[best]), int(found.counts[best])
    off = (n * p * (1 - p)) ** 0.5
    return Answer(
        count,
        f"“{models.vocabulary(here.key)[best].strip()}” has probability {p:.4f}, so {n * p:.0f} of {n:,} are expected, "
        f"give or take {off:.0f} or so by chance. With seed {seed} it came {count} times.",
        many.draw_many,
    )


@answer("decoding.greedy-misses")
def greedy_misses(n_beam: int, text: str = "") -> Answer:
    """How much likelier the sentence of a beam search is than the greedy one, after a text or the model's own."""
    import math

    from core.generate import beam
    from core.rooms.beam import tree

    found = tree.compute(tree.Inputs(given=read("stories", text or SENTENCES[DEFAULT]), n_beam=n_beam))
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
    from core.ui.models import models

    here = stories()
    config, n = models.load(here.key).config, len(here.tokens)
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
