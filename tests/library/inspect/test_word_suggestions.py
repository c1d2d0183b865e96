"""The words offered in place of an unknown one fit its position."""

import pytest
import torch

from core.data.tokenizers.gap_tokenizers import MASK
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import SHIPPED_MODELS, ModelKey
from core.inspect.unknown_word_suggestions import suggest_replacement_words

NAMES = {"Anna", "Ben", "Leo", "Lily", "Max", "Mia", "Nora", "Omar", "Rosa", "Sam", "Tom", "Zoe"}


@pytest.mark.parametrize("text", ["Xqzt had a red ball.", "Xqzt and Mia played near the park."])
def test_a_name_is_offered_for_a_name(text: str) -> None:
    """Fault: the commonest first words of a text ("On", "One", "Now") are offered in place of a name."""
    stories = load_text_model(ModelKey.at(SHIPPED_MODELS / "stories"))
    offered = suggest_replacement_words(stories.model, stories.tokenizer, text, "Xqzt")
    assert offered and set(offered) <= NAMES


def test_what_a_reader_of_both_sides_expects_in_the_gap() -> None:
    """Fault: a model that reads both sides isn't asked, and only words of a like spelling are offered."""
    bert = load_text_model(ModelKey.at(SHIPPED_MODELS / "stories-bert"))
    offered = suggest_replacement_words(bert.model, bert.tokenizer, "Tom had a xqzt ball.", "xqzt")
    ids = bert.tokenizer.encode(f"Tom had a {MASK} ball.")
    logits = bert.model(torch.tensor([ids]))[0, ids.index(bert.tokenizer.mask_id)]
    assert bert.tokenizer.decode([int(logits.argmax())]).strip() in offered
