"""What an opened model is: its settings in our names, and where its parameters are."""

from types import MappingProxyType
from typing import Any

import streamlit as st

from core.cache import MAX_MODELS, memoize
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterRecord
from core.inspect.model_key import ModelKey
from core.models import pretrained
from core.rooms.pretrained.compute.settings import settings_table
from core.rooms.pretrained.shelf import Chosen
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.text import escape_markdown
from core.ui.widgets.parts import as_part, parts, plain

TOKENIZERS = MappingProxyType(
    {
        "char": "characters",
        "word": "whole words",
        "word_bytes": "whole words, and bytes for any other word (byte fallback)",
        "bpe": "byte-pair encoding (BPE), learned here",
        "tiktoken": "byte-pair encoding (BPE), of a published vocabulary",
        "wordpiece": "WordPiece: words, and pieces that begin with ##",
        "byte-bpe": "byte-pair encoding (BPE) over bytes",
        "unigram": "Unigram (SentencePiece): the likeliest way to cut a text",
    }
)


@memoize(MAX_MODELS)
def counted(key: ModelKey) -> ParameterRecord:
    """A model's own parameters, also of one without a tokenizer."""
    return parameters.count(models.load_any(key).model)


@exhibit(
    title="What it is",
    look_for="the sizes that set it apart: how many layers and heads it has, how wide a token's vector is, and which "
    "part holds most of the parameters.",
    try_this=[
        (
            "Click the terms of the sum, one after the other.",
            "The map shows what each consists of, with the shapes of its matrices. Nothing is estimated: every number "
            "was counted.",
        ),
        (
            "Choose the plain recurrent net in the list above, then “Little stories, word by word” again.",
            "The net, which reads word by word and has no attention, has 80% of its 23,712 parameters in two tables: "
            "the **token embedding**, a row of numbers for each token, and the output layer. The decoder's tables are "
            "larger but hold only 27% of its parameters, as its blocks are larger still. The more tokens in the "
            "vocabulary and the smaller the rest, the more these tables weigh.",
        ),
    ],
    code=(pretrained.load, parameters.count),
)
def what_it_is(chosen: Chosen) -> Shown:
    """The settings, the tokenizer and the parameters."""
    found = models.load_any(chosen.key)
    settings, has_numbers = settings_table(found.config), depth.at_least("numbers")
    st.markdown(_sentence(found.tokenizer))
    record = counted(chosen.key)
    terms = [as_part(term) if has_numbers else plain(as_part(term)) for term in record.terms if term.count]
    parts(terms, key=f"opened.parameters.{chosen.key.name}", unit="parameters", label="Parameters, part by part")
    if has_numbers:
        with st.expander("All settings", icon=":material/tune:"):
            st.markdown(_table(settings))
    return Shown(numbers=settings, script=lambda: _script(chosen.key))


def _sentence(tokenizer: Any) -> str:
    if tokenizer is None:
        return "**Tokenizer:** none that can be read here, so this model can't be given text."
    told = f"**Tokenizer:** {TOKENIZERS.get(tokenizer.kind, tokenizer.kind)}, {tokenizer.vocab_size:,} tokens."
    special = {
        "opens every text": getattr(tokenizer, "class_id", None),
        "marks a gap": getattr(tokenizer, "mask_id", None),
        "replaces anything unknown": getattr(tokenizer, "unknown_id", None),
        "ends a text": getattr(tokenizer, "end_id", None),
    }
    named = [f"**{escape_markdown(tokenizer.tokens([i])[0])}** {what}" for what, i in special.items() if i is not None]
    return f"{told} Special tokens: {', '.join(named)}." if named else told


def _script(key: ModelKey) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.pretrained.compute.settings import settings_table
        from core.models.pretrained import load

        $folder

        # Whoever made the model, its config is one of ours by now: the same names for the same things.
        config = load(FOLDER).config
        print_table(settings_table(config))
        """,
        folder=scripts.folder(key),
    )


def _table(settings: dict[str, list[str]]) -> str:
    lines = ["| setting | value | what it is |", "|:--|:--|:--|"]
    rows = zip(*settings.values(), strict=True)
    return "\n".join([*lines, *(f"| `{name}` | {escape_markdown(value)} | {what} |" for name, value, what in rows)])
