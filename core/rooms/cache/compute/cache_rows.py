"""What is in the cache after a text has been written: the rows of keys and values, and how they were read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core.generate.cache import CachedModel
from core.generate.decode import generate
from core.generate.keys_values import KeyValues
from core.inspect import trace


@dataclass(frozen=True)
class KeptRows:
    """What is in the cache after the last step, and how it was read.

    Args:
        ids: (T + 1,) the prompt and what was written; the last token has not been read.
        keys, values: (L, H, T, K).
        weights: (L, H, T, T), of the same text read in one pass.
    """

    ids: NDArray[np.int64]
    keys: NDArray[np.float32]
    values: NDArray[np.float32]
    weights: NDArray[np.float32]

    def table(self, words: Sequence[str], layer: int, head: int) -> dict[str, Any]:
        """The rows of one head, one line for each token; words (V,) are all tokens as they can be read."""
        columns = {
            f"{part} {c}": rows[layer, head][:, c]
            for part, rows in (("key", self.keys), ("value", self.values))
            for c in range(rows.shape[-1])
        }
        return {"token": [words[int(i)] for i in self.ids[:-1]], **columns}


def kept_rows(model: nn.Module, prompt: Sequence[int], n_new: int) -> KeptRows:
    """Write n_new tokens, the likeliest each time, and look into the cache afterwards.

    Args:
        model: a causal GPT.
        prompt: (T,) its tokens; with what is written, they must fit the context.
        n_new: how many tokens, at least one.
    """
    ids = [*prompt, *(int(step.token) for step in generate(model, prompt, n_new, greedy=True))]
    record = trace.attention(model, ids[:-1])
    cached = CachedModel(model)
    for n in range(len(prompt), len(ids)):
        cached.next_logits([ids[:n]])
    in_use = cached.memory
    assert isinstance(in_use, KeyValues)
    n_token = len(ids) - 1
    keys = in_use.keys[:, 0, :, :, :n_token].mT.float().cpu().numpy()
    values = in_use.values[:, 0, :, :n_token].float().cpu().numpy()
    return KeptRows(np.array(ids), keys, values, np.asarray(record.weights, dtype=np.float32))
