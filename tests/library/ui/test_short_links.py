"""Short links: they lead to a page of this server and nowhere else, whoever asks for them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from core.ui.server import server, short_links


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


def test_an_address_comes_back_and_has_the_same_letters_each_time() -> None:
    address = "/heads?layer=1&note=%E2%80%9CHi%E2%80%9D"
    name = short_links.keep(address)
    assert short_links.find(name) == address[1:]
    assert short_links.keep(address) == name != short_links.keep("/heads?layer=0")


@pytest.mark.parametrize(
    "address", ["//evil.example", "https://evil.example", "/../etc/passwd", "/a b", "\\\\evil", "/é"]
)
def test_what_is_no_page_of_ours_is_refused(address: str) -> None:
    try:
        name = short_links.keep(address)
    except short_links.LinkRefused:
        return
    assert "//" not in str(short_links.find(name)), "it would lead elsewhere"


def test_a_long_address_is_refused_in_plain_words() -> None:
    with pytest.raises(short_links.LinkRefused, match="8,000 at most"):
        short_links.keep("/heads?text=" + "x" * short_links.MAX_CHARS)


@given(st.text(max_size=20))
def test_any_other_name_leads_nowhere(name: str) -> None:
    assert short_links.find(name) is None


def test_the_oldest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_links, "MAX_LINKS", 3)
    names = [short_links.keep(f"/heads?layer={i}") for i in range(5)]
    assert sum(short_links.find(name) is not None for name in names) == 3
    assert short_links.find(names[-1]) is not None


def test_the_route_leads_to_the_page_below_any_path() -> None:
    app = Starlette(routes=[Route("/s/{name}", server._short_link_answer)])
    client = TestClient(app, follow_redirects=False)
    name = short_links.keep("/heads?layer=1")
    answer = client.get(f"/s/{name}")
    assert (answer.status_code, answer.headers["location"]) == (307, "../heads?layer=1")
    assert client.get("/s/aaaaaaa").status_code == 404
