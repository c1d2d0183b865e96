"""The commands for a terminal: whatever stops a run, only seconds of work are lost; and training on one's own text."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.data.synthetic import write_stories
from core.data.tokenizers import BPETokenizer
from core.data.tokenizers.incremental_decoding import stream_decoded_text
from core.generate import command as generating
from core.models.pretrained import load
from core.train import checkpoint, command as training
from core.train.recipes import Recipe
from core.train.run import TrainRun

ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
TINY = ["--layers", "1", "--heads", "1", "--width", "16", "--context", "16", "--tokenizer", "char", "--device", "cpu"]
# Steps slow enough that a few seconds hold no more of them than a test can make again.
SLOW = ["--layers", "2", "--width", "128", "--batch", "64", "--tokenizer", "char", "--device", "cpu"]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "my text.txt"
    path.write_text(write_stories(60, 0))
    return path


def train(*arguments: object) -> int:
    return training.main([str(one) for one in arguments])


def generate(*arguments: object) -> int:
    return generating.main([str(one) for one in arguments])


@contextmanager
def process(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """The real command; it is ended if the test does not."""
    started = subprocess.Popen(
        [sys.executable, "-m", *(str(one) for one in arguments)],
        env=ENVIRONMENT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def same_as_undisturbed(folder: Path, further: int = 3) -> TrainRun:
    """The saved run, gone on with, equals one that nothing has stopped."""
    run = TrainRun.resume(folder)
    undisturbed = TrainRun(run.recipe, run.seed, "cpu", text=run.own_text)
    undisturbed.advance(run.step + further)
    run.advance(further)
    assert run.history == undisturbed.history
    assert all(map(torch.equal, run.model.parameters(), undisturbed.model.parameters()))
    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "code"),
    [("SIGINT", 130), *(pytest.param(*one, marks=pytest.mark.full) for one in (("SIGTERM", 143), ("| head -1", 141)))],
)
def test_whatever_stops_a_training_it_is_saved_and_says_how_to_go_on(
    how: str, code: int, tmp_path: Path, text: Path
) -> None:
    out = tmp_path / "my model"
    with process("core.train", text, "--out", out, "--steps", 100_000, *SLOW) as run:
        assert run.stdout is not None and run.stderr is not None
        assert "parameters" in run.stdout.readline()
        if how.startswith("SIG"):
            assert "Ctrl-C" in run.stdout.readline()
            run.send_signal(getattr(signal, how))
        else:
            run.stdout.close()  # what `head` does after its line
        said = run.stderr.read()
        assert run.wait(60) == code
    assert said.count("\n") == 1 and f"continue with: python -m core.train '{out}'" in said
    assert f"step {same_as_undisturbed(out).step - 3:,} of 100,000" in said


@pytest.mark.full
def test_kill_9_loses_no_more_than_the_time_between_two_checkpoints(tmp_path: Path, text: Path) -> None:
    out = tmp_path / "model"
    with process("core.train", text, "--out", out, "--steps", 100_000, *SLOW) as run:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (_step_in(out) > 0):
            time.sleep(0.05)
        run.kill()
    assert same_as_undisturbed(out).step > 3


def _step_in(folder: Path) -> int:
    return int(checkpoint.read_checkpoint(folder)[1]["step"]) if (folder / checkpoint.CHECKPOINT_FILE).exists() else 0


@pytest.mark.full
def test_from_a_text_of_ones_own_to_a_model_that_writes(tmp_path: Path, text: Path) -> None:
    """Both commands as a person types them; without --out the model has a new folder, and never one that is there."""
    (tmp_path / "my text-model").mkdir()

    def run(*command: str) -> str:
        done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True,
                              text=True, check=True)  # fmt: skip
        assert done.stderr == ""
        return done.stdout

    trained = run("core.train", text.name, "--steps", "5", "--size", "tiny")
    assert "saved in my text-model-2" in trained and "it writes:" in trained
    assert {one.name for one in (tmp_path / "my text-model-2").iterdir()} == {
        "config.json", "model.safetensors", "recipe.json", "tokenizer.json"
    }  # fmt: skip
    assert run("core.generate", "my text-model-2", "Zoë saw 日本", "--tokens", "8").startswith("Zoë saw 日本")


def files(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()}


def test_a_folder_that_cannot_be_used_is_refused_before_the_first_step(
    tmp_path: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found out after hours of training, it costs the model; and what is somebody else's is never overwritten."""
    for name, content in {
        "a file": "mine", "foreign/config.json": json.dumps({"model_type": "gpt2", "kind": "mine"}),
        "foreign/tokenizer.json": "{}", "half foreign/model.safetensors": "mine",
        "finished/config.json": json.dumps({"kind": "gpt"}), "finished/recipe.json": json.dumps({"recipe": {}}),
        f"broken/{checkpoint.CHECKPOINT_FILE}": "mine",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    before = files(tmp_path)
    for out, words in {
        "a file": "a file' is a file, and a folder is needed",
        "a file/below": "a file' is a file: choose another name",
        "foreign": "other files in it (config.json and 1 more), and nothing was changed",
        "half foreign": "other files in it (model.safetensors), and nothing was changed",
        "finished": "finished holds a finished model: choose another --out",
        "broken": "the checkpoint run.safetensors is damaged",
    }.items():
        assert train(text, "--steps", 1, *TINY, "--out", tmp_path / out) == 1
        said = capsys.readouterr()
        assert words in said.err and said.err.count("\n") == 1 and "step" not in said.out
        assert files(tmp_path) == before


def test_a_full_disk_keeps_what_was_saved_before(
    tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    advance = TrainRun.advance

    def advance_until_full(run: TrainRun, **how: float) -> object:
        monkeypatch.setattr("os.replace", full)
        return advance(run, **how)

    monkeypatch.setattr(TrainRun, "advance", advance_until_full)
    assert train(text, "--seconds", 0.1, "--steps", 100_000, *TINY, "--out", tmp_path / "model") == 1
    monkeypatch.undo()
    assert "No space left on device" in capsys.readouterr().err
    assert TrainRun.resume(tmp_path / "model").step == 0


def test_going_on_with_other_wishes_is_refused(tmp_path: Path, text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In silence, --steps and --seed of the second command did nothing."""
    out = tmp_path / "model"
    assert train(text, "--seconds", 0.05, "--steps", 30_000, "--seed", 3, *TINY, "--out", out) == 0
    step = TrainRun.resume(out).step
    other = tmp_path / "other.txt"
    other.write_text(write_stories(60, 1))
    for command, words in [
        ([out, "--steps", 50], "--steps 30000, not 50"),
        ([out, "--seed", 4], "--seed 3, not 4"),
        ([out, "--width", 32], "--width 16, not 32"),
        ([out, "--size", "small"], "--width 16, not 128"),
        ([text, "--tokenizer", "word", "--out", out], "--tokenizer char, not word"),
        ([other, "--out", out], "another text than this one"),
        (["stories", "--out", out], "a text of its own, not stories"),
    ]:
        assert train(*command) == 1
        assert words in capsys.readouterr().err
    for command in ([out], [text, "--out", out], [text, "--seed", 3, "--steps", 30_000, *TINY, "--out", out]):
        before, step = step, TrainRun.resume(out).step
        assert train(*command, "--seconds", 0.05) == 0
        assert f"at step {step:,} of 30,000" in capsys.readouterr().out and step >= before
    assert train(text, "--steps", 2, *TINY, "--out", out, "--overwrite") == 0
    assert len(capsys.readouterr().out.partition("it writes:\n")[2].removesuffix("\n")) == 8 + 200  # characters
    assert load(out).config.d_model == 16 and not (out / checkpoint.CHECKPOINT_FILE).exists()
    assert train(out) == 1
    assert "its model is finished" in capsys.readouterr().err


def test_what_cannot_be_trained_is_refused_in_one_line(
    tmp_path: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, words in (
        (["nowhere.txt"], "no file, folder, recipe or task 'nowhere.txt' here. Name a text file"),
        (["stories", "--width", 32], "--width can be chosen for a text of your own"),
        (["stories", "--seconds", -1], "--seconds must be more than 0, not -1"),
        (["stories", "--seed", -1], "--seed must be from 0 to 4,294,967,295, not -1"),
        (["stories", "--steps", 0], "--steps must be from 1 to 10,000,000, not 0"),
        (
            [text, "--width", 30, "--heads", 4],
            "among 4 heads (--heads): choose a multiple of 4, such as --width 32",
        ),
        ([text, "--width", 2**17, "--layers", 50], "GB of memory, and this machine has"),
        ([text, "--context", 4000, "--batch", 1, "--width", 16], "--context 4000 needs at least"),
    ):
        assert train(*command, "--out", tmp_path / "model") == 1
        said = capsys.readouterr().err
        assert words in said and said.count("\n") == 1
        assert not (tmp_path / "model").exists()


def test_a_checkpoint_holds_the_text_it_learns_from(tmp_path: Path) -> None:
    """A text that is edited, or moved, while a model learns from it must not end the run."""
    run = TrainRun(replace(training.RECIPES["python-topics"], n_step=9), 0, "cpu", text=write_stories(60, 0) + "ä日\n")
    run.advance(2)
    run.save(tmp_path)
    assert TrainRun.resume(tmp_path).own_text == run.own_text


STRATEGIES = [
    ["--greedy"],
    ["--temperature", 0, "--repetition-penalty", 1.2, "--no-repeat-ngram", 4],
    ["--temperature", 1.5, "--top-k", 9, "--top-p", 0.9, "--min-p", 0.01, "--typical-p", 0.9, "--epsilon", 0.0001,
     "--eta", 0.0001, "--repetition-penalty", 1.1, "--no-repeat-ngram", 3, "--seed", 5],
    ["--beam", 3, "--length-penalty", 0.5, "--early-stopping"],
]  # fmt: skip


@pytest.mark.parametrize("strategy", STRATEGIES, ids=["greedy", "temperature 0", "every filter", "beam"])
def test_every_strategy_writes_the_same_again(strategy: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for _ in range(2):
        assert generate("stories", "One day Lily", "--tokens", 12, *strategy) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert texts[0].startswith("One day Lily") and len(texts[0].split()) > 8


def test_seeds_folders_and_stops(capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROOT / "assets" / "models" / "stories"
    texts = []
    for model, seed in (("stories", 1), (folder, 1), (folder, 2)):
        assert generate(model, "One day Lily", "--seed", seed, "--temperature", 1.5, "--tokens", 20) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    assert generate("stories", "One day Lily", "--greedy", "--stop", ".") == 0
    written = capsys.readouterr().out
    assert written.endswith("\n") and "." not in written


def test_what_cannot_be_written_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for command, words in (
        (["nowhere", "One day"], "'nowhere' is no folder here, and none of the models that ship: stories"),
        (["stories-bert", "One day"], "stories-bert does not continue texts"),
        (["stories", ""], "the prompt is empty"),
        (["stories-alibi", "One day Lilly"], "the model does not know 'Lilly'; it knows Lily"),
        (["stories", "One day", "--greedy", "--top-k", 3], "--top-k would change nothing"),
        (["stories", "One day", "--beam", 2, "--seed", 3], "--seed would change nothing"),
        (["stories", "One day", "--beam", 0], "--beam must be from 1 to 1,000, not 0"),
        (["stories", "One day", "--early-stopping"], "--early-stopping would change nothing"),
        (["stories", "One day", "--stop", "the end"], "one token is needed"),
        (["stories", "One day", "--top-p", 1.5], "--top-p must be from 0 to 1, not 1.5"),
        (["stories", "One day", "--tokens", -1], "--tokens must be from 1 to 1,000,000, not -1"),
        (["stories", "One day", "--tokens", 0], "--tokens must be from 1 to 1,000,000, not 0"),
        (["stories", "One day", "--seed", -1], "--seed must be from 0 to"),
    ):
        assert generate(*command) == 1
        said = capsys.readouterr()
        assert words in said.err and said.err.count("\n") == 1 and said.out == ""


def test_text_streams_token_by_token_and_no_character_is_torn() -> None:
    tokenizer = BPETokenizer.train("plain letters")
    given: list[int] = []

    def tokens() -> Iterator[int]:
        for one in [*tokenizer.encode("aé日🙂b"), 0xE6]:
            given.append(one)
            yield one

    stream = stream_decoded_text(tokenizer, tokens())
    assert next(stream) == "a" and len(given) == 1  # before the second token is there
    assert list(stream) == ["é", "日", "🙂", "b", "�"]


@pytest.mark.parametrize("kind", ["t5", "seq2seq", "bert", "gru"])
def test_every_kind_learns_a_text_of_ones_own(kind: str, text: Path, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "model"
    assert train(text, "--kind", kind, "--out", folder, "--steps", 3, *TINY) == 0
    recipe = Recipe.from_dict(json.loads((folder / "recipe.json").read_bytes())["recipe"])
    assert recipe.kind == {"gru": "rnn"}.get(kind, kind) and recipe.n_window == 16
    assert load(folder).vocabulary
    said = capsys.readouterr().out
    assert ("it fills gaps" in said) == (kind != "gru") and ("⟨1⟩" in said) == (kind in ("t5", "seq2seq"))
