"""The photograph in few colors in a real browser: pixels, colors and tokens light each other up, without the server."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, settle


def lit(picture: Any, view: int = 1) -> int:
    """Different colors in the middle line of a picture's second view."""
    return int(
        picture.evaluate(
            "(node, i) => { const c = node.querySelectorAll('.gf-two canvas:not(.gf-over)')[i]; "
            "const d = c.getContext('2d').getImageData(0, c.height >> 1, c.width, 1).data; const s = new Set(); "
            "for (let k = 0; k < d.length; k += 4) s.add(d[k] * 65536 + d[k + 1] * 256 + d[k + 2]); return s.size; }",
            view,
        )
    )


def test_pixels_colors_and_tokens_are_linked_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("pixels?quantise_colors=8")
    photo, read = figure(page, "Photograph “china” in 8 colors"), figure(page, "What ImageGPT would read")
    photo.scroll_into_view_if_needed()
    chips, readout = photo.locator(".gf-chipset").first, photo.locator(".gf-readout")
    assert chips.locator("[role=option]").count() == 8 and lit(photo) <= 8 < lit(photo, 0)
    page.sent.clear()
    before, after = photo.locator(".gf-two [role=img]").all()
    after.hover(position={"x": 20, "y": 12})
    said = readout.inner_text()
    assert said.startswith("row ") and "became" in said and "off by" in said and "pixels, " in said
    assert chips.locator(".on").count() == 1
    before.focus()
    page.keyboard.press("ArrowRight")
    first = readout.inner_text()
    page.keyboard.press("ArrowDown")
    assert readout.inner_text() != first
    chips.focus()
    for key in ("Home", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    kept = readout.inner_text()
    assert kept.startswith("id ") and chips.locator("[aria-selected=true]").count() == 1
    page.mouse.move(1, 1)
    assert readout.inner_text() == kept  # kept lit by Enter
    page.keyboard.press("Escape")
    assert "Point at a pixel" in readout.inner_text() and chips.locator("[aria-selected=true]").count() == 0
    row = read.locator(".gf-chipset").nth(1)
    row.scroll_into_view_if_needed()
    assert row.locator("[role=option]").count() == 1025
    row.focus()
    page.keyboard.press("Home")
    assert "the start token, id 8" in read.locator(".gf-readout").inner_text()
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert read.locator(".gf-readout").inner_text().startswith("position 2, row 0, column 1:")
    page.wait_for_timeout(300)
    assert page.sent == []
    follow_the_number_of_colors(page)


def follow_the_number_of_colors(page: Any) -> None:
    """Choose 512 colors: picture, palette, address and sentences follow."""
    room = exhibit(page, "quantise")
    room.get_by_role("radio", name="512", exact=True).or_(room.get_by_text("512", exact=True)).first.click()
    figure(page, "Photograph “china” in 512 colors").wait_for()
    settle(page)
    address_has(page, "quantise_colors=512")
    assert "512 + 1 = 513 different ids" in room.inner_text()
    photo = figure(page, "Photograph “china” in 512 colors")
    assert photo.locator(".gf-chipset [role=option]").count() == 512
    photo.get_by_role("button", name="Table").click()
    assert photo.locator("tbody tr").count() == 512
