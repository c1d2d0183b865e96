"""The room of the next token, driven without a browser."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from core.data.printable import visible
from core.inspect.reading.model_and_text import vocabulary
from core.rooms.next_token import each_token, what_comes_next, write
from core.ui.controls import choices
from tests import tiny_model
from tests.pages.choices import shown, told
from tests.pages.rooms import clean, linked, text_of

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "generate" / "next_token.py"))


@pytest.fixture(scope="module", autouse=True)
def letters(data: Path) -> None:
    """A second model, which reads letters."""
    tiny_model.write(data / "models" / "letters", "char", context_length=32)


def picture(test: AppTest, script: str, key: str = "") -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What a picture shows where the choices stand now."""
    return next(
        shown(one.proto.bytes, test)
        for one in test.get("bidi_component")
        if one.proto.component_name == f"glassformer_{script}" and key in one.proto.id
    )


def metrics(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


def test_opens_where_the_model_is_least_sure_and_says_what_came_at_each_place() -> None:
    test = clean(page().run())
    shown = metrics(test)
    perplexity = next(value for label, value in shown.items() if label.startswith("perplexity"))
    assert float(perplexity) == pytest.approx(np.exp(float(shown["mean loss, in nats"])), rel=0.01)
    inputs = what_comes_next.Inputs()
    tokens, last = inputs.given.tokens, inputs.given.n_token
    assert told(test)["place"]["value"] == inputs.place
    for place in (1, 3, last):
        test = clean(page(place=str(place)).run())
        said = "Nothing follows “…" if place == last else f"came **“{tokens[place].strip()}”** (marked"
        assert said in text_of(test)
        header, arrays = picture(test, "distribution")
        inputs = what_comes_next.Inputs(place=place)
        np.testing.assert_array_equal(arrays["logits"], what_comes_next.compute(inputs).logits[None])
        assert header["chosen"] == (None if place == last else inputs.given.ids[place])
        row = picture(test, "token_row", "next.text")[0]
        assert row["selected"] == (None if place == last else place) and row["chooses"] == {"pick": "place"}


def test_the_colors_of_the_text_are_its_losses_or_its_probabilities() -> None:
    losses = each_token.compute(each_token.Inputs()).losses
    for colors, kind, values in (("Loss", "value", losses.loss), ("Probability", "probability", losses.probability)):
        header, arrays = picture(clean(page(colors=colors).run()), "token_row", "next.text")
        assert (header["kind"], header["value_title"].split(" ")[0]) == (kind, colors.lower())
        np.testing.assert_array_equal(arrays["values"], values.astype(np.float32))
        assert (header["high"] == 1.0) == (kind == "probability")


def test_each_step_has_its_own_number_token_and_line() -> None:
    """And a click on a token that was written means its step, on one that was given nothing."""
    inputs = write.Inputs()
    new, names = write.written(inputs), vocabulary(inputs.given.key)
    for step in (1, 7, 20):
        test = clean(page(at_step=str(step)).run())
        assert f"{new.draws[step - 1]:.3f} was drawn at step {step}" in text_of(test)
        assert f"fell on **“{visible(names[new.tokens[step - 1]])}”**" in text_of(test)
        header, arrays = picture(test, "number_line")
        line = new.lines[step - 1]
        is_token = arrays["ids"] >= 0
        assert [header["names"][i] for i in arrays["ids"][is_token]] == [names[i] for i in line.tokens]
        np.testing.assert_allclose(arrays["high"][is_token], line.high, atol=1e-6)
        assert header["names"][header["token"]] == names[new.tokens[step - 1]]
        row = picture(test, "token_row", "write.text")[0]
        n_given = inputs.given.n_token
        name, values = row["chooses"]["pick"]
        assert name == "at_step" and values[n_given - 1] is None and values[row["selected"]] == step


def test_of_a_large_model_one_place_is_sent_and_the_server_hears_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "MOST_NUMBERS", 0)
    test = clean(page(depth="story", place="3", at_step="7").run())
    logits = what_comes_next.compute(what_comes_next.Inputs(place=3)).logits
    np.testing.assert_array_equal(picture(test, "distribution")[1]["logits"], logits[None])
    assert "was drawn at step 7" in text_of(test)
    assert {"gf-tell-write", "gf-tell-what-comes-next"} <= {one.key for one in test.get("bidi_component")}


def test_a_text_of_ones_own_of_three_tokens_one_or_none() -> None:
    test = page().run()
    clean(test.text_area(key="text").set_value("Anna had a").run())
    assert told(test)["place"]["value"] == 3
    assert "Nothing follows “…" in text_of(test)
    clean(test.text_area(key="text").set_value("Anna").run())
    assert metrics(test)["mean loss, in nats"] == "–"
    for text in (" ", ""):
        clean(test.text_area(key="text").set_value(text).run())
    assert "empty" in text_of(test)


def test_settings_of_a_link_reach_the_text() -> None:
    test = clean(page(temperature="0.5", top_k="4", top_p="0.9").run())
    assert "temperature 0.5, top-k 4, top-p 0.9" in text_of(test)
    assert "always the likeliest token" in text_of(clean(page(temperature="0", top_k="3").run()))


@pytest.mark.parametrize("value", ["", "nan", "inf", "-1", "9" * 4301, "0x10", "99999"])
def test_broken_settings_in_a_link_are_told(value: str) -> None:
    test = clean(page(temperature=value, top_k=value, top_p=value).run())
    said = text_of(test).replace("\\", "")
    assert all(f"{name}: “" in said for name in ("Temperature", "top-k", "top-p")) and "is not a" in said
    assert "Written with temperature 1." in text_of(test)


def test_one_more_forty_more_and_again() -> None:
    test = page().run()
    before = test.slider(key="written").value
    for button, number in (("write-one", before + 1), ("write-reset", 0), ("write-one", 1), ("write-many", 41)):
        clean(test.button(key=button).click().run())
        assert test.slider(key="written").value == number
        assert ("Nothing is written yet" in text_of(test)) == (number == 0)


def test_a_text_longer_than_the_context_and_a_text_written_beyond_it() -> None:
    test = clean(page(model="letters", written="60").run())
    assert test.selectbox(key="model").value == "letters"
    clean(test.text_area(key="text").set_value("Anna had a red ball. " * 10).run())
    assert "reads at most 32" in text_of(test)
