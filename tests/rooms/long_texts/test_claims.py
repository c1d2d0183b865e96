"""What the room and its lesson say in words is true of the training that ships."""

from core.rooms.long_texts import by_position, needle
from core.train import experiment

RUN = "long-texts"


def test_what_is_said_of_the_loss() -> None:
    found = by_position.compute(by_position.Inputs(guess="show"), experiment.run_of(RUN))
    assert found.came is not None and found.came.answer == "slowly"
    assert found.best in ("window", "sinks") and found.best_clock == found.best_tuned == "yarn"
    assert found.end["plain"] > found.inside + 1 and found.end["ntk"] > found.inside + 1
    assert found.end["window"] < found.inside + 0.15, "a window loses little"
    stumble = float(found.losses("window")[4:6].mean()) - found.inside
    assert stumble > 0.15 and 0 < found.bump < 0.15, "a small stumble, and a little less of it with sinks"
    assert all(found.tuned[way] < found.end[way] - 0.2 for way in found.tuned), "more steps help them all"
    assert found.tuned["interpolation"] > found.tuned["yarn"] + 0.3


def test_what_is_said_of_needles() -> None:
    found = needle.compute(needle.Inputs(), experiment.run_of(RUN))
    assert found.trained > 0.9 and found.longest["plain"] < 0.15
    assert found.best == "yarn" and found.longest["yarn"] > 0.7
    for way in (4, 5):  # a window of 64, with sinks or without: the newest fifth of 256 tokens and nothing older
        assert found.found[way, 0, -1, :-1].max() < 0.2 and found.found[way, 0, -1, -1] > 0.8
