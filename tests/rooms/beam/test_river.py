"""The river of a beam search: its branches are the texts that the search considered, as probable as the model says."""

import math

import pytest
import torch

from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms.beam import river
from core.rooms.beam.river import Branch, River


def shown(n_beam: int = 3, text: str = river.tree.SENTENCE) -> River:
    return river.compute(river.Inputs(given=load_model_and_text("stories", text), n_beam=n_beam))


@pytest.mark.parametrize("n_beam", [1, 2, 3, 6])
def test_each_branch_is_as_probable_as_the_model_says(n_beam: int) -> None:
    found = shown(n_beam)
    given = load_model_and_text("stories", river.tree.SENTENCE)
    for one in found.branches:
        ids = [*given.ids, *one.ids]
        log_probs = given.model(torch.tensor([ids[:-1]]))[0].double().log_softmax(-1)
        new = [float(log_probs[t - 1, ids[t]]) for t in range(len(given.ids), len(ids))]
        assert one.p == pytest.approx(math.exp(new[-1]), rel=1e-3, abs=1e-7)
        assert one.total == pytest.approx(math.exp(sum(new)), rel=1e-3, abs=1e-7)


@pytest.mark.parametrize("n_beam", [1, 2, 6])
@pytest.mark.parametrize("text", [river.tree.SENTENCE, "Tom", "Ben and Anna played near the forest."])
def test_each_branch_continues_a_branch_and_both_texts_are_drawn(n_beam: int, text: str) -> None:
    found = shown(n_beam, text)
    ids = [one.ids for one in found.branches]
    assert len(set(ids)) == len(ids)
    assert all(len(one) == 1 or ids.index(one[:-1]) < ids.index(one) for one in ids)
    assert {found.search.new(found.search.greedy), found.search.new(found.search.best)} <= set(ids)
    assert all(one.fate != "open" or any(other[:-1] == one.ids for other in ids) for one in found.branches)
    assert all(sum(len(one.ids) == n for one in found.branches) <= river.MOST_LEAVES + 2 for n in range(1, 13))


def test_thin_branches_are_left_out_and_those_without_a_continuation_are_dropped() -> None:
    branches = [
        Branch((1,), 0.9, 0.9, "open"),
        Branch((2,), 0.04, 0.04, "open"),
        Branch((3,), 0.05, 0.05, "open"),
        Branch((1, 4), 1.0, 0.9, "finished"),
        Branch((2, 5), 0.5, 0.02, "finished"),
        Branch((3, 6), 0.5, 0.025, "finished"),
    ]
    drawn = river.drawable_branches(branches, [(1, 4), (2, 5)])
    assert [(one.ids, one.fate) for one in drawn] == [
        ((1,), "open"), ((2,), "open"), ((3,), "dropped"), ((1, 4), "finished"), ((2, 5), "finished"),
    ]  # fmt: skip
    many = [Branch((n,), 0.1, 0.1 - n / 1000, "dropped") for n in range(20)]
    assert [one.ids[0] for one in river.drawable_branches(many, [(19,)])] == [*range(river.MOST_LEAVES), 19]


def test_what_the_first_picture_and_its_chips_say() -> None:
    found = {n: shown(n) for n in (1, 2, 3, 6)}
    three = found[3]
    assert three.words(three.search.new(three.search.greedy)) == "Ben looked behind the big stone."
    assert three.words(three.search.new(three.search.best)) == "Then he looked in the box."
    totals = {three.words(one.ids): one.total for one in three.branches}
    assert round(totals["Ben"], 2) == 0.58 and round(totals["Then"], 2) == 0.42
    assert round(three.search.p(three.search.greedy), 2) == 0.17
    assert [round(one.search.p(one.search.best), 2) for one in found.values()] == [0.17, 0.41, 0.41, 0.41]
    assert next(found[1].words(one.ids) for one in found[1].branches if one.fate == "dropped") == "Then"
    assert [three.words(one.ids) for one in three.leaders][1:3] == ["Ben looked", "Then he looked"]
