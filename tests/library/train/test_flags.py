"""Every flag with a number, at every command, with bad values: the message names the flag that was typed.

Catches: `--steps 0` that is reported as "n_step=0", `--batch 0` that silently becomes the default, and tracebacks.
"""

import argparse
import io
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from core.data import progress
from core.data.command_line_flags import FlagRange, check_flag_ranges as flag_limits, message_with_cli_flags
from core.data.progress import TerminalProgressBar, _format_duration
from core.data.synthetic import write_stories
from core.export import __main__ as exporting
from core.generate import command as generating
from core.lessons import __main__ as lessons
from core.train import command as training, experiment as experiments

BAD = ("0", "-1", "7", "9" * 30, "9" * 400, "nan", "inf", "1e400", "ten", "", "0x10", "1.5")
INTERNAL = re.compile(
    r"\b(n_\w+|d_model|d_head|context_length|batch_size|tokenizer_vocab|vocab_size|max_new_tokens|length_penalty|"
    r"top_[kp]|min_p|typical_p|repetition_penalty)\b|Traceback|Error:"
)
# Numbers that look bad and aren't.
FINE = {
    "--seed": {"0", "7"}, "--tokens": {"7"}, "--temperature": {"0", "7", "1.5"}, "--top-k": {"7"},
    "--top-p": {"0"}, "--min-p": {"0"}, "--repetition-penalty": {"7", "1.5"}, "--no-repeat-ngram": {"7"},
    "--length-penalty": {"0", "-1", "7", "1.5"}, "--beam": {"7"},
    "--seconds": {"7", "1.5", "inf", "1e400", "9" * 30, "9" * 400},
    "--steps": {"7"}, "--layers": {"7"}, "--context": {"7"}, "--batch": {"7"}, "--vocab": {"7"},
}  # fmt: skip


def numbers(parser: argparse.ArgumentParser) -> list[str]:
    """The flags that take a number."""
    return [one.option_strings[0] for one in parser._actions if one.option_strings and callable(one.type)
            and one.type is not Path]  # fmt: skip


def told(main: Callable[..., object], arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """The exit code, and what the last line says."""
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    said = capsys.readouterr().err.strip()
    return code, said.splitlines()[-1] if said else ""


def check(flag: str, value: str, code: object, said: str, fine: set[str]) -> None:
    if value in fine and code == 0:
        return
    assert code in (1, 2), (flag, value, code)
    assert flag in said and not INTERNAL.search(said), (flag, value, said)


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A text to train on; no step is made, and nothing saved."""
    (tmp_path / "my.txt").write_text(write_stories(60, 0))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "_train", lambda *_: 0)
    monkeypatch.setattr(training, "_save", lambda *_: None)
    return "my.txt"


TRAINING = numbers(training._parser())


@pytest.mark.parametrize("flag", TRAINING)
def test_training_names_the_flag(flag: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    for what in (text, "task:sort"):
        for value in BAD:
            code, said = told(training.main, [what, f"{flag}={value}"], capsys)
            check(flag, value, code, said, FINE.get(flag, set()))


@pytest.mark.parametrize("flag", numbers(generating._parser()))
def test_generating_names_the_flag(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    beam = ["--beam=2"] if flag == "--length-penalty" else []
    for value in BAD:
        code, said = told(generating.main, ["stories", "One day", "--tokens=2", *beam, f"{flag}={value}"], capsys)
        check(flag, value, code, said, FINE.get(flag, set()))


@pytest.mark.slow
def test_combinations_name_flags(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, flags in (
        (["--width=7"], ("--width 7", "--heads", "--width 8")),
        (["--heads=7"], ("--heads", "--width 128")),
        (["--width=30", "--heads=4", "--kind=t5"], ("--width 30", "--heads")),
        (["--vocab=1"], ("--vocab", "not 1")),
        (["--width=1000000", "--layers=1000"], ("--width", "--layers")),
        (["--steps=10000000", "--batch=1000000"], ("--steps", "--batch")),
        (["--context=4000", "--batch=1", "--width=16"], ("--context 4000", "Take a longer text, or choose --context ")),
    ):
        code, said = told(training.main, [text, *arguments], capsys)
        assert code == 1 and all(flag in said for flag in flags) and not INTERNAL.search(said), said
    for arguments in (["--set=length=999"], ["--set=length=0"], ["--set=length=ten"], ["--set=depth=3"]):
        code, said = told(training.main, ["task:sort", *arguments], capsys)
        assert code == 1 and "--set" in said and not INTERNAL.search(said), said


@pytest.mark.parametrize("what", ["lessons", "lessons/induction"])
def test_a_lesson_has_no_inputs(
    what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """They changed nothing, in silence."""
    monkeypatch.setattr(sys, "argv", ["export", what, "--out", str(tmp_path / "out"), "--set", "layer=1"])
    code, said = told(lambda _: exporting.main(), [], capsys)
    assert code == 2 and "--set is for an exhibit or a model" in said and not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", [one for one in BAD if one not in FINE["--seed"]])
def test_experiments_name_the_flag(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(experiments, "_remake_example", lambda *_: 0.0)
    monkeypatch.setattr(sys, "argv", ["experiment", "three-switches", f"--seed={value}"])
    code, said = told(lambda _: experiments.main(), [], capsys)
    check("--seed", value, code, said, set())


@pytest.mark.slow
@pytest.mark.parametrize("given", ["layer=9", "layer=-1", "layer=nan", "layer=", "head=" + "9" * 30, "lyer=1", "layer"])
def test_exports_name_the_flag_and_write_nothing(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fault: `layer=9` gave "The default is used.", but nothing was written."""
    out = tmp_path / "head.html"
    monkeypatch.setattr(sys, "argv", ["export", "heads.one-head", "--out", str(out), "--set", given])
    with pytest.raises(SystemExit) as end:
        exporting.main()
    said = str(end.value.code) if end.value.code != 2 else capsys.readouterr().err
    assert "--set" in said and "default is used" not in said and not INTERNAL.search(said), said
    assert not out.exists()


def test_the_help_of_exports_names_some_and_how_to_list_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["export", "--help"])
    with suppress(SystemExit):
        exporting.main()
    said = capsys.readouterr().out
    assert "python -m core.lessons list" in said and "lessons/NAME: " in said and "stories-bert" in said
    assert re.search(r"exhibits: home\.\S+, \S+", said) and "induction" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["check"], "FILE"), (["check", "no.md"], "no.md"), (["chek", "a.md"], "chek"), (["check", "--steps=0"], "FILE")],
)
def test_the_command_of_lessons_says_what_was_typed(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = lessons.main(arguments)
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]
    said = capsys.readouterr()
    assert code in (1, 2) and "Traceback" not in said.err and words in said.out + said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gpt2"], ("no file, folder, recipe or task 'gpt2'", "text file to learn from, such as my.txt", "--help")),
        (["storis"], ("Did you mean stories",)),
        (["empty"], ("holds no run to continue", "python -m core.train my.txt --out my-model")),
        (["short.txt"], ("--context 64 needs at least 650", "Take a longer text, or choose --context ")),
        (["two.txt"], ("the text has 1 token; --context 64 needs at least 650",)),
        (["my.txt", "--out", "done"], ("--out done holds a finished model: choose another --out",)),
        (["my.txt", "--device", "cuda"], ("--device cuda is not on this machine; there is cpu",)),
        (["my.txt", "--seed", str(2**32)], ("--seed must be from 0 to 4,294,967,295, not 4,294,967,296",)),
        (["my.txt", "your.txt"], ("unrecognized arguments: your.txt", "join several files into one", "--help")),
        (["my.txt", "--lr", "3"], ("unrecognized arguments: --lr 3", "--help")),
        (["tiny-shakespeare"], ("downloaded first, in the app's Training studio",)),
    ],
)
def test_what_is_wrong_with_a_training_is_told_with_what_to_do(
    arguments: list[str], words: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    """Fault: a short text gave two different minimums; other messages named no flag or no next step."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "data"))
    (tmp_path / "empty").mkdir()
    (tmp_path / "short.txt").write_text("Tom and Mia played near the big tree. " * 10)
    (tmp_path / "two.txt").write_text("hi")
    shutil.copytree(generating.SHIPPED_MODELS / "stories", tmp_path / "done")
    code, said = told(training.main, arguments, capsys)
    assert code in (1, 2) and all(one in said for one in words) and not INTERNAL.search(said), said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["stories", "One", "day"], ("unrecognized arguments: day", 'between quotes: "Once upon a time"')),
        (["storys", "One day"], ("Did you mean stories",)),
        (["my.txt", "One day"], ("my.txt is a file, and a model is a folder",)),
        (["pointer", "One day"], ("model.safetensors is a git-lfs pointer", "run `git lfs pull` in pointer")),
        (["stories", "One day", "--greedy", "--seed", "3"], ("--seed", "greedy decoding doesn't use it: leave it out")),
        (["stories", "One day", "--stop", "the end"], ("tokens of this model: one token is needed, such as",)),
    ],
)
def test_what_is_wrong_with_writing_is_told_with_what_to_do(
    arguments: list[str], words: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shutil.copytree(generating.SHIPPED_MODELS / "stories", tmp_path / "pointer")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 548105171\n"
    (tmp_path / "pointer" / "model.safetensors").write_text(pointer)
    code, said = told(generating.main, arguments, capsys)
    assert code in (1, 2) and all(one in said for one in words) and not INTERNAL.search(said), said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gpt2"], ("no model, exhibit or folder 'gpt2' here", "`hf download OWNER/MODEL --local-dir FOLDER`")),
        (["heads"], ("heads is a room: name one of its exhibits, heads.", "heads.one-head")),
        (["lesson"], ("Did you mean lessons",)),
        (["lessons/inducton"], ("There is no lesson 'inducton'. Did you mean induction?",)),
        (["my.txt"], ("my.txt is a file, and a model is a folder",)),
        (["stories", "--set", "layer=1"], ("--set layer: of a model's page only the text can be set",)),
    ],
)
def test_what_is_wrong_with_an_export_is_told_with_what_to_do(
    arguments: list[str], words: tuple[str, ...], text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`--set layer=1` changed nothing on a model's page, silently; an unknown name gave a hint to ask for help."""
    monkeypatch.setattr(sys, "argv", ["export", *arguments, "--out", "page.html"])
    with pytest.raises(SystemExit) as end:
        exporting.main()
    said = str(end.value.code)
    assert all(one in said for one in words) and not INTERNAL.search(said), said
    assert not (tmp_path / "page.html").exists()


def test_an_experiment_that_isnt_there_is_told_with_one_that_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["experiment", "inducton"])
    code, said = told(lambda _: experiments.main(), [], capsys)
    assert code == 2 and "no experiment 'inducton'. Did you mean induction? --help lists all" in said


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        (FlagRange(1, 10_000_000), 0, "--steps must be from 1 to 10,000,000, not 0"),
        (FlagRange(0, is_open=True), 0.0, "--steps must be more than 0, not 0"),
        (FlagRange(0, 1e6), -0.5, "--steps must be from 0 to 1,000,000, not -0.5"),
        (FlagRange(0, 1, is_open=True), 1.0, "--steps must lie between 0 and 1, not 1"),
        (FlagRange(1), -(10**20), "--steps must be at least 1, not -100,000,000,000,000"),
    ],
)
def test_a_number_out_of_its_limits_is_told_as_it_was_typed(limit: FlagRange, value: float, said: str) -> None:
    """`--steps 0 must be from 1 to 10,000,000` and `1,000,000.0` read oddly."""
    with pytest.raises(ValueError) as error:
        flag_limits(argparse.Namespace(steps=value), {"steps": limit})
    assert str(error.value) == said


def test_limits_and_names() -> None:
    assert FlagRange(0, 1, is_open=True).allows(0.5) and not FlagRange(0, 1, is_open=True).allows(1)
    assert FlagRange(0, is_open=True).allows(float("inf")) and not FlagRange(0).allows(float("nan"))
    assert message_with_cli_flags("n_step=0 must be at least 1", {"n_step": "steps"}) == "--steps 0 must be at least 1"
    assert message_with_cli_flags("seeds are fine, seed=-1 not", {"seed": "seed"}) == "seeds are fine, --seed -1 not"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_is_only_drawn_on_a_terminal_and_cleared_before_a_line() -> None:
    pipe, terminal = io.StringIO(), Terminal()
    for stream in (pipe, terminal):
        bar = TerminalProgressBar(stream)
        bar.clear()
        bar.show(30, 120, 75.2)
        bar.clear()
    assert pipe.getvalue() == ""
    assert terminal.getvalue() == "\r\x1b[K[######..................] 30 of 120, 1 min 15 s left\r\x1b[K"
    assert [_format_duration(n) for n in (-1, 59.4, 61, 7300)] == ["0 s", "59 s", "1 min 1 s", "2 h 1 min"]


def test_training_shows_its_progress_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my.txt").write_text(write_stories(60, 0))
    terminal = Terminal()
    monkeypatch.setattr(training, "SLICE_SECONDS", 1e-9)
    monkeypatch.setattr(progress, "MIN_SECONDS", 0.0)
    size = ["--layers=1", "--heads=1", "--width=16", "--context=16", "--tokenizer=char", "--device=cpu"]
    arguments = [str(tmp_path / "my.txt"), "--out", str(tmp_path / "out"), "--steps=4", *size]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        assert training.main(arguments) == 0
    assert re.search(r"\] 1 of 4, \d+ s left", terminal.getvalue()) and terminal.getvalue().endswith("\r\x1b[K")
    assert "of 4, " not in capsys.readouterr().out
