"""Rollout against its definition, hiding a token against a mask, rank correlation against SciPy's."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import spearmanr
from torch import Tensor

from core.inspect import attention_record, rollout
from core.models.gpt import GPT
from core.models.registry import build
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from tests.configs import gpt

IDS = [3, 1, 4, 1, 5, 9, 2, 6]


def random_model(**changes: object) -> GPT:
    model = build(gpt(vocab_size=11, context_length=16, n_layer=2, n_head=4, d_model=16, **changes)).double()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    assert isinstance(model, GPT)
    return model.eval()


def weights_of(seed: int, shape: tuple[int, ...], causal: bool = True) -> NDArray[np.float64]:
    raw = np.exp(np.random.default_rng(seed).normal(size=shape) * 2)
    raw = np.tril(raw) if causal else raw
    return raw / raw.sum(-1, keepdims=True)


def hidden(model: GPT, ids: list[int]) -> rollout.OcclusionRecord:
    return rollout.occlude_tokens(model, ids, attention_record.attention(model, ids).reach)


@settings(max_examples=30)
@given(
    n_layer=st.integers(1, 5), n_token=st.integers(1, 8), residual=st.floats(0, 1), causal=st.booleans(),
    seed=st.integers(0, 9),
)  # fmt: skip
def test_rollout_is_the_product_of_its_layers(
    n_layer: int, n_token: int, residual: float, causal: bool, seed: int
) -> None:
    weights = weights_of(seed, (n_layer, 2, n_token, n_token), causal)
    whole = rollout.rollout(weights, residual)
    np.testing.assert_allclose(whole.sum(-1), 1)
    assert (whole >= 0).all() and (not causal or not np.triu(whole, 1).any())
    layers = [(1 - residual) * layer.mean(0) + residual * np.eye(n_token) for layer in weights]
    for n, matrix in enumerate(whole):  # the upper layer stands in front
        np.testing.assert_allclose(matrix, np.linalg.multi_dot([*layers[n::-1], np.eye(n_token)]), atol=1e-12)


def test_mistakes_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"\(L, H, T, T\)"):
        rollout.rollout(np.ones((2, 3, 4, 5)))
    with pytest.raises(ValueError, match=r"residual=1.5 is not a share"):
        rollout.rollout(np.ones((1, 1, 1, 1)), 1.5)


@pytest.mark.parametrize("options", [{}, {"positions": "alibi"}, {"causal": False}, {"positions": "rotary"},
                                     {"block": BlockStyle(sink=True)}, {"block": BlockStyle(sink="zero")}])  # fmt: skip
def test_hiding_a_token_equals_a_mask_before_the_softmax(
    options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model(**options)
    got = hidden(model, IDS)
    own_mask = type(model).mask
    with torch.no_grad():
        before = model(torch.tensor([IDS]))[0].log_softmax(-1)
        for s in range(len(IDS)):

            def without(self: GPT, n_token: int, device: torch.device | None = None, key: int = s) -> Tensor:
                mask = own_mask(self, n_token, device).clone()
                mask[:, key] = False
                mask[key, key] = True
                return mask

            monkeypatch.setattr(type(model), "mask", without)
            after = model(torch.tensor([IDS]))[0].log_softmax(-1)
            monkeypatch.undo()
            for t in range(len(IDS)):
                fall = float(before[t].max() - after[t, before[t].argmax()])
                if t == s or not own_mask(model, len(IDS))[t, s]:
                    assert np.isnan(got.change[t, s])
                else:
                    assert got.change[t, s] == pytest.approx(fall, abs=1e-9), (t, s)
    np.testing.assert_array_equal(got.expected, before.argmax(-1))


def test_many_tokens_are_hidden_in_several_passes() -> None:
    """More tokens than fit into one pass give the same numbers as one pass of all."""
    model = random_model(positions="none")
    ids = [i % 11 for i in range(rollout.TEXTS_PER_PASS + 5)]
    got = hidden(model, ids)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollout, "TEXTS_PER_PASS", 100)
        np.testing.assert_allclose(got.change, hidden(model, ids).change, atol=1e-12)


def test_a_head_that_reads_one_token_only_is_left_with_nothing() -> None:
    """All weight on the hidden key: there is nothing to scale up, and no division by zero."""
    model = random_model()

    def only_first(x: Tensor) -> Tensor:
        return torch.zeros_like(x).index_fill_(-1, torch.tensor([0]), 1.0)

    edit = rollout._hide(torch.tensor([0]))
    left = edit(only_first(torch.ones(1, 4, 8, 8)))
    assert torch.isfinite(left).all()
    assert left[0, 0, 0].tolist() == [1.0] + [0.0] * 7  # the token itself goes on
    assert not left[0, :, 1:].any()
    with torch.no_grad(), Trace(model, {"blocks.0.attn.weights": lambda x: edit(only_first(x))}) as seen:
        model(torch.tensor([IDS]))
    assert torch.isfinite(seen["logits"]).all()


@settings(max_examples=60)
@given(arrays(np.float64, st.tuples(st.just(2), st.integers(5, 12)), elements=st.integers(0, 4).map(float)))
def test_rank_correlation_is_scipys(pair: NDArray[np.float64]) -> None:
    x, y = pair
    if x.std() and y.std():
        assert rollout.rank_correlation(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    else:
        assert np.isnan(rollout.rank_correlation(x, y))


def test_rank_correlation_leaves_out_what_is_unknown() -> None:
    x = np.array([1, 2, 3, 4, 5, np.nan])
    assert rollout.rank_correlation(x, -(x**3)) == pytest.approx(-1)
    assert np.isnan(rollout.rank_correlation(x[2:], x[2:]))  # three pairs only


def test_a_perfect_guess_is_always_right_and_its_reverse_never() -> None:
    got = hidden(random_model(), IDS)
    size = np.abs(got.change)
    assert len(got.telling) > 2
    np.testing.assert_allclose(
        rollout.inverse_distance_baseline(3), [[1, 1 / 2, 1 / 3], [1 / 2, 1, 1 / 2], [1 / 3, 1 / 2, 1]]
    )
    alone = hidden(random_model(), [3])
    assert np.isnan(alone.change).all() and rollout.occlusion_top_token_matches(np.ones((1, 1)), alone) == (0, 0)
    assert np.isnan(rollout.mean_occlusion_correlation(np.ones((1, 1)), alone)[0])
    assert rollout.occlusion_top_token_matches(np.nan_to_num(size), got) == (len(got.telling),) * 2
    assert rollout.mean_occlusion_correlation(size, got)[0] == pytest.approx(1)
    assert rollout.mean_occlusion_correlation(-size, got)[0] == pytest.approx(-1)
    assert rollout.occlusion_top_token_matches(-np.nan_to_num(size), got)[0] == 0


def test_rows_in_which_nothing_matters_are_not_telling() -> None:
    change = np.full((4, 4), np.nan)
    change[2, :2], change[3, :3] = [0.05, -0.05], [0.0, -0.2, 0.0]
    change[1, 0] = 5.0  # one token to choose from is no choice
    assert rollout.OcclusionRecord(np.zeros(4, np.int64), np.zeros(4), change).telling == [3]
    change[2, 0] = -rollout.MIN_CHANGE  # so much is enough
    assert rollout.OcclusionRecord(np.zeros(4, np.int64), np.zeros(4), change).telling == [2, 3]
