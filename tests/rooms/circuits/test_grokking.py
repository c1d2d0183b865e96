"""Grokking: the arithmetic of the circle against sums by hand, and what is said of the training, over three seeds."""

from itertools import pairwise

import numpy as np
import pytest

from core.rooms.circuits import circle, grokking
from core.rooms.circuits.compute import fourier
from core.rooms.circuits.experiments import grokking as task
from core.rooms.circuits.experiments.grokking import CONFIG, N_NUMBER, VARIANTS
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.counts import SEEDS
from tests.library.learning.once import remade, trained

GENERATOR = np.random.default_rng(5)
NOISE = GENERATOR.normal(size=(N_NUMBER, CONFIG.d_model))


def wheel(*frequencies: int) -> np.ndarray:
    """Embeddings that turn at these frequencies and at no other, each in two directions of its own."""
    embedding = np.zeros((N_NUMBER, CONFIG.d_model))
    for i, k in enumerate(frequencies):
        angles = 2 * np.pi * k * np.arange(N_NUMBER) / N_NUMBER
        embedding[:, 2 * i], embedding[:, 2 * i + 1] = np.cos(angles), np.sin(angles)
    return embedding


def test_the_spectrum_is_the_share_of_the_variance_by_hand() -> None:
    shares = fourier.frequency_spectrum(wheel(3, 3, 7) + 5.0)  # twice 3 is twice its variance; the mean is no frequency
    np.testing.assert_allclose(shares[[2, 6]], [2 / 3, 1 / 3], atol=1e-12)
    centered = NOISE - NOISE.mean(0)
    waves = np.stack([fourier.cosine_and_sine(N_NUMBER, k) for k in range(1, 16)]) * np.sqrt(2 / N_NUMBER)
    by_hand = [((wave.T @ centered) ** 2).sum() / (centered**2).sum() for wave in waves]
    np.testing.assert_allclose(fourier.frequency_spectrum(np.stack([NOISE, NOISE])), [by_hand, by_hand], atol=1e-12)


def test_cutting_leaves_these_frequencies_and_the_mean_and_nothing_else() -> None:
    left = fourier.keep_frequencies(NOISE, {2, 9})
    np.testing.assert_allclose(left.mean(0), NOISE.mean(0), atol=1e-12)
    assert set(np.flatnonzero(fourier.frequency_spectrum(left) > 1e-20) + 1) == {2, 9}
    np.testing.assert_allclose(fourier.keep_frequencies(NOISE, range(1, 16)), NOISE, atol=1e-12)
    np.testing.assert_allclose(
        left + fourier.keep_frequencies(NOISE, set(range(1, 16)) - {2, 9}) - NOISE.mean(0), NOISE, atol=1e-12
    )


def test_a_wheel_is_seen_as_a_circle_in_the_order_of_its_ring() -> None:
    embedding = wheel(4, 11) @ np.linalg.qr(GENERATOR.normal(size=(CONFIG.d_model, CONFIG.d_model)))[0]
    two = fourier.circle_directions(embedding, 11)
    np.testing.assert_allclose(two @ two.T, np.eye(2), atol=1e-12)
    points = fourier.project_points(embedding, two)
    assert (
        fourier.circle_share(embedding, two, 11)
        == pytest.approx(0.5)
        == fourier.circle_share(embedding, two[::-1] * 3, 11)
    )
    assert fourier.circle_share(embedding, two, 4) == pytest.approx(0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-12)
    around = points[fourier.circle_order(N_NUMBER, 11)]
    steps = [np.linalg.norm(a - b) for a, b in pairwise([*around, around[0]])]
    np.testing.assert_allclose(steps, 2 * np.sin(np.pi / N_NUMBER), atol=1e-12)


def test_noise_has_a_perfect_circle_for_who_looks_for_one() -> None:
    two = fourier.fit_circle(NOISE, 6)
    np.testing.assert_allclose(fourier.project_points(NOISE, two), fourier.cosine_and_sine(N_NUMBER, 6), atol=1e-9)
    assert fourier.circle_share(NOISE, two, 6) < fourier.frequency_spectrum(NOISE)[5]
    own = fourier.circle_directions(NOISE, 6)
    assert fourier.circle_share(NOISE, own, 6) == pytest.approx(fourier.frequency_spectrum(NOISE)[5]), (
        "all that turns lies in them"
    )


def test_each_cut_begins_or_ends_with_the_whole_model() -> None:
    record = trained("grokking", 0)
    model, embedding = rebuild_model(record, "rule", CONFIG), record["model.rule.tok_emb.weight"].astype(float)
    kept = circle.accuracy_after_cuts(model, embedding, task.number_pairs(), task.pair_answers(record, "rule"))
    first, last = kept["strongest"], kept["weakest"]
    assert first[0] == last[0] == 1 and first[-1] == last[-1] < 0.1
    ranked = circle.rank_frequencies(embedding)
    left = circle.right_pairs(
        model, fourier.keep_frequencies(embedding, ranked[:3]), task.number_pairs(), task.pair_answers(record, "rule")
    )
    assert last[12] == pytest.approx(left.mean(), abs=1e-3), "twelve of fifteen taken out leave the strongest three"


def test_a_running_training_fills_all_moments() -> None:
    record = trained("grokking", 0)
    short = {key: value[:9] if key.startswith(("step", "curve", "frames")) else value for key, value in record.items()}
    found = grokking.compute(grokking.Inputs(), ExperimentRun(short, {"share": 50}, 0, int(short["step"][-1]), 1000))
    assert found.outcome is None and not found.is_told
    assert len(grokking.pad_to_slider(found.points)) == len(grokking.pad_to_slider(found.moments)) == grokking.N_MOMENT
    assert grokking.pad_to_slider(found.moments)[-1] == found.moments[8]


def run_of(seed: int) -> ExperimentRun:
    record = trained("grokking", seed)
    last = int(record["step"][-1])
    return ExperimentRun(record, {"share": 50, "n_step": last}, seed, last, last, name="grokking")


def test_the_example_is_what_the_code_makes_now() -> None:
    remade("grokking", 20)


@pytest.mark.measured("today/9-features", "At the moment when it gets every training pair right")
@pytest.mark.measured("today/9-features", "After 1,000 steps, which of the three")
@pytest.mark.parametrize("seed", [0, *(pytest.param(one, marks=pytest.mark.full) for one in SEEDS if one)])
def test_it_knows_by_heart_and_understands_much_later(seed: int) -> None:
    found = grokking.compute(grokking.Inputs(), run_of(seed))
    assert found.learned_at is not None and found.understood_at is not None
    assert found.outcome is not None and found.outcome.answer == "none" and found.unseen_then < 2 * found.chance
    assert found.understood_at > 5 * found.learned_at
    assert found.last["rule"] > 0.98 and all(right == 1 for right in found.learned.values())
    assert found.last["no_decay"] < 0.1 and found.last["random"] < 0.1
    assert found.norm["no_decay"] > 2 * max(found.norm["rule"], found.norm["random"])
    assert found.norm["random"] < 1.5 * found.norm["rule"], "it can only memorize, and its weights are small, too"


@pytest.mark.measured("today/9-features", "How many of the 15 frequencies")
@pytest.mark.measured("today/9-features", "A paper shows a circle")
@pytest.mark.parametrize("seed", [0, *(pytest.param(one, marks=pytest.mark.full) for one in SEEDS if one)])
def test_a_few_frequencies_are_left_and_are_used_and_only_where_there_is_a_rule(seed: int) -> None:
    found = {of: circle.compute(circle.Inputs(of=of), run_of(seed)) for of in circle.EMBEDDING_NAMES}
    rule = found["rule"]
    assert rule.outcome.answer == "yes" and not found["untrained"].kept
    assert 2 <= rule.enough <= 6 and rule.without < 0.15 and rule.without_others > 0.95
    assert rule.top > 0.18 and np.sort(rule.spectrum)[-5:].sum() > 0.8
    assert all(found[of].top < 0.12 for of in circle.EMBEDDING_NAMES if of != "rule"), (
        "each frequency has about a fifteenth"
    )
    assert all(found[of].enough > 8 for of in VARIANTS if of != "rule")
