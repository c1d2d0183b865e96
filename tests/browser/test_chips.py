"""Every chip that acts is pressed: its settings stand in the controls and in the address, and Read says so.

What this catches: a chip that is ticked and changes nothing; a control that stays where it was while the picture
follows; an address whose copy shows something else; a text that is gone after a reload.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from core.rooms import rooms
from core.ui.exhibit.exhibit_text import TryChip
from core.ui.models.model_folders import shipped_model_titles
from core.ui.room import ExhibitSpec, Room
from tests.browser.rooms import settle, still, styled, until

PLACES = [
    (room, entry)
    for room in rooms()
    for entry in room.exhibits
    if any(one.acts_on_click for one in entry.exhibit().text.try_chips)
]
PATIENCE = 100  # looks: on a busy machine a control follows, and the address names it, some time after the picture
SET = """([name, ...wanted]) => {
  const isSame = text => wanted.some(one => text === one || (text !== '' && Number(text) === Number(one)));
  const said = new URL(location).searchParams.getAll(name);
  const found = [...document.querySelectorAll(
    ['', 'gf-choice-'].map(kind => '.st-key-' + (kind + name).replaceAll('.', '-')).join())];
  const deep = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
  const shown = found.flatMap(deep).flatMap(e =>
    e.matches('input[type=checkbox]') ? [String(e.checked)] : e.matches('input, textarea, select') ? [e.value]
    : e.matches('[aria-checked=true], [aria-pressed=true], [aria-selected=true]') ? [e.textContent.trim()] : []);
  return { address: said.some(isSame), says: said.length > 0, there: shown.length > 0, shown: shown.some(isSame) };
}"""


def of(place: tuple[Room, ExhibitSpec]) -> str:
    return f"{place[0].address}.{place[1].name}"


@pytest.mark.parametrize("place", PLACES, ids=of)
def test_what_an_acting_chip_names_is_on_the_screen_and_in_the_address(
    open_page: Callable[..., Any], url: str, place: tuple[Room, ExhibitSpec]
) -> None:
    room, entry = place
    path = "" if room.section == "home" else room.address
    for number, one in enumerate(entry.exhibit().text.try_chips, 1):
        if not one.acts_on_click:
            continue
        page = open_page(f"{url}/{path}?only={entry.name}")
        reveal(page)
        chip(page, one).click()
        still(page)
        until(page, f"new URL(location).searchParams.get('try') === '{entry.name}.{number}'")
        check(page, entry, one)
        page.wait_for_timeout(500)  # the browser writes what it alone chooses into the address a moment later
        copy = open_page(page.evaluate("location.href"))
        read(copy).get_by_text(one.action, exact=True).first.wait_for()
        check(copy, entry, one)
        copy.context.close()
        page.context.close()


def wanted(entry: ExhibitSpec, one: TryChip) -> dict[str, list[str]]:
    """What each of its controls must say: the name, then the value and what that's called on the screen."""
    declared = {control.name: control for _, control in entry.exhibit().module.Inputs.controls()}
    found = {}
    for name, (value, *_) in one.settings.items():
        options = declared[name].options.get("options") if name in declared else None
        names = shipped_model_titles("") if name.endswith("model") else options if isinstance(options, Mapping) else {}
        found[name] = [name, value, str(names.get(value, value))]
    return found


def check(page: Any, entry: ExhibitSpec, one: TryChip) -> None:
    """Each of its settings stands in its control and in the address, or was the default; Read names the chip."""
    read(page).get_by_text(one.action, exact=True).first.wait_for()
    for name, asked in wanted(entry, one).items():
        for _ in range(PATIENCE):
            if stands(now := page.evaluate(SET, asked)):
                break
            page.wait_for_timeout(200)
        else:
            raise AssertionError(f"{page.url}: “{one.action}” sets {name} to {asked[1]}: {now}")


def stands(now: dict[str, bool]) -> bool:
    """Whether the control, if there is one, shows it, and the address says nothing else.

    Of a default it says nothing. Where it fails to name what isn't one, the chip of the copy lets go.
    """
    return (now["address"] or not now["says"]) and (now["shown"] or not now["there"])


def chip(page: Any, one: TryChip) -> Any:
    return page.locator('[class*="try-"] [data-testid=stButtonGroup] button').filter(has_text=one.action).first


def read(page: Any) -> Any:
    return page.locator('[class*="read-"]')


def reveal(page: Any) -> None:
    """Wait for the chips; show what waits for a guess. (Not every exhibit has a figure to wait for.)"""
    styled(page)
    show, chips = page.get_by_role("radio", name="Just show me"), page.locator('[class*="try-"] button')
    show.or_(chips).first.wait_for()
    still(page)
    if show.count() and not chips.count():
        show.first.click()
        still(page)
    chips.first.wait_for()
    still(page)


def test_no_chip_of_home_is_lost_after_another(visit: Callable[..., Any]) -> None:
    """An older address once undid every second one."""
    page = visit("")
    field = page.get_by_role("textbox", name="Your own sentence")
    for number, has in ((0, "kite"), (1, "hat"), (0, "kite"), (1, "hat")):
        page.locator('[class*="try-sentence-through"] button').nth(number).click()
        settle(page)
        page.locator(f"figure.gf[data-text*='blue {has} with']").wait_for()
        assert f"blue {has} with" in field.input_value()


def test_the_line_below_homes_bars_follows_the_token_that_is_pointed_at(visit: Callable[..., Any]) -> None:
    page = visit("")
    page.locator("figure.gf[data-text]").first.wait_for()  # the model has come
    said, canvas = page.locator(".gf-expects"), page.locator("figure.gf canvas").first
    last = said.inner_text()
    assert last.startswith("It expects")
    canvas.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
        assert said.inner_text().startswith("After “") and said.inner_text() != last
        assert said.inner_text().split("expects ")[1].split(" with")[0] in str(canvas.get_attribute("aria-label"))


def test_home_says_which_end_of_a_long_text_is_read_and_cuts_no_word(visit: Callable[..., Any]) -> None:
    page = visit("")
    page.locator("figure.gf[data-text]").first.wait_for()  # the model has come
    field = page.get_by_role("textbox", name="Your own sentence")
    field.fill("Zorblax had a kite and the frobnic wind took it. " * 60)
    page.locator(".gf-remark:not(:empty)").wait_for()
    read = page.locator(".gf-remark").inner_text().split("“")[1].split("”")[0]
    assert "Zorblax had a kite and the frobnic wind took it. ".count(read.split()[0]) and read.endswith("took it.")
    assert f" {read}" in " " + "Zorblax had a kite and the frobnic wind took it. " * 60
    told = page.locator("figure.gf").first.inner_text()
    assert "“frobnic”" in told and ("Zorblax" in read) == ("“Zorblax”" in told)
    field.fill("Tom had a kite.")
    page.locator(".gf-remark:empty").wait_for(state="attached")
