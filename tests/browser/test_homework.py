"""Homework in real browsers: the teacher's link, a learner's answer and receipt, and the table that verifies it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.lessons.homework.assignment import Assignment
from core.lessons.homework.marking import numbers_of
from core.lessons.homework.receipt import Receipt, Trained, to_bytes
from core.train.experiment import record_of
from tests.browser.rooms import ROOT, follow, serious_faults, settle
from tests.browser.test_classroom import Opened, opened

__all__ = ["opened"]


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    """An app that trains."""
    return serve(ROOT / "app.py", GLASSFORMER_NICE="0")


def trained_elsewhere(folder: Path) -> Path:
    """The receipt of somebody who has trained on a computer of their own."""
    options = {"n_step": 12}
    numbers = numbers_of(record_of("induction", seed=3, **options))
    spec = {"experiment": "induction", "options": options}
    run = Trained(spec=spec, seed=3, step=12, n_step=12, numbers=numbers)
    given = Assignment("induction", 4_000_000_000)
    path = folder / "receipt-ben.json"
    path.write_bytes(to_bytes(Receipt(name="Ben", given=given, made=1.8e9, said=[], runs=[run])))
    return path


@pytest.mark.full
def test_from_the_link_to_a_training_that_is_verified(
    opened: Opened, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = opened("", 1440)
    follow(teacher.get_by_test_id("stSidebar"), "Homework")
    main = teacher.get_by_test_id("stMain")
    main.get_by_role("combobox", name="Lesson").click()
    teacher.get_by_role("option", name="Who may read whom").first.click()
    link = main.get_by_test_id("stCode").filter(has_text="lesson=masks").inner_text().strip()

    ada = opened(link.removeprefix(f"{url}/"), 390, has_touch=True)
    settle(ada)
    ada.get_by_label("Your prediction").first.fill("21")
    ada.get_by_role("button", name="Commit").first.click()
    expect(ada.get_by_text("You said").first).to_be_visible()
    steps = ada.locator(".st-key-lesson-next button")
    while steps.count():
        steps.click()
        settle(ada)
    ada.get_by_label("Your name").fill("Ada")
    ada.get_by_label("Your name").press("Enter")
    with ada.expect_download() as kept:
        ada.get_by_role("button", name="Save the receipt").click()
    ada.screenshot(path=tmp_path / "receipt.png")

    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "elsewhere"))
    mine = tmp_path / "receipt-ada.json"
    mine.write_bytes(kept.value.path().read_bytes())
    main.locator("input[type=file]").set_input_files([mine, trained_elsewhere(tmp_path)])
    expect(main.get_by_text("Look at one")).to_be_visible()
    main.get_by_role("button", name="Train 1 run again").click()
    main.get_by_role("combobox", name="Look at one").click()
    teacher.get_by_role("option", name="Ben, induction").click()
    expect(main.get_by_text("Trained induction, seed 3: verified.")).to_be_visible(timeout=120_000)
    expect(main.get_by_role("button", name="Train 1 run again")).to_be_hidden()
    for width in (1440, 390):
        teacher.set_viewport_size({"width": width, "height": 900})
        settle(teacher)
        main.get_by_test_id("stDataFrame").first.scroll_into_view_if_needed()
        teacher.screenshot(path=tmp_path / f"receipts-{width}.png")
    assert serious_faults(teacher) == ""
