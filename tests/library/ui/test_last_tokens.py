"""A text that is too long keeps its end, as in generation, so that "what comes next" isn't about its middle."""

import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.generate.cache import CachedModel, reading_limit
from core.inspect.model_inputs import model_and_text as models
from core.inspect.model_inputs.model_key import _WEIGHTS_FILE, SHIPPED_MODELS, ModelKey
from core.ui.text_formatting import clean_text

WORDS = ["Tom", "Mia", "and", "had", "the", "a", "ball", "box", "park", "near", "ran", ".", ",", "big", "red", "dog"]
NAMES = sorted(folder.name for folder in SHIPPED_MODELS.iterdir() if (folder / _WEIGHTS_FILE).is_file())
# The first word is one that begins stories: another would be read as it stands inside of a sentence.
long_texts = st.lists(st.sampled_from(WORDS), min_size=90, max_size=130).map(lambda words: " ".join(["Tom", *words]))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(text=long_texts, most=st.sampled_from([None, 2, 3, 14, 70]))
def test_the_last_tokens_stay_and_it_is_said(name: str, text: str, most: int | None) -> None:
    key = ModelKey.at(name)
    found = models.load_text_model(key)
    before = list(getattr(found.tokenizer, "before", ()))
    whole, used = found.tokenizer.encode(text), list(models.encode_text(key, text, most).ids)
    reads = reading_limit(found.model) or models.MAX_TOKENS
    least = min(len(whole), reads, most or reads)
    assert len(used) == least or (most == least and len(used) < least)  # no more than a part of a word is left out
    assert used[: len(before)] == before and whole[len(whole) - len(used) + len(before) :] == used[len(before) :]
    notes = [note for note in models.encode_text(key, text, most).notes if "are used" in note]
    assert len(notes) == (len(used) < len(whole)) and all(
        f"Its last {len(used) - len(before)} are used" in note for note in notes
    )


@pytest.mark.parametrize("name", [name for name in NAMES if "bert" not in name])
@settings(max_examples=3)
@given(text=long_texts)
def test_what_comes_next_is_what_generation_goes_on_with(name: str, text: str) -> None:
    key = ModelKey.at(name)
    found = models.load_text_model(key)
    model = CachedModel(found.model, cached=False)
    whole, used = (
        model.next_logits([list(ids)]) for ids in (found.tokenizer.encode(text), models.encode_text(key, text).ids)
    )
    torch.testing.assert_close(used, whole)


@given(st.text(alphabet="ab\n", max_size=40), st.integers(1, 30))
def test_a_prompt_keeps_its_end_and_a_name_its_beginning(text: str, most: int) -> None:
    for keep_end, part in ((True, text[-most:]), (False, text[:most])):
        cleaned = clean_text(text, most, keep_end)
        is_inside = keep_end and len(text) > most and not (text[-most - 1] + part[0]).count("\n")
        assert cleaned.text == (part.partition("\n")[2].lstrip("\n") or part if is_inside else part)
        assert [("last" if keep_end else "first") in one for one in cleaned.problems] == [True] * (len(text) > most)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("most", [9, 24])
def test_a_text_is_cut_between_words_and_only_what_is_read_is_called_unknown(name: str, most: int) -> None:
    """Fault: the page is about "te", the end of a kite, or about a word that isn't read."""
    key, first = ModelKey.at(name), "Zqxwv sees Tom. "
    for n in range(12):  # wherever the limit falls
        encoded = models.encode_text(key, first + "the kite saw Blorptag " * 20 + "the " * n, most)
        tokenizer = models.load_text_model(key).tokenizer
        end = tokenizer.decode([id for id in encoded.ids if id not in getattr(tokenizer, "before", ())])
        if tokenizer.kind == "word" or "word" in str(getattr(tokenizer, "base", tokenizer).kind):
            assert end.split()[0].rstrip("\ufffd") in ("the", "kite", "saw", "Blorptag", ""), end
        assert "Zqxwv" not in encoded.unknown
        assert set(encoded.unknown) <= {"Blorptag"}
