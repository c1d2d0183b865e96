"""Training: the same seed gives the same bits, whatever happens in between; and models really learn."""

import math
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from core.data.synthetic import bottle_and_cup
from core.train import experiment as experiments
from core.train.curve_point import CurvePoint
from core.train.device import single_torch_thread
from core.train.objectives import (
    _evaluate_windows,
    cut_windows,
    next_token_loss,
    ngram_losses,
    spaced_starts,
    split_ids,
)
from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainingDiverged, TrainRun
from core.train.trainer import Trainer

TEXT = "".join(f"{i} plus {i % 7} is {i + i % 7}.\n" for i in range(800))
FAST = replace(
    RECIPES["python-topics"],
    model={**RECIPES["python-topics"].model, "n_layer": 2, "d_model": 64, "context_length": 32},
    batch_size=8,
    n_step=40,
)
ADAMW = replace(FAST, optimizer="adamw", learning_rate=0.002, n_warmup=5, weight_decay=0.1)
STYLE = {"norm": "rms_plain", "activation": "relu2", "bias": False, "qk_norm": True}
GAPS = replace(
    FAST,
    tokenizer="word",
    model={"kind": "bert", "n_layer": 2, "n_head": 4, "d_model": 64, "context_length": 32, "block": STYLE},
)
EVERY = pytest.mark.parametrize("recipe", [FAST, ADAMW, GAPS], ids=["fast", "adamw", "gaps"])


def whole(recipe: Recipe, seed: int = 3) -> TrainRun:
    run = TrainRun(recipe, seed, "cpu", text=TEXT)
    run.advance()
    return run


def same(one: TrainRun, other: TrainRun) -> bool:
    pairs = zip(one.model.parameters(), other.model.parameters(), strict=True)
    weights = all(torch.equal(a, b) for a, b in pairs)
    return weights and one.history == other.history and one.final_val_loss == other.final_val_loss


@EVERY
def test_the_same_seed_gives_the_same_bits_paused_and_resumed_anywhere(recipe: Recipe, tmp_path: Path) -> None:
    undisturbed = whole(recipe)
    first = TrainRun(recipe, 3, "cpu", text=TEXT)
    first.advance(20)
    first.save(tmp_path)
    second = TrainRun.resume(tmp_path, text=TEXT)
    assert second.step == 20
    while not second.done:
        assert second.advance(seconds=0.03)
    assert same(second, undisturbed)
    assert undisturbed.history != whole(recipe, seed=4).history


def test_global_generators_and_thread_settings_are_left_alone() -> None:
    before, n_thread = torch.get_rng_state(), torch.get_num_threads()
    whole(replace(FAST, n_step=3))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == n_thread
    torch.rand(7)  # somebody else draws
    assert same(whole(replace(FAST, n_step=3)), whole(replace(FAST, n_step=3)))


def test_runs_that_differ_in_the_optimizer_see_the_same_batches() -> None:
    assert torch.equal(TrainRun(FAST, 5, text=TEXT)._starts, TrainRun(ADAMW, 5, text=TEXT)._starts)


def test_points_have_their_stated_values() -> None:
    run = TrainRun(ADAMW, 3, "cpu", text=TEXT)
    new = run.advance(12)
    assert [point.step for point in new] == list(range(1, 13))
    assert all(isinstance(point, CurvePoint) and math.isfinite(point.grad_norm) for point in new)
    assert [point.step for point in new if point.val_loss is not None] == [1, 2, 4, 8, 10]
    assert [point.learning_rate for point in new[:6]] == pytest.approx([0.002 * i / 6 for i in range(1, 7)])
    assert run.advance(0) == [] and len(run.history) == 12


def test_gradient_norm_is_the_whole_gradients() -> None:
    run = TrainRun(FAST, 3, "cpu", text=TEXT, dtype="float32")
    inputs, targets = cut_windows(run.train_ids, run._starts[0], 32)
    next_token_loss(run.model(inputs), targets).backward()
    by_hand = math.sqrt(sum(float(w.grad.square().sum()) for w in run.model.parameters()))
    assert run.advance(1)[0].grad_norm == pytest.approx(by_hand, rel=1e-4)


def test_divergence_is_said_in_plain_words() -> None:
    run = TrainRun(replace(ADAMW, learning_rate=10.0), 3, "cpu", text=TEXT)
    run.advance(2)
    with torch.no_grad():
        run.model.unembed.weight.fill_(float("inf"))
    with pytest.raises(TrainingDiverged, match=r"diverged at step 3: .* Try a smaller learning rate"):
        run.advance()
    assert len(run.history) == 2


@EVERY
def test_a_run_that_diverges_in_its_last_step_is_not_finished(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: the loss is measured before the step, so a run counts as finished and its validation loss is NaN."""
    run = TrainRun(replace(recipe, n_step=3, n_warmup=1), 3, "cpu", text=TEXT)
    run.advance(2)
    break_after_step(run._trainer, monkeypatch)
    with pytest.raises(TrainingDiverged, match="diverged at step 3"):
        run.advance()
    assert [point.step for point in run.history] == [1, 2]
    with pytest.raises(TrainingDiverged):
        run.validate()


def test_an_experiment_that_diverges_in_its_last_step_is_not_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: a live experiment is recorded as finished with weights that are no longer numbers."""
    running = experiments.make_experiment("three-switches", {"n_step": 2}, 0)
    running.advance()
    name, trainer = next(iter(running.trainers.items()))
    break_after_step(trainer, monkeypatch)
    with pytest.raises(TrainingDiverged, match=name):
        running.advance()


def break_after_step(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a step leaves weights that are no longer numbers, though its loss and its gradient were."""
    step = trainer.optimizer.step

    def broken(*given: float) -> None:
        step(*given)
        with torch.no_grad():
            next(iter(trainer.model.parameters())).fill_(float("nan"))

    monkeypatch.setattr(trainer.optimizer, "step", broken)


def test_bfloat16_learns_what_float32_learns() -> None:
    single = TrainRun(FAST, 3, "cpu", text=TEXT, dtype="float32")
    half = TrainRun(FAST, 3, "cpu", text=TEXT, dtype="bfloat16")
    single.advance()
    half.advance()
    assert {w.dtype for w in half.model.parameters()} == {torch.float32}
    assert half.final_val_loss == pytest.approx(single.final_val_loss, abs=0.15)
    assert single.final_val_loss < 1.5


def test_token_shift_sees_two_tokens_before_any_head_does() -> None:
    """Four digits of five follow from the two before them; within 20 steps, no head has learned to look there."""
    draw, digits = random.Random(0), [1, 2]
    for _ in range(12_000):
        digits.append((digits[-1] + 2 * digits[-2]) % 7 if draw.random() < 0.8 else draw.randrange(7))
    text, losses = "".join(map(str, digits)), []
    for shifted in (False, True):
        run = TrainRun(replace(FAST, n_step=20, model=FAST.model | {"token_shift": shifted}), 3, "cpu", text=text)
        run.advance()
        losses.append(run.final_val_loss)
    assert losses[0] > 1.5 and losses[1] < 1.1


def test_impossible_seeds_and_texts_are_refused() -> None:
    for seed in (-1, 2**32):
        with pytest.raises(ValueError, match="not within 0"):
            TrainRun(FAST, seed, text=TEXT)
    with pytest.raises(ValueError, match="the text has 100 tokens; a context of 32 needs at least 330"):
        TrainRun(FAST, 0, text="ab" * 50)


@pytest.mark.parametrize("name", ["nanogpt-cpu", "python-topics-adamw"])
def test_untrained_model_guesses_almost_blindly(name: str) -> None:
    """Small random logits cost a little more than ln V on targets that no model can know."""
    run = TrainRun(RECIPES[name], 0, "cpu", text=TEXT, dtype="float32")
    generator = torch.Generator().manual_seed(0)
    ids, targets = torch.randint(run.vocab_size, (2, 40, 64), generator=generator)
    with torch.no_grad():
        loss = float(next_token_loss(run.model(ids), targets))
    assert run.blind_loss <= loss <= run.blind_loss + 0.35
    zeros = TrainRun(FAST, 0, "cpu", text=TEXT, dtype="float32")  # the fast start: an output layer of zeros
    assert zeros.validate() == pytest.approx(math.log(zeros.vocab_size), abs=1e-6)


@pytest.mark.parametrize(
    ("recipe", "n_step", "loss_left"),
    [
        (FAST, 200, 1e-3),
        (replace(ADAMW, learning_rate=0.01, weight_decay=0.0), 200, 1e-3),
        pytest.param(GAPS, 150, 1e-2, marks=pytest.mark.full),  # a replaced token may ask for what nothing tells
    ],
    ids=["fast", "adamw", "gaps"],
)
def test_one_batch_is_learned_by_heart(recipe: Recipe, n_step: int, loss_left: float) -> None:
    """A model that cannot memorize four short sequences is broken, not small."""
    run = TrainRun(recipe, 0, "cpu", text=TEXT, dtype="float32")
    starts = torch.tensor([0, 100, 207, 311])
    inputs, targets = cut_windows(run.train_ids, starts, 8)
    inputs = inputs.clone()
    inputs[:, 0] = torch.arange(4)  # different first tokens, or the first target would be a matter of chance
    with single_torch_thread():
        for step in range(n_step):
            run.model.zero_grad()
            if recipe is GAPS:
                loss = run.objective.loss(run.forward, run.train_ids, run._starts[0], 0)
            else:
                loss = next_token_loss(run.model(inputs), targets)
            loss.backward()
            run.optimizer.step(1 - step / n_step)
    assert float(loss.detach()) < loss_left


def test_gaps_are_drawn_from_the_seed_and_validated_on_the_same_ones() -> None:
    one, other = TrainRun(GAPS, 1, "cpu", text=TEXT, dtype="float32"), TrainRun(GAPS, 2, "cpu", text=TEXT)
    mine, theirs = [run.objective._batch(run.train_ids, run._starts[0], [run.seed, 0]) for run in (one, other)]
    assert not torch.equal(mine.fate, theirs.fate)
    assert bool((mine.inputs[:, 0] == one.tokenizer.class_id).all()) and not bool(mine.chosen[:, 0].any())
    assert int(mine.targets[:, 1:].max()) < one.tokenizer.class_id  # windows of the text itself
    assert one.n_val_token == other.n_val_token < 0.25 * len(one._full) * 32
    assert one.blind_loss - 0.05 < one.validate() < one.blind_loss + 0.35


def test_a_validation_of_gaps_in_parts_is_the_mean_over_the_tokens_asked_for() -> None:
    run = TrainRun(GAPS, 0, "cpu", text=TEXT, dtype="float32")
    run.advance(5)
    with torch.no_grad():
        batch = run.objective._batch(run.val_ids, run._full, [2**32])
        by_hand = F.cross_entropy(run.model(batch.inputs)[batch.chosen], batch.targets[batch.chosen])
    for batch_size in (3, 99):
        loss = run.objective.evaluate(run.model, run.val_ids, run._full, batch_size)
        assert loss == pytest.approx(float(by_hand), rel=1e-5)


def test_a_batch_without_a_gap_costs_nothing() -> None:
    run = TrainRun(replace(GAPS, batch_size=1, model=GAPS.model | {"context_length": 4}), 0, "cpu", text=TEXT)
    run.advance()
    assert run.done and any(point.loss == 0 for point in run.history)


def test_where_windows_begin_and_what_is_asked_of_them() -> None:
    assert spaced_starts(101, 10, 99).tolist() == list(range(0, 100, 10))
    assert spaced_starts(100, 10, 99).tolist() == list(range(0, 90, 10))  # the last one would lack its last target
    assert spaced_starts(101, 10, 4).tolist() == [0, 20, 50, 70]
    inputs, targets = cut_windows(torch.arange(20), torch.tensor([0, 7]), 4)
    assert inputs.tolist() == [[0, 1, 2, 3], [7, 8, 9, 10]] and torch.equal(targets, inputs + 1)
    train_ids, val_ids = split_ids(torch.arange(1000), 16)
    assert train_ids.tolist() == list(range(900)) and val_ids.tolist() == list(range(900, 1000))


def test_evaluation_in_parts_equals_evaluation_at_once() -> None:
    run = TrainRun(FAST, 0, "cpu", text=TEXT, dtype="float32")
    run.advance(5)
    starts = spaced_starts(len(run.val_ids), 32, 21)
    inputs, targets = cut_windows(run.val_ids, starts, 32)
    with torch.no_grad():
        at_once = float(next_token_loss(run.model(inputs), targets))
    for batch_size in (8, 99):
        assert _evaluate_windows(run.model, run.val_ids, starts, 32, batch_size) == pytest.approx(at_once, rel=1e-6)


@pytest.mark.full
def test_bottle_and_cup_is_understood_and_no_ngram_does_it() -> None:
    """After "It is the" only the ending decides between the two nouns: counting cannot, attention can."""
    run = TrainRun(RECIPES["bottle-and-cup"], 0, "cpu")
    run.advance()
    right = 0
    records = bottle_and_cup(200, seed=12345)
    for record in records:
        ids = torch.tensor([run.tokenizer.encode("\n" + record.text_with_answer)])
        with torch.no_grad():
            right += int(run.model(ids)[0, -3].argmax()) == int(ids[0, -2])
    assert right >= 190
    counted = ngram_losses(run.train_ids, run.val_ids, run.vocab_size, orders=(5,))[5]
    assert run.final_val_loss < counted - 0.05
