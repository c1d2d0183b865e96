"""One translation taken apart: shapes, who asks whom, teacher forcing, and the source exchanged."""

import numpy as np
import pytest
import torch

from core.generate.seq2seq import greedy
from core.inspect.forcing import compare
from core.models import registry
from core.models.t5 import T5Config
from core.models.transformer import TransformerConfig
from core.nn.attention import attend
from core.rooms.encoder_decoder.compute.cross_attention import record

HOW = {"start_id": 1, "end_id": 2}
SOURCE, OTHER = [5, 6, 7, 8], [9, 3, 4]
CONFIGS = [
    TransformerConfig(vocab_size=12, n_layer=2, n_head=2, d_model=16, d_ff=32),
    T5Config(vocab_size=12, n_layer=2, n_head=2, d_model=16, d_ff=32),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_it_writes_what_greedy_writes_and_all_fits_together(config: TransformerConfig | T5Config) -> None:
    model = registry.build(config, 0)
    seen = record(model, SOURCE, **HOW, max_new_tokens=6)
    plain = greedy(model, torch.tensor([SOURCE]), **HOW, max_new_tokens=6)[0]
    assert seen.written.tolist() == plain.tolist()
    assert seen.fed.tolist() == [1, *seen.written[:-1]]
    n = len(seen.written)
    assert (
        seen.encoder.shape == (2, 2, 4, 4) and seen.decoder.shape == (2, 2, n, n) and seen.cross.shape == (2, 2, n, 4)
    )
    assert seen.q.shape == (2, 2, n, 8) and seen.k.shape == seen.v.shape == (2, 2, 4, 8)
    for weights in (seen.encoder, seen.decoder, seen.cross, seen.probabilities):
        assert np.allclose(weights.sum(-1), 1, atol=1e-5)
    assert np.abs(np.triu(seen.decoder, 1)).max() == 0  # nobody reads what is not yet written
    scores = seen.scale * seen.q @ seen.k.swapaxes(-1, -2)
    assert np.allclose(scores, seen.scores, atol=1e-5)
    weights = attend(*(torch.from_numpy(x) for x in (seen.q, seen.k, seen.v)), scale=seen.scale)[1]
    assert np.allclose(weights, seen.cross, atol=1e-6)


def test_keys_and_values_do_not_know_what_is_written() -> None:
    model = registry.build(CONFIGS[0], 1)
    one, two = (record(model, SOURCE, **HOW, forced=forced) for forced in ([3, 4, 5], [9, 9, 9]))
    assert np.array_equal(one.k, two.k) and np.array_equal(one.v, two.v) and not np.allclose(one.q, two.q)
    # Row 0 has read only the start, in both.
    assert np.allclose(one.q[:, :, 0], two.q[:, :, 0], atol=1e-6)


def test_forced_reads_the_truth() -> None:
    model = registry.build(CONFIGS[0], 0)
    seen = record(model, SOURCE, **HOW, forced=[3, 4, 2])
    assert seen.fed.tolist() == [1, 3, 4] and len(seen.written) == 3


def test_another_source_keeps_the_words_and_nothing_else() -> None:
    model = registry.build(CONFIGS[0], 0)
    before, other = (record(model, source, **HOW, max_new_tokens=6) for source in (SOURCE, OTHER))
    same = record(model, SOURCE, **HOW, max_new_tokens=6, begun=before.written[:3].tolist())
    assert same.written.tolist() == before.written.tolist()
    mixed = record(model, OTHER, **HOW, max_new_tokens=6, begun=before.written[:2].tolist())
    assert mixed.written[:2].tolist() == before.written[:2].tolist()
    assert mixed.fed[:3].tolist() == [1, *before.written[:2]]
    assert np.array_equal(mixed.k, other.k)


def test_sources_that_cannot_be_read() -> None:
    model = registry.build(CONFIGS[0], 0)
    for source in ([], [3] * 65, [12], [-1]):
        with pytest.raises(ValueError, match=r"source|knows"):
            record(model, source, **HOW)


def test_places_of_unequal_answers() -> None:
    """A place counts over the answers that reach it; what is not there is no mistake."""
    model = registry.build(CONFIGS[0], 0)
    source = torch.tensor([SOURCE, SOURCE])
    own = greedy(model, source, **HOW, max_new_tokens=5)[0]
    target = torch.stack([own, own.clone()])
    target[1, 2:] = -100
    found = compare(model, source, target, None, **HOW)
    assert found.forced[:3].tolist() == found.free[:3].tolist() == [1, 1, 1] and found.whole_free == 1
    target[1, 1] = (own[1] + 1) % 12
    wrong = compare(model, source, target, None, **HOW)
    assert wrong.free.tolist()[:2] == [1, 0.5] and wrong.whole_free == wrong.whole_forced == 0.5
