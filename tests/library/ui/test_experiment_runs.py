"""Live experiments on a page: the example first, then a visitor's own run on its way, and what went wrong in words."""

import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.store import RunStore
from core.train import experiment
from core.ui.training import live_experiments

PAGE = textwrap.dedent(
    """
    import streamlit as st
    from core import exhibit
    from core.ui.controls import controls
    from core.ui.training import live_experiments

    pace = live_experiments.poll_interval("contest")
    back = controls.render_control(exhibit.slider(1, 8, 3, name="back", label="Back"))
    shown = live_experiments.train_experiment_on_click("contest", {"back": back}, 0, about="Soon.")
    st.write("nothing" if shown is None else f"{shown.is_example} {shown.step} {shown.is_running} {pace}")
    """
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setattr(live_experiments, "owner_id", lambda: "ada")
    return RunStore(tmp_path / "runs")


@pytest.fixture
def page(store: RunStore) -> Callable[[], AppTest]:
    return lambda: AppTest.from_string(PAGE, default_timeout=30).run()


def said(test: AppTest) -> str:
    assert not test.exception
    return " ".join(one.value for kind in (test.markdown, test.caption, test.error, test.warning) for one in kind)


def press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


def work(store: RunStore, n_step: int = 3) -> str:
    """Act as the worker of the only run: report two steps of it."""
    run_id, attempt = store.claim() or ("", 0)
    store.begin(run_id, attempt, 1)
    running = experiment.make_experiment("contest", {"n_step": n_step}, 0)
    running.advance()
    store.set_record(run_id, attempt, 1, experiment.pack_record(running, {"options": {"back": 3}, "seed": 0}))
    return run_id


def test_the_example_is_there_without_a_click(page: Callable[[], AppTest]) -> None:
    test = page()
    assert "True 200 False None" in said(test)
    assert "A ready-made example" in said(test) and "Soon." in said(test)
    assert "settings have changed" not in said(test)
    assert "settings have changed" in said(test.slider(key="back").set_value(5).run())


def test_a_run_waits_trains_and_ends(
    page: Callable[[], AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = press(page(), "Train")
    assert (
        "True 200" in said(test) and "on its way" in said(test) and "Stop" in [button.label for button in test.button]
    )
    assert "False 0.4" in said(test)
    later = time.time() + 5
    monkeypatch.setattr(time, "time", lambda: later)
    assert "False 2.0" in said(test.run()), "who stands in line looks rarely"
    run_id = work(store)
    assert "False 1 True 0.4" in said(test.run())
    store.leave(run_id, 1, "finished", step=1)
    assert "False 1 False None" in said(test.run())
    assert "True 200" in said(press(test, "Back to the example"))


def test_what_is_shown_of_a_run_names_the_run(store: RunStore) -> None:
    """Fault: files that are made of a run and don't know with what they are to go."""
    store.create("ada", {"experiment": "contest", "options": {"n_step": 3}}, 0)
    run_id = work(store)
    (run,), example = store.list("ada", experiment="contest"), live_experiments.example_run("contest")
    shown = live_experiments._of_run(run)
    assert shown is not None and shown.run_id == run_id and example is not None and example.run_id == ""


def test_a_second_press_starts_no_second_run_and_a_new_run_replaces_the_old(
    page: Callable[[], AppTest], store: RunStore
) -> None:
    test, other = page(), page()
    press(test, "Train")
    press(other, "Train")
    mine = store.list("ada", experiment="contest")
    assert len(mine) == 1
    run_id = work(store)
    store.leave(run_id, 1, "finished", step=1)
    press(test.run(), "Train")
    again = store.list("ada", experiment="contest")
    assert len(again) == 1 and again[0].id != run_id


def test_without_training_the_button_says_so(page: Callable[[], AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")
    assert next(button for button in page().button if button.label == "Train").disabled


def test_more_than_a_browser_may_ask_for_is_refused_in_words(store: RunStore) -> None:
    test = AppTest.from_string(PAGE.replace('"back":', '"n_step": 1_001, "back":'), default_timeout=30).run()
    assert "a browser may ask for up to" in said(press(test, "Train"))
    assert store.list("ada", experiment="contest") == []


def test_stop_and_failure_are_said_in_words(page: Callable[[], AppTest], store: RunStore) -> None:
    test = press(page(), "Train")
    press(test, "Stop")
    assert "Stopped at step 0" in said(test.run())
    press(test, "Train")
    run_id = work(store)
    store.leave(run_id, 1, "failed", "There was not enough memory for this run.")
    assert "not enough memory" in said(test.run())
    store.record_path(run_id).write_bytes(b"\x00" * 40)  # damaged on the disk
    assert "True 200" in said(test.run())
