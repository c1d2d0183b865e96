"""The conversion of choices in the studio to the recipe of a run: plain values, independent of the screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.data.files import MAX_NAME
from core.train.parts.part import Value
from core.train.parts.table import IN_TRAINING, PRESETS, put, resolved, written
from core.train.tasks import defaults
from core.train.tasks.defaults import SIZES as SIZES, VOCABULARIES as VOCABULARIES, Size as Size
from core.ui.text import plural
from core.ui.training import task_choices
from core.ui.training.task_choices import PAIR_LABELS

DEFAULT_TEXT = "python-topics"
SPELLED = 0.005  # fraction of each line's words that are spelled in bytes in training, as in the recipe "stories"


CUTS: Mapping[str, str] = {
    "char": "by characters",
    "word": "by words",
    "word_bytes": "by words, or else bytes",
    "bpe": "by word pieces",
}
SIZE_LABELS: Mapping[str, str] = {"tiny": "Tiny", "small": "Small", "medium": "Medium", "custom": "Custom"}
TOKENIZER_LABELS: Mapping[str, str] = {
    "char": "Characters",
    "word": "Words",
    "word_bytes": "Words, or else bytes",
    "bpe": "Word pieces (BPE)",
}
KIND_LABELS: Mapping[str, str] = {
    "gpt": "Transformer",
    "bert": "BERT (fills gaps)",
    "gru": "GRU",
    "lstm": "LSTM",
    "rnn": "Plain recurrent net",
    **PAIR_LABELS,
}
POSITION_LABELS: Mapping[str, str] = {
    "alibi": "ALiBi (nearer counts more)",
    "rotary": "RoPE (rotary)",
    "learned": "Learned table (GPT-2)",
    "sinusoidal": "Sines and cosines (2017)",
    "relative": "Relative (T5)",
    "none": "None at all",
}
OPTIMIZER_LABELS: Mapping[str, str] = {"fast": "Fast (Muon)", "adamw": "AdamW", "sgd": "SGD"}
LEARNING_RATES: Mapping[str, float] = {"fast": 0.05, "adamw": 0.004, "sgd": 0.1}
PRESET_LABELS: Mapping[str, str] = {name: preset.label for name, preset in PRESETS.items()}


@dataclass(frozen=True)
class Suited:
    """Settings that suit a text or task: tokenizer, model size, steps, and batch size."""

    tokenizer: str = "char"
    size: str = "small"
    n_step: int = 650
    batch_size: int = 20


_SUITED: Mapping[str, Suited] = {
    "stories": Suited("word_bytes", "small", 500),
    "bottle-and-cup": Suited("word", "tiny", 300),
}


def suitable(corpus: str, kind: str = "gpt") -> Suited:
    """Return good settings for a text (including the user's own) or a task."""
    if task_choices.is_task(corpus):
        return Suited(size=defaults.SIZE, n_step=defaults.n_step_of(corpus, kind), batch_size=defaults.BATCH_SIZE)
    return _SUITED.get(corpus, Suited())


def rate_of(optimizer: str, corpus: str, kind: str = "gpt") -> float:
    """Return the learning rate that suits an optimizer, unless a preset sets one."""
    if optimizer == "fast" and task_choices.is_task(corpus):
        return defaults.learning_rate(kind)
    if optimizer == "fast" and kind in defaults.PAIRS:
        return defaults.TEXT_RATES[kind]
    return LEARNING_RATES[optimizer]


# In a run's name; a GPT is not mentioned.
_NAMED: Mapping[str, str] = {
    "gpt": "",
    "bert": "BERT, ",
    "t5": "T5, ",
    "transformer": "encoder-decoder, ",
    "seq2seq": "seq2seq, ",
}
# Before a model's sizes.
_SAID: Mapping[str, str] = {"gpt": "", "bert": "BERT, ", **{name: f"{label}, " for name, label in PAIR_LABELS.items()}}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """All choices of the studio, flat and plain, so that they can be a cache key.

    parts: the preset whose model parts are the starting point, see `core.train.parts.table`; own: name and value of all
    parts that differ from it, including those of the training. task: the options of the task, if it is one.
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
    own: tuple[tuple[str, Value], ...] = ()
    task: tuple[tuple[str, int], ...] = ()

    @property
    def first(self) -> dict[str, Any]:
        """The initial parts by name; those of the training are the optimizer's usual ones."""
        usual = {"slopes": "steep", "n_warmup": 0 if self.optimizer == "fast" else min(30, self.n_step // 4)}
        return usual | {name: v for name, v in PRESETS[self.parts].parts.items() if name not in IN_TRAINING}

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
        return resolved({**sizes, **self.first, **dict(self.own), "kind": kind})


def preset_choice(preset: str, **given: object) -> Choice:
    """Return the studio's choice if only the preset and these values are chosen."""
    one = PRESETS[preset]
    told = {name: getattr(one, name) for name in ("kind", "positions", "optimizer", "learning_rate")}
    choice = Choice(**{**told, "parts": preset, **given})
    return replace(choice, own=tuple(choice.preset.items()))


def recipe_of(choice: Choice, title: str) -> dict[str, Any]:
    """Build the recipe for the run store, see `core.train.recipes.Recipe`.

    Args:
        title: of the text; it becomes part of the run's name.

    Raises ValueError if a part does not fit the sizes.
    """
    kind = _NAMED[choice.kind] if choice.kind in _NAMED else f"{KIND_LABELS[choice.kind]}, "
    sizes = f", {kind}{plural(choice.n_layer, 'layer')}, width {choice.d_model}"
    recipe: dict[str, object] = {
        "name": "studio",
        "title": title[: MAX_NAME - len(sizes)] + sizes,
        "corpus": choice.corpus,
        "tokenizer": choice.tokenizer,
        "tokenizer_vocab": choice.vocab,
        "spelled": SPELLED if choice.tokenizer == "word_bytes" else 0.0,
        "model": _MODELS.get(choice.kind, _recurrent)(choice),
        "optimizer": choice.optimizer,
        "learning_rate": choice.learning_rate,
        "batch_size": choice.batch_size,
        "n_step": choice.n_step,
    }
    values = choice.values
    for path, value in written(values, "n_warmup", *(_ALWAYS if values["kind"] == "gpt" else ())):
        put(recipe, path, value)
    if fills_spans(recipe):
        recipe["context_length"] = choice.context_length
    return task_choices.with_task(recipe, dict(choice.task)) if task_choices.is_task(choice.corpus) else recipe


_ALWAYS = ("embed_norm", "tied")


def _sizes(choice: Choice, *more: str) -> dict[str, object]:
    return {name: getattr(choice, name) for name in ("n_layer", "d_model", "context_length", *more)}


def _transformer(choice: Choice) -> dict[str, object]:
    return {**_sizes(choice, "n_head", "positions"), "block": {}}


def _bert(choice: Choice) -> dict[str, object]:
    """Return a BERT's model settings: single texts, so no segments; learned positions, as in every BERT."""
    return {"kind": "bert", **_sizes(choice, "n_head"), "n_segment": 0, "block": {}}


def _recurrent(choice: Choice) -> dict[str, object]:
    return {"kind": "rnn", "cell": choice.kind, **_sizes(choice)}


def _pair(choice: Choice) -> dict[str, object]:
    return defaults.pair(choice.kind, Size(choice.n_layer, choice.n_head, choice.d_model, 0))


_MODELS: Mapping[str, Callable[[Choice], dict[str, object]]] = {
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


def n_special(recipe: Mapping[str, Any]) -> int:
    """Count the tokens of the recipe's model in addition to those of its text, such as tokens for gaps."""
    return defaults.n_special(str(recipe.get("model", {}).get("kind")), recipe.get("context_length"))


def in_words(recipe: Mapping[str, Any], text_title: str, *, by_what: bool = True) -> str:
    """Describe in one line the model, its text, and the optimizer."""
    model = recipe.get("model", {})
    kind = str(recipe.get("tokenizer", "char"))
    told = [
        f"{text_title}, {CUTS.get(kind, kind)}",
        f"{_shape(model)}, width {model.get('d_model', '?')}"
        + (f", context {model['context_length']}" if "context_length" in model else ""),
    ]
    if by_what:
        told.append(OPTIMIZER_LABELS.get(str(recipe.get("optimizer")), "?"))
    return " · ".join(told)


def _shape(model: Mapping[str, object]) -> str:
    if model.get("kind") == "rnn":
        kind = KIND_LABELS.get(str(model.get("cell")), "?")
        return f"{kind}, {model.get('n_layer', '?')} {'layer' if model.get('n_layer') == 1 else 'layers'}"
    if model.get("kind") == "seq2seq":
        return PAIR_LABELS["seq2seq"]
    kind = _SAID.get(str(model.get("kind")), "")
    return f"{kind}{model.get('n_layer', '?')} × {model.get('n_head', '?')} heads (layers × heads)"
