"""Soft and sampled attention learn where to look, arg-max never does, and a baseline saves steps; on every seed."""

import numpy as np
import pytest

from core.rooms.hard_attention.experiments import choosing as task
from core.train.device import one_thread
from core.train.experiment import EXAMPLES, unpack
from tests.counts import SEEDS

Record = dict[str, np.ndarray]
pytestmark = pytest.mark.full


def trained(n_card: int, seed: int) -> Record:
    with one_thread():
        running = task.Choosing(task.Options(n_card=n_card), seed)
        while running.step < running.n_step:
            running.advance()
    return running.record()


@pytest.fixture(scope="module")
def records() -> dict[int, Record]:
    """Seed -> record; that of seed 0 is the one that ships, of the same code and options."""
    shipped = unpack((EXAMPLES / "choosing.safetensors").read_bytes())[0]
    return {0: dict(shipped)} | {seed: trained(8, seed) for seed in SEEDS[1:]}


def there(record: Record, variant: str, share: float) -> int:
    """The first measured step at which so much weight is on the right card; after the end, if never."""
    found = np.flatnonzero(record[f"curve.{variant}.found"] >= share)
    return int(record["step"][found[0]]) if found.size else int(record["step"][-1]) + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_who_learns_to_look_and_when(records: dict[int, Record], seed: int) -> None:
    record = records[seed]
    soft, sampled, bare = (there(record, variant, 0.5) for variant in ("soft", "sampled", "bare"))
    assert soft < sampled <= 200 and 2 * sampled < bare  # the baseline saves more than half of the steps
    assert there(record, "soft", 0.9) < there(record, "sampled", 0.9) <= 240
    assert record["curve.soft.accuracy"][-1] > 0.99 and record["curve.sampled.accuracy"][-1] > 0.99
    # Soft attention keeps a little for the other cards; the draw punishes that.
    assert 0.93 < record["curve.soft.found"][-1] < 0.99 < record["curve.sampled.found"][-1]
    luck = 1 / 8 + 7 / 64
    assert record["curve.argmax.accuracy"][-1] == pytest.approx(luck, abs=0.06)
    assert record["curve.argmax.found"].max() < 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_leads_to_the_scores_alone_has_moved_under_arg_max(records: dict[int, Record], seed: int) -> None:
    for name in ("question_emb.weight", "attn.w_q.weight", "attn.w_k.weight", "attn.v.weight"):
        frames = records[seed][f"frames.argmax.{name}"]
        assert np.array_equal(frames[0], frames[-1])
    assert not np.array_equal(*records[seed]["frames.argmax.unembed.weight"][[0, -1]])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_trained_soft_can_be_read_hard(records: dict[int, Record], seed: int) -> None:
    shares, _ = task.accuracies(task.model_at(records[seed], "soft", -1), task.held_out(seed, 8))
    assert shares["argmax"] > 0.99 and 0.93 < shares["sampled"] < shares["soft"]


def test_with_sixteen_cards_luck_teaches_less(records: dict[int, Record]) -> None:
    many = {seed: trained(16, seed) for seed in SEEDS}
    for seed, record in many.items():
        assert there(record, "soft", 0.9) <= there(records[seed], "soft", 0.9) + 60 <= 160  # hardly minds
        assert there(record, "sampled", 0.5) > 1.5 * there(records[seed], "sampled", 0.5)  # much longer
        assert record["curve.bare.found"][-1] < 0.15  # next to nothing
    ends = [float(record["curve.sampled.found"][-1]) for record in many.values()]
    assert min(ends) < 0.9 < 0.99 < max(ends)  # may not be done
