"""An experiment as a job: watched on its way, stopped, refused, and equal to the same experiment run by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.jobs.launch import Handle
from core.jobs.store import Store
from core.train import experiment
from core.train.recipes import RECIPES
from tests.library.learning.test_jobs import until

pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


@pytest.fixture
def supervisor(store: Store) -> Iterator[Handle]:
    handle = Handle(store.root)
    yield handle
    handle.stop()


@pytest.mark.full
def test_it_runs_to_its_end_and_equals_the_same_by_hand(store: Store, supervisor: Handle) -> None:
    run = store.create("ada", {"experiment": "contest", "options": {"n_step": 12}}, 7)
    until(lambda: store.get(run).state == "finished")
    info = store.get(run)
    assert (info.step, info.n_step, info.message) == (12, 12, "")
    record, about = experiment.unpack(store.record_path(run).read_bytes())
    assert about["options"] == {"task": "back", "back": 3, "n_step": 12}
    by_hand = experiment.start("contest", {"n_step": 12}, 7)
    while by_hand.step < 12:
        by_hand.advance()
    expected, _ = experiment.unpack(experiment.pack(by_hand, about))
    assert record.keys() == expected.keys()
    assert all(record[name].tobytes() == expected[name].tobytes() for name in record)


def test_it_is_told_on_the_way_and_can_be_stopped(store: Store, supervisor: Handle) -> None:
    run = store.create("ada", {"experiment": "contest", "options": {"n_step": 1000}}, 0)
    until(lambda: store.record_path(run).exists() and store.get(run).step > 0)
    first = store.get(run).step
    until(lambda: store.get(run).step > first)
    store.request(run, "ada", "stop")
    until(lambda: store.get(run).state == "stopped")
    _, about = experiment.unpack(store.record_path(run).read_bytes())
    assert first < about["step"] == store.get(run).step < 1000


def test_experiments_and_recipes_are_listed_apart(store: Store) -> None:
    run = store.create("ada", {"experiment": "contest", "options": {}}, 0)
    other = store.create("ada", {"experiment": "cheating", "options": {}}, 0)
    assert store.list("ada") == []
    assert [one.id for one in store.list("ada", experiment="contest")] == [run]
    assert [one.id for one in store.list("ada", experiment="cheating")] == [other]
    assert store.list("eve", experiment="contest") == []


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({**RECIPES["stories"].to_dict(), "model": {"n_layer": 1_000_000}}, "n_layer"),
        ({"experiment": "alchemy", "options": {}}, "there is no experiment 'alchemy'"),
        ({"experiment": 7, "options": {}}, "there is no experiment 7"),
        ({"experiment": "contest", "options": {"n_step": 10**9}}, "a browser may ask for up to 1,000"),
        ({"experiment": "contest", "options": {"n_steps": 3}}, "has no input n_steps"),
        ({"experiment": "contest", "options": {"back": "three"}}, "is not a whole number"),
    ],
)
def test_what_cannot_be_trained_is_refused_at_the_door(store: Store, spec: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        store.create("ada", spec, 0)
