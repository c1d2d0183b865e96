"""Beam search: equal to listing every text where B is large enough; what it keeps, sets aside and drops on the way."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.generate.beam import BeamResult, beam_search, cached_beam_search
from core.generate.decode import generate
from core.models import registry
from core.models.gpt import GPTConfig
from core.rooms.beam import tree

RULES = (False, True, "never")


class Random:
    """Return next-token probabilities drawn from a seed made of the text itself, so that no two texts share a row."""

    def __init__(self, n_token: int, seed: int, spread: float = 1.5):
        self.n_token, self.seed, self.spread = n_token, seed, spread
        self.asked: list[tuple[int, ...]] = []

    def row(self, text: tuple[int, ...]) -> np.ndarray:
        logits = np.random.default_rng([self.seed, len(text), *text]).normal(0, self.spread, self.n_token)
        return logits - np.log(np.exp(logits).sum())

    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        self.asked += [tuple(one) for one in ids.tolist()]
        return torch.tensor(np.array([self.row(tuple(one)) for one in ids.tolist()]))


def every_text(model: Random, prefix: tuple[int, ...], n_new: int, eos: int | None) -> dict[tuple[int, ...], float]:
    """All texts that end or reach the length, with their log-probabilities: straight from the definition."""
    done, running = {}, {prefix: 0.0}
    for k in range(n_new):
        longer = {(*t, i): p + model.row(t)[i] for t, p in running.items() for i in range(model.n_token)}
        ended = {t: p for t, p in longer.items() if t[-1] == eos or k == n_new - 1}
        done |= ended
        running = {t: p for t, p in longer.items() if t not in ended}
    return done


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_token=st.integers(2, 4),
    n_new=st.integers(1, 4),
    ends=st.booleans(),
    penalty=st.sampled_from([-1.0, 0.0, 0.6, 1.0, 2.0]),
    rule=st.sampled_from(RULES),
    prefix=st.sampled_from([(), (1,), (0, 1, 1)]),
)
def test_with_enough_beams_it_lists_every_text(
    seed: int, n_token: int, n_new: int, ends: bool, penalty: float, rule: Any, prefix: tuple[int, ...]
) -> None:
    model, eos = Random(n_token, seed), 0 if ends else None
    texts = every_text(model, prefix, n_new, eos)
    found = beam_search(
        model, prefix, n_token**n_new, n_new, eos_id=eos, length_penalty=penalty, early_stopping=rule
    ).hypotheses
    assert {one.ids: one.log_prob for one in found} == pytest.approx(texts)
    for one in found:
        assert one.score == pytest.approx(texts[one.ids] / (len(one.ids) - len(prefix)) ** penalty)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n_beam=st.integers(1, 5), ends=st.booleans(), rule=st.sampled_from(RULES))
def test_what_the_tree_says(seed: int, n_beam: int, ends: bool, rule: Any) -> None:
    n_token, n_new, eos = 5, 5, 0 if ends else None
    model = Random(n_token, seed)
    result = beam_search(model, (2,), n_beam, n_new, eos_id=eos, length_penalty=0.7, early_stopping=rule)
    running, finished = [((2,), 0.0)], []
    for n, step in enumerate(result.tree, start=1):
        assert step.n_candidate == len(running) * n_token
        every = sorted((-(p + model.row(t)[i]), k, i) for k, (t, p) in enumerate(running) for i in range(n_token))[
            : 2 * n_beam
        ]
        assert [(k, i) for _, k, i in every] == list(zip(step.parents.tolist(), step.tokens.tolist(), strict=True))
        np.testing.assert_allclose(step.totals, [-p for p, _, _ in every])
        np.testing.assert_allclose(step.scores, step.totals / n**0.7)
        ends_here = (step.tokens == eos) | (n == n_new)
        np.testing.assert_array_equal(step.finished, ends_here & (np.arange(len(every)) < n_beam))
        assert not (step.kept & ends_here).any()
        assert step.kept.sum() == min(n_beam, (~ends_here).sum())
        assert not step.kept[np.flatnonzero(~ends_here)[n_beam:]].any()
        texts = [((*running[k][0], i), -p) for p, k, i in every]
        finished += [(text, p / n**0.7) for (text, p), f in zip(texts, step.finished, strict=True) if f]
        expected = sorted((score for _, score in finished), reverse=True)[:n_beam]
        np.testing.assert_allclose([one.score for one in step.pool], expected)
        running = [text for text, kept in zip(texts, step.kept, strict=True) if kept]
        assert bool(step.stop) is (n == len(result.tree))
    assert result.hypotheses == result.tree[-1].pool


def test_one_beam_without_end_token_is_greedy_search_and_the_cache_changes_nothing() -> None:
    model = registry.build(GPTConfig(vocab_size=9, context_length=6, n_layer=2, n_head=2, d_model=16), seed=0)
    with torch.no_grad():
        for weights in model.parameters():
            weights.copy_(torch.randn(weights.shape, generator=torch.Generator().manual_seed(1)) * 0.5)
    model.eval()
    prompt = [3, 1, 4]
    greedy = [int(step.token) for step in generate(model, prompt, 8, greedy=True)]  # goes past the context length
    assert list(cached_beam_search(model, prompt, 1, 8).hypotheses[0].ids) == prompt + greedy

    @torch.no_grad()
    def plain(ids: torch.Tensor) -> torch.Tensor:
        return model(ids[:, -6:])[:, -1].double().log_softmax(-1)

    for given_ids in (prompt, torch.tensor(prompt)):
        one = cached_beam_search(model, given_ids, 4, 8, eos_id=2)
        other = beam_search(plain, given_ids, 4, 8, eos_id=2)
        assert [h.ids for h in one.hypotheses] == [h.ids for h in other.hypotheses]
        np.testing.assert_allclose([h.score for h in one.hypotheses], [h.score for h in other.hypotheses], atol=1e-5)


def test_the_stopping_rule_changes_the_result() -> None:
    """A short text is finished early; a longer one, with the better score per token, comes later."""

    def model(ids: torch.Tensor) -> np.ndarray:
        rows = {1: [0.3, 0.6, 0.1], 2: [0.5, 0.45, 0.05], 3: [0.34, 0.33, 0.33]}
        return np.log([rows.get(len(one), [0.02, 0.96, 0.02]) for one in ids.tolist()])

    def run(rule: Any) -> BeamResult:
        return beam_search(model, [9], 2, 8, eos_id=0, early_stopping=rule)

    heuristic, hasty, patient = map(run, RULES)
    assert [one.tree[-1].stop for one in (hasty, heuristic, patient)] == ["full", "hopeless", "length"]
    assert len(hasty.tree) < len(heuristic.tree) < len(patient.tree) == 8
    assert hasty.hypotheses[0].score < patient.hypotheses[0].score
    for one in (heuristic, patient):  # it went on for as long as something better seemed possible, and no longer
        going_on = [step.reach > step.pool[-1].score for step in one.tree[:-1] if len(step.pool) == 2]
        assert all(going_on) and going_on
    assert heuristic.tree[-1].reach <= heuristic.hypotheses[-1].score


def test_an_end_behind_the_first_b_is_dropped() -> None:
    def model(ids: torch.Tensor) -> np.ndarray:
        return np.log([[0.2, 0.5, 0.3]] * len(ids))

    step = beam_search(model, [], 2, 3, eos_id=0).tree[0]
    assert step.tokens.tolist() == [1, 2, 0]
    assert step.kept.tolist() == [True, True, False]
    assert not step.finished.any()
    assert step.pool == ()


def test_ties_go_to_the_better_parent_and_the_lower_id() -> None:
    def model(ids: torch.Tensor) -> np.ndarray:
        return np.log(np.full((len(ids), 50), 1 / 50))

    result = beam_search(model, [], 3, 2)
    assert result.tree[0].tokens.tolist() == [0, 1, 2, 3, 4, 5]
    assert [one.ids for one in result.hypotheses] == [(0, 0), (0, 1), (0, 2)]


def test_impossible_tokens_are_never_called() -> None:
    def model(ids: torch.Tensor) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log([[0.0, 1.0, 0.0] if len(text) < 2 else [0.0, 0.0, 0.0] for text in ids.tolist()])

    with pytest.raises(ValueError, match="every next token probability 0"):
        beam_search(model, [], 3, 5)
    assert [text.ids for text in beam_search(model, [], 3, 2).hypotheses] == [(1, 1)]
    stuck = beam_search(lambda ids: np.log([[0.5, 0.5]]) - (np.inf if ids.shape[1] else 0), [], 2, 5, eos_id=0)
    assert stuck.hypotheses[0].ids == (0,) and stuck.tree[-1].stop == "impossible"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({name: value}, f"{name}={value!r}")
        for name, values in {
            "n_beam": (0, 2.5),
            "max_new_tokens": (0,),
            "length_penalty": (math.nan,),
            "early_stopping": ("sometimes", 1),
        }.items()
        for value in values
    ]
    + [
        ({"eos_id": 3}, "eos_id=3 is outside the vocabulary: 0 to 2"),
        ({"next_log_probs": lambda ids: np.zeros(3)}, r"gave \(3,\) for 1 texts"),
        ({"next_log_probs": lambda ids: np.zeros((2, 3))}, r"gave \(2, 3\) for 1 texts"),
        ({"next_log_probs": lambda ids: np.full((1, 3), math.nan)}, "aren't numbers"),
    ],
)
def test_what_makes_no_sense_is_refused_in_plain_words(change: dict[str, Any], words: str) -> None:
    asked = {"next_log_probs": Random(3, 0), "prefix": [0], "n_beam": 2, "max_new_tokens": 2} | change
    with pytest.raises(ValueError, match=words):
        beam_search(**asked)


def test_the_message_to_the_browser() -> None:
    names = [".", "a", "b", "c\n", "never"]
    result = beam_search(Random(4, 5), (1, 1), 2, 3, eos_id=0)
    sent = tree.tree_picture(result, names, 2, 2.0, ((3, 3, 3), -2.5))
    assert "never" not in sent["names"] and sent["n_token"] == 5
    for step, told in zip(result.tree, sent["steps"], strict=True):
        assert [names.index(sent["names"][i]) for i in told["tokens"]] == step.tokens.tolist()
        assert told["totals"] == step.totals.tolist() and told["kept"] == step.kept.tolist()
        for one, other in zip(step.pool, told["pool"], strict=True):
            assert [names.index(sent["names"][i]) for i in other["tokens"]] == list(one.ids[2:])
    assert sent["greedy"]["score"] == pytest.approx(-2.5 / 9)
    assert [sent["names"][i] for i in sent["greedy"]["tokens"]] == ["c\n"] * 3
