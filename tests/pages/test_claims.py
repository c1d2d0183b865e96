"""What the rooms promise under “Try this” happens on the shipped model, with its own text."""

from typing import Any

import numpy as np
import pytest

from core.exhibits import generation, heads, heads_rollout, home, knockout, next_token
from core.exhibits.telling import telling_head
from core.generate.settings import Settings
from core.inspect import ablation, rollout
from core.inspect.heads import rank
from core.ui import models
from core.ui.looking import Looked
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


def without(key: Any, packed: str, heads: tuple[tuple[int, int], ...], mode: str = "zero") -> Any:
    return knockout.knocked_out(key, packed, heads, mode)


def test_the_model_knows_every_word_of_its_texts(key: Any) -> None:
    assert models.encode(key, SENTENCES["stories"], heads.MOST_TOKENS).notes == ()
    for text in (home.SENTENCE, home.CERTAIN, home.CERTAIN.replace("kite", "hat")):
        assert models.encode(key, text, home.MOST_TOKENS).notes == ()


def test_home_reads_both_toys_and_is_not_sure(key: Any) -> None:
    record = models.attention(key, models.encode(key, home.SENTENCE).packed)
    layer, head = telling_head(record)
    best = np.argsort(-record.weights[layer, head, -1])[:2]
    assert {models.vocabulary(key)[record.ids[i]] for i in best} == {" hat", " kite"}
    assert expects(key, record.probabilities[-1]) == "kite"
    assert np.sort(record.probabilities[-1])[-3] > 0.1  # three bars to move


def test_home_follows_the_toy(key: Any) -> None:
    for word in ("kite", "hat"):
        record = models.attention(key, models.encode(key, home.CERTAIN.replace("kite", word)).packed)
        assert probability(key, record.probabilities[-1], f" {word}") > 0.95
        layer, head = telling_head(record)
        read = int(record.weights[layer, head, -1].argmax())
        assert models.vocabulary(key)[record.ids[read]].strip() == word


def test_two_heads_get_a_name_at_one_half_and_a_third_at_one_fifth(key: Any, packed: str) -> None:
    def named(by: str, threshold: float) -> list[tuple[int, int]]:
        return [(one.layer, one.head) for one in rank(scores, by, {by: threshold}) if one.label is not None]

    scores = heads.scores_of(key, packed)
    assert named("previous_token", 0.5) == [(1, 0), (0, 0)]
    assert named("previous_token", 0.2) == [(1, 0), (0, 0), (1, 1)]
    assert scores.previous_token[1, 1] == pytest.approx(0.26, abs=0.005)
    assert named("first_token", 0.5) == named("induction", 0.5) == []
    assert scores.first_token.max() == pytest.approx(0.17, abs=0.005)
    assert scores.induction.max() == pytest.approx(0.04, abs=0.005)


def test_the_two_focused_heads_are_the_previous_token_heads(key: Any, packed: str) -> None:
    scores = heads.scores_of(key, packed)
    named = [(one.layer, one.head) for one in rank(scores, "focus", {"focus": 0.5}) if one.label is not None]
    assert named == [(1, 0), (0, 0)]


def test_lines_of_the_previous_token_head_climb_by_one_row(key: Any, packed: str) -> None:
    weights = models.attention(key, packed).weights
    query, source = np.nonzero(weights[1, 0] >= 0.5)
    assert (len(query), int((query - source == 1).sum())) == (27, 20)
    assert [int((weights[1] >= least).sum()) for least in (0.1, 0.5)] == [281, 55]
    assert np.rint(weights[1] * 255)[weights[1] >= 0.5].min() >= 128  # the bytes of the browser say the same
    assert (np.rint(weights[1] * 255) >= np.ceil(0.5 * 255)).sum() == 55
    assert (np.rint(weights[1] * 255) >= np.ceil(0.1 * 255)).sum() == 281


def test_both_heads_read_the_three_names(key: Any, packed: str) -> None:
    record = models.attention(key, packed)
    mia = np.flatnonzero(record.ids == models.vocabulary(key).index(" Mia"))
    assert len(mia) == 3
    for head in (2, 3):
        assert record.weights[1, head, -1, mia].sum() > 0.5
        assert set(np.argsort(-record.weights[1, head, -1])[:2]) <= set(mia.tolist())


def test_few_coordinates_make_half_of_a_score(key: Any, packed: str) -> None:
    record = models.attention(key, packed)
    assert record.q.shape[-1] == 24
    products = np.abs(record.q[:, :, :, None] * record.k[:, :, None])[:, :, record.mask]
    largest = np.cumsum(-np.sort(-products, axis=-1), -1)
    need = (largest >= products.sum(-1, keepdims=True) / 2).argmax(-1) + 1
    assert np.isin(need, (4, 5)).mean() > 0.7


def test_in_head_0_the_distance_decides(key: Any, packed: str) -> None:
    record = models.attention(key, packed)
    assert record.bias is not None
    bias = record.bias[0]
    np.testing.assert_allclose(np.diff(bias[-1]), 1.5, atol=1e-5)
    for layer in (0, 1):
        both = record.scores[layer, 0][record.mask], bias[record.mask]
        assert np.corrcoef(*both)[0, 1] ** 2 == pytest.approx(0.98, abs=0.005)


def test_rollout_names_one_token_and_the_model_needs_another(key: Any, packed: str) -> None:
    encoded = models.encode(key, SENTENCES["stories"])
    whole, found = heads_rollout.rolled(key, packed, 0.5)[-1], heads_rollout.hidden(key, packed)
    assert encoded.tokens[10:12] == (" under", " the")
    assert encoded.tokens[int(whole[11, :11].argmax())] == " hid"
    assert abs(found.change[11, 9]) < 0.1
    assert found.change[11, 10] == pytest.approx(7.6, abs=0.05)
    assert int(np.nanargmax(np.abs(found.change[11]))) == 10


def test_no_guess_is_right_often_and_rollout_orders_best(key: Any, packed: str) -> None:
    found, last = heads_rollout.hidden(key, packed), heads_rollout.last_layer(key, packed)
    guesses = heads_rollout.rolled(key, packed, 0.5)[-1], last, rollout.nearness(len(last))
    assert [rollout.same_first(guess, found) for guess in guesses] == [(8, 15), (11, 15), (8, 15)]
    means = [rollout.mean_correlation(guess, found)[0] for guess in guesses]
    np.testing.assert_allclose(means, [0.58, 0.44, 0.27], atol=0.005)


def test_a_name_that_stands_there_three_times_can_be_hidden_once(key: Any, packed: str) -> None:
    found = heads_rollout.hidden(key, packed)
    assert models.vocabulary(key)[found.expected[29]].strip() == "Mia"
    assert np.nanmax(np.abs(found.change[29])) < 0.01


def test_the_share_that_stays_changes_the_story(key: Any, packed: str) -> None:
    tokens = models.encode(key, SENTENCES["stories"]).tokens
    first = [tokens[int(heads_rollout.rolled(key, packed, share)[-1, 11, :11].argmax())] for share in (0.0, 0.5, 0.9)]
    assert first == ["Tom", " hid", " under"]


def test_the_page_opens_the_head_that_matters(key: Any, packed: str) -> None:
    assert telling_head(models.attention(key, packed)) == (1, 2)
    changes = knockout.loss_without_each(key, packed, "zero")
    assert np.unravel_index(changes.argmax(), changes.shape) == (1, 2)


def test_two_heads_read_the_name_and_only_one_matters(key: Any, packed: str) -> None:
    record = models.attention(key, packed)
    mia = record.ids == models.vocabulary(key).index(" Mia")
    for head, read, left in ((3, 0.73, 1.0), (2, 0.89, 0.24)):
        assert record.weights[1, head, -1, mia].sum() == pytest.approx(read, abs=0.005)
        after = without(key, packed, ((1, head),)).probabilities_after[-1]
        assert probability(key, after, " Mia") == pytest.approx(left, abs=0.01)
    both = without(key, packed, ((1, 2), (1, 3))).probabilities_after[-1]
    assert probability(key, both, " Mia") == pytest.approx(0.11, abs=0.01)
    assert expects(key, both) != "Mia"


def test_the_first_layer_is_missed_and_its_mean_helps_this_word_alone(key: Any, packed: str) -> None:
    layer = tuple((0, head) for head in range(4))
    zero, mean = (without(key, packed, layer, mode) for mode in ("zero", "mean"))
    assert zero.loss_before.mean == pytest.approx(0.37, abs=0.005)
    assert zero.loss_after.mean == pytest.approx(1.8, abs=0.05)
    assert probability(key, zero.probabilities_after[-1], " Mia") == pytest.approx(0.25, abs=0.01)
    assert probability(key, mean.probabilities_after[-1], " Mia") > 0.99
    assert 1.3 < mean.loss_after.mean < zero.loss_after.mean


def test_a_row_set_by_hand_makes_it_say_tom_or_moves_nothing(key: Any, packed: str) -> None:
    ids = models.unpack(packed)
    row = [1.0] + [0.0] * (len(ids) - 1)
    tom = ablation.edit_row(models.load(key).model, ids, 1, 2, len(ids) - 1, row)
    assert probability(key, tom.probabilities_after[-1], " Tom") == pytest.approx(0.99, abs=0.005)
    same = ablation.edit_row(models.load(key).model, ids, 1, 3, len(ids) - 1, row)
    assert probability(key, same.probabilities_after[-1], " Mia") > 0.99


def test_a_wrong_word_is_dear_and_the_tokens_before_it_do_not_change(key: Any, packed: str) -> None:
    right = next_token.losses_of(key, packed)
    changed = models.encode(key, SENTENCES["stories"].replace("box", "kite"))
    wrong = next_token.losses_of(key, changed.packed)
    place = changed.tokens.index(" kite")
    assert right.loss[place] == pytest.approx(0.8, abs=0.05)
    assert wrong.loss[place] == pytest.approx(9, abs=0.2)
    np.testing.assert_array_equal(right.loss[1:place], wrong.loss[1:place])
    assert (np.abs(wrong.loss - right.loss)[place + 1 :] > 0.1).sum() >= 2


def test_next_token_opens_where_the_sliders_have_something_to_move(key: Any) -> None:
    encoded = models.encode(key, SENTENCES["stories"])
    place = next_token.first_place(Looked(key, encoded))
    assert encoded.tokens[:place] == ("Tom", " and")
    logits = next_token.next_logits(key, ",".join(map(str, encoded.ids[:place])))
    plain, cold, hot = (Settings(temperature=t).probabilities(logits).max() for t in (1.0, 0.3, 2.0))
    assert hot + 0.1 < plain < 0.4 < cold - 0.4
    top_p = Settings(top_p=0.9)
    assert (top_p.probabilities(logits) > 0).sum() == 10
    assert (top_p.probabilities(next_token.next_logits(key, encoded.packed)) > 0).sum() == 1


def test_another_seed_writes_another_text_and_temperature_0_does_not_care(key: Any, packed: str) -> None:
    first, second = (generation.written_on(key, packed, Settings(), seed, 60).tokens for seed in (0, 1))
    assert (first != second).any()
    first, second = (generation.written_on(key, packed, Settings(temperature=0), seed, 60).tokens for seed in (0, 1))
    np.testing.assert_array_equal(first, second)
