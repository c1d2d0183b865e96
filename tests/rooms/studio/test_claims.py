"""What the studio says of its film is so for the recorded example."""

import numpy as np
import pytest

from core.data import corpora
from core.rooms.studio import recorded_example
from core.train.watch.behavior_snapshots import RunFrame


@pytest.fixture(scope="module")
def film() -> list[RunFrame]:
    return [RunFrame.from_bytes(one) for one in recorded_example.example_frames()]


def test_at_step_0_no_head_has_a_job_and_later_one_has(film: list[RunFrame]) -> None:
    """“At first the text is random, then a head finds its job”: the token just before."""

    def previous(frame: RunFrame) -> np.ndarray:
        return np.asarray(frame.attention / 255).diagonal(-1, -2, -1).mean(-1)

    assert film[0].step == 0 and previous(film[0]).max() < 0.3
    assert previous(film[-1]).max() > 0.6


def test_the_text_is_random_at_first_and_of_known_words_at_last(film: list[RunFrame]) -> None:
    known = set(corpora.load("stories").text.split())

    def share_known(frame: RunFrame) -> float:
        words = frame.sample.split()[7:]  # after the prompt
        return float(np.mean([word in known for word in words]))

    assert share_known(film[0]) < 0.7 < 0.95 < share_known(film[-1])


def test_the_loss_falls_far_below_that_of_a_uniform_guess() -> None:
    losses = [one.val_loss for one in recorded_example.example_points() if one.val_loss is not None]
    assert losses[0] == pytest.approx(np.log(453), abs=0.1)
    assert losses[-1] < 0.1 * losses[0]


def test_hardly_any_unit_is_silent() -> None:
    """“GELU is never exactly 0”."""
    kept = recorded_example.example_tensors("*.mlp.act")
    assert kept.tensors and all(one.silent < 0.05 for one in kept.tensors if one.silent is not None)
