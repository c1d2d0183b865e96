"""The captioner's two sides are torch's: its encoder and decoder layers with our weights give our numbers."""

import pytest
import torch
from torch import Tensor, nn

from core.models import registry
from core.models.captioner import Captioner, CaptionerConfig
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block, BlockStyle

D, H, F = 16, 4, 24


@pytest.fixture(params=["pre-norm", "post-norm"])
def model(request: pytest.FixtureRequest) -> Captioner:
    style = BlockStyle(norm_first=request.param == "pre-norm", activation="gelu", eps=1e-12)
    config = CaptionerConfig(vocab_size=11, n_head=H, d_model=D, d_ff=F, n_decoder_layer=3, block=style)
    built: Captioner = registry.build(config)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=generator)
    return built.eval()


def copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    parts = (ours.w_q, ours.w_k, ours.w_v)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.w_o.state_dict())


@torch.no_grad()
def as_torch(block: Block) -> nn.Module:
    """One of our blocks as torch's layer."""
    kind = nn.TransformerEncoderLayer if block.cross_attn is None else nn.TransformerDecoderLayer
    layer = kind(
        D, H, F, dropout=0.0, activation="gelu", layer_norm_eps=1e-12, batch_first=True,
        norm_first=block.style.norm_first,
    )  # fmt: skip
    copy_attention(layer.self_attn, block.attn)
    norms = [block.norm_1, block.norm_2]
    if block.cross_attn is not None:
        copy_attention(layer.multihead_attn, block.cross_attn)
        norms.insert(1, block.norm_cross)
    for i, norm in enumerate(norms, 1):
        getattr(layer, f"norm{i}").load_state_dict(norm.state_dict())
    layer.linear1.load_state_dict(block.mlp.w_in.state_dict())
    layer.linear2.load_state_dict(block.mlp.w_out.state_dict())
    return layer.train()  # torch's shortcut for evaluation knows no eps as small as this


@torch.no_grad()
def test_encoder_and_decoder_are_those_of_torch(model: Captioner) -> None:
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(3, 1, 8, 8, generator=generator)
    ids = torch.randint(11, (3, 6), generator=generator)
    memory = model.encoder.embed(images)
    for block in model.encoder.blocks:
        memory = as_torch(block)(memory)
    memory = model.encoder.norm(memory)[:, 1:]
    torch.testing.assert_close(memory, model.encode(images), atol=2e-5, rtol=0)
    x: Tensor = model.embed(ids)
    later = nn.Transformer.generate_square_subsequent_mask(6)
    for block in model.decoder.blocks:
        x = as_torch(block)(x, memory, tgt_mask=later)
    logits = model.unembed(model.decoder.norm(x))
    torch.testing.assert_close(logits, model(images, ids), atol=2e-5, rtol=0)
