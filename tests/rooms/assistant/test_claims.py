"""What the room of the assistant says about its examples is so, computed from the records that ship."""

from functools import cache
from typing import Any

import pytest

from core.exhibit import SHOW
from core.rooms.assistant import checker, four_models, mask, own_choices, preferences, wrong_reward
from core.rooms.assistant.compute import world
from core.train import experiment


@cache
def asked(exhibit: Any, name: str, **inputs: Any) -> Any:
    """What an exhibit computes from the example that ships."""
    return exhibit.compute(exhibit.Inputs(**inputs), experiment.run_experiment(name))


@pytest.mark.measured("today/6-assistant", "You ask it: what color is the ball?")
def test_four_models() -> None:
    """A predictor that answers, a preference that changes nothing, a checker that teaches nothing."""
    found = asked(four_models, "assistant", guess=SHOW)
    tuned, preferred, rewarded = (found.shares[name] for name in ("tuned", "preferred", "rewarded"))
    assert found.outcome.answer == "question" and found.n_question == found.n_predicted
    assert found.shares["predictor"].things == 0 and tuned.things > 0.8
    assert preferred.friendly > 2 * tuned.friendly and preferred.rude < 0.03 < tuned.rude
    assert rewarded.hard > preferred.hard + 0.4
    assert found.is_as_expected and world.DROP_RATE > 0.5
    first = found.chats[four_models.Inputs().question]
    assert [one.kind for one in first.values()] == ["question", "wrong", "wrong", "right"]


@pytest.mark.measured("today/6-assistant", "We train without the mask.")
def test_the_mask() -> None:
    """The mask teaches to expect the answer alone; without it, the user's words, too."""
    found = asked(mask, "assistant")
    assert found.user["unmasked"] < 1 < found.user["predictor"] < found.user["tuned"]
    assert abs(found.assistant["tuned"] - found.assistant["unmasked"]) < 0.1
    assert found.plays["unmasked"].endswith("?") and not found.plays["tuned"].endswith("?")
    assert min(found.right.values()) > 0.9


@pytest.mark.measured("today/6-assistant", "The model is trained on this reward alone")
def test_the_wrong_reward() -> None:
    """Without the KL term the reward is high and the answer gone; with the whole of it, it stays."""
    found = asked(wrong_reward, "wrong-reward", guess=SHOW)
    assert found.outcome.answer == "spam" and found.last["reward"]["none"] > 10 and found.last["right"]["none"] < 0.05
    right, reward = found.last["right"], found.last["reward"]
    assert right["none"] < right["some"] < right["much"] and right["much"] > 0.9 < found.first["right"]
    assert reward["none"] > reward["some"] > reward["much"] > found.first["reward"]


@pytest.mark.measured("today/6-assistant", "What does DPO do to the probability")
@pytest.mark.measured("today/6-assistant", "The answers became friendlier.")
def test_preferences() -> None:
    """The gap widens because the other answer falls, and some truth is lost on the way."""
    found = asked(preferences, "preferences", guess=SHOW)
    chosen, rejected = found.moved
    assert rejected < -5 and abs(chosen) < 0.5, "the gap grows almost only because the other answers fall"
    assert found.ends("reward.accuracy")[1] > 0.95
    assert found.ends("dpo.friendly")[1] > found.ends("dpo.friendly")[0] + 0.3
    assert found.ends("dpo.right")[1] < found.ends("dpo.right")[0]


def test_own_choices() -> None:
    """Before anybody has chosen: a rule's 24 choices teach its taste, and more than a coin would tell."""
    found = asked(own_choices, "own-choices")
    assert found.is_by_rule and (found.n_chosen, found.n_choice) == (0, 24)
    assert found.rows[0].name == "friendly" and found.rows[-1].name == "rude"
    assert found.n_told >= 18 and found.luck < 0.02
    half = asked(own_choices, "own-choices", clicks="1" * 24)
    assert half.n_chosen == 24 and not half.question


@pytest.mark.measured("today/6-assistant", "After the training, how probable")
def test_the_checker() -> None:
    """Sums beyond 9 come right, those never asked as well."""
    means = asked(checker, "assistant", guess=SHOW).means
    assert means["held"][0] < 0.4 and means["held"][1] > 0.7 and means["asked"][1] > 0.7
