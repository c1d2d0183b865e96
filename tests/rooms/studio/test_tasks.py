"""Tasks in the studio: an example before training, settings of their own, the share of right answers after it."""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.store import RunStore
from core.rooms.studio import run_comparison, task_panel
from core.train.curve_point import CurvePoint
from core.train.recipes import Recipe
from core.train.tasks import defaults
from core.train.tasks.recipe import task_recipe
from core.ui.training import choices_to_recipe, task_choices
from tests.rooms.run_pages import OWNER, checked, texts
from tests.rooms.studio.test_page import make_run, store as store, studio as studio


def test_a_task_shows_what_it_asks_and_brings_its_own_settings(studio: Callable[..., AppTest], store: RunStore) -> None:
    app = studio()
    checked(app.selectbox(key="corpus").set_value("task:sort").run())
    example = next(code.value for code in app.code if " → " in code.value)
    for line in example.splitlines():
        question, answer = line.split(" → ")
        assert "".join(sorted(question)) == answer and len(question) == 8
    assert not [one for one in app.selectbox if one.key == "tokenizer"]
    assert app.number_input(key="batch").value == 64 and app.selectbox(key="positions").value == "learned"
    checked(app.number_input(key="task_length").set_value(5).run())
    checked(app.selectbox(key="kind").set_value("t5").run())
    checked(app.button(key="studio-train").click().run())
    (run,) = store.list(OWNER)
    assert run.recipe["task"]["length"] == 5 and run.recipe["model"]["kind"] == "t5"
    assert Recipe.for_browser(run.recipe).posed is not None
    checked(studio().selectbox(key="corpus").set_value("stories").run())


def test_what_suits_a_task_is_the_same_in_the_studio_and_on_the_command_line(
    studio: Callable[..., AppTest], store: RunStore
) -> None:
    """A recurrent net takes longer steps and more of them, however it was chosen: what a rate of texts would change."""
    for how in ({"kind": "GRU"}, {"parts": "Recurrent net"}):
        checked(studio(corpus="Task: Parity", **how).button(key="studio-train").click().run())
    (last, first), told = store.list(OWNER), task_recipe("task:parity", "gru")
    for run in (first, last):
        assert (run.recipe["learning_rate"], run.recipe["n_step"]) == (told.learning_rate, told.n_step) == (0.04, 1200)
    assert first.recipe["model"] == last.recipe["model"] == dict(told.model)
    hard = "Hard for this kind of model"
    assert hard in texts(studio(corpus="Task: Parity")) and hard not in texts(studio(corpus="Task: Parity", kind="GRU"))
    assert set(task_panel.EASIER_OPTIONS) == set(defaults.HARD_TASKS)


@pytest.mark.parametrize("corpus", task_choices.task_labels())
def test_every_task_can_be_trained_by_all_that_can(corpus: str) -> None:
    for kind in choices_to_recipe.KIND_LABELS:
        options = tuple((name, one.default) for name, one in task_choices.find_task_options(corpus).items())
        recipe = choices_to_recipe.recipe_from_choice(
            choices_to_recipe.TrainingChoices(corpus=corpus, kind=kind, positions="learned", task=options), "x"
        )
        if corpus == "task:elman" and kind not in ("gpt", "gru", "lstm", "rnn"):
            with pytest.raises(ValueError, match="an encoder reads ahead"):
                Recipe.for_browser(recipe)
        else:
            posed = Recipe.for_browser(recipe).posed
            assert posed is not None and len(task_choices.task_vocabulary(recipe) or ()) >= posed.tokenizer.vocab_size
        assert "?" not in choices_to_recipe.recipe_in_words(recipe, "x")
    assert set(task_panel.control_names(corpus)) <= set(task_panel.TASK_CONTROLS)


def test_a_task_beside_a_text_and_beside_itself_with_its_defaults_written_out(store: RunStore) -> None:
    """A table of options that is empty is no value: it broke the list of what differs."""
    text = choices_to_recipe.recipe_from_choice(choices_to_recipe.TrainingChoices(n_step=5), "x")
    bare, written = (task_recipe("task:sort", "lstm", options).to_dict() for options in ({}, {"length": 8}))
    rows = run_comparison.differing_settings([run_comparison.flatten_recipe(one) for one in (text, bare)])
    assert {"Text to learn from", "Training steps"} <= {row.label for row in rows}
    (row,) = run_comparison.differing_settings([run_comparison.flatten_recipe(one) for one in (bare, written)])
    assert row.words == ("–", "8")
    info = replace(store.get(make_run(store, "finished")), recipe=text)
    told = run_comparison.table([info, replace(info, recipe=bare)], ["a", "b"])
    by_row = dict(
        zip(
            told[run_comparison.SETTING_LABEL],
            zip(told["b"], told[run_comparison.PRICE_LABEL], strict=True),
            strict=True,
        )
    )
    assert by_row["What reads the text"] == ("Recurrent net", "not by itself") and by_row["Cell"][0] == "LSTM"


def test_what_cannot_learn_a_task_says_why(studio: Callable[..., AppTest]) -> None:
    app = studio(corpus="Task: Elman's grammar", kind="BERT (fills gaps)")
    assert "an encoder reads ahead" in texts(app) and app.button(key="studio-train").disabled


def test_a_finished_task_tells_its_right_answers(studio: Callable[..., AppTest], store: RunStore) -> None:
    options = tuple((name, one.default) for name, one in task_choices.find_task_options("task:parity").items())
    recipe = choices_to_recipe.recipe_from_choice(
        choices_to_recipe.TrainingChoices(corpus="task:parity", kind="seq2seq", n_step=20, task=options), "Parity"
    )
    run_id = store.create(OWNER, recipe, 0)
    claimed = store.claim()
    assert claimed == (run_id, 1)
    store.begin(run_id, 1, 1)
    points = [
        CurvePoint(s, 1.0, 1.0, 1.0, 0.1, 0.5 + s / 40) if s % 5 == 0 else CurvePoint(s, 1.0, None, 1.0, 0.1)
        for s in range(1, 21)
    ]
    store.record(run_id, 1, points, 1.0, None)
    store.leave(run_id, 1, "finished", "", step=20)
    app = studio(run=run_id)
    shares: list[Any] = [one.proto for one in app.get("vega_lite_chart") if "right answers" in str(one.proto.alt)]
    assert len(shares) == 1 and "100% at last" in shares[0].alt and "always the same answer: 5" in shares[0].alt
    assert [one.value for one in app.metric if one.label == "Right answers"] == ["100%"]
    assert not [link.label for link in app.get("page_link") if link.label.startswith(("Look at its", "Sample"))]


def test_a_store_of_before_gets_room_for_right_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.jobs import database as stores

    monkeypatch.setattr(stores, "SCHEMA_CHANGES", stores.SCHEMA_CHANGES[:3])
    monkeypatch.setattr(stores, "VERSION", 3)
    monkeypatch.setattr(stores, "CurvePoint", namedtuple("Point", CurvePoint._fields[:5]))  # type: ignore[misc]
    old = RunStore(tmp_path)
    run_id = "0123456789abcdef"
    with old._write() as db:
        db.execute(
            "INSERT INTO runs (id, owner, name, recipe, seed, state, n_step, n_parameter, created, queued) "
            "VALUES (?, ?, 'x', '{}', 0, 'finished', 5, 1, 0.0, 0.0)",
            (run_id, OWNER),
        )
        db.execute("INSERT INTO points VALUES (?, 1, 2.0, NULL, 1.0, 0.1)", (run_id,))
    monkeypatch.undo()
    assert RunStore(tmp_path).points(run_id) == [CurvePoint(1, 2.0, None, 1.0, 0.1, right_share=None)]
