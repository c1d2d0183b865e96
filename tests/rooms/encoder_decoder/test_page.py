"""The room of the encoder-decoder, driven without a browser: examples, guesses, every control, links, any text."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms.encoder_decoder import ROOM
from core.train import experiment
from core.ui.text import escape_markdown
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "encoder_decoder.py")
page = partial(linked, PAGE)
TEXTS = (
    "trans_text",
    "roles_text",
    "maps_text",
    "swap_first",
    "swap_second",
    "force_text",
    "rivals_text",
    "beams_text",
)


def test_opens_with_every_example_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    titles = [escape_markdown(entry.exhibit().title) for entry in ROOM.exhibits]
    assert [one.value for one in test.subheader if one.value in titles] == titles
    assert not test.warning
    told = text_of(test)
    assert "7,011,520" in told and "✓ right" in told
    assert "once you've made your guess" in told and "** is ahead" not in told
    test.button_group(key="rivals_guess").set_value("transformer")
    assert "You guessed: attention only. The answer: recurrent" in text_of(clean(test.run()))


def test_every_control_at_both_ends() -> None:
    test = page(rivals_guess="Just show me").run()
    for part in ("encoder", "decoder"):
        test.button_group(key="maps_part").set_value(part)
        test.selectbox(key="maps_head").set_value((0, 1) if part == "encoder" else (1, 1))
        test.slider(key="swap_at").set_value(0 if part == "encoder" else 7)
        test.slider(key="beams_n").set_value(1 if part == "encoder" else 8)
        test.slider(key="beams_penalty").set_value(0.0 if part == "encoder" else 2.0)
        test.button_group(key="force_set").set_value("usual" if part == "encoder" else "longer")
        test.selectbox(key="rivals_kind").set_value(0 if part == "encoder" else 4)
        test.button_group(key="rivals_axis").set_value("training steps")
        test.toggle(key="bleu_smooth").set_value(part == "encoder")
        told = text_of(clean(test.run()))
        assert (
            "translation of the second source" if part == "encoder" else "the small dogs do not see a red cat"
        ) in told


def test_applications_take_any_text() -> None:
    test = page().run()
    assert "ben lost a drum at the river" in text_of(test)
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


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "Type at least one English word"), ("🙂 ?! **x**", "left out"), ("Dog DOG dog", "no sentence of the grammar"),
     ("a " * 400, "Only the first 20"), ("a dog sleeps", "uno kano dormis")],
)  # fmt: skip
def test_any_sentence(text: str, says: str) -> None:
    test = page(rivals_guess="Just show me").run()
    for name in TEXTS:
        test.text_input(key=name).set_value(text)
    for name in ("bleu_reference", "bleu_written"):
        test.text_input(key=name).set_value(text[:150])
    assert says in text_of(clean(test.run()))


def test_links_are_checked() -> None:
    odd = clean(
        page(
            trans_layers="9", trans_film_head="7.7", maps_part="x", maps_head="nan", swap_at="1e309", beams_n="0",
            force_set="x", rivals_kind="12", rivals_axis="", beams_penalty="-3", trans_seed="-1", bleu_smooth="maybe",
            apps_task="sing", apps_seed="-3",
        ).run()
    )  # fmt: skip
    assert len(odd.warning) >= 10


def test_an_unfinished_training_with_one_block_and_other_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the live view shows after two steps; then a smaller model, while a larger one's head is still chosen."""
    test = page(rivals_guess="Just show me").run()
    test.selectbox(key="maps_head").set_value((1, 1))
    test.selectbox(key="trans_film_head").set_value((1, 1))
    clean(test.run())
    records = {}
    for name, options in (("translation", {"n_layer": 1, "n_head": 1}), ("translation-rivals", {"n_step": 40})):
        running = experiment.start(name, options, 1)
        for _ in range(2):
            running.advance()
        asked = experiment.options_of(name, options)
        records[name] = live.Live(running.record(), vars(asked), 1, 2, running.n_step, False, False)
    shown = live._shown
    monkeypatch.setattr(live, "_shown", lambda name, run: records.get(name) or shown(name, run))
    told = text_of(clean(test.run()))
    assert "After step 0: **0.0%**" in told and "Weight on the rings" not in told
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page().run()))
