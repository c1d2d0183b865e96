"""A cache that lets go: it keeps the keys and values of the newest tokens, and of the first if one likes.

The house's own cache (`core.generate.keys_values`) keeps all of them, and hides what a window does not read. This one
reads a text token by token and is as small as the window, so its bytes can be counted.
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.models.gpt import GPT
from core.nn.attention import attention_scores
from core.nn.positions import Rotary, rotate


class RollingCache:
    """Keys and values of a GPT with rotary positions, `window` tokens at most.

    Keys are kept as they were before they were turned. At each step they are turned by their places in the cache,
    0, 1, 2, …: so the first tokens stay near, however long the text has become.

    Args:
        model: without biases to the scores, sinks or gates, one rotary for all layers, no feed-forward that reads the
            token before.
        window: tokens that are kept.
        n_sink: so many of them are the first of the text.

    Source: Xiao et al. 2023 (2309.17453), section 3.2.
    """

    def __init__(self, model: GPT, window: int, n_sink: int = 0):
        self.model, self.window, self.n_sink = model, window, n_sink
        self.keys: list[Tensor] = []  # of each layer (1, G, S, K), not turned yet
        self.values: list[Tensor] = []

    @property
    def n_byte(self) -> int:
        """Of all keys and values that are kept."""
        return sum(one.numel() * one.element_size() for one in (*self.keys, *self.values))

    @torch.no_grad()
    def read(self, ids: Int[Tensor, " T"]) -> Float[Tensor, "T V"]:
        """Read so many more tokens, one by one; the logits after each."""
        return torch.stack([self._step(one) for one in ids])

    def _step(self, token: Int[Tensor, ""]) -> Float[Tensor, " V"]:
        model = self.model
        x = model.embed_norm(model.embed(token[None, None]))  # (1, 1, D)
        block: Any
        for layer, block in enumerate(model.blocks):
            x = x + self._attend(layer, block.norm_1(x))
            x = x + block.mlp(block.norm_2(x))
        return model.soft_capped(model.unembed(model.norm(x)))[0, 0]

    def _attend(self, layer: int, x: Float[Tensor, "1 1 D"]) -> Float[Tensor, "1 1 D"]:
        attn: Any = self.model.blocks[layer].attn
        q, k, v = (w(x).unflatten(-1, (-1, attn.d_head)).transpose(1, 2) for w in (attn.w_q, attn.w_k, attn.w_v))
        q, k = attn.norm_q(q), attn.norm_k(k)
        if layer == len(self.keys):
            self.keys.append(k[:, :, :0])
            self.values.append(v[:, :, :0])
        keys = self.keys[layer] = self._let_go(torch.cat([self.keys[layer], k], 2))  # (1, G, S, K)
        values = self.values[layer] = self._let_go(torch.cat([self.values[layer], v], 2))
        rotary, n_kept = self.model.config.rotary or Rotary(), keys.shape[2]
        q, keys = rotate(q, [n_kept - 1], rotary), rotate(keys, range(n_kept), rotary)
        keys, values = (one.repeat_interleave(attn.n_head // attn.n_kv_head, 1) for one in (keys, values))
        weights = attention_scores(q, keys, scale=attn.scale).softmax(-1)  # (1, H, 1, S)
        read: Tensor = attn.w_o((weights @ values).transpose(1, 2).flatten(2))
        return read

    def _let_go(self, kept: Float[Tensor, "1 G S K"]) -> Float[Tensor, "1 G S_kept K"]:
        """Of all that would be kept: the first few, and the newest."""
        if kept.shape[2] <= self.window:
            return kept
        newest = kept[:, :, kept.shape[2] - (self.window - self.n_sink) :]
        return torch.cat([kept[:, :, : self.n_sink], newest], 2)
