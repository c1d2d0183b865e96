"""BERT: an encoder that reads the whole text in both directions, and a head that says what it was trained for.

The body is the same for every task: token, position and segment embeddings, their norm, blocks without a causal mask.
On top sits one head:

- "masked": at every position, which token stands (or stood) there: the pre-training task;
- "sequence": one answer for the whole text, read from the first token, `<class>`;
- "tokens": one answer for each token;
- "none": no answer yet, each token's vector as it is (some published models come without a head).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.family import ModelFamily, stack
from core.models.configs.sizes import check_ids, check_length, check_sizes
from core.nn.block import Block, BlockStyle
from core.nn.feed_forward import gelu, relu
from core.nn.masks import full, readable
from core.nn.start import draw_normal
from core.nn.tap import tap

HEADS = ("masked", "sequence", "tokens", "none")
POOLS: dict[str, Callable[[Tensor], Tensor]] = {"tanh": torch.tanh, "relu": relu}
POST_NORM = BlockStyle(norm_first=False, activation="gelu", eps=1e-12)  # as published


@dataclass(frozen=True, kw_only=True)
class BERTConfig:
    """The sizes of a BERT, see `GPTConfig`, and its head.

    Args:
        context_length: number of positions; the table of positions cannot go beyond.
        n_segment: kinds of segment (first text, second text); 0: no segment embeddings.
        head: "masked", "sequence", "tokens" or "none".
        n_label: answers that the heads for the text and for each token choose from.
        pool: what bends the pooler of the head for the text, "tanh", or "relu" as in DistilBERT.

    Raises:
        ValueError: if sizes do not fit together, or a name is unknown.
    """

    positions: ClassVar[str] = "learned"
    causal: ClassVar[bool] = False

    vocab_size: int
    context_length: int = 64
    n_layer: int = 2
    n_head: int = 4
    d_model: int = 64
    d_ff: int | None = None
    n_segment: int = 2
    head: str = "masked"
    n_label: int = 2
    pool: str = "tanh"
    block: BlockStyle = field(default_factory=lambda: POST_NORM)

    def __post_init__(self) -> None:
        check_sizes(self, "n_segment")
        if self.head not in HEADS:
            raise ValueError(f"head={self.head!r} is none of {', '.join(HEADS)}")
        if self.pool not in POOLS:
            raise ValueError(f"pool={self.pool!r} is none of {', '.join(POOLS)}")


class MaskedHead(nn.Module):
    """What stands at each position: one more layer and norm, then the embeddings transposed, with a bias."""

    def __init__(self, config: BERTConfig, tok_emb: nn.Embedding):
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.norm = config.block.make_norm(config.d_model)
        self.unembed = nn.Linear(config.d_model, config.vocab_size)
        self.unembed.weight = tok_emb.weight

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch V"]:
        return self.unembed(self.norm(gelu(self.dense(x))))


class SequenceHead(nn.Module):
    """One answer for the text: the first token's vector through the pooler (a layer and tanh), then the labels."""

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.pool = POOLS[config.pool]
        self.pooler = nn.Linear(config.d_model, config.d_model)
        self.classify = nn.Linear(config.d_model, config.n_label)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B C"]:
        return self.classify(tap(self, "pooled", self.pool(self.pooler(x[:, 0]))))


class TokenHead(nn.Module):
    """One answer for each token, straight from its vector."""

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.classify = nn.Linear(config.d_model, config.n_label)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T C"]:
        return self.classify(x)


class BERT(nn.Module):
    """An encoder-only transformer.

    Call it with ids (B, T), the first of them `<class>`; what it returns depends on the head: (B, T, V) for "masked",
    (B, C) for "sequence", (B, T, C) for "tokens", (B, T, D) for "none".

    Source: Devlin et al. 2018 (1810.04805), section 3.
    """

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.pos_emb = nn.Embedding(config.context_length, config.d_model)
        self.seg_emb = nn.Embedding(config.n_segment, config.d_model) if config.n_segment else None
        style = config.block
        self.embed_norm = style.make_norm(config.d_model)
        self.blocks = nn.ModuleList(
            Block(config.d_model, config.n_head, config.d_ff, style) for _ in range(config.n_layer)
        )
        self.norm = style.make_norm(config.d_model) if style.norm_first else nn.Identity()
        self.head: nn.Module
        if config.head == "masked":
            self.head = MaskedHead(config, self.tok_emb)
        elif config.head == "none":
            self.head = nn.Identity()
        else:
            self.head = SequenceHead(config) if config.head == "sequence" else TokenHead(config)

    def forward(
        self,
        ids: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
    ) -> Float[Tensor, "..."]:
        """The head's scores.

        Args:
            ids: tokens, padded at the end where texts differ in length.
            mask: True where there is a token; None means everywhere.
            segments: to which text each token belongs; None means all to the first. Row 0 is added even then.

        Raises:
            ValueError: if there are more tokens than positions.
        """
        return tap(self, "logits", self.head(self.body(ids, mask, segments)))

    def body(
        self,
        ids: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Each token's vector after the last block: what pre-training learns and fine-tuning starts from."""
        check_ids(ids, self.config.vocab_size)
        x = tap(self, "embed", self.embed_norm(self.embed(ids, segments)))  # (B, T, D)
        allowed = readable(mask)  # (B, 1, 1, T)
        for block in self.blocks:
            x = block(x, mask=allowed)
        return tap(self, "final", self.norm(x))  # (B, T, D)

    def embed(self, ids: Int[Tensor, "B T"], segments: Int[Tensor, "B T"] | None = None) -> Float[Tensor, "B T D"]:
        """The sum of token, position and segment embeddings."""
        check_length(self.config, ids)
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(ids.shape[1], device=ids.device))
        if self.seg_emb is None:
            return x
        return x + self.seg_emb(torch.zeros_like(ids) if segments is None else segments)

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """Who may attend to whom: everyone to everyone."""
        return full(n_token, device=device)

    def init_weights(self, generator: torch.Generator) -> None:
        """BERT's start: normal with deviation 0.02, gains 1, biases 0.

        Source: Devlin et al. 2018, the authors' code.
        """
        draw_normal(self, generator)


def _outside(config: BERTConfig, n_token: int) -> dict[str, int]:
    d = config.d_model
    head = {
        "masked": n_token * d * (d + config.vocab_size),
        "sequence": d * (d + config.n_label),
        "tokens": n_token * d * config.n_label,
        "none": 0,
    }
    return {"head": head[config.head]}


def _n_output(config: BERTConfig, n_token: int) -> int:
    numbers = {
        "masked": n_token * config.vocab_size,
        "sequence": config.d_model + config.n_label,  # the pooled vector, too
        "tokens": n_token * config.n_label,
        "none": 0,  # the last vectors themselves
    }
    return numbers[config.head]


FAMILY = ModelFamily(
    kind="bert",
    config=BERTConfig,
    model=BERT,
    predicts=lambda config: "here" if config.head == "masked" else "nothing",
    encoder_stack=stack,
    outside=_outside,
    n_output=_n_output,
    start=(0.1, 0.03),  # it normalises the sum of its embeddings, so positions must not drown the tokens
)
