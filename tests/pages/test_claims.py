"""What the rooms promise under “Try this” happens on the shipped model, with its own text."""

from typing import Any

import numpy as np
import pytest

from core.exhibits import generation, heads, home, knockout, next_token
from core.exhibits.settings import Settings
from core.inspect import ablation
from core.inspect.heads import rank
from core.ui import models
from core.ui.models import SENTENCES, SHIPPED

pytestmark = pytest.mark.skipif(
    not (SHIPPED / "stories" / models.WEIGHTS).exists(), reason="the shipped model is not in this checkout"
)


@pytest.fixture(scope="module")
def key() -> Any:
    return models.shipped_key("stories")


@pytest.fixture(scope="module")
def packed(key: Any) -> str:
    return models.encode(key, SENTENCES["stories"]).packed


def expects(key: Any, probabilities: Any) -> str:
    return models.vocabulary(key)[int(np.argmax(probabilities))].strip()


def probability(key: Any, probabilities: Any, word: str) -> float:
    return float(probabilities[models.vocabulary(key).index(word)])


def test_the_model_knows_every_word_of_its_texts(key: Any) -> None:
    assert models.encode(key, SENTENCES["stories"], heads.MOST_TOKENS).notes == ()
    for word in ("kite", "hat"):
        assert models.encode(key, home.SENTENCE.replace("kite", word), home.MOST_TOKENS).notes == ()


def test_home_follows_the_toy(key: Any) -> None:
    for word in ("kite", "hat"):
        packed = models.encode(key, home.SENTENCE.replace("kite", word)).packed
        record = models.attention(key, packed)
        assert expects(key, record.probabilities[-1]) == word
        layer, head = home.telling_head(record)
        read = int(record.weights[layer, head, -1].argmax())
        assert models.vocabulary(key)[record.ids[read]].strip() == word


def test_different_heads_win_and_none_gets_a_name_at_one_half(key: Any, packed: str) -> None:
    scores = heads.scores_of(key, packed)
    winners = set()
    for by in ("first_token", "previous_token"):
        ranked = rank(scores, by, {by: 0.5})
        winners.add((ranked[0].layer, ranked[0].head))
        assert all(one.label is None for one in ranked)
    assert len(winners) == 2
    assert sum(one.label is not None for one in rank(scores, "previous_token", {"previous_token": 0.2})) >= 3


def test_one_head_carries_the_name(key: Any, packed: str) -> None:
    without = knockout.knocked_out(key, packed, ((2, 2),), "zero")
    assert probability(key, without.probabilities_before[-1], " Mia") > 0.998
    assert 0.1 < probability(key, without.probabilities_after[-1], " Mia") < 0.35
    assert knockout.knocked_out(key, packed, ((0, 0),), "zero").loss_change < 0.02
    assert heads._first_head(key) == (2, 2)


def test_the_first_layer_is_missed_but_its_mean_will_do(key: Any, packed: str) -> None:
    layer = tuple((0, head) for head in range(4))
    without = knockout.knocked_out(key, packed, layer, "zero")
    assert without.loss_before.mean == pytest.approx(0.43, abs=0.02)
    assert without.loss_after.mean == pytest.approx(1.8, abs=0.2)
    assert expects(key, without.probabilities_after[-1]) != "Mia"
    mean = knockout.knocked_out(key, packed, layer, "mean")
    assert mean.loss_after.mean == pytest.approx(mean.loss_before.mean, abs=0.05)


def test_a_row_set_by_hand_loses_the_name_or_moves_nothing(key: Any, packed: str) -> None:
    ids = models.unpack(packed)
    row = [1.0] + [0.0] * (len(ids) - 1)
    lost = ablation.edit_row(models.load(key).model, ids, 2, 2, len(ids) - 1, row)
    assert probability(key, lost.probabilities_after[-1], " Mia") < 0.2
    same = ablation.edit_row(models.load(key).model, ids, 2, 0, len(ids) - 1, row)
    assert same.kl[-1] < 1e-3


def test_a_wrong_word_is_dear_and_the_tokens_before_it_do_not_change(key: Any, packed: str) -> None:
    right = next_token.losses_of(key, packed)
    changed = models.encode(key, SENTENCES["stories"].replace("box", "kite"))
    wrong = next_token.losses_of(key, changed.packed)
    place = changed.tokens.index(" kite")
    assert right.loss[place] == pytest.approx(0.6, abs=0.1)
    assert wrong.loss[place] > 10
    np.testing.assert_array_equal(right.loss[1:place], wrong.loss[1:place])


def test_another_seed_writes_another_text_and_temperature_0_does_not_care(key: Any, packed: str) -> None:
    first, second = (generation.write_on(key, packed, Settings(), seed, 60).tokens for seed in (0, 1))
    assert (first != second).any()
    first, second = (generation.write_on(key, packed, Settings(temperature=0), seed, 60).tokens for seed in (0, 1))
    np.testing.assert_array_equal(first, second)
