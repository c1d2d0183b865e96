"""Weights for the browser go with the run, or the opened model, that they are of."""

import ast
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from core.browser import weights
from core.browser.weights import training_film_url
from core.classroom.race import runs as race_runs
from core.data.files import data_dir
from core.inspect.model_inputs.model_key import SHIPPED_MODELS, ModelKey, ModelUnreadable
from core.jobs.admission import AdmittedRun
from core.jobs.store import RunStore
from core.ui.models.user_models import OpenedModels
from core.ui.server import server

STORIES = SHIPPED_MODELS / "stories"
OWNER = "0" * 32


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "data"))


@pytest.fixture
def store() -> RunStore:
    return RunStore(data_dir() / "runs", examine=lambda _: AdmittedRun("Stories", 1, 1))


def statuses(*addresses: str) -> set[int]:
    client = TestClient(Starlette(routes=[Route("/weights/{name}", server._weights_answer)]))
    return {client.get(f"/{one}").status_code for one in addresses}


def run_of(store: RunStore, owner: str) -> ModelKey:
    """A run with the weights and the film of a model that ships."""
    run_id = store.create(owner, {}, 0)
    shutil.copytree(STORIES, store.folder(run_id), ignore=shutil.ignore_patterns("frames"))
    shutil.copytree(STORIES / "frames", store.folder(run_id).parent / "frames")
    return ModelKey.of("run", run_id, store.folder(run_id))


def opened(owner: str) -> ModelKey:
    """An opened model with the same weights."""
    files = {name: (STORIES / name).read_bytes() for name in ("config.json", "model.safetensors", "tokenizer.json")}
    one = OpenedModels(data_dir() / "opened").add_files(owner, "stories", files)
    return ModelKey.of("opened", one.id, one.folder)


def offered(key: ModelKey) -> list[str]:
    told, film = weights.offer_weights(key), training_film_url(key)
    assert told is not None
    return [told["url"], *([film] if film else [])]


def test_weights_go_with_their_run_and_no_other(store: RunStore) -> None:
    """Fault: a copy under a digest, still served when the run or the class is deleted; or one copy for equal runs."""
    mine, others = run_of(store, "ann"), run_of(store, "ben")
    racer = run_of(store, "class-ABCDEF-1-x")
    kept = [*offered(others), *offered(ModelKey.at("stories")), *offered(opened(OWNER))]
    gone = offered(mine)
    assert len(gone) == 2 and statuses(*kept, *gone) == {200}
    store.delete(mine.name, "ann")
    assert statuses(*gone) == {404} and statuses(*kept) == {200}
    of_class = offered(racer)
    assert statuses(*of_class) == {200}
    race_runs.delete_race_runs("ABCDEF")
    assert statuses(*of_class) == {404} and statuses(*kept) == {200}
    names = [Path(one).name for one in gone + of_class]
    assert not [path for path in data_dir().rglob("*") if path.name in names]


def test_weights_go_with_the_opened_model() -> None:
    """Fault: the same for a learner's upload."""
    mine, others = opened(OWNER), opened("1" * 32)
    gone, kept = offered(mine), offered(others)
    assert statuses(*gone) == statuses(*kept) == {200}
    OpenedModels(data_dir() / "opened").remove(mine.name, OWNER)
    assert statuses(*gone) == {404} and statuses(*kept) == {200}


def test_what_is_deleted_is_not_offered_again(store: RunStore) -> None:
    """Fault: the model is still in memory, and its weights are written once more."""
    mine = run_of(store, "ann")
    offered(mine)
    store.delete(mine.name, "ann")
    with pytest.raises(ModelUnreadable, match="no longer there"):
        weights.offer_weights(mine)
    assert not list(data_dir().rglob("*.safetensors"))


def test_a_run_deleted_while_its_weights_are_written_leaves_none(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: a folder that the write makes again, with nothing in it but the copy."""
    mine = run_of(store, "ann")

    def late(path: Path, content: bytes, write: Callable[[Path, bytes], None] = weights.write_atomic) -> None:
        store.delete(mine.name, "ann")
        write(path, content)

    monkeypatch.setattr(weights, "write_atomic", late)
    with pytest.raises(ModelUnreadable, match="no longer there"):
        weights.offer_weights(mine)
    assert not list(data_dir().rglob("*.safetensors"))


def test_all_of_them_together_have_one_limit(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: files next to their runs that no limit counts."""
    first = [*offered(run_of(store, "ann")), *offered(opened(OWNER))]
    monkeypatch.setattr(weights, "MAX_STORED_BYTES", 1)
    weights.offer_weights(run_of(store, "ben"))
    assert statuses(*first) == {404}


@pytest.mark.parametrize("of", ["o*", "*", "..", "o..", "0123456789abcde?", "o0123456789abcde*", "ＡＢ"])
def test_an_id_names_one_folder(store: RunStore, of: str) -> None:
    """Fault: a pattern for an id, which finds the weights of another."""
    address = weights.offer_weights(run_of(store, "ann"))
    assert address is not None
    digest = address["url"].rpartition("-")[2]
    assert weights.find_weights(f"{of}-{digest}") is None and weights.find_weights(digest) is None


def test_rooms_say_whose_weights_they_offer() -> None:
    """Fault: a room that offers the model of a visitor's run as one that nobody deletes."""
    calls = [
        (path.name, call)
        for path in (Path(weights.__file__).parents[1] / "rooms").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "export_model_for_browser"
    ]
    assert calls
    assert not [name for name, call in calls if "of" not in {one.arg for one in call.keywords}]
