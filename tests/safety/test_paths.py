"""T4 and T13: names that want to be paths stay names, and no pattern can be made to think for long."""

import ast
import gc
import random
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from core.data import corpora
from core.data.files import safe_name, write_atomic
from core.jobs.runs import RunNotFound
from core.jobs.store import RunStore
from core.lessons.format import catalog
from core.models.imports.model_folder_reader import ModelFolder
from core.models.imports.weights_file import ImportRefused
from core.train import experiment
from core.ui.models import model_file_checks
from core.ui.models.model_file_checks import OpeningRefused
from core.ui.models.upload_drafts import UploadDrafts
from core.ui.models.upload_limits import upload_limits
from core.ui.models.user_models import OpenedModelNotFound, OpenedModels
from core.ui.server import assets
from tests.counts import count, tally
from tests.library.learning.fake_supervisor import examine
from tests.safety.hostile import NAMES, PAYLOADS, TEXTS

ROOT = Path(__file__).resolve().parents[2]
OWNER = "a" * 32
ENGLISH = "It was a quiet morning, and nobody knew what the day would bring. " * 20
REFUSALS = (
    corpora.CorpusRefused,
    ValueError,
    LookupError,
    OpenedModelNotFound,
    OpeningRefused,
    RunNotFound,
    ImportRefused,
    OSError,
)
WRITES = {"os.mkdir", "os.rename", "os.symlink", "os.link", "os.remove", "os.rmdir", "sqlite3.connect", "shutil.rmtree"}
MOST_SECONDS = 0.1  # of a pattern on 100,000 characters
WAYS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"}


def fields(folder: Path) -> dict[str, Callable[[str], Any]]:
    """Everything in the app that makes a path of a name that somebody gives."""
    opened, store = OpenedModels(folder / "opened"), RunStore(folder / "runs", examine)
    drafts = UploadDrafts(opened, upload_limits(is_own_machine=False))
    run = store.create("ann", {"n_step": 1}, 0)
    files = {"config.json": b"{}", "model.safetensors": b"x"}

    def open_one(name: str) -> None:
        opened.remove(opened.add_files(OWNER, name, files).id, OWNER)

    return {
        "name of a text": lambda name: corpora.load(corpora.store_user_text(name, ENGLISH)),
        "key of a text": corpora.load,
        "name of a model": open_one,
        "id of a model": lambda name: opened.get(name, OWNER),
        "removed model": lambda name: opened.remove(name, OWNER),
        "folder of a model": lambda name: opened.add_folder(OWNER, name, lambda path: 1 / 0),
        "owner of a model": lambda name: opened.add_files(name, "a", files),
        "file of a model": lambda name: model_file_checks.recognize_model_file(name),
        "file of an upload": lambda name: (drafts.begin(OWNER, name, 0).keep(), drafts.remove(OWNER, name)),
        "owner of an upload": lambda name: drafts.begin(name, "config.json", 0),
        "file of an index": lambda name: ModelFolder(folder).file(name).read_bytes(),
        "name of a run": lambda name: store.rename(run, "ann", name),
        "id of a run": lambda name: (store.record_path(name), store.folder(name), store.log_path(name)),
        "deleted run": lambda name: store.delete(name, "ann"),
        "name of an experiment": lambda name: experiment.make_experiment(name, {}, 0),
        "lesson": lambda name: (
            (catalog.lesson_slug(name), catalog.lesson_files().get(name)) if len(name) < 40 else None
        ),
        "file of the house": lambda name: [assets.find_asset(kind, name) for kind in ("fonts", "widgets")],
        "download": lambda name: write_atomic(folder / "downloads" / safe_name(name), b"a"),
    }


def test_no_name_leads_out_of_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "secret.safetensors").write_text("secret")
    monkeypatch.setenv("GLASSFORMER_DATA", str(folder))
    monkeypatch.chdir(folder)
    touched: list[str] = []
    watching = False

    def note(event: str, args: tuple[Any, ...]) -> None:
        if not watching:
            return
        is_write = event == "open" and isinstance(args[2], int) and bool(args[2] & 0o103)
        if (is_write or event in WRITES) and isinstance(args[0], str | bytes | Path):
            touched.extend(str(one) for one in args[:2] if isinstance(one, str | Path))

    sys.addaudithook(note)
    given, names = fields(folder), NAMES[:: count(5, 1)]
    for field, take in given.items():
        for name in names:
            watching = True
            with suppress(*REFUSALS, ZeroDivisionError):
                found = take(name)
                if field == "file of an index":
                    assert b"secret" not in found, name
                if field == "file of the house":
                    assert all(path is None or ROOT / "assets" in path.parents for path in found), name
            watching = False
    paths = {Path(one) if one.startswith("/") else folder / one for one in touched if "/" in one}
    outside = {path for path in paths if folder not in path.resolve().parents and path.resolve() != folder}
    assert outside == set()
    assert {path.name for path in tmp_path.iterdir()} == {"data", "secret.safetensors"}
    assert not [path for path in folder.rglob("*") if path.is_symlink()]
    tally("T4", names=len(names), fields=len(given), paths_written=len(paths), outside=0)


def patterns() -> dict[str, tuple[re.Pattern[str], set[str]]]:
    """Every regular expression that stands in the code as a text, and the ways in which it is used there."""
    found: dict[str, tuple[re.Pattern[str], set[str]]] = {}
    for path in [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        code = path.read_text(encoding="utf-8")
        if "re." not in code:
            continue
        tree = ast.parse(code)
        names = {
            id(node.value): node.targets[0].id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
                continue
            first = node.args[0]
            parts = first.values if isinstance(first, ast.JoinedStr) else [first]
            # A letter stands in place of what is filled in.
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "a" for one in parts)
            ways = {node.func.attr}
            if ways == {"compile"} and id(node) in names:
                ways = set(re.findall(rf"\b{names[id(node)]}\.(\w+)\(", code))
            with suppress(re.error):
                found[f"{path.relative_to(ROOT)}: {text}"] = re.compile(text), (ways & WAYS or {"match", "fullmatch"})
    return found


def attacks(n: int) -> list[str]:
    """Texts of n characters on which a careless pattern goes back and forth."""
    base = ["a", " ", "0", "\n", "_", ".", "-", "/", "#", "a ", "1.", "aA", "\\", "$", "`", "[", "(", "a=", ",a", "é",
            "::", "```\n", "\t", "'", '"', "{", "a-", "0x", "[[", "](", "a.b", "{a}", "<a", "%20", "e1", " \n", "=a,",
            "==", "a:"]  # fmt: skip
    texts = [(one * n)[:n] + end for one in base for end in ("!", "\0")]
    texts += [text * (n // max(len(text), 1)) for text in (*PAYLOADS[:6], *list(TEXTS.values())[15:20])]
    return texts


@pytest.mark.full
def test_no_pattern_thinks_for_long() -> None:
    found = patterns()
    assert len(found) > 30
    texts = attacks(100_000)
    if len(texts) > (most := count(12, 100)):
        texts = random.Random(0).sample(texts, most)
    slowest = 0.0
    for where, (pattern, ways) in found.items():
        for text in texts:
            for part in (text[:3_000], text):  # who is slow on the short one is not given the long one
                for way in ways:
                    use = getattr(pattern, way)
                    gc.disable()  # many small finds would start a walk over all that other tests have made
                    start = time.thread_time()
                    _ = use("", part) if way in ("sub", "subn") else use(part)
                    seconds = time.thread_time() - start
                    gc.enable()
                    if way == "finditer":
                        _ = list(use(part))
                    assert seconds < MOST_SECONDS, f"{where}: {seconds:.2f} s to {way} {len(part)} of {text[:20]!r}"
                    slowest = max(slowest, seconds)
    tally("T13 patterns", patterns=len(found), texts=len(texts), slowest_ms=round(slowest * 1000))
