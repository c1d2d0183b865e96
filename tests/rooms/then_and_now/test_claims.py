"""What the room of then and now says in words is true of the record that ships."""

import pytest
import torch
from torch.nn import functional as F

from core.rooms.then_and_now import two_blocks, your_switches
from core.rooms.then_and_now.compute import training
from core.rooms.then_and_now.compute.switches import CONTEXT, STARTS, THEN, TODAY, make_setting
from core.train import experiment
from core.train.device import single_torch_thread
from core.train.experiments.gru_and_gpt import second_half_losses


def found(start: str) -> two_blocks.SwitchEffects:
    return two_blocks.compute(two_blocks.Inputs(start=start, guess="show"), experiment.run_experiment("all-switches"))


@pytest.mark.measured("today/1-then-and-now", "Which switch, flipped alone, lowers")
@pytest.mark.measured("today/1-then-and-now", "What does pre-norm do to the loss")
@pytest.mark.measured("today/1-then-and-now", "How many of the thirteen changes lower")
def test_rope_is_the_best_switch_of_the_block_of_2017() -> None:
    result = found(THEN)
    assert result.outcome.answer == "positions" and result.best.state == "rope"
    assert result.helping == ["RoPE", "Muon with a cosine", "grouped-query", "multi-query", "SwiGLU"]
    assert result.hurting == ["learned positions"]
    assert [round(result.by_state[one].loss.mean, 2) for one in ("rope", "muon")] == [-0.40, -0.28], (
        "the lesson's figures"
    )
    steps = {
        name: int(result.run.record[f"steps.{name}"]) for name in ("2017", "2017+grouped-query", "2017+multi-query")
    }
    assert steps["2017"] < steps["2017+grouped-query"] < steps["2017+multi-query"], "cheaper steps, so more of them"
    assert {"pre-norm", "RMSNorm", "no biases", "q/k norm", "untied output layer"} <= set(result.untold)


@pytest.mark.measured("today/1-then-and-now", "How low is the loss of today’s block")
def test_all_nine_do_no_better_than_rope_alone() -> None:
    result = found(THEN)
    assert abs(result.gap + result.best.loss.mean) <= result.noise


def test_the_change_that_is_seen_before_the_guess_helps_and_is_not_the_best() -> None:
    result = found(THEN)
    one = result.by_state[two_blocks.OPEN]
    assert two_blocks.OPEN in two_blocks.VISIBLE and one.loss.mean < -result.noise
    assert result.best.state in two_blocks.VISIBLE and one.loss.mean > result.best.loss.mean / 2


def test_todays_block_falls_back_furthest_without_rope() -> None:
    worst = found(TODAY).effects[::-1]
    assert [one.state for one in worst[:2]] == ["learned", "sinusoidal"]
    assert worst[0].loss.mean > 5 * found(TODAY).noise


@pytest.mark.parametrize("start", STARTS)
def test_each_switch_is_told_as_one_of_three(start: str) -> None:
    result = found(start)
    assert len(result.helping) + len(result.hurting) + len(result.untold) == len(result.effects) == 13


def test_of_nine_gains_three_seeds_cannot_tell_whether_they_add_up() -> None:
    """Catches words that are surer than the record: each single gain brings its luck into the sum."""
    result = your_switches.compute(your_switches.Inputs(), experiment.run_experiment("your-switches"))
    assert len(result.states) == 9 and result.is_compared
    assert (result.verdict, result.sum_is, result.best.state) == ("helps", "same", "rope")
    assert result.added.mean < result.together.mean - 0.15 and result.added.error > 4 * result.together.error


@pytest.mark.timeout(1800)
@pytest.mark.measured("today/1-then-and-now", "Which block gains from a learning rate")
@pytest.mark.parametrize("seed", range(training.N_SEED))
def test_muon_gains_from_a_higher_rate_that_was_not_searched(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches words that call the comparison of optimizers fair."""
    monkeypatch.setattr(training, "MUON_RATE", 2 * training.MUON_RATE)
    given = training.training_text()
    pieces = torch.tensor(given.ids).unfold(0, CONTEXT + 1, 1)
    generator = torch.Generator().manual_seed(seed)
    with single_torch_thread():
        one = training.switch_trainer(make_setting(THEN, "muon"), given.tokenizer.vocab_size, seed, training.N_STEP)
        while one.step < one.n_step:
            windows = pieces[torch.randint(len(pieces), (training.BATCH,), generator=generator)]
            one.learn(F.cross_entropy(one.model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten()))
        with torch.no_grad():
            loss = float(second_half_losses(one.model, torch.tensor(given.windows[:: training.EVERY])).mean())
    record = experiment.run_experiment("all-switches").record
    assert loss < float(record["curve.2017+muon"][-1, seed]) - 0.05
    assert loss > float(record["curve.2017+rope"][-1, seed]) + 0.01, "RoPE is still ahead"
