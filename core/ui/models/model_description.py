"""Descriptions of models for pages: title, size and training in one sentence, and a text that the model understands."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.data.localization.labels import module_labels
from core.data.sentences import input_text_from_span_sample, recipe_sample_text
from core.data.tokenizers.tokenizer_base import N_BYTE
from core.exhibit import MAX_TRACES
from core.generate.cache import reading_limit
from core.inspect.model_inputs.model_and_text import load_text_model, sample_text_of
from core.inspect.model_inputs.model_key import ModelKey, ModelUnreadable, read_model_provenance
from core.models.configs.config_and_input_checks import ModelConfig
from core.ui.frame import depth
from core.ui.models.model_folders import find_opened, find_run, model_title_from_record
from core.ui.training.choices_to_recipe import fills_spans

if TYPE_CHECKING:
    from torch import nn

    from core.models.pretrained import Pretrained

LABELS = module_labels(__name__)

MOST_WORDS = 40  # of an initial text
MOST_STEPS = 10**12  # a folder may contain any number


@dataclass(frozen=True)
class ModelDescription:
    """The description of a model."""

    title: str  # of the recipe, or the run's name
    corpus: str  # key of the text that it was trained on, "" if unknown
    sentence: str  # one sentence on size and training in simple words, Markdown
    sample: str  # a text that it should understand
    is_training: bool  # whether it is still being trained
    more: str = ""  # its loss, and how it differs from the block that the lessons teach, Markdown

    @property
    def in_words(self) -> str:
        """The sentence, followed by the details at the depth Numbers."""
        return f"{self.sentence} {self.more}".strip() if depth.depth_at_least("numbers") else self.sentence


def describe_model(key: ModelKey) -> ModelDescription:
    """Describe a model. Raises ModelUnreadable."""
    if not key.is_run:
        return _about_files(key, _name(key))
    run = find_run(key.name)
    if run is None:
        raise ModelUnreadable(LABELS["run_gone"])
    corpus = str(run.recipe.get("corpus", ""))
    sentence, more = _sentences(key, read_model_provenance(key.folder))
    if run.active:
        sentence += " " + LABELS("in_training", step=run.step, n_step=run.n_step)
    sample = recipe_sample_text(run.recipe)
    if sample is None:
        written = input_text_from_span_sample(run.sample) if fills_spans(run.recipe) else _whole_words(run.sample)
        sample = _fitting_words(load_text_model(key), written) or "Hello"
    return ModelDescription(run.name, corpus, sentence, sample, run.active, more)


def _whole_words(sample: str) -> str:
    """Drop the first and last word of a sample, which may be cut off; with fewer than four words, drop none."""
    words = sample.split()
    return " ".join(words[1:-1] if len(words) > 3 else words)


def _fitting_words(model: "Pretrained", text: str) -> str:
    """Return the beginning of a text, in whole words, that fits into the model's context."""
    limit, words, tokenizer = reading_limit(model.model), text.split(" ")[:MOST_WORDS], model.tokenizer
    while limit and tokenizer and len(words) > 1 and len(tokenizer.encode(" ".join(words))) > limit:
        words.pop()
    return " ".join(words)


def _name(key: ModelKey) -> str:
    found = find_opened(key.name) if key.is_opened else None
    return key.name if found is None else found.name


@st.cache_data(max_entries=MAX_TRACES, show_spinner=False, ttl=60)
def _about_files(key: ModelKey, name: str) -> ModelDescription:
    told = read_model_provenance(key.folder)
    corpus = str((told.get("recipe") or {}).get("corpus", ""))
    sentence, more = _sentences(key, told)
    return ModelDescription(
        model_title_from_record(told, name), corpus, sentence, sample_text_of(key), is_training=False, more=more
    )


_VOCABULARY = {"char": "n_character", "word": "n_word"}  # by kind of tokenizer
_UNITS = {"rnn": "units.rnn", "lstm": "units.lstm", "gru": "units.gru"}


def describe_layers_and_heads(config: Any) -> str:
    """Describe a model's layers and context length: "2 layers of 4 heads" and "96 tokens of context"."""
    from core.models.registry import family_of

    layers = _layers(config.n_layer)
    if not family_of(config).has_attention:
        return LABELS(_UNITS[config.cell], layers=layers, width=config.d_model)
    if isinstance(config.n_head, tuple):  # of each stage
        return LABELS("heads_by_stage", layers=layers, heads=_stages(config.n_head))
    heads, n_decoder = LABELS("heads", n=config.n_head), _n_decoder_layer(config)
    if n_decoder is None:
        return LABELS("layers_of_heads", layers=layers, heads=heads)
    if n_decoder == config.n_layer:
        return LABELS("encoder_decoder.same", layers=layers, heads=heads)
    return LABELS("encoder_decoder", layers=layers, heads=heads, decoder=_layers(n_decoder))


def _layers(n_layer: int | tuple[int, ...]) -> str:
    if isinstance(n_layer, tuple):
        return LABELS("stages", n=len(n_layer), layers=_stages(n_layer))
    return LABELS("layers", n=n_layer)


def _stages(sizes: tuple[int, ...]) -> str:
    return " + ".join(str(one) for one in sizes)


def _n_decoder_layer(config: ModelConfig) -> int | None:
    """Return the number of decoder layers of an attention encoder-decoder; None for other models."""
    from core.models.registry import family_of

    decoder = family_of(config).decoder_stack
    if decoder is None or not decoder(config).cross:
        return None
    n_decoder: int = decoder(config).n_layer
    return n_decoder


def _context(config: ModelConfig) -> str:
    from core.models.registry import family_of

    family = family_of(config)
    length = family.context_length(config)
    if length is None:
        return LABELS["any_length"]
    return LABELS("windows" if family.reads_any_length else "context", n=length)


def _block_in_words(model: "nn.Module") -> str:
    """Describe in one Markdown sentence how a model's block differs from the one that the lessons teach."""
    from core.inspect.block_differences import differences_from_lesson_block

    found = differences_from_lesson_block(model)
    if found is None:
        return LABELS["no_attention"]
    if not found:
        return LABELS["same_block"]
    return LABELS("other_block", differences=", ".join(found))


def _sentences(key: ModelKey, told: dict[str, Any]) -> tuple[str, str]:
    """Return the sentence about a model, and the details for the depth Numbers."""
    config = load_text_model(key).config
    tokenizer: Any = load_text_model(key).text_tokenizer
    n_parameter = sum(parameter.numel() for parameter in load_text_model(key).model.parameters())
    tokens = LABELS(_VOCABULARY.get(tokenizer.kind, "n_token"), n=config.vocab_size)
    if tokenizer.kind == "word_bytes":
        n_word = len(getattr(tokenizer, "base", tokenizer).words)  # it may be wrapped in a tokenizer with gap tokens
        tokens = LABELS("words_and_bytes", n_word=n_word, n_byte=N_BYTE)
    sentence = LABELS(
        "sentence",
        layers=describe_layers_and_heads(config),
        n_parameter=n_parameter,
        tokens=tokens,
        context=_context(config),
    )
    more = _block_in_words(load_text_model(key).model)
    if isinstance(told.get("step"), int) and 0 < told["step"] < MOST_STEPS:
        sentence += " " + LABELS("trained", n=told["step"])
        if (loss := _validation_loss(told)) is not None:
            blind = math.log(config.vocab_size)
            more = LABELS("validation_loss", loss=loss, unit=loss_unit(tokenizer.kind), blind=blind) + f" {more}"
    return sentence, more


def _validation_loss(told: dict[str, object]) -> float | None:
    """Return a model's loss on the held-out last tenth of its text, or None if its files don't contain it.

    `TrainRun` measures it after the training, over the whole held-out text and with the training's own arithmetic.

    Args:
        told: the facts stored next to the weights; for a model from elsewhere they may be anything.
    """
    loss = told.get("val_loss")
    return loss if isinstance(loss, float) and math.isfinite(loss) else None


def loss_unit(tokenizer_kind: str) -> str:
    """Return the unit of a loss, nats per token, with the word for this tokenizer's tokens."""
    return LABELS.options("loss_unit")[tokenizer_kind if tokenizer_kind in ("char", "word") else "other"]
