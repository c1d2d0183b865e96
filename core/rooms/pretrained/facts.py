"""The facts about an opened model: its settings in our names, and where its parameters are."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from core import ui
from core.exhibit import Result
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterRecord
from core.inspect.reading.model_and_text import load_any
from core.models import pretrained, registry
from core.rooms.pretrained.inputs import Looked

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
        "rotary.factors": "by how much each pair turns slower; None: all by the factor above",
        "rotary.long_factors": "the same for texts longer than the original context (LongRoPE)",
        "rotary.by_pair": "whether slow and fast are turned into numbers of pairs, with a straight line between (YaRN)",
        "rotary.gain": "what turned queries and keys are multiplied with",
        "rotary.share": "of each head's numbers, the first ones, that turn at all",
        "slopes": "of ALiBi",
        "scale": "factor of the dot products; None: 1 over the root of d_head",
        "embed_norm": "whether the embeddings are normalized",
        "embed_scale": "what the embeddings are multiplied with",
        "token_shift": "whether half of what a feed-forward part reads is the token before's",
        "tied": "whether the output layer is the embedding, transposed",
        "output_bias": "whether the output layer adds a number to each token's logit",
        "logit_softcap": "the most that a logit can be; None: no bound",
        "causal": "whether later tokens are hidden",
        "n_segment": "kinds of segment (first text, second text)",
        "head": "what it was made for",
        "pool": "the nonlinearity on the vector that a text's answer is read from, before the answers",
        "head_style": "how the head comes to its answers",
        "head_style.activation": "the nonlinearity before a token's answers",
        "head_style.bias": "whether the layer before the answers has biases",
        "head_style.norm": "whether a task's head has a norm before its answers, too",
        "head_style.tied": "whether the last layer of a masked model is the embedding",
        "head_style.pooling": "what a text's answer is read from: the first token's vector, or the mean of all",
        "pad_id": "padding, which positions don’t count",
        "first_norm": "whether the first block normalizes what its attention reads",
        "shared": "whether all layers have the same weights",
        "n_label": "answers a task's head chooses from; None: it has no such head",
        "n_bucket": "buckets of distance",
        "max_distance": "from here on, all distances count as one",
        "activation": "the nonlinearity of the feed-forward part",
        "experts": "the mixture of experts in the feed-forward part's place; None: there is none",
        "experts.n_expert": "experts in each block",
        "experts.n_active": "experts that work on one token",
        "experts.renormalize": "whether the shares of the chosen experts are made to sum to 1",
        "experts.d_shared": "units of one more expert that every token passes; None: there is none",
        "cell": "of the recurrent net",
        "source_vocab": "tokens its encoder knows",
        "bidirectional": "whether a second net reads the source from its end",
        "attention": "how the decoder looks at the source",
        "block.norm": "kind of norm",
        "block.norm_first": "whether norms come before each part (pre-norm)",
        "block.parallel": "whether attention and feed-forward part stand side by side; one norm: behind the same norm",
        "block.norm_out": "whether what a part writes is normalized before it is added",
        "block.residual": "whether parts add to the stream",
        "block.activation": "the nonlinearity of the feed-forward part",
        "block.bias": "whether layers have biases; qkv: those of queries, keys and values only",
        "block.qk_norm": "whether queries and keys are normalized; gain: with learned gains",
        "block.softcap": "the most that a score can be; None: no bound",
        "block.sink": "whether each head has a learned sink, a score that no token has; zero: one that stays 0",
        "block.gate": "whether what heads have read is gated, number by number; head: head by head",
        "block.feed_forward": "whether there is a feed-forward part",
        "block.eps": "added before a norm takes its root; None: the usual",
        "image_size": "height and width of a picture, in pixels",
        "patch_size": "height and width of a patch",
        "n_channel": "numbers for each pixel",
        "n_class": "answers it chooses from",
        "window": "how far a window reaches, in tokens: to one side, the reading one included; in a picture, its "
        "height and width",
        "windowed": "layers that have the window, counted from 0; None: all",
        "window_rotary": "how fast rotary positions turn in these; None: as in the others",
        "unrotated": "layers in which rotary positions turn nothing, counted from 0; None: none",
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
        "meaning": [_meaning(name) for name in flat],
    }


def _meaning(name: str) -> str:
    """What a setting says; of the rotary positions in layers with a window, the same as of the others."""
    if name.startswith("window_rotary."):
        return f"{MEANS[name.removeprefix('window_')]}; in the layers with a window"
    return MEANS.get(name, "")


CODE = (pretrained.load, parameters.count)
SPECIAL = {
    "class_id": "opens every text",
    "mask_id": "marks a gap",
    "unknown_id": "replaces anything unknown",
    "end_id": "ends a text",
}


class Inputs(Looked):
    """Only the model."""


class Facts(Result):
    """The sizes of a model."""

    settings: dict[str, list[str]]  # see `settings_table`
    record: ParameterRecord  # its parameters, counted
    rows: list[tuple[str, ...]]  # name, value and meaning of each setting
    tokenizer: str = ""  # its kind, "" where there is none
    vocab_size: int = 0  # of the tokenizer
    special: Mapping[str, str] | None = None  # what a special token does -> the token

    def table(self) -> dict[str, list[str]]:
        """One line for each setting."""
        return self.settings


def compute(inputs: Inputs) -> Facts:
    """Its config, whose names are ours whoever made the model, and its parameters."""
    found = load_any(inputs.key)
    settings, record, tokenizer = settings_table(found.config), parameters.count(found.model), found.tokenizer
    rows = list(zip(*settings.values(), strict=True))
    if tokenizer is None:
        return Facts(settings=settings, record=record, rows=rows)
    ids = {does: getattr(tokenizer, name, None) for name, does in SPECIAL.items()}
    special = {does: tokenizer.tokens([i])[0] for does, i in ids.items() if i is not None}
    n_token = getattr(tokenizer, "n_token", tokenizer.vocab_size)  # the model may have more outputs
    return Facts(
        settings=settings,
        record=record,
        rows=rows,
        tokenizer=tokenizer.kind,
        vocab_size=n_token,
        special=special,
    )


def draw(result: Facts, inputs: Inputs) -> None:
    """The map of the parameters and the settings."""
    parts, has_numbers = [ui.as_part(term) for term in result.record.terms if term.count], ui.at_least("numbers")
    if not has_numbers:
        parts = [replace(part, formula="", numbers="") for part in parts]
    ui.parts(parts, key=f"opened.parameters.{inputs.key.name}", unit="parameters", label="Parameters, part by part")
    if has_numbers:
        with ui.st.expander("All settings", icon=":material/tune:"):
            ui.say("settings")
