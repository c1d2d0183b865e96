"""Over seeds: soft and sampled attention learn where to look, arg-max never does, a baseline saves steps; and what each
version of the lecture's class learns.
"""

import numpy as np
import pytest

from core.rooms.hard_attention.experiments import choosing as task, lecture
from core.train.experiment import Record
from tests.counts import SEEDS
from tests.library.learning.once import trained

pytestmark = pytest.mark.full


def there(record: Record, variant: str, share: float) -> int:
    """The first measured step at which so much weight is on the right card; after the end, if never."""
    found = np.flatnonzero(record[f"curve.{variant}.found"] >= share)
    return int(record["step"][found[0]]) if found.size else int(record["step"][-1]) + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_who_learns_to_look_and_when(seed: int) -> None:
    record = trained("choosing", seed)
    soft, sampled, bare = (there(record, variant, 0.5) for variant in ("soft", "sampled", "bare"))
    assert soft < sampled <= 200 and 2 * sampled < bare  # the baseline saves more than half of the steps
    assert there(record, "soft", 0.9) < there(record, "sampled", 0.9) <= 240


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_leads_to_the_scores_alone_has_moved_under_arg_max(seed: int) -> None:
    for name in ("question_emb.weight", "attn.w_q.weight", "attn.w_k.weight", "attn.v.weight"):
        frames = trained("choosing", seed)[f"frames.argmax.{name}"]
        assert np.array_equal(frames[0], frames[-1])
    assert not np.array_equal(*trained("choosing", seed)["frames.argmax.unembed.weight"][[0, -1]])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_trained_soft_can_be_read_hard(seed: int) -> None:
    shares, _ = task.measure_accuracies(
        task.rebuild_at_moment(trained("choosing", seed), "soft", -1), task.held_out_tables(seed, 8)
    )
    assert shares["argmax"] > 0.99 and 0.93 < shares["sampled"] < shares["soft"]


def test_with_sixteen_cards_luck_teaches_less() -> None:
    many = {seed: trained("choosing", seed, n_card=16) for seed in SEEDS}
    for seed, record in many.items():
        assert there(record, "soft", 0.9) <= there(trained("choosing", seed), "soft", 0.9) + 60 <= 160  # hardly minds
        assert there(record, "sampled", 0.5) > 1.5 * there(trained("choosing", seed), "sampled", 0.5)  # much longer
        assert record["curve.bare.found"][-1] < 0.15  # next to nothing
    ends = [float(record["curve.sampled.found"][-1]) for record in many.values()]
    assert min(ends) < 0.9 < 0.99 < max(ends)  # may not be done


@pytest.mark.parametrize("seed", [0, 1])  # the example that ships, and one more: fifteen seconds
def test_the_order_of_the_versions_of_the_class(seed: int) -> None:
    right = {
        variant: float(trained("lecture", seed)[f"curve.{variant}.accuracy"][-1]) for variant in lecture.VERSION_REPAIRS
    }
    whole = {variant: float(trained("lecture", seed)[f"whole.{variant}"]) for variant in lecture.VERSION_REPAIRS}
    # A plain sum that is the same at every step is worse than nothing; a plain mean is a little better than nothing.
    assert 4 * lecture.CHANCE_ACCURACY < right["written"] < right["none"] < min(right["axis"], right["axis-mask"])
    assert max(right["axis"], right["axis-mask"]) < 0.82
    assert min(right["encoder-axis"], right["all"]) > 0.9
    assert max(whole["written"], whole["none"], whole["axis"], whole["axis-mask"]) < 0.4
    assert min(whole["encoder-axis"], whole["all"]) > 0.5
