"""Output heads on top of an encoder, which turn its vectors into the outputs of a task.

They consist of a dense layer, a nonlinearity, sometimes a norm, and an output layer. They differ in their input (one
vector, every vector, or the mean) and in their classes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from core.nn.feed_forward import gelu, gelu_tanh, quick_gelu, relu
from core.nn.tap import tap

OUTPUT_HEADS = ("masked", "replaced", "sequence", "tokens", "span", "none")
_POOLINGS = ("first", "mean")
HEAD_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "quick_gelu": quick_gelu,
    "relu": relu,
}
POOLER_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"tanh": torch.tanh} | HEAD_ACTIVATIONS

_MakeNorm = Callable[[int], nn.Module]


@dataclass(frozen=True, kw_only=True)
class OutputHeadOptions:
    """The options of the layers between an encoder's vectors and a head's outputs. The default is BERT's.

    Args:
        activation: the nonlinearity of the heads "masked" and "replaced", and of "tokens" and "span" if they have a
            norm: "gelu" (exact), "gelu_tanh", "quick_gelu" or "relu".
        bias: whether the dense layer before the output layer has a bias; the output layer always does.
        norm: whether the task heads normalize the output layer's input, as the masked head does (ModernBERT). Then
            "tokens" and "span" also get a dense layer before it; otherwise they have an output layer only.
        pooling: the input of the head "sequence": the "first" token's vector, or the "mean" of all vectors.
        tied: whether the head "masked" scores tokens with the embedding matrix; if not, it has its own matrix.

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
        for name, known in (("activation", HEAD_ACTIVATIONS), ("pooling", _POOLINGS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} is none of {', '.join(known)}")


class MaskedHead(nn.Module):
    """The masked language modeling head, which scores every token of the vocabulary at each position.

    It has a dense layer, a nonlinearity, a norm and an output layer, whose matrix may be tied to the embeddings.

    Source: Devlin et al. 2018 (1810.04805), the authors' code; as wide as the embeddings: Lan et al. 2019 (ALBERT).

    Elsewhere: in BERT, `dense`, `norm` and `unembed` are `transform.dense`, `transform.LayerNorm` and `decoder` of
    `cls.predictions`.
    """

    def __init__(self, d_model: int, tok_emb: nn.Embedding, make_norm: _MakeNorm, style: OutputHeadOptions):
        super().__init__()
        vocab_size, d_embed = tok_emb.weight.shape
        self.bend = HEAD_ACTIVATIONS[style.activation]
        self.dense = nn.Linear(d_model, d_embed, bias=style.bias)
        self.norm = make_norm(d_embed)
        self.unembed = nn.Linear(d_embed, vocab_size)
        if style.tied:
            self.unembed.weight = tok_emb.weight

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch V"]:
        return self.unembed(self.norm(self.bend(self.dense(x))))


class ReplacedTokenHead(nn.Module):
    """ELECTRA's replaced token detection head: one logit for each position, above 0 for a token that was replaced.

    Source: Clark et al. 2020 (2003.10555), section 2.

    Elsewhere: `dense` and `classify` are `discriminator_predictions.dense` and
    `discriminator_predictions.dense_prediction` in ELECTRA.
    """

    def __init__(self, d_model: int, style: OutputHeadOptions):
        super().__init__()
        self.bend = HEAD_ACTIVATIONS[style.activation]
        self.dense = nn.Linear(d_model, d_model, bias=style.bias)
        self.classify = nn.Linear(d_model, 1)

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch"]:
        return self.classify(self.bend(self.dense(x))).squeeze(-1)


class SequenceHead(nn.Module):
    """A head that classifies the whole text: pool its vectors to one, apply the pooler (dense and tanh), then classify.

    Elsewhere: `pooler` and `classify` are `pooler.dense` and `classifier` in BERT.
    """

    def __init__(self, d_model: int, n_label: int, pool: str, make_norm: _MakeNorm, style: OutputHeadOptions):
        super().__init__()
        self.pool = POOLER_ACTIVATIONS[pool]
        self.pooling = style.pooling
        self.pooler = nn.Linear(d_model, d_model, bias=style.bias)
        self.norm = make_norm(d_model) if style.norm else nn.Identity()
        self.classify = nn.Linear(d_model, n_label)

    def forward(self, x: Float[Tensor, "B T D"], mask: Bool[Tensor, "B T"] | None = None) -> Float[Tensor, "B C"]:
        """Return the logits of the labels.

        mask: True where there is a token, used by the mean; None means everywhere.
        """
        read = x[:, 0] if self.pooling == "first" else _mean_pool(x, mask)  # (B, D)
        return self.classify(tap(self, "pooled", self.norm(self.pool(self.pooler(read)))))


class TokenClassificationHead(nn.Module):
    """A head that classifies each token, directly from its vector; in ModernBERT through a dense layer and a norm.

    In question answering it has two outputs for each token: the scores for being the first and the last of the answer.

    Source: Devlin et al. 2018 (1810.04805), sections 4.2 and 5.3.

    Elsewhere: `classify` is `classifier` in BERT, and `qa_outputs` for question answering.
    """

    def __init__(self, d_model: int, n_label: int, make_norm: _MakeNorm, style: OutputHeadOptions):
        super().__init__()
        self.bend = HEAD_ACTIVATIONS[style.activation]
        self.dense = nn.Linear(d_model, d_model, bias=style.bias) if style.norm else None
        self.norm = make_norm(d_model) if style.norm else nn.Identity()
        self.classify = nn.Linear(d_model, n_label)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T C"]:
        return self.classify(x if self.dense is None else self.norm(self.bend(self.dense(x))))


def _mean_pool(x: Float[Tensor, "B T D"], mask: Bool[Tensor, "B T"] | None = None) -> Float[Tensor, "B D"]:
    """Return the mean vector of each text, without padding."""
    if mask is None:
        return x.mean(1)
    there = mask[..., None].to(x.dtype)  # (B, T, 1)
    return (x * there).sum(1) / there.sum(1).clamp(min=1)
