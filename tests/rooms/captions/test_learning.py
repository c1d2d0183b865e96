"""Captions: one vector carries less than all patches."""

from core.rooms.captions.experiments import captions as task
from tests.library.learning.once import trained


def test_one_vector_carries_less() -> None:
    patches, vector = trained("captions", 0), trained("captions-class", 0)
    assert patches["curve.exact"][-1] > vector["curve.exact"][-1] + 0.01
    assert len(patches["step"]) == len(vector["step"]) == task.N_EVAL + 1
