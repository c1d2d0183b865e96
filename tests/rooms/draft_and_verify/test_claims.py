"""What the room of drafts says of its examples is so."""

import pytest

from core.rooms.draft_and_verify import film, guessable, same, training
from core.rooms.draft_and_verify.compute import drafts
from core.rooms.draft_and_verify.experiments.draft import recorded_draft
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun


@pytest.fixture(scope="module")
def run() -> ExperimentRun:
    return run_experiment("draft")


def test_the_draft_is_an_eighth_of_the_large_model(run: ExperimentRun) -> None:
    large, small = (
        sum(p.numel() for p in one.parameters()) for one in (drafts.large_model().model, recorded_draft(run))
    )
    assert large / small == pytest.approx(8, abs=0.5)


@pytest.mark.measured("today/7-draft-and-verify", "The stories model accepts guesses up to the first that it rejects")
@pytest.mark.measured("today/7-draft-and-verify", "With the 5-gram draft, what is rejected most often?")
def test_single_words_give_barely_more_than_one_and_half_of_the_rejected_guesses_are_names(run: ExperimentRun) -> None:
    assert film.compute(film.Inputs(draft="1"), run).outcome.answer == "one"
    found = film.compute(film.Inputs(), run)
    assert 2 < found.per_pass < 3
    names = drafts.token_names()
    rejected = [names[one.token] for row in found.rounds for one in row.guesses if one.outcome == "refused"]
    of_people = sum(one.strip() in {"Zoe", "Leo", "Sam", "Nora", "Lily", "Tom", "Mia"} for one in rejected)
    assert rejected[0] == " Zoe" and of_people == len(rejected) / 2
    assert sum(one in {".", "!", "?"} for one in rejected) == 0 and sum(one in {" the", " in"} for one in rejected) == 0


def test_the_film_opens_where_two_rounds_keep_all_and_the_third_refuses_one(run: ExperimentRun) -> None:
    found = film.compute(film.Inputs(), run)
    assert found.n_told == 5 and [one.n_settled for one in found.rounds[2:5]] == [5, 5, 3]  # "settle five tokens"
    assert len(found.rounds) == 19 and found.n_new == 48


@pytest.mark.measured("today/7-draft-and-verify", "In stories that it never read, how many of 100 guesses")
def test_longer_runs_are_guessed_better(run: ExperimentRun) -> None:
    usual = guessable.compute(guessable.Inputs(), run).usual
    assert usual["1"] < usual["2"] < usual["3"] < usual["5"] < usual["gpt"]


@pytest.mark.measured("today/7-draft-and-verify", "Does using a draft change the distribution")
def test_by_the_rule_of_the_paper_no_texts_probability_moves(run: ExperimentRun) -> None:
    found = same.compute(same.Inputs(), run)
    assert found.outcome.answer == "same" and found.is_same


def test_eight_guesses_settle_more_and_waste_more(run: ExperimentRun) -> None:
    few, many = (film.compute(film.Inputs(draft="gpt", n_draft=n), run) for n in (4, 8))
    assert many.per_pass > few.per_pass and many.n_wasted > few.n_wasted


@pytest.mark.measured("today/7-draft-and-verify", "A programmer samples the correction")
def test_a_correction_from_the_whole_model_brings_the_drafts_favorites_too_often(run: ExperimentRun) -> None:
    rows = same.compute(same.Inputs(rule="whole"), run).rows
    p, q = same.next_probabilities(drafts.load_draft("2", run))
    names = drafts.token_names()
    first = {row.text.split(" ")[0]: 0.0 for row in rows[:8]}
    for row in rows[:8]:
        first[row.text.split(" ")[0]] += row.drafted - row.alone
    favored = {word: q(())[names.index(f" {word}")] > p(())[names.index(f" {word}")] for word in first}
    assert any(favored.values()) and all(gain > 0 for word, gain in first.items() if favored[word])


@pytest.mark.measured("today/7-draft-and-verify", "After 300 steps, which take a few seconds")
def test_both_drafts_end_alike_and_the_distilled_one_is_ahead_on_the_way(run: ExperimentRun) -> None:
    """Of the example; with other seeds in `test_learning`."""
    text, distilled = (run.record[f"curve.{name}.chance"] for name in ("text", "distilled"))
    half = int((run.record["step"] >= 60).argmax())
    assert distilled[half] > text[half] and abs(distilled[-1] - text[-1]) < 0.02
    assert training.compute(training.Inputs(guess="show"), run).outcome.answer == "same"  # type: ignore[union-attr]


@pytest.mark.measured("today/7-draft-and-verify", "Now the words of the stories are shuffled")
def test_pairs_lose_nothing_by_shuffling_and_the_small_gpt_half(run: ExperimentRun) -> None:
    stories, shuffled = (guessable.compute(guessable.Inputs(text=text), run).usual for text in ("stories", "shuffled"))
    assert shuffled["gpt"] == pytest.approx(stories["gpt"] / 2, abs=0.05)
    assert shuffled["2"] == pytest.approx(stories["2"], abs=0.06)
