"""What stands in a block: its norms and units against torch, its stages and their sums, gradients by depth, charts."""

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from torch import nn
from torch.nn import functional as F

from core.charts.axis import BEYOND, ZERO
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.models import registry
from core.models.gpt import GPT, GPTConfig
from core.nn import feed_forward as nonlinearities
from core.nn.block import BlockStyle
from core.nn.feed_forward import FeedForward
from core.nn.init import init_fan_in
from core.nn.tap import Trace
from core.rooms.block import activations, feed_forward, sizes_in_words, through_the_block
from core.rooms.block.compute import gradients, moments, residual_stream
from core.rooms.block.compute.readout import cached_block_readout
from core.rooms.block.inputs import BlockTokenInputs


@pytest.mark.parametrize("source", moments.SOURCES)
@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("width", [16, 4096])
def test_the_norms_are_torchs(source: str, kind: str, width: int) -> None:
    found = moments.apply_norm(moments.sample_vector(source, width, 0), kind, gain=1.5, bias=0.5, eps=1e-5)
    norm = (nn.LayerNorm if kind == "layer" else nn.RMSNorm)(width, eps=1e-5, dtype=torch.float64)
    for name, parameter in norm.named_parameters():
        nn.init.constant_(parameter, 1.5 if name == "weight" else 0.5)
    np.testing.assert_allclose(found.after, norm(torch.from_numpy(found.before)).detach(), atol=1e-12)


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("source", ["exponential", "normal", "uniform", "two_lumps"])
def test_skew_kurtosis_and_histogram_stay(source: str, kind: str) -> None:
    found = moments.apply_norm(moments.sample_vector(source, 768, 1), kind)
    before, after = found.moments
    assert after.skew == pytest.approx(before.skew, abs=1e-9)
    assert after.kurtosis == pytest.approx(before.kurtosis, abs=1e-9)
    counts = [moments.histogram(values).counts for values in (found.before, found.after)]
    # A number that lies on an edge may fall to either side after rounding.
    assert np.abs(counts[0] - counts[1]).sum() <= 2


def test_layer_norm_makes_mean_0_and_variance_1_and_rms_norm_keeps_a_mean() -> None:
    after = moments.apply_norm(moments.sample_vector("exponential", 16, 0), eps=1e-12).moments[1]
    assert after.mean == pytest.approx(0, abs=1e-12)
    assert after.variance == pytest.approx(1, abs=1e-9)  # the variance divided by n, not n - 1
    assert after.variance_unbiased == pytest.approx(16 / 15, abs=1e-9)
    after = moments.apply_norm(moments.sample_vector("exponential", 768, 0), "rms", eps=1e-12).moments[1]
    assert after.root_mean_square == pytest.approx(1, abs=1e-9)
    assert after.mean > 0.5


@pytest.mark.parametrize("bias", [0.0, 2.0])
def test_a_constant_vector_gives_the_bias(bias: float) -> None:
    found = moments.apply_norm(moments.sample_vector("constant", 96, 0), bias=bias)
    np.testing.assert_array_equal(found.after, np.full(96, bias))
    assert np.isnan(found.moments[1].skew)


def test_moments_of_a_known_vector() -> None:
    found = moments.compute_moments(np.array([0.0, 0, 0, 4]))
    assert (found.mean, found.variance, found.variance_unbiased) == (1, 3, 4)
    assert found.skew == pytest.approx((3 * -1 + 27) / 4 / 3**1.5)
    assert found.kurtosis == pytest.approx((3 + 81) / 4 / 9 - 3)
    assert found.root_mean_square == 2


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=50))
def test_a_histogram_counts_every_number_once(numbers: list[float]) -> None:
    found = moments.histogram(np.array(numbers), n_bin=7)
    assert found.counts.sum() == len(numbers)
    assert (np.diff(found.edges) > 0).all()


def test_every_nonlinearity_of_the_models_has_its_curve() -> None:
    shown, used = activations.FUNCTIONS.values(), nonlinearities._NONLINEARITY.values()
    assert {one.__name__ for one in shown} == {one.__name__ for one in used}
    found = activations.compute(activations.Inputs())
    x, curves = found.places, found.curves
    np.testing.assert_allclose(curves["relu"], np.maximum(x, 0))
    np.testing.assert_allclose(curves["relu2"], np.maximum(x, 0) ** 2)
    np.testing.assert_allclose(curves["silu"], x / (1 + np.exp(-x)))
    difference = np.abs(curves["gelu"] - curves["gelu_tanh"])
    assert found.gap == pytest.approx(4.7324e-4, abs=1e-7) and difference.max() <= found.gap
    assert found.gap_at == pytest.approx(2.699, abs=1e-3)
    lowest = x[curves["gelu"].argmin()]
    assert -0.8 <= round(lowest, 1) < -0.6 and curves["gelu"].min() < 0  # it bends back up


def test_units_that_are_on_are_counted() -> None:
    pre = np.array([[1, -1, 0, 2], [3, -2, 0, -1]], np.float32)
    found = feed_forward.count_active_units(pre, np.zeros_like(pre), np.zeros(2))
    assert found.share.tolist() == [0.5, 0.25]
    assert (found.n_on.tolist(), found.n_never) == ([2, 1], 2)


@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_layer_has_no_bend_and_a_feed_forward_layer_has(bias: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    line, bent = nn.Linear(6, 6, bias=bias).double(), FeedForward(6, 24, "relu2", bias).double()
    with torch.no_grad():
        for parameter in (*line.parameters(), *bent.parameters()):
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    a, b = torch.randn((2, 6), generator=generator, dtype=torch.float64).numpy()
    assert feed_forward.measure_nonlinearity(line, a, b) < 1e-12
    assert feed_forward.measure_nonlinearity(bent, a, b) > 0.1


# --- the way through a block


@pytest.mark.parametrize("layer", [0, 1])
def test_the_readout_of_each_sum_is_the_models_own_of_that_vector(layer: int) -> None:
    given = BlockTokenInputs().given
    found, ids = cached_block_readout(given, layer), torch.tensor([given.ids])
    with Trace(given.model) as trace:
        logits = given.model(ids)[0].detach()
    assert found is not None and found.expected == tuple(logits.argmax(-1).tolist())
    for i, name in enumerate(("resid_in", "resid_mid", "resid_out")):
        own = given.model.unembed.weight @ given.model.norm(trace[f"blocks.{layer}.{name}"][0]).T  # (V, T)
        probabilities = own.exp() / own.exp().sum(0)
        for token, expected in enumerate(found.expected):
            assert found.scores[token, i] == pytest.approx(own[expected, token].item(), abs=1e-4)
            assert found.chances[token, i] == pytest.approx(probabilities[expected, token].item(), abs=1e-5)
    if layer == 1:
        np.testing.assert_allclose(found.scores[:, -1], logits.max(-1).values, atol=1e-4)


def test_a_model_without_sums_or_a_next_token_is_not_read_out() -> None:
    text = BlockTokenInputs().given.encoded.text
    for key, can in (("stories", True), ("stories-alibi", True), ("stories-bert", False)):
        given = load_model_and_text(key, text)
        result = through_the_block.compute(through_the_block.Inputs(given=given, layer=0))
        assert bool(result.chances) == bool(result.expected) == can, key


def test_the_number_that_is_followed_adds_up_as_shown() -> None:
    entering, attention, mlp = [0.003, 0.504, 1.5, -1.25, 3.0], [2.0, 0.504, -1.5, 0.5, 0.25], [1.0, 9.0, 4.0, 2.0, 1.0]
    added = np.array([entering, attention, mlp], np.float16)
    assert through_the_block.telling_number(added) == 3  # 0 is near 0, 1 shows 0.50 + 0.50 = 1.01, 2's sum is 0
    assert through_the_block.telling_number(added[:, :3]) == 0  # 2's first sum is 0: the least far of all
    assert through_the_block.telling_number(added[:, :2]) in (0, 1)  # none may add up as shown
    given = BlockTokenInputs().given
    for token in range(given.n_token):
        one = through_the_block.compute(through_the_block.Inputs(layer=1, token=token))
        rows = [one.vectors[name] for name in ("stream in", "attention writes", "feed-forward writes")]
        number = through_the_block.telling_number(np.stack(rows).astype(np.float16))
        a, b, c = (float(row.astype(np.float16)[number]) for row in rows)
        assert round(a, 2) + round(b, 2) == pytest.approx(round(a + b, 2))
        assert round(a + b, 2) + round(c, 2) == pytest.approx(round(a + b + c, 2))
        assert min(map(abs, (a, b, c, a + b, a + b + c))) > 0.1


@pytest.mark.parametrize(
    ("tokens", "before"),
    [
        (["No", " Mia"], "No "),
        (["Mi", "a"], "Mi"),
        (["a", " ", "b"], "a "),
        (["Mia"], ""),
        ([" a", "\n"] * 5 + [" b"], "… a a a a "),
    ],
)
def test_the_text_before_the_last_token(tokens: list[str], before: str) -> None:
    assert through_the_block.text_before(tokens, len(tokens) - 1) == before


IDS = [1, 5, 2, 2, 7]
STYLES = {
    "gpt2": BlockStyle(),
    "shipped": BlockStyle(norm="rms_plain", activation="relu2", bias=False, qk_norm=True),
    "post-norm": BlockStyle(norm_first=False),
    "no residual": BlockStyle(residual=False),
    "attention only": BlockStyle(feed_forward=False),
    "attention only, post-norm": BlockStyle(feed_forward=False, norm_first=False),
    "swiglu": BlockStyle(activation="swiglu"),
}


def model_of(style: BlockStyle) -> GPT:
    model = registry.build(GPTConfig(vocab_size=11, n_layer=2, n_head=2, d_model=8, block=style)).eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("layer", [0, 1])
def test_stages_follow_from_one_another(style: BlockStyle, layer: int) -> None:
    model = model_of(style)
    found = residual_stream.record_block(model, IDS, layer)
    block = model.blocks[layer]
    streams = [stage.vectors for stage in found.stages if stage.kind == "stream"]
    writes = [stage.vectors for stage in found.stages if stage.kind == "write"]
    norms = [stage.vectors for stage in found.stages if stage.kind == "norm"]
    assert len(streams) == len(writes) + 1 == (3 if style.feed_forward else 2)
    assert len(norms) == (len(writes) + layer if style.norm_first else 0)  # the last block shows the final norm too
    if style.norm_first and layer == 1:
        final = model.norm(torch.from_numpy(streams[-1])).detach().numpy()
        np.testing.assert_array_equal(norms[-1], final)
    modules = [block.norm_1, block.norm_2] if style.feed_forward else [block.norm_1]
    for before, written, after, norm in zip(streams[:-1], writes, streams[1:], modules, strict=True):
        total = torch.from_numpy(before + written if style.residual else written)
        expected = total if style.norm_first else norm(total)
        np.testing.assert_allclose(after, expected.detach().numpy(), atol=1e-6)
    if style.norm_first:
        with Trace(model) as trace:
            model(torch.tensor([IDS]))
        read = block.attn.w_q(torch.from_numpy(norms[0]))
        if not style.qk_norm:
            q = trace[f"blocks.{layer}.attn.q"][0].transpose(0, 1).flatten(1)
            torch.testing.assert_close(read, q)


def test_the_next_block_begins_where_this_one_ends_and_lengths_and_cosine() -> None:
    model = model_of(STYLES["gpt2"])
    found = residual_stream.record_block(model, IDS, 0)
    np.testing.assert_array_equal(
        found.stages[-1].vectors, residual_stream.record_block(model, IDS, 1).stage("stream in")
    )
    lengths = through_the_block.token_in_block(found, 2).lengths
    expected = [float(np.sqrt((stage.vectors[2] ** 2).sum())) for stage in found.stages]
    np.testing.assert_allclose(list(lengths.values()), expected, rtol=1e-6)
    assert residual_stream.cosine_similarity(np.array([1.0, 0]), np.array([0, 2.0])) == 0
    assert residual_stream.cosine_similarity(np.array([1.0, 1]), np.array([2.0, 2])) == pytest.approx(1)
    assert np.isnan(residual_stream.cosine_similarity(np.zeros(2), np.ones(2)))


# --- gradients by depth


@pytest.mark.parametrize("norm", gradients.NORMS)
@pytest.mark.parametrize("residual", [True, False])
def test_the_first_gradient_is_that_of_the_embeddings(norm: str, residual: bool) -> None:
    model = gradients.build_stack(3, norm, residual, "narrow", 0)
    found = gradients.gradient_norms(model, 0)
    assert found.shape == (4,)
    ids = torch.randint(
        gradients.N_WORD, (gradients.N_SENTENCE, gradients.N_TOKEN + 1), generator=torch.Generator().manual_seed(0)
    )
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    assert model.pos_emb is not None
    (by_position,) = torch.autograd.grad(loss, model.pos_emb.weight)
    embedded = model.embed(ids[:, :-1]).detach().requires_grad_()
    x = embedded
    for block in model.blocks:
        x = block(x, mask=model.mask(gradients.N_TOKEN))
    again = F.cross_entropy(model.unembed(model.norm(x)).flatten(0, 1), ids[:, 1:].flatten())
    (direct,) = torch.autograd.grad(again, embedded)
    assert found[0] == pytest.approx(float(direct.double().norm()), rel=1e-4)
    torch.testing.assert_close(direct.sum(0), by_position, rtol=1e-3, atol=1e-9)


def test_the_same_seed_gives_the_same_gradients_and_the_global_generator_rests() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, again, other = (
        gradients.gradient_norms(gradients.build_stack(2, "pre", True, "wide", s), s) for s in (1, 1, 2)
    )
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    gradients.opposed_gradient(0.5, 2)
    assert torch.equal(before, torch.get_rng_state())


def test_without_norm_there_is_none_and_a_small_gradient_is_told_from_none() -> None:
    without = gradients.build_stack(8, "none", False, "narrow", 0)
    assert not [name for name, _ in without.named_parameters() if "norm" in name]
    assert 0 < gradients.gradient_norms(without, 0)[0] < 1e-30  # its square is 0 in float32


def test_the_wide_start_is_wide_and_depends_on_the_seed_alone() -> None:
    model = gradients.build_stack(2, "pre", True, "wide", 0)
    assert model.tok_emb.weight.std().item() == pytest.approx(1, abs=0.1)
    assert model.blocks[0].mlp.w_out.weight.std().item() == pytest.approx(128**-0.5, rel=0.1)
    embedding = model.tok_emb.weight.detach().clone()
    init_fan_in(model, 3)
    assert torch.equal(embedding, model.tok_emb.weight)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_blocks_that_write_against_their_input(share: float) -> None:
    for n_layer in (1, 4, 16):
        assert gradients.opposed_gradient(share, n_layer) == pytest.approx((1 - share) ** n_layer, rel=1e-4)


@pytest.mark.parametrize(
    ("value", "words", "story"),
    [
        (0.0, ZERO, "exactly 0"),
        (float("inf"), BEYOND, "too large to store"),
        (0.8, "0.8", "0.8"),
        (5.73e-6, "5.7·10⁻⁶", "0.0000057"),
        (2.8e-42, "2.8·10⁻⁴²", "less than a billionth"),
        (1.7e7, "1.7·10⁷", "17.0 million"),
        (9e22, "9.0·10²²", "more than a quadrillion"),
        (256.2, "256", "256"),
    ],
)
def test_sizes_in_words(monkeypatch: pytest.MonkeyPatch, value: float, words: str, story: str) -> None:
    for is_deeper, said in ((False, story), (True, words)):
        monkeypatch.setattr(sizes_in_words.ui, "depth_at_least", lambda wanted, is_deeper=is_deeper: is_deeper)
        assert sizes_in_words.describe_size(value) == said
