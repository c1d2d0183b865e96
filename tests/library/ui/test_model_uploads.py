"""Files of a model over HTTP: to the disk, each owner's alone, within the limits; of what breaks off, nothing."""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from core.models import pretrained
from core.ui.models import upload_drafts as drafts_of
from core.ui.models.model_file_checks import OpeningRefused
from core.ui.models.upload_drafts import UploadDrafts
from core.ui.models.upload_limits import UploadLimits, upload_limits
from core.ui.models.user_models import OpenedModels
from core.ui.server import model_uploads
from core.ui.server.identity.anonymous_owner import COOKIE, _owner_id_of
from core.ui.server.security_middleware import SecurityMiddleware, SecurityRules
from tests import tiny_model
from tests.chromium import LONGEST_WAIT

ANNA, BEN = "a" * 32, "b" * 32  # the cookies
OURS = {"x-upload": "1", "cookie": f"{COOKIE}={ANNA}"}
HERE = "http://localhost:8501"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setattr(model_uploads, "upload_limits", lambda is_own: UploadLimits(1_000_000, 2_000_000, 5_000_000))
    return tmp_path


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = Starlette(
        routes=model_uploads.upload_routes(), middleware=[Middleware(SecurityMiddleware, rules=SecurityRules())]
    )
    with TestClient(app, base_url=HERE) as client:
        yield client


@pytest.fixture
def drafts(home: Path) -> UploadDrafts:
    return UploadDrafts(OpenedModels(home / "opened"), UploadLimits(1_000_000, 2_000_000, 5_000_000))


def put(client: TestClient, name: str, content: Any = b"x", **headers: str) -> tuple[int, str]:
    answer = client.put(f"/upload/{name}", content=content, headers=OURS | headers)
    return answer.status_code, answer.text


def everything(home: Path) -> list[str]:
    """All files, hidden ones too."""
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if not path.is_dir() or path.is_symlink())


def test_a_model_comes_file_by_file_and_opens_as_it_was_sent(
    client: TestClient, drafts: UploadDrafts, tmp_path: Path
) -> None:
    source, owner = tiny_model.write(tmp_path / "source"), _owner_id_of(ANNA)
    for file in sorted(source.iterdir()):
        assert put(client, file.name, file.read_bytes())[0] == 201
        if file.name == "config.json":
            with pytest.raises(OpeningRefused, match=r"no model\.safetensors"):
                drafts.open(owner, "too early", pretrained.load)
    assert drafts.files(owner) == {file.name: file.stat().st_size for file in sorted(source.iterdir())}
    one = drafts.open(owner, "mine", pretrained.load)
    assert (one.origin, one.owner) == ("upload", owner) and drafts.files(owner) == {}
    assert {file.name: file.read_bytes() for file in source.iterdir()} == {
        file.name: file.read_bytes() for file in one.folder.iterdir() if file.name != "about.json"
    }


def test_what_the_reader_refuses_stays_in_the_draft(client: TestClient, drafts: UploadDrafts, tmp_path: Path) -> None:
    source, owner = tiny_model.write(tmp_path / "source"), _owner_id_of(ANNA)
    files = {file.name: file.read_bytes() for file in source.iterdir()} | {"model.safetensors": b"\x80\x04K\x01."}
    for name, content in files.items():
        assert put(client, name, content)[0] == 201
    with pytest.raises(pretrained.ImportRefused, match="t a safetensors file"):
        drafts.open(owner, "mine", pretrained.load)
    assert drafts.files(owner).keys() == files.keys() and drafts.opened.list_models(owner) == []
    assert put(client, "model.safetensors", (source / "model.safetensors").read_bytes())[0] == 201  # and only that
    assert drafts.open(owner, "mine", pretrained.load).name == "mine"


@pytest.mark.parametrize(
    "name",
    ["pytorch_model.bin", "..%2f..%2fconfig.json", "%2e%2e/%2e%2e/config.json", "..%5cconfig.json", "a/config.json",
     "%2fetc%2fpasswd", "config.json%00.bin", "%00", ".draft", ".part-0", "about.json", "CON", "x" * 3_000, "%ff%fe",
     "model-00001-of-00002.safetensors%2f..%2fevil", "%E2%80%AEnosj.gifnoc", "<script>"],
)  # fmt: skip
def test_no_name_leads_anywhere(name: str, client: TestClient, home: Path) -> None:
    status, words = put(client, name)
    assert status == 413 and "is not a model file" in words and len(words) < 600
    client.delete(f"/upload/{name}", headers=OURS)
    assert everything(home) == []


def test_each_has_a_draft_of_ones_own(client: TestClient, drafts: UploadDrafts) -> None:
    put(client, "config.json", b"Anna's")
    ben = {"cookie": f"{COOKIE}={BEN}"}
    assert put(client, "config.json", b"Ben's own", **ben)[0] == 201
    assert client.delete("/upload/config.json", headers=OURS | ben).status_code == 204
    assert (
        drafts.files(_owner_id_of(BEN)) == {}
        and (drafts.folder(_owner_id_of(ANNA)) / "config.json").read_bytes() == b"Anna's"
    )


@pytest.mark.parametrize(
    "headers",
    [{"cookie": ""}, {"cookie": f"{COOKIE}=../../etc"}, {"origin": "http://evil.example"}, {"origin": "null"},
     {"origin": "http://localhost:9999"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
     {"x-upload": None}],
)  # fmt: skip
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_strangers_can_send_and_delete_nothing(
    method: str, headers: dict[str, Any], client: TestClient, drafts: UploadDrafts, home: Path
) -> None:
    put(client, "vocab.txt", b"here")
    before = everything(home)
    given = {name: value for name, value in (OURS | headers).items() if value is not None}
    place = "/upload" if method == "POST" else "/upload/config.json" if method == "PUT" else "/upload/vocab.txt"
    assert client.request(method, place, content=b"[]", headers=given).status_code == 403
    assert everything(home) == before


def test_sizes_are_announced_and_enforced(client: TestClient, drafts: UploadDrafts) -> None:
    assert put(client, "config.json", iter([b"a", b"b"]))[0] == 411  # chunked
    for lie in ("-1", "1e3", "9" * 20, ""):
        assert put(client, "config.json", b"a", **{"content-length": lie})[0] == 411
    status, words = put(client, "model.safetensors", bytes(1_000_001))
    assert status == 413 and "it may have 1 MB" in words
    assert put(client, "model.safetensors", bytes(1_000_000))[0] == 201
    for lie in (5, 11):  # more comes than was told; less
        status, words = put(client, "config.json", b"0123456789", **{"content-length": str(lie)})
        assert status == 413 and ("larger than" in words or "ended after" in words)
    assert drafts.files(_owner_id_of(ANNA)) == {"model.safetensors": 1_000_000}
    assert len(list(drafts.folder(_owner_id_of(ANNA)).iterdir())) == 1


def test_what_is_kept_of_one_learner_is_bounded_in_files_that_come_one_by_one_or_at_once(
    client: TestClient, drafts: UploadDrafts, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = [f"model-0000{n}-of-00003.safetensors" for n in (1, 2, 3)]
    assert [put(client, name, bytes(900_000))[0] for name in shards] == [201, 201, 413]
    assert put(client, shards[0], bytes(1_000_000))[0] == 201  # in place of the old one
    shutil.rmtree(home / "opened")
    started = drafts_of.UploadFileWriter.write

    def slowly(self: Any, data: bytes) -> None:
        time.sleep(0.2)  # all have begun meanwhile
        started(self, data)

    monkeypatch.setattr(drafts_of.UploadFileWriter, "write", slowly)
    with ThreadPoolExecutor(3) as pool:
        taken = [one.result()[0] for one in [pool.submit(put, client, name, bytes(900_000)) for name in shards]]
    assert taken.count(201) <= 2 and set(taken) <= {201, 413}
    assert sum(drafts.files(_owner_id_of(ANNA)).values()) <= 2_000_000
    assert not [name for name in everything(home) if ".part-" in name]


def test_no_more_come_at_once_than_may(drafts: UploadDrafts, home: Path) -> None:
    owner = _owner_id_of(ANNA)
    going = [drafts.begin(owner, f"model-0000{n}-of-00009.safetensors", 10) for n in range(drafts_of.MOST_AT_ONCE)]
    with pytest.raises(OpeningRefused, match="on their way already"):
        drafts.begin(owner, "config.json", 10)
    with pytest.raises(OpeningRefused, match="still on its way"):
        drafts.open(owner, "x", pretrained.load)
    drafts.begin(_owner_id_of(BEN), "config.json", 10).drop()
    for one in going:
        one.drop()
    assert everything(home) == []


def asked(client: TestClient, files: Any) -> Any:
    answer = client.post("/upload", content=files if isinstance(files, bytes) else json.dumps(files), headers=OURS)
    return answer.json() if answer.status_code == 200 else answer.status_code


def test_a_browser_is_told_before_it_sends(client: TestClient, home: Path) -> None:
    files = {"mine.safetensors": 5, "Config (1).JSON": 7, "model.safetensors": 900_000, "a.bin": 1,
             "model-00001-of-00001.safetensors": 10**6, "vocab.txt": 200_000, "vocab.json": 10**9}  # fmt: skip
    told = asked(client, list(files.items()))
    assert [one["name"] for one in told[:4]] == ["model.safetensors", "config.json", "model.safetensors", None]
    assert ["twice" in told[0]["refused"], *(one["refused"] for one in told[1:5])] == [True, "", "", "", ""]
    assert "at most 2 MB are kept" in told[5]["refused"] and "it may have 1 MB" in told[6]["refused"]
    for nonsense in (b"", b"{", b"{}", b"[1]", b'[["a"]]', b'[["a", -1]]', b'[["a", true]]', b'[["a", 1e99]]',
                     b"[" * 100_000, b'[["a", 1]]' * 3, json.dumps([["a", 1]] * 2_001).encode(), b"9" * 5_000,
                     ):  # fmt: skip
        assert asked(client, nonsense) in ([], 400), nonsense[:20]
    assert asked(client, bytes(model_uploads.MOST_QUESTION + 1)) == 413
    assert everything(home) == []


def request(*messages: dict[str, Any], length: int) -> list[Any]:
    """Return the route's responses to these messages; after the last nothing is sent."""
    route = next(one for one in model_uploads.upload_routes() if one.methods == {"PUT"})
    headers = [(name.encode(), value.encode()) for name, value in OURS.items()]
    scope = {"type": "http", "method": "PUT", "path": "/upload/config.json", "root_path": "", "query_string": b"",
             "path_params": {"name": "config.json"},
             "headers": [*headers, (b"content-length", str(length).encode())]}  # fmt: skip
    sent: list[Any] = []
    left = list(messages)

    async def receive() -> dict[str, Any]:
        if not left:
            await asyncio.sleep(60.0)
        return left.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(route.app(scope, receive, send))
    return sent


def part(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_broken_line_and_a_silent_one_leave_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_uploads, "BLOCK", 4)
    request(part(b"0123"), part(b"45"), {"type": "http.disconnect"}, length=100)
    assert everything(home) == []
    monkeypatch.setattr(model_uploads, "BLOCK_SECONDS", 0.05)
    sent = request(part(b"0123"), part(b"4"), length=100)
    assert sent[0]["status"] == 408 and everything(home) == []
    monkeypatch.setattr(model_uploads, "BLOCK_SECONDS", LONGEST_WAIT)
    sent = request(*[part(b"0123456789")] * 9, part(b"0123456789" * 2, more=False), length=100)
    assert sent[0]["status"] == 413 and (b"connection", b"close") in sent[0]["headers"] and everything(home) == []
    assert request(part(b"01"), part(b"2", more=False), length=3)[0]["status"] == 201  # and may be tried again


def test_a_full_disk_is_said_before_and_seen_while_writing(
    client: TestClient, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [10**10, 10**10, 10**8]
    usage: Callable[[Path], Any] = lambda _: SimpleNamespace(free=free.pop(0) if len(free) > 1 else free[0])  # noqa: E731
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", usage)
        patch.setattr(drafts_of, "LOOK_BYTES", 1)
        assert "has only 100 MB left" in put(client, "config.json", bytes(100))[1]  # between two blocks
        assert "must stay free" in put(client, "config.json", bytes(100))[1]

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    status, words = put(client, "config.json", bytes(100))
    assert status == 507 and "couldn't be written" in words and "device" not in words
    assert everything(home) == []


def test_links_are_followed_nowhere(client: TestClient, drafts: UploadDrafts, home: Path, tmp_path: Path) -> None:
    secret, owner = tmp_path / "secret", _owner_id_of(ANNA)
    secret.write_text("{}")
    put(client, "vocab.txt", b"a")
    (drafts.folder(owner) / "config.json").symlink_to(secret)
    (drafts.folder(owner) / "model.safetensors").symlink_to(secret)
    assert drafts.files(owner) == {"vocab.txt": 1}
    with pytest.raises(OpeningRefused, match=r"no config\.json"):
        drafts.open(owner, "x", pretrained.load)
    assert put(client, "config.json", b"mine")[0] == 201  # it takes the link's place
    assert secret.read_text() == "{}" and not (drafts.folder(owner) / "config.json").is_symlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(drafts.folder(owner))
    drafts.folder(owner).symlink_to(elsewhere)
    assert put(client, "config.json")[0] == 413 and list(elsewhere.iterdir()) == []


def test_what_a_killed_server_left_and_what_rests_goes(client: TestClient, drafts: UploadDrafts, home: Path) -> None:
    put(client, "config.json")
    put(client, "config.json", cookie=f"{COOKIE}={BEN}")
    now, folder = time.time(), drafts.folder(_owner_id_of(ANNA))
    for name, age in ((".part-old", drafts_of.STALL_SECONDS + 1), (".part-live", 1)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (now - age,) * 2)
    model_uploads.tidy_uploads()
    assert {path.name for path in folder.iterdir()} == {"config.json", ".part-live"}
    drafts.tidy(now + drafts_of.KEEP_SECONDS - 60)
    assert drafts.files(_owner_id_of(BEN)) == {"config.json": 1}
    drafts.tidy(now + drafts_of.KEEP_SECONDS + 60)
    assert list((home / "opened").iterdir()) == []


def test_the_server_takes_as_many_at_once_as_it_can(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_uploads, "MOST_AT_ONCE", 0)
    assert put(client, "config.json")[0] == 503


def test_limits_follow_the_machine_and_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (upload_limits(True).file, upload_limits(False)) == (2 * 10**9, UploadLimits(10**8, 2 * 10**8, 4 * 10**9))
    assert upload_limits(True).limit_for("tokenizer.json") == 40_000_000
    for text, mb in (("1500", 1_500), ("0", 100), ("-5", 100), ("x", 100), ("9" * 30, 100)):
        monkeypatch.setenv("GLASSFORMER_UPLOAD_MB", text)
        assert upload_limits(False).file == mb * 10**6
