"""The cost of a whole model: multiply-adds of a forward pass and of a token, and memory in bytes.

Only matrix products are counted. A multiply-add is a product and its addition, so two floating-point operations
(FLOPs). Padding and masks save nothing, because all pairs of tokens are computed.
"""

from dataclasses import dataclass, field
from typing import Any

from core.data.localization.labels import module_labels
from core.models.configs.family import BlockStackSizes
from core.models.registry import family_of

LABELS = module_labels(__name__)

MEMORY_COSTS = ("weights", "gradients", "moments", "activations", "cache")
COST_TITLES = LABELS.options("cost", "forward", "training_step", "next_cached", "next_anew", *MEMORY_COSTS)
_N_MOMENT = 2  # AdamW stores two numbers for each weight


@dataclass(frozen=True)
class MultiplyAdds:
    """The multiply-adds of each part, by its name."""

    parts: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.parts.values())


def _work(stack: BlockStackSizes, n_query: int, n_key: int, n_source: int, *, new_source: bool) -> dict[str, int]:
    """Count the multiply-adds of n_query tokens that read n_key tokens of their own side, n_source of the other.

    new_source: whether the keys and values of the source are computed now; False if they are cached.
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


def _named(stack: BlockStackSizes, n_query: int, n_source: int) -> int:
    """Count the numbers in all tapped tensors of the blocks (`core.nn.tap`), each tensor once."""
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


def _stacks(config: object) -> tuple[BlockStackSizes | None, BlockStackSizes | None]:
    """Return the encoder and the decoder; a single stack that can generate text is a decoder."""
    family = family_of(config)
    encoder, decoder = family.encoder_stack, family.decoder_stack
    return encoder and encoder(config), decoder and decoder(config)


def forward_cost(config: object, n_token: int, n_source: int | None = None) -> MultiplyAdds:
    """Count the multiply-adds of a forward pass over a text of n_token tokens; in an encoder-decoder, over a target.

    A ViT ignores n_token, because its number of tokens is fixed.

    n_source: tokens that an encoder reads; None: n_token.

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
    return MultiplyAdds(parts | dict(family_of(config).outside(config, n_token)))


def training_step_cost(config: object, n_token: int, n_source: int | None = None) -> MultiplyAdds:
    """Count the multiply-adds of a forward and a backward pass.

    The backward pass has two products for each product of the forward pass, one for the gradient of each factor. An
    image needs no gradient, so the layer that reads its patches has only one.

    Source: Kaplan et al. 2020 (2001.08361), section 2.1: 6 operations, 3 multiply-adds, for each weight and token.
    """
    once = forward_cost(config, n_token, n_source).parts
    return MultiplyAdds({name: (2 if name == "patch embedding" else 3) * count for name, count in once.items()})


def next_token_cost(config: object, n_token: int, n_source: int | None = None, *, cached: bool) -> MultiplyAdds:
    """Count the multiply-adds needed to generate one token after n_token earlier ones (at least 1).

    The encoder's work is not counted, because the source is encoded only once.

    cached: True counts the work with a KV cache. False counts a forward pass over the whole target.

    Raises ValueError if the model does not generate text.
    """
    _, decoder = _stacks(config)
    if decoder is None:
        raise ValueError(f"{type(config).__name__.removesuffix('Config')} writes no tokens")
    n_source = n_token if n_source is None else n_source
    n_new = 1 if cached else n_token
    return MultiplyAdds(
        _work(decoder, n_new, n_token, n_source, new_source=not cached) | dict(family_of(config).outside(config, n_new))
    )


def decoding_step_cost(config: object, n_new: int, n_kept: int, n_logit: int = 1) -> MultiplyAdds:
    """Count the multiply-adds of a decoding pass over n_new tokens, with logits after the last n_logit of them.

    n_kept: tokens whose keys and values are in the cache, so they are read and not computed.

    Raises ValueError if the model does not generate text.
    """
    _, decoder = _stacks(config)
    if decoder is None:
        raise ValueError(f"{type(config).__name__.removesuffix('Config')} writes no tokens")
    blocks, outside = _work(decoder, n_new, n_new + n_kept, 0, new_source=False), family_of(config).outside
    return MultiplyAdds(
        blocks | dict(outside(config, n_new)) | {"output layer": outside(config, n_logit)["output layer"]}
    )


def count_cache_numbers(config: object, n_token: int, n_source: int | None = None) -> int:
    """Count the numbers in the KV cache of a text of n_token tokens; 0 for a model that does not generate text."""
    _, decoder = _stacks(config)
    if decoder is None:
        return 0
    n_source = n_token if n_source is None else n_source
    return 2 * decoder.n_layer * decoder.d_kv * (n_token + (n_source if decoder.cross else 0))


def _count_activation_numbers(config: Any, n_token: int, n_source: int | None = None) -> int:
    """Count the numbers in all tapped tensors of a forward pass over one text, which are those that a `Trace` records.

    Training stores them for the backward pass, and also the tensors that norms and nonlinearities need.

    Source: counted as in Korthikanti et al. 2022 (2205.05198), section 4, for the tensors named here.
    """
    encoder, decoder = _stacks(config)
    n_token = family_of(config).n_token(config) or n_token
    n_source = n_token if n_source is None else n_source
    n_read = n_token if decoder is None else n_source
    is_new = not config.block.post_norm  # post-norm blocks end normalized, so `final` is the last block's output
    count = 0
    for side, n in ((encoder, n_read), (decoder, n_token)):
        if side is not None:
            count += _named(side, n, n_source) + n * side.d_model * (2 if is_new else 1)  # embed, final
    return count + family_of(config).n_output(config, n_token)


def model_costs(config: object, n_parameter: int, n_token: int, batch: int, n_byte: int) -> dict[str, int]:
    """Return all costs of a model by their keys in `COST_TITLES`; those in `MEMORY_COSTS` are bytes, n_byte per number.

    n_token: tokens in a text; batch: texts in a training step.
    """
    rows = {
        "forward": forward_cost(config, n_token).total,
        "training_step": batch * training_step_cost(config, n_token).total,
    }
    kept_numbers = count_cache_numbers(config, n_token)
    if kept_numbers:
        rows |= {
            "next_cached": next_token_cost(config, n_token, cached=True).total,
            "next_anew": next_token_cost(config, n_token, cached=False).total,
        }
    rows |= {
        "weights": n_byte * n_parameter,
        "gradients": n_byte * n_parameter,
        "moments": _N_MOMENT * n_byte * n_parameter,
        "activations": n_byte * batch * _count_activation_numbers(config, n_token),
    }
    if kept_numbers:
        rows["cache"] = n_byte * kept_numbers
    return rows
