"""The address of a request as seen by trusted proxies, whatever hops a sender invents."""

import ipaddress
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st
from starlette.requests import HTTPConnection
from streamlit.runtime.context import StreamlitHeaders

from core.ui.server import load_balanced_server
from core.ui.server.identity import visitor
from core.ui.server.identity.client_ip import _network_of, client_address, ip_address_digest, is_tls

ROOT = Path(__file__).resolve().parents[3]
v4 = st.ip_addresses(v=4).map(str)
hops = st.one_of(v4, st.ip_addresses(v=6).map(str), st.text("0123456789abc.:[]%, ", max_size=30), st.just("127.0.0.1"))


def asked(peer: str, lines: list[str], scheme: str = "http", **headers: str) -> HTTPConnection:
    """A request of this peer with these X-Forwarded-For headers."""
    told = [(b"x-forwarded-for", line.encode()) for line in lines]
    told += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "scheme": scheme, "client": (peer, 50_000), "headers": told})


@given(
    forged=st.lists(hops, max_size=4),
    first=st.one_of(v4, st.ip_addresses(v=6).map(str)),
    between=st.lists(v4, max_size=3),
    is_one_line=st.booleans(),
    has_haproxy=st.booleans(),
)
def test_invented_hops_change_nothing(
    forged: list[str], first: str, between: list[str], is_one_line: bool, has_haproxy: bool
) -> None:
    """Fails where a limit is keyed by what the sender chooses: each trusted proxy appends the peer that it has seen."""
    seen = [first, *between]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_PROXIES", str(len(seen) - has_haproxy))
        patch.setenv("GLASSFORMER_PROCESSES", "2" if has_haproxy else "")
        lines = [", ".join([*forged, *seen])] if is_one_line else [*forged, *seen]
        assert (
            client_address(asked("127.0.0.1", lines)) == client_address(asked("127.0.0.1", seen)) == _network_of(first)
        )


@given(forged=st.lists(hops, max_size=4), peer=v4.filter(lambda one: not ipaddress.ip_address(one).is_loopback))
def test_without_a_proxy_only_the_connection_counts(forged: list[str], peer: str) -> None:
    request = asked(peer, forged, x_forwarded_proto="https")
    assert (client_address(request), is_tls(request)) == (peer, False)


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1), st.integers(1, 65535))
def test_an_address_has_one_name(address: ipaddress.IPv6Address, other: int, port: int) -> None:
    """Fails where a port, a zone, brackets or the lower half of an IPv6 address make another visitor."""
    neighbor = ipaddress.IPv6Address(int(address) >> 64 << 64 | other)
    if address.ipv4_mapped is None and neighbor.ipv4_mapped is None:
        names = {_network_of(name) for name in (f"{address}", f"[{neighbor}]:{port}", f"{neighbor}%eth0")}
        assert names == {_network_of(str(neighbor))}
    four = str(ipaddress.IPv4Address(int(address) % 2**32))
    assert _network_of(f"{four}:{port}") == _network_of(f"::ffff:{four}") == _network_of(four) == four


@pytest.mark.parametrize(
    ("proxies", "peer", "said", "expected"),
    [("1", "10.0.0.1", "https", True), ("1", "10.0.0.1", "https, http", False), ("0", "127.0.0.1", "https", False),
     ("", "127.0.0.1", "https", True), ("", "10.0.0.1", "https", False)],
)  # fmt: skip
def test_only_a_trusted_proxy_says_that_there_is_tls(
    proxies: str, peer: str, said: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSFORMER_PROXIES", proxies)
    assert is_tls(asked(peer, [], x_forwarded_proto=said)) == expected
    assert is_tls(asked(peer, [], scheme="https"))


@pytest.mark.parametrize("told", ["-1", "one", "1.5", "10", "²", "1,2"])
def test_an_odd_number_of_proxies_is_refused_in_plain_words(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_PROXIES", told)
    with pytest.raises(ValueError, match="a number from 0 to 9: how many proxies"):
        load_balanced_server.check_proxies()


@pytest.mark.parametrize(("proxies", "is_refused"), [("", True), ("0", True), ("1", False)])
def test_uvicorn_is_not_made_to_believe_visitors(
    proxies: str, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With FORWARDED_ALLOW_IPS=* uvicorn takes the first hop, the sender's own, for the peer."""
    monkeypatch.setenv("GLASSFORMER_PROXIES", proxies)
    load_balanced_server.check_proxies()
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    if is_refused:
        with pytest.raises(ValueError, match="Unset it, and set GLASSFORMER_PROXIES"):
            load_balanced_server.check_proxies()
    else:
        load_balanced_server.check_proxies()


@given(forged=st.lists(v4, max_size=3), first=v4)
def test_a_script_knows_its_visitor_by_the_same_address_as_a_request(forged: list[str], first: str) -> None:
    """Fails where what a page asks for, such as a run, counts for another address than the visitor's requests."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv("GLASSFORMER_DATA", folder)
        patch.setenv("GLASSFORMER_PROCESSES", "2")
        patch.setattr(visitor, "get_script_run_ctx", lambda **_: object())
        headers = StreamlitHeaders([("X-Forwarded-For", one) for one in (*forged, first)])
        patch.setattr(visitor, "st", SimpleNamespace(context=SimpleNamespace(ip_address=None, headers=headers)))
        mark = visitor.visitor_address_digest()
        assert mark == ip_address_digest(client_address(asked("127.0.0.1", [*forged, first]))) and len(mark) == 6
        assert first not in mark
        patch.setenv("GLASSFORMER_PROCESSES", "")
        patch.setattr(visitor, "is_own_machine", lambda: True)
        assert visitor.visitor_address_digest() == ""


def test_the_store_of_all_pages_gets_the_visitors_address() -> None:
    """Fails where a page makes a store of its own: its runs would count for no address."""
    made = {}
    for layer in ("ui", "rooms", "lessons"):
        for path in (ROOT / "core" / layer).rglob("*.py"):
            made |= dict.fromkeys(
                re.findall(r"\b(?:RunStore|SweepStore)\(.*\)", path.read_text(encoding="utf-8")), path.name
            )
    recorder = {"SweepStore(Path(folder))": "recorded_example.py"}  # a temporary one, from the command line
    assert made == {'SweepStore(Path(folder) / "runs", sender=visitor_address_digest)': "run_storage.py"} | recorder


def test_no_visitor_of_several_processes_counts_as_local(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its processes listen only on 127.0.0.1, so every request has passed HAProxy."""
    monkeypatch.setattr(visitor.config, "get_option", lambda name: "127.0.0.1" if name == "server.address" else [])
    assert visitor.is_own_machine({})
    monkeypatch.setenv("GLASSFORMER_PROCESSES", "1")
    assert not visitor.is_own_machine({})
