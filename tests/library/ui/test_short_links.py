"""Short links: they lead to a page of this server and nowhere else, whoever made them."""

import os
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from core.data.files import data_dir
from core.ui.server import server, short_links
from tests.counts import count


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


def test_an_address_comes_back_and_has_the_same_letters_each_time() -> None:
    address = "/heads?layer=1&note=%E2%80%9CHi%E2%80%9D"
    name = short_links.create_short_link(address)
    assert short_links.find_short_link(name) == address[1:]
    assert short_links.create_short_link(address) == name != short_links.create_short_link("/heads?layer=0")


@pytest.mark.parametrize(
    "address", ["//evil.example", "https://evil.example", "/../etc/passwd", "/a b", "\\\\evil", "/é"]
)
def test_what_is_no_page_of_ours_is_refused(address: str) -> None:
    try:
        name = short_links.create_short_link(address)
    except short_links.ShortLinkRefused:
        return
    assert "//" not in str(short_links.find_short_link(name)), "it would lead elsewhere"


def test_a_long_address_is_refused_in_plain_words() -> None:
    with pytest.raises(short_links.ShortLinkRefused, match="at most 8,000"):
        short_links.create_short_link("/heads?text=" + "x" * short_links.MAX_CHARS)


@given(st.text(max_size=20))
def test_any_other_name_leads_nowhere(name: str) -> None:
    assert short_links.find_short_link(name) is None


def test_letters_never_come_to_stand_for_another_page(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    """Fails if a page with the same letters can change the target of a printed link (C8)."""
    monkeypatch.setattr(short_links, "_letters", lambda page, n: "abcdefghi" + "abcdefgh"[n])
    names = [short_links.create_short_link(f"/heads?layer={i}") for i in range(5)]
    assert [short_links.find_short_link(name) for name in names] == [f"heads?layer={i}" for i in range(5)]
    assert [short_links.create_short_link(f"/heads?layer={i}") for i in range(5)] == names
    assert len(list((data / "links").iterdir())) == 5


def test_a_link_of_an_earlier_version_still_leads_to_its_page(data: Path) -> None:
    (data / "links").mkdir()
    (data / "links" / "k3v7qzt").write_text("heads?layer=1")
    (data / "links" / "evilevi").write_text("//evil.example")
    assert short_links.find_short_link("k3v7qzt") == "heads?layer=1" and short_links.find_short_link("evilevi") is None


@settings(max_examples=count(20, 300), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["aaaaaa", "bbbbbb", "cccccc"]), st.integers(0, 30)), max_size=40))
def test_nobody_pushes_out_anothers_links(asked: list[tuple[str, int]]) -> None:
    """Fails if one address can fill the shared store (B10): visitors with few links keep them."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv("GLASSFORMER_DATA", folder)
        patch.setattr(short_links, "MAX_OF_ADDRESS", 5)
        patch.setattr(short_links, "MAX_LINKS", 9)
        first = [short_links.create_short_link(f"/masks?n={i}", "ffffff") for i in range(2)]
        for mark, n in asked:
            last = short_links.create_short_link(f"/heads?layer={n}", mark)
            assert short_links.find_short_link(last) == f"heads?layer={n}"
        held = Counter(path.suffix for path in (Path(folder) / "links").iterdir())
        assert held.total() <= 9 and max(held.values()) <= 5
        assert all(short_links.find_short_link(name) for name in first)


def test_what_nobody_uses_for_a_year_goes() -> None:
    used, unused = (
        short_links.create_short_link("/heads?layer=1"),
        short_links.create_short_link("/heads?layer=2", "aaaaaa"),
    )
    for path in (data_dir() / "links").iterdir():
        os.utime(path, (0, 0))
    short_links.find_short_link(used)
    short_links.tidy_short_links()
    assert (short_links.find_short_link(used), short_links.find_short_link(unused)) == ("heads?layer=1", None)


def test_the_oldest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_links, "MAX_LINKS", 3)
    names = [short_links.create_short_link(f"/heads?layer={i}") for i in range(5)]
    assert sum(short_links.find_short_link(name) is not None for name in names) == 3
    assert short_links.find_short_link(names[-1]) is not None


def test_the_route_leads_to_the_page_below_any_path() -> None:
    app = Starlette(routes=[Route("/s/{name}", server._short_link_answer)])
    client = TestClient(app, follow_redirects=False)
    name = short_links.create_short_link("/heads?layer=1")
    answer = client.get(f"/s/{name}")
    assert (answer.status_code, answer.headers["location"]) == (307, "../heads?layer=1")
    assert client.get("/s/aaaaaaa").status_code == 404
