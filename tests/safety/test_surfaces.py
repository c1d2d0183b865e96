"""T1: whatever is typed, uploaded or found in a file is taken, or refused in plain words within five seconds.

Each surface gets the whole hand-made set and as many cases that are made from it by chance. Here are the surfaces that
need no page; pages and requests over HTTP are in `test_pages.py` and `test_server.py`.
"""

import json
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.data import corpora, tokenizers
from core.data.csv_export import _csv_safe
from core.data.files import safe_name, write_atomic
from core.data.images.picture_file import open_picture
from core.data.printable import printable_text
from core.data.tokenizers import published_tokenizer
from core.jobs.runs import clean_display_name
from core.lessons.format import catalog
from core.lessons.format.lesson import LessonRefused
from core.models.pretrained import ImportRefused, load
from core.train import checkpoint, experiment
from core.ui.models.user_models import OpenedModels
from core.ui.text_formatting import clean_text, escape_markdown, quote_briefly
from tests import tiny_model
from tests.counts import IS_FULL, count, tally
from tests.safety.hostile import FILES, NAMES, TEXTS, VALUES, as_bytes

MOST_SECONDS = 5.0
# What a person would not understand: the names of errors, of modules and of places in the code.
NO_WORDS = re.compile(
    r"Traceback|\w+Error\b|Exception|codec|0x[0-9a-f]{6}|\.py\b|NoneType|<class|<built-in|site-packages"
)


def plain(refusal: Exception) -> None:
    """Whether a refusal is one that a person can read."""
    words = str(refusal)
    quoted = re.sub(r"['\"“‘].*?['\"”’]", "", words, flags=re.DOTALL)  # what was sent may stand there in quotes
    assert len(words) > 10, words
    assert not NO_WORDS.search(quoted), words[:300]


def varied(files: list[bytes], number: int, seed: int = 0) -> Iterator[bytes]:
    """Files made from these by chance: bytes changed, parts cut out, swapped, repeated."""
    rng = random.Random(seed)
    short = [one[:4000] for one in files]
    for _ in range(number):
        one = bytearray(rng.choice(short))
        for _ in range(rng.randrange(1, 6)):
            at, more = rng.randrange(len(one) + 1), rng.choice(short)
            way = rng.randrange(4)
            if way == 0 and one:
                one[min(at, len(one) - 1)] = rng.randrange(256)
            elif way == 1:
                del one[at : at + rng.randrange(200)]
            elif way == 2:
                one[at:at] = more[: rng.randrange(1, 400)]
            else:
                one[at:at] = one[:at][: rng.randrange(1, 300)]
        yield bytes(one)


def run(surface: str, take: Callable[[bytes], object], refused: type[Exception], more: list[bytes]) -> None:
    """Give the surface every case; `more` are files that it takes, to be varied."""
    cases = [(name, data) for name, data in FILES.items()]
    made = varied([*FILES.values(), *more * 40], count(30, 1_000))
    n_refused, slowest, total = 0, 0.0, 0
    for name, data in [*cases, *((f"made {n}", one) for n, one in enumerate(made))]:
        start = time.thread_time()  # of ours, whatever else the machine does
        try:
            take(data)
        except refused as refusal:
            n_refused += 1
            plain(refusal)
        seconds = time.thread_time() - start
        assert seconds < MOST_SECONDS or not IS_FULL, f"{name}: {seconds:.1f} s"
        slowest, total = max(slowest, seconds), total + 1
    assert n_refused > 0
    tally(f"T1 {surface}", cases=total, refused=n_refused, unforeseen=0, slowest_s=round(slowest, 2))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder with a model and its tokenizer."""
    return tiny_model.write(tmp_path / "model", "char", n_layer=1, d_model=8, n_head=1)


def test_there_are_enough() -> None:
    assert len(FILES) >= 120 and len(NAMES) >= 200


def test_texts(tmp_path: Path) -> None:
    known = "Anna had a ball. The quick brown fox."
    kinds = [tokenizers.train_tokenizer(kind, known * 20, 300) for kind in ("char", "word", "bpe")]
    made = (
        data.decode("utf-8", "surrogateescape")
        for data in varied(list(map(as_bytes, TEXTS.values())), count(30, 1_000))
    )
    cases = [*TEXTS.values(), *VALUES, *NAMES, *made]
    for text in cases:
        start = time.thread_time()
        cleaned = clean_text(text, 1_000)
        for problem in cleaned.problems:
            problem.encode("utf-8")
        for tokenizer in kinds:
            ids = tokenizer.encode(cleaned.text)
            shown = [*tokenizer.tokens(ids), tokenizer.decode(ids), *map(printable_text, tokenizer.tokens(ids))]
            "".join(map(escape_markdown, shown)).encode("utf-8")
        for safe in (escape_markdown(text), quote_briefly(text), str(_csv_safe(text))):
            assert isinstance(safe, str)
        assert time.thread_time() - start < MOST_SECONDS or not IS_FULL, text[:80]
    tally("T1 text box", cases=len(cases), unforeseen=0)


def test_own_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    run(
        "own text",
        lambda data: corpora.load(corpora.store_user_text("a", data)),
        corpora.CorpusRefused,
        [b"Some words. " * 60],
    )


def test_pictures() -> None:
    from PIL import Image

    run(
        "picture",
        lambda data: open_picture(data, "a.png"),
        ValueError,
        [_picture(Image, kind) for kind in ("PNG", "JPEG", "GIF")],
    )


def _picture(image: object, kind: str) -> bytes:
    import io

    file = io.BytesIO()
    image.new("RGB", (9, 7), "red").save(file, kind)  # type: ignore[attr-defined]
    return file.getvalue()


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_model_files(model: Path, file: str) -> None:
    good = (model / file).read_bytes()

    def take(data: bytes) -> None:
        (model / file).write_bytes(data)
        load(model)

    run(file, take, ImportRefused, [good])
    assert not Path("exploded").exists()


def test_tokenizer_files(model: Path, tmp_path: Path) -> None:
    """Ours, and those of others: tokenizer.json, vocab.txt, vocab.json with merges.txt."""
    from tokenizers import Tokenizer, models, trainers

    theirs = Tokenizer(models.BPE())
    theirs.train_from_iterator(["Anna had a ball"], trainers.BpeTrainer(vocab_size=60, special_tokens=["<unk>"]))
    own = (model / "tokenizer.json").read_bytes()
    folder = tmp_path / "foreign"
    folder.mkdir()

    def take(data: bytes) -> None:
        for name in ("tokenizer.json", "vocab.txt", "merges.txt"):
            for old in folder.iterdir():
                old.unlink()
            (folder / name).write_bytes(data)
            if name == "merges.txt":
                (folder / "vocab.json").write_bytes(b'{"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3}')
            try:
                found = published_tokenizer.load_any_tokenizer(folder)
                if found is not None:
                    found.tokens(found.encode("Anna had\U0001f600 a"))
            except ValueError as refusal:
                plain(refusal)
        raise ValueError("looked at under each name")

    run("tokenizer", take, ValueError, [own, theirs.to_str().encode(), b"[UNK]\na\nb\n", b"#version: 0.2\na b\n"])


def test_names(tmp_path: Path) -> None:
    made = [data.decode("utf-8", "replace") for data in varied([as_bytes(name) for name in NAMES], count(30, 1_000))]
    cases = [*NAMES, *VALUES, *made, *(text[:100_000] for text in TEXTS.values())]
    for name in cases:
        for shown in (clean_display_name(name, "Run"), safe_name(name)):
            assert 0 < len(shown) <= 60 and "\n" not in shown and "\0" not in shown and "\u202e" not in shown
        write_atomic(tmp_path / "names" / safe_name(name), b"a")
        assert catalog.lesson_slug(name).isprintable() or True
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path / "names"}
    tally("T1 names", cases=len(cases), unforeseen=0)


def test_lessons() -> None:
    good = next((catalog.LESSON_FOLDER).glob("*.md")).read_bytes()

    def take(data: bytes) -> None:
        try:
            catalog._check_lesson_text(data.decode("utf-8", "replace"), "a-lesson")
        except LessonRefused as refused:
            for problem in refused.problems:
                plain(ValueError(problem.message))
                assert problem.line >= 1
            raise ValueError("refused by line") from None

    run("lesson", take, ValueError, [good, good[:2000], good[-3000:]])


def test_saved_runs(tmp_path: Path) -> None:
    """A checkpoint, the record of an experiment, and a model that was opened, as a crash or a stranger left them."""
    import torch

    checkpoint.write_checkpoint(tmp_path, {"a": torch.ones(3)}, {"step": 1})
    good = (tmp_path / checkpoint.CHECKPOINT_FILE).read_bytes()
    record = next(experiment.EXAMPLE_FOLDER.glob("*.safetensors")).read_bytes()[:100_000]
    opened = OpenedModels(tmp_path / "opened")
    folder = tmp_path / "opened" / ("a" * 32) / ("o" + "b" * 16)
    folder.mkdir(parents=True)
    about = json.dumps({"name": "a", "origin": "upload", "added": 1.0}).encode()

    def take(data: bytes) -> None:
        for name in ("about.json",):
            (folder / name).write_bytes(data)
        opened.list_models("a" * 32)
        (tmp_path / checkpoint.CHECKPOINT_FILE).write_bytes(data)
        for read in (lambda: checkpoint.read_checkpoint(tmp_path), lambda: experiment.unpack_record(data)):
            try:
                read()
            except ValueError as refusal:
                plain(refusal)
        raise ValueError("looked at as each")

    run("saved run", take, ValueError, [good, record, about])
    shutil.rmtree(folder)
