"""One training step before the weights are updated: the inputs, predictions, targets and loss."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from core.exhibit import MAX_TRACES, Result, memoize
from core.inspect.attention_record import as_batch
from core.inspect.model_inputs.model_and_text import ModelAndText, load_text_model
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelKey
from core.models import registry

N_TOP = 5


class WindowPredictions(Result):
    """A window of N tokens as T = N - 1 predictions; prediction t reads tokens 0..t and its target is token t + 1."""

    inputs: NDArray[np.int64]  # (T,) all tokens but the last
    targets: NDArray[np.int64]  # (T,) all tokens but the first
    top: NDArray[np.int64]  # (T, n) the model's most probable tokens, best first
    top_probabilities: NDArray[np.float64]  # (T, n) their probabilities
    probability: NDArray[np.float64]  # (T,) the probability of the target
    loss: NDArray[np.float64]  # (T,) minus its logarithm, nats
    mean: float  # the mean loss, which training minimizes


@memoize(MAX_TRACES)
def cached_predictions(given: ModelAndText) -> WindowPredictions:
    return predict_window(given.model, given.ids)


def untrained_predictions(vocab_size: int, seed: int) -> WindowPredictions:
    """Run the step on random tokens, with an untrained copy of the stories model and another vocabulary size."""
    config = replace(load_text_model(ModelKey.at(DEFAULT_MODEL)).config, vocab_size=vocab_size)
    drawn = torch.randint(vocab_size, (config.context_length,), generator=torch.Generator().manual_seed(seed))
    return predict_window(registry.build(config, seed), drawn.tolist())


@torch.no_grad()
def predict_window(model: nn.Module, window: Sequence[int]) -> WindowPredictions:
    """Shift a window (N,) by one, and compute the cross-entropy of each prediction.

    Raises:
        ValueError: if there are fewer than two tokens, or some are outside the model's vocabulary.
    """
    if len(window) < 2:
        raise ValueError(f"{len(window)} tokens: at least two are needed, one to read and one to predict")
    ids = as_batch(model, window)  # (1, N)
    inputs, targets = ids[0, :-1], ids[0, 1:]  # (T,) each: shifted by one
    logits = model(inputs[None])[0].double()  # (T, V)
    loss = F.cross_entropy(logits, targets, reduction="none")  # (T,)
    shares, top = logits.softmax(-1).topk(min(N_TOP, logits.shape[-1]), -1)  # (T, n)
    return WindowPredictions(
        inputs=inputs.cpu().numpy(),
        targets=targets.cpu().numpy(),
        top=top.cpu().numpy(),
        top_probabilities=shares.cpu().numpy(),
        probability=(-loss).exp().cpu().numpy(),
        loss=loss.cpu().numpy(),
        mean=float(loss.mean()),
    )
