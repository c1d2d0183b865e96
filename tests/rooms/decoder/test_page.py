"""The decoder room, driven without a browser: every control, links, any text, a run on its way, large models."""

from functools import partial
from pathlib import Path

import pytest

from core.inspect.reading.model_and_text import read
from core.rooms.decoder import ROOM, inputs
from core.rooms.decoder.first_loss import STARTS
from core.train import experiment
from core.ui.text import escape_markdown
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "decoder.py")
page = partial(linked, PAGE)


def test_opens_with_every_exhibit() -> None:
    test = clean(page().run())
    titles = [escape_markdown(one.title) for one in (entry.exhibit() for entry in ROOM.exhibits)]
    assert [one.value for one in test.subheader if one.value in titles] == titles
    assert not test.warning
    told = text_of(test)
    for words in ("8,271,696 parameters", "when that one is changed: **0.0**", "by backpropagation"):
        assert words in told


def test_every_control_at_both_ends() -> None:
    test = page().run()
    for start in STARTS:
        test.button_group(key="first_start").set_value(start)
        clean(test.run())
    parameters = dict(read("stories", "Tom").model.named_parameters())
    vector = next((name for name, w in parameters.items() if w.ndim == 1), None)
    for name in (vector, "tok_emb.weight", "unembed.weight"):
        if name in parameters:
            test.selectbox(key="adam_weight").set_value(name)
            clean(test.run())
    for end in (0, 13):
        test.button_group(key="row_model").set_value("small" if end else "chosen")
        test.slider(key="row_place").set_value(end)
        test.slider(key="leak_place").set_value(end)
        test.slider(key="adam_decay").set_value(1.0 if end else 0.0)
        test.button_group(key="adam_rate").set_value(0.01 if end else 0.0001)
        test.number_input(key="step_seed").set_value(float(2**31 - 1) if end else 0.0)
        test.toggle(key="film_tied").set_value(bool(end))
        test.button_group(key="film_norm").set_value("post" if end else "pre")
        told = text_of(clean(test.run()))
    assert "Of the 13 positions before it, **0** notice with the mask, and **13** without" in told


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The text is empty"),
        ("Tom", "one token"),
        ("Tom and", "Of the 1 positions"),
        ("🙂 ?! <b>*x*", "noti"),
        ("a " * 500, "last 14 are used"),
    ],
)
def test_any_text(text: str, says: str) -> None:
    test = page().run()
    test.text_area(key="text").set_value(text)
    test.text_input(key="leak_into").set_value(text[:30])
    assert says in text_of(clean(test.run()))


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "at least one word"), ("Tom", "The example that ships"), ("🙂 zebra <b>*x*", "t know “🙂”")],
)
def test_the_small_model_goes_on_with_any_text(text: str, says: str) -> None:
    test = page(depth="numbers").run()
    test.text_input(key="tell_text").set_value(text)
    for when in ("before", "after"):
        test.button_group(key="tell_model").set_value(when)
        assert says in text_of(clean(test.run()))
    test.number_input(key="tell_seed").set_value(float(2**31 - 1))
    clean(test.run())


def test_a_word_put_in_alone_is_the_word_of_a_text() -> None:
    """The stories model knows “bench” only with the space before it."""
    test = page().run()
    for word in ("bench", " bench", "Ben"):
        test.text_input(key="leak_into").set_value(word)
        assert f"becomes “{word.strip()}”" in text_of(clean(test.run()))


def test_links_are_checked() -> None:
    test = clean(
        page(row_place="99", leak_place="-1", adam_row="1e9", adam_weight="nothing", adam_rate="7", leak_into="x" * 999,
             step_seed="-4", film_norm="odd", first_start="none").run()
    )  # fmt: skip
    assert len(test.warning) >= 8
    assert "when that one is changed: **0.0**" in text_of(test)


def test_a_training_on_its_way_and_no_record_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    running = experiment.start("lens", {"n_step": 60, "norm": "post", "tied": False}, 1)
    records = [running.record()]
    for _ in range(2):
        running.advance()
    records.append(running.record())
    for step, record in ((0, records[0]), (2, records[1])):
        shown = live.Live(record, {"norm": "post", "tied": False, "n_step": 60}, 1, step, 60, False, False)
        monkeypatch.setattr(live, "_shown", lambda name, run, shown=shown: shown)
        clean(page(row_model="a small one with tied weights").run())
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page(row_model="a small one with tied weights").run()))


def test_models_too_large_to_train_here_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MOST_WEIGHTS", 10)
    told = text_of(clean(page(text="Mia had a red ball.").run()))  # of which nothing is kept from before
    assert "Choose a smaller one" in told and "untrained copy is drawn only for models of at most 10" in told
