"""What is watched of a run: it is offered, kept with the frames, asked for on the way, and shown."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.export_run import _FileReporter
from core.jobs.runs import JobSpec, RunNotFound
from core.jobs.store import RunStore
from core.jobs.worker import run_job
from core.rooms.studio import recorded_example, watched_tensors
from core.train.watch.behavior_snapshots import RunFrame, frame_steps
from core.train.watch.tensor_summary import WatchFrame
from core.ui.training import choices_to_recipe
from tests.rooms.run_pages import OWNER, checked, texts
from tests.rooms.studio.test_page import STRANGER, TINY, make_run, store, studio  # noqa: F401

QUERY = "blocks.0.attn.weights, update:*.w_q"


def told(folder: Path, watch: str) -> tuple[list[WatchFrame], list[RunFrame]]:
    recipe = choices_to_recipe.recipe_from_choice(TINY, "Bottle")
    run_job(JobSpec(recipe, 0, folder / "scratch", device="cpu"), _FileReporter(folder / "film", watch))
    frames = sorted((folder / "film" / "frames").glob("*.frame"))
    kept = [path.with_suffix(".watched") for path in frames]
    return [WatchFrame.from_bytes(p.read_bytes()) for p in kept if p.is_file()], [
        RunFrame.from_bytes(p.read_bytes()) for p in frames
    ]


@pytest.mark.slow
def test_a_job_keeps_what_is_watched_with_its_frames_and_trains_the_same(tmp_path: Path) -> None:
    kept, frames = told(tmp_path / "watched", QUERY)
    nothing, plain = told(tmp_path / "plain", "")
    assert [one.step for one in kept] == [one.step for one in frames] == frame_steps(40) and not nothing
    assert [(one.loss, one.sample) for one in frames] == [(one.loss, one.sample) for one in plain]
    weights = "scratch/model.safetensors"
    assert (tmp_path / "watched" / weights).read_bytes() == (tmp_path / "plain" / weights).read_bytes()
    for moment, frame in zip(kept, frames, strict=True):
        np.testing.assert_allclose(moment.tensors[0].values, frame.attention[0] / 255, atol=0.005)
        assert [one.name for one in moment.tensors[1:]] == ["update:blocks.0.attn.w_q"] * (moment.step > 0)


def test_a_run_on_its_way_is_asked_by_its_owner_alone(store: RunStore) -> None:  # noqa: F811
    run_id = make_run(store, "running")
    store.watch(run_id, OWNER, QUERY)
    assert store.get(run_id).watch == store.to_watch(run_id) == QUERY
    with pytest.raises(RunNotFound):
        store.watch(run_id, STRANGER, "logits")
    with pytest.raises(ValueError, match="isn't a name"):
        store.watch(run_id, OWNER, "<script>")
    with pytest.raises(ValueError, match="isn't a name"):
        store.create(OWNER, choices_to_recipe.recipe_from_choice(TINY, "x"), 0, watch="../x")


def test_a_new_run_watches_how_far_each_step_moves_the_weights(studio: Callable[..., AppTest], store: RunStore) -> None:  # noqa: F811
    app = studio()
    checked(app.button(key="studio-train").click().run())
    (run,) = store.list(OWNER)
    tensors = watched_tensors.recipe_tensors(run.recipe)
    assert (
        tensors is not None
        and run.watch == watched_tensors.fitting_patterns(watched_tensors.DEFAULT_QUERY, tensors) != ""
    )


@pytest.mark.parametrize("kind", ["gpt", "bert", "gru", "lstm", "rnn"])
def test_each_kind_has_presets_that_fit_it(kind: str, store: RunStore) -> None:  # noqa: F811
    tensors = watched_tensors.recipe_tensors(choices_to_recipe.recipe_from_choice(replace(TINY, kind=kind), "Bottle"))
    assert tensors is not None
    found = [one.title for one in watched_tensors.fitting_presets(tensors)]
    assert "Gradients by layer" in found and "Update over weight" in found
    assert ("Attention weights" in found) == (kind in ("gpt", "bert"))
    assert ("Gates and states" in found) == (kind not in ("gpt", "bert"))


@pytest.mark.slow
def test_the_page_shows_what_was_kept_and_explains_what_was_not(
    studio: Callable[..., AppTest],  # noqa: F811
    store: RunStore,  # noqa: F811
    tmp_path: Path,
) -> None:
    run_id = make_run(store, "finished")
    app = studio(run=run_id, depth="numbers")
    assert "Nothing was watched in this run" in texts(app)
    kept, _ = told(tmp_path / "watched", QUERY)
    folder = store.root / run_id / "frames"
    for one in kept[:3]:
        (folder / f"{one.step:09d}.watched").write_bytes(one.to_bytes())
    assert store.n_watched(run_id) == 3
    app = studio(run=run_id, depth="numbers", watch="update:*.w_q")
    assert "Nothing was watched" not in texts(app) and "None of these was kept" not in texts(app)
    app = studio(run=run_id, depth="numbers", watch="logits")
    assert "None of these was kept" in texts(app)
    app = studio(run=run_id, depth="numbers", watch="blocks.0.attn.weigths")
    assert "Near it: blocks.0.attn.weights" in texts(app).replace("\\", "")


def test_the_example_is_asked_at_its_end_as_its_film_shows_it() -> None:
    kept, last = (
        recorded_example.example_tensors("blocks.*.attn.weights"),
        RunFrame.from_bytes(recorded_example.example_frames()[-1]),
    )
    assert kept.step == last.step and len(kept.tensors) == len(last.attention)
    for one, layer in zip(kept.tensors, last.attention, strict=True):
        np.testing.assert_allclose(one.values, layer / 255, atol=0.005)


def test_the_page_shows_the_example_and_says_why_it_has_no_update(studio: Callable[..., AppTest]) -> None:  # noqa: F811
    app = studio(depth="numbers")
    assert "at the end of the example" in texts(app)
    app = studio(depth="numbers", watch="update:*.w_q")
    assert "no next step that would move a weight" in texts(app)
