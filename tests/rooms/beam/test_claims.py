"""What the room of beam search says about what it shows at first is so."""

import numpy as np
import pytest
import torch

from core.rooms.beam import shortlist, tree, truth
from core.rooms.beam.compute import enumeration
from core.rooms.beam.compute.search_ranks import SearchRanks
from core.rooms.beam.experiments import beam_truth as task
from core.rooms.beam.tree import Settings
from core.train import experiment
from core.ui.models import models
from core.ui.training.trained_models import Trained


@pytest.fixture(scope="module")
def example() -> Trained:
    record, about = experiment.unpack((experiment.EXAMPLES / f"{truth.NAME}.safetensors").read_bytes())
    assert about["options"] == vars(experiment.options_of(truth.NAME, {}))
    return Trained("example", record)


def test_the_example_is_what_the_code_makes_now(example: Trained) -> None:
    running = experiment.start(truth.NAME, {}, 0)
    for _ in range(10):
        running.advance()
    name = f"curve.{task.VARIANT}.loss"
    losses = running.record()[name]
    np.testing.assert_allclose(losses, example.record[name][: len(losses)], atol=0.05)


def told(part: str, exhibit: object) -> str:
    """The outcome that the exhibit promises for the experiment that begins so."""
    return next(expect for do, expect, *_ in exhibit.try_this if part in do)  # type: ignore[attr-defined]


def ranks(result: SearchRanks) -> list[int]:
    return [result.rank(place) for place in result.beams]


def test_a_certain_first_word_mends_greedy_search(example: Trained) -> None:
    assert truth.landed(example, None, 0.0).rank(truth.landed(example, None, 0.0).greedy) == 11
    result = truth.landed(example, ("(the beginning)", task.TOKENS.index("a"), 0.5), 0.0)
    assert result.rank(result.greedy) == 1 == result.first


def test_two_beams_can_do_worse_than_one(example: Trained) -> None:
    result = truth.landed(example, ("the", task.END, 0.3), 0.0)
    assert ranks(result)[:3] == [2, 3, 1]
    assert (result.worse, result.first) == (2, 3)
    assert "two beams end at rank 3 and one at rank 2" in told("the full stop", truth.truth)


def test_the_exponent_changes_what_counts_as_good(example: Trained) -> None:
    before, after = truth.landed(example, None, 0.0), truth.landed(example, None, 1.0)
    empty = enumeration.place_of(before.texts, [task.END])
    said = told("length penalty", truth.truth)
    assert f"falls from rank {before.rank(empty)} to rank {after.rank(empty)}" in said
    assert f"rises from {before.rank(before.greedy)} to {after.rank(after.greedy)}" in said
    assert before.greedy == after.greedy
    assert before.probability(empty) > before.probability(before.greedy)


STORY = "Ben and Anna played near the forest."  # the first sentence of the text that the room opens with


def of_stories(text: str, n_beam: int, penalty: float, end: str = "stop") -> tuple[tuple[int, ...], ...]:
    """The new tokens of all finished texts, on the shipped model."""
    key = models.shipped_key("stories")
    names, ids = models.vocabulary(key), models.encode(key, text)
    settings = Settings(n_beam, 12, penalty, False, tree.end_token(names, end))
    return tuple(one.ids[len(ids.ids) :] for one in tree.searched(key, ids.packed, settings).hypotheses)


def test_greedy_search_misses_what_three_beams_find() -> None:
    key = models.shipped_key("stories")
    names, packed = models.vocabulary(key), models.encode(key, tree.SENTENCE).packed
    end = tree.end_token(names, "stop")
    best, (greedy, log_prob) = of_stories(tree.SENTENCE, 3, 1.0)[0], tree.greedily(key, packed, 12, end)
    assert "".join(names[i] for i in best) == " Then he looked in the box."
    assert "".join(names[i] for i in greedy) == " Ben looked behind the big stone."
    # "a less likely word, but after it nearly everything is certain"; "one of many places"
    ids = models.unpack(packed)
    model = models.load(key).model
    with torch.no_grad():
        ours, theirs = (model(torch.tensor([[*ids, *new]]))[0].softmax(-1).numpy() for new in (best, greedy))
    steps = [float(ours[len(ids) - 1 + i, token]) for i, token in enumerate(best)]
    assert steps[0] < float(ours[len(ids) - 1].max()) == float(ours[len(ids) - 1, greedy[0]]) and min(steps[1:]) > 0.99
    assert np.log(steps).sum() > log_prob + 0.5
    assert theirs[len(ids) + 1].max() < 0.7 and theirs[len(ids) + 3].max() < 0.5  # after "looked", after "the"
    result = tree.searched(key, packed, Settings(3, 12, 1.0, False, end))
    # "at some step it was not the best of its column"
    first = [int(step.tokens[0]) for step in result.tree[: len(best)]]
    assert any(token != column for token, column in zip(best, first, strict=True))
    assert of_stories(tree.SENTENCE, 1, 1.0)[0] == greedy and of_stories(tree.SENTENCE, 2, 1.0)[0] == best


def test_a_shorter_text_wins_with_0_and_a_longer_one_with_1() -> None:
    assert [len(of_stories(STORY, 3, penalty)[0]) for penalty in (0.0, 1.0)] == [6, 7]
    assert tree.SENTENCE.startswith(f"{STORY} ")


def test_where_nothing_ends_all_are_of_one_length_and_the_exponent_changes_no_order() -> None:
    found = [of_stories(STORY, 3, penalty, "none") for penalty in (0.0, 1.0, 2.0)]
    assert {len(one) for texts in found for one in texts} == {12}
    assert found[0] == found[1] == found[2]


def test_the_short_list_fails_less_often_the_larger_b_and_never_without_an_end() -> None:
    for seed in range(3):
        measured = shortlist.shares(seed)
        assert (measured[:, 0] == 0).all()
        assert (np.diff(measured[:, 1]) < 0).all() or measured[-1, 1] == 0
        assert measured[0, 1] > 0.1
    case = shortlist.found(3, True, 0)
    assert (case.short != case.right).any()
    np.testing.assert_array_equal(shortlist.found(3, False, 0).short, shortlist.found(3, False, 0).right)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_the_short_list_fails_the_reason_it_tells_is_so(seed: int) -> None:
    for n_beam in range(1, shortlist.MOST_BEAMS + 1):
        case = shortlist.found(n_beam, True, seed)
        missed = np.argwhere(case.right & ~case.short)
        if len(missed):  # one candidate, of the text that all come from and whose list holds the end
            ((row, _),) = missed
            assert case.right[row].sum() == n_beam
            assert case.listed[row, 0]
