"""A GPT that runs on a learner's own functions for merging tokens, masking, attention and residual connections.

mine = assemble(text, merge=merge, causal=causal, attend=attend, block=block)
for ids in mine.batches(seed=0, n_step=200):
    training_step(mine.model, optimizer, ids)
heads(mine, "Tom and Mia")
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from core.data.localization.labels import module_labels
from core.data.tokenizers import BPETokenizer
from core.models.gpt import GPT, GPTConfig
from core.nn.attention import MultiHeadAttention, attention_scores
from core.nn.block import Block
from core.nn.tap import is_recording_taps, tap

LABELS = module_labels(__name__)

N_BYTE = 256


@dataclass(frozen=True)
class _AssembledModel:
    """The assembled model, with its tokenizer and text."""

    model: GPT  # a GPT whose attention, mask and block are the learner's
    tokenizer: BPETokenizer  # whose merges the learner's function has made
    ids: Int[Tensor, " N"]  # the text, in its tokens

    def batches(self, seed: int, n_step: int, n_text: int = 16) -> Iterator[Int[Tensor, "B T"]]:
        """Yield for each step n_text pieces of the text, each one token longer than the model's context."""
        generator, length = Generator().manual_seed(seed), self.model.config.context_length + 1
        for _ in range(n_step):
            starts = torch.randint(0, len(self.ids) - length + 1, (n_text,), generator=generator)
            yield torch.stack([self.ids[start : start + length] for start in starts.tolist()])

    def write(
        self, text: str, sample: Callable[..., int], n: int = 30, *, temperature: float = 1.0, seed: int = 0
    ) -> str:
        """Return the text and n more tokens, each sampled by the learner's function."""
        ids, generator = self.tokenizer.encode(text), Generator().manual_seed(seed)
        for _ in range(n):
            with torch.no_grad():
                logits = self.model(torch.tensor([ids[-self.model.config.context_length :]]))[0, -1]
            ids.append(int(sample(logits, temperature, generator)))
        return self.tokenizer.decode(ids)


def assemble(
    text: str,
    *,
    merge: Callable[..., list[int]],
    causal: Callable[[int], Tensor],
    attend: Callable[..., tuple[Tensor, Tensor]],
    block: Callable[..., Tensor],
    n_merge: int = 150,
    seed: int = 0,
    **sizes: int,
) -> _AssembledModel:
    """Build a tokenizer and a model from a learner's functions; `check` them first.

    Args:
        text: for learning the merges, and for training.
        seed: of the weights.
        sizes: of `GPTConfig`: n_layer, n_head, d_model, context_length.

    Raises:
        ValueError: if the text is too short for the context.
    """
    tokenizer = BPETokenizer(_merges(text, merge, n_merge))
    own: dict[str, Any] = {"n_layer": 2, "n_head": 2, "d_model": 32, "context_length": 32, **sizes}
    model = _OwnGPT(GPTConfig(vocab_size=tokenizer.vocab_size, **own), causal, attend, block)
    model.init_weights(Generator().manual_seed(seed))
    ids = torch.tensor(tokenizer.encode(text))
    if len(ids) <= own["context_length"]:
        raise ValueError(LABELS("short_text", n=len(ids), most=own["context_length"]))
    return _AssembledModel(model, tokenizer, ids)


def _merges(text: str, merge: Callable[..., list[int]], n_merge: int) -> list[tuple[bytes, bytes]]:
    """Learn merges: the most frequent pair of neighbors becomes one token, repeatedly, but never across words."""
    pieces = Counter(re.findall(r" ?\w+|[^\w]", text))
    words = {piece: list(piece.encode()) for piece in pieces}
    spelled = [bytes([i]) for i in range(N_BYTE)]
    merges = []
    for _ in range(n_merge):
        pairs: Counter[tuple[int, int]] = Counter()
        for piece, ids in words.items():
            for pair in pairwise(ids):
                pairs[pair] += pieces[piece]
        if not pairs:
            break
        pair = max(pairs, key=lambda one: (pairs[one], one))
        merges.append((spelled[pair[0]], spelled[pair[1]]))
        spelled.append(b"".join(merges[-1]))
        words = {piece: merge(ids, pair, len(spelled) - 1) for piece, ids in words.items()}
    return merges


class _OwnAttention(MultiHeadAttention):
    """Attention with our projections, and the learner's function between them."""

    attend: Callable[..., tuple[Tensor, Tensor]]

    def forward(
        self, x: Float[Tensor, "B T D"], *_: object, mask: object = None, **__: object
    ) -> Float[Tensor, "B T D"]:
        q, k, v = (
            tap(self, name, self._split(w(x))) for name, w in zip("qkv", (self.w_q, self.w_k, self.w_v), strict=True)
        )
        if is_recording_taps():
            tap(self, "scores", attention_scores(q, k))  # the learner's function doesn't return them
        output, weights = self.attend(q, k, v, mask)
        tap(self, "weights", weights)
        return tap(self, "out", self.w_o(tap(self, "heads", output).transpose(1, 2).flatten(2)))


class _OwnBlock(Block):
    block: Callable[..., Tensor]

    def forward(
        self, x: Float[Tensor, "B T D"], mask: object = None, *_: object, **__: object
    ) -> Float[Tensor, "B T D"]:
        def attn(y: Tensor) -> Tensor:
            return self.attn(y, mask=mask)

        x = tap(self, "resid_in", x)
        return tap(self, "resid_out", self.block(x, attn, self.mlp, self.norm_1, self.norm_2))


class _OwnGPT(GPT):
    def __init__(
        self,
        config: GPTConfig,
        causal: Callable[[int], Tensor],
        attend: Callable[..., tuple[Tensor, Tensor]],
        block: Callable[..., Tensor],
    ):
        super().__init__(config)
        self._causal = causal
        blocks: Any = self.blocks
        for one in blocks:
            one.__class__, one.attn.__class__ = _OwnBlock, _OwnAttention
            one.block, one.attn.attend = block, attend

    def mask(self, n_token: int, device: torch.device | None = None) -> Tensor:
        return self._causal(n_token).to(device)
