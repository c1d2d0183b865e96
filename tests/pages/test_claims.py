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


def test_two_heads_read_the_name_and_only_one_matters(key: Any, packed: str) -> None:
    record = models.attention(key, packed)
    mia = record.ids == models.vocabulary(key).index(" Mia")
    for head in (0, 3):
        assert record.weights[1, head, -1, mia].sum() > 0.9
        without = knockout.knocked_out(key, packed, ((1, head),), "zero")
        assert probability(key, without.probabilities_before[-1], " Mia") > 0.998
        left = probability(key, without.probabilities_after[-1], " Mia")
        assert left > 0.99 if head == 0 else 0.4 < left < 0.6


def test_the_first_layer_is_missed_but_its_mean_will_do(key: Any, packed: str) -> None:
    layer = tuple((0, head) for head in range(4))
    without = knockout.knocked_out(key, packed, layer, "zero")
    assert without.loss_before.mean == pytest.approx(0.45, abs=0.02)
    assert without.loss_after.mean == pytest.approx(1.8, abs=0.15)
    assert expects(key, without.probabilities_after[-1]) != "Mia"
    mean = knockout.knocked_out(key, packed, layer, "mean")
    assert probability(key, mean.probabilities_after[-1], " Mia") > 0.99


def test_a_row_set_by_hand_makes_it_say_tom_or_moves_nothing(key: Any, packed: str) -> None:
    ids = models.unpack(packed)
    row = [1.0] + [0.0] * (len(ids) - 1)
    tom = ablation.edit_row(models.load(key).model, ids, 1, 3, len(ids) - 1, row)
    assert probability(key, tom.probabilities_after[-1], " Tom") == pytest.approx(0.9, abs=0.05)
    same = ablation.edit_row(models.load(key).model, ids, 1, 0, len(ids) - 1, row)
    assert probability(key, same.probabilities_after[-1], " Mia") > 0.95


def test_a_wrong_word_is_dear_and_the_tokens_before_it_do_not_change(key: Any, packed: str) -> None:
    right = next_token.losses_of(key, packed)
    changed = models.encode(key, SENTENCES["stories"].replace("box", "kite"))
    wrong = next_token.losses_of(key, changed.packed)
    place = changed.tokens.index(" kite")
    assert right.loss[place] == pytest.approx(1.3, abs=0.1)
    assert wrong.loss[place] == pytest.approx(11, abs=0.5)
    np.testing.assert_array_equal(right.loss[1:place], wrong.loss[1:place])


def test_another_seed_writes_another_text_and_temperature_0_does_not_care(key: Any, packed: str) -> None:
    first, second = (generation.write_on(key, packed, Settings(), seed, 60).tokens for seed in (0, 1))
    assert (first != second).any()
    first, second = (generation.write_on(key, packed, Settings(temperature=0), seed, 60).tokens for seed in (0, 1))
    np.testing.assert_array_equal(first, second)
