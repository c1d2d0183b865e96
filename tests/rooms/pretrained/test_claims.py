"""What the room of opened models says of a text and of surprisal is so for the model that it opens with."""

import pytest

from core.data.sentences import SENTENCES
from core.inspect.model_inputs.model_and_text import load_model_and_text, load_text_model
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
