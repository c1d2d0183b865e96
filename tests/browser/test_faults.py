"""A picture that throws, draws nothing or is hidden: plain words with an id on the page, and the same id in the log."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.fixtures import counted
from tests.browser.panes import empty_panes
from tests.browser.rooms import until
from tests.chromium import LONGEST_WAIT

APP = Path(__file__).with_name("faults_app.py")
ID = re.compile(r"please give this id: ([0-9a-f]{8})")
SAID = {"threw": "couldn't be drawn", "empty": "nothing was drawn", "hidden": "can't be seen"}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults") / "log.txt"


@pytest.fixture(scope="module")
def url(serve: Callable[..., str], log: Path) -> str:
    return serve(APP, GLASSFORMER_TRAINING="off", FAULTS_LOG=str(log))


@pytest.fixture(scope="module")
def opened(url: str, browser: Any) -> Iterator[Any]:
    """A page on which most exhibits are broken, each in its own way."""
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        context.set_default_timeout(LONGEST_WAIT * 1000)
        page = counted(context.new_page())
        page.goto(url)
        page.get_by_text("All is well.").wait_for()
        yield page


@pytest.fixture
def page(opened: Any, expected_faults: list[str]) -> Any:
    """The same, for a test that doesn't fail because of them."""
    return opened


def _pane(page: Any, name: str) -> Any:
    return page.locator(f".st-key-gf-pane-{name}")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throws", "threw"),
        ("misspelt", "threw"),
        ("hidden", "hidden"),
        ("flat", "hidden"),
        ("nothing", "empty"),
        ("half", "hidden"),
    ],
)
def test_what_is_not_seen_is_said_and_logged(page: Any, log: Path, name: str, kind: str) -> None:
    alert = _pane(page, name).get_by_role("alert").first
    alert.wait_for()
    assert SAID[kind] in alert.inner_text() and "or reload the page" in alert.inner_text()
    found = ID.search(alert.inner_text())
    assert found is not None
    for _ in range(100):
        if found[1] in log.read_text():
            break
        page.wait_for_timeout(100)
    (line,) = [one for one in log.read_text().splitlines() if found[1] in one]
    assert f"Fault {found[1]} in a browser: {kind}, exhibit {name}" in line
    assert "Mia's secret" not in log.read_text(), "no text of a person goes to the log"


def test_what_is_whole_stays_without_a_word(page: Any) -> None:
    _pane(page, "nothing").get_by_role("alert").wait_for()
    assert not _pane(page, "whole").get_by_role("alert").count()
    assert not _pane(page, "folded").get_by_role("alert").count()


def test_an_empty_server_pane_is_said_by_the_server(page: Any) -> None:
    """An exhibit whose `draw` draws nothing for some input: the frame says so before any browser looks."""
    assert "nothing to show for these settings" in _pane(page, "silent").inner_text()


def test_the_frames_catch_fails_any_other_test(page: Any, expected_faults: list[str]) -> None:
    _pane(page, "throws").get_by_role("alert").wait_for()
    expected_faults.clear()
    page.evaluate("setTimeout(() => { throw new Error('thrown') })")
    page.evaluate("Promise.reject(new Error('rejected')), 0")
    page.evaluate("console.error('Fault 0a1b2c3d: matrix threw')")
    for _ in range(100):
        if len(expected_faults) >= 3:
            break
        page.wait_for_timeout(50)
    assert {one.partition(":")[2].strip() or one for one in expected_faults} >= {"matrix threw"}
    assert any("thrown" in one for one in expected_faults) and any("rejected" in one for one in expected_faults)


def test_the_sweep_over_all_panes_finds_every_one(page: Any) -> None:
    """The mutation test of `test_panes.py`: panes that were emptied on purpose."""
    _pane(page, "nothing").get_by_role("alert").wait_for()
    names, empty = empty_panes(page)
    assert {"whole", "hidden", "nothing"} <= set(names)
    told = {one.partition(" ")[0] for one in empty if "“" not in one.partition(" ")[0]}
    assert told == {"throws", "misspelt", "hidden", "flat", "nothing", "half"}
    assert {"“The mean is nan.” is on the page", "“{word}” is on the page"} <= set(empty)


def test_a_message_goes_when_something_comes_after_all(page: Any) -> None:
    _pane(page, "hidden").get_by_role("alert").wait_for()
    page.evaluate("document.getElementById('hiding').remove()")
    until(page, "!document.querySelector('.st-key-gf-pane-hidden [role=alert]')")
