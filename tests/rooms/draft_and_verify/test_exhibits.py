"""What the exhibits tell: exact where the rule is, bent where it is not, and nothing before the guess."""

from typing import Any

import numpy as np
import pytest

from core.rooms.draft_and_verify import film, guessable, pays, same, training
from core.rooms.draft_and_verify.compute import drafts
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun


@pytest.fixture(scope="module")
def run() -> ExperimentRun:
    return run_experiment("draft")


def test_only_the_rule_of_the_paper_keeps_the_stories(run: ExperimentRun) -> None:
    for draft in ("1", "gpt"):
        exact = same.compute(same.Inputs(draft=draft, guess="show"), run)
        assert exact.is_same and exact.outcome.answer == "same" and exact.n_inside > 0.9 * len(exact.rows)
    for rule in ("always", "never", "whole"):
        bent = same.compute(same.Inputs(rule=rule), run)
        assert not bent.is_same and bent.apart > 0.05
        assert len(bent.table()) == 2  # before the guess


def test_the_film_counts_what_it_shows(run: ExperimentRun) -> None:
    result = film.compute(film.Inputs(guess="show"), run)
    assert result.n_new == film.N_NEW and result.per_pass * len(result.rounds) == pytest.approx(film.N_NEW)
    table = result.table()
    kept = [how in ("accepted", "drawn") for how in table["outcome"]]
    assert sum(kept) == film.N_NEW
    assert len(result.shown) == len(result.rounds) > len(film.compute(film.Inputs(), run).shown)
    for one in result.rounds:
        assert len(one.tops) == len(one.guesses) + 1
        for guess, top in zip(one.guesses, one.tops, strict=False):
            assert top.tokens[0] == guess.token and top.p[0] == guess.p and top.q[0] == guess.q


@pytest.mark.parametrize("draft", drafts.NAMES)
def test_the_film_opens_with_a_round_that_keeps_and_refuses(run: ExperimentRun, draft: str) -> None:
    hidden = film.compute(film.Inputs(draft=draft), run)
    kept = [{"accepted", "refused"} <= {guess.outcome for guess in one.guesses} for one in hidden.rounds]
    assert len(hidden.shown) == hidden.n_told >= film.N_ROWS
    assert not any(kept[film.N_ROWS - 1 : hidden.n_told - 1])
    assert kept[hidden.n_told - 1] or not any(kept[film.N_ROWS - 1 :])


def test_a_better_draft_settles_more(run: ExperimentRun) -> None:
    def mean(draft: str) -> float:
        return float(np.mean([film.compute(film.Inputs(draft=draft, seed=seed), run).per_pass for seed in range(3)]))

    assert mean("1") < 1.2 < mean("3") < mean("gpt")


def test_times_are_measured_and_hidden_before_the_guess(run: ExperimentRun) -> None:
    result = pays.compute(pays.Inputs(draft="3"), run)
    assert result.is_hidden and result.plain.per_pass == 1
    assert not any("second" in name for name in result.table())
    assert all(one.seconds > 0 and one.pass_seconds > 0 for one in result.costs)
    assert result.by_cost[0] == pytest.approx(result.expected[-1])  # where guesses are free, the most of them is best
    assert (np.diff(result.by_cost) < 0).all()


def test_words_in_disorder_are_harder_to_guess(run: ExperimentRun) -> None:
    stories, shuffled = (guessable.compute(guessable.Inputs(text=text), run).usual for text in ("stories", "shuffled"))
    assert all(shuffled[name] < stories[name] - 0.2 for name in ("gpt", "gru", "5"))
    assert all(0 <= p <= 1 for p in (*stories.values(), *shuffled.values()))


def test_a_draft_that_is_not_trained_yet_guesses_nothing() -> None:
    live: Any = run_experiment("draft", n_step=2)
    result = training.compute(training.Inputs(), live)
    assert result.chance["text"] < 0.1 and set(result.table()) == {
        "step", "from the stories: chance", "from the stories: kept",
    }  # fmt: skip
    assert film.compute(film.Inputs(draft="gpt"), live).per_pass < 1.2


def test_all_drafts_speak_the_large_models_vocabulary(run: ExperimentRun) -> None:
    for name in drafts.NAMES:
        assert drafts.load_draft(name, run).next_logits([5, 9, 12]).shape == (len(drafts.token_names()),)
