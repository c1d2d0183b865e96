"""Random tokens that repeat: the sequences, the loss, the two scores; Kendall's tau and total variation."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.data.synthetic import BottleAndCup, referents
from core.inspect.head_scores import head_scores_from_weights, induction_scores, previous_token_scores
from core.inspect.numpy_reference.numpy_forward import numpy_forward
from core.models.registry import build, to_dict
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.experiments import induction
from core.rooms.heads_at_work.explanation import kendall_tau, total_variation
from core.train.experiments.referent import config


@settings(max_examples=25)
@given(st.integers(0, 2**31 - 1))
def test_sequences_repeat_with_their_period_and_not_before(seed: int) -> None:
    ids, periods = induction.draw_sequences(16, torch.Generator().manual_seed(seed))
    assert ids.shape == (16, 32)
    for row, period in zip(ids.tolist(), periods[:, 0].tolist(), strict=True):
        assert 6 <= period <= 16
        assert len(set(row[:period])) == period
        assert row[period:] == row[:-period]


def test_what_measures_is_not_trained_on() -> None:
    generator = torch.Generator().manual_seed(5)
    held, _ = induction.held_out_sequences(5)
    again, _ = induction.draw_sequences(induction.N_HELD, generator)
    assert torch.equal(held, again)
    seen = {tuple(row) for _ in range(300) for row in induction.draw_sequences(induction.BATCH, generator)[0].tolist()}
    assert not seen & {tuple(row) for row in held.tolist()}
    probe = induction.probe_sequence(3)
    assert probe[:12] == probe[12:] and len(set(probe)) == 12 and induction.probe_sequence(2**31 - 1) != probe


def test_the_loss_on_the_repeat_counts_what_can_be_known_and_nothing_else() -> None:
    ids, periods = induction.held_out_sequences(1)
    logits = torch.zeros(*ids.shape, induction.VOCAB_SIZE)
    assert float(induction.repeat_loss(logits, ids, periods)) == pytest.approx(math.log(32), abs=1e-5)
    # One who copies what came a period ago, and says nonsense while nothing can be known.
    for row, (sequence, period) in enumerate(zip(ids.tolist(), periods[:, 0].tolist(), strict=True)):
        for t in range(len(sequence)):
            known = t >= period
            guess = sequence[t - period + 1] if known else 31 - sequence[t]
            logits[row, t, guess] = 100.0
    assert float(induction.repeat_loss(logits, ids, periods)) == pytest.approx(0, abs=1e-6)


def test_knowing_the_tokens_costs_the_logarithm_of_the_period() -> None:
    periods = torch.full((5, 1), 8)
    assert induction.known_tokens_loss(periods) == pytest.approx(math.log(8))
    ids, _ = induction.held_out_sequences(0)
    ids = ids[:5, :8].repeat(1, 4)
    logits = torch.full((5, 32, 32), -100.0).scatter(2, ids[:, None, :8].expand(5, 32, 8), 0.0)
    if all(len(set(row)) == 8 for row in ids[:, :8].tolist()):
        loss = float(induction.repeat_loss(logits, ids, periods))
        assert loss == pytest.approx(induction.known_tokens_loss(periods), abs=1e-5)


def test_scores_are_those_of_the_heads_room() -> None:
    period = 6
    weights = np.random.default_rng(3).random((2, 3, 12, 12)) * np.tri(12)
    weights /= weights.sum(-1, keepdims=True)
    ids = [*range(period), *range(period)]
    scores = head_scores_from_weights(weights, ids)
    np.testing.assert_allclose(induction_scores(weights, period), scores.induction_text, atol=1e-12)
    first = head_scores_from_weights(weights[..., :period, :period], ids[:period])
    np.testing.assert_allclose(previous_token_scores(weights, period), first.previous_token, atol=1e-12)


def test_perfect_heads_score_one() -> None:
    period = 4
    previous, reader = np.zeros((8, 8)), np.zeros((8, 8))
    previous[range(1, 8), range(7)] = 1
    reader[range(4, 8), range(1, 5)] = 1
    assert (previous_token_scores(previous, period), induction_scores(reader, period)) == (1, 1)
    assert (previous_token_scores(reader, period), induction_scores(previous, period)) == (0, 0)
    for size, wrong in ((8, 3), (8, 1), (9, 4)):
        for score in (previous_token_scores, induction_scores):
            with pytest.raises(ValueError, match="twice"):
                score(np.zeros((size, size)), wrong)


def test_tau_of_the_same_of_the_opposite_and_of_half_and_half() -> None:
    assert kendall_tau([1, 2, 3], [10, 20, 25]) == pytest.approx(1)
    assert kendall_tau([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert kendall_tau([1, 2, 3, 4], [2, 4, 1, 3]) == 0
    with pytest.raises(ValueError):
        kendall_tau([1, 2], [1, 2, 3])


def test_total_variation_is_the_share_to_be_moved() -> None:
    assert total_variation([1, 0], [0, 1]) == 1
    p, q = np.random.default_rng(0).dirichlet(np.ones(6), 2)
    assert total_variation(p, q) == pytest.approx(np.maximum(p - q, 0).sum())


def test_the_earlier_read_is_the_largest_weight_from_a_noun_to_the_ending() -> None:
    model = build(config(), 3)
    pair = {ending: BottleAndCup("jug", "pot", ending) for ending in referents.ENDINGS}
    found = naming.find_earlier_read(model, pair, [*pair.values()])
    weights = {name: one.detach().numpy() for name, one in model.named_parameters()}
    links = {}
    for ending, sentence in pair.items():
        ids, _ = referents.encode_referent_sentences([sentence])
        rows = numpy_forward(to_dict(model.config), weights, ids=ids[0].tolist())["blocks.0.attn.weights"]
        for head, noun in np.ndindex(len(rows), 2):
            at = (referents.FIRST_POSITION, referents.SECOND_POSITION)[noun]
            links[ending, head, at] = rows[head, at, referents.ENDING_POSITION]
    largest = max(links, key=links.__getitem__)
    assert (found.ending, found.head, found.position) == largest
    assert found.weight == pytest.approx(links[largest], abs=1e-6)
    assert 0 <= found.n_right <= 2
