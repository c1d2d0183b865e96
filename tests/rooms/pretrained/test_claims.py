"""What the room of opened models says of a text and of surprisal is so for the model that it opens with."""

import pytest

from core.data.sentences import SENTENCES
from core.inspect.model_inputs.model_and_text import load_model_and_text, load_text_model
from core.rooms.pretrained import changed_numbers
from core.rooms.pretrained.check import predict_next_token
from core.rooms.pretrained.inputs import ModelInputs


@pytest.mark.parametrize("other", ["Der Hund lief in den Park und suchte einen Ball.", "Le chien court dans le parc."])
def test_another_language_surprises_it_more(other: str) -> None:
    model = load_text_model(ModelInputs().key).model
    own, foreign = (
        predict_next_token(model, list(load_model_and_text("stories", text, 96).ids))
        for text in (SENTENCES["stories"], other)
    )
    assert foreign.loss > own.loss + 2
    assert own.has_learned and not foreign.has_learned


def test_tokens_are_pieces_with_marks_for_spaces() -> None:
    tokens = load_model_and_text("stories", "Tom hid unhappily.", 96).tokens
    assert any(token.startswith(" ") for token in tokens) and len(tokens) > 3


def test_fifteen_values_write_the_same_text_and_three_repeat_two_words() -> None:
    """What the picture and the chips of “What if you change a model’s numbers?” say."""
    result = changed_numbers.compute(changed_numbers.Inputs())
    said = {name: result.sentence(name) for name in result.roundings}
    assert said == {"none": "none", "255": "same", "15": "same", "7": "other_but", "3": "repeats_but"}
    assert result.fewest == "15" and result.place.token == "Mia" and len(result.walls) == len(said)
    by = {name: one.written for name, one in result.roundings.items()}
    assert by["3"] is not None and by["3"].n_word == 2 and by["7"] is not None
    words = {word.strip() for word in load_text_model(ModelInputs().key).vocabulary}
    written = [word.strip('",.!') for word in "".join(by["7"].tokens).split()]
    assert set(written) <= words, "words of its stories"
    assert f"{result.roundings['3'].zero:.0%}" == "98%"
