"""What the room of drafts says of its examples is so."""

import pytest

from core.rooms.draft_and_verify import film, guessable, same, training
from core.rooms.draft_and_verify.compute import drafts
from core.rooms.draft_and_verify.experiments.draft import model_of
from core.train.experiment import run_of
from core.train.experiments.live import Live


@pytest.fixture(scope="module")
def run() -> Live:
    return run_of("draft")


def test_the_draft_is_an_eighth_of_the_large_model(run: Live) -> None:
    large, small = (sum(p.numel() for p in one.parameters()) for one in (drafts.large().model, model_of(run)))
    assert large / small == pytest.approx(8, abs=0.5)


def test_single_words_settle_hardly_more_than_one_and_names_are_refused(run: Live) -> None:
    assert film.compute(film.Inputs(draft="1"), run).came.answer == "one"
    first = film.compute(film.Inputs(), run).rounds[0].guesses[0]
    assert drafts.names()[first.token] == " Zoe" and first.outcome == "refused"


def test_eight_guesses_settle_more_and_waste_more(run: Live) -> None:
    few, many = (film.compute(film.Inputs(draft="gpt", n_draft=n), run) for n in (4, 8))
    assert many.per_pass > few.per_pass and many.n_wasted > few.n_wasted


def test_a_correction_from_the_whole_model_brings_the_drafts_favorites_too_often(run: Live) -> None:
    rows = same.compute(same.Inputs(rule="whole"), run).rows
    p, q = same.tables(drafts.draft_of("2", run))
    names = drafts.names()
    first = {row.text.split(" ")[0]: 0.0 for row in rows[:8]}
    for row in rows[:8]:
        first[row.text.split(" ")[0]] += row.drafted - row.alone
    favored = {word: q(())[names.index(f" {word}")] > p(())[names.index(f" {word}")] for word in first}
    assert any(favored.values()) and all(gain > 0 for word, gain in first.items() if favored[word])


def test_both_drafts_end_alike(run: Live) -> None:
    assert training.compute(training.Inputs(guess="show"), run).came.answer == "same"  # type: ignore[union-attr]


def test_pairs_lose_nothing_by_shuffling(run: Live) -> None:
    stories, shuffled = (guessable.compute(guessable.Inputs(text=text), run).usual for text in guessable.TEXTS)
    assert shuffled["2"] == pytest.approx(stories["2"], abs=0.06)
