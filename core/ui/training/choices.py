"""From what a person chooses in the studio to the recipe of a run. Plain values, nothing of the screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from core.train.sizes import SIZES as SIZES
from core.train.sizes import VOCABULARIES as VOCABULARIES
from core.train.sizes import Size as Size
from core.ui.text import plural

DEFAULT_TEXT = "python-topics"
SPELLED = 0.005  # of each line's words are spelled in bytes in training, as in the recipe "stories"
MAX_TITLE = 32  # of the text, so that a run's name still says its sizes


_CUTS: Mapping[str, str] = MappingProxyType(
    {"char": "by characters", "word": "by words", "word_bytes": "by words, or else bytes", "bpe": "by word pieces"}
)
SIZE_LABELS: Mapping[str, str] = MappingProxyType(
    {"tiny": "Tiny", "small": "Small", "medium": "Medium", "custom": "Custom"}
)
TOKENIZER_LABELS: Mapping[str, str] = MappingProxyType(
    {"char": "Characters", "word": "Words", "word_bytes": "Words, or else bytes", "bpe": "Word pieces (BPE)"}
)
KIND_LABELS: Mapping[str, str] = MappingProxyType(
    {"gpt": "Transformer", "bert": "BERT (fills gaps)", "gru": "GRU", "lstm": "LSTM", "rnn": "Plain recurrent net"}
)
POSITION_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "alibi": "ALiBi (nearer counts more)",
        "rotary": "RoPE (rotary)",
        "learned": "Learned table (GPT-2)",
        "sinusoidal": "Sines and cosines (2017)",
        "relative": "Relative (T5)",
        "none": "None at all",
    }
)
OPTIMIZER_LABELS: Mapping[str, str] = MappingProxyType({"fast": "Fast (Muon)", "adamw": "AdamW"})
LEARNING_RATES: Mapping[str, float] = MappingProxyType({"fast": 0.05, "adamw": 0.004})
PARTS_LABELS: Mapping[str, str] = MappingProxyType({"fast": "Quick learner", "gpt2": "GPT-2's"})
# What learns fastest per second on one core, and what GPT-2 was made of (`core.nn.block.BlockStyle`).
PARTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "fast": {
            "embed_norm": True,
            "tied": False,
            "block": {"norm": "rms_plain", "activation": "relu2", "bias": False, "qk_norm": True},
        },
        "gpt2": {"embed_norm": False, "tied": True, "block": {}},
    }
)
# Steeper than the paper's, because the context is short.
_SLOPES: Mapping[int, list[float]] = MappingProxyType({2: [1.0, 0.0], 4: [1.0, 0.3, 0.1, 0.0]})


@dataclass(frozen=True)
class Suited:
    """What suits a text: how to cut it, how large a model, for how many steps."""

    tokenizer: str = "char"
    size: str = "small"
    n_step: int = 650


_SUITED: Mapping[str, Suited] = MappingProxyType(
    {"stories": Suited("word_bytes", "small", 500), "bottle-and-cup": Suited("word", "tiny", 300)}
)


def suited(corpus: str) -> Suited:
    """Good settings for a text, own texts included."""
    return _SUITED.get(corpus, Suited())


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Everything that can be chosen; flat and plain, so that it can be the key of a cache."""

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


def recipe_of(choice: Choice, title: str) -> dict[str, Any]:
    """The recipe as the store takes it, see `core.train.recipes.Recipe`.

    Args:
        title: of the text; it becomes part of the run's name.
    """
    kind = {"gpt": "", "bert": "BERT, "}.get(choice.kind, f"{KIND_LABELS[choice.kind]}, ")
    return {
        "name": "studio",
        "title": f"{title[:MAX_TITLE]}, {kind}{plural(choice.n_layer, 'layer')}, width {choice.d_model}",
        "corpus": choice.corpus,
        "tokenizer": choice.tokenizer,
        "tokenizer_vocab": choice.vocab,
        "spelled": SPELLED if choice.tokenizer == "word_bytes" else 0.0,
        "model": _MODELS.get(choice.kind, _recurrent)(choice),
        "optimizer": choice.optimizer,
        "learning_rate": choice.learning_rate,
        "batch_size": choice.batch_size,
        "n_step": choice.n_step,
        "n_warmup": 0 if choice.optimizer == "fast" else min(30, choice.n_step // 4),
    }


def _sizes(choice: Choice, *more: str) -> dict[str, Any]:
    return {name: getattr(choice, name) for name in ("n_layer", "d_model", "context_length", *more)}


def _transformer(choice: Choice) -> dict[str, Any]:
    parts = PARTS[choice.parts]
    model = {**_sizes(choice, "n_head", "positions"), **parts, "block": dict(parts["block"])}
    slopes = _SLOPES.get(choice.n_head) if choice.positions == "alibi" else None
    return model if slopes is None else model | {"slopes": list(slopes)}


def _bert(choice: Choice) -> dict[str, Any]:
    """One text at a time, so no kinds of segment; positions are a learned table, as in every BERT."""
    block = dict(PARTS[choice.parts]["block"])
    return {"kind": "bert", **_sizes(choice, "n_head"), "n_segment": 0, "block": block}


def _recurrent(choice: Choice) -> dict[str, Any]:
    return {"kind": "rnn", "cell": choice.kind, **_sizes(choice)}


_MODELS: Mapping[str, Callable[[Choice], dict[str, Any]]] = MappingProxyType({"gpt": _transformer, "bert": _bert})


def fills_gaps(recipe: Mapping[str, Any]) -> bool:
    """Whether the recipe's model learns to fill gaps, and not to go on writing."""
    return recipe.get("model", {}).get("kind") == "bert"


def in_words(recipe: Mapping[str, Any], text_title: str, *, by_what: bool = True) -> str:
    """One line that says what is trained on what, and by which optimizer."""
    model = recipe.get("model", {})
    kind = str(recipe.get("tokenizer", "char"))
    told = [
        f"{text_title}, {_CUTS.get(kind, kind)}",
        f"{_shape(model)}, width {model.get('d_model', '?')}, context {model.get('context_length', '?')}",
    ]
    if by_what:
        told.append(OPTIMIZER_LABELS.get(str(recipe.get("optimizer")), "?"))
    return " · ".join(told)


def _shape(model: Mapping[str, Any]) -> str:
    if model.get("kind") == "rnn":
        kind = KIND_LABELS.get(str(model.get("cell")), "?")
        return f"{kind}, {model.get('n_layer', '?')} {'layer' if model.get('n_layer') == 1 else 'layers'}"
    kind = "BERT, " if model.get("kind") == "bert" else ""
    return f"{kind}{model.get('n_layer', '?')} × {model.get('n_head', '?')} heads (layers × heads)"
