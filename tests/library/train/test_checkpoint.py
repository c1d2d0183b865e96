"""Checkpoints: complete, exact, never pickled, and refused with a clear message when they are damaged."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load

from core.models import registry
from core.train import checkpoint
from core.train.checkpoint import CheckpointDamaged
from core.train.recipes import RECIPES
from core.train.run import TrainRun

TEXT = "the quick brown fox jumps over the lazy dog. " * 200
TENSORS = {"w": torch.arange(6.0).reshape(2, 3), "n": torch.tensor(7), "half": torch.ones(3, dtype=torch.bfloat16)}


def small(**changes: object) -> TrainRun:
    model = {"n_layer": 1, "n_head": 2, "d_model": 16, "context_length": 16}
    return TrainRun(replace(RECIPES["python-topics"], model=model, n_step=30, batch_size=4, **changes), 1, text=TEXT)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    checkpoint.write_checkpoint(tmp_path, TENSORS, {"step": 3, "words": "ä\n"})
    tensors, facts = checkpoint.read_checkpoint(tmp_path)
    assert facts == {"step": 3, "words": "ä\n"}
    assert tensors.keys() == TENSORS.keys()
    assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)


def test_no_checkpoint_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no run\.safetensors"):
        checkpoint.read_checkpoint(tmp_path)


@pytest.mark.parametrize("n_kept", [0, 5, 100, -1])
def test_a_file_cut_short_is_refused(tmp_path: Path, n_kept: int) -> None:
    checkpoint.write_checkpoint(tmp_path, TENSORS, {"step": 3})
    data = (tmp_path / checkpoint.CHECKPOINT_FILE).read_bytes()
    (tmp_path / checkpoint.CHECKPOINT_FILE).write_bytes(data[:n_kept])
    with pytest.raises(CheckpointDamaged, match="damaged"):
        checkpoint.read_checkpoint(tmp_path)


def test_one_changed_bit_is_noticed(tmp_path: Path) -> None:
    checkpoint.write_checkpoint(tmp_path, TENSORS, {"step": 3})
    data = bytearray((tmp_path / checkpoint.CHECKPOINT_FILE).read_bytes())
    data[-1] ^= 1
    (tmp_path / checkpoint.CHECKPOINT_FILE).write_bytes(data)
    with pytest.raises(CheckpointDamaged, match="not those that were written"):
        checkpoint.read_checkpoint(tmp_path)


def test_a_newer_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "VERSION", 99)
    checkpoint.write_checkpoint(tmp_path, TENSORS, {})
    monkeypatch.undo()
    with pytest.raises(CheckpointDamaged, match="version 99"):
        checkpoint.read_checkpoint(tmp_path)


def test_a_failing_write_keeps_the_checkpoint_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.write_checkpoint(tmp_path, TENSORS, {"step": 1})

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space"):
        checkpoint.write_checkpoint(tmp_path, TENSORS, {"step": 2})
    monkeypatch.undo()
    assert checkpoint.read_checkpoint(tmp_path)[1] == {"step": 1}


def test_no_file_of_a_saved_run_is_a_pickle(tmp_path: Path) -> None:
    run = small()
    run.advance(2)
    run.save(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"run.safetensors", "config.json", "model.safetensors", "recipe.json", "tokenizer.json"}
    for path in tmp_path.iterdir():
        data = path.read_bytes()
        assert not data.startswith((b"\x80", b"PK"))


def test_viewers_get_the_model_as_it_was(tmp_path: Path) -> None:
    run = small()
    run.advance(5)
    run.save(tmp_path)
    model = registry.build(registry.from_dict(json.loads((tmp_path / "config.json").read_bytes())), seed=9)
    missing, unexpected = model.load_state_dict(load((tmp_path / "model.safetensors").read_bytes()), strict=False)
    assert not unexpected and missing == ["unembed.weight"]  # tied: it is the embedding
    ids = run.val_ids[None, :16]
    assert torch.equal(model(ids), run.model(ids))
    about = json.loads((tmp_path / "recipe.json").read_bytes())
    assert about["step"] == 5 and about["seed"] == 1 and about["recipe"]["name"] == "python-topics"


def test_another_text_is_refused(tmp_path: Path) -> None:
    small().save(tmp_path)
    with pytest.raises(CheckpointDamaged, match="not the one that this run was trained on"):
        TrainRun.resume(tmp_path, text=TEXT + "!")


def test_a_missing_tensor_is_refused(tmp_path: Path) -> None:
    small().save(tmp_path)
    tensors, facts = checkpoint.read_checkpoint(tmp_path)
    del tensors["model.tok_emb.weight"]
    checkpoint.write_checkpoint(tmp_path, tensors, facts)
    with pytest.raises(CheckpointDamaged, match=r"lacks 'model.tok_emb.weight'"):
        TrainRun.resume(tmp_path, text=TEXT)


@pytest.mark.full  # it measures
def test_saving_the_default_run_takes_no_time_to_speak_of(tmp_path: Path) -> None:
    run = TrainRun(RECIPES["python-topics"], 0, text=TEXT)
    run.advance(1)
    run.save(tmp_path)
    times = []
    for _ in range(5):
        began = time.process_time()
        run.save(tmp_path)
        times.append(time.process_time() - began)
    assert min(times) < 0.06
