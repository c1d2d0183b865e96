"""A race in real browsers, with real trainings: from the settings on the phones to the winner's heads on the wall."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.rooms import ROOT, serious_faults
from tests.browser.test_classroom import Opened, begin, join, opened, shows
from tests.browser.test_race_wall import SIZES, UNREADABLE

__all__ = ["opened"]


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    """An app that trains."""
    return serve(ROOT / "app.py", GLASSFORMER_NICE="0")


@pytest.mark.full
def test_a_race_from_the_settings_to_the_winners_heads(opened: Opened) -> None:
    desk, projector, code = begin(opened)
    mia, tom = join(opened, code, "Mia"), join(opened, code, "Tom")
    desk.get_by_label("Seconds of work").select_option("5")
    desk.get_by_role("button", name="Open the race").click()
    expect(projector.get_by_role("heading", name="A race on")).to_be_visible()
    for phone, width in ((mia, "64"), (tom, "32")):
        expect(phone.get_by_text(re.compile("enough for [0-9,]+ steps"))).to_be_visible()
        phone.get_by_label("Width").select_option(width)
        phone.get_by_role("button", name="Enter the race").click()
        expect(phone.get_by_text("You're in.")).to_be_visible()
    expect(projector.get_by_text("2 of 2 have entered")).to_be_visible()
    expect(desk.get_by_text(re.compile("about [0-9]+ seconds"))).to_be_visible()
    mia.reload()
    expect(mia.get_by_label("Width")).to_have_value("64")
    desk.get_by_role("button", name="Start", exact=True).click()
    expect(desk.get_by_role("button", name=re.compile("(Mia|Tom) trains"))).to_be_visible()
    expect(projector.locator("path.run.first")).to_be_visible()
    assert projector.evaluate(UNREADABLE) == []
    expect(desk.get_by_role("button", name="Explain the worst")).to_be_visible(timeout=300_000)
    expect(projector.locator(".board tr")).to_have_count(3)
    assert "Mia" not in projector.locator("body").inner_text()
    for phone in (mia, tom):
        expect(phone.get_by_text(re.compile("(1st|2nd) of 2"))).to_be_visible()
    for look in ("The race", "What mattered"):
        projector.get_by_role("button", name=look, exact=True).click()
        for size in SIZES:
            projector.set_viewport_size(size)
            projector.wait_for_timeout(200)
            assert projector.evaluate(UNREADABLE) == [], (look, size)
    expect(projector.locator(".shares button")).to_have_count(8)
    projector.set_viewport_size(SIZES[0])
    assert [serious_faults(page) for page in (desk, projector, mia)] == ["", "", ""]

    desk.get_by_role("button", name="Attack").click()
    mia.get_by_label("Your sentence").fill("The class statement is executed.")
    mia.get_by_role("button", name="Attack").click()
    expect(mia.get_by_text(re.compile("bits per byte to the model attacked"))).to_be_visible()
    desk.get_by_role("button", name="The class statement").click()
    expect(projector.locator(".pieces")).to_have_text("The class statement is executed.")
    desk.get_by_role("button", name="Show the winner's heads").click()
    for page in (projector, mia, tom):
        shows(page, r"/heads\?model=")
    with desk.expect_download() as kept:
        desk.get_by_text("End the class").click()
        desk.get_by_role("button", name="All races (CSV)").click()
    assert "Mia" in kept.value.path().read_text()
    desk.get_by_role("button", name="End it and delete").click()
    expect(mia.get_by_role("heading", name="The class is over")).to_be_visible()
