"""The address holds all that a room shows: each control is moved, and the address alone, in a fresh browser, shows it.

A control that is forgotten in the address, an address that loses one value when another is written, a picture whose
click is lost at the next full run: each shows here as a line that differs.
"""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest

from core.rooms import rooms
from tests.browser import moves
from tests.browser.rooms import settle, until

# Home has its own test; the others have addresses of their own.
NOT_ROOMS = {"home", "lessons", "glossary", "pretrained", "start_a_class", "homework"}
PAGES = [(room.address, room.title) for room in rooms()]
ROOMS = [path for path, _ in PAGES if path not in NOT_ROOMS]


def told_by(page: Any) -> list[str]:
    return moves.shown(page) + moves.drawn(page)


def differ(told: Callable[[], list[str]], page: Any, look: Callable[[Any], list[str]] = told_by) -> list[str]:
    """How a page differs from what was told, after some patience."""
    for patience in (1000, 1000, 1000, 0):
        one, other = told(), look(page)
        lines = [line for line in one if line not in other] + [line for line in other if line not in one]
        if not lines:
            break
        page.wait_for_timeout(patience)
    return lines


def check_restored(page: Any, visit: Callable[..., Any]) -> None:
    """Its address alone brings back what a page shows, in a browser that was never here."""
    address = None
    while address != page.url:  # on a busy machine the address may come after the picture
        address = page.url
        other = visit(address.split("/", 3)[3])
        lines = differ(lambda: told_by(page), other)
        other.context.close()
        if not lines:
            break
    assert not lines, "\n".join([page.url, *lines])
    page.context.close()


@pytest.mark.parametrize("room", ROOMS)
def test_the_address_alone_shows_a_room_in_which_everything_was_moved(visit: Callable[..., Any], room: str) -> None:
    page = visit(room)
    found, missed = moves.controls(page), []
    for control in found:
        if moves.move(page, control):
            settle(page)
        else:
            missed.append(control)  # gone by the time its turn came
    assert len(found) - len(missed) > 3
    check_restored(page, visit)
    for control in missed:
        page = visit(room)
        assert moves.move(page, control)
        settle(page)
        check_restored(page, visit)


@pytest.mark.parametrize("room", ROOMS)
def test_start_over_shows_the_room_as_it_opens_and_back_undoes_it(visit: Callable[..., Any], room: str) -> None:
    page = visit(room)
    began, found = moves.shown(page), moves.controls(page)
    for control in found[:: max(1, len(found) // 12)]:
        if moves.move(page, control):
            settle(page)
    moved, address = moves.shown(page), page.url
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Start over").click()
    settle(page)
    until(page, "location.search === ''")
    assert differ(lambda: began, page, moves.shown) == []
    page.go_back()
    settle(page)
    assert differ(lambda: moved, page, moves.shown) == []
    assert unquote(page.url) == unquote(address)


def go(page: Any, title: str) -> None:
    """To another room by its link in the sidebar, whose section may be folded."""
    page.locator(".st-key-gf-navigation a", has_text=re.compile(f"{title}$")).evaluate("link => link.click()")
    page.get_by_role("heading", level=1, name=title).wait_for()
    settle(page)


def slider(page: Any, label: str) -> Any:
    return page.locator(f':is([data-testid="stSlider"], .gf-choice) input[aria-label="{label}"]').first


def test_a_room_comes_back_as_it_was_left_whatever_another_room_calls_alike(visit: Callable[..., Any]) -> None:
    page = visit("heads?open=all")
    first = slider(page, "Layer").input_value()
    slider(page, "Layer").focus()
    page.keyboard.press("ArrowLeft" if first != "0" else "ArrowRight")
    settle(page)
    page.get_by_role("button", name="largest first").click()
    settle(page)
    seen = moves.shown(page), page.url
    go(page, "Masks")
    assert "layer=" not in page.url  # the room is new, and Heads' layer is not its own
    slider(page, "Layer").focus()
    page.keyboard.press("ArrowRight" if slider(page, "Layer").input_value() == "0" else "ArrowLeft")
    settle(page)
    page.locator("figure.gf").get_by_role("button", name="Prefix", exact=True).click()
    settle(page)
    masks = moves.shown(page)
    go(page, "Attention heads")
    assert [line for line in moves.shown(page) if line not in seen[0]] == []
    assert sorted(re.split("[?&]", page.url)) == sorted(re.split("[?&]", seen[1]))
    go(page, "Masks")
    assert [line for line in moves.shown(page) if line not in masks] == []


def test_the_studio_keeps_an_own_text_and_what_was_set(visit: Callable[..., Any]) -> None:
    page = visit("studio")
    page.get_by_role("button", name="Your text").click()
    page.get_by_role("textbox", name="Or paste a text here").fill("The cat sat on the mat, and the dog did not. " * 40)
    page.get_by_role("button", name="Use the pasted text").click()
    page.get_by_text("is chosen").wait_for()
    page.keyboard.press("Escape")
    settle(page)
    page.get_by_role("radio", name="Medium").click()
    settle(page)
    seen = moves.shown(page)
    go(page, "Tokens")
    go(page, "Training studio")
    assert [line for line in moves.shown(page) if line not in seen] == []
