"""Measured defaults for tasks, and for each kind of model on a text, for studio and command line; imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.data.synthetic.tasks import TASK_PREFIX, ConfiguredTask


@dataclass(frozen=True)
class ModelSize:
    """The sizes of a model: blocks, heads in each, width of the residual stream, context length."""

    n_layer: int
    n_head: int
    d_model: int
    context_length: int


SIZES: Mapping[str, ModelSize] = {
    "tiny": ModelSize(2, 4, 64, 32),
    "small": ModelSize(4, 4, 128, 64),
    "medium": ModelSize(6, 6, 192, 96),
}
# Different tokens at most, for each kind of tokenizer that needs a number.
VOCABULARIES: Mapping[str, int] = {"word": 2000, "word_bytes": 2256, "bpe": 512}


LEARNING_RATE = 0.03  # of the fast optimizer; answers have to be exact, and with 0.05 training never settles
# A recurrent network needs longer steps, and more of them: with those above, an LSTM gets 55 % of the reversals and
# 16 % of the slaps right.
RECURRENT = ("gru", "lstm", "rnn")
RECURRENT_RATE, RECURRENT_STEPS = 0.04, 1200
POSITIONS = "learned"  # because answers depend on absolute positions: with ALiBi, reversing takes three times as long
TEXT_RATE = 0.05  # the learning rate on texts
TEXT_RATES: Mapping[str, float] = {
    **{"bert": 0.04, "t5": 0.02, "transformer": 0.02, "seq2seq": 0.03},
    **dict.fromkeys(("gru", "lstm", "rnn"), 0.02),
}
BATCH_SIZE = 64
N_STEP = 400
# Tasks that need more steps; that numbers are on a circle is learned late.
STEPS: Mapping[str, int] = {"modular-addition": 1500}
SIZE = "tiny"
# Tasks that stay hard for a kind of model with these defaults: the share of right answers, the mean of three seeds.
HARD_TASKS: Mapping[str, Mapping[str, float]] = {
    "sort": {"rnn": 0.11},
    "reverse": {"rnn": 0.10},
    "copy-memory": {"rnn": 0.00},
    "slapjack": {"t5": 0.01, "transformer": 0.06, "rnn": 0.00},
    "marked-addition": {"bert": 0.06, "transformer": 0.14},
    "modular-addition": {"gru": 0.04, "lstm": 0.11, "seq2seq": 0.07, "rnn": 0.05},
    "two-sum": {"t5": 0.86, "rnn": 0.66},
    "parity": {"gpt": 0.51, "bert": 0.51, "t5": 0.51, "transformer": 0.52},
}
# The parts that learn fastest per second on one core, as for texts.
# The parts of a GPT that learn fastest per second on one core.
FAST_BLOCK: Mapping[str, Any] = {"norm": "rms_plain", "activation": "relu2", "bias": False, "qk_norm": True}
KINDS = ("gpt", "bert", "t5", "transformer", "seq2seq", "gru", "lstm", "rnn")
PAIRS = ("t5", "transformer", "seq2seq")  # an encoder reads, a decoder writes
# Of the missing spans in a text: T5's, Raffel et al. 2019 (1910.10683), section 3.3.4.
NOISE_DENSITY, MEAN_SPAN = 0.15, 3.0
WINDOW = 64  # tokens of a text at once, by default


def span_counts(n_token: int) -> tuple[int, int]:
    """Return how many tokens of a window are removed, and in how many spans: at least one, with a token before each.

    Source: the authors' random_spans_noise_mask (text-to-text-transfer-transformer, t5/data/preprocessors.py).
    """
    n_noise = min(max(round(n_token * NOISE_DENSITY), 1), n_token - 1)
    return n_noise, min(max(round(n_noise / MEAN_SPAN), 1), n_token - n_noise)


def span_input_and_target_lengths(n_token: int) -> tuple[int, int]:
    """Return the encoder's tokens for a window, with a sentinel for each span, and the answer's, including the end."""
    n_noise, n_span = span_counts(n_token)
    return n_token - n_noise + n_span, n_noise + n_span + 1


def special_token_count(kind: str, n_window: int | None = None) -> int:
    """Return how many special tokens a model of this kind has: for gaps, or for the spans of a window."""
    if kind in PAIRS:
        return 1 + span_counts(n_window or WINDOW)[1] + 1  # the start, the sentinels, and one as the end
    return 2 if kind == "bert" else 0


def task_learning_rate(kind: str) -> float:
    """Return the fast optimizer's learning rate on a task, for a kind of model."""
    return RECURRENT_RATE if kind in RECURRENT else LEARNING_RATE


def default_task_step_count(corpus: str, kind: str = "gpt") -> int:
    """Return the number of training steps that suit a task, for a kind of model."""
    n_step = STEPS.get(corpus.removeprefix(TASK_PREFIX), N_STEP)
    return max(n_step, RECURRENT_STEPS) if kind in RECURRENT else n_step


def n_task_position(posed: ConfiguredTask, kind: str) -> int:
    """Return the positions that a model needs: for the longest question, its answer, and `<class>` before them."""
    return max(4, posed.n_token + (kind == "bert"))


def encoder_decoder_config(kind: str, size: ModelSize, cell: str = "gru") -> dict[str, object]:
    """Return an encoder-decoder for a recipe: equally many blocks on both sides, or a recurrent cell on each."""
    if kind == "seq2seq":
        return {"kind": kind, "cell": cell, "d_model": size.d_model}
    sizes = {"kind": kind, "n_layer": size.n_layer, "n_head": size.n_head, "d_model": size.d_model}
    return sizes | ({"tied": False} if kind == "t5" else {})


def task_model(kind: str, size: ModelSize, posed: ConfiguredTask) -> dict[str, object]:
    """Return the model for a recipe, of any of `KINDS`, with a context that is long enough for the task."""
    return _model(kind, replace(size, context_length=n_task_position(posed, kind)))


def text_recipe_fields(kind: str, size: ModelSize) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the model for a recipe on a text, and other fields of the recipe that suit it."""
    more = {"learning_rate": TEXT_RATES.get(kind, TEXT_RATE)}
    return _model(kind, size), more | ({"context_length": size.context_length} if kind in PAIRS else {})


def _model(kind: str, size: ModelSize) -> dict[str, object]:
    if kind in PAIRS:
        return encoder_decoder_config(kind, size)
    sizes: dict[str, object] = {
        "n_layer": size.n_layer,
        "d_model": size.d_model,
        "context_length": size.context_length,
    }
    if kind in RECURRENT:
        return {"kind": "rnn", "cell": kind, **sizes}
    sizes |= {"n_head": size.n_head, "block": dict(FAST_BLOCK)}
    if kind == "bert":
        return {"kind": kind, "n_segment": 0, **sizes}
    return {"positions": POSITIONS, "embed_norm": True, "tied": False, **sizes}
