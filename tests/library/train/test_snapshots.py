"""Frames: where they are taken, what they hold, and that taking one changes nothing."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from core.train.recipes import RECIPES
from core.train.run import TrainRun
from core.train.watch.behavior_snapshots import (
    N_SAMPLE,
    RunFrame,
    _sample_steps,
    capture_frame,
    frame_steps,
    snapshot_probe_ids,
)

TEXT = "The quick brown fox jumps over the lazy dog.\nAnna has a red ball.\n" * 200


def small(n_step: int = 30) -> TrainRun:
    model = {"n_layer": 2, "n_head": 2, "d_model": 16, "context_length": 24}
    return TrainRun(replace(RECIPES["python-topics"], model=model, n_step=n_step, batch_size=4), 1, text=TEXT)


@pytest.mark.parametrize("n_step", [1, 2, 59, 60, 61, 100, 650, 2000, 20_000])
def test_frames_go_from_the_first_to_the_last_step_ever_further_apart(n_step: int) -> None:
    steps = frame_steps(n_step)
    assert steps[0] == 0 and steps[-1] == n_step
    assert len(steps) == len(set(steps)) <= 60
    assert len(steps) >= min(n_step + 1, 55)
    gaps = [after - before for before, after in pairwise(steps)]
    assert all(after >= before - 1 for before, after in pairwise(gaps[:-1]))  # rising, but for rounding


@pytest.mark.parametrize("n_step", [1, 19, 20, 59, 60, 650, 2000, 8000])
def test_the_model_writes_a_new_sample_throughout_a_run(n_step: int) -> None:
    """Of 8,000 steps only eight were in both lists: nearly the whole film showed the text written at step 33."""
    frames, written = frame_steps(n_step), sorted(_sample_steps(n_step))
    assert set(written) <= set(frames) and written[0] == 0 and written[-1] == n_step
    places = [frames.index(step) for step in written]
    assert max(np.diff(places)) < 10 and min(n_step + 1, 15) <= len(written) <= N_SAMPLE


def test_a_frame_holds_the_attention_of_the_probe() -> None:
    run = small()
    run.advance(3)
    frame = capture_frame(run)
    n = len(frame.tokens)
    assert frame.attention.shape == (2, 2, n, n) and frame.attention.dtype == np.uint8
    assert frame.step == 3 and frame.loss == run.history[-1].loss
    assert frame.val_loss == run.history[1].val_loss  # measured at steps 1, 2, 4, ...; not at 3
    assert np.all(np.triu(frame.attention[0, 0], 1) == 0)
    assert np.all(frame.attention[:, :, 0, 0] == 255)
    rows = frame.attention.sum(-1, dtype=int)
    assert np.all(abs(rows - 255) <= n / 2)


def test_a_recurrent_net_has_frames_without_attention() -> None:
    recipe = replace(RECIPES["stories-gru"], tokenizer="char", n_step=30, batch_size=4)
    frame = capture_frame(TrainRun(recipe, 1, text=TEXT))
    assert frame.attention.shape == (0, 0, len(frame.tokens), len(frame.tokens)) and len(frame.sample) == 8 + 48
    assert RunFrame.from_bytes(frame.to_bytes()).attention.shape == frame.attention.shape


def test_a_model_of_gaps_shows_what_it_puts_into_them() -> None:
    run = TrainRun(replace(RECIPES["stories-bert"], n_step=30, batch_size=4), 1, text=TEXT)
    frame = capture_frame(run)
    assert frame.tokens[0] == "<class>" and frame.attention.shape == (2, 4, 32, 32)
    assert frame.attention[0, 0, 0, 1:].any()  # the first token reads later ones
    assert frame.sample.count("⟨") == frame.sample.count("⟩") == 7  # tokens 4, 8, …, 28
    assert frame.sample.startswith(("The quick brown ⟨", "Anna has a ⟨"))


def test_the_probe_begins_a_line_of_the_validation_text() -> None:
    run = small()
    text = run.tokenizer.decode(snapshot_probe_ids(run).tolist())
    assert text.startswith(("The quick", "Anna has"))
    assert len(text) == 24


def test_an_untrained_run_has_a_frame_without_losses() -> None:
    frame = capture_frame(small())
    assert frame.step == 0 and frame.loss is None and frame.val_loss is None
    assert len(frame.sample) == 8 + 48


def test_bytes_and_back() -> None:
    frame = capture_frame(small())
    again = RunFrame.from_bytes(frame.to_bytes())
    assert np.array_equal(again.attention, frame.attention)
    for name in ("step", "tokens", "sample", "sample_step", "loss", "val_loss"):
        assert getattr(again, name) == getattr(frame, name)


@pytest.mark.parametrize("data", [b"", b"\x80\x04K\x01.", b"\x02\x00\x00\x00{}", b"\xff" * 50])
def test_bytes_that_are_no_frame_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="aren't a frame"):
        RunFrame.from_bytes(data)


def test_a_frame_cut_short_is_refused() -> None:
    data = capture_frame(small()).to_bytes()
    with pytest.raises(ValueError, match="aren't a frame"):
        RunFrame.from_bytes(data[:-3])


def test_looking_changes_nothing() -> None:
    watched, alone = small(), small()
    before = torch.get_rng_state()
    for _ in range(10):
        capture_frame(watched)
        watched.advance(1)
    alone.advance(10)
    assert watched.history == alone.history
    assert torch.equal(torch.get_rng_state(), before)


def test_the_same_moment_gives_the_same_frame() -> None:
    one, two = small(), small()
    one.advance(7)
    two.advance(7)
    assert capture_frame(one).to_bytes() == capture_frame(two).to_bytes()


def test_default_frames_are_small() -> None:
    run = TrainRun(RECIPES["python-topics"], 0, text=TEXT)
    assert len(capture_frame(run).to_bytes()) < 16_000


def test_the_film_that_ships_has_new_samples_throughout() -> None:
    folder = Path(__file__).resolve().parents[3] / "assets/models/stories/frames"
    frames = [RunFrame.from_bytes(path.read_bytes()) for path in sorted(folder.glob("*.frame"))]
    assert {frame.sample_step for frame in frames} == _sample_steps(frames[-1].step)
