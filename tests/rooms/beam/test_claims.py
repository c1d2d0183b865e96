"""What the room of beam search says about what it shows at first is so."""

from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms.beam import ROOM, shortlist, tree, truth
from core.rooms.beam.experiments import beam_truth as task
from core.rooms.beam.truth import SearchRanks
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.training import live_experiments

STORY = "Ben and Anna played near the forest."  # the first sentence of the text that the room opens with


@pytest.fixture(scope="module")
def example() -> ExperimentRun:
    found = live_experiments.example_run(truth.EXPERIMENT)
    assert found is not None and found.options == vars(experiment.parse_experiment_options(truth.EXPERIMENT, {}))
    return found


def ranked(run: ExperimentRun, **inputs: Any) -> SearchRanks:
    return truth.compute(truth.Inputs(**inputs), run)


def searched(text: str = tree.SENTENCE, **inputs: Any) -> tree.Search:
    return tree.compute(tree.Inputs(given=load_model_and_text("stories", text), **inputs))


def expected(part: str) -> str:
    """The outcome that “Beam against the truth” promises for the experiment that begins so."""
    return next(one.expectation for one in ROOM["truth"].exhibit().text.try_chips if part in one.action)


def test_the_example_is_what_the_code_makes_now(example: ExperimentRun) -> None:
    running = experiment.make_experiment(truth.EXPERIMENT, {}, 0)
    for _ in range(10):
        running.advance()
    name = f"curve.{task.VARIANT}.loss"
    losses = running.record()[name]
    np.testing.assert_allclose(losses, example.record[name][: len(losses)], atol=0.05)


def test_a_certain_first_word_mends_greedy_search(example: ExperimentRun) -> None:
    before, after = ranked(example), ranked(example, change=True, word="a", p=0.5)
    assert before.rank(before.greedy) == 11
    assert after.rank(after.greedy) == 1 == after.first


def test_two_beams_can_do_worse_than_one(example: ExperimentRun) -> None:
    found = ranked(example, change=True, after="the", word=".", p=0.3)
    assert [found.rank(place) for place in found.beams[:3]] == [2, 3, 1]
    assert (found.worse, found.first) == (2, 3)
    assert "two beams end at rank 3 and one at rank 2" in expected("the full stop")


def test_the_exponent_changes_what_counts_as_good(example: ExperimentRun) -> None:
    before, after = ranked(example), ranked(example, penalty=1.0)
    said = expected("length penalty")
    assert f"falls from rank {before.rank(before.empty)} to rank {after.rank(after.empty)}" in said
    assert f"rises from {before.rank(before.greedy)} to {after.rank(after.greedy)}" in " ".join(said.split())
    assert before.greedy == after.greedy
    assert before.probability(before.empty) > before.probability(before.greedy)


def test_greedy_search_misses_what_three_beams_find() -> None:
    given, found = load_model_and_text("stories", tree.SENTENCE), searched()
    best, greedy = found.new(found.best), found.new(found.greedy)
    assert found.written(found.best) == "Then he looked in the box."
    assert found.written(found.greedy) == "Ben looked behind the big stone."
    # "a less likely word, but after it nearly everything is certain"; "one of many places"
    n = given.n_token
    with torch.no_grad():
        ours, theirs = (
            given.model(torch.tensor([[*given.ids, *new]]))[0].softmax(-1).numpy() for new in (best, greedy)
        )
    steps = [float(ours[n - 1 + i, token]) for i, token in enumerate(best)]
    assert steps[0] < float(ours[n - 1].max()) == float(ours[n - 1, greedy[0]]) and min(steps[1:]) > 0.99
    assert np.log(steps).sum() > found.greedy.log_prob + 0.5
    assert theirs[n + 1].max() < 0.7 and theirs[n + 3].max() < 0.5  # after "looked", after "the"
    # "at some step it was not the best of its column"
    first = [int(step.tokens[0]) for step in found.found.tree[: len(best)]]
    assert any(token != column for token, column in zip(best, first, strict=True))
    assert [found.new(searched(n_beam=n).best) for n in (1, 2)] == [greedy, best]


def test_a_shorter_text_wins_with_0_and_a_longer_one_with_1() -> None:
    found = [searched(STORY, penalty=penalty) for penalty in (0.0, 1.0)]
    assert [len(one.new(one.best)) for one in found] == [6, 7]
    assert tree.SENTENCE.startswith(f"{STORY} ")


def test_where_nothing_ends_all_are_of_one_length_and_the_exponent_changes_no_order() -> None:
    found = [searched(STORY, penalty=penalty, end="none") for penalty in (0.0, 1.0, 2.0)]
    texts = [[one.new(text) for text in one.found.hypotheses] for one in found]
    assert {len(text) for of_one in texts for text in of_one} == {12}
    assert texts[0] == texts[1] == texts[2]


def test_the_table_holds_every_candidate() -> None:
    found = searched(penalty=0.5)
    table, steps = found.table(), found.found.tree
    assert {len(column) for column in table.values()} == {sum(len(step.tokens) for step in steps)}
    for total, score, step in zip(table["sum"], table["score"], table["step"], strict=True):
        assert score == pytest.approx(total / step**0.5)
    ended = [i for i, fate in enumerate(table["fate"]) if fate == "finished"]
    assert max(table["score"][i] for i in ended) == pytest.approx(found.best.score)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_short_list_fails_less_often_the_larger_b_and_never_without_an_end(seed: int) -> None:
    for n_beam in range(1, shortlist.MOST_BEAMS + 1):
        case = shortlist.compute(shortlist.Inputs(n_beam=n_beam, seed=seed))
        missed = np.argwhere(case.missed)
        if len(missed):  # one candidate, of the text that all come from and whose list holds the end
            ((row, _),) = missed
            assert case.right[row].sum() == n_beam and case.listed[row, 0]
    without, with_end = case.shares.T
    assert (without == 0).all() and with_end[0] > 0.1
    assert (np.diff(with_end) < 0).all() or with_end[-1] == 0
    case = shortlist.compute(shortlist.Inputs(seed=seed, ends=False))
    np.testing.assert_array_equal(case.short, case.right)
