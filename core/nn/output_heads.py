"""The heads on top of an encoder: each turns its vectors into the answers of one task.

All of them come from a token's vector to its answer by one more layer and a nonlinearity, a norm or not, and a last
layer; they differ in what they read (one vector, each of them, the mean) and in what they choose from.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from core.nn.feed_forward import gelu, gelu_tanh, quick_gelu, relu
from core.nn.tap import tap

HEADS = ("masked", "replaced", "sequence", "tokens", "span", "none")
POOLINGS = ("first", "mean")
BENDS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "quick_gelu": quick_gelu,
    "relu": relu,
}
POOLS: dict[str, Callable[[Tensor], Tensor]] = {"tanh": torch.tanh} | BENDS

MakeNorm = Callable[[int], nn.Module]


@dataclass(frozen=True, kw_only=True)
class HeadStyle:
    """The layers between an encoder's vectors and a head's answers. The default is BERT's.

    Args:
        activation: what bends in the heads "masked" and "replaced", and in "tokens" and "span" where these have a norm:
            "gelu" (exact), "gelu_tanh", "quick_gelu" or "relu".
        bias: whether the layer before the answers has one; the answers always do.
        norm: whether the heads for a task normalise what they read answers from, as the masked head does (ModernBERT);
            "tokens" and "span", which have the last layer alone else, have one more before it then.
        pooling: what the head "sequence" reads: the "first" token's vector, or the "mean" of all.
        tied: whether the head "masked" scores tokens with the embeddings; else it has a matrix of its own.

    Raises:
        ValueError: if a name is unknown.

    Source: Warner et al. 2024 (ModernBERT, 2412.13663), as in huggingface/transformers, modeling_modernbert.py.
    """

    activation: str = "gelu"
    bias: bool = True
    norm: bool = False
    pooling: str = "first"
    tied: bool = True

    def __post_init__(self) -> None:
        for name, known in (("activation", BENDS), ("pooling", POOLINGS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} is none of {', '.join(known)}")


class MaskedHead(nn.Module):
    """Scores of the token at each position: a layer and a norm, then an output layer, tied to the embeddings or not.

    Source: Devlin et al. 2018 (1810.04805), the authors' code; as wide as the embeddings: Lan et al. 2019 (ALBERT).
    """

    def __init__(self, d_model: int, tok_emb: nn.Embedding, make_norm: MakeNorm, style: HeadStyle):
        super().__init__()
        vocab_size, d_embed = tok_emb.weight.shape
        self.bend = BENDS[style.activation]
        self.dense = nn.Linear(d_model, d_embed, bias=style.bias)
        self.norm = make_norm(d_embed)
        self.unembed = nn.Linear(d_embed, vocab_size)
        if style.tied:
            self.unembed.weight = tok_emb.weight

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch V"]:
        return self.unembed(self.norm(self.bend(self.dense(x))))


class ReplacedHead(nn.Module):
    """At each position one number, above 0 where the token is not the one that stood there: ELECTRA's pre-training.

    Source: Clark et al. 2020 (2003.10555), section 2.
    """

    def __init__(self, d_model: int, style: HeadStyle):
        super().__init__()
        self.bend = BENDS[style.activation]
        self.dense = nn.Linear(d_model, d_model, bias=style.bias)
        self.classify = nn.Linear(d_model, 1)

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch"]:
        return self.classify(self.bend(self.dense(x))).squeeze(-1)


class SequenceHead(nn.Module):
    """One answer for the text: one vector for it through the pooler (a layer and tanh), then the labels."""

    def __init__(self, d_model: int, n_label: int, pool: str, make_norm: MakeNorm, style: HeadStyle):
        super().__init__()
        self.pool = POOLS[pool]
        self.pooling = style.pooling
        self.pooler = nn.Linear(d_model, d_model, bias=style.bias)
        self.norm = make_norm(d_model) if style.norm else nn.Identity()
        self.classify = nn.Linear(d_model, n_label)

    def forward(self, x: Float[Tensor, "B T D"], mask: Bool[Tensor, "B T"] | None = None) -> Float[Tensor, "B C"]:
        """mask: True where there is a token, which the mean asks for; None means everywhere."""
        read = x[:, 0] if self.pooling == "first" else mean(x, mask)  # (B, D)
        return self.classify(tap(self, "pooled", self.norm(self.pool(self.pooler(read)))))


class TokenHead(nn.Module):
    """One answer for each token, straight from its vector; in ModernBERT through a layer and a norm.

    Where a question's answer lies is two numbers for each token: for its beginning, and for its end.

    Source: Devlin et al. 2018 (1810.04805), sections 4.2 and 5.3.
    """

    def __init__(self, d_model: int, n_label: int, make_norm: MakeNorm, style: HeadStyle):
        super().__init__()
        self.bend = BENDS[style.activation]
        self.dense = nn.Linear(d_model, d_model, bias=style.bias) if style.norm else None
        self.norm = make_norm(d_model) if style.norm else nn.Identity()
        self.classify = nn.Linear(d_model, n_label)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T C"]:
        return self.classify(x if self.dense is None else self.norm(self.bend(self.dense(x))))


def mean(x: Float[Tensor, "B T D"], mask: Bool[Tensor, "B T"] | None = None) -> Float[Tensor, "B D"]:
    """The mean vector of each text, of its tokens only."""
    if mask is None:
        return x.mean(1)
    there = mask[..., None].to(x.dtype)  # (B, T, 1)
    return (x * there).sum(1) / there.sum(1).clamp(min=1)
