"""The contracts of a GPT, an ImageGPT and a recurrent net beyond those of all models (`test_models.py`)."""

import threading

import pytest
import torch
from torch import Tensor

from core.generate.decode import generate
from core.models import registry
from core.models.gpt import GPTConfig
from core.models.images.image_gpt import ImageGPTConfig
from core.models.rnn import RNNConfig
from core.nn import masks, positions
from core.nn.block import Block, BlockStyle
from core.nn.positions import POSITION_SCHEMES
from core.nn.tap import Trace
from tests.library.contracts.promises import (
    GPTS,
    IMAGE_GPTS,
    RNNS,
    STYLES,
    TEXT,
    B,
    D,
    T,
    V,
    differs,
    each,
    lively,
    with_next,
)


def ids(seed: int = 0, batch: int = B, n_token: int = T) -> Tensor:
    return torch.randint(V, (batch, n_token), generator=torch.Generator().manual_seed(seed))


@each(RNNS)
def test_a_recurrent_net_taps_its_gates_once_a_token(config: RNNConfig) -> None:
    model = lively(config)
    with Trace(model) as trace:
        logits = model(ids())
    assert trace["logits"] is logits and trace["embed"].shape == trace["final"].shape == (B, T, D)
    for n, cell in enumerate(model.blocks):
        for name in (*cell.gates, "h"):
            steps = trace.steps(f"blocks.{n}.{name}")
            assert [tuple(step.shape) for step in steps] == [(B, D)] * T
            assert all(bool((step.abs() <= 1).all()) for step in steps)
    last = torch.stack(trace.steps(f"blocks.{config.n_layer - 1}.h"), 1)
    assert torch.equal(last, trace["final"])


@each(GPTS)
def test_the_stream_adds_up(config: GPTConfig) -> None:
    model, style = lively(config), config.block
    with torch.no_grad(), Trace(model) as trace:
        model(ids())
        for n, layer in enumerate(model.blocks):
            x = trace[f"blocks.{n}.resid_in"]
            parts = [("attn.out", "norm_1", "resid_mid"), ("mlp.out", "norm_2", "resid_out")]
            for change, norm, result in parts if style.feed_forward else parts[:1]:
                x = trace[f"blocks.{n}.{change}"] + (x if style.residual else 0)
                x = x if style.norm_first else layer.get_submodule(norm)(x)
                torch.testing.assert_close(trace[f"blocks.{n}.{result}"], x, atol=1e-12, rtol=0)
            assert torch.equal(trace[f"blocks.{n}.resid_out"], x) or style.feed_forward
        final = model.norm(x) if style.norm_first else x
        torch.testing.assert_close(trace["final"], final, atol=1e-12, rtol=0)
        logits = final @ model.unembed.weight.T + (model.unembed.bias if config.modern.output_bias else 0)
        torch.testing.assert_close(trace["logits"], logits, atol=1e-12, rtol=0)


def test_two_threads_that_trace_one_model_do_not_mix() -> None:
    model = lively(GPTS["positions learned"])
    alone = {}
    for seed in range(2):
        with Trace(model) as trace:
            model(ids(seed))
        alone[seed] = dict(trace)
    barrier, wrong = threading.Barrier(2), []

    def look(seed: int) -> None:
        barrier.wait()
        for _ in range(30):
            with Trace(model, {"embed": lambda x: x} if seed else None) as trace:
                model(ids(seed))
            if any(len(trace.steps(key)) != 1 or not torch.equal(trace[key], alone[seed][key]) for key in alone[seed]):
                wrong.append(seed)

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_full_attention_is_equivariant_to_permutations(style: BlockStyle) -> None:
    layer = Block(8, 2, style=style).double()
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(0.1, 0.5, generator=generator)
        x = torch.randn(2, 6, 8, generator=generator, dtype=torch.float64)
        order = torch.randperm(6, generator=generator)
        plain, shuffled = layer(x, mask=masks.full(6)), layer(x[:, order], mask=masks.full(6))
    torch.testing.assert_close(shuffled, plain[:, order], atol=1e-12, rtol=0)
    assert float((shuffled - plain).abs().max()) > 1e-3  # equivariant, and not invariant


def test_one_causal_layer_without_positions_does_not_see_the_order_and_two_do() -> None:
    sentence, shuffled = torch.tensor([[1, 2, 3, 4, 5]]), torch.tensor([[3, 1, 4, 2, 5]])
    for n_layer, sees in ((1, False), (2, True)):
        model = lively(GPTConfig(**TEXT | {"n_layer": n_layer}, positions="none"))
        with torch.no_grad():
            change = float((model(sentence)[0, -1] - model(shuffled)[0, -1]).abs().max())
        assert (change > 1e-3) if sees else (change < 1e-12)


@pytest.mark.parametrize("scheme", POSITION_SCHEMES)
def test_without_the_causal_mask_every_position_reads_the_whole_text(scheme: str) -> None:
    config = GPTConfig(**TEXT, positions=scheme, causal=False)
    model, text = lively(config), ids(batch=1)
    assert model.mask(4).all() and not registry.build(GPTS["untied"]).mask(4).triu(1).any()
    with torch.no_grad():
        assert bool(differs(model(text), model(with_next(text, T - 1, V))).all())
        if scheme == "none":  # and then the order of the words is nothing to it
            order = torch.randperm(T, generator=torch.Generator().manual_seed(1))
            torch.testing.assert_close(model(text[:, order]), model(text)[:, order], atol=1e-12, rtol=0)
    assert registry.from_dict(registry.to_dict(config)) == config


def test_score_biases_are_those_of_their_scheme() -> None:
    like = torch.zeros(1)
    own = registry.build(GPTS["own slopes"]).score_bias(5, like)
    assert own is not None and own[0, 4].tolist() == [-2, -1.5, -1, -0.5, 0] and not own[1].any()
    paper = registry.build(GPTS["positions alibi"]).score_bias(5, like)
    assert paper is not None and paper[:, 1, 0].tolist() == [-(2.0**-4), -(2.0**-8)]
    relative = registry.build(GPTS["positions relative"])
    bias = relative.score_bias(16, like)
    assert bias is not None and isinstance(relative.pos_emb, positions.RelativeBias)
    assert torch.equal(bias[:, 15].flip(-1), relative.pos_emb.table.weight[:16].T)  # each near distance has its own
    assert registry.build(GPTS["positions rotary"]).score_bias(5, like) is None


@pytest.mark.parametrize("scheme", [name for name in POSITION_SCHEMES if name != "learned"])
def test_only_a_table_of_positions_has_an_end(scheme: str) -> None:
    assert registry.build(GPTS[f"positions {scheme}"])(ids(n_token=20)).shape == (B, 20, V)


@each(IMAGE_GPTS)
def test_a_picture_is_drawn_pixel_by_pixel_and_the_start_never_comes_again(config: ImageGPTConfig) -> None:
    steps = list(generate(lively(config), [config.start_id], 7, seed=1))
    assert len(steps) == 7 and all(0 <= int(step.token) < config.start_id for step in steps)


def test_a_gpt_starts_as_gpt_2_does() -> None:
    """Source: Radford et al. 2019, section 2.3: layers that write into the stream 1/sqrt(how many) as wide."""
    n_layer = 4
    model = registry.build(GPTConfig(vocab_size=400, context_length=8, n_layer=n_layer, n_head=4, d_model=128))
    model.init_weights(torch.Generator().manual_seed(0))
    deviation = {name: float(weight.detach().std()) for name, weight in model.named_parameters() if weight.ndim == 2}
    into_stream = [std for name, std in deviation.items() if name.endswith(("w_o.weight", "w_out.weight"))]
    assert len(into_stream) == 2 * n_layer
    assert into_stream == pytest.approx([0.02 / (2 * n_layer) ** 0.5] * 2 * n_layer, rel=0.03)
    assert deviation["tok_emb.weight"] == pytest.approx(0.02, rel=0.03)


@each(GPTS)
def test_a_last_norm_stands_after_blocks_that_leave_the_stream_as_it_is(config: GPTConfig) -> None:
    model = registry.build(config)
    assert config.block.norm_first == (type(model.norm) is type(model.blocks[0].norm_1))
