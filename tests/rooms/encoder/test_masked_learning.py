"""A small BERT learns words from gaps within seconds, and reads both sides of them; two seeds, in full three."""

import numpy as np
import pytest

from core.data.synthetic import gap_stories
from core.rooms.encoder.compute import directions
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.pretrain import baselines
from core.train.experiment import rebuild
from tests.counts import SEEDS
from tests.library.learning.once import trained

pytestmark = pytest.mark.full


@pytest.mark.parametrize("seed", SEEDS)
def test_the_loss_falls_below_half_and_below_what_two_neighbors_tell(seed: int) -> None:
    record = trained("masked", seed)
    loss = record["curve.loss"]
    assert record["step"][-1] == task.Options().n_step
    assert loss[-1] < loss[0] / 2  # the promise; it is a good deal better:
    assert loss[-1] < 0.75 < baselines().neighbors and record["curve.accuracy"][-1] > 0.72
    half = int(record["step"][np.argmax(loss < loss[0] / 2)])
    assert half <= 250


@pytest.mark.parametrize("seed", SEEDS)
def test_the_encoder_uses_the_right_side_which_the_decoder_cannot_see(seed: int) -> None:
    record = trained("masked", seed)
    words = gap_stories.words()
    bert = rebuild(record, "bert", task.bert_config(words.vocab_size)).float()
    twin = rebuild(record, "twin", task.twin_config(words.vocab_size)).float()
    asked = directions.questions(gap_stories.texts()[1], words, task.LENGTH)
    for name in ("place", "article"):
        one, each = asked[name], np.arange(len(asked[name].truth))
        encoder, blind, decoder = (
            float(said[each, one.truth].mean())
            for said in (
                directions.encoder_says(bert, one, words.mask_id),
                directions.encoder_says(bert, one, words.mask_id, is_causal=True),
                directions.decoder_says(twin, one),
            )
        )
        assert encoder > 0.8 and encoder > decoder + 0.15
        assert decoder == pytest.approx(one.from_the_left, abs=0.1)  # it does all that can be done from the left
        assert blind < one.from_the_left + 0.1  # neither does an encoder that may not look to the right
