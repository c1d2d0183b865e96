"""Masks at work: combined, laid over a model, put in the wrong place, and followed through several layers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from core.inspect.attention_record import attention
from core.models import registry
from core.models.gpt import GPT, GPTConfig
from core.nn import masks
from core.nn.block import BlockStyle
from core.rooms.masks import batch, draw, lowest
from core.rooms.masks.compute import mask_placement, masks as masked

CONFIG = GPTConfig(vocab_size=20, context_length=16, n_layer=2, n_head=2, d_model=16)
IDS = [3, 1, 4, 1, 5, 9, 2]
N = len(IDS)
squares = st.integers(1, 8).flatmap(lambda n: hnp.arrays(bool, (n, n)))


def model(**fields: object) -> GPT:
    """A model whose weights are large enough for every path to be seen."""
    made = registry.build(replace(CONFIG, **fields), seed=0)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in made.parameters():
            if weight.ndim > 1:
                weight.copy_(torch.randn(weight.shape, generator=generator) * 0.3)
    return made.eval()


def combine(*kinds: str, how: str = "and", n_real: int = 5, n_prefix: int = 2, window: int = 2) -> torch.Tensor:
    return masked.combine_masks(kinds, N, n_real=n_real, n_prefix=n_prefix, window=window, how=how)


def test_masks_combine_as_their_cells_do() -> None:
    padding = masks.padding(torch.tensor([5]), N)[0, 0].expand(N, N)
    assert torch.equal(combine("causal", "padding"), masks.causal(N) & padding)
    assert torch.equal(combine("causal", "padding", how="or"), masks.causal(N) | padding)
    assert torch.equal(
        combine("prefix", "band", "padding"), masks.prefix(N, 2) & masks.sliding_window(N, 2, False) & padding
    )
    assert torch.equal(combine("window"), masks.sliding_window(N, 2))
    assert torch.equal(combine(), masks.full(N)) and torch.equal(combine("full"), masks.full(N))
    with pytest.raises(ValueError, match="no mask 'diagonal'"):
        combine("diagonal")
    with pytest.raises(ValueError, match="neither 'and' nor 'or'"):
        combine("full", how="xor")


@pytest.mark.parametrize("positions", ["none", "learned", "rotary", "alibi", "relative"])
def test_a_model_under_its_own_mask_is_itself_and_under_the_full_one_an_encoder(positions: str) -> None:
    made, encoder = model(positions=positions), model(positions=positions, causal=False)
    ids = torch.tensor([IDS])
    assert torch.equal(masked.run_with_mask(made, ids, masks.causal(N))["logits"], made(ids))
    if positions != "relative":  # an encoder has other buckets
        assert torch.equal(masked.run_with_mask(made, ids, masks.full(N))["logits"], encoder(ids))


@pytest.mark.parametrize("sink", [True, "zero"])
def test_sinks_stay_under_any_mask(sink: Any) -> None:
    made, ids = model(block=BlockStyle(sink=sink)), torch.tensor([IDS])
    assert torch.equal(masked.run_with_mask(made, ids, masks.causal(N))["logits"], made(ids))
    found = masked.heads_with_mask(made, IDS, masks.sliding_window(N, 2), 1, 0)
    assert (found.weights.sum(-1) < 0.99).all()
    crossed = masked.cross_attention_heads(made, IDS, IDS, N, 1, 0)
    sinks = made.blocks[1].attn.sink_scores()[0].detach().numpy()
    grown = np.exp(crossed.scores)
    np.testing.assert_allclose(crossed.weights, grown / (np.exp(sinks) + grown.sum(-1, keepdims=True)), atol=1e-6)


def test_head_under_keeps_to_the_mask_and_the_later_layer_feels_it() -> None:
    made, window = model(), masks.sliding_window(N, 2)
    found, own = (masked.heads_with_mask(made, IDS, mask, 1, 0) for mask in (window, masks.causal(N)))
    assert not found.weights[~window.numpy()].any()
    np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-6)
    assert np.abs(found.scores - own.scores).max() > 1e-3  # layer 0 had read less
    with pytest.raises(ValueError, match=r"the mask is \(3, 3\), the text has 7 tokens"):
        masked.heads_with_mask(made, IDS, masks.full(3), 0, 0)


def test_cross_head_is_softmax_of_q_and_k_of_two_texts() -> None:
    made, memory = model(), [7, 8, 9, 0, 0]
    found = masked.cross_attention_heads(made, IDS, memory, 3, 1, 1)
    assert found.mask.shape == found.weights.shape == (N, 5)
    assert found.mask.any(0).tolist() == [True, True, True, False, False]
    assert not found.weights[:, 3:].any()
    q, k = attention(made, IDS).q[1, 1], attention(made, memory).k[1, 1]
    scores = q @ k.T / np.sqrt(8)
    np.testing.assert_allclose(found.scores, scores, atol=1e-5)
    exps = np.exp(scores[:, :3])
    np.testing.assert_allclose(found.weights[:, :3], exps / exps.sum(-1, keepdims=True), atol=1e-5)


# --- four places for a mask


def random_scores(n: int = 6, size: float = 2.0) -> NDArray[np.float32]:
    return (np.random.default_rng(0).standard_normal((n, n)) * size).astype(np.float32)


def test_four_ways_by_hand() -> None:
    scores, mask = np.log(np.array([[2.0, 6.0], [1.0, 3.0]])), np.tril(np.ones((2, 2), bool))
    found = mask_placement.compare_maskings(scores, mask)
    np.testing.assert_allclose(found.weights[:, 0], [[1, 0], [2 / 3, 1 / 3], [0.25, 0], [1, 0]], atol=1e-6)
    np.testing.assert_allclose(found.weights[:, 1], [[0.25, 0.75]] * 4, atol=1e-6)
    np.testing.assert_allclose(found.row_sums[:, 0], [1, 1, 0.25, 1], atol=1e-6)
    np.testing.assert_allclose(found.leaks[:, 0], [0, 1 / 3, 0, 0], atol=1e-6)


@given(st.integers(1, 7), st.floats(0, 6))
@settings(max_examples=40)
def test_renormalised_is_minus_infinity_and_the_other_two_are_not(n: int, size: float) -> None:
    found = mask_placement.compare_maskings(random_scores(n, size), masks.causal(n).numpy())
    np.testing.assert_allclose(found.row_sums[[0, 1, 3]], 1, atol=1e-5)
    assert found.difference < 1e-5 and found.difference_64 < 1e-15 and not found.leaks[[0, 2, 3]].any()
    assert found.leaks[:, -1].max() == 0  # the last row may read all
    assert found.swayed[0] == found.swayed[1] == 0 and found.swayed[3] < 1e-6
    assert n < 4 or size < 1 or (found.leaks[1].max() > 0.2 and found.row_sums[2].min() < 0.8 < 1 + found.swayed[2])


def test_what_has_no_four_ways_is_refused() -> None:
    with pytest.raises(ValueError, match="may not attend to any key"):
        mask_placement.compare_maskings(np.zeros((2, 2)), np.array([[True, True], [False, False]]))
    with pytest.raises(ValueError, match="do not match"):
        mask_placement.compare_maskings(np.zeros((2, 2)), np.ones((3, 3), bool))


def test_numbers_for_minus_infinity() -> None:
    scores, mask = random_scores()[3], np.array([True, True, False, True, False, False])
    found = {(one.number, one.kind): one for one in lowest.compare_candidates(scores, mask).found}
    assert len(found) == 12 and all(one.leak == 0 for one in found.values())
    for kind in ("float32", "bfloat16", "float16"):
        assert np.isnan(found["−∞", kind].empty_row).all()
        assert not found["masked_softmax", kind].empty_row.any()
        np.testing.assert_allclose(found["the lowest finite number", kind].empty_row, 1 / 6, rtol=0.01)
    assert found["−1e9", "float16"].stored == -np.inf and np.isnan(found["−1e9", "float16"].empty_row).all()
    np.testing.assert_allclose(found["−1e9", "float32"].empty_row, 1 / 6, rtol=1e-6)
    with pytest.raises(ValueError, match="may not attend to any key"):
        lowest.compare_candidates(scores, np.zeros(6, bool))
    with pytest.raises(RuntimeError, match="overflow"):  # torch itself, as the room says
        torch.zeros(2, dtype=torch.float16).masked_fill(torch.tensor([True, False]), -1e9)


# --- through several layers


@given(squares, st.integers(0, 9))
@settings(max_examples=80)
def test_reach_is_the_matrix_power_and_layers_needed_the_first_that_reaches(
    mask: NDArray[np.bool_], n_layer: int
) -> None:
    one = (mask | np.eye(len(mask), dtype=bool)).astype(int)
    reached = np.linalg.matrix_power(one, n_layer) > 0
    np.testing.assert_array_equal(draw.receptive_field(mask, n_layer), reached)
    bare = np.linalg.matrix_power(mask.astype(object), n_layer) > 0
    np.testing.assert_array_equal(draw.receptive_field(mask, n_layer, False), bare)
    needed = draw.layers_needed(mask)
    np.testing.assert_array_equal((needed != draw.UNREACHABLE) & (needed <= n_layer), reached)


def test_what_has_no_reach_is_refused() -> None:
    with pytest.raises(ValueError, match="square"):
        draw.receptive_field(np.zeros((2, 3), bool), 1)
    with pytest.raises(ValueError, match="at least 0"):
        draw.receptive_field(np.zeros((2, 2), bool), -1)


@pytest.mark.parametrize("positions", ["none", "learned", "alibi", "rotary"])
@pytest.mark.parametrize("seed", range(2))
def test_what_moves_in_a_model_is_what_the_power_says(positions: str, seed: int) -> None:
    mask = torch.rand(N, N, generator=torch.Generator().manual_seed(seed)) < 0.25
    changes = draw.measure_receptive_field(model(positions=positions), IDS, mask)
    np.testing.assert_array_equal(changes > 0, draw.receptive_field(mask.numpy(), 2))


def test_what_moves_without_residuals_is_the_plain_power() -> None:
    mask = masks.sliding_window(N, 2) & ~torch.eye(N, dtype=torch.bool)
    bare = model(block=replace(CONFIG.block, residual=False))
    np.testing.assert_array_equal(
        draw.measure_receptive_field(bare, IDS, mask) > 0, draw.receptive_field(mask.numpy(), 2, False)
    )


# --- padding

TEXTS = [[3, 1, 4, 1, 5], [9, 2], [6]]


def test_pad_fills_the_right_or_the_left() -> None:
    assert batch.pad_texts(TEXTS, 6, 0).tolist() == [[3, 1, 4, 1, 5, 0], [9, 2, 0, 0, 0, 0], [6, 0, 0, 0, 0, 0]]
    assert batch.pad_texts(TEXTS, 5, 0, left=True).tolist()[1] == [0, 0, 0, 9, 2]
    with pytest.raises(ValueError, match="5 tokens, the batch holds 1 to 4"):
        batch.pad_texts(TEXTS, 4, 0)
    with pytest.raises(ValueError, match="0 tokens"):
        batch.pad_texts([[]], 4, 0)


def test_a_batch_has_columns_and_one_triangle() -> None:
    found = batch.compute(batch.Inputs(texts="Tom hid.\nMia", more=1))
    lengths, n_token = found.lengths.tolist(), found.ids.shape[1]
    assert lengths[0] > lengths[1] and n_token == lengths[0] + 1
    for b, length in enumerate(lengths):
        columns = np.arange(n_token) < length
        np.testing.assert_array_equal(found.padding[b], np.tile(columns, (n_token, 1)))
        np.testing.assert_array_equal(found.both[b], np.tril(np.ones((n_token, n_token), bool)) & columns)


@pytest.mark.parametrize("positions", ["none", "learned", "rotary", "alibi", "relative", "sinusoidal"])
@pytest.mark.parametrize("n_token", [5, 8, 13])
def test_only_an_encoder_without_padding_mask_minds(positions: str, n_token: int) -> None:
    found = batch.measure_padding_changes(model(positions=positions), TEXTS, n_token, 0)
    size = {(one.causal, one.masked, one.left): one.largest for one in found}
    assert size[True, False, False] < 1e-5 and size[True, True, False] < 1e-5 and size[False, True, False] < 1e-5
    assert size[False, False, False] > 0.05
    by_distance = positions in ("none", "rotary", "alibi", "relative")
    assert (size[True, True, True] < 1e-4) == by_distance  # on the left, positions must be counted anew
    assert all(one.largest == one.by_text.max() for one in found)
