"""A GPT in one file, with nothing left to choose but its sizes.

Its parameters have the same names as in `core.models.gpt`, so the same weights fit both, and a test checks that both
compute the same logits. That file adds what today's models need: other positions, norms and activations, windows,
experts, a cache, and taps to look inside.

Source: Radford et al. 2019 (GPT-2), section 2.3.
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(nn.Module):
    """Let every token read from the tokens before it, in several heads at once."""

    def __init__(self, d_model: int, n_head: int):
        super().__init__()
        self.n_head = n_head
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        # Each head gets its own d_model / n_head columns: (B, T, D) -> (B, H, T, K)
        q, k, v = (w(x).unflatten(-1, (self.n_head, -1)).transpose(1, 2) for w in (self.w_q, self.w_k, self.w_v))
        scores = q @ k.mT / math.sqrt(q.shape[-1])  # (B, H, T, S): how well key s matches query t
        is_later = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1)  # (T, S): s comes after t
        weights = scores.masked_fill(is_later, -torch.inf).softmax(-1)  # (B, H, T, S), rows sum to 1
        heads = weights @ v  # (B, H, T, K)
        out: Tensor = self.w_o(heads.transpose(1, 2).flatten(2))  # the heads side by side again: (B, T, D)
        return out


class FeedForward(nn.Module):
    """Process each token on its own: widen it fourfold, apply a nonlinearity, and narrow it again."""

    def __init__(self, d_model: int):
        super().__init__()
        self.w_in, self.w_out = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        out: Tensor = self.w_out(F.gelu(self.w_in(x)))
        return out


class Block(nn.Module):
    """Attention, then feed-forward; each adds its output to the residual stream x."""

    def __init__(self, d_model: int, n_head: int):
        super().__init__()
        self.norm_1, self.attn = nn.LayerNorm(d_model), Attention(d_model, n_head)
        self.norm_2, self.mlp = nn.LayerNorm(d_model), FeedForward(d_model)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        x = x + self.attn(self.norm_1(x))
        x = x + self.mlp(self.norm_2(x))
        return x


class MinimalGPT(nn.Module):
    """Turn token ids (B, T) into logits (B, T, V): row t scores the token that follows position t."""

    def __init__(self, vocab_size: int, context_length: int = 64, n_layer: int = 2, n_head: int = 4, d_model: int = 64):
        super().__init__()
        self.context_length = context_length
        self.tok_emb, self.pos_emb = nn.Embedding(vocab_size, d_model), nn.Embedding(context_length, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_head) for _ in range(n_layer))
        self.norm, self.unembed = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(ids.shape[1], device=ids.device))  # (B, T, D)
        for block in self.blocks:
            x = block(x)
        logits: Tensor = self.unembed(self.norm(x))
        return logits


@torch.no_grad()
def generate(
    model: MinimalGPT, ids: Sequence[int], max_new_tokens: int, temperature: float = 1.0, seed: int = 0
) -> list[int]:
    """Continue a prompt: take the logits of its last token, draw the next token, append it, repeat.

    temperature: below 1 makes probable tokens more probable; 0 always takes the most probable one.
    """
    generator, ids = torch.Generator().manual_seed(seed), list(ids)
    for _ in range(max_new_tokens):
        logits = model(torch.tensor([ids[-model.context_length :]]))[0, -1]  # (V,)
        if temperature == 0:
            token = logits.argmax()
        else:
            token = torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)
        ids.append(int(token))
    return ids


def training_step(model: MinimalGPT, optimizer: torch.optim.Optimizer, ids: Int[Tensor, "B T"]) -> float:
    """Predict every next token in a batch of texts, and move the weights a little.

    Returns:
        The loss before the step, in nats per token.
    """
    logits = model(ids[:, :-1])  # (B, T - 1, V)
    loss = F.cross_entropy(logits.mT, ids[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
