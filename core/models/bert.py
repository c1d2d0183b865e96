"""BERT: an encoder that reads the whole text in both directions, and a head that says what it was trained for.

The body is the same for every task: token, position and segment embeddings, their norm, blocks without a causal mask.
On top sits one head (`core.nn.output_heads`):

- "masked": at every position, which token is (or was) there: the pre-training task;
- "replaced": at every position, whether the token was replaced: ELECTRA's pre-training task;
- "sequence": one answer for the whole text, read from the first token, `<class>`, or from the mean of all;
- "tokens": one answer for each token;
- "span": where in the text the answer to a question begins, and where it ends: two numbers for each token;
- "none": no answer yet, each token's vector as it is (some published models come without a head).

ELECTRA, ALBERT and ModernBERT are BERTs, too, with narrow embeddings, one layer for all blocks, or rotary positions and
windows.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_ids, check_length, check_sizes
from core.models.configs.family import ModelFamily, block_dimensions
from core.models.configs.modern import LayerKinds, Modern
from core.nn.block import Block, BlockStyle
from core.nn.init import init_normal
from core.nn.masks import full, padding_to_attention_mask, sliding_window
from core.nn.output_heads import (
    OUTPUT_HEADS,
    POOLER_ACTIVATIONS,
    MaskedHead,
    OutputHeadOptions,
    ReplacedTokenHead,
    SequenceHead,
    TokenClassificationHead,
)
from core.nn.positions import RotarySettings
from core.nn.tap import tap

POSITIONS = ("learned", "rotary")
POST_NORM = BlockStyle(norm_first=False, activation="gelu", eps=1e-12)  # as published


@dataclass(frozen=True, kw_only=True)
class BERTConfig(LayerKinds):
    """The sizes of a BERT, see `GPTConfig`, and its head.

    Args:
        context_length: number of positions; only a learned table cannot go beyond.
        d_embed: width of the embeddings and of their norm, brought to d_model by a linear layer; None: d_model, and no
            such layer (ELECTRA, ALBERT).
        positions: "learned" or "rotary".
        pad_id: a token that learned positions don't count; it has a position of its own, the last row of their table
            (RoBERTa). None: all tokens are counted.
        rotary, window, windowed, window_rotary: see `GPTConfig`; a window lies on both sides, and holds window - 1
            tokens before and as many after the token itself.
        n_segment: kinds of segment (first text, second text); 0: no segment embeddings.
        first_norm: whether the first block normalises what its attention reads; ModernBERT leaves that to the norm of
            the embeddings.
        shared: whether all blocks have the same weights (ALBERT).
        head: "masked", "replaced", "sequence", "tokens", "span" or "none".
        n_label: answers that the heads for the text and for each token choose from.
        pool: what bends the pooler of the head for the text, "tanh", "relu" as in DistilBERT, "gelu" as in ELECTRA, or
            another one that a head's style knows.
        head_style: the layers between the encoder's vectors and the answers, see `OutputHeadOptions`.

    Raises:
        ValueError: if sizes do not fit together, a name is unknown, or options contradict each other.

    Source: narrow embeddings and shared blocks: Lan et al. 2019 (ALBERT, 1909.11942), section 3.1; ModernBERT: Warner
    et al. 2024 (2412.13663), section 2.1.
    """

    causal: ClassVar[bool] = False

    vocab_size: int
    context_length: int = 64
    n_layer: int = 2
    n_head: int = 4
    d_model: int = 64
    d_ff: int | None = None
    d_embed: int | None = None
    positions: str = "learned"
    pad_id: int | None = None
    rotary: RotarySettings | None = None
    window: int | None = None
    windowed: tuple[int, ...] | None = None
    window_rotary: RotarySettings | None = None
    n_segment: int = 2
    first_norm: bool = True
    shared: bool = False
    head: str = "masked"
    n_label: int = 2
    pool: str = "tanh"
    head_style: OutputHeadOptions = field(default_factory=OutputHeadOptions)
    block: BlockStyle = field(default_factory=lambda: POST_NORM)

    def __post_init__(self) -> None:
        check_sizes(self, "n_segment", "pad_id")
        if self.pad_id is not None and (self.pad_id >= self.vocab_size or self.positions != "learned"):
            raise ValueError(f"pad_id={self.pad_id} needs positions='learned' and to be a token, below vocab_size")
        for name, known in (("head", OUTPUT_HEADS), ("pool", POOLER_ACTIVATIONS), ("positions", POSITIONS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} is none of {', '.join(known)}")
        self.check_layers()
        if not self.first_norm and (self.shared or self.block.parallel or not self.block.norm_first):
            raise ValueError("first_norm=False needs norm_first=True, and blocks neither shared nor parallel")

    @cached_property
    def modern(self) -> Modern:
        """Today's options in the form in which a GPT has them."""
        return Modern(
            d_embed=self.d_embed, rotary=self.rotary, window=self.window, windowed=self.windowed,
            window_rotary=self.window_rotary,
        )  # fmt: skip


class BERT(nn.Module):
    """An encoder-only transformer.

    Call it with ids (B, T), the first of them `<class>`; what it returns depends on the head: (B, T, V) for "masked",
    (B, T) for "replaced", (B, C) for "sequence", (B, T, C) for "tokens", (B, T, 2) for "span", (B, T, D) for "none".

    Source: Devlin et al. 2018 (1810.04805), section 3.
    """

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.config = config
        width, style = config.d_embed or config.d_model, config.block
        self.tok_emb = nn.Embedding(config.vocab_size, width)
        n_place = config.context_length + (config.pad_id is not None)
        self.pos_emb = nn.Embedding(n_place, width) if config.positions == "learned" else None
        self.seg_emb = nn.Embedding(config.n_segment, width) if config.n_segment else None
        self.embed_norm = style.make_norm(width)
        self.tok_proj = nn.Identity() if config.d_embed is None else nn.Linear(width, config.d_model)
        self.blocks = nn.ModuleList(
            Block(config.d_model, config.n_head, config.d_ff, style, rotary=config.rotary_of(layer))
            for layer in range(config.n_layer)
        )
        if config.shared:
            _share(self.blocks)
        if not config.first_norm:
            self.blocks[0].norm_1 = nn.Identity()
        self.norm = style.make_final_norm(config.d_model)
        self.head = _head(config, self.tok_emb)

    def forward(
        self,
        ids: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
    ) -> Float[Tensor, "..."]:
        """Return the head's scores.

        Args:
            ids: tokens, padded at the end where texts differ in length.
            mask: True where there is a token; None means everywhere.
            segments: to which text each token belongs; None means all to the first. Row 0 is added even then.

        Raises:
            ValueError: if there are more tokens than positions.
        """
        x = self.body(ids, mask, segments)
        return tap(self, "logits", self.head(x, mask) if isinstance(self.head, SequenceHead) else self.head(x))

    def body(
        self,
        ids: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Return each token's vector after the last block: what pre-training learns and fine-tuning starts from."""
        check_ids(ids, self.config.vocab_size)
        config, n_token = self.config, ids.shape[1]
        x = tap(self, "embed", self.tok_proj(self.embed_norm(self.embed(ids, segments))))  # (B, T, D)
        allowed = near = padding_to_attention_mask(mask)  # (B, 1, 1, T)
        if config.window is not None:
            window = sliding_window(n_token, config.window, causal=False, device=ids.device)  # (T, T)
            near = window if allowed is None else allowed & window
        positions = torch.arange(n_token, device=ids.device) if config.positions == "rotary" else None
        for layer, block in enumerate(self.blocks):
            x = block(x, mask=near if config.has_window(layer) else allowed, positions=positions)
        return tap(self, "final", self.norm(x))  # (B, T, D)

    def embed(self, ids: Int[Tensor, "B T"], segments: Int[Tensor, "B T"] | None = None) -> Float[Tensor, "B T E"]:
        """Add token, position and segment embeddings, as far as the model has them."""
        x = self.tok_emb(ids)
        if self.pos_emb is not None:
            check_length(self.config, ids)
            x = x + self.pos_emb(self.places(ids))
        if self.seg_emb is None:
            return x
        return x + self.seg_emb(torch.zeros_like(ids) if segments is None else segments)

    def places(self, ids: Int[Tensor, "B T"]) -> Int[Tensor, "..."]:
        """Return the row of the position table for each token, (T,) or (B, T)."""
        if self.config.pad_id is None:
            return torch.arange(ids.shape[1], device=ids.device)
        is_token = ids != self.config.pad_id
        return (is_token.cumsum(1) - 1).where(is_token, self.config.context_length)

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """Return True where query t may attend to key s, which is everywhere; layers with a window see less."""
        return full(n_token, device=device)

    def init_weights(self, generator: torch.Generator) -> None:
        """Draw BERT's initial weights: normal with standard deviation 0.02, gains 1, biases 0.

        Source: Devlin et al. 2018, the authors' code.
        """
        init_normal(self, generator)


def _share(blocks: nn.ModuleList) -> None:
    """Give all blocks the first one's weights; each stays a module of its own, with its own name in a `Trace`."""
    for name, parameter in blocks[0].named_parameters():
        where, _, last = name.rpartition(".")
        for block in list(blocks)[1:]:
            setattr(block.get_submodule(where), last, parameter)


def _head(config: BERTConfig, tok_emb: nn.Embedding) -> nn.Module:
    d_model, style, make_norm = config.d_model, config.head_style, config.block.make_norm
    if config.head == "masked":
        return MaskedHead(d_model, tok_emb, make_norm, style)
    if config.head == "replaced":
        return ReplacedTokenHead(d_model, style)
    if config.head == "sequence":
        return SequenceHead(d_model, config.n_label, config.pool, make_norm, style)
    if config.head == "none":
        return nn.Identity()
    return TokenClassificationHead(d_model, 2 if config.head == "span" else config.n_label, make_norm, style)


def _outside(config: BERTConfig, n_token: int) -> dict[str, int]:
    d, width = config.d_model, config.d_embed or config.d_model
    head = {
        "masked": n_token * width * (d + config.vocab_size),
        "replaced": n_token * d * (d + 1),
        "sequence": d * (d + config.n_label),
        "tokens": n_token * d * (d * config.head_style.norm + config.n_label),
        "span": n_token * d * (d * config.head_style.norm + 2),
        "none": 0,
    }
    projection = {} if config.d_embed is None else {"embedding's projection": n_token * width * d}
    return projection | {"head": head[config.head]}


def _n_output(config: BERTConfig, n_token: int) -> int:
    numbers = {
        "masked": n_token * config.vocab_size,
        "replaced": n_token,
        "sequence": config.d_model + config.n_label,  # the pooled vector, too
        "tokens": n_token * config.n_label,
        "span": n_token * 2,
        "none": 0,  # the last vectors themselves
    }
    return numbers[config.head]


FAMILY = ModelFamily(
    kind="bert",
    modern=lambda config: config.modern,
    n_label=lambda config: config.n_label,
    context_length=lambda config: config.context_length,
    head=lambda config: config.head,
    shares_layers=lambda config: config.shared,
    answers="gaps",
    config=BERTConfig,
    model=BERT,
    predicts=lambda config: "here" if config.head == "masked" else "nothing",
    encoder_stack=block_dimensions,
    outside=_outside,
    n_output=_n_output,
    start=(0.1, 0.03),  # it normalises the sum of its embeddings, so positions must not drown the tokens
)
