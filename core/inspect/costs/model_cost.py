"""The cost of a whole model: multiply-adds of a pass and of a token, and the bytes that it holds.

Only matrix products are counted, as everywhere here: one multiply-add is a product and its addition, two
floating-point operations. Padding and masks save nothing: all pairs of tokens are computed.
"""

from dataclasses import dataclass, field
from typing import Any

from core.models.configs.family import Stack
from core.models.registry import family_of

MOMENTS = 2  # AdamW keeps two numbers for each weight


@dataclass(frozen=True)
class Work:
    """Multiply-adds, part by part: what -> how many."""

    parts: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.parts.values())


def _work(stack: Stack, n_query: int, n_key: int, n_source: int, *, new_source: bool) -> dict[str, int]:
    """Multiply-adds for n_query tokens that read n_key tokens of their own side, and n_source of the other one.

    new_source: whether keys and values of the source are made now, or kept from before.
    """
    d, a, layers = stack.d_model, stack.d_inner, stack.n_layer
    parts = {
        "attention: projections": layers * n_query * d * (2 * (a + stack.d_kv) + stack.d_gate),
        "attention: pairs of tokens": layers * 2 * n_query * n_key * a,
        "feed-forward": layers * n_query * d * (stack.n_matrix * stack.d_ff + stack.n_gate),
    }
    if stack.cross:
        source = 2 * n_source * d * stack.d_kv if new_source else 0
        parts["cross-attention: projections"] = layers * (n_query * d * (2 * a + stack.d_gate) + source)
        parts["cross-attention: pairs of tokens"] = layers * 2 * n_query * n_source * a
    return parts


def _named(stack: Stack, n_query: int, n_source: int) -> int:
    """Numbers of all tensors that the blocks name (`core.nn.tap`), each counted once."""
    d, a, f = stack.d_model, stack.d_inner, stack.d_ff
    # out, resid_mid; q, k, v (each head's own, shared or not), heads; gate; scores, weights
    each = 2 * d + 4 * a + stack.d_gate + 2 * stack.n_head * n_query
    if f:
        each += 2 * d + 2 * f  # out, resid_out; pre, act
        each += stack.n_active * d + 2 * stack.n_expert  # each expert's out; router, gates
    total = n_query * each
    if stack.cross:  # resid_cross, out; q, heads; gate; scores, weights; and k, v of the source
        total += n_query * (2 * d + 2 * a + stack.d_gate + 2 * stack.n_head * n_source) + 2 * n_source * a
    return stack.n_layer * total


def _stacks(config: object) -> tuple[Stack | None, Stack | None]:
    """The encoder and the decoder; a single stack that can write is a decoder."""
    family = family_of(config)
    encoder, decoder = family.encoder_stack, family.decoder_stack
    return encoder and encoder(config), decoder and decoder(config)


def forward(config: object, n_token: int, n_source: int | None = None) -> Work:
    """One pass over one text of n_token tokens; of an encoder-decoder, over a target. A ViT's number is its own.

    n_source: tokens that an encoder reads; None: as many.

    Source: Kaplan et al. 2020 (2001.08361), table 1.
    """
    encoder, decoder = _stacks(config)
    n_token = family_of(config).n_token(config) or n_token
    n_source = n_token if n_source is None else n_source
    parts: dict[str, int] = {}
    if encoder is not None:
        n_read = n_token if decoder is None else n_source
        parts = _work(encoder, n_read, n_read, 0, new_source=False)
    if decoder is not None:
        for name, count in _work(decoder, n_token, n_token, n_source, new_source=True).items():
            parts[name] = parts.get(name, 0) + count
    return Work(parts | dict(family_of(config).outside(config, n_token)))


def training(config: object, n_token: int, n_source: int | None = None) -> Work:
    """One pass and its gradients: each product has two in the backward pass, one for each factor.

    A picture has no gradient, so the layer that reads its patches has one only.

    Source: Kaplan et al. 2020 (2001.08361), section 2.1: 6 operations, 3 multiply-adds, for each weight and token.
    """
    once = forward(config, n_token, n_source).parts
    return Work({name: (2 if name == "patch embedding" else 3) * count for name, count in once.items()})


def next_token(config: object, n_token: int, n_source: int | None = None, *, cached: bool) -> Work:
    """The cost of the token after n_token others, at least 1; a source has been encoded before, once for all tokens.

    cached: whether keys and values of earlier tokens are kept; else the whole target is read anew.

    Raises ValueError if the model writes nothing.
    """
    _, decoder = _stacks(config)
    if decoder is None:
        raise ValueError(f"{type(config).__name__.removesuffix('Config')} writes no tokens")
    n_source = n_token if n_source is None else n_source
    n_new = 1 if cached else n_token
    return Work(
        _work(decoder, n_new, n_token, n_source, new_source=not cached) | dict(family_of(config).outside(config, n_new))
    )


def written_step(config: object, n_new: int, n_kept: int, n_logit: int = 1) -> Work:
    """A pass of a decoder over n_new tokens while it writes, with logits after the last n_logit of them.

    n_kept: tokens whose keys and values are kept: they are read, and not computed.

    Raises ValueError if the model writes nothing.
    """
    _, decoder = _stacks(config)
    if decoder is None:
        raise ValueError(f"{type(config).__name__.removesuffix('Config')} writes no tokens")
    blocks, outside = _work(decoder, n_new, n_new + n_kept, 0, new_source=False), family_of(config).outside
    return Work(blocks | dict(outside(config, n_new)) | {"output layer": outside(config, n_logit)["output layer"]})


def cache_numbers(config: object, n_token: int, n_source: int | None = None) -> int:
    """Keys and values that are kept while a text of n_token tokens is written; 0 for a model that writes nothing."""
    _, decoder = _stacks(config)
    if decoder is None:
        return 0
    n_source = n_token if n_source is None else n_source
    return 2 * decoder.n_layer * decoder.d_kv * (n_token + (n_source if decoder.cross else 0))


def activation_numbers(config: Any, n_token: int, n_source: int | None = None) -> int:
    """Numbers of all named tensors of one pass over one text: what a `Trace` records, each tensor once.

    Training keeps these until their gradients are known, and some more: what norms and nonlinearities need.

    Source: the reckoning of Korthikanti et al. 2022 (2205.05198), section 4, for the tensors named here.
    """
    encoder, decoder = _stacks(config)
    n_token = family_of(config).n_token(config) or n_token
    n_source = n_token if n_source is None else n_source
    n_read = n_token if decoder is None else n_source
    is_new = not config.block.post_norm  # post-norm blocks end normalised: `final` is what the last of them gave
    count = 0
    for side, n in ((encoder, n_read), (decoder, n_token)):
        if side is not None:
            count += _named(side, n, n_source) + n * side.d_model * (2 if is_new else 1)  # embed, final
    return count + family_of(config).n_output(config, n_token)


def costs(config: object, n_parameter: int, n_token: int, batch: int, n_byte: int) -> dict[str, int]:
    """All costs of one model, by name: multiply-adds, and bytes of numbers with n_byte each.

    n_token: tokens of a text; batch: texts of a training step.
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
