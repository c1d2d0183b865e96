"""Homework in real browsers: the teacher's link, a learner's receipt, and a training that is trained again."""

import re
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from core.lessons.format import catalog
from core.lessons.homework.assignment import Assignment
from core.lessons.homework.marking import curve_endpoints
from core.lessons.homework.receipt import Receipt, TrainedRun, parse_receipt, receipt_to_bytes
from core.train.experiment import experiment_record
from tests.browser.rooms import ROOT, follow, serious_faults
from tests.browser.test_classroom import PHONE, Opened, opened

__all__ = ["opened"]
SLUG, OPTIONS = "short-masks", {"n_step": 12}


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    """An app that trains."""
    return serve(ROOT / "app.py", GLASSFORMER_NICE="0")


@pytest.mark.full
def test_from_the_link_to_the_verified_receipts(opened: Opened) -> None:
    teacher, lesson = opened("", 1440), catalog.catalog_lessons()[SLUG]
    follow(teacher.get_by_test_id("stSidebar"), "Homework")
    teacher.get_by_role("combobox", name="Lesson").click()
    teacher.get_by_role("option", name=lesson.title, exact=True).click()
    link = teacher.get_by_test_id("stCode").filter(has_text=f"lesson={SLUG}&")
    expect(link).to_be_visible()
    teacher.get_by_role("button", name="Copy link").click()
    expect(teacher.get_by_role("button", name="Copied")).to_be_visible()

    phone = opened(
        urlsplit(link.inner_text().strip())._replace(scheme="", netloc="").geturl().lstrip("/"), 390, **PHONE
    )
    expect(phone.get_by_text("Homework, due")).to_be_visible()
    phone.get_by_test_id("stNumberInputField").first.fill("21")
    phone.get_by_role("button", name="Commit").first.click()
    expect(phone.get_by_text("You said")).to_be_visible()
    for n in range(2, len(lesson.steps) + 1):
        phone.locator(".st-key-gf-lesson-next button").click()
        expect(phone.get_by_text(f"Step {n} of {len(lesson.steps)}", exact=True)).to_be_visible()
    expect(phone.get_by_text("1 of 3 questions answered.")).to_be_visible()
    save = phone.get_by_role("button", name="Save the receipt")
    expect(save).to_be_disabled()
    phone.get_by_label("Your name").fill("Mia")
    phone.get_by_label("Your name").press("Enter")
    expect(save).to_be_enabled()
    with phone.expect_download() as saved:
        save.click()
    mine = saved.value.path().read_bytes()
    receipt = parse_receipt(mine)
    assert (receipt.name, [one.first for one in receipt.said]) == ("Mia", [21])
    assert serious_faults(phone) == ""

    true = TrainedRun(
        spec={"experiment": "induction", "options": OPTIONS}, seed=3, step=12, n_step=12,
        numbers=curve_endpoints(experiment_record("induction", seed=3, **OPTIONS)),
    )  # fmt: skip
    tom = Receipt(name="Tom", given=Assignment(SLUG, 4_000_000_000), made=time.time(), said=[], runs=[true])
    files = [("mia.json", mine), ("tom.json", receipt_to_bytes(tom)), ("song.json", b"la")]
    teacher.locator("input[type=file]").set_input_files(
        [{"name": name, "mimeType": "application/json", "buffer": content} for name, content in files]
    )
    expect(teacher.get_by_text("song.json: This file isn't a receipt")).to_be_visible()
    again = teacher.get_by_role("button", name="Train 1 run again")
    again.click()
    teacher.get_by_role("combobox", name="Look at one").click()
    teacher.get_by_role("option", name=re.compile("^Tom")).click()
    expect(teacher.get_by_text("Trained induction, seed 3: verified (only 12 of")).to_be_visible()
    expect(again).to_be_hidden()
    with teacher.expect_download() as saved:
        teacher.get_by_role("button", name="Table (CSV)").click()
    table = saved.value.path().read_text(encoding="utf-8")
    assert re.search("Mia,signed here,yes,1 of 3,1", table)
    assert re.search('Tom,"signed by another server, recomputed",.*1 verified', table)
    assert serious_faults(teacher) == ""
