"""What the rooms promise under “Try this” happens on the shipped model, with its own text."""

from typing import Any

import numpy as np
import pytest

from core.generate.settings import Settings
from core.inspect import rollout
from core.rooms.heads import all_heads, attention_rollout, switch_off
from core.rooms.heads.compute import ablation
from core.rooms.heads.compute.heads import rank
from core.rooms.home import sentence
from core.ui.models import models
from core.ui.models.models import SENTENCES, SHIPPED
from core.ui.models.opening_head import telling_head

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


def without(key: Any, packed: str, heads: tuple[tuple[int, int], ...], mode: str = "zero") -> Any:
    return switch_off.knocked_out(key, packed, heads, mode)


def test_the_model_knows_every_word_of_its_texts(key: Any) -> None:
    assert models.encode(key, SENTENCES["stories"], all_heads.MOST_TOKENS).notes == ()
    for text in (sentence.SENTENCE, sentence.CERTAIN, sentence.CERTAIN.replace("kite", "hat")):
        assert models.encode(key, text, sentence.MOST_TOKENS).notes == ()


def test_home_reads_both_toys_and_is_not_sure(key: Any) -> None:
    record = models.attention(key, models.encode(key, sentence.SENTENCE).packed)
    layer, head = telling_head(record)
    best = np.argsort(-record.weights[layer, head, -1])[:2]
    assert {models.vocabulary(key)[record.ids[i]] for i in best} == {" hat", " kite"}
    assert expects(key, record.probabilities[-1]) == "kite"
    kite, hat = (probability(key, record.probabilities[-1], f" {word}") for word in ("kite", "hat"))
    assert kite > hat > 0.4  # two bars to move
    cold, hot = (Settings(temperature=t).probabilities(record.logits[-1]) for t in (0.2, 2.0))
    assert cold.max() > kite + 0.1 and hot.max() < kite - 0.1


def test_home_follows_the_toy(key: Any) -> None:
    for word in ("kite", "hat"):
        record = models.attention(key, models.encode(key, sentence.CERTAIN.replace("kite", word)).packed)
        assert probability(key, record.probabilities[-1], f" {word}") > 0.95
        layer, head = telling_head(record)
        read = int(record.weights[layer, head, -1].argmax())
        assert models.vocabulary(key)[record.ids[read]].strip() == word


def test_one_head_gets_a_name_at_one_half_and_three_at_one_fifth(key: Any, packed: str) -> None:
    def named(by: str, threshold: float) -> list[tuple[int, int]]:
        return [(one.layer, one.head) for one in rank(scores, by, {by: threshold}) if one.label is not None]

    scores = all_heads.scores_of(key, packed)
    assert named("previous_token", 0.5) == [(0, 1)]
    assert named("previous_token", 0.2) == [(0, 1), (1, 2), (1, 0)]
    assert scores.previous_token[0, 1] == pytest.approx(0.77, abs=0.005)
    assert named("first_token", 0.5) == named("induction", 0.5) == []
    assert scores.first_token.max() == pytest.approx(0.22, abs=0.005)
    assert scores.induction.max() < scores.uniform["induction"]  # no better than reading all alike


def test_the_two_focused_heads_are_the_one_before_and_the_one_of_names(key: Any, packed: str) -> None:
    scores = all_heads.scores_of(key, packed)
    named = [(one.layer, one.head) for one in rank(scores, "focus", {"focus": 0.5}) if one.label is not None]
    assert named == [(0, 1), (1, 0)]


def test_lines_of_the_previous_token_head_climb_by_one_row(key: Any, packed: str) -> None:
    weights = models.attention(key, packed).weights
    query, source = np.nonzero(weights[0, 1] >= 0.5)
    assert (len(query), int((query - source == 1).sum())) == (26, 25)
    for layer, counts in ((0, [268, 45]), (1, [269, 63])):
        assert [int((weights[layer] >= least).sum()) for least in (0.1, 0.5)] == counts
        # the bytes of the browser say the same
        assert [int((np.rint(weights[layer] * 255) >= np.ceil(least * 255)).sum()) for least in (0.1, 0.5)] == counts


def test_one_head_reads_the_name(key: Any, packed: str) -> None:
    record = models.attention(key, packed)
    mia = np.flatnonzero(record.ids == models.vocabulary(key).index(" Mia"))
    assert len(mia) == 3
    read = record.weights[:, :, -1, mia].sum(-1)
    assert read[1, 0] == pytest.approx(0.99, abs=0.005)
    assert np.delete(read, 4).max() < 0.25
    assert set(np.argsort(-record.weights[1, 0, -1])[:2]) <= set(mia.tolist())


def test_few_coordinates_make_half_of_a_score(key: Any, packed: str) -> None:
    record = models.attention(key, packed)
    assert record.q.shape[-1] == 24
    products = np.abs(record.q[:, :, :, None] * record.k[:, :, None])[:, :, record.mask]
    largest = np.cumsum(-np.sort(-products, axis=-1), -1)
    need = (largest >= products.sum(-1, keepdims=True) / 2).argmax(-1) + 1
    assert np.isin(need, (4, 5)).mean() > 0.7


def test_in_head_0_the_distance_decides_with_alibi(key: Any, packed: str) -> None:
    alibi = models.shipped_key("stories-alibi")
    assert "Little stories, the block that learns fastest" in models.about(alibi).title  # as the text calls it
    assert models.attention(key, packed).bias is None
    record = models.attention(alibi, models.encode(alibi, SENTENCES["stories"]).packed)
    assert record.bias is not None
    bias = record.bias[0]
    np.testing.assert_allclose(np.diff(bias[-1]), 1.5, atol=1e-5)
    for layer in (0, 1):
        both = record.scores[layer, 0][record.mask], bias[record.mask]
        assert np.corrcoef(*both)[0, 1] ** 2 == pytest.approx(0.98, abs=0.005)


def test_rollout_names_one_token_and_the_model_needs_another(key: Any, packed: str) -> None:
    encoded = models.encode(key, SENTENCES["stories"])
    whole, found = attention_rollout.rolled(key, packed, 0.5)[-1], attention_rollout.hidden(key, packed)
    assert encoded.tokens[20:23] == (" No", " Mia", "!")
    assert models.vocabulary(key)[found.expected[21]] == "!"
    looked = int(whole[21, :21].argmax())
    assert encoded.tokens[looked] == " looked"
    assert abs(found.change[21, looked]) < 0.01
    assert found.change[21, 20] == pytest.approx(6.16, abs=0.05)
    assert int(np.nanargmax(np.abs(found.change[21]))) == 20


def test_no_guess_is_right_in_every_row_and_rollout_orders_best(key: Any, packed: str) -> None:
    found, last = attention_rollout.hidden(key, packed), attention_rollout.last_layer(key, packed)
    guesses = attention_rollout.rolled(key, packed, 0.5)[-1], last, rollout.nearness(len(last))
    assert [rollout.same_first(guess, found) for guess in guesses] == [(11, 17), (10, 17), (9, 17)]
    means = [rollout.mean_correlation(guess, found)[0] for guess in guesses]
    np.testing.assert_allclose(means, [0.67, 0.41, 0.19], atol=0.005)


def test_a_name_that_stands_there_three_times_can_be_hidden_once(key: Any, packed: str) -> None:
    found = attention_rollout.hidden(key, packed)
    assert models.vocabulary(key)[found.expected[29]].strip() == "Mia"
    assert np.nanmax(np.abs(found.change[29])) < 0.01


def test_the_share_that_stays_changes_the_story(key: Any, packed: str) -> None:
    tokens = models.encode(key, SENTENCES["stories"]).tokens

    def first(row: int, share: float) -> str:
        return tokens[int(attention_rollout.rolled(key, packed, share)[-1, row, :row].argmax())]

    assert [first(8, share) for share in (0.0, 0.5, 0.9)] == ["Tom", " played", "."]
    opened = attention_rollout.first_row(key, packed)
    assert (opened, first(opened, 0.0), first(opened, 0.9)) == (17, " Tom", " in")
    assert all(first(row, 0.0) != first(row, 0.9) for row in range(10, 21) if row != 13)  # any row in the middle


def test_the_page_opens_the_head_that_the_word_needs(key: Any, packed: str) -> None:
    assert telling_head(models.attention(key, packed)) == (1, 0)
    for layer, head in np.ndindex(2, 4):
        mia = probability(key, without(key, packed, ((layer, head),)).probabilities_after[-1], " Mia")
        assert mia == pytest.approx(0.02, abs=0.005) if (layer, head) == (1, 0) else mia > 0.99
    changes = switch_off.loss_without_each(key, packed, "zero")
    assert np.unravel_index(changes.argmax(), changes.shape) == (0, 0)  # the whole text needs another one most


@pytest.mark.parametrize(
    ("toy", "reads", "left"),
    [("hat", (0.98, 0.97), (0.87, 0.99, 0.25)), ("bell", (0.98, 0.86), (0.08, 1.0, 0.10))],
)
def test_two_heads_read_the_toy_and_both_or_one_of_them_matter(
    key: Any, toy: str, reads: tuple[float, ...], left: tuple[float, ...]
) -> None:
    packed = models.encode(key, switch_off.TWO_READ.replace("hat", toy)).packed
    record, word = models.attention(key, packed), f" {toy}"
    read = record.weights[1, :, -1, record.ids == models.vocabulary(key).index(word)].sum(0)
    np.testing.assert_allclose(read[[1, 2]], reads, atol=0.006)
    assert probability(key, record.probabilities[-1], word) > 0.995
    for heads_off, stays in zip((((1, 1),), ((1, 2),), ((1, 1), (1, 2))), left, strict=True):
        after = without(key, packed, heads_off).probabilities_after[-1]
        assert probability(key, after, word) == pytest.approx(stays, abs=0.006)


def test_the_first_layer_is_missed_and_less_with_its_mean(key: Any, packed: str) -> None:
    layer = tuple((0, head) for head in range(4))
    zero, mean = (without(key, packed, layer, mode) for mode in ("zero", "mean"))
    assert zero.loss_before.mean == pytest.approx(0.38, abs=0.005)
    assert zero.loss_after.mean == pytest.approx(3.1, abs=0.05)
    assert mean.loss_after.mean == pytest.approx(2.1, abs=0.05)


def test_a_row_set_by_hand_makes_it_say_tom_or_moves_nothing(key: Any, packed: str) -> None:
    ids = models.unpack(packed)
    row = [1.0] + [0.0] * (len(ids) - 1)
    tom = ablation.edit_row(models.load(key).model, ids, 1, 0, len(ids) - 1, row)
    assert probability(key, tom.probabilities_after[-1], " Tom") > 0.99
    for head in (1, 2, 3):
        same = ablation.edit_row(models.load(key).model, ids, 1, head, len(ids) - 1, row)
        assert probability(key, same.probabilities_after[-1], " Mia") > 0.99
