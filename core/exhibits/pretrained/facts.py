"""What an opened model is: its settings in our names, and where its parameters are."""

from types import MappingProxyType
from typing import Any

import streamlit as st

from core.exhibits.block.parameters import as_part
from core.exhibits.pretrained.shelf import Chosen
from core.inspect import parameters
from core.inspect.parameters import ParameterRecord
from core.models import pretrained, registry
from core.ui import models
from core.ui.cache import MAX_MODELS, kept
from core.ui.frame import Shown, exhibit
from core.ui.model_key import ModelKey
from core.ui.parts import parts
from core.ui.text import escape_markdown

MEANS = MappingProxyType(
    {
        "kind": "family",
        "vocab_size": "tokens that it knows",
        "context_length": "tokens that it reads at most",
        "n_layer": "blocks",
        "n_decoder_layer": "blocks of the decoder; None: as many",
        "n_head": "heads in each block",
        "d_model": "numbers in a token's vector",
        "d_head": "numbers of a head; None: d_model / n_head",
        "d_ff": "units of the feed-forward; None: 4 d_model",
        "d_embed": "numbers in a row of the embedding; None: d_model",
        "positions": "how it is told where a token stands",
        "slopes": "of ALiBi",
        "embed_norm": "whether the embeddings are normed",
        "tied": "whether the output layer is the embedding, transposed",
        "causal": "whether later tokens are hidden",
        "n_segment": "kinds of segment (first text, second text)",
        "head": "what it was made for",
        "n_label": "answers that a task's head chooses from",
        "n_bucket": "buckets of distance",
        "max_distance": "from here on all distances are one",
        "activation": "the nonlinearity of the feed-forward",
        "cell": "of the recurrent net",
        "block.norm": "kind of norm",
        "block.norm_first": "whether norms stand before each part (pre-norm)",
        "block.residual": "whether parts add to the stream",
        "block.activation": "the nonlinearity of the feed-forward",
        "block.bias": "whether layers have biases",
        "block.qk_norm": "whether queries and keys are normed",
        "block.feed_forward": "whether there is a feed-forward",
        "block.eps": "added before a norm's root; None: the usual",
        "image_size": "height and width of a picture, in pixels",
        "patch_size": "height and width of a patch",
        "n_channel": "numbers for each pixel",
        "n_class": "answers that it chooses from",
    }
)
TOKENIZERS = MappingProxyType(
    {
        "char": "characters",
        "word": "whole words",
        "bpe": "byte-pair encoding (BPE), learned here",
        "tiktoken": "byte-pair encoding (BPE), of a published vocabulary",
        "wordpiece": "WordPiece: words, and pieces that begin with ##",
        "byte-bpe": "byte-pair encoding (BPE) over bytes",
        "unigram": "Unigram (SentencePiece): the likeliest way to cut a text",
    }
)


@kept(MAX_MODELS)
def counted(key: ModelKey) -> ParameterRecord:
    """A model's own parameters, also of one without a tokenizer."""
    return parameters.count(models.load_any(key).model)


@exhibit(
    title="What it is",
    look_for="the sizes that set it apart: how many blocks and heads, how wide a token's vector is, and which part "
    "holds most of the weights.",
    try_this=[
        (
            "Click the terms of the sum, one after the other.",
            "The map shows what each consists of, with the shapes of its matrices. Nothing is estimated: every tensor "
            "was counted.",
        ),
        (
            "Choose another model above and compare.",
            "In small models with a large vocabulary the embedding holds most weights, in large ones the blocks do.",
        ),
    ],
    code=(pretrained.load, parameters.count),
)
def what_it_is(chosen: Chosen) -> Shown:
    """The settings, the tokenizer and the parameters."""
    found = models.load_any(chosen.key)
    settings = _settings(found.config)
    st.markdown(_sentence(found.tokenizer))
    record = counted(chosen.key)
    terms = [as_part(term) for term in record.terms if term.count]
    parts(terms, key=f"opened.parameters.{chosen.key.name}", unit="parameters", label="Parameters, part by part")
    with st.expander("All settings", icon=":material/tune:"):
        st.markdown(_table(settings))
    return Shown(
        numbers={
            "setting": [name for name, _, _ in settings],
            "value": [value for _, value, _ in settings],
            "meaning": [meaning for _, _, meaning in settings],
        }
    )


def _sentence(tokenizer: Any) -> str:
    if tokenizer is None:
        return "**Tokenizer:** none that is read here, so no text can be given to this model."
    told = f"**Tokenizer:** {TOKENIZERS.get(tokenizer.kind, tokenizer.kind)}, {tokenizer.vocab_size:,} tokens."
    special = {
        "stands before every text": getattr(tokenizer, "class_id", None),
        "is a gap": getattr(tokenizer, "mask_id", None),
        "stands for everything unknown": getattr(tokenizer, "unknown_id", None),
        "ends a text": getattr(tokenizer, "end_id", None),
    }
    named = [f"**{escape_markdown(tokenizer.tokens([i])[0])}** {what}" for what, i in special.items() if i is not None]
    return f"{told} Special tokens: {', '.join(named)}." if named else told


def _settings(config: Any) -> list[tuple[str, str, str]]:
    """Name, value and meaning of every setting; those of the blocks as "block.norm"."""
    flat: dict[str, Any] = {}
    for name, value in registry.to_dict(config).items():
        flat |= {f"{name}.{inner}": one for inner, one in value.items()} if isinstance(value, dict) else {name: value}
    return [(name, str(value), MEANS.get(name, "")) for name, value in flat.items()]


def _table(settings: list[tuple[str, str, str]]) -> str:
    lines = ["| setting | value | what it is |", "|:--|:--|:--|"]
    return "\n".join([*lines, *(f"| `{name}` | {escape_markdown(value)} | {what} |" for name, value, what in settings)])
