"""GPT: a stack of causal blocks that predicts, at every position, the next token.

With `causal=False` it is the same stack as an encoder: every position reads the whole text. With `n_label` it was
fine-tuned to judge texts: its output layer scores labels in place of tokens.
"""

import math
from dataclasses import dataclass, field
from functools import cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_ids, check_length, check_sizes
from core.models.configs.family import ModelFamily, block_dimensions
from core.models.configs.modern import LayerKinds, Modern
from core.nn.block import Block, BlockStyle
from core.nn.init import INIT_STD, init_normal
from core.nn.linear import Embedding, Linear
from core.nn.masks import causal, full, sliding_window
from core.nn.positions import POSITION_SCHEMES, RelativeBias, alibi_bias, alibi_slopes, sinusoidal
from core.nn.tap import tap


@dataclass(frozen=True, kw_only=True)
class GPTConfig(LayerKinds):
    """The sizes of a GPT, and two groups of options: of its blocks, and of what today's models add.

    Args:
        vocab_size: number of tokens in the vocabulary.
        context_length: number of positions; only a learned table cannot go beyond.
        n_layer, n_head, d_model: blocks, heads in each block, width of the residual stream.
        d_ff: width of the feed-forward, or of one expert if there are experts; None means 4 d_model.
        positions: "none", "learned", "sinusoidal", "rotary", "alibi" or "relative".
        causal: whether later positions are hidden. Without that, the stack is an encoder, and as a language model it
            cheats because it reads the token that it should predict.
        tied: whether the output layer is the embedding matrix, transposed.
        block: norms, activation, residuals and biases of the blocks.
        modern: what GPT-2 doesn't have, such as grouped queries, windows and experts.

    Raises:
        ValueError: if a size isn't positive, heads don't divide what they share, a name is unknown, or options
            contradict each other.
    """

    vocab_size: int
    context_length: int = 64
    n_layer: int = 2
    n_head: int = 4
    d_model: int = 64
    d_ff: int | None = None
    positions: str = "learned"
    causal: bool = True
    tied: bool = True
    block: BlockStyle = field(default_factory=BlockStyle)
    modern: Modern = field(default_factory=Modern)

    def __post_init__(self) -> None:
        modern = self.modern
        check_sizes(self, d_head=modern.d_head)
        if modern.n_kv_head is not None and self.n_head % modern.n_kv_head:
            raise ValueError(f"n_head={self.n_head} is not divisible by n_kv_head={modern.n_kv_head}")
        if modern.d_embed is not None and self.tied:
            raise ValueError(
                f"d_embed={modern.d_embed} needs tied=False: the output layer reads d_model={self.d_model} numbers, "
                "and the embeddings are brought there by a layer of their own"
            )
        if self.positions not in POSITION_SCHEMES:
            raise ValueError(f"positions={self.positions!r} is none of {', '.join(POSITION_SCHEMES)}")
        self.check_layers()
        if modern.experts is not None and not self.block.feed_forward:
            raise ValueError("experts need a feed-forward, whose place they take")
        if modern.token_shift and not (self.causal and self.block.feed_forward):
            raise ValueError("token_shift=True needs causal=True and a feed-forward, whose input it shifts")
        if modern.n_label is not None and (self.tied or not self.causal):
            raise ValueError("n_label needs tied=False, for an embedding scores no labels, and causal=True")
        if modern.slopes is not None and len(modern.slopes) != self.n_head:
            raise ValueError(f"{len(modern.slopes)} slopes do not match n_head={self.n_head}")


class GPT(nn.Module):
    """A decoder-only transformer.

    Call it with ids (B, T); it returns logits (B, T, V): row t scores the token that follows position t. With labels
    these are (B, T, C): row t scores them by the tokens up to t, and the text's answer is its last token's row.

    Source: Radford et al. 2019 (GPT-2), section 2.3, with the parts exchangeable.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        modern = config.modern
        self.tok_emb = Embedding(config.vocab_size, modern.d_embed or config.d_model)
        self.tok_proj = nn.Identity() if modern.d_embed is None else Linear(modern.d_embed, config.d_model)
        self.pos_emb: nn.Module | None = None
        if config.positions == "learned":
            self.pos_emb = nn.Embedding(config.context_length, config.d_model)
        elif config.positions == "relative":
            self.pos_emb = RelativeBias(config.n_head, bidirectional=not config.causal)
        style = config.block
        self.embed_norm = style.make_norm(config.d_model) if modern.embed_norm else nn.Identity()
        self.blocks = nn.ModuleList(
            Block(
                config.d_model, config.n_head, config.d_ff, style, d_head=modern.d_head, n_kv_head=modern.n_kv_head,
                rotary=config.rotary_of(layer), scale=modern.scale, shifted=modern.token_shift, experts=modern.experts,
            )
            for layer in range(config.n_layer)
        )  # fmt: skip
        self.norm = style.make_final_norm(config.d_model)
        self.unembed = Linear(config.d_model, modern.n_label or config.vocab_size, bias=modern.output_bias)
        if config.tied:
            self.unembed.weight = self.tok_emb.weight

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """Return the logits of the next token at every position.

        Raises:
            ValueError: if positions are learned and there are more tokens than positions, or a token is not known.
        """
        check_ids(ids, self.config.vocab_size)
        x = tap(self, "embed", self.embed_norm(self.embed(ids)))  # (B, T, D)
        config, n_token = self.config, ids.shape[1]
        mask = {False: self.mask(n_token, ids.device)}  # (T, T)
        if config.modern.window is not None:
            mask[True] = mask[False] & sliding_window(n_token, config.modern.window, causal=False, device=ids.device)
        bias = self.score_bias(ids.shape[1], x)  # (H, T, T) or None
        positions = torch.arange(ids.shape[1], device=ids.device) if self.config.positions == "rotary" else None
        for layer, block in enumerate(self.blocks):
            turns = positions if config.has_rotary(layer) else None
            x = block(x, mask=mask[config.has_window(layer)], bias=bias, positions=turns)
        x = tap(self, "final", self.norm(x))  # (B, T, D)
        return tap(self, "logits", self.soft_capped(self.unembed(x)))  # (B, T, V)

    def verdict(self, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"] | None = None) -> Float[Tensor, "B C"]:
        """Return a classifier's answer to each text: the logits at its last token that isn't padding.

        mask: True where there is a token; None means everywhere.
        """
        logits = self(ids)  # (B, T, C)
        if mask is None:
            return logits[:, -1]
        last = (mask * torch.arange(mask.shape[1], device=mask.device)).argmax(-1)  # (B,)
        return logits[torch.arange(len(last), device=last.device), last]

    def embed(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Return token embeddings, with absolute positions added if the model has them."""
        x = self.tok_proj(self.tok_emb(ids))
        if self.config.modern.embed_scale != 1:
            x = x * self.config.modern.embed_scale
        n_token = ids.shape[1]
        if self.config.positions == "learned":
            check_length(self.config, ids)
            assert self.pos_emb is not None
            x = x + self.pos_emb(torch.arange(n_token, device=ids.device))
        elif self.config.positions == "sinusoidal":
            x = x + sinusoidal(n_token, self.config.d_model, ids.device, x.dtype)
        return x

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """Return True where query t may attend to key s; layers with a window see less."""
        return (causal if self.config.causal else full)(n_token, device=device)

    def soft_capped(self, logits: Float[Tensor, "*batch V"]) -> Float[Tensor, "*batch V"]:
        """Bound the logits of the output layer if the config says so."""
        most = self.config.modern.logit_softcap
        return logits if most is None else most * torch.tanh(logits / most)

    def score_bias(self, n_token: int, like: Tensor) -> Float[Tensor, "H T T"] | None:
        """Return the bias that the position scheme adds to every block's scores (ALiBi, relative), or None."""
        if self.config.positions == "relative":
            assert self.pos_emb is not None
            return self.pos_emb(n_token, n_token)
        if self.config.positions != "alibi":
            return None
        slopes = _slopes(self.config.n_head, self.config.modern.slopes, like.device)
        return alibi_bias(self.config.n_head, n_token, n_token, slopes, like.device).to(like.dtype)

    def init_weights(self, generator: torch.Generator) -> None:
        """Draw GPT-2's initial weights: normal with standard deviation 0.02, less into the residual stream, biases 0.

        Source: Radford et al. 2019, section 2.3: residual layers' weights are scaled by 1/sqrt(number of them).
        """
        init_normal(self, generator, into_stream=INIT_STD / math.sqrt(2 * self.config.n_layer))


@cache  # copied to a GPU once, and not in each pass
def _slopes(n_head: int, slopes: tuple[float, ...] | None, device: torch.device) -> Float[Tensor, " H"]:
    return (alibi_slopes(n_head) if slopes is None else torch.tensor(slopes)).to(device)


def _outside(config: GPTConfig, n_token: int) -> dict[str, int]:
    d_embed = config.modern.d_embed
    projection = {} if d_embed is None else {"embedding's projection": n_token * d_embed * config.d_model}
    return projection | {"output layer": n_token * config.d_model * (config.modern.n_label or config.vocab_size)}


FAMILY = ModelFamily(
    kind="gpt",
    modern=lambda config: config.modern,
    context_length=lambda config: config.context_length,
    config=GPTConfig,
    model=GPT,
    n_label=lambda config: config.modern.n_label,
    predicts=lambda config: "nothing" if config.modern.n_label else "next" if config.causal else "here",
    writes=True,
    decoder_stack=lambda config: block_dimensions(config, modern=config.modern),
    outside=_outside,
    n_output=lambda config, n_token: n_token * (config.modern.n_label or config.vocab_size),
)
