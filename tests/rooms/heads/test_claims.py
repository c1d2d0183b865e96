"""What the room of heads promises under “Try this” happens on the shipped model, with its own text."""

from typing import Any

import numpy as np
import pytest

from core.data.sentences import SENTENCES
from core.inspect import rollout
from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text, model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.heads import all_heads, attention_rollout, one_head, set_a_row, switch_off
from core.rooms.heads.inputs import MAX_TOKENS
from core.ui.models.model_description import describe_model

STORIES = load_model_and_text("stories", SENTENCES["stories"], MAX_TOKENS)
TWO_READ = "Ben had his new blue hat with him. The wind was strong. It took the"  # two heads read the hat
NAMES = model_vocabulary(STORIES.key)


def probability(probabilities: Any, word: str) -> float:
    return float(probabilities[NAMES.index(word)])


def without(*heads: str, given: ModelAndText = STORIES, **inputs: Any) -> Any:
    return switch_off.compute(switch_off.Inputs(given=given, off=heads, **inputs))


def rolled(**inputs: Any) -> Any:
    return attention_rollout.compute(attention_rollout.Inputs(**inputs))


def test_the_model_knows_every_word_of_the_text_and_the_page_opens_the_head_that_the_next_one_needs() -> None:
    assert STORIES.encoded.notes == () == load_model_and_text("stories", TWO_READ).encoded.notes
    inputs = one_head.Inputs()
    assert (inputs.given, inputs.layer, inputs.head) == (STORIES, 1, 0)


def test_one_head_gets_a_name_at_one_half_and_three_at_one_fifth() -> None:
    def named(rank: str, threshold: float = 0.5) -> list[tuple[int, int]]:
        found = all_heads.compute(all_heads.Inputs(rank=rank, threshold=threshold))
        return [(one.layer, one.head) for one in found.reached]

    scores = all_heads.compute(all_heads.Inputs()).scores
    assert named("previous_token") == [(0, 1)]
    assert named("previous_token", 0.2) == [(0, 1), (1, 2), (1, 0)]
    assert scores.previous_token[0, 1] == pytest.approx(0.77, abs=0.005)
    assert named("first_token") == named("induction") == []
    assert scores.first_token.max() == pytest.approx(0.22, abs=0.005)
    assert scores.induction.max() < scores.uniform["induction"].min()  # no better than reading all alike
    assert named("focus") == [(0, 1), (1, 0)]


def test_lines_of_the_previous_token_head_climb_by_one_row() -> None:
    weights = STORIES.attention.weights
    query, source = np.nonzero(weights[0, 1] >= 0.5)
    assert (len(query), int((query - source == 1).sum())) == (26, 25)
    for layer, counts in ((0, [268, 45]), (1, [269, 63])):
        assert [int((weights[layer] >= least).sum()) for least in (0.1, 0.5)] == counts
        # the bytes of the browser say the same
        assert [int((np.rint(weights[layer] * 255) >= np.ceil(least * 255)).sum()) for least in (0.1, 0.5)] == counts


def test_one_head_reads_the_name() -> None:
    record = STORIES.attention
    mia = np.flatnonzero(record.ids == NAMES.index(" Mia"))
    assert len(mia) == 3
    reads = record.weights[:, :, -1, mia].sum(-1)
    assert reads[1, 0] == pytest.approx(0.99, abs=0.005)
    assert np.delete(reads, 4).max() < 0.25
    assert set(np.argsort(-record.weights[1, 0, -1])[:2]) <= set(mia.tolist())


def test_in_head_0_the_distance_decides_with_alibi() -> None:
    assert (
        "Little stories, the block that learns fastest" in describe_model(ModelKey.at("stories-alibi")).title
    )  # as it says
    assert STORIES.attention.bias is None
    record = load_model_and_text("stories-alibi", SENTENCES["stories"]).attention
    assert record.bias is not None
    bias = record.bias[0]
    np.testing.assert_allclose(np.diff(bias[-1]), 1.5, atol=1e-5)
    for layer in (0, 1):
        both = record.scores[layer, 0][record.mask], bias[record.mask]
        assert np.corrcoef(*both)[0, 1] ** 2 == pytest.approx(0.98, abs=0.005)


def test_rollout_names_one_token_and_the_model_needs_another() -> None:
    result = rolled(row=21)
    assert STORIES.tokens[20:23] == (" No", " Mia", "!")
    assert NAMES[result.hidden.expected[21]] == "!"
    looked = int(result.layers[-1][21, :21].argmax())
    assert STORIES.tokens[looked] == " looked"
    change = result.hidden.change
    assert abs(change[21, looked]) < 0.01
    assert change[21, 20] == pytest.approx(6.16, abs=0.05)
    assert int(np.nanargmax(np.abs(change[21]))) == 20
    assert NAMES[result.hidden.expected[29]].strip() == "Mia"
    assert np.nanmax(np.abs(change[29])) < 0.01  # a name that stands there three times can be hidden once


def test_no_guess_is_right_in_every_row_and_rollout_orders_best() -> None:
    result = rolled()
    guesses = result.layers[-1], result.last, rollout.inverse_distance_baseline(len(result.last))
    assert [rollout.occlusion_top_token_matches(guess, result.hidden) for guess in guesses] == [
        (11, 17),
        (10, 17),
        (9, 17),
    ]
    means = [rollout.mean_occlusion_correlation(guess, result.hidden)[0] for guess in guesses]
    np.testing.assert_allclose(means, [0.67, 0.41, 0.19], atol=0.005)


def test_the_share_that_stays_changes_the_story() -> None:
    whole = {share: rolled(share=share).layers[-1] for share in (0.0, 0.5, 0.9)}

    def first(row: int, share: float) -> str:
        return STORIES.tokens[int(whole[share][row, :row].argmax())]

    assert [first(8, share) for share in whole] == ["Tom", " played", "."]
    opened = rolled().row
    assert (opened, first(opened, 0.0), first(opened, 0.9)) == (17, " Tom", " in")
    assert all(first(row, 0.0) != first(row, 0.9) for row in range(10, 21) if row != 13)  # any row in the middle


def test_one_head_is_needed_for_the_next_token_and_another_one_for_the_text() -> None:
    for name in (f"{layer}.{head}" for layer in range(2) for head in range(4)):
        mia = probability(without(name).effect.probabilities_after[-1], " Mia")
        assert mia == pytest.approx(0.02, abs=0.005) if name == "1.0" else mia > 0.99
    rises = without().rises["zero"]
    assert np.unravel_index(rises.argmax(), rises.shape) == (0, 0)


@pytest.mark.parametrize(
    ("toy", "reads", "left"),
    [("hat", (0.98, 0.97), (0.87, 0.99, 0.25)), ("bell", (0.98, 0.86), (0.08, 1.0, 0.10))],
)
def test_two_heads_read_the_toy_and_both_or_one_of_them_matter(
    toy: str, reads: tuple[float, ...], left: tuple[float, ...]
) -> None:
    given, word = load_model_and_text("stories", TWO_READ.replace("hat", toy)), f" {toy}"
    record = given.attention
    of_toy = record.weights[1, :, -1, record.ids == NAMES.index(word)].sum(0)
    np.testing.assert_allclose(of_toy[[1, 2]], reads, atol=0.006)
    assert probability(record.probabilities[-1], word) > 0.995
    for off, stays in zip((("1.1",), ("1.2",), ("1.1", "1.2")), left, strict=True):
        after = without(*off, given=given).effect.probabilities_after[-1]
        assert probability(after, word) == pytest.approx(stays, abs=0.006)


def test_the_first_layer_is_missed_and_less_with_its_mean() -> None:
    zero, mean = (without("0.0", "0.1", "0.2", "0.3", instead=mode).effect for mode in ("zero", "mean"))
    assert zero.loss_before.mean == pytest.approx(0.38, abs=0.005)
    assert zero.loss_after.mean == pytest.approx(3.1, abs=0.05)
    assert mean.loss_after.mean == pytest.approx(2.1, abs=0.05)


def test_a_row_set_by_hand_makes_it_say_tom_or_moves_nothing() -> None:
    last = STORIES.n_token - 1
    for head, word in enumerate((" Tom", " Mia", " Mia", " Mia")):
        found = set_a_row.compute(set_a_row.Inputs(layer=1, head=head, row=f"1.{head}.{last}:1"))
        assert probability(found.effect.probabilities_after[-1], word) > 0.99
