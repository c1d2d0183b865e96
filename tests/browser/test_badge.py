"""The truth badge of a matrix, as a visitor asks for it by keyboard."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import too_wide

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def number(text: str) -> float:
    """A number as the badge prints it: 0, 0.0312 or 3.9·10⁻¹⁰."""
    digits, _, power = re.sub(r"\s", "", text).partition("·10")
    return float(digits) * 10.0 ** int(power.translate(RAISED) or 0)


@pytest.mark.parametrize("width", [1280, 390])
def test_where_a_number_is_from(visit: Callable[..., Any], width: int) -> None:
    page = visit("heads", width=width)
    with_badge = page.locator("figure.gf", has=page.locator(".gf-badge-toggle"))
    matrix = with_badge.filter(has=page.locator(".gf-title", has_text="Layer 1, head 0")).first
    matrix.scroll_into_view_if_needed()
    button = matrix.get_by_role("button", name="Where is this number from?")
    assert not matrix.locator(".gf-badge").is_visible()
    page.wait_for_timeout(300)
    page.sent.clear()
    stage = matrix.locator(".gf-stage").first
    stage.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "b"):
        page.keyboard.press(key)
    assert button.get_attribute("aria-expanded") == "true"
    badge = matrix.locator(".gf-badge")
    told = badge.inner_text()
    assert re.search(r"blocks\.1\.attn\.weights\[0, \d+, 2\] of 4 × 30 × 30", told)
    assert "step 8,000, seed 0" in told
    assert re.search(r'core/nn/attention\.py:\d+ weights = tap\(self, "weights"', told)
    page.keyboard.press("ArrowRight")
    assert ", 3] of" in badge.inner_text()
    stage.hover(position={"x": 120, "y": 120})
    assert not page.sent  # neither pointing nor the badge asks the server
    badge.get_by_role("button", name="Recompute").press("Enter")
    badge.get_by_text("Largest difference in all").wait_for()
    badge.get_by_text("by this browser").wait_for()
    stage.focus()
    page.keyboard.press("ArrowLeft")
    page.sent.clear()
    told = badge.inner_text()
    shown = re.search(r"Difference here: (.+)\. Largest difference in all 3,600 numbers of the tensor: (.+)\.\n", told)
    assert shown is not None, told
    here = re.search(r"by this browser: [\d.]+\. Largest difference in the numbers shown: (.+)\.$", told)
    assert here is not None, told
    assert max(map(number, [*shown.groups(), *here.groups()])) < 1e-4
    assert too_wide(page) <= 0
    box = badge.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width
