"""The store of opened models: taken in whole or not at all, never outside of its folder, each owner's alone."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from core.exhibit import count_array_bytes, memoize
from core.models import pretrained, registry
from core.models.imports import published
from core.rooms.captions.experiments import captions
from core.rooms.multiscale.experiments import scales
from core.ui.models import user_models
from core.ui.models.model_description import describe_layers_and_heads
from core.ui.models.model_file_checks import OpeningRefused, clean_model_name, model_folder_at, recognize_model_file
from core.ui.models.picker import TITLES
from core.ui.models.user_models import OpenedModelNotFound, OpenedModels
from core.ui.server.identity.visitor import _is_local_only
from tests import tiny_model

ANNA, BEN = "a" * 32, "b" * 32
HOSTILE = [
    "../../../etc", "..\\..\\windows", "/etc/passwd", "C:\\Windows", "\\\\evil\\share", "//evil/share", "~root",
    "a\0b", "x" * 5_000, "CON", "nul.txt", "/proc/self", "/dev/zero", "/proc/self/fd", "file:///etc", "http://evil",
    "$HOME", "`id`", "; ls", "\u202etxt", "\ud800", "", "   ", ".", "..", "/", "/\u0000", "\n", "é" * 400, "*", "|",
]  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("source") / "tiny")


@pytest.fixture
def store(tmp_path: Path) -> OpenedModels:
    return OpenedModels(tmp_path / "opened")


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_upload_comes_back_as_it_was(store: OpenedModels, source: Path) -> None:
    one = store.add_files(ANNA, "my model", files_of(source), pretrained.load)
    assert clean_model_name("\u202etxt\n" * 99).isprintable() and clean_model_name(" \0") == "unnamed"
    assert (one.name, one.origin, one.owner) == ("my model", "upload", ANNA)
    assert [path.name for path in (store.root / ANNA).iterdir()] == [one.id]
    for name, content in files_of(source).items():
        assert (one.folder / name).read_bytes() == content
    assert one.n_byte >= sum(map(len, files_of(source).values()))
    assert store.list_models(ANNA) == [one] and store.list_models(BEN) == []
    assert store.get(one.id, BEN) == one  # a link to somebody else's upload works for looking


def test_a_folder_is_remembered_for_its_owner_alone(store: OpenedModels, source: Path) -> None:
    one = store.add_folder(ANNA, str(source), pretrained.load)
    assert one.folder == source and one.n_byte == 0
    assert tree(store.root) == [f"{ANNA}/{one.id}/about.json"]
    assert store.get(one.id, ANNA) == one
    for other in (BEN, None):
        with pytest.raises(OpenedModelNotFound):
            store.get(one.id, other)
    assert store.add_folder(ANNA, f'  "{source}/"  ').id == one.id  # once is enough
    store.remove(one.id, ANNA)
    assert source.is_dir() and store.list_models(ANNA) == []


def test_only_the_owner_removes(store: OpenedModels, source: Path) -> None:
    one = store.add_files(ANNA, "x", files_of(source))
    with pytest.raises(OpenedModelNotFound):
        store.remove(one.id, BEN)
    store.remove(one.id, ANNA)
    with pytest.raises(OpenedModelNotFound):
        store.get(one.id, ANNA)
    assert tree(store.root) == []


def test_what_a_killed_server_left_goes_in_time(store: OpenedModels, source: Path) -> None:
    one = store.add_files(ANNA, "x", files_of(source))
    for name, age in ((".new-old", 4 * 24 * 3600), (".hub-young", 24 * 3600)):
        left = store.root / ANNA / name
        left.mkdir()
        os.utime(left, (time.time() - age,) * 2)
    two = store.add_files(ANNA, "y", files_of(source))
    assert {path.name for path in (store.root / ANNA).iterdir()} == {one.id, two.id, ".hub-young"}


def test_what_is_refused_leaves_nothing_behind(store: OpenedModels, source: Path) -> None:
    files = files_of(source)
    bad = [
        {},
        {"config.json": b"{}"},
        {"model.safetensors": files["model.safetensors"]},
        files | {"pytorch_model.bin": b"x"},
        files | {"../../evil": b"x"},
    ]
    for one in bad:
        with pytest.raises(OpeningRefused):
            store.add_files(ANNA, "x", one, pretrained.load)
    for name, content in (("config.json", b"[]"), ("model.safetensors", b"\x80\x04K\x01."), ("tokenizer.json", b"{")):
        with pytest.raises(pretrained.ImportRefused):
            store.add_files(ANNA, "x", files | {name: content}, pretrained.load)
    assert tree(store.root) == []

    def fails(folder: Path) -> None:
        (folder / "half").write_bytes(b"x")
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        store.add_download(ANNA, "x", 1, fails)
    assert tree(store.root) == [] and not any(path.name.startswith(".") for path in store.root.rglob("*"))


@pytest.mark.parametrize("path", HOSTILE)
def test_no_path_opens_anything_but_a_models_folder(path: str, store: OpenedModels) -> None:
    with pytest.raises(OpeningRefused) as refused:
        store.add_folder(ANNA, path, pretrained.load)
    told = str(refused.value)
    assert "root" not in told and "Errno" not in told and len(told) < 200
    assert tree(store.root) == [] if store.root.exists() else True


def test_a_missing_folder_and_a_forbidden_one_get_the_same_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("secret")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "empty" / "config.json")
    told = set()
    for name in ("missing", "file", "missing/deeper"):
        with pytest.raises(OpeningRefused) as refused:
            model_folder_at(str(tmp_path / name))
        told.add(str(refused.value))

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/secret/config.json")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_dir", forbidden)
        with pytest.raises(OpeningRefused) as refused:
            model_folder_at(str(tmp_path / "empty"))
        told.add(str(refused.value))
    assert len(told) == 1
    with pytest.raises(OpeningRefused, match=r"no config\.json"):  # a pipe is no file: reading it would wait for ever
        model_folder_at(str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("given", "found"),
    [("CONFIG.JSON", "config.json"), ("config (1).json", "config.json"), ("model(2).safetensors", "model.safetensors"),
     ("distilled-final.safetensors", "model.safetensors"), ("pytorch_model.bin", None), ("", None),
     ("model-00002-of-00003.safetensors", "model-00002-of-00003.safetensors"),
     ("model.safetensors.index.json", "model.safetensors.index.json")],
)  # fmt: skip
def test_what_an_uploaded_file_stands_for(given: str, found: str | None) -> None:
    assert recognize_model_file(given) == found


@pytest.mark.parametrize(
    ("address", "host", "header", "own"),
    [("127.0.0.1", "::1", "Host", True), ("localhost", "localhost", "Host", True), ("0.0.0.0", "::1", "Host", False),
     (None, "::1", "Host", False), ("127.0.0.1", "class.uni.example", "Host", False),
     ("127.0.0.1", "::1", "X-Forwarded-For", False), ("127.0.0.1", "::1", "Forwarded", False)],
)  # fmt: skip
def test_folders_are_for_who_sits_at_this_machine(address: str | None, host: str, header: str, own: bool) -> None:
    assert _is_local_only(address, ["localhost", host], {header: "localhost:8501"}) is own


def test_large_results_send_the_oldest_away_and_the_newest_stays() -> None:
    calls: list[int] = []

    @memoize(8, max_bytes=1_000)
    def zeros(n: int) -> dict[str, np.ndarray]:
        calls.append(n)
        return {"x": np.zeros(n, np.uint8)}

    for n in (400, 500, 401, 500, 400, 5_000, 5_000):  # 400 had to go; what is larger than all is still kept
        assert len(zeros(n)["x"]) == n
    assert calls == [400, 500, 401, 400, 5_000]
    assert count_array_bytes(({"a": np.zeros((2, 3), np.float32)}, "text", None)) == 24


def test_number_bytes_and_the_disk_are_bounded(
    store: OpenedModels, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = files_of(source)
    monkeypatch.setattr(user_models, "MAX_MODELS", 2)
    store.add_files(ANNA, "1", files)
    store.add_files(ANNA, "2", files)
    with pytest.raises(OpeningRefused, match="at most 2 are kept"):
        store.add_files(ANNA, "3", files)
    store.add_files(BEN, "1", files)
    store.limits = replace(store.limits, owner=1_000)
    with pytest.raises(OpeningRefused, match=r"at most .* are kept"):
        store.add_files(BEN, "2", files)
    store.limits = replace(store.limits, owner=10**9)
    monkeypatch.setattr(user_models, "LEAST_FREE", 10**18)
    with pytest.raises(OpeningRefused, match="must stay"):
        store.add_files(BEN, "2", files)


def test_the_list_of_models_knows_every_family_that_opens() -> None:
    assert published.KIND_OF.keys() == pretrained.FAMILIES.keys()
    assert set(published.KIND_OF.values()) <= registry.CONFIGS.keys()
    # All that is ours can be chosen, and is called something.
    assert TITLES.keys() == registry.CONFIGS.keys() | {published.CLASSIFIER_KIND}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("captions", "1 layer of 4 heads in the encoder and 2 layers in the decoder"),
        ("scales", "3 stages of 2 + 2 + 1 layers, with 2 + 2 + 4 heads"),
    ],
)
def test_a_folder_with_a_model_of_pictures_of_ours_opens(name: str, size: str, tmp_path: Path) -> None:
    config: Any = captions.config() if name == "captions" else scales.DIGITS_CONFIG
    model = registry.build(config)
    save_file(dict(model.named_parameters()), tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(registry.to_dict(config)))
    found = pretrained.load(tmp_path)
    assert found.config == config and found.tokenizer is None and describe_layers_and_heads(config) == size
    assert all(torch.equal(a, b) for a, b in zip(found.model.parameters(), model.parameters(), strict=True))
