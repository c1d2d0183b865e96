"""The way through a block: every stage is the model's own, and the sums hold in every kind of block."""

import numpy as np
import pytest
import torch

from core.models import registry
from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from core.rooms.block import through_the_block
from core.rooms.block.compute import residual_stream

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
    found = residual_stream.record(model, IDS, layer)
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


def test_the_first_stage_of_a_block_is_the_last_of_the_one_before() -> None:
    model = model_of(STYLES["gpt2"])
    np.testing.assert_array_equal(
        residual_stream.record(model, IDS, 0).stages[-1].vectors,
        residual_stream.record(model, IDS, 1).stage("stream in"),
    )


def test_lengths_and_cosine() -> None:
    found = residual_stream.record(model_of(STYLES["gpt2"]), IDS, 0)
    lengths = through_the_block.TokenInBlock(found, 2).lengths
    expected = [float(np.sqrt((stage.vectors[2] ** 2).sum())) for stage in found.stages]
    np.testing.assert_allclose(list(lengths.values()), expected, rtol=1e-6)
    assert residual_stream.cosine(np.array([1.0, 0]), np.array([0, 2.0])) == 0
    assert residual_stream.cosine(np.array([1.0, 1]), np.array([2.0, 2])) == pytest.approx(1)
    assert np.isnan(residual_stream.cosine(np.zeros(2), np.ones(2)))
