"""The picture of the four models: judged answers, the share that each stage has raised most, and the hidden guess."""

import json

import pytest

from core.browser.message_capture import MessageToWidget
from core.browser.message_packing import unpack_message
from core.exhibit import NOT_YET, SHOW
from core.rooms.assistant.compute.reading import AnswerShares, SampledAnswer
from core.rooms.assistant.compute.world import END, place_question, sum_question
from core.rooms.assistant.four_models import judge, largest_gains
from tests.drawn import drawn


def answer(text: str) -> SampledAnswer:
    """An answer with these tokens."""
    words = tuple(text.split())
    return SampledAnswer(words, (1.0,) * len(words), ((),) * len(words))


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        (f"it is 12 . {END}", "right", 2),
        (f"2 . {END}", "wrong", 0),
        (f"it is in the help . {END}", "none", -1),
        (END, "none", -1),
        ("what is 8 plus 0 ? what is 7 plus 6 ?", "question", -1),
        ("what is 12 plus 0 ?", "question", -1),
    ],
)
def test_an_answer_is_judged_by_its_first_fact_unless_it_asks(text: str, kind: str, place: int) -> None:
    found = judge(answer(text), sum_question(7, 5))
    assert (found.kind, found.place) == (kind, place)


def test_a_place_is_right_where_the_world_has_the_thing() -> None:
    assert judge(answer("it is in the box ."), place_question("bell")).kind == "right"
    assert judge(answer("it is in the bag ."), place_question("bell")).kind == "wrong"


def test_the_largest_gain_of_each_stage() -> None:
    shares = {
        "predictor": AnswerShares(0, 0, 0, 0, 0),
        "tuned": AnswerShares(things=0.9, unshown=1, hard=0.2, friendly=0.3, rude=1),
        "preferred": AnswerShares(things=0.7, unshown=1, hard=0.2, friendly=0.9, rude=0),
        "rewarded": AnswerShares(things=0.8, unshown=0, hard=0.9, friendly=1.0, rude=0),
    }
    assert largest_gains(shares) == {"tuned": "things", "preferred": "friendly", "rewarded": "hard"}


@pytest.mark.parametrize("guess", [NOT_YET, SHOW])
def test_the_predictor_is_hidden_until_the_guess(guess: str) -> None:
    shown = drawn("assistant.four-models", four_guess=guess).drawing
    assert shown is not None
    (sent,) = [one for one in shown.messages if isinstance(one, MessageToWidget) and one.widget == "four_models"]
    header = unpack_message(sent.message)[0]
    assert (header["models"][0]["shares"] is None) == (guess == NOT_YET)
    assert ('"hidden"' in json.dumps(header)) == (guess == NOT_YET)
