"""Remember the first token: what each kind of net finds within 400 steps, whatever the seed."""

import pytest
import torch

from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.train.device import single_torch_thread
from tests.counts import SEEDS
from tests.library.learning.once import ran


def trained(variant: str, distance: int, seed: int, *, bias: int = 0, asked: str = "end", n_step: int = 400) -> float:
    """The accuracy of one net after the training that the experiment gives it."""
    with single_torch_thread():
        running = task.Remember(task.Options(furthest=5, asked=asked, n_step=n_step), seed)
        trainer = running.trainer(task.untrained_net(variant, distance, seed, bias))
        generator = torch.Generator().manual_seed(seed)
        held = task.draw(task.N_HELD, distance, generator)
        for _ in range(n_step):
            trainer.learn(running.loss(trainer.model, *task.draw(task.BATCH, distance, generator)))
    return task.answer_accuracy(trainer.model, *held)


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS[1:])  # of seed 0 the example ships: tests/rooms/recurrent/test_claims.py
def test_at_20_letters_the_gru_and_attention_know_and_the_lstm_and_the_plain_net_do_not(seed: int) -> None:
    assert trained("gru", 20, seed) > 0.95
    assert trained("attention", 20, seed, n_step=100) > 0.95  # long before the end
    assert trained("lstm", 20, seed) < 0.25
    assert trained("rnn", 20, seed) < 0.25


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_gates_can_keep_it_when_asked_always_or_with_open_forget_gates(seed: int) -> None:
    # In fewer steps than the page takes: there is time to spare.
    assert trained("lstm", 40, seed, asked="always", n_step=200) > 0.95
    assert trained("gru", 40, seed, asked="always", n_step=150) > 0.95
    assert trained("rnn", 20, seed, asked="always") > 0.95  # even the plain net
    assert trained("lstm", 20, seed, bias=3, n_step=250) > 0.95


def test_the_experiment_trains_each_net_as_it_would_be_trained_alone() -> None:
    record = ran("remember", 3, furthest=10, n_step=6)
    for variant in task.VARIANTS:
        name = task.record_name(variant, 10)
        assert record[f"curve.{name}.accuracy"][-1] == trained(variant, 10, 3, n_step=6)
        model = experiment.rebuild_model(record, name, task.config(variant, 10))
        assert task.answer_accuracy(model, *task.held_out_sequences(10, 3)) == record[f"curve.{name}.accuracy"][-1]


def test_the_largest_record_stays_below_a_megabyte() -> None:
    record = experiment.make_experiment("remember", {"n_step": 800}, 0).record()
    assert sum(array.nbytes for array in record.values()) < 600_000
