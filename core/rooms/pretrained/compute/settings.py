"""The settings of a model as a table: the name of each, its value, and what it means."""

from types import MappingProxyType
from typing import Any

from core.models import registry

MEANS = MappingProxyType(
    {
        "kind": "family",
        "vocab_size": "tokens it knows",
        "context_length": "tokens it reads at most",
        "n_layer": "layers (blocks)",
        "n_decoder_layer": "layers of the decoder; None: as many",
        "n_head": "heads in each layer",
        "n_kv_head": "heads of keys and values; None: as many as heads",
        "d_model": "numbers in a token's vector",
        "d_head": "numbers per head; None: d_model / n_head",
        "d_ff": "units of the feed-forward part; None: 4 d_model",
        "d_embed": "numbers in a row of the embedding; None: d_model",
        "positions": "how it is told where a token is",
        "rotary": "how fast rotary positions turn; None: as published",
        "rotary.base": "of the speeds at which rotary positions turn",
        "rotary.factor": "by how much they turn slower",
        "rotary.trained_length": "tokens of the texts before they were slowed; None: all pairs are slower",
        "rotary.slow": "turns within these texts up to which a pair is slowed in full",
        "rotary.fast": "turns from which on it is not slowed",
        "slopes": "of ALiBi",
        "embed_norm": "whether the embeddings are normalized",
        "tied": "whether the output layer is the embedding, transposed",
        "output_bias": "whether the output layer adds a number to each token's logit",
        "causal": "whether later tokens are hidden",
        "n_segment": "kinds of segment (first text, second text)",
        "head": "what it was made for",
        "pool": "the nonlinearity on the first token's vector, before the answers of a task",
        "n_label": "answers a task's head chooses from",
        "n_bucket": "buckets of distance",
        "max_distance": "from here on, all distances count as one",
        "activation": "the nonlinearity of the feed-forward part",
        "cell": "of the recurrent net",
        "source_vocab": "tokens its encoder knows",
        "bidirectional": "whether a second net reads the source from its end",
        "attention": "how the decoder looks at the source",
        "block.norm": "kind of norm",
        "block.norm_first": "whether norms come before each part (pre-norm)",
        "block.residual": "whether parts add to the stream",
        "block.activation": "the nonlinearity of the feed-forward part",
        "block.bias": "whether layers have biases; qkv: those of queries, keys and values only",
        "block.qk_norm": "whether queries and keys are normalized; gain: with learned gains",
        "block.feed_forward": "whether there is a feed-forward part",
        "block.eps": "added before a norm takes its root; None: the usual",
        "image_size": "height and width of a picture, in pixels",
        "patch_size": "height and width of a patch",
        "n_channel": "numbers for each pixel",
        "n_class": "answers it chooses from",
        "window": "height and width of a window, in tokens",
        "shifted": "whether every second block shifts its windows by half",
        "reads": "what the decoder reads of a picture: its patches, or only the class token",
    }
)


def settings_table(config: Any) -> dict[str, list[str]]:
    """One line for each setting; those of the blocks as "block.norm".

    Args:
        config: one of `core.models.registry.CONFIGS`.
    """
    flat: dict[str, Any] = {}
    for name, value in registry.to_dict(config).items():
        flat |= {f"{name}.{inner}": one for inner, one in value.items()} if isinstance(value, dict) else {name: value}
    return {
        "setting": list(flat),
        "value": [str(value) for value in flat.values()],
        "meaning": [MEANS.get(name, "") for name in flat],
    }
