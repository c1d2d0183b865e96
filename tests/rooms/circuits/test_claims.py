"""What the room and its lessons say in words that no other test of this room holds."""

import numpy as np
import pytest

from core.rooms.circuits import circle, features, grokking, names
from core.rooms.circuits.experiments import features as features_task
from core.train.experiment import run_experiment


@pytest.mark.measured("today/9-features", "Switching most features off changes nothing")
def test_most_named_features_are_active_at_fewer_than_one_token_in_fifty() -> None:
    found = features.compute(features.Inputs(), run_experiment("features"))
    named = [card.share for card in found.cards if card.name]
    assert np.mean(np.array(named) < 1 / 50) >= 0.75


def test_256_features_are_fewer_than_the_neurons_and_enough_to_predict_as_well() -> None:
    """Catches words of more features than neurons, or of a dictionary that is enough, if either no longer holds."""
    found = features.compute(features.Inputs(), run_experiment("features"))
    plain, zero, rebuilt = found.losses
    assert features_task.N_FEATURE == found.n["found"] == 256 < found.n["neurons"] == 384
    assert abs(rebuilt - plain) < 0.01 * (zero - plain)
    assert names.compute(names.Inputs(), run_experiment("features")).recovered > 0.98


@pytest.mark.measured("today/9-features", "After 1,000 steps, which of the three")
def test_random_labels_are_memorized_with_weights_as_small_as_the_rules() -> None:
    """Catches the explanation that memorizing takes large weights."""
    found = grokking.compute(grokking.Inputs(), run_experiment("grokking"))
    assert all(right == 1 for right in found.learned.values())
    assert found.norm["random"] < 1.2 * found.norm["rule"] and found.norm["no_decay"] > 4 * found.norm["random"]
    assert found.norm["start"] > 3 * found.norm["random"], "weight decay shrinks both"
    record = found.run.record
    before = int(np.argmax(record["step"] >= 200))
    assert found.understood_at is not None and found.understood_at > record["step"][before] > found.learned_at
    assert record["curve.rule.norm"][before] < 8 and record["curve.rule.unseen"][before] < 0.1, "small before the rule"


def test_the_untrained_circle_holds_little() -> None:
    found = circle.compute(circle.Inputs(of="untrained"), run_experiment("grokking"))
    assert found.outcome.answer == "yes" and found.held[1] < 0.05 < 1 / found.n
