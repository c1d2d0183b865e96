"""What a whole model costs: multiply-adds of a pass and of a token, and the bytes that it holds.

Only matrix products are counted, as everywhere here: one multiply-add is a product and its addition, two
floating-point operations. Padding and masks save nothing: all pairs of tokens are computed.
"""

from dataclasses import dataclass, field

from core.models.bert import BERTConfig
from core.models.gpt import GPTConfig
from core.models.t5 import T5Config
from core.models.transformer import TransformerConfig
from core.models.vit import ViTConfig

Config = GPTConfig | BERTConfig | T5Config | TransformerConfig | ViTConfig
_GATED = ("swiglu", "geglu")
MOMENTS = 2  # AdamW keeps two numbers for each weight


@dataclass(frozen=True)
class Work:
    """Multiply-adds, part by part.

    Args:
        parts: what -> multiply-adds.
    """

    parts: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.parts.values())


@dataclass(frozen=True)
class _Side:
    """One stack of blocks, in numbers that the sums below need."""

    n_layer: int
    d_model: int
    d_inner: int  # numbers of all heads together
    d_ff: int  # 0: none
    n_matrix: int  # of a feed-forward layer
    n_head: int
    cross: bool = False

    def work(self, n_query: int, n_key: int, n_source: int, *, new_source: bool) -> dict[str, int]:
        """Multiply-adds for n_query tokens that read n_key tokens of their own side, and n_source of the other one.

        Args:
            new_source: whether keys and values of the source are made now, or kept from before.
        """
        d, a, layers = self.d_model, self.d_inner, self.n_layer
        found = {
            "attention: projections": layers * 4 * n_query * d * a,
            "attention: pairs of tokens": layers * 2 * n_query * n_key * a,
            "feed-forward": layers * self.n_matrix * n_query * d * self.d_ff,
        }
        if self.cross:
            source = 2 * n_source * d * a if new_source else 0
            found["cross-attention: projections"] = layers * (2 * n_query * d * a + source)
            found["cross-attention: pairs of tokens"] = layers * 2 * n_query * n_source * a
        return found

    def named(self, n_query: int, n_source: int) -> int:
        """Numbers of all tensors that the blocks name (`core.nn.tap`), each counted once."""
        d, a, f = self.d_model, self.d_inner, self.d_ff
        each = 2 * d + 4 * a + 2 * self.n_head * n_query  # out, resid_mid; q, k, v, heads; scores, weights
        if f:
            each += 2 * d + 2 * f  # out, resid_out; pre, act
        total = n_query * each
        if self.cross:  # resid_cross, out; q, heads; scores, weights; and k, v of the source
            total += n_query * (2 * d + 2 * a + 2 * self.n_head * n_source) + 2 * n_source * a
        return self.n_layer * total


def _sides(config: Config) -> tuple[_Side | None, _Side | None]:
    """The encoder, and the decoder; a stack that stands alone and can write is a decoder."""
    style = config.block
    d_head = getattr(config, "d_head", None) or config.d_model // config.n_head
    f = (config.d_ff or 4 * config.d_model) if style.feed_forward else 0
    n_matrix = 3 if style.activation in _GATED else 2

    def side(n_layer: int, cross: bool = False) -> _Side:
        return _Side(n_layer, config.d_model, config.n_head * d_head, f, n_matrix, config.n_head, cross)

    if isinstance(config, GPTConfig):
        return None, side(config.n_layer)
    if isinstance(config, BERTConfig | ViTConfig):
        return side(config.n_layer), None
    n_decoder = getattr(config, "n_decoder_layer", None) or config.n_layer
    return side(config.n_layer), side(n_decoder, cross=True)


def _outside(config: Config, n_token: int) -> dict[str, int]:
    """Multiply-adds before and after the blocks, for tokens that go through them now."""
    d = config.d_model
    if isinstance(config, ViTConfig):
        pixels = config.n_channel * config.patch_size**2
        return {"patch embedding": config.n_patch * pixels * d, "output layer": d * config.n_class}
    if isinstance(config, BERTConfig):
        head = {
            "masked": n_token * d * (d + config.vocab_size),
            "sequence": d * (d + config.n_label),
            "tokens": n_token * d * config.n_label,
            "none": 0,
        }
        return {"head": head[config.head]}
    found = {"output layer": n_token * d * config.vocab_size}
    if isinstance(config, GPTConfig) and config.d_embed is not None:
        found = {"embedding's projection": n_token * config.d_embed * d} | found
    return found


def forward(config: Config, n_token: int, n_source: int | None = None) -> Work:
    """One pass over one text.

    Args:
        config: of a GPT, BERT, T5, 2017 transformer, or ViT (whose number of tokens is its own).
        n_token: tokens of the text; of an encoder-decoder, of the target.
        n_source: tokens that its encoder reads; None: as many.
    """
    encoder, decoder = _sides(config)
    n_token = 1 + config.n_patch if isinstance(config, ViTConfig) else n_token
    n_source = n_token if n_source is None else n_source
    found: dict[str, int] = {}
    if encoder is not None:
        n_read = n_token if decoder is None else n_source
        found = encoder.work(n_read, n_read, 0, new_source=False)
    if decoder is not None:
        for name, count in decoder.work(n_token, n_token, n_source, new_source=True).items():
            found[name] = found.get(name, 0) + count
    return Work(found | _outside(config, n_token))


def training(config: Config, n_token: int, n_source: int | None = None) -> Work:
    """One pass and its gradients: each product has two in the backward pass, one for each factor.

    A picture has no gradient, so the layer that reads its patches has one only.

    Source: Kaplan et al. 2020 (2001.08361), section 2.1: 6 operations, 3 multiply-adds, for each weight and token.
    """
    once = forward(config, n_token, n_source).parts
    return Work({name: (2 if name == "patch embedding" else 3) * count for name, count in once.items()})


def next_token(config: Config, n_token: int, n_source: int | None = None, *, cached: bool) -> Work:
    """To write the token after n_token others.

    Args:
        n_token: what has been written or read so far, of an encoder-decoder: of the target; at least 1.
        n_source: tokens of the source. The encoder has read them before, once for all.
        cached: whether keys and values of earlier tokens are kept; else the whole target is read anew.

    Raises:
        ValueError: if the model writes nothing.
    """
    _, decoder = _sides(config)
    if decoder is None:
        raise ValueError(f"{type(config).__name__.removesuffix('Config')} writes no tokens")
    n_source = n_token if n_source is None else n_source
    n_new = 1 if cached else n_token
    return Work(decoder.work(n_new, n_token, n_source, new_source=not cached) | _outside(config, n_new))


def cache_numbers(config: Config, n_token: int, n_source: int | None = None) -> int:
    """Keys and values that are kept while a text of n_token tokens is written; 0 for a model that writes nothing."""
    _, decoder = _sides(config)
    if decoder is None:
        return 0
    n_source = n_token if n_source is None else n_source
    return 2 * decoder.n_layer * decoder.d_inner * (n_token + (n_source if decoder.cross else 0))


def activation_numbers(config: Config, n_token: int, n_source: int | None = None) -> int:
    """Numbers of all named tensors of one pass over one text: what a `Trace` records, each tensor once.

    Training keeps these until their gradients are known, and some more: what norms and nonlinearities need.
    """
    encoder, decoder = _sides(config)
    n_token = 1 + config.n_patch if isinstance(config, ViTConfig) else n_token
    n_source = n_token if n_source is None else n_source
    n_read = n_token if decoder is None else n_source
    is_new = config.block.norm_first  # post-norm blocks end normalised: `final` is what the last of them gave
    found = 0
    for side, n in ((encoder, n_read), (decoder, n_token)):
        if side is not None:
            found += side.named(n, n_source) + n * side.d_model * (2 if is_new else 1)  # embed, final
    if isinstance(config, ViTConfig):
        return found + config.n_patch * config.n_channel * config.patch_size**2 + config.n_class
    if isinstance(config, BERTConfig):
        logits = {
            "masked": n_token * config.vocab_size,
            "sequence": config.d_model + config.n_label,  # the pooled vector, too
            "tokens": n_token * config.n_label,
            "none": 0,  # the last vectors themselves
        }
        return found + logits[config.head]
    return found + n_token * config.vocab_size


def costs(config: Config, n_parameter: int, n_token: int, batch: int, n_byte: int) -> dict[str, int]:
    """All of the above for one model, by name: multiply-adds, and bytes of numbers with n_byte each.

    Args:
        n_parameter: of the whole model.
        n_token: tokens of a text.
        batch: texts of a training step.
        n_byte: of one number.
    """
    rows = {
        "multiply-adds: one text, forward": forward(config, n_token).total,
        "multiply-adds: one training step": batch * training(config, n_token).total,
    }
    kept_numbers = cache_numbers(config, n_token)
    if kept_numbers:
        rows |= {
            "multiply-adds: next token, cached": next_token(config, n_token, cached=True).total,
            "multiply-adds: next token, read anew": next_token(config, n_token, cached=False).total,
        }
    rows |= {
        "bytes: weights": n_byte * n_parameter,
        "bytes: gradients": n_byte * n_parameter,
        "bytes: AdamW's two moments": MOMENTS * n_byte * n_parameter,
        "bytes: activations": n_byte * batch * activation_numbers(config, n_token),
    }
    if kept_numbers:
        rows["bytes: keys and values of one text"] = n_byte * kept_numbers
    return rows
