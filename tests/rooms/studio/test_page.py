"""The training studio, with a store that holds runs in every state; no run is trained here."""

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.model_inputs.model_key import SHIPPED_MODELS
from core.jobs import export_run
from core.jobs.runs import RunNotFound
from core.jobs.store import RunStore
from core.rooms.studio import one_run, recorded_example
from core.train import recipes
from core.train.curve_point import CurvePoint
from core.train.recipe_parts.table import PARTS
from core.train.watch.behavior_snapshots import RunFrame, frame_steps
from core.ui.models.standalone_model_map import model_page_html
from core.ui.training import choices_to_recipe
from tests.rooms.run_pages import OWNER, checked, keys, opener, texts

STRANGER = "f" * 32
STATES = ("queued", "running", "paused", "stopped", "finished", "failed")
TINY = choices_to_recipe.TrainingChoices(
    corpus="bottle-and-cup", tokenizer="word", n_layer=1, n_head=2, d_model=16, context_length=16, n_step=40
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return RunStore()


@pytest.fixture
def studio(store: RunStore) -> Callable[..., AppTest]:
    return opener("pages/train/studio.py")


def make_run(
    store: RunStore,
    state: str,
    *,
    owner: str = OWNER,
    seed: int = 0,
    name: str = "A run",
    step: int = 20,
    kind: str = "gpt",
) -> str:
    """A run in this state, with points and frames as if it had been trained."""
    recipe = choices_to_recipe.recipe_from_choice(replace(TINY, kind=kind), "The bottle and the cup")
    run_id = store.create(owner, recipe, seed, name)
    if state == "queued":
        return run_id
    claimed = store.claim()
    assert claimed is not None and claimed[0] == run_id
    attempt = claimed[1]
    store.begin(run_id, attempt, 1)
    step = 40 if state == "finished" else step
    points = [
        CurvePoint(s, 3.0 / s, 3.1 / s if s % 5 == 0 or s == 1 else None, 1.0 / s, 0.05) for s in range(1, step + 1)
    ]
    store.record(run_id, attempt, points, 4.0, 5_000.0)
    for at in (0, 1, 5, step):
        attention = np.tril(np.full((1, 2, 4, 4), 60, np.uint8))
        frame = RunFrame(at, ("a", "b", "c", "d"), attention, f"sample at {at}", at, 2.0, None)
        store.add_frame(run_id, attempt, at, frame.to_bytes(), frame.sample)
    if state != "running":
        message = "Training diverged at step 20: [x](http://a) <b>" if state == "failed" else ""
        store.leave(run_id, attempt, state, message, step=step)
        if state in ("paused", "stopped"):
            force(store, run_id, state)
    return run_id


def force(store: RunStore, run_id: str, state: str) -> None:
    """`leave` follows the last wish; without one it puts the run back in line, so say what was wished."""
    if store.get(run_id).state != state:
        store.request(run_id, store.get(run_id).owner, {"paused": "pause", "stopped": "stop"}[state])
    assert store.get(run_id).state == state


def add_weights(store: RunStore, run_id: str) -> None:
    folder = store.folder(run_id)
    folder.mkdir(parents=True)
    for name in one_run.DOWNLOAD_FILES:
        (folder / name).write_bytes(name.encode())
    (folder / "run.safetensors").write_bytes(b"the optimizer's memory is nobody's download")


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]


def loss_by_step(app: AppTest) -> Any:
    """The chart of the loss: its `alt` is what it says to who cannot see it, its `spec` what it draws."""
    (found,) = (one.proto for one in app.get("vega_lite_chart") if str(one.proto.alt).startswith("Loss by step"))
    return found


# Set up


def test_first_visit_needs_one_click_and_a_double_click_is_one_wish(
    studio: Callable[..., AppTest], store: RunStore
) -> None:
    app = studio()
    assert "parameters" in texts(app) and "guessing blindly" in texts(app) and "MB" in texts(app)
    train = app.button(key="studio-train")
    assert not train.disabled
    checked(train.click().run())
    checked(app.button(key="studio-train").click().run())
    (run,) = store.list(OWNER)
    assert app.query_params["run"] == run.id
    assert run.recipe["corpus"] == "python-topics" and run.seed == 0
    assert "It starts next" in texts(app)


@pytest.mark.parametrize("has_weights", [False, True])
def test_a_run_without_a_checkpoint_leads_to_no_room(
    studio: Callable[..., AppTest], store: RunStore, has_weights: bool
) -> None:
    """Fault: a failed run links to its heads, and another model opens there."""
    run = make_run(store, "failed")
    if has_weights:
        add_weights(store, run)
    app = studio(run=run)
    assert any("attention heads" in link.proto.label for link in app.get("page_link")) == has_weights
    assert ("no model to open" in texts(app)) != has_weights


def test_every_control_reaches_its_ends(studio: Callable[..., AppTest]) -> None:
    app = studio(size="Custom", tokenizer="Word pieces (BPE)")
    names = {number.key for number in app.number_input} - PARTS.keys()  # these: test_parts
    assert names == {"vocab", "layers", "heads", "width", "context", "rate", "steps", "batch", "seed"}
    defaults = {name: app.number_input(key=name).value for name in ("layers", "rate", "steps")}
    for name in sorted(names):
        before = app.number_input(key=name).value
        for value in (app.number_input(key=name).min, app.number_input(key=name).max):
            checked(app.number_input(key=name).set_value(value).run())
        app.number_input(key=name).set_value(before)  # with the next
    for name in ("positions", "tokenizer", "corpus"):
        for label in app.selectbox(key=name).options:
            checked(app.selectbox(key=name).select(label).run())
    app.number_input(key="layers").set_value(7).run()
    checked(app.button(key="studio-reset").click().run())
    assert (
        app.selectbox(key="corpus").value == choices_to_recipe.DEFAULT_TEXT and app.number_input(key="seed").value == 0
    )
    assert app.number_input(key="rate").value == defaults["rate"] == 0.05
    app = checked(studio(size="Custom", corpus="nothing", run="0" * 16, compare="..,%00"))
    assert (
        app.selectbox(key="corpus").value == choices_to_recipe.DEFAULT_TEXT
        and app.number_input(key="layers").value != 7
    )
    assert "not here" in texts(app) and not app.button(key="studio-train").disabled


def test_every_kind_of_model_is_a_choice_like_any_other(studio: Callable[..., AppTest], store: RunStore) -> None:
    app, names = studio(), set()
    for kind, label in choices_to_recipe.KIND_LABELS.items():
        checked(app.selectbox(key="kind").set_value(kind).run())
        assert not app.warning and bool([one for one in app.selectbox if one.key == "positions"]) == (kind == "gpt")
        width = 17 if kind in ("gru", "lstm", "rnn", "seq2seq") else 16  # no heads have to share it
        recipe = choices_to_recipe.recipe_from_choice(replace(TINY, kind=kind, d_model=width), "Bottle")
        assert recipes.Recipe.from_dict(recipe).config(9).d_model in (16, 17)
        assert label.split(" (")[0] in choices_to_recipe.recipe_in_words(recipe, "Bottle") or kind == "gpt"
        recipe = choices_to_recipe.recipe_from_choice(
            replace(TINY, kind=kind, d_model=width), "A bottle and a cup, and where they stood" * 2
        )
        names.add(name := store.get(store.create(f"somebody {kind}", recipe, 0)).name)
        assert name.startswith("A bottle") and name.endswith(f", 1 layer, width {width}")
    assert len(names) == len(choices_to_recipe.KIND_LABELS)


def test_settings_follow_the_text_until_they_are_touched(studio: Callable[..., AppTest]) -> None:
    app = studio()
    app.selectbox(key="corpus").set_value("bottle-and-cup").run()
    assert app.selectbox(key="tokenizer").value == "word" and app.number_input(key="steps").value == 300
    app.number_input(key="steps").set_value(77).run()
    app.selectbox(key="corpus").set_value("python-topics").run()
    assert app.selectbox(key="tokenizer").value == "char" and app.number_input(key="steps").value == 77


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"size": "Custom", "heads": "3"}, "3 heads cannot share a width of 128 equally"),
        ({"size": "Custom", "layers": "12", "width": "512", "context": "512", "batch": "128"}, "memory"),
        # Few tokens at once: without bfloat16 a batch of the usual size would be refused for its memory first.
        ({"size": "Custom", "layers": "12", "width": "512", "context": "64", "batch": "8", "steps": "20000"}, "hours"),
        ({"size": "Custom", "heads": "16", "width": "16", "positions": "RoPE (rotary)"}, "rotary"),
        ({}, "switched off"),
    ],
)
def test_what_cannot_be_trained_says_why(
    studio: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, link: dict[str, str], words: str
) -> None:
    if not link:
        monkeypatch.setenv("GLASSFORMER_TRAINING", "off")
    app = studio(**link)
    assert words in texts(app)
    assert app.button(key="studio-train").disabled


# Live


@pytest.mark.parametrize("state", STATES)
def test_each_state_shows_what_can_be_done(studio: Callable[..., AppTest], store: RunStore, state: str) -> None:
    for stranger in "abc" * (state == "queued"):
        store.create(stranger, choices_to_recipe.recipe_from_choice(TINY, "x"), 0)
    make_run(store, state)
    app = studio()
    assert ("number 4 in line" in texts(app)) == (state == "queued")
    offered = {
        "queued": {"studio-pause", "studio-stop"},
        "running": {"studio-pause", "studio-stop"},
        "paused": {"studio-resume", "studio-stop", "studio-reseed"},
        "stopped": {"studio-resume", "studio-reseed"},
        "finished": {"studio-reseed"},
        "failed": {"studio-resume", "studio-reseed"},
    }
    every = {"studio-pause", "studio-resume", "studio-stop", "studio-reseed"}
    assert keys(app) & every == offered[state]
    if state != "queued":
        assert "sample at" in "".join(code.value for code in app.code)
        loss = loss_by_step(app).alt
        assert "ln 24" in loss and "3-gram" in loss
    if state == "failed":
        assert r"\[x\]\(http" in texts(app) and "\\<b\\>" in texts(app)


def test_a_model_of_gaps_is_told_of_in_its_own_words(studio: Callable[..., AppTest], store: RunStore) -> None:
    make_run(store, "finished", kind="bert")
    app = studio()
    loss = loss_by_step(app).alt
    assert "ln 26" in loss and "3-gram" not in loss
    assert "What it puts into gaps now" in texts(app) and "15 in 100" in texts(app)
    assert [link.label for link in app.get("page_link") if "Sample" in link.label] == []


def test_pause_resume_stop(studio: Callable[..., AppTest], store: RunStore) -> None:
    run_id = make_run(store, "running")
    app = studio()
    checked(app.button(key="studio-pause").click().run())
    assert store.get(run_id).request == "pause"
    checked(app.button(key="studio-resume").click().run())
    assert store.get(run_id).request is None
    checked(app.button(key="studio-stop").click().run())
    assert store.get(run_id).request == "stop"
    assert not keys(app) & {"studio-pause", "studio-resume", "studio-stop"}


def test_a_paused_run_goes_back_in_line(studio: Callable[..., AppTest], store: RunStore) -> None:
    run_id = make_run(store, "paused")
    checked(studio().button(key="studio-resume").click().run())
    assert store.get(run_id).state == "queued"


def test_runs_of_others_can_be_looked_at_and_not_touched(studio: Callable[..., AppTest], store: RunStore) -> None:
    run_id = make_run(store, "running", owner=STRANGER)
    app = studio(run=run_id)
    assert "Somebody else's run" in texts(app)
    assert len(charts(app)) >= 3
    assert not keys(app) & {"studio-pause", "studio-stop", "studio-resume", "runs-delete"}
    assert studio().query_params.get("run") is None
    assert "Somebody else's run" not in texts(studio())


def test_a_long_run_sends_few_points(studio: Callable[..., AppTest], store: RunStore) -> None:
    run_id = make_run(store, "running", step=39, name="The active one")
    points = [CurvePoint(s, 1.0, None, 1.0, 0.1) for s in range(1, 20_001)]
    store.record(run_id, 1, points, 1.0, None)
    store.create(OWNER, choices_to_recipe.recipe_from_choice(TINY, "x"), 1, "The stopped one")
    store.request(store.list(OWNER)[0].id, OWNER, "stop")
    app = studio()
    assert "**The active one**" in [one.value for one in app.markdown]  # before newer ones that are over
    sizes = [len(one.data.data) for chart in app.get("vega_lite_chart") for one in chart.proto.datasets]
    assert 0 < max(sizes) < 40_000
    assert json.loads(loss_by_step(app).spec)["layer"][-1]["encoding"]["x"]["scale"].get("type") != "log"
    app.toggle(key="log").set_value(True).run()
    assert json.loads(loss_by_step(checked(app)).spec)["layer"][-1]["encoding"]["x"]["scale"]["type"] == "log"
    app.segmented_control(key="gf-panel-live").set_value("code").run()
    assert any("def _update" in code.value for code in checked(app).code)


# My runs


def choose(app: AppTest, *ids: str) -> AppTest:
    return checked(app.multiselect(key="studio-chosen").set_value(list(ids)).run())


def test_another_seed_and_again(studio: Callable[..., AppTest], store: RunStore) -> None:
    first = make_run(store, "finished", seed=4)
    app = studio()
    checked(app.button(key="studio-reseed").click().run())
    second = store.get(app.query_params["run"])
    assert second.seed == 5 and second.recipe == store.get(first).recipe
    for key in ("runs-again", "runs-reseed"):
        choose(app, first)
        checked(app.button(key=key).click().run())
    assert sorted(run.seed for run in store.list(OWNER)) == [4, 4, 5, 5]


def test_click_on_rows_chooses_their_runs() -> None:
    def click() -> None:
        import streamlit as st

        from core.rooms.studio import runs as studio_runs
        from core.ui import state

        ids = ["a", "b", "c"]
        state.set_session_slot("studio.listed", ids)
        st.session_state[studio_runs.table_key(ids)] = {"selection": {"rows": [2, 0, 7], "columns": []}}
        studio_runs.select_clicked_rows()
        st.write(",".join(st.session_state["studio-chosen"]), st.query_params["compare"])

    assert AppTest.from_function(click).run().markdown[0].value == "c,a c,a"


def test_rename_with_hostile_names(studio: Callable[..., AppTest], store: RunStore) -> None:
    run_id = make_run(store, "finished")
    app = studio()
    choose(app, run_id)
    names = ["../../etc/passwd", "<script>alert(1)</script>", "![x](http://a/b)", "a\u202eb", "CON", "x" * 60, "=1+1"]
    for name in [*names, "語", "$E=mc^2$", ":red[x]"]:
        checked(app.text_input(key=f"runs-name-{run_id}").set_value(name).run())
        shown = store.get(run_id).name
        assert "\u202e" not in shown and 0 < len(shown) <= 60
        assert not [one.value for one in app.markdown if "![x](" in one.value or ":red[x]" in one.value]
    checked(app.text_input(key=f"runs-name-{run_id}").set_value("").run())
    assert store.get(run_id).name == ":red[x]"


def test_delete_needs_a_second_click(studio: Callable[..., AppTest], store: RunStore) -> None:
    run_id = make_run(store, "finished")
    other = make_run(store, "stopped", name="The other one")
    app = studio(run=run_id)
    choose(app, run_id)
    assert "for good" in texts(app)
    assert store.get(run_id).id == run_id
    checked(app.button(key="runs-delete").click().run())
    with pytest.raises(RunNotFound):
        store.get(run_id)
    assert store.get(other).id == other
    assert "run" not in app.query_params
    store.delete(other, OWNER)
    assert "not here" in texts(studio(run=other))


def test_compare_by_steps_and_by_seconds(studio: Callable[..., AppTest], store: RunStore) -> None:
    ids = [make_run(store, state, seed=i) for i, state in enumerate(("finished", "stopped", "failed"))]
    for i, one in enumerate(ids):
        store.rename(one, OWNER, f"Cup, width {i}, own")
    app = studio()
    table = app.dataframe[0].value
    assert list(table["State"]) == ["failed", "stopped", "finished"]
    assert table["Validation loss"].tolist()[2] == pytest.approx(3.1 / 40)
    choose(app, *ids)
    assert app.query_params["compare"] == ",".join(ids)
    spec = charts(app)[-1]
    names = spec["layer"][0]["encoding"]["color"]["scale"]["domain"]
    assert names == [f"seed {i} · width {i}, own · {one[:4]}" for i, one in enumerate(ids)]  # without the text of all
    checked(app.segmented_control(key="axis").set_value("seconds").run())
    assert "seconds" in charts(app)[-1]["layer"][0]["encoding"]["x"]["title"]
    again = studio(compare=",".join(ids))
    assert again.multiselect(key="studio-chosen").value == ids
    choose(app, ids[0])
    assert "compare" not in app.query_params


def test_downloads(studio: Callable[..., AppTest], store: RunStore) -> None:
    run_id = make_run(store, "finished")
    app = studio()
    choose(app, run_id)
    assert "No checkpoint" in texts(app)
    add_weights(store, run_id)
    checked(app.run())
    assert {"Weights", "Everything (zip)"} == {one.proto.label for one in app.get("download_button")}  # no model yet
    with zipfile.ZipFile(io.BytesIO(one_run.zip_model(run_id))) as archive:
        assert sorted(archive.namelist()) == sorted(one_run.DOWNLOAD_FILES)
    with pytest.raises(RunNotFound):
        one_run.zip_model("../../etc")
    for name in one_run.DOWNLOAD_FILES:
        shutil.copy(SHIPPED_MODELS / "stories" / name, store.folder(run_id) / name)
    checked(app.run())
    assert "Web page" in {one.proto.label for one in app.get("download_button")}
    key = one_run._runs_alone(store.get(run_id))
    assert key is not None and "model_map" in model_page_html(key, "Mine")


# The example


def test_first_visit_explains_where_no_example_was_recorded(
    studio: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recorded_example, "EXAMPLE_FOLDER", tmp_path)
    assert "random numbers" in texts(studio())


def test_first_visit_shows_the_recorded_example(
    studio: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "example"
    recipe = choices_to_recipe.recipe_from_choice(replace(TINY, n_step=3), "x")
    monkeypatch.setitem(recipes.RECIPES, "tiny", recipes.Recipe.from_dict(recipe))
    monkeypatch.setattr(recorded_example, "EXAMPLE_FOLDER", folder)
    export_run._train_and_export("tiny", folder, seed=7)
    app = studio()
    assert "seed 7" in texts(app) and "trained before" in texts(app)
    assert len(charts(app)) == 3 and sum("studio-film" in one.proto.id for one in app.get("bidi_component")) == 1
    assert not keys(app) & {"studio-pause", "studio-resume", "studio-stop", "studio-reseed", "studio-new"}


def test_the_shipped_example_is_complete() -> None:
    run = recorded_example.example_run()
    assert run is not None, "the shipped model has no recorded training"
    points, frames = (
        recorded_example.example_points(),
        [RunFrame.from_bytes(data) for data in recorded_example.example_frames()],
    )
    assert [point.step for point in points] == list(range(1, run.n_step + 1))
    assert [frame.step for frame in frames] == frame_steps(run.n_step)
    about = json.loads((recorded_example.EXAMPLE_FOLDER / "recipe.json").read_bytes())
    assert points[-1].loss == pytest.approx(about["train_loss"], rel=1e-4), "record it anew with the model"
