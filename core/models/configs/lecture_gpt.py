"""The model that a lecture note calls "GPT-2": torch's own encoder layers with a causal mask.

It is a decoder all right, but not GPT-2: post-norm, ReLU, 2,048 hidden units whatever the width, no norm at the end,
sines and cosines for positions, embeddings of 128 numbers that are widened to 144, and an output layer of its own with
a bias. GPT-2 is pre-norm, has a GELU, four times its width, a final norm, learned positions, and a tied output layer.
"""

import math

import torch
from torch import nn

from core.models import registry
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle

LECTURE_GPT = GPTConfig(
    vocab_size=512,
    context_length=1024,  # the sines have no end; this is what may be asked of it at once
    n_layer=12,
    n_head=6,
    d_model=144,
    d_ff=2048,
    modern=Modern(d_embed=128, output_bias=True),
    positions="sinusoidal",
    tied=False,
    block=BlockStyle(norm_first=False, activation="relu"),
)


def lecture_gpt(seed: int = 0) -> GPT:
    """Build the note's model, initialized as torch's own modules are, from the seed alone.

    Linear layers are uniform up to 1 / sqrt(n_in), weights and biases; embeddings are normal with deviation 1, and row
    0, the padding, is 0; queries, keys and values start as one matrix (uniform up to sqrt(6 / (3 d + d))) and all
    biases of the attention are 0. `nn.TransformerEncoder` copies one layer, so all twelve blocks start alike.

    Args:
        seed: of the weights; the global generator is not used.

    Source: `reset_parameters` of torch's Linear, Embedding and MultiheadAttention.
    """
    config, generator = LECTURE_GPT, torch.Generator().manual_seed(seed)
    model = registry.build_empty(config)
    registry.fill_weights(model, {name: torch.zeros(place.shape) for name, place in model.named_parameters()})
    with torch.no_grad():
        nn.init.normal_(model.tok_emb.weight, generator=generator)[0] = 0
        for layer in (model.tok_proj, model.unembed):
            init_linear(layer, generator)
        first, *others = model.blocks
        most = math.sqrt(6 / (4 * config.d_model))
        for projection in (first.attn.w_q, first.attn.w_k, first.attn.w_v):
            nn.init.uniform_(projection.weight, -most, most, generator=generator)
        init_linear(first.attn.w_o, generator)
        nn.init.zeros_(first.attn.w_o.bias)
        for layer in (first.mlp.w_in, first.mlp.w_out):
            init_linear(layer, generator)
        for norm in (first.norm_1, first.norm_2):
            nn.init.ones_(norm.weight)
        for block in others:
            block.load_state_dict(first.state_dict())
    built: GPT = model
    return built


def init_linear(linear: nn.Linear, generator: torch.Generator) -> None:
    """Draw weights and biases as torch does: uniform up to 1 / sqrt(n_in), so the variance is 1 / (3 n_in)."""
    most = linear.in_features**-0.5
    nn.init.uniform_(linear.weight, -most, most, generator=generator)
    if linear.bias is not None:
        nn.init.uniform_(linear.bias, -most, most, generator=generator)
