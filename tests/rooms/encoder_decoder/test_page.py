"""The room driven without a browser: its controls, any text, links, trainings that go on."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.rooms.encoder_decoder import maps
from core.train.experiment import run_of
from core.ui.training import experiments
from tests.pages.choices import every_sent, sent, shown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "encoder_decoder.py")
page = partial(linked, PAGE, open="all", depth="numbers")
TEXTS = ("trans_text", "roles_text", "maps_text", "swap_first", "swap_second", "force_text", "beams_text")


def test_opens_with_every_example() -> None:
    test = clean(page().run())
    assert not test.warning
    told = text_of(test)
    assert "7,011,520" in told and "✓ right" in told
    for at, says in ((0, "translation of the second source"), (7, "the small dogs do not see a red cat")):
        test.slider(key="swap_at").set_value(at)
        assert says in text_of(clean(test.run()))
    assert "ben lost a drum at the river" in told
    for task, text, says in (
        ("question", "", "at least one word"),
        ("question", "mia " * 100, "first 28 words"),
        ("entities", "🙂 <b>xyz</b>", "No text of this task has them"),
        ("entities", "jordan flew to paris.", "**jordan** is a person"),
        ("sentiment", "the soup was dull", "blame"),
    ):
        test.button_group(key="apps_task").set_value(task)
        clean(test.run())
        test.text_area(key=f"apps_{task}").set_value(text)
        assert says in text_of(clean(test.run())), (task, text)


def test_any_sentence() -> None:
    test = page().run()
    for text, says in (("", "Type at least one English word"), ("🙂 ?! **x**", "left out"),
                       ("Dog DOG dog", "no sentence of the grammar"), ("a " * 400, "Only the first 20"),
                       ("a dog sleeps", "uno kano dormis")):  # fmt: skip
        for name in TEXTS:
            test.text_input(key=name).set_value(text)
        for name in ("bleu_reference", "bleu_written"):
            test.text_input(key=name).set_value(text[:150])
        assert says in text_of(clean(test.run()))


def test_every_head_of_a_map_and_of_the_film_is_sent_and_shown() -> None:
    """All heads are sent at once: where the choice stands, the picture must show that head of the model."""
    run = run_of("translation")
    for head in ((0, 1), (1, 0)):
        name = f"{head[0]}.{head[1]}"
        test = clean(page(maps_head=name, trans_film_head=name).run())
        found = maps.compute(maps.Inputs(run=run, head=head))
        header, arrays = shown(next(one for one in every_sent(test, "matrix") if b"Attention between" in one), test)
        np.testing.assert_array_equal(arrays["values"], found.weights)
        np.testing.assert_array_equal(arrays["q"], found.seen.q[head])
        assert header["label"] == f"Attention between the two, head {name}"
        header, arrays = shown(sent(test, "film"), test)
        assert header["label"] == f"Cross-attention of head {name} during training"
        np.testing.assert_array_equal(arrays["frames"], run.record["frames.weights"][:, head[0], head[1]])


def test_a_smaller_model_while_a_larger_ones_head_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    test = page(trans_film_head="7.7", force_set="x", apps_task="sing").run()
    assert len(clean(test).warning) == 3
    test = clean(page(trans_film_head="1.1", maps_head="1.1").run())
    begun = {"translation": run_of("translation", seed=1, until=2, n_layer=1, n_head=1)}
    shown = experiments._shown
    monkeypatch.setattr(experiments, "_shown", lambda name, run: begun.get(name) or shown(name, run))
    told = text_of(clean(test.run()))
    assert "0.0%" in [one.value for one in test.metric] and "Weight on the rings" not in told
    monkeypatch.setattr(experiments, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page().run()))
