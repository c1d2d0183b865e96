"""The frame in a real browser: pictures as files, links for others, and how deep the app goes."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from tests.browser.rooms import address_has_no, exhibit, settle, until


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


def open_panel(page: Any, name: str, panel: str) -> Any:
    """Open a panel of an exhibit; the exhibit."""
    found = exhibit(page, name)
    found.locator(f".st-key-gf-panel-{name} button", has_text=panel).click()
    settle(page)
    return found


def taken(page: Any, button: Any, folder: Path) -> bytes:
    with page.expect_download() as download:
        button.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path.read_bytes()


def picture(page: Any, name: str, n: int, title: str, folder: Path) -> tuple[bytes, bytes]:
    """SVG and PNG of the first of the n pictures that an exhibit offers."""
    open_panel(page, name, "Download")
    offered = page.locator(f".st-key-gf-saving-{name} li")
    offered.nth(n - 1).wait_for()
    assert offered.count() == n
    assert offered.first.locator("span").inner_text().startswith(title)
    svg, png = (taken(page, offered.first.get_by_role("button").nth(kind), folder) for kind in (0, 1))
    return svg, png


def words_of(svg: bytes) -> set[str]:
    """The texts of a picture that parses as SVG."""
    return {
        "".join(node.itertext()).strip() for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("}text")
    }


def n_color(png: bytes) -> int:
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    assert min(pixels.shape[:2]) > 100
    return len(np.unique(pixels.reshape(-1, 3), axis=0))


def test_every_kind_of_picture_becomes_a_file(visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit("steps?open=all")
    svg, png = picture(page, "why-the-root", 6, "Variance of the scores by width", tmp_path)
    assert {"without the root", "with the root", "256"} <= words_of(svg)
    assert b"<path" in svg
    assert n_color(png) > 20
    svg, png = picture(page, "where-the-root-stands", 2, "Right: root inside", tmp_path)
    assert "t11" in words_of(svg)
    assert n_color(png) > 20

    page = visit("embeddings?open=all")
    svg, png = picture(page, "token-map", 1, "A map of", tmp_path)
    assert svg.count(b"<path") > 20
    assert any("axis 1" in text for text in words_of(svg))
    assert n_color(png) > 20


def test_an_exhibit_without_a_picture_says_so_and_a_script_is_shown(visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit("masks?open=all")
    found = open_panel(page, "number-for-minus-infinity", "Download")
    found.get_by_text("There is no picture here").wait_for()
    script = taken(page, found.get_by_role("button", name="Script (Python)"), tmp_path).decode()
    assert script.rstrip().endswith("print_table(result.table())")
    csv = taken(page, found.get_by_role("button", name="Numbers (CSV)"), tmp_path).decode()
    assert csv.startswith("number,kind,stored as")


def test_a_link_for_others_is_made_by_clicking(visit: Callable[..., Any], url: str) -> None:
    page = visit("steps?open=all&scale_width=128")
    open_panel(page, "why-the-root", "Link")
    exhibit(page, "why-the-root").get_by_role("button", name="With a note").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("A note for the people who open it").fill("Look at <b>this</b>")
    dialog.get_by_role("button", name="Hide everything").click()
    row = dialog.locator(".st-key-share-row-scale_width")
    until(page, "document.querySelector('[role=dialog] code').textContent.includes('hide=')")
    row.get_by_text("Locked").click()
    until(page, "document.querySelector('[role=dialog] code').textContent.includes('lock=scale_width&')")
    link = dialog.locator("code").first.inner_text()
    assert "note=Look" in link and "scale_seed=0" in link

    other = visit(link.removeprefix(f"{url}/"))
    assert other.get_by_text("Look at <b>this</b>").is_visible()
    found = exhibit(other, "why-the-root")
    assert found.get_by_text("keys of 128 random numbers").is_visible()
    slider = found.get_by_role("slider")
    assert slider.count() == 1 and slider.is_disabled()
    assert found.get_by_label("Seed").count() == 0
    other.get_by_role("button", name="Close the note").click()
    other.get_by_text("Look at <b>this</b>").wait_for(state="detached")
    assert "note=" not in other.url


def test_the_depth_is_remembered_and_keeps_what_was_set(visit: Callable[..., Any]) -> None:
    page = visit("steps?open=all&scale_width=128")
    found = exhibit(page, "why-the-root")
    page.locator(".st-key-gf-panel-why-the-root button", has_text="Formula").click()
    found.locator(".katex").nth(1).wait_for()
    page.locator(".st-key-gf-menu button").first.click()
    page.locator(".st-key-gf-depth").get_by_role("radio", name="Story").click()
    until(page, "document.querySelectorAll('.katex').length === 0")
    settle(page)
    assert "scale_width=128" in page.url
    assert found.locator(".st-key-gf-panel-why-the-root button").count() == 2
    page.reload()
    settle(page)
    assert page.locator(".katex").count() == 0
    address_has_no(page, "depth")
