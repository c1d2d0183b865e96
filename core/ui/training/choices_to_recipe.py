"""The conversion of choices in the studio to the recipe of a run: plain values, independent of the screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.data.files import MAX_NAME
from core.data.localization.labels import module_labels
from core.train.recipe_parts.recipe_part import Value
from core.train.recipe_parts.table import (
    PRESETS,
    TRAINING_PART_NAMES,
    effective_part_values,
    nondefault_recipe_fields,
    set_recipe_field,
)
from core.train.tasks import defaults
from core.train.tasks.defaults import SIZES as SIZES, VOCABULARIES as VOCABULARIES, ModelSize as ModelSize
from core.ui.training import task_choices
from core.ui.training.task_choices import PAIR_LABELS

LABELS = module_labels(__name__)

DEFAULT_TEXT = "python-topics"
_SPELLED_SHARE = (
    0.005  # fraction of each line's words that are spelled in bytes in training, as in the recipe "stories"
)


TOKEN_UNITS: Mapping[str, str] = LABELS.options("unit", "char", "word", "word_bytes", "bpe")
SIZE_LABELS: Mapping[str, str] = LABELS.options("size", "tiny", "small", "medium", "custom")
TOKENIZER_LABELS: Mapping[str, str] = LABELS.options("tokenizer", "char", "word", "word_bytes", "bpe")
KIND_LABELS: Mapping[str, str] = {**LABELS.options("kind", "gpt", "bert", "gru", "lstm", "rnn"), **PAIR_LABELS}
POSITION_LABELS: Mapping[str, str] = LABELS.options(
    "positions", "alibi", "rotary", "learned", "sinusoidal", "relative", "none"
)
OPTIMIZER_LABELS: Mapping[str, str] = LABELS.options("optimizer", "fast", "adamw", "sgd")
LEARNING_RATES: Mapping[str, float] = {"fast": 0.05, "adamw": 0.004, "sgd": 0.1}
PRESET_LABELS: Mapping[str, str] = {name: preset.label for name, preset in PRESETS.items()}


@dataclass(frozen=True)
class _SuitableSettings:
    """Settings that suit a text or task: tokenizer, model size, steps, and batch size."""

    tokenizer: str = "char"
    size: str = "small"
    n_step: int = 650
    batch_size: int = 20


_SUITED: Mapping[str, _SuitableSettings] = {
    "stories": _SuitableSettings("word_bytes", "small", 500),
    "bottle-and-cup": _SuitableSettings("word", "tiny", 300),
}


def training_settings_for_corpus(corpus: str, kind: str = "gpt") -> _SuitableSettings:
    """Return good settings for a text (including the user's own) or a task."""
    if task_choices.is_task(corpus):
        return _SuitableSettings(
            size=defaults.SIZE, n_step=defaults.default_task_step_count(corpus, kind), batch_size=defaults.BATCH_SIZE
        )
    return _SUITED.get(corpus, _SuitableSettings())


def default_learning_rate(optimizer: str, corpus: str, kind: str = "gpt") -> float:
    """Return the learning rate that suits an optimizer, unless a preset sets one."""
    if optimizer == "fast" and task_choices.is_task(corpus):
        return defaults.task_learning_rate(kind)
    if optimizer == "fast" and kind in defaults.PAIRS:
        return defaults.TEXT_RATES[kind]
    return LEARNING_RATES[optimizer]


# The name of a run by the kind of model; a GPT's doesn't mention it.
_RUN_NAMES: Mapping[str, str] = {
    "gpt": "run_name",
    "bert": "run_name.bert",
    "t5": "run_name.t5",
    "transformer": "run_name.encoder_decoder",
    "seq2seq": "run_name.seq2seq",
    "gru": "run_name.gru",
    "lstm": "run_name.lstm",
    "rnn": "run_name.rnn",
}


@dataclass(frozen=True, kw_only=True)
class TrainingChoices:
    """All choices of the studio, flat and plain, so that they can be a cache key.

    parts: the preset whose model parts are the starting point, see `core.train.recipe_parts.table`; own: name and value
    of all parts that differ from it, including those of the training. task: the options of the task, if it is one.
    """

    corpus: str = DEFAULT_TEXT
    tokenizer: str = "char"
    vocab: int | None = None
    kind: str = "gpt"
    n_layer: int = 4
    n_head: int = 4
    d_model: int = 128
    context_length: int = 64
    positions: str = "alibi"
    parts: str = "fast"
    optimizer: str = "fast"
    learning_rate: float = 0.05
    n_step: int = 650
    batch_size: int = 20
    own_parts: tuple[tuple[str, Value], ...] = ()
    task: tuple[tuple[str, int], ...] = ()

    @property
    def first(self) -> dict[str, Any]:
        """The initial parts by name; those of the training are the optimizer's usual ones."""
        usual = {"slopes": "steep", "n_warmup": 0 if self.optimizer == "fast" else min(30, self.n_step // 4)}
        return usual | {name: v for name, v in PRESETS[self.parts].parts.items() if name not in TRAINING_PART_NAMES}

    @property
    def preset(self) -> dict[str, Any]:
        """All parts of the preset, including the training's; the warm-up is limited to a quarter of the steps."""
        found = self.first | dict(PRESETS[self.parts].parts)
        return found | {"n_warmup": min(found["n_warmup"], self.n_step // 4)}

    @property
    def values(self) -> dict[str, Any]:
        """All parts by name, and the sizes that they depend on."""
        kind = self.kind if self.kind in _MODELS else "rnn"
        sizes = {name: getattr(self, name) for name in ("n_layer", "n_head", "d_model", "positions")}
        return effective_part_values({**sizes, **self.first, **dict(self.own_parts), "kind": kind})


def recipe_from_choice(choice: TrainingChoices, title: str) -> dict[str, Any]:
    """Build the recipe for the run store, see `core.train.recipes.Recipe`.

    Args:
        title: of the text; it becomes part of the run's name.

    Raises ValueError if a part does not fit the sizes.
    """
    name = partial(LABELS, _RUN_NAMES[choice.kind], n=choice.n_layer, width=choice.d_model)
    recipe: dict[str, object] = {
        "name": "studio",
        "title": name(title=title[: MAX_NAME - len(name(title=""))]),
        "corpus": choice.corpus,
        "tokenizer": choice.tokenizer,
        "tokenizer_vocab": choice.vocab,
        "spelled": _SPELLED_SHARE if choice.tokenizer == "word_bytes" else 0.0,
        "model": _MODELS.get(choice.kind, _recurrent)(choice),
        "optimizer": choice.optimizer,
        "learning_rate": choice.learning_rate,
        "batch_size": choice.batch_size,
        "n_step": choice.n_step,
    }
    values = choice.values
    for path, value in nondefault_recipe_fields(values, "n_warmup", *(_ALWAYS if values["kind"] == "gpt" else ())):
        set_recipe_field(recipe, path, value)
    if fills_spans(recipe):
        recipe["context_length"] = choice.context_length
    return task_choices.with_task_options(recipe, dict(choice.task)) if task_choices.is_task(choice.corpus) else recipe


_ALWAYS = ("embed_norm", "tied")


def _sizes(choice: TrainingChoices, *more: str) -> dict[str, object]:
    return {name: getattr(choice, name) for name in ("n_layer", "d_model", "context_length", *more)}


def _transformer(choice: TrainingChoices) -> dict[str, object]:
    return {**_sizes(choice, "n_head", "positions"), "block": {}}


def _bert(choice: TrainingChoices) -> dict[str, object]:
    """Return a BERT's model settings: single texts, so no segments; learned positions, as in every BERT."""
    return {"kind": "bert", **_sizes(choice, "n_head"), "n_segment": 0, "block": {}}


def _recurrent(choice: TrainingChoices) -> dict[str, object]:
    return {"kind": "rnn", "cell": choice.kind, **_sizes(choice)}


def _pair(choice: TrainingChoices) -> dict[str, object]:
    return defaults.encoder_decoder_config(choice.kind, ModelSize(choice.n_layer, choice.n_head, choice.d_model, 0))


_MODELS: Mapping[str, Callable[[TrainingChoices], dict[str, object]]] = {
    "gpt": _transformer,
    "bert": _bert,
    **dict.fromkeys(PAIR_LABELS, _pair),
}


def fills_gaps(recipe: Mapping[str, Any]) -> bool:
    """Return whether the recipe's model learns to fill gaps rather than to continue texts."""
    return recipe.get("model", {}).get("kind") == "bert"


def fills_spans(recipe: Mapping[str, Any]) -> bool:
    """Return whether the recipe's model learns to write the missing spans of a text."""
    return recipe.get("model", {}).get("kind") in PAIR_LABELS and not task_choices.is_task(str(recipe.get("corpus")))


def n_special_token(recipe: Mapping[str, Any]) -> int:
    """Count the tokens of the recipe's model in addition to those of its text, such as tokens for gaps."""
    return defaults.special_token_count(str(recipe.get("model", {}).get("kind")), recipe.get("context_length"))


def recipe_in_words(recipe: Mapping[str, Any], text_title: str, *, by_what: bool = True) -> str:
    """Describe in one line the model, its text, and the optimizer."""
    model = recipe.get("model", {})
    kind = str(recipe.get("tokenizer", "char"))
    sizes = {"shape": _shape(model), "width": model.get("d_model", "?")}
    told = [
        LABELS("text", title=text_title, unit=TOKEN_UNITS.get(kind, kind)),
        LABELS("sizes.context", **sizes, context=model["context_length"])
        if "context_length" in model
        else LABELS("sizes", **sizes),
    ]
    if by_what:
        told.append(OPTIMIZER_LABELS.get(str(recipe.get("optimizer")), "?"))
    return " · ".join(told)


def _shape(model: Mapping[str, object]) -> str:
    if model.get("kind") == "rnn":
        kind = KIND_LABELS.get(str(model.get("cell")), "?")
        return LABELS("shape.recurrent", kind=kind, n=model.get("n_layer", "?"))
    kind = str(model.get("kind"))
    if kind == "seq2seq":
        return PAIR_LABELS[kind]
    sizes = {"n_layer": model.get("n_layer", "?"), "n_head": model.get("n_head", "?")}
    if kind == "bert":
        return LABELS("shape.bert", **sizes)
    return LABELS("shape.kind", kind=PAIR_LABELS[kind], **sizes) if kind in PAIR_LABELS else LABELS("shape", **sizes)
