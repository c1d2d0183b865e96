"""The last noun of the bottle sentence: what each kind of model expects there, and what the GPT looks back at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.inspect import attention_record
from core.models.ngram import NGram


@dataclass(frozen=True)
class NextNoun:
    """The predictions of an n-gram model, a GRU and a GPT after one beginning of a sentence."""

    p: Mapping[str, NDArray[np.float64]]  # model -> (N,) probability of each noun as the next token
    # (T,) the largest weight that any head of the GPT gives each token, from the position that predicts the noun
    weights: NDArray[np.float32]


@torch.no_grad()
def predict_next_noun(
    ngram: NGram, nets: Mapping[str, nn.Module], ids: NDArray[np.int64], nouns: Sequence[int]
) -> NextNoun:
    """Return each model's probability of each noun after the tokens ids (T,), the start token first.

    Args:
        ngram: is called "ngram" in the result.
        nets: name -> a model; "gpt" is among them.
        nouns: their ids.
    """
    p = {"ngram": ngram.probabilities(ids).numpy()[[*nouns]]}
    for name, net in nets.items():
        p[name] = net(torch.from_numpy(ids)[None])[0, -1].double().softmax(-1)[[*nouns]].numpy()
    weights = attention_record.attention(nets["gpt"], torch.from_numpy(ids)).weights[:, :, -1]  # (L, H, T)
    return NextNoun(p, weights.max((0, 1)))
