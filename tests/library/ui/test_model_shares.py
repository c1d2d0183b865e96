"""Models on a server for others: a share for each address, whatever cookies it invents, and a time until they go."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.ui.models.model_file_checks import OpeningRefused
from core.ui.models.upload_drafts import UploadDrafts
from core.ui.models.upload_limits import UploadLimits
from core.ui.models.user_models import KEPT_DAYS, OpenedModels
from core.ui.server import model_uploads
from core.ui.server.identity.anonymous_owner import COOKIE, _owner_id_of
from tests.chromium import LONGEST_WAIT

MAY = UploadLimits(1_000, 2_000, 5_000)
HOME, ELSEWHERE = "203.0.113.7", "203.0.113.8"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server for others, behind one proxy."""
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setenv("GLASSFORMER_PROXIES", "1")
    monkeypatch.setattr(model_uploads, "upload_limits", lambda is_own: MAY)
    return tmp_path / "opened"


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=model_uploads.upload_routes())) as client:
        yield client


def sent(learner: int, address: str) -> dict[str, str]:
    return {"x-upload": "1", "cookie": f"{COOKIE}={learner:032x}", "x-forwarded-for": f"1.2.3.{learner}, {address}"}


def put(client: TestClient, learner: int, address: str, n_byte: int = 1_000) -> tuple[int, str]:
    answer = client.put("/upload/model.safetensors", content=bytes(n_byte), headers=sent(learner, address))
    return answer.status_code, answer.text


def test_thrown_away_cookies_share_what_their_address_may_have(client: TestClient, home: Path) -> None:
    """Fails where each new cookie gets room of its own (B10), or one address takes another's."""
    answers = [put(client, learner, HOME) for learner in range(8)]
    assert [status for status, _ in answers] == [201] * 5 + [413] * 3
    assert "from your network take 5 kB, and at most 5 kB are kept" in answers[-1][1]
    asked = client.post("/upload", content=b'[["config.json", 9]]', headers=sent(9, HOME)).json()
    assert "from your network" in asked[0]["refused"]
    assert put(client, 9, ELSEWHERE)[0] == 201
    assert client.delete("/upload/model.safetensors", headers=sent(0, HOME)).status_code == 204
    assert put(client, 7, HOME)[0] == 201
    assert HOME not in "".join(path.read_text(errors="replace") for path in home.rglob(".address"))


def test_opened_models_count_for_the_address_too(home: Path) -> None:
    files = {"config.json": b"{}", "model.safetensors": bytes(1_990)}
    models = [OpenedModels(home, MAY, mark) for mark in ("aaaaaa", "aaaaaa", "aaaaaa", "bbbbbb")]
    for learner, one in enumerate(models):
        if learner == 2:
            with pytest.raises(OpeningRefused, match="from your network"):
                one.add_files(_owner_id_of(str(learner)), "x", files)
        else:
            one.add_files(_owner_id_of(str(learner)), "x", files)
    assert OpenedModels(home, MAY).add_files(_owner_id_of("own machine"), "x", files).n_byte > 0


def test_what_nobody_looks_at_for_ninety_days_goes_and_ones_own_machine_keeps_all(home: Path) -> None:
    files, day = {"config.json": b"{}", "model.safetensors": b"x"}, 24 * 3600
    shared, own = OpenedModels(home, MAY, "aaaaaa"), OpenedModels(home, MAY)
    looked_at, forgotten = (shared.add_files(_owner_id_of(name), name, files) for name in ("anna", "ben"))
    kept = own.add_files(_owner_id_of("own"), "own", files)
    for about in home.glob("*/*/about.json"):
        os.utime(about, (0, 0))
    shared.get(looked_at.id)
    shared.tidy()
    assert [one.folder.exists() for one in (looked_at, forgotten, kept)] == [True, False, True]
    assert not shared.folder_of(_owner_id_of("ben")).exists()
    shared.tidy(looked_at.added + (KEPT_DAYS + 1) * day)
    assert [one.folder.exists() for one in (looked_at, kept)] == [False, True]


def test_an_address_has_some_of_the_uploads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where forty slow senders of one address keep everybody else from sending anything (B10)."""
    monkeypatch.setattr(model_uploads, "MOST_OF_ADDRESS", 3)
    monkeypatch.setattr(model_uploads, "MOST_AT_ONCE", 5)
    route = next(one for one in model_uploads.upload_routes() if one.methods == {"PUT"})

    async def one(learner: int, address: str, ending: asyncio.Event) -> int:
        headers = [(name.encode(), value.encode()) for name, value in sent(learner, address).items()]
        scope = {"type": "http", "method": "PUT", "path": "/upload/config.json", "root_path": "", "query_string": b"",
                 "path_params": {"name": "config.json"}, "headers": [*headers, (b"content-length", b"2")]}  # fmt: skip
        parts = [{"type": "http.request", "body": b"a", "more_body": True}]
        status = []

        async def receive() -> Any:
            if parts:
                return parts.pop()
            await ending.wait()
            return {"type": "http.request", "body": b"b", "more_body": False}

        async def send(message: Any) -> None:
            status.append(message.get("status"))

        await route.app(scope, receive, send)
        return int(status[0])

    async def all_at_once() -> list[list[int]]:
        ending = asyncio.Event()
        slow = [asyncio.create_task(one(learner, HOME, ending)) for learner in range(6)]
        refused = [await slow[i] for i in (3, 4, 5)]  # the others hang
        honest = [asyncio.create_task(one(9 + i, ELSEWHERE, ending)) for i in range(2)]
        for _ in range(20):
            await asyncio.sleep(0)
        ending.set()
        return [refused, await asyncio.gather(*slow[:3]), await asyncio.gather(*honest), [await one(5, HOME, ending)]]

    found = asyncio.run(asyncio.wait_for(all_at_once(), LONGEST_WAIT))
    assert found == [[503] * 3, [201] * 3, [201] * 2, [201]]


def test_an_upload_that_trickles_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where each byte buys more time: what counts is the pace of a whole block."""
    monkeypatch.setattr(model_uploads, "BLOCK_SECONDS", 0.1)

    class Coming:
        def write(self, data: bytes) -> None:
            pass

    async def drip() -> Any:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"a", "more_body": True}

    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(model_uploads._take(drip, Coming()), LONGEST_WAIT))  # type: ignore[arg-type]
    assert model_uploads.BLOCK / 30.0 < 10_000, "a slow line of 10 kB/s is fast enough"


def test_a_draft_knows_its_address_before_anything_is_opened(home: Path) -> None:
    drafts = UploadDrafts(OpenedModels(home, MAY, "aaaaaa"), MAY)
    going = [drafts.begin(_owner_id_of(str(n)), "model.safetensors", 1_000) for n in range(5)]
    with pytest.raises(OpeningRefused, match="from your network"):
        drafts.begin(_owner_id_of("6"), "config.json", 10)
    for one in going:
        one.drop()
    drafts.begin(_owner_id_of("6"), "config.json", 10).drop()
