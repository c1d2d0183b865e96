"""Characters against merges: fewer bits for the same text, the fewer the better the merges fit; and rows converge."""

import math

import numpy as np
import pytest
import torch

from core.data import corpora, tokenizers
from core.rooms.tokens import born
from core.rooms.tokens.experiments import own_tokens as task
from core.train import experiment
from tests.counts import SEEDS, rest_is_full
from tests.library.learning.once import ran, trained

PAIRS = (("red", "blue"), ("Tom", "Ben"), ("Mia", "Lily"), ("dog", "cat"), ("he", "she"))


def holds(found: experiment.Record) -> None:
    """All that the lesson and the exhibit say of the example."""
    bits = {v: float(found[f"bits.{v}"][-1]) for v in task.VARIANTS}
    assert 35 <= 100 * bits["stories"] / bits["characters"] <= 41
    assert 2 * bits["stories"] < bits["own"] < 0.95 * bits["characters"]  # another text's merges fit, but hardly
    assert 3 < float(found["length.stories"]) < 3.3 and float(found["length.characters"]) == 1
    assert 1 < float(found["length.own"]) < 1.2
    at = int(np.searchsorted(found["step"], 300 / float(found["length.stories"])))
    assert found["bits.stories"][at] < 0.5 * bits["characters"]  # at an equal amount of text, too
    for pair in PAIRS:
        alike = task.row_cosines(found, *pair)
        assert alike is not None
        assert abs(alike[0]) < 0.4 and alike[-1] > max(0.7, alike[0] + 0.4), pair
    apart = task.row_cosines(found, "red", "ball")
    assert apart is not None and abs(apart[-1]) < 0.3


def test_what_is_said_holds_in_the_example() -> None:
    holds(trained("own-tokens", 0))


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_said_holds_for_other_seeds(seed: int) -> None:
    usual = ran("own-tokens", seed)
    holds(usual)
    # What the third model wrote makes merges that fit the stories better.
    found = ran("own-tokens", seed, text=task.continue_story(usual, task.Options(), "stories", "Mia had a", seed))
    assert found["length.own"] > usual["length.own"]
    assert found["bits.own"][-1] < 0.9 * usual["bits.own"][-1]


@pytest.mark.full
def test_fewer_merges_need_more_bits_and_leave_no_rows_to_watch() -> None:
    found = ran("own-tokens", 0, merges=64)
    assert found["bits.stories"][-1] > 1.1 * trained("own-tokens", 0)["bits.stories"][-1]
    assert found["words"].tobytes().decode() == "he"
    assert task.row_cosines(found, "red", "blue") is None


def test_the_own_vocabulary_is_learned_from_the_own_text_alone() -> None:
    found = trained("own-tokens", 0)
    stories = tokenizers.BPETokenizer.train(corpora.load(task.CORPUS).text, 512)
    own = tokenizers.BPETokenizer(step.pair for step in born.learn_merges(task.Options().text, 256))
    for name, expected in (("own", own), ("stories", stories)):
        cutter = tokenizers.tokenizer_from_bytes(found[f"tokenizer.{name}"].tobytes())
        assert isinstance(cutter, tokenizers.BPETokenizer) and cutter.merges == expected.merges


@pytest.mark.parametrize("text", rest_is_full("\x00\ud800\u202e", "a", "\n", "🦎" * 40, "語" * 1000, "word " * 200))
def test_any_text_makes_a_vocabulary(text: str) -> None:
    found = ran("own-tokens", 0, text=text, merges=64, n_step=1)
    assert 256 <= int(found["size.own"]) <= 320
    assert np.isfinite(found["bits.own"]).all()
    assert task.continue_story(found, task.Options(text=text, merges=64, n_step=1), "own", "Mia", 0)


def test_bits_are_summed_over_tokens_and_divided_by_characters() -> None:
    class Blind(torch.nn.Module):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return torch.zeros(*ids.shape, 8)

    class Pairs:
        def decode(self, ids: list[int]) -> str:
            return "ab" * len(ids)

    ids = torch.arange(13) % 8
    # Three bits for each token, two characters each; the last window that is not full is left out.
    assert task.bits_per_character(Blind(), ids, 4, Pairs()) == pytest.approx(math.log2(8) / 2)  # type: ignore[arg-type]


def test_the_text_that_all_are_judged_on_was_never_trained_on() -> None:
    held = task.held_out_text()
    assert 0.9 * task.N_HELD < len(held) <= task.N_HELD
    assert held in corpora.split_validation(corpora.load(task.CORPUS).text, 0.01)[1]


def test_all_write_on_from_any_beginning() -> None:
    found, options = trained("own-tokens", 0), task.Options()
    for beginning in ("Mia had a", "", "🦎 Привет"):
        for variant in task.VARIANTS:
            text = task.continue_story(found, options, variant, beginning, 0)
            assert len(text) > 0.6 * task.N_WRITTEN
            assert text == task.continue_story(found, options, variant, beginning, 0)
