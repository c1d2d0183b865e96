"""Probes: what is taken away, from whom, and what the room says of it over three seeds.

What this catches: stories that a probe has learned from among those it is asked about, a removal that moves anything
beside the probe's directions or any other token, and claims that hold for one draw only.
"""

from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.model_inputs.model_key import SHIPPED_MODELS
from core.models import pretrained
from core.nn.tap import Trace
from core.rooms.circuits import probe
from core.rooms.circuits.compute import probing
from core.rooms.circuits.compute.probing import (
    N_HELD,
    N_LEARNED,
    QUESTIONS,
    StoryBeginnings,
    child_name,
    sample_beginnings,
)
from tests.counts import rest_is_full


def stories() -> Any:
    return pretrained.load(SHIPPED_MODELS / "stories")


@pytest.mark.parametrize("ask", QUESTIONS)
def test_no_story_is_learned_from_and_asked_about_and_labels_by_lot_hang_on_names_alone(ask: str) -> None:
    tokenizer = stories().tokenizer
    learned, held = sample_beginnings(QUESTIONS[ask], tokenizer.encode, 0)
    read = [[tokenizer.decode(ids[: at + 1].tolist()) for ids, at in zip(one.ids, one.at, strict=True)] for one in
            (learned, held)]  # fmt: skip
    names = {}
    for text, drawn in zip(read[0] + read[1], [*learned.drawn, *held.drawn], strict=True):
        assert text.endswith(QUESTIONS[ask].before)
        names.setdefault(child_name(text), set()).add(int(drawn))
    assert len(names) == 12 and all(len(one) == 1 for one in names.values())
    n_class = len(QUESTIONS[ask].answers)
    assert sorted(min(one) for one in names.values()) == sorted([*range(n_class)] * (12 // n_class))
    assert len(held.at) == N_HELD and len(learned.at) == N_LEARNED


def test_removal_takes_the_directions_of_the_probe_and_nothing_else() -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 300)
    x = random.normal(size=(300, 9)).astype(np.float32) + 3 * np.eye(3, 9, dtype=np.float32)[truth]
    found = probing.fit_probe(x, truth)
    assert found.basis.shape == (2, 9) and found.right(x, truth) > 0.9
    torch.testing.assert_close(found.basis @ found.basis.T, torch.eye(2), atol=1e-5, rtol=0)
    left = probing.remove_directions(torch.from_numpy(x), torch.from_numpy(found.mean), found.basis)
    assert found.right(left.numpy(), truth) < 0.5
    other = np.linalg.qr(np.concatenate([found.basis.T, random.normal(size=(9, 7))], axis=1))[0][:, 2:]
    np.testing.assert_allclose(left.numpy() @ other, x @ other, atol=1e-4)
    step = torch.from_numpy(found.means[(truth + 1) % 3] - found.means[truth])
    moved = probing.shift_class(torch.from_numpy(x), step, found.basis).numpy()
    assert found.right(moved, (truth + 1) % 3) > 0.9
    np.testing.assert_allclose(moved @ other, x @ other, atol=1e-4)


def test_only_the_last_token_of_each_text_is_changed() -> None:
    whole = stories()
    _, held = sample_beginnings(QUESTIONS["pronoun"], whole.tokenizer.encode, 0)
    few, place = held[:6], "blocks.0.resid_out"
    with torch.no_grad(), Trace(whole.model) as plain:
        logits = whole.model(few.ids)
    best = logits[few.rows, few.at].argmax(-1).numpy()
    np.testing.assert_array_equal(probing.predict_changed(whole.model, few, place), best)
    seen = {}

    def change(x: torch.Tensor, given: StoryBeginnings) -> torch.Tensor:
        torch.testing.assert_close(x, plain[place][few.rows, given.at], atol=1e-5, rtol=0)
        seen["n"] = len(given.at)
        return x

    np.testing.assert_array_equal(probing.predict_changed(whole.model, few, place, change), best)
    assert seen == {"n": 6}


@pytest.mark.measured("today/8-circuits", "In an untrained model of the same shape")
@pytest.mark.measured("today/8-circuits", "After layer 0, a probe can tell")
@pytest.mark.parametrize("seed", rest_is_full(0, 1, 2))
def test_he_or_she_can_be_read_where_it_is_not_used_and_in_an_untrained_model(seed: int) -> None:
    found = probe.compute(probe.Inputs(seed=seed))
    trained, untrained, drawn = found.found.trained, found.found.untrained, found.found.drawn
    assert trained[0] < 0.65 and min(trained[1:]) > 0.95
    assert min(untrained[1:]) > 0.95 and found.outcome.answer == "same"
    assert 0.6 < drawn[1] < 0.9 < drawn[2] + 0.05, "labels by lot are found, too"
    nothing, random, without, all_, moved = found.said.T
    assert min(*nothing, *random) == 1, "a random direction costs nothing"
    assert without[0] == all_[0] == moved[0] == 1, "after layer 0 it is not used"
    assert without[1] < 0.65 and moved[1] == 0 and found.found.moved_to[1] == 1
    assert found.found.again[1] > 0.75, "taken away is not gone"


@pytest.mark.full
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_color_arrives_in_the_last_layer(seed: int) -> None:
    found = probe.compute(probe.Inputs(ask="color", seed=seed))
    trained, untrained = found.found.trained, found.found.untrained
    assert max(trained[:2]) < 0.3 and trained[2] > 0.98
    assert found.outcome.answer == "between" and max(untrained) < 0.8
    assert found.said[0].min() == 1 and found.said[1, 2] < 0.35 and found.said[1, 1] == 1
    assert found.found.moved_to[1] > 0.98
