"""What the rooms promise under “Try this” happens on the shipped model, with its own text."""

from typing import Any

import numpy as np
import pytest

from core.data.sentences import OPENING
from core.generate.filter_settings import FilterSettings
from core.inspect.head_scores import head_attending_to_prediction
from core.inspect.model_inputs import model_and_text as models
from core.inspect.model_inputs.model_key import _WEIGHTS_FILE, SHIPPED_MODELS, ModelKey
from core.rooms.home import sentence

pytestmark = pytest.mark.skipif(
    not (SHIPPED_MODELS / "stories" / _WEIGHTS_FILE).exists(), reason="the shipped model is not in this checkout"
)

CERTAIN = "Ben had his new blue kite with him. The wind was strong. It took the"  # what the page says to try


@pytest.fixture(scope="module")
def key() -> Any:
    return ModelKey.at("stories")


def expects(key: Any, probabilities: Any) -> str:
    return models.model_vocabulary(key)[int(np.argmax(probabilities))].strip()


def probability(key: Any, probabilities: Any, word: str) -> float:
    return float(probabilities[models.model_vocabulary(key).index(word)])


def test_the_model_knows_every_word_of_its_texts(key: Any) -> None:
    for text in (OPENING, CERTAIN, CERTAIN.replace("kite", "hat")):
        assert models.encode_text(key, text, sentence.MOST_TOKENS).notes == ()


def test_home_reads_both_toys_and_is_not_sure(key: Any) -> None:
    record = models.text_attention(key, models.encode_text(key, OPENING).ids_key)
    layer, head = head_attending_to_prediction(record)
    best = np.argsort(-record.weights[layer, head, -1])[:2]
    assert {models.model_vocabulary(key)[record.ids[i]] for i in best} == {" hat", " kite"}
    assert expects(key, record.probabilities[-1]) == "kite"
    kite, hat = (probability(key, record.probabilities[-1], f" {word}") for word in ("kite", "hat"))
    assert kite > hat > 0.4  # two bars to move
    cold, hot = (FilterSettings(temperature=t).probabilities(record.logits[-1]) for t in (0.2, 2.0))
    assert cold.max() > kite + 0.1 and hot.max() < kite - 0.1


def test_home_follows_the_toy(key: Any) -> None:
    for word in ("kite", "hat"):
        record = models.text_attention(key, models.encode_text(key, CERTAIN.replace("kite", word)).ids_key)
        assert probability(key, record.probabilities[-1], f" {word}") > 0.95
        layer, head = head_attending_to_prediction(record)
        read = int(record.weights[layer, head, -1].argmax())
        assert models.model_vocabulary(key)[record.ids[read]].strip() == word
