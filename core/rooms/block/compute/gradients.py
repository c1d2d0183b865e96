"""The size of the gradient at the first layer of an untrained stack, by depth, norm and residual connection.

Nothing is trained here: a model is built, its loss for predicting random tokens is computed, and the gradient is traced
down through the blocks.
"""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, memoize
from core.models import registry
from core.models.gpt import GPT, GPTConfig
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block, BlockStyle
from core.nn.init import init_fan_in
from core.nn.tap import Trace

LABELS = module_labels(__name__)
DEPTHS = (1, 2, 4, 8, 16, 32, 64)

NORMS = LABELS.options("norm", "pre", "post", "none")

PATHS = LABELS.options("residual_path", True, False)

StackGradients = Mapping[tuple[str, bool], Mapping[int, Float[NDArray[np.float64], " L1"]]]

N_WORD, N_SENTENCE, N_TOKEN, D_MODEL, N_HEAD = 32, 2, 12, 32, 2


def build_stack(n_layer: int, norm: str, residual: bool, start: str, seed: int) -> GPT:
    """Return a GPT of this depth, 32 wide.

    Args:
        norm: "pre" and "post" as in `BlockStyle`; "none" removes every norm, including the last one.
        start: the initialization: "narrow" is GPT-2's; "wide" samples matrices with variance 1 / n_in and token
            embeddings with variance 1.
    """
    config = GPTConfig(
        vocab_size=N_WORD,
        context_length=N_TOKEN,
        n_layer=n_layer,
        n_head=N_HEAD,
        d_model=D_MODEL,
        tied=False,
        block=BlockStyle(norm_first=norm != "post", residual=residual),
    )
    model = registry.build(config, seed)
    if norm == "none":
        model.norm = nn.Identity()
        for block in model.blocks:
            block.norm_1, block.norm_2 = nn.Identity(), nn.Identity()
    if start == "wide":
        init_fan_in(model, seed)
        with torch.no_grad():
            nn.init.normal_(model.tok_emb.weight, generator=torch.Generator().manual_seed(seed))
    return model


def gradient_norms(model: GPT, seed: int) -> Float[NDArray[np.float64], " L1"]:
    """Return the norm of the loss's gradient at the input of each block, and last at the output of the last block.

    The loss is the cross-entropy of random tokens after random tokens, in two sentences of twelve. It is computed in
    float32, as in training, so gradients below 1e-45 are 0 and those above 3e38 are infinite or NaN.
    """
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(N_WORD, (N_SENTENCE, N_TOKEN + 1), generator=generator)
    with torch.enable_grad(), Trace(model) as trace:
        logits = model(ids[:, :-1])  # (B, T, V)
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    n_layer = len(model.blocks)
    stream = [trace[f"blocks.{layer}.resid_in"] for layer in range(n_layer)]
    gradients = torch.autograd.grad(loss, [*stream, trace[f"blocks.{n_layer - 1}.resid_out"]])
    # Norms in float64: in float32 the square of a number below 1e-22 would already be 0.
    return torch.stack([one.double().norm() for one in gradients]).numpy()


@memoize(MAX_FIGURES)
def gradient_norms_by_depth(
    norm: str, residual: bool, start: str, seed: int
) -> dict[int, Float[NDArray[np.float64], " L1"]]:
    """Return `gradient_norms` for a stack of each depth in `DEPTHS`, all initialized with the same seed."""
    return {n: gradient_norms(build_stack(n, norm, residual, start, seed), seed) for n in DEPTHS}


def gradient_norms_by_kind(start: str, seed: int) -> StackGradients:
    """Return `gradient_norms_by_depth` as (norm, residual) -> depth -> gradient norms.

    It has an entry for every norm, with and without residual paths.
    """
    return {(norm, path): gradient_norms_by_depth(norm, path, start, seed) for norm in NORMS for path in PATHS}


def opposed_gradient(share: float, n_layer: int) -> float:
    """Return the norm of a gradient of norm 1 after passing down through blocks that write against their stream.

    Each block is attention with one token and without norms, set up to write -share times its input, so x + f(x) is (1
    - share) x. With share 1 nothing gets through, although every block has its residual connection.
    """
    with torch.device("meta"):  # torch's own initialization would use the global generator
        block = Block(D_MODEL, N_HEAD, style=BlockStyle(bias=False, feed_forward=False))
    block = block.to_empty(device="cpu").requires_grad_(False)
    block.norm_1 = nn.Identity()
    attn: MultiHeadAttention = block.attn
    for projection in (attn.w_q, attn.w_k, attn.w_v):
        projection.weight.copy_(torch.eye(D_MODEL))
    attn.w_o.weight.copy_(-share * torch.eye(D_MODEL))
    x = torch.ones(1, 1, D_MODEL, requires_grad=True)
    y = x
    for _ in range(n_layer):
        y = block(y)
    pull = torch.ones_like(y) / D_MODEL**0.5
    return float(torch.autograd.grad(y, x, pull)[0].norm())
