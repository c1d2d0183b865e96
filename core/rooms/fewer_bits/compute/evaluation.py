"""Quality of a model with rounded weights: its loss on a text, the divergence of its predictions, and its text."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.tokenizers.incremental_decoding import decode_continuation
from core.exhibit import MAX_FIGURES, MAX_MODELS, NothingToShow, memoize
from core.generate.decode import generate
from core.inspect.model_inputs.model_and_text import load_text_model, parse_ids_key
from core.inspect.model_inputs.model_key import ModelKey, read_model_provenance
from core.models.registry import with_weights
from core.rooms.fewer_bits.compute.rounding import FLOAT32_BITS, PART_NAMES, round_model, round_weights
from core.train import objectives

LABELS = module_labels(__name__)

N_WINDOW = 16
BREAKDOWN_RATIO = 3  # the text counts as fallen apart if the right token is on average this many times less probable


class GreedyText(NamedTuple):
    """A model's greedy continuation of a prompt."""

    written: NDArray[np.int64]  # (N,) the most probable token at each step
    probabilities: NDArray[np.float32]  # (V,) at the first step
    text: str  # the tokens as text, to follow the prompt


class RoundingEvaluation(NamedTuple):
    """A model's prediction of a text, compared with the original model's."""

    loss: float  # nats per token
    divergence: float  # mean Kullback-Leibler divergence of its next-token distributions from the original's, in nats


@memoize(MAX_MODELS)
def held_out_ids(key: ModelKey) -> NDArray[np.int64] | None:
    """Return held-out windows (W, T + 1) of a shipped model; None for other models, whose training text is unknown."""
    about = read_model_provenance(key.folder).get("recipe") or {}
    if key.source != "shipped" or about.get("corpus") not in corpora.names():
        return None
    model = load_text_model(key)
    ids = torch.tensor(model.tokenizer.encode(corpora.load(about["corpus"]).text))  # type: ignore[union-attr]
    length = model.config.context_length
    held = objectives.split_ids(ids, length)[1]
    starts = objectives.spaced_starts(len(held), length, N_WINDOW)
    return held.unfold(0, length + 1, 1)[starts].numpy()


def evaluation_ids(key: ModelKey, ids_key: str) -> Int[Tensor, "W T_plus_1"]:
    """Return the windows on which a model is evaluated: held-out ones if there are any, else the text itself."""
    held = held_out_ids(key)
    if held is not None:
        return torch.tensor(held)
    ids = parse_ids_key(ids_key)
    if len(ids) < 2:
        raise NothingToShow(LABELS["one_token"])
    return torch.tensor([ids])


@torch.no_grad()
def log_probabilities(model: nn.Module, windows: Int[Tensor, "W T_plus_1"]) -> Float[Tensor, "W T V"]:
    """Return the log-probabilities of each next token."""
    logits: Tensor = model(windows[:, :-1])
    return logits.float().log_softmax(-1)


def loss_from_log_probs(log_p: Float[Tensor, "W T V"], windows: Int[Tensor, "W T_plus_1"]) -> float:
    """Return the mean next-token loss in nats."""
    return -float(log_p.gather(-1, windows[:, 1:, None]).mean())


@memoize(MAX_MODELS)
def original_log_probs(key: ModelKey, ids_key: str) -> NDArray[np.float32]:
    """Return the log-probabilities (W, T, V) of the unchanged model."""
    return log_probabilities(load_text_model(key).model, evaluation_ids(key, ids_key)).numpy()


@memoize(4 * MAX_FIGURES)
def evaluate_rounded(
    key: ModelKey, ids_key: str, bits: int, scales: str, parts: tuple[str, ...] = tuple(PART_NAMES)
) -> RoundingEvaluation:
    """Evaluate a model with some of its parts rounded.

    Args:
        ids_key: the text's ids, used if there is no held-out text.
        bits, scales, parts: see `round_model`.
    """
    windows, model = evaluation_ids(key, ids_key), load_text_model(key).model
    before = torch.tensor(original_log_probs(key, ids_key))
    after = before
    if bits != FLOAT32_BITS:
        after = log_probabilities(with_weights(model, round_weights(model, bits, scales, parts)), windows)
    return RoundingEvaluation(
        loss_from_log_probs(after, windows), float((before.exp() * (before - after)).sum(-1).mean())
    )


@memoize(MAX_FIGURES)
def continue_rounded(key: ModelKey, ids_key: str, bits: int, scales: str, n_new: int) -> GreedyText:
    """Continue a text greedily with a model whose weights are rounded."""
    model = load_text_model(key).model
    if bits != FLOAT32_BITS:
        model = round_model(model, bits, scales)
    steps = list(generate(model, parse_ids_key(ids_key), n_new, greedy=True))
    written, tokenizer = [int(one.token) for one in steps], load_text_model(key).text_tokenizer
    assert tokenizer is not None  # the prompt was a text
    text = decode_continuation(tokenizer, parse_ids_key(ids_key), written)
    return GreedyText(np.array(written), steps[0].logits.float().softmax(-1).numpy(), text)
