"""The room Pixels in a real browser: the photograph in few colors and the film of completions, without the server."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, figure


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
    page = visit("pixels?quantise_colors=8&depth=numbers")
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


def test_completions_have_their_digits_and_are_written_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("pixels")
    gallery = exhibit(page, "complete").locator("figure.gf").first
    sentence = gallery.locator(".gf-sentence")
    assert sentence.inner_text() == "From the same upper rows, the model writes an 8 in 10 of 16 pictures, a 9 in 6."
    page.sent.clear()
    gallery.locator(".gf-stage").focus()
    page.keyboard.press("ArrowRight")
    assert "Picture 1: the classifier reads 9" in gallery.locator(".gf-readout").inner_text()
    gallery.locator("input[type=range]").fill("20")
    assert sentence.inner_text().startswith("20 of the 32 missing pixels are written")
    page.wait_for_timeout(200)
    assert page.sent == []


def test_pictures_grow_and_every_pixel_tells_its_choices(visit: Callable[..., Any]) -> None:
    page = visit("pixels?orders_guess=both&orders_picture=7")
    film = figure(page, "16 completions of held-out digit")
    film.scroll_into_view_if_needed()
    film.locator(".level").first.wait_for()
    page.wait_for_timeout(300)
    page.sent.clear()
    stage, said = film.locator(".gf-stage"), film.locator(".gf-panel")
    assert "32 of 32 written" in film.locator("output").inner_text() and "Its most open pixel" in said.inner_text()
    stage.focus()
    page.keyboard.press("Home")
    assert "0 of 32 written" in film.locator("output").inner_text() and "was given" in said.inner_text()
    page.keyboard.press("ArrowRight")
    assert "Picture 1, pixel 33 of 64, row 1, column 5" in said.inner_text()
    page.keyboard.press("ArrowDown")
    assert "Picture 2, pixel 33" in said.inner_text() and film.locator(".level.drawn").count() == 1
    film.locator("input[type=range]").fill("20")
    assert "pixel 52 of 64, row 4, column 7" in said.inner_text()
    stage.focus()
    page.keyboard.press("End")
    box = stage.bounding_box()
    stage.click(position={"x": 20, "y": 80})  # the real picture is no sample, and is not chosen
    assert "Picture 2" in said.inner_text()
    page.mouse.move(box["x"] + 98 + 4.5 * 11, box["y"] + 18 + 5.5 * 11)  # pixels of 11, tiles 10 apart
    assert "Picture 1, pixel 38 of 64, row 6, column 5" in said.inner_text()
    page.mouse.move(0, 0)
    film.get_by_role("button", name="Play (Space)").click()
    film.locator("output", has_text=re.compile(r"^([1-9]|[12]\d) of")).wait_for()
    film.get_by_role("button", name="Pause (Space)").click()
    film.get_by_role("button", name="Table").click()
    assert film.locator("tbody tr").count() == 32
    page.wait_for_timeout(200)
    assert page.sent == []
