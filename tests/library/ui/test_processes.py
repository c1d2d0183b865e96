"""Several processes behind one proxy: HAProxy's configuration, and a real server with two processes (in full)."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from core.data import corpora
from core.jobs.operating_system import is_process_alive
from core.jobs.store import RunStore
from core.train.recipes import RECIPES
from core.ui.models.upload_drafts import UploadDrafts
from core.ui.models.upload_limits import upload_limits
from core.ui.models.user_models import OpenedModels
from core.ui.server import __main__ as command, load_balanced_server, upload_quota
from core.ui.server.identity.anonymous_owner import COOKIE
from tests.browser.fixtures import ROOT, _free_port
from tests.chromium import LONGEST_WAIT
from tests.safety.visitor import Visitor, owner_of, secret


def test_the_proxy_is_told_of_each_process_and_keeps_browsers_at_theirs() -> None:
    told = load_balanced_server._haproxy_configuration("0.0.0.0", 8501, [4001, 4002, 4003])
    assert re.findall(r"^    server (\S+) (\S+) cookie (\S+)$", told, flags=re.MULTILINE) == [
        (f"p{n}", f"127.0.0.1:{4000 + n}", f"p{n}") for n in (1, 2, 3)
    ]
    assert "bind 0.0.0.0:8501" in told
    assert "cookie glassformer_process insert indirect" in told
    assert re.findall(r"if (!?)is_model_file \{ req\.hdr_val\(content-length\) gt (\d+) \}", told) == [
        ("", "100000000"),
        ("!", "11000000"),
    ]
    assert not re.findall(r"\{(?! \w)", told), "not all is filled in"


def test_a_program_that_ends_is_started_again_and_slower_where_it_ends_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, begun = [0.0], []
    monkeypatch.setattr(load_balanced_server.time, "monotonic", lambda: now[0])
    dead = SimpleNamespace(start=lambda: begun.append(now[0]), is_alive=lambda: False, exitcode=-9)
    kept = load_balanced_server._RestartedProcess("one", lambda: dead)  # type: ignore[arg-type, return-value]
    while now[0] < 60.0:
        now[0] += 0.05
        kept.restart_if_ended()
    gaps = [round(after - before, 1) for before, after in pairwise(begun)]
    assert gaps == sorted(gaps) and gaps[0] < 0.5 and 9.0 < gaps[-1] < 11.0


@pytest.mark.parametrize(
    ("status", "cookie", "is_ready"),
    [(200, "glassformer_owner=1", True), (503, "", False), (200, "glassformer_process=p1; HttpOnly", False)],
)
def test_a_process_answers_when_its_own_answer_comes_through_the_proxy(
    status: int, cookie: str, is_ready: bool
) -> None:
    """Fails where the proxy's own 503, or another process's answer, is taken for the process's."""

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == "/api/ready" and self.headers["Cookie"] == "glassformer_process=p2"
            self.send_response(status)
            self.send_header("Set-Cookie", cookie)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        thread = threading.Thread(target=proxy.handle_request)
        thread.start()
        assert load_balanced_server._is_process_ready("0.0.0.0", proxy.server_port, 2) == is_ready
        thread.join()


def test_nobody_answers_at_a_port_where_nobody_listens() -> None:
    assert not load_balanced_server._is_process_ready("127.0.0.1", _free_port(), 1)


@pytest.mark.parametrize("options", [["--port", "0"], ["--port", "99999"], ["--address", "203.0.113.7"]])
def test_the_command_tells_its_address_only_when_it_is_ready(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fails where an address is printed that doesn't answer yet (fault 28), or that can't be listened at."""
    said = []
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = options if options != ["--port", "0"] else ["--port", str(other.getsockname()[1])]
        monkeypatch.setattr(load_balanced_server.shutil, "which", lambda *_, **__: "/usr/sbin/haproxy")
        monkeypatch.setattr(sys, "argv", ["core.ui.server", "--processes", "2", *taken])
        monkeypatch.setattr(command.signal, "signal", lambda *_: None)
        with pytest.raises(SystemExit) as left:
            command.main()
        assert f"--port {taken[1] if taken[0] == '--port' else 8501} can't be used: " in str(left.value.code)
        assert "http" not in capsys.readouterr().out
    monkeypatch.setattr(command, "serve_processes", lambda *given: said.append(capsys.readouterr().out) or given[-1]())
    command.main()
    assert "http" not in said[0] and "Starting 2 processes" in said[0]
    assert re.fullmatch(r"Ready: open http://[\w.]+:\d+\n", capsys.readouterr().out)


def test_processes_share_one_room_for_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_quota, "_sizes", lambda: {"b": [300_000_000]})
    quota = upload_quota.UploadQuota(None)  # type: ignore[arg-type]
    assert quota._refusal("a", "1.2.3.4", 1) == ""
    monkeypatch.setenv("GLASSFORMER_PROCESSES", "4")
    assert "as many files as it may" in quota._refusal("a", "1.2.3.4", 1)


@dataclass(frozen=True)
class Served:
    """`python -m core.ui.server` with two processes."""

    url: str
    data: Path
    pid: int

    def ask(self, path: str = "/", **headers: str) -> tuple[int, dict[str, str], list[str]]:
        """Status, headers and cookies of an answer."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=LONGEST_WAIT)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), answer.headers.get_all("set-cookie") or []

    def at(self, process: str, page: str = "", query: str = "", owner: str = "") -> Visitor:
        """A visitor whose browser belongs to this process."""
        return Visitor(self.url, page, query, owner, f"glassformer_process={process}")

    def processes(self) -> dict[int, str]:
        """Return the command's child processes, and theirs, by pid."""
        found: dict[int, tuple[int, str]] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                found[int(folder.name)] = parent, (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
        ours = {self.pid}
        for _ in range(6):
            ours |= {pid for pid, (parent, _) in found.items() if parent in ours}
        return {pid: found[pid][1] for pid in ours if pid in found}

    def serving(self, process: str) -> int:
        """The pid of the process of this name: that whose port the proxy's configuration has."""
        words = " ".join(self.processes().values()).split()
        told = next(Path(word) for word in words if word.endswith("haproxy.cfg")).read_text()
        found = re.search(rf"server {process} 127\.0\.0\.1:(\d+)", told)
        assert found is not None
        return listener(int(found[1]))


def listener(port: int) -> int:
    """Return the pid of the process that listens at a local port, or 0."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inodes = {f"socket:[{line[9]}]" for line in lines if line[1].endswith(f":{port:04X}") and line[3] == "0A"}
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link) in inodes:
                return int(link.parts[2])
        except OSError:
            continue
    return 0


def until(what: Callable[[], Any]) -> Any:
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.1)
    raise AssertionError("waited in vain")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data, port = tmp_path_factory.mktemp("served"), _free_port()
    own = {"GLASSFORMER_DATA": str(data), "GLASSFORMER_HOSTS": "class.example", "GLASSFORMER_WARM_UP": "off"}
    command = [sys.executable, "-m", "core.ui.server", "--processes", "2", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | own)
    one = Served(f"http://127.0.0.1:{port}", data, process.pid)

    def is_ready() -> bool:
        try:
            answers = [one.ask("/api/ready", Cookie=f"glassformer_process=p{n}") for n in (1, 2)]
            return all(status == 200 and not moved for status, _, moved in answers)
        except OSError:
            return False

    try:
        until(is_ready)
        yield one
    finally:
        children = one.processes()
        process.kill()  # as hard as can be: the others go with it
        process.wait()
        until(lambda: not any(is_process_alive(pid) for pid in children))


@pytest.mark.full
def test_a_browser_stays_with_its_process_and_gets_the_safe_headers(served: Served) -> None:
    first = [served.ask()[2] for _ in range(8)]
    given = {cookie for cookies in first for cookie in re.findall(r"glassformer_process=(p\d)", " ".join(cookies))}
    assert given == {"p1", "p2"}
    assert not any("process" in cookie for cookie in served.ask(Cookie="glassformer_process=p2")[2])
    status, headers, cookies = served.ask(**{"Host": "class.example", "X-Forwarded-Proto": "https"})
    assert status == 200 and "wss://class.example" in headers["content-security-policy"]
    assert any(cookie.startswith("glassformer_owner") and "Secure" not in cookie for cookie in cookies), "no TLS here"
    assert served.ask(Host="evil.example")[0] == 400
    assert served.ask("/_stcore/metrics")[0] == 404
    assert served.ask(**{"Accept-Encoding": "gzip"})[1]["content-encoding"] == "gzip"
    assert "content-encoding" not in served.ask()[1]


@pytest.mark.full
def test_runs_texts_models_and_links_are_the_same_on_each(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(served.data))
    cookie = secret(77)
    shipped = ROOT / "assets/models/stories"
    files = {name: (shipped / name).read_bytes() for name in ("config.json", "model.safetensors", "tokenizer.json")}
    opened = OpenedModels(served.data / "opened").add_files(owner_of(cookie), "the class's own", files)
    text = corpora.store_user_text("A text of the class", "Nobody else has written this line. " * 20)
    run = RunStore().create(owner_of(cookie), RECIPES["bottle-and-cup"].to_dict(), seed=0, name="the run of the class")
    until(lambda: RunStore().get(run).step > 0)
    for page, query, word in (
        ("pretrained", "", "the class's own"),
        ("heads", f"model={opened.id}&text=hello", opened.id),
        ("studio", f"corpus={text}", "A text of the class"),
        ("studio", "", "the run of the class"),
    ):
        seen = []
        for process in ("p1", "p2"):
            with served.at(process, page, query, cookie) as visitor:
                visitor.open()
                assert visitor.exceptions == []
                assert word in visitor.text(), (process, page)
                seen.append({(one.kind, one.id) for one in visitor.widgets.values()})
        assert seen[0] == seen[1]
    RunStore().delete(run, owner_of(cookie))


@pytest.mark.full
def test_a_large_file_of_a_model_passes_the_proxy_to_whichever_process(served: Served) -> None:
    cookie, store = secret(78), OpenedModels(served.data / "opened")

    def put(name: str, n_byte: int, process: str, told: int | None = None) -> int:
        connection = http.client.HTTPConnection(urlsplit(served.url).netloc, timeout=LONGEST_WAIT)
        headers = {"X-Upload": "1", "Cookie": f"{COOKIE}={cookie}; glassformer_process={process}"}
        connection.putrequest("PUT", name)
        for header, value in (headers | {"Content-Length": str(n_byte if told is None else told)}).items():
            connection.putheader(header, value)
        connection.endheaders(bytes(n_byte))
        with closing(connection):
            return connection.getresponse().status

    assert put("/upload/model.safetensors", 12_000_000, "p1") == 201
    assert put("/upload/config.json", 10, "p2") == 201
    files = UploadDrafts(store, upload_limits(is_own_machine=False)).files(owner_of(cookie))
    assert files == {"config.json": 10, "model.safetensors": 12_000_000}
    assert put("/upload/model.safetensors", 0, "p1", told=100_000_001) == 413
    assert put("/_stcore/upload_file/upload/upload", 0, "p1", told=12_000_000) == 413


@pytest.mark.full
def test_a_process_that_dies_takes_its_own_views_only_and_they_come_back(served: Served) -> None:
    supervisors = [pid for pid, line in served.processes().items() if "core.jobs.supervisor" in line]
    assert len(supervisors) == 1
    with served.at("p1", "heads", "text=first+visitor") as one, served.at("p2", "masks", "") as other:
        one.open()
        other.open()
        gone = served.serving("p1")
        os.kill(gone, signal.SIGKILL)
        with pytest.raises(ConnectionClosed):
            one.listen(LONGEST_WAIT)
        assert other.send(other.widgets["Padding tokens after the text"], 2) >= 0.0
        assert other.exceptions == []
    with served.at("p1", "heads", "text=first+visitor") as again:  # by another process, or by the new one
        again.open()
        assert again.exceptions == [] and "first visitor" in again.text()
    assert until(lambda: served.serving("p1")) != gone
    assert [pid for pid, line in served.processes().items() if "core.jobs.supervisor" in line] == supervisors
