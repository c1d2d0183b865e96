"""Whatever a person types first works: in every shipped model no mark of replacement, and a way on by a click."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data.printable import printable
from core.inspect.reading import model_and_text as models
from core.inspect.reading.model_key import SHIPPED, ModelKey
from tests.pages.rooms import clean, text_of

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(path.parent.name for path in SHIPPED.glob("*/model.safetensors"))
TYPED = (
    "the zebra saw ANNA and anna.",
    "My name is Kevin, and I like purple cars!",
    "こんにちは、世界",
    "Привет, мир",
    "🙂 👩‍🚀",
    "  the\tred\n\nball",
    "“Don’t look”",
)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("text", TYPED)
def test_every_shipped_model_reads_what_is_typed(name: str, text: str) -> None:
    encoded = models.encode(ModelKey.at(name), text)
    assert encoded.ids and "�" not in "".join([*encoded.tokens, *encoded.notes])
    assert all(any(printable(word)[:15] in note for note in encoded.notes) for word in encoded.unknown[:5])


def test_the_default_model_loses_nothing_of_what_is_typed() -> None:
    key = ModelKey.at("stories")
    for text in TYPED:
        encoded = models.encode(key, text)
        assert models.load(key).tokenizer.decode(encoded.ids).replace(" ", "").lower() == text.replace(" ", "").lower()


def test_a_word_at_the_beginning_is_the_one_that_stories_have() -> None:
    key = ModelKey.at("stories")
    assert models.encode(key, "the dog").tokens == (" the", " dog")
    assert models.encode(key, "TOM and mia").tokens == ("Tom", " and", " Mia")


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("page", "model"), [("home/home", None), ("generate/next_token", "stories"), ("generate/next_token", "stories-gru")]
)
def test_an_unknown_word_is_named_and_a_click_replaces_it(page: str, model: str | None) -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.switch_page(f"pages/{page}.py")
    if model is not None:
        test.query_params["model"] = model
    clean(test.run())
    box = test.text_input(key="text") if model is None else test.text_area(key="text")
    clean(box.set_value("Mia had a red zebra.").run())
    assert "t know “zebra”" in text_of(test)
    offered = [one for one in test.button if str(one.key).startswith("offer-text-")]
    assert 2 <= len(offered) <= 6
    clean(offered[0].click().run())
    box = test.text_input(key="text") if model is None else test.text_area(key="text")
    assert box.value == f"Mia had a red {offered[0].label}."
    assert "t know “" not in text_of(test)
