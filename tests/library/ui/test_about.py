"""The text that a model begins with is one that it can read whole."""

import pytest
from hypothesis import given, strategies as st

from core.generate.cache import reading_limit
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.ui.models.model_description import _fitting_words, _whole_words

WORDS = st.lists(st.sampled_from(["Tom", "played", "near", "the", "park."]), min_size=1, max_size=80)


@given(WORDS)
def test_a_sample_fits_the_model_and_ends_with_a_whole_word(words: list[str]) -> None:
    """Fault: a run's own text begins and ends inside words, and has more tokens than its model reads."""
    model = load_text_model(ModelKey.at("stories"))
    text = _fitting_words(model, " ".join(words))
    assert text.split(" ") == words[: len(text.split(" "))]
    assert len(model.tokenizer.encode(text)) <= (reading_limit(model.model) or 512)


@pytest.mark.parametrize(
    ("sample", "text"), [("ite, and Ben ran ho", "and Ben ran"), ("one two three", "one two three"), ("", "")]
)
def test_words_that_may_be_cut_are_left_out(sample: str, text: str) -> None:
    assert _whole_words(sample) == text
