"""Recipes of training runs: plain numbers and names which, with a seed, determine a run."""

import math
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from core.data import tokenizers
from core.data.localization.labels import module_labels
from core.data.synthetic import tasks
from core.models import registry
from core.models.configs.modern import flatten_settings
from core.train.recipe_parts.dropout import DROPOUT_PLACES
from core.train.tasks.answer_objective import answer_format_of_model_kind, task_sequence_length
from core.train.tasks.defaults import FAST_BLOCK, SIZES, WINDOW, ModelSize, span_counts
from core.train.trainer import DECAYS, schedule_factor

LABELS = module_labels(__name__)

OPTIMIZERS = ("fast", "adamw", "sgd")
TOKENIZERS = ("char", "word", "word_bytes", "bpe")
SPLITS = ("tokens", "text")

# The limits of a browser session: name of the size -> (smallest, largest, reason). `Recipe.for_browser` checks them; a
# script may use any possible size.
LIMITS: dict[str, tuple[int, int, str]] = {
    "tokenizer_vocab": (2, 8192, LABELS["reason.tokenizer_vocab"]),
    "batch_size": (1, 128, LABELS["reason.batch_size"]),
    "n_step": (1, 20_000, LABELS["reason.n_step"]),
    "n_layer": (1, 12, LABELS["reason.n_layer"]),
    "n_head": (1, 16, LABELS["reason.n_head"]),
    "d_model": (4, 512, LABELS["reason.d_model"]),
    "d_ff": (4, 2048, LABELS["reason.d_model"]),
    "d_head": (2, 128, LABELS["reason.d_head"]),
    "n_expert": (1, 16, LABELS["reason.n_expert"]),
    "window": (1, 512, LABELS["reason.window"]),
    "context_length": (4, 512, LABELS["reason.context_length"]),
}
# The smallest and largest values of a recipe's other numbers.
_RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("learning_rate", "weight_decay"), (0.0, 10.0)),
    **dict.fromkeys(("decay_to", "spelled"), (0.0, 1.0)),
    **dict.fromkeys(("momentum", "label_smoothing", "dropout"), (0.0, 0.99)),
    "beta_2": (0.0, 0.9999),
    "decay_share": (0.01, 1.0),
    "clip": (0.001, 1000.0),
}
_MAY_BE_NONE = ("momentum", "beta_2", "clip")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that determines a training run, except the seed.

    Args:
        name: short key; title: for display.
        corpus: key of a text, see `core.data.corpora`, or of a task, such as "task:sort", see
            `core.data.synthetic.tasks`; with a task, the tokenizer is the task's. On a text, an encoder-decoder fills
            spans, see `core.train.tasks.spans`.
        context_length: tokens of a window of the text, only for an encoder-decoder, whose model has no such number;
            None: 64.
        task: options of the task; missing ones have their defaults.
        tokenizer: "char", "word", "word_bytes" or "bpe"; tokenizer_vocab: its largest vocabulary, None for every
            character or word.
        split: how the last tenth is split off for validation: "tokens", or "text": before the tokenizer is trained, at
            the same character for every tokenizer, so that runs with different tokenizers can be compared.
        spelled: share of each line's words spelled in bytes in training, to learn letters, too; only "word_bytes".
        model: fields of the model's config (see `core.models.registry.from_dict`) without vocab_size; kind: "gpt" if
            not given.
        optimizer: "adamw", "sgd", or "fast": Muon for matrices, AdamW for the rest, and an initialization for them.
        momentum: memory of the gradient, of SGD, Muon, or AdamW (its first beta); None: the optimizer's own.
        beta_2: memory of the squared gradient, of AdamW, also in the fast optimizer; None: the optimizer's own.
        start: initial standard deviation of the matrices by the beginning of their names, such as {"tok_emb": 0.1};
            those that write into the residual stream get 1/sqrt(2 n_layer) of it. Empty: the model's or optimizer's.
        learning_rate: the highest one; with the fast optimizer, the one of the matrices.
        batch_size: windows per step; n_step: steps of the run; n_warmup: those in which the learning rate rises from 0.
        decay: one of `core.train.trainer.DECAYS`, down to decay_to times the highest rate at the last step.
        decay_share: of the steps after the warm-up, those in which "wsd" falls.
        weight_decay: of AdamW and SGD. clip: the largest norm of the gradient, longer ones are scaled to it; None: any.
        label_smoothing: share of the target that is spread over all tokens, only in training.
        dropout: share of the numbers left out in training; dropout_at: where, one of `DROPOUT_PLACES`.

    Raises ValueError: if a name is unknown or a size is not possible.
    """

    name: str
    title: str
    corpus: str
    tokenizer: str = "char"
    tokenizer_vocab: int | None = None
    split: str = "tokens"
    spelled: float = 0.0
    model: dict[str, Any] = field(default_factory=dict)
    optimizer: str = "fast"
    start: dict[str, float] = field(default_factory=dict)
    learning_rate: float = 0.05
    batch_size: int = 16
    n_step: int = 600
    n_warmup: int = 0
    decay: str = "linear"
    decay_to: float = 0.0
    weight_decay: float = 0.0
    momentum: float | None = None
    beta_2: float | None = None
    decay_share: float = 0.2
    clip: float | None = None
    label_smoothing: float = 0.0
    dropout: float = 0.0
    dropout_at: str = "stream"
    task: dict[str, int] = field(default_factory=dict)
    context_length: int | None = None

    def __post_init__(self) -> None:
        names = {"optimizer": OPTIMIZERS, "tokenizer": TOKENIZERS, "decay": DECAYS, "split": SPLITS}
        for name, allowed in {**names, "dropout_at": tuple(DROPOUT_PLACES)}.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} is not one of {', '.join(allowed)}")
        if not (isinstance(self.start, dict) and all(_is_number(v) and 0 <= v <= 10 for v in self.start.values())):
            raise ValueError(f"start={self.start!r:.60} is not a table of numbers from 0 to 10")
        if not isinstance(self.model, dict):
            raise ValueError(f"model={self.model!r:.40} is not a table of the config's fields")
        object.__setattr__(self, "model", flatten_settings(self.model))  # parts find each setting by its name
        for name, value in self._sizes().items():
            if not isinstance(value, int) or isinstance(value, bool):
                raise ValueError(f"{name}={value!r} is not a whole number")
            if value < LIMITS[name][0]:
                raise ValueError(f"{name}={value} must be at least {LIMITS[name][0]}")
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not ((value is None and name in _MAY_BE_NONE) or (_is_number(value) and least <= value <= most)):
                raise ValueError(f"{name}={value!r} is not a number from {least:g} to {most:g}")
        if not (isinstance(self.n_warmup, int) and 0 <= self.n_warmup <= self.n_step):
            raise ValueError(f"n_warmup={self.n_warmup!r} is not within 0 to n_step={self.n_step}")
        if self.spelled and self.tokenizer != "word_bytes":
            raise ValueError(f"spelled={self.spelled} needs tokenizer='word_bytes', not {self.tokenizer!r}")
        if self.model.get("kind") == "rnn" and self.dropout_at != "stream":
            raise ValueError(f"dropout_at={self.dropout_at!r} needs attention, which a recurrent network doesn't have")
        self._check_task()
        self.config(vocab_size=2)  # raises if the model's fields do not fit together

    def _check_task(self) -> None:
        """Raise ValueError if this kind of model can't learn the task, or has too few positions for it."""
        kind, posed = self.kind, self.posed
        way = answer_format_of_model_kind(kind)
        if self.context_length is not None and not self.fills_spans:
            raise ValueError(
                f"context_length={self.context_length} of a recipe is for an encoder-decoder on a text; here the model "
                "has its own"
            )
        if posed is None:
            if self.task:
                raise ValueError(f"task={self.task!r:.60} needs a corpus such as 'task:sort', not {self.corpus!r:.40}")
            return
        if posed.task.writes_on and way != "on":
            raise ValueError(LABELS("writes_on", task=posed.task.title))
        n_token, n_position = task_sequence_length(posed, way), self.model.get("context_length")
        if isinstance(n_position, int) and n_position < n_token:
            raise ValueError(LABELS("short_context", context=n_position, n_token=n_token))

    def _sizes(self) -> dict[str, object]:
        """Return the sizes that are set, by the names of `LIMITS`."""
        model = _flat(self.model)
        found = {name: model.get(name, getattr(self, name, None)) for name in LIMITS}
        return {name: value for name, value in found.items() if value is not None}

    def config(self, vocab_size: int) -> Any:
        """Return the model's config for a vocabulary of this size."""
        both = {"source_vocab": vocab_size} if self.kind == "seq2seq" else {}
        return registry.from_dict({"kind": "gpt", **self.model, **both, "vocab_size": vocab_size})

    @property
    def kind(self) -> str:
        """The kind of the model, see `core.models.registry`."""
        return str(self.model.get("kind", "gpt"))

    @cached_property
    def posed(self) -> tasks.ConfiguredTask | None:
        """The task to learn, with its options; None if the model learns a text."""
        task = tasks.find_task(self.corpus)
        return None if task is None else task.set(self.task)

    @property
    def eval_every(self) -> int:
        """The number of steps between two validations."""
        return max(10, self.n_step // 16)

    @property
    def fills_gaps(self) -> bool:
        """True if the model learns to fill gaps, and not to continue a text."""
        return answer_format_of_model_kind(self.kind) == "gaps"

    @property
    def fills_spans(self) -> bool:
        """True if the model learns to write the missing spans of a text."""
        return self.posed is None and answer_format_of_model_kind(self.kind) == "pair"

    @property
    def n_window(self) -> int:
        """The tokens in a window of the text."""
        return self.context_length or registry.FAMILIES[self.kind].context_length(self.config(2)) or WINDOW

    def train_tokenizer(self, text: str) -> tokenizers.Tokenizer:
        """Train this recipe's tokenizer on the text; a task has its own tokenizer, whatever the text.

        Raises ValueError if the text is empty or the size of the vocabulary does not fit.
        """
        base: tokenizers.Tokenizer
        if self.posed is None:
            base = tokenizers.train_tokenizer(self.tokenizer, text, self.tokenizer_vocab)
        else:
            base = self.posed.tokenizer
        if self.fills_spans:
            return tokenizers.SentinelTokenizer(base, span_counts(self.n_window)[1] + 1)
        return tokenizers.MaskedTextTokenizer(base) if self.fills_gaps else base

    def learning_rate_share(self, step: int) -> float:
        """Return the share of the highest learning rate at a step (0 is the first): warm-up, then decay."""
        kept = ("n_warmup", "n_step", "decay_to", "decay_share")
        return schedule_factor(self.decay, step, **{name: getattr(self, name) for name in kept})

    def to_dict(self) -> dict[str, object]:
        """Return the recipe as plain JSON values."""
        away = {name for name, is_told in (("task", self.posed), ("context_length", self.fills_spans)) if not is_told}
        return {name: value for name, value in asdict(self).items() if name not in away}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Recipe":
        """Rebuild a recipe from the result of `to_dict`.

        Raises ValueError if a field is unknown or missing, or a value is not allowed.
        """
        unknown = sorted(set(values) - {one.name for one in fields(cls)})
        if unknown:
            raise ValueError(f"a recipe has no field {', '.join(unknown)}")
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(f"the recipe does not fit: {error}") from error

    @classmethod
    def for_browser(cls, values: dict[str, object]) -> "Recipe":
        """Rebuild a recipe from a browser's values, where a run may not be as large as a script's.

        Raises ValueError as `from_dict` does, or if a size is out of its `LIMITS`.
        """
        model = values.get("model")
        sizes = {**(_flat(model) if isinstance(model, dict) else {}), **values}
        for name, (least, most, why) in LIMITS.items():
            value = sizes.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and not least <= value <= most:
                raise ValueError(
                    f"{name}={value} is not within {least} to {most}" + (f": {why}" if value > most else "")
                )
        return cls.from_dict(values)


def _flat(model: dict[str, object]) -> dict[str, object]:
    """Return a model's fields, including those of its experts."""
    experts = model.get("experts")
    return {**(experts if isinstance(experts, dict) else {}), **model}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


_SLOPES = {2: [2.0, 0.1], 4: [2.0, 0.8, 0.3, 0.15]}  # by heads; steeper than the paper's: the context is short


def fast_learning_model_config(size: ModelSize, **parts: object) -> dict[str, object]:
    """Return the parts that learn fastest per second: ALiBi, RMSNorm, normalized queries and keys, squared ReLU.

    `parts` overrides some of them.
    """
    style = {"embed_norm": True, "tied": False, "block": dict(FAST_BLOCK)}
    return asdict(size) | {"positions": "alibi", "slopes": _SLOPES.get(size.n_head)} | style | parts


_TOPICS = Recipe(
    name="python-topics",
    title="Python's documentation, letter by letter (30 seconds)",
    corpus="python-topics",
    model=fast_learning_model_config(SIZES["small"]),
    learning_rate=0.045,
    n_step=600,
)
_ADAMW = replace(_TOPICS, optimizer="adamw", learning_rate=4e-3, n_warmup=30)
_STORIES = Recipe(
    name="stories",
    title="Little stories, word by word (seven minutes)",
    corpus="stories",
    tokenizer="word_bytes",
    spelled=0.005,
    # The parts that lesson 7 teaches, as in GPT-2: learned positions, pre-norm LayerNorm, biases and GELU.
    model=asdict(ModelSize(2, 4, 96, 96)) | {"positions": "learned", "tied": False, "block": {"activation": "gelu"}},
    optimizer="adamw",
    # GPT-2's 0.02 suits a width of 768. With 96 it makes positions so small that no head ever reads just the token
    # before; with large ones such a head appears within a thousand steps.
    start={"tok_emb": 0.15, "pos_emb": 0.5, "blocks": 0.06, "unembed": 0.02},
    learning_rate=3e-3,
    batch_size=32,
    n_step=8000,  # looking up a color is learned late
    n_warmup=100,
    weight_decay=0.1,
)
_FAST = Recipe(
    name="stories-alibi",
    title="Little stories, the block that learns fastest (two minutes)",
    corpus="stories",
    tokenizer="word",
    # Designed for display: the steep slope lets the first head of each layer read the word before, the flat
    # ones leave the others free to look far back, and bounded queries and keys keep their maps soft.
    model=fast_learning_model_config(ModelSize(2, 4, 96, 96), slopes=[1.5, 0.3, 0.05, 0.0]),
    # Slow and steady, because looking up a color is learned late, and only at a small learning rate.
    learning_rate=0.02,
    batch_size=32,
    n_step=2000,
)
_RECIPES = (
    _TOPICS,
    replace(
        _TOPICS,
        name="python-topics-shift",
        title="Each feed-forward also reads the letter before (a quarter of a minute)",
        model=_TOPICS.model | {"token_shift": True},
        batch_size=12,
        n_step=400,
    ),
    replace(_ADAMW, name="python-topics-adamw", title="The same model, trained by plain AdamW"),
    replace(_TOPICS, name="python-library", title="Python code from the standard library", corpus="python-library"),
    _STORIES,
    _FAST,
    replace(
        _FAST,
        name="stories-learned",
        title="Little stories, learned positions (a minute)",
        # Small and short, because its purpose is to show its table of positions.
        model={name: value for name, value in _FAST.model.items() if name != "slopes"}
        | {"positions": "learned", "d_model": 64, "context_length": 64},
        n_step=1500,
    ),
    *(
        replace(
            _FAST,
            name=f"stories-{cell}",
            title=f"Little stories, read by {title} (20 seconds)",
            # Small enough to show its whole state.
            model={"kind": "rnn", "cell": cell, "n_layer": 1, "d_model": 48, "context_length": 64},
            n_step=1000,
        )
        for cell, title in (("gru", "a GRU"), ("lstm", "an LSTM"), ("rnn", "a plain recurrent net"))
    ),
    replace(
        _FAST,
        name="stories-bert",
        title="Little stories, gaps filled by a BERT (a minute)",
        model={"kind": "bert", "n_layer": 2, "n_head": 4, "d_model": 96, "context_length": 64, "n_segment": 0,
               "block": dict(FAST_BLOCK)},
        learning_rate=0.04,
        n_step=1500,
    ),
    replace(
        _FAST,
        name="stories-t5",
        title="Little stories, missing pieces filled in by a T5 (a minute)",
        model={"kind": "t5", "n_layer": 2, "n_head": 4, "d_model": 64, "tied": False},
        context_length=32,
        learning_rate=0.02,
        n_step=1500,
    ),
    Recipe(
        name="bottle-and-cup",
        title="Bottle and cup: what does 'it' mean? (a few seconds)",
        corpus="bottle-and-cup",
        tokenizer="word",
        model=fast_learning_model_config(SIZES["tiny"]),
        learning_rate=0.03,
        batch_size=32,
        n_step=400,
    ),
    replace(_TOPICS, name="tiny-shakespeare", title="Shakespeare, letter by letter", corpus="tiny-shakespeare"),
    Recipe(
        name="nanogpt-cpu",
        title="nanoGPT's small CPU setting: the slow baseline (minutes)",
        corpus="python-topics",
        model=asdict(SIZES["small"])
        | {"positions": "learned", "tied": True, "block": {"bias": False, "activation": "gelu"}},
        optimizer="adamw",
        learning_rate=1e-3,
        batch_size=12,
        n_step=2000,
        n_warmup=100,
        decay="cosine",
        decay_to=0.1,
        weight_decay=0.1,
    ),
)  # fmt: skip
RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in _RECIPES}
