"""The rule of speculative sampling keeps the model's distribution, whoever drafts; a broken one does not."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from torch import Tensor

from core.generate.cache import CachedModel
from core.generate.decode import inverse_cdf
from core.generate.filter_settings import FilterSettings
from core.models import registry
from core.models.gpt import GPTConfig
from core.rooms.draft_and_verify.compute import drafts
from core.rooms.draft_and_verify.compute.enumeration import (
    NextProbabilities,
    TokenIds,
    largest_difference,
    sample_speculative_texts,
    speculative_probabilities,
    text_probabilities,
    text_total_variation,
)
from core.rooms.draft_and_verify.compute.rule import (
    ACCEPTED,
    RULES,
    UNREAD,
    acceptance_probability,
    acceptance_rate,
    residual_distribution,
    select_token,
)
from core.rooms.draft_and_verify.compute.sampling import sampling_probabilities, speculative_rounds
from core.rooms.draft_and_verify.compute.timing import expected_speedup, expected_tokens
from core.train.experiment import run_experiment
from tests.counts import count

V, CONTEXT = 5, 16
FILTERS = [
    FilterSettings(),
    FilterSettings(temperature=0.5),
    FilterSettings(top_k=2),
    FilterSettings(temperature=1.7, top_p=0.7),
]


@cache
def model(seed: int) -> torch.nn.Module:
    """Random weights, in double precision."""
    config = GPTConfig(vocab_size=V, context_length=CONTEXT, n_layer=1, n_head=2, d_model=8)
    made = registry.build(config, seed).double()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 0.4 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed)).double()
    return made.eval()


class Net:
    """A model as a draft."""

    def __init__(self, seed: int):
        self.cached = CachedModel(model(seed))

    def next_logits(self, text: Sequence[int]) -> Tensor:
        return self.cached.next_logits([list(text)])[0]


def table(seed: int, how: FilterSettings = FILTERS[0], gaps: float = 0.3) -> NextProbabilities:
    """Any distribution after any text, some of it without some tokens."""

    @cache
    def of(text: TokenIds) -> NDArray[np.float64]:
        draws = np.random.default_rng([seed, *(x + 1 for x in text)])
        logits = draws.normal(0, 2, V)
        logits[draws.random(V) < gaps] = -np.inf
        logits[draws.integers(V)] = 1.0
        return sampling_probabilities(torch.tensor(logits)[None], how)[0]

    return of


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_text_is_as_likely_as_if_the_model_wrote_alone(data: st.DataObject) -> None:
    how = data.draw(st.sampled_from(FILTERS))
    p, q = (table(data.draw(st.integers(0, 10**6)), how) for _ in range(2))
    n, n_draft = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))
    true, (found, _) = text_probabilities(p, n), speculative_probabilities(p, q, n, n_draft)
    assert largest_difference(true, found) < 1e-12 and sum(found.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "paper"])
def test_a_broken_rule_is_another_distribution(rule: str) -> None:
    for seed in range(4):
        p, q = table(seed, gaps=0), table(seed + 100, gaps=0)
        found, _ = speculative_probabilities(p, q, 3, 2, rule)
        assert text_total_variation(text_probabilities(p, 3), found) > 0.02
        assert sum(found.values()) == pytest.approx(1)  # of texts, all the same


@pytest.mark.slow
def test_what_is_drawn_agrees_with_what_is_added_up() -> None:
    """Enumeration and sampler were written apart; each broken rule must bend them alike."""
    p, q = table(1), table(2)
    for rule in RULES:
        exact, _ = speculative_probabilities(p, q, 3, 2, rule)
        counts = sample_speculative_texts(p, q, 3, 2, 4_000, 0, rule)
        assert chi_square(counts, exact) < 5, rule
    assert (
        chi_square(sample_speculative_texts(p, q, 3, 2, 4_000, 0, "always"), text_probabilities(p, 3)) > 20
    )  # the test can tell


def chi_square(counts: dict[TokenIds, int], exact: dict[TokenIds, float]) -> float:
    """Pearson's statistic less its mean, in standard deviations; of texts expected five times, the others together."""
    n = sum(counts.values())
    assert all(exact.get(text, 0) > 0 for text in counts) or n_impossible(counts, exact) > 0
    large = [text for text, p in exact.items() if p * n >= 5]
    seen = [counts.get(text, 0) for text in large] + [n - sum(counts.get(text, 0) for text in large)]
    wanted = [exact[text] * n for text in large] + [max(n * (1 - sum(exact[text] for text in large)), 1e-3)]
    statistic = sum((a - b) ** 2 / b for a, b in zip(seen, wanted, strict=True) if b > 1)
    return (statistic - len(large)) / (2 * len(large)) ** 0.5


def n_impossible(counts: dict[TokenIds, int], exact: dict[TokenIds, float]) -> int:
    return sum(count for text, count in counts.items() if not exact.get(text))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_chance_to_stay_is_what_the_two_share(a: int, b: int) -> None:
    p, q = table(a)(()), table(b)(())
    stays = sum(q[x] * acceptance_probability(p[x], q[x]) for x in range(V) if q[x])
    assert acceptance_rate(p, q) == pytest.approx(stays, abs=1e-12)
    assert acceptance_rate(p, q) == pytest.approx(1 - np.abs(p - q).sum() / 2, abs=1e-12)
    assert (
        residual_distribution(p, q).sum() == pytest.approx(1)
        and not residual_distribution(p, q)[(q >= p) & (p != q)].any()
    ) or stays > 1 - 1e-12


@settings(max_examples=count(10, 40), deadline=None)
@given(st.data())
def test_with_a_cache_the_rounds_are_the_same_and_each_hangs_together(data: st.DataObject) -> None:
    prompt = data.draw(st.lists(st.integers(0, V - 1), min_size=1, max_size=6))
    draft = data.draw(st.sampled_from([0, 1]))  # 0: the model itself
    how: dict[str, Any] = {
        "n_draft": data.draw(st.integers(0, 5)),
        "settings": data.draw(st.sampled_from([*FILTERS, FilterSettings(temperature=0)])),
        "seed": data.draw(st.integers(0, 9)),
    }
    n_new = data.draw(st.integers(0, CONTEXT - len(prompt)))
    rounds, anew = (
        list(speculative_rounds(CachedModel(model(0), cached=is_kept), Net(draft), prompt, n_new, **how))
        for is_kept in (True, False)
    )
    assert [one.tokens for one in rounds] == [one.tokens for one in anew]
    assert sum(len(one.tokens) for one in rounds) == n_new
    for one, other in zip(rounds, anew, strict=True):
        np.testing.assert_allclose(one.p, other.p, atol=1e-12)
        for guess in one.guesses:
            assert (guess.u is None) == (guess.outcome == UNREAD)
            assert guess.u is None or (guess.u < guess.ratio) == (guess.outcome == ACCEPTED)
        assert one.source[one.last] > 0
        if draft == 0:
            assert one.n_accepted == len(one.guesses)  # nobody is better drafted for than by himself


def test_the_model_is_asked_once_a_round() -> None:
    cached = CachedModel(model(0))
    rounds = list(speculative_rounds(cached, Net(1), [1], 12, n_draft=3, settings=FilterSettings(), seed=0))
    assert cached.n_pass == len(rounds) < 12
    with pytest.raises(ValueError, match="more than the 16"):
        list(speculative_rounds(cached, Net(1), [1], CONTEXT, n_draft=3, settings=FilterSettings(), seed=0))


@pytest.mark.full
def test_the_text_of_real_models_is_distributed_as_the_models_own() -> None:
    own, draft = CachedModel(model(0)), Net(1)
    how: dict[str, Any] = {"n_draft": 2, "settings": FilterSettings(temperature=0.8)}
    counts: dict[TokenIds, int] = {}
    for seed in range(1_000):
        text = tuple(x for one in speculative_rounds(own, draft, [2], 2, seed=seed, **how) for x in one.tokens)
        counts[text] = counts.get(text, 0) + 1
    p = cache(lambda text: sampling_probabilities(own.next_logits([[2, *text]]), how["settings"])[0])
    assert chi_square(counts, text_probabilities(p, 2)) < 3


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 1, exclude_max=True))
def test_a_number_falls_on_the_token_that_decode_finds(seed: int, u: float) -> None:
    row = table(seed)(())
    assert select_token(row, u) == int(inverse_cdf(torch.tensor(row)[None], torch.tensor([u], dtype=torch.float64)))


def test_expected_tokens_are_the_sum_of_a_series() -> None:
    for alpha in (0.0, 0.3, 0.9, 1.0):
        for k in range(6):
            assert expected_tokens(alpha, k) == pytest.approx(sum(alpha**i for i in range(k + 1)))
    assert expected_speedup(0.8, 0.0, 4) == pytest.approx(expected_tokens(0.8, 4)) and expected_speedup(
        0.5, 0.5, 1
    ) == pytest.approx(1)


def test_a_draft_of_other_ids_says_the_same_of_the_same_words() -> None:
    """The GRU knows fewer tokens than the large model: what it says must not land on others."""
    draft = drafts.load_draft("gru", run_experiment("draft"))
    assert isinstance(draft, drafts.NetDraft) and draft.own is not None and draft.knows is not None
    names = drafts.token_names()
    text = drafts.large_model().tokenizer.encode("Tom and Mia played near the")
    own = drafts.load_text_model(drafts.ModelKey.at("stories-gru"))
    logits = draft.next_logits(text)
    theirs = own.model(torch.tensor([own.tokenizer.encode("Tom and Mia played near the")]))[0, -1]
    for word in (" park", " beach", "."):
        assert float(logits[names.index(word)]) == pytest.approx(float(theirs[own.vocabulary.index(word)]), abs=1e-4)
    assert logits[~draft.knows].max() == -torch.inf
    both = draft.logits(torch.tensor([text]))[0, -1]
    torch.testing.assert_close(both, logits, atol=1e-4, rtol=0)
