"""What the room says about gaps is so, computed from the record that ships."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.data.synthetic import gap_stories
from core.inputs import MAX_SEED
from core.rooms.encoder import directions, gaps, lab, pretrain, together
from core.rooms.encoder.compute.directions import WHO
from core.rooms.encoder.experiments import masked as task
from core.train import experiment
from core.train.experiment import run_of
from core.train.experiments.live import Live
from core.train.experiments.masking import KEPT
from tests.library.learning.once import ran

WORDS = gap_stories.words()


@pytest.fixture(scope="module")
def run() -> Live:
    record, about = experiment.unpack((experiment.EXAMPLES / "masked.safetensors").read_bytes())
    assert about["options"] == vars(experiment.options_of("masked", {})) and about["step"] == about["n_step"] == 700
    assert sum(array.nbytes for array in record.values()) < 500_000
    return run_of("masked")


def best(chances: np.ndarray) -> str:
    return WORDS.labels([int(chances.argmax())])[0]


def test_the_example_is_what_the_code_makes_now(run: Live) -> None:
    running = experiment.start("masked", {}, 0)
    while running.step < 20:
        running.advance()
    now = running.record()
    for key in ("curve.loss", "curve.twin"):
        assert np.allclose(now[key], run.record[key][: len(now[key])], atol=0.02) and len(now[key]) == 2


def test_the_masking_lab() -> None:
    for seed in range(8):
        assert 150 < lab.compute(lab.Inputs(seed=seed)).n <= 184
        assert 150 * 0.05 < lab.compute(lab.Inputs(seed=seed)).n * 0.05 < 9.5  # some eight words at 5 %
    deviation = (170 * 0.15 * 0.85) ** 0.5
    assert round(170 * 0.15, 0) in (25, 26) and round(deviation) == 5
    found = lab.compute(lab.Inputs())
    assert np.abs(found.added[-1] / found.added[-1].sum() - [0.85, 0.12, 0.015, 0.015]).max() < 0.005
    assert (found.fate == KEPT).any() and found.counts.all()  # every kind is there to be looked for
    assert not np.array_equal(lab.compute(lab.Inputs(seed=1)).fate, found.fate)


def test_every_word_has_one_fate_and_the_table_says_how_many() -> None:
    found = lab.compute(lab.Inputs(seed=3, share=40))
    assert found.counts.sum() == found.n == (found.truth < WORDS.n_plain).sum()
    assert found.counts[1] == (found.read == WORDS.mask_id).sum()
    assert np.array_equal(found.added[0], found.counts)
    table = found.table()
    assert table["fate"] == ["not chosen", "masked", "replaced", "unchanged"]
    assert table["expected"] == pytest.approx(np.array([0.6, 0.32, 0.04, 0.04]) * found.n)


def test_after_the_last_seed_comes_the_first() -> None:
    last, first = (lab.compute(lab.Inputs(seed=seed)).counts for seed in (MAX_SEED, 0))
    assert lab.tally(MAX_SEED, 0.15)[:2].tolist() == [last.tolist(), (last + first).tolist()]


def test_pre_training(run: Live) -> None:
    line, loss = pretrain.baselines(), run.record["curve.loss"]
    assert loss[-1] < line.neighbors < line.frequency < line.uniform
    frames = run.record["frames.probe"].astype(np.float64)
    words = [[best(one) for one in frame] for frame in frames]
    assert set(words[1] + words[2]) <= {"the", ".", ",", "a", "and"}  # first the most frequent signs
    assert words[-1][1:] == ["hungry", "an"] and any(w[1] == "hungry" and w[2] != "an" for w in words)
    animals = WORDS.encode("dog cat bird duck fox frog")
    assert frames[-1][0, animals].sum() > 0.9 and frames[-1][0, animals].max() < 0.35


def test_what_a_click_does(run: Live) -> None:
    def says(hidden: str, text: str = task.PROBE) -> Any:
        return gaps.compute(gaps.Inputs(text=text, places=hidden), run)

    first = gaps.compute(gaps.Inputs(), run)
    assert [first.tokens[i] for i in first.gaps] == ["hungry", "an"]
    an, a = (WORDS.encode(word)[0] for word in ("an", "a"))
    both = says("18.19").probabilities[18]
    assert first.probabilities[18, an] > 0.8 and min(both[an], both[a]) > 0.2
    assert says("14.18", task.PROBE.replace("apple", "bun")).probabilities[18, a] > 0.8
    whole = says("none")
    assert 0.7 < np.mean([one == other for one, other in zip(whole.best[1:], whole.tokens[1:], strict=True)]) < 1
    assert whole.probabilities[[3, 12, 26], whole.ids[3]].max() < 0.5  # the animal is in doubt


def test_two_gaps(run: Live) -> None:
    found = together.compute(together.Inputs(), run)
    first, second = found.labels
    assert (first[0], second[0]) == ("a", "apple") and found.apart.argmax() == 0
    assert found.in_turn[0, 0] < 0.05 < found.apart[0, 0]
    assert {second[i] for i in np.argsort(-found.in_turn[0])[:3]} == {"bun", "cake", "pear"}
    assert " a apple" not in " ".join(gap_stories.texts()[1])
    apart = together.compute(together.Inputs(second=found.tokens.index("sad")), run)
    assert np.abs(apart.apart - apart.in_turn).max() < 0.05


def test_both_directions(run: Live) -> None:
    encoder, _, decoder = WHO
    said = directions.compute(directions.Inputs(), run)
    assert said.of_truth(encoder) > 0.5 > 0.3 > said.of_truth(decoder)
    assert said.of_truth("decoder, every word tried") > 0.9
    assert {word for word, _ in said.top(decoder, 4)} == {"under", "behind", "in", "near"}  # a lesson says so
    row = said.encoder[1, 1, said.gap]
    assert said.tokens[int(row.argmax())] == "tree"  # the head that opens first reads to the right
    for gap in (13, len(said.ids) - 1):
        late = directions.compute(directions.Inputs(gap=gap), run)
        assert late.of_truth(decoder) > late.of_truth(encoder) - 0.02 > 0.9
    found = said.many
    assert set(found) == set(directions.KINDS)
    for one in found.values():
        assert one.chances[1] < one.chances[2] + 0.02  # the causal mask: no better than the decoder
    assert found["article"].chances[1] < found["article"].chances[2] - 0.1  # and mostly worse
    assert found["animal"].chances[1] < found["animal"].chances[2] - 0.05
    assert abs(found["animal"].chances[0] - found["animal"].from_the_left) < 0.05  # nobody knows which animal


@pytest.mark.slow
@pytest.mark.full
def test_masks_alone_and_a_larger_share(run: Live) -> None:
    alone, more = (ran("masked", 0, **options) for options in ({"rule": "100/0/0"}, {"share": 40}))
    places, without = (pretrain.compute(pretrain.Inputs(), one).believed for one in (run, replace(run, record=alone)))
    assert without < places - 0.1
    middle = slice(2, 8)
    assert (more["curve.loss"][middle] < run.record["curve.loss"][middle]).all()
    assert more["curve.loss"][-1] < run.record["curve.loss"][-1] + 0.1


def test_a_word_that_is_shown_is_asked_in_a_fifth_of_the_gaps() -> None:
    fate = task.held_batch(WORDS).fate
    asked = fate[fate != KEPT]
    assert float((asked > 1).float().mean()) == pytest.approx(0.2, abs=0.03)
