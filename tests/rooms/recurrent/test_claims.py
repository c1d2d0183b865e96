"""What the room of recurrent nets says is so, computed from what it shows by default and from the shipped example."""

import re
from typing import Any

import numpy as np
import pytest
import torch

from core.data.sentences import SENTENCES
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms.recurrent import ROOM, both_ends, forgetting, remember
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.experiments import remember as task
from core.rooms.recurrent.forgetting import decay_per_step
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.library.learning.once import remade

CELLS = ("rnn", "lstm", "gru")


@pytest.fixture(scope="module")
def shown() -> ExperimentRun:
    return run_experiment("remember")


def text_of(cell: str) -> tuple[Any, tuple[int, ...]]:
    given = load_model_and_text(f"stories-{cell}", SENTENCES["stories"], 40)
    return given.model, given.ids


def test_the_example_is_small_and_what_the_code_makes_now(shown: ExperimentRun) -> None:
    remade("remember", 16, atol=0.08, furthest=10)
    assert sum(array.nbytes for array in shown.record.values()) < 600_000
    assert all(np.isfinite(array).all() for array in shown.record.values())


@pytest.mark.parametrize("cell", CELLS)
def test_steps_by_hand_are_those_of_the_shipped_models(cell: str) -> None:
    model, ids = text_of(cell)
    seen = recurrent.unroll_text(model, ids)
    for token in range(0, len(ids), 7):
        for unit in range(0, 48, 5):
            assert recurrent.compute_by_hand(model, seen, 0, token, unit).error < 2e-6
    if cell == "lstm":
        assert np.abs(seen.parts["c"]).max() > 1  # "whose values go beyond 1"
    assert len(seen.parts) == {"rnn": 1, "lstm": 6, "gru": 4}[cell]


def test_the_slowest_unit_stays_over_many_words_and_the_quickest_is_made_anew() -> None:
    model, ids = text_of("gru")
    seen = recurrent.unroll_text(model, ids)
    states, z = seen.parts["h"][0], seen.parts["z"][0]
    slow, quick = seen.by_slowness(0), seen.by_movement(0)

    def turns(unit: int) -> int:
        return int((np.sign(states[1:, unit]) != np.sign(states[:-1, unit])).sum())

    assert all(turns(unit) <= 3 and np.ptp(states[:, unit]) > 1 for unit in slow[:7])  # rows that stay, and turn
    assert (z[:, slow[0]] > 0.9).mean() > 0.7 and (z[:, quick[0]] < 0.1).mean() > 0.7  # "at most words"


@pytest.mark.parametrize("cell", CELLS)
def test_triangles_and_the_last_row(cell: str) -> None:
    found = both_ends.compute(both_ends.Inputs(given=load_model_and_text(f"stories-{cell}", SENTENCES["stories"], 40)))
    t, s = np.indices(found.ahead.shape)
    assert (found.ahead[t < s] == 0).all() and (found.back[t > s] == 0).all()
    assert (found.ahead[t >= s] > 0).all() and (found.back[t <= s] > 0).all()
    assert not found.unchanged.any()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.measured("08-counting-to-attention", "How much of the influence")
def test_fresh_nets_forget_as_told(seed: int) -> None:
    sizes = {variant: forgetting.untrained_influence(variant, 40, seed, 0) for variant in task.VARIANTS}
    assert decay_per_step(sizes["rnn"]) < 0.5  # "keeps less than half"
    assert decay_per_step(sizes["lstm"]) == pytest.approx(2 / 3, abs=0.05) == decay_per_step(sizes["gru"])
    assert sizes["lstm"][41] < 1e-7 and len(sizes["lstm"]) == 42  # "after 41 steps less than one ten-millionth"
    assert np.ptp(np.log(sizes["attention"][1:])) < 1  # "flat"
    biases = [decay_per_step(forgetting.untrained_influence("lstm", 40, seed, bias)) for bias in (0, 1, 2, 3, 5)]
    assert biases == sorted(biases) and biases[3:] == pytest.approx([0.99, 1.025], abs=0.012)
    # "straight lines": the logarithm is a line in the distance
    for variant in ("rnn", "lstm", "gru"):
        logs = np.log(sizes[variant][1:])
        assert np.corrcoef(logs, np.arange(len(logs)))[0, 1] < -0.98
    # Forget gates usually start near one half.
    ids, _ = task.draw(8, 40, torch.Generator().manual_seed(seed))
    with torch.no_grad(), recurrent.Trace(model := task.untrained_net("lstm", 40, seed)) as trace:
        model(ids)
    assert float(torch.cat(trace.steps("blocks.0.f")).mean()) == pytest.approx(0.5, abs=0.05)


def test_trained_at_20_the_gru_no_longer_falls_and_the_lstm_does(shown: ExperimentRun) -> None:
    curves = forgetting.compute(forgetting.Inputs(models="trained"), shown).curves
    assert decay_per_step(curves["GRU"]) > 0.9 > 0.8 > decay_per_step(curves["LSTM"])
    attention = curves["attention"]
    assert attention[-1] > 1e6 * attention[1:-1].max()  # "follows the first letter, and hardly anything between"


def test_the_race_of_the_example(shown: ExperimentRun) -> None:
    final = {(v, d): remember.accuracy_curve(shown, v, d)[-1] for v in task.VARIANTS for d in task.DISTANCES}
    assert all(final["attention", d] == 1 for d in task.DISTANCES)
    assert final["gru", 20] > 0.95 and final["lstm", 20] < 0.25 and final["rnn", 20] < 0.25
    assert final["gru", 40] < 0.25  # luck decides
    assert remember.right_guess(shown) == "gru"


def test_the_texts_state_no_number_that_is_not_computed_here() -> None:
    allowed = {"0", "1", "2", "3", "5", "8", "20", "21", "40", "41"}
    for entry in ROOM.exhibits:
        words = entry.exhibit().text
        for sentence in (words.look_for, *(part for one in words.try_chips for part in (one.action, one.expectation))):
            assert set(re.findall(r"\d+(?:\.\d+)?", sentence)) <= allowed, sentence


def test_sequences_ask_for_their_first_letter() -> None:
    ids, answers = task.draw(500, 5, torch.Generator().manual_seed(0))
    assert ids.shape == (500, 7) and (ids[:, -1] == task.QUESTION_ID).all() and (ids[:, 0] == answers).all()
    assert np.bincount(ids[:, :-1].flatten().numpy(), minlength=8).min() > 300  # all letters alike
    assert (ids[:, :-1] < task.N_LETTER).all()


def test_the_bias_goes_to_the_forget_gates_alone() -> None:
    plain, raised = task.untrained_net("lstm", 5, 0), task.untrained_net("lstm", 5, 0, 3)
    difference = raised.blocks[0].bias_ih - plain.blocks[0].bias_ih
    assert difference[32:64].tolist() == pytest.approx([3] * 32)
    assert difference[:32].abs().max() == 0 and difference[64:].abs().max() == 0
    x = plain.tok_emb.weight
    _, forget, *_ = (raised.blocks[0].read(x) + raised.blocks[0].bias_hh).chunk(4, -1)
    assert float(forget.detach().sigmoid().mean()) > 0.85
