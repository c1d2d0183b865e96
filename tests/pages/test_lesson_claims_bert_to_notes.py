"""The lessons from BERT to the lecture notes: their steps open clean, their controls exist, their figures are so."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.lessons.format import catalog
from core.lessons.format.lesson import CurveAnswerForm, Lesson, NumberForm, PredictQuestion
from core.ui.training import live_experiments

SLUGS = ("bert", "t5", "vision", "pixels-and-captions", "three-switches", "induction", "lecture-notes")
MOST_WORDS = 150  # of a step without an exhibit or a question; a table of slips at a lesson's end has more
STEP = """
import streamlit as st
from core.lessons.format import catalog
from core.lessons.lesson_ui.lesson_view import _show_step
from core.ui.controls import drawn_controls

slug, number = {slug!r}, {number}
drawn_controls.clear_drawn_controls()
step = catalog.lesson_files()[slug].lesson.steps[number - 1]
st.session_state["open"] = _show_step(step, f"{{slug}}.{{number}}", number)
st.session_state["asked"] = {{name: one.value for name, one in drawn_controls.page_controls_by_name().items()}}
"""


@pytest.fixture(scope="module", autouse=True)
def _data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A server on which nobody has trained anything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(tmp_path_factory.mktemp("data")))
        patch.setenv("GLASSFORMER_TRAINING", "off")
        yield


def lesson_of(slug: str) -> Lesson:
    found = catalog.lesson_files()[slug].lesson
    assert found is not None
    return found


def text(slug: str) -> str:
    path = next((Path(catalog.LESSON_FOLDER)).glob(f"*-{slug}.md"))
    return " ".join(path.read_text(encoding="utf-8").split())


def test_all_forms_are_asked_for() -> None:
    forms = [
        part.form
        for slug in SLUGS
        for step in lesson_of(slug).steps
        for part in step.parts
        if isinstance(part, PredictQuestion)
    ]
    assert sum(isinstance(one, CurveAnswerForm) for one in forms) >= 2
    assert sum(isinstance(one, NumberForm) for one in forms) >= 2


def test_what_is_said_of_bert() -> None:
    from core.rooms.encoder import pretrain
    from core.train.experiments.masking import BERT_RULE

    assert BERT_RULE == (0.8, 0.1, 0.1)
    assert 0.55 < pretrain.baselines().neighbors_right < 0.7  # "well over half of the gaps"
    names = live_experiments.example_run("entities")
    assert names is not None and float(names.record["list.f1"]) < 0.5  # "a list reaches less than half"


def test_what_is_said_of_pictures() -> None:
    from core.models.configs.presets import PRESETS
    from core.rooms.patches.experiments.digits import PLAIN_CLASSIFIERS

    shape = {one.title.split("/")[0]: one.config for one in PRESETS.values() if one.family == "ViT"}
    assert [shape[name].d_model for name in ("ViT-Ti", "ViT-B", "ViT-L")] == [192, 768, 1_024]
    assert 3 * shape["ViT-B"].patch_size ** 2 == 768
    digits = live_experiments.example_run("digits")
    assert digits is not None
    right = {name: float((digits.record[f"said.{name}"] == _labels()).mean()) for name in PLAIN_CLASSIFIERS}
    ours = float(digits.record["curve.vit.accuracy"][-1])
    assert max(right.values()) > ours - 1e-6  # "does as well"
    captions = live_experiments.example_run("captions")
    assert captions is not None and round(360 * float(captions.record["curve.exact"][-1])) == 349
    assert "349 of 360 captions right" in text("pixels-and-captions")


def _labels() -> np.ndarray:
    from core.data import images

    assert (len(images.training_digits()), len(images.held_out_digits())) == (1_437, 360)
    return images.held_out_digits().labels


@pytest.mark.measured("14-pixels-and-captions", "Compare the two orders")
def test_the_pixel_above_tells_more() -> None:
    from core.rooms.pixels.compute import pixel_bits

    assert pixel_bits.compare_ngram_bits(8, "column").min(0)[1] < pixel_bits.compare_ngram_bits(8, "raster").min(0)[1]


def test_what_is_said_of_the_two_tasks() -> None:
    from core.data.synthetic import NOUNS, referents
    from core.rooms.heads_at_work.experiments import induction

    assert [len(part) for part in referents.bottle_and_cup_split(0)] == [84, 28] and len(NOUNS) == 8
    assert "84 sentences with eight kinds of vessels" in text("three-switches")
    assert (induction.VOCAB_SIZE, induction.PERIOD_RANGE, induction.N_PROBE) == (32, (6, 16), 12)
    assert induction.Options().n_step == 300
    for n in induction.PERIOD_RANGE:
        assert rf"\ln {n} \approx {math.log(n):.2f}" in text("induction")


def test_what_is_said_of_the_notes() -> None:
    from core.rooms.decoder.first_loss import NOTE_LOSS
    from core.rooms.positions.zero import EMBEDDING, PRINTED_SUM

    said = text("lecture-notes")
    assert f"ln 512 = {math.log(512):.2f}" in said and f"loss of {NOTE_LOSS}" in said
    assert EMBEDDING == PRINTED_SUM
    assert said.count("0.2332, 0.3238, 0.3962, …, 0.3544, −0.5660, 0.0352") == 2
    printed = [f"{value:.4f}".replace("-", "−") for value in EMBEDDING]
    assert all(value in said for value in printed)
