"""The table of what a search found."""

import pytest

from core.generate.beam import Hypothesis
from core.rooms.encoder_decoder.compute import beam_translations, languages

TRUTH = "lo kano vides"


def found(text: str, log_prob: float) -> Hypothesis:
    return Hypothesis((languages.START, *languages.encode_target(text)), log_prob / 2, log_prob)


def test_the_texts_with_their_numbers_and_bleu_where_the_truth_is_known() -> None:
    texts = [found(TRUTH, -0.5), found("lo kano", -2.0)]
    table = beam_translations.table(texts, TRUTH)
    assert table["text"] == [TRUTH, "lo kano"]
    assert table["log-probability"] == [-0.5, -2.0] and table["score"] == [-0.25, -1.0]
    assert table["BLEU"][0] == "1.00" and float(table["BLEU"][1]) == pytest.approx(
        2.718281828 ** (1 - 3 / 2), abs=0.005
    )
    assert beam_translations.table(texts, None)["BLEU"] == ["–", "–"]
