"""What the room says about gaps is so, computed from the record that ships."""

from types import MappingProxyType

import numpy as np
import pytest
import torch

from core.rooms.encoder import directions, gaps, lab, pretrain, together
from core.rooms.encoder.common import pair
from core.rooms.encoder.experiments import masked as task
from core.train import experiment
from core.train.experiments.masking import KEPT
from core.train.live import Live
from core.ui.training.trained_models import Trained, trained
from tests.library.learning.once import ran


@pytest.fixture(scope="module")
def models() -> Trained:
    record, about = experiment.unpack((experiment.EXAMPLES / "masked.safetensors").read_bytes())
    assert about["options"] == vars(experiment.options_of("masked", {})) and about["step"] == about["n_step"] == 700
    assert sum(array.nbytes for array in record.values()) < 500_000
    return trained(Live(record, MappingProxyType(about["options"]), 0, 700, 700, False, True))


@pytest.fixture(scope="module")
def opened(models: Trained) -> task.Pair:
    return pair(models)


def ids_of(opened: task.Pair, text: str) -> tuple[int, ...]:
    return (opened.words.class_id, *opened.words.encode(text))


def best(opened: task.Pair, chances: np.ndarray) -> str:
    return opened.words.labels([int(chances.argmax())])[0]


def test_the_example_is_what_the_code_makes_now(models: Trained) -> None:
    running = experiment.start("masked", {}, 0)
    while running.step < 20:
        running.advance()
    now = running.record()
    for key in ("curve.loss", "curve.twin"):
        assert np.allclose(now[key], models.record[key][: len(now[key])], atol=0.02) and len(now[key]) == 2


def test_the_masking_lab() -> None:
    for seed in range(8):
        n = int(lab.batch(seed, 0.15).counts.sum())
        assert 150 < n <= 184
        assert 150 * 0.05 < n * 0.05 < 9.5  # some eight words at 5 %
    deviation = (170 * 0.15 * 0.85) ** 0.5
    assert round(170 * 0.15, 0) in (25, 26) and round(deviation) == 5
    shares = lab.tally(0, 0.15)[-1] / lab.tally(0, 0.15)[-1].sum()
    assert np.abs(shares - [0.85, 0.12, 0.015, 0.015]).max() < 0.005
    fate = lab.batch(0, 0.15).corrupted.fate
    assert all(int((fate == one).sum()) for one in range(4))  # every kind is there to be looked for
    assert not torch.equal(lab.batch(1, 0.15).corrupted.fate, fate)


def test_pre_training(models: Trained, opened: task.Pair) -> None:
    line, loss = pretrain.baselines(), models.record["curve.loss"]
    assert loss[-1] < line.neighbors < line.frequency < line.uniform
    frames = models.record["frames.probe"].astype(np.float64)
    words = [[best(opened, one) for one in frame] for frame in frames]
    assert set(words[1] + words[2]) <= {"the", ".", ",", "a", "and"}  # first the most frequent signs
    assert words[-1][1:] == ["hungry", "an"] and any(w[1] == "hungry" and w[2] != "an" for w in words)
    animals = opened.words.encode("dog cat bird duck fox frog")
    assert frames[-1][0, animals].sum() > 0.9 and frames[-1][0, animals].max() < 0.35


def test_what_a_click_does(models: Trained, opened: task.Pair) -> None:
    text = ids_of(opened, gaps.DEFAULT)
    assert [opened.words.labels([text[i]])[0] for i in gaps.FIRST_GAPS] == ["hungry", "an"]
    an, a = (opened.words.encode(word)[0] for word in ("an", "a"))
    alone, both = gaps.filled(models, text, (14, 18))[18], gaps.filled(models, text, (18, 19))[18]
    assert alone[an] > 0.8 and min(both[an], both[a]) > 0.2
    bun = gaps.filled(models, ids_of(opened, gaps.DEFAULT.replace("apple", "bun")), (14, 18))[18]
    assert bun[a] > 0.8
    whole = gaps.filled(models, text, ())
    says = (whole[:, : opened.words.n_plain].argmax(1) == np.array(text))[1:]
    assert 0.7 < says.mean() < 1 and whole[[3, 12, 26], list(text[3:4]) * 3].max() < 0.5  # the animal is in doubt


def test_two_gaps(models: Trained, opened: task.Pair) -> None:
    text = ids_of(opened, task.PROBE)
    found = together.two(models, text, (together.FIRST, together.SECOND))
    first, second = (opened.words.labels(ids) for ids in (found.first, found.second))
    assert (first[0], second[0]) == ("a", "apple") and found.apart.argmax() == 0
    assert found.in_turn[0, 0] < 0.05 < found.apart[0, 0]
    assert {second[i] for i in np.argsort(-found.in_turn[0])[:3]} == {"bun", "cake", "pear"}
    assert " a apple" not in " ".join(directions.held_stories())
    sad = text.index(opened.words.encode("sad")[0])
    apart = together.two(models, text, (together.FIRST, sad))
    assert np.abs(apart.apart - apart.in_turn).max() < 0.05


def test_both_directions(models: Trained, opened: task.Pair) -> None:
    text = ids_of(opened, directions.DEFAULT)
    encoder, _, decoder = directions.WHO
    said = directions.answers(models, text, directions.PLACE)
    right = {who: float(chances[text[directions.PLACE]]) for who, chances in said.items()}
    assert right[encoder] > 0.5 > 0.3 > right[decoder] and right["decoder, every word tried"] > 0.9
    row = directions.maps_of(models, text, directions.PLACE, False).encoder[1, 1, directions.PLACE]
    assert opened.words.labels([text[int(row.argmax())]]) == ["tree"]  # the head that opens first reads to the right
    for gap in (13, len(text) - 1):
        late = directions.answers(models, text, gap)
        assert late[decoder][text[gap]] > late[encoder][text[gap]] - 0.02 > 0.9
    found = directions.measured(models)
    assert set(found) == set(directions.KINDS)
    for one in found.values():
        assert one.chances[1] < one.chances[2] + 0.02  # the causal mask: no better than the decoder
    assert found["article"].chances[1] < found["article"].chances[2] - 0.1  # and mostly worse
    assert found["animal"].chances[1] < found["animal"].chances[2] - 0.05
    assert abs(found["animal"].chances[0] - found["animal"].from_the_left) < 0.05  # nobody knows which animal


@pytest.mark.slow
@pytest.mark.full
def test_masks_alone_and_a_larger_share(models: Trained, opened: task.Pair) -> None:
    alone, more = (ran("masked", 0, **options) for options in ({"rule": "100/0/0"}, {"share": 40}))
    places = pretrain.believed(models)
    without = pretrain.believed(Trained("alone", alone))
    assert without < places - 0.1
    middle = slice(2, 8)
    assert (more["curve.loss"][middle] < models.record["curve.loss"][middle]).all()
    assert more["curve.loss"][-1] < models.record["curve.loss"][-1] + 0.1


def test_a_word_that_is_shown_is_asked_in_a_fifth_of_the_gaps(opened: task.Pair) -> None:
    fate = task.held_batch(opened.words).fate
    asked = fate[fate != KEPT]
    assert float((asked > 1).float().mean()) == pytest.approx(0.2, abs=0.03)
