"""What is learned within seconds: words from gaps, new labels from few, entities, whether a sentence follows."""

import numpy as np
import pytest

from core.data.synthetic import masked_stories
from core.rooms.encoder import directions
from core.rooms.encoder.experiments import finetune, masked
from core.rooms.encoder.pretrain import baselines
from core.train import experiment
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained

pytestmark = pytest.mark.full
every_seed = pytest.mark.parametrize("seed", SEEDS)


@every_seed
def test_the_loss_falls_below_half_and_below_what_two_neighbors_tell(seed: int) -> None:
    record = trained("masked", seed)
    loss = record["curve.loss"]
    assert record["step"][-1] == masked.Options().n_step
    assert loss[-1] < baselines().neighbors
    assert record["step"][np.argmax(loss < loss[0] / 2)] <= 250


@every_seed
def test_the_encoder_uses_the_right_side_which_the_decoder_cannot_see(seed: int) -> None:
    record, words = trained("masked", seed), masked_stories.masked_story_vocabulary()
    bert = experiment.rebuild_model(record, "bert", masked.bert_config(words.vocab_size)).float()
    twin = experiment.rebuild_model(record, "twin", masked.twin_config(words.vocab_size)).float()
    asked = directions.find_gap_questions(masked_stories.story_texts()[1], words, masked.LENGTH)
    for name in ("place", "article"):
        one, each = asked[name], np.arange(len(asked[name].truth))
        encoder, blind, decoder = (
            float(said[each, one.truth].mean())
            for said in (
                directions.encoder_probabilities(bert, one, words.mask_id),
                directions.encoder_probabilities(bert, one, words.mask_id, is_causal=True),
                directions.decoder_probabilities(twin, one),
            )
        )
        assert encoder > 0.8 and encoder > decoder + 0.15
        assert decoder == pytest.approx(one.from_the_left, abs=0.1)  # it does all that can be done from the left
        assert blind < one.from_the_left + 0.1  # neither does an encoder that may not look to the right


def tuned(monkeypatch: pytest.MonkeyPatch, seed: int, sizes: tuple[int, ...], **options: int) -> experiment.Record:
    """The record with models for these numbers of labels alone, measured at the ends: each learns for itself, so they
    are the same ones."""
    for name, value in (("SIZES", sizes), ("N_EVAL", 1), ("N_FINE_EVAL", 1)):
        monkeypatch.setattr(finetune, name, value)
    return ran("finetune", seed, **options)


@every_seed
def test_pretraining_is_worth_ten_points_at_twenty_labels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (20, 1_000)
    record = tuned(monkeypatch, seed, sizes) if seed else trained("finetune", 0)
    at = [(sizes if seed else finetune.SIZES).index(n) for n in sizes]
    held = {way: record[f"fine.{way}.held"][-1, at] for way in finetune.START_MODES}
    assert min(held["full"][0], held["frozen"][0]) > held["scratch"][0] + 0.1
    assert held["full"][-1] > 0.97 > 0.93 > held["scratch"][-1]
    # Overfitting: from scratch all twenty of its own reviews are known, and new ones are little better than guesses.
    assert record["fine.scratch.own"][-1, at[0]] == 1 and held["scratch"][0] < 0.7
    assert record["curve.sides"][0] < 0.6 < 0.85 < record["curve.sides"][-1]
    assert sum(array.nbytes for array in record.values()) < 500_000


def test_without_enough_pretraining_there_is_no_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    record = tuned(monkeypatch, 0, (20,), n_step=110)
    assert record["curve.sides"][-1] < 0.6
    assert record["fine.full.held"][-1, 0] < record["fine.scratch.held"][-1, 0] + 0.05


@every_seed
def test_labels_of_entities(seed: int) -> None:
    record = trained("entities", seed)
    total = record["confusion"].sum()
    assert record["list.confusion"].sum() == total and np.trace(record["confusion"]) > 0.98 * total
