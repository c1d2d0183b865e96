"""Whatever a person types first works: in every shipped model no mark of replacement."""

import pytest

from core.data.printable import printable_text
from core.inspect.model_inputs import model_and_text as models
from core.inspect.model_inputs.model_key import SHIPPED_MODELS, ModelKey

SHIPPED_MODELS = sorted(path.parent.name for path in SHIPPED_MODELS.glob("*/model.safetensors"))
TYPED = (
    "the zebra saw ANNA and anna.",
    "My name is Kevin, and I like purple cars!",
    "こんにちは、世界",
    "Привет, мир",
    "🙂 👩‍🚀",
    "  the\tred\n\nball",
    "“Don’t look”",
)


@pytest.mark.parametrize("name", SHIPPED_MODELS)
@pytest.mark.parametrize("text", TYPED)
def test_every_shipped_model_reads_what_is_typed(name: str, text: str) -> None:
    encoded = models.encode_text(ModelKey.at(name), text)
    assert encoded.ids and "�" not in "".join([*encoded.tokens, *encoded.notes])
    assert all(any(printable_text(word)[:15] in note for note in encoded.notes) for word in encoded.unknown[:5])


def test_the_default_model_loses_nothing_of_what_is_typed() -> None:
    key = ModelKey.at("stories")
    for text in TYPED:
        encoded = models.encode_text(key, text)
        assert (
            models.load_text_model(key).tokenizer.decode(encoded.ids).replace(" ", "").lower()
            == text.replace(" ", "").lower()
        )


def test_a_word_at_the_beginning_is_the_one_that_stories_have() -> None:
    key = ModelKey.at("stories")
    assert models.encode_text(key, "the dog").tokens == (" the", " dog")
    assert models.encode_text(key, "TOM and mia").tokens == ("Tom", " and", " Mia")
