"""What `<class>` looks at in a text, and what the answer loses when a word is taken out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.models.bert import BERT
from core.nn.tap import Trace


@dataclass(frozen=True)
class ClassAttention:
    """One text in one model with a sequence head."""

    whole: NDArray[np.float32]  # (L, H, T, T) all attention
    probabilities: NDArray[np.float32]  # (C,) the answer
    # (T, C) the answer when one token is taken out; row 0, `<class>`, is the answer itself
    without: NDArray[np.float32]

    def weights_of(self, head: tuple[int, int] | None) -> NDArray[np.float32]:
        """(T,) of `<class>` on every token, in one head, (layer, head); None: the mean of all. It sums to 1."""
        weights = self.whole[:, :, 0]
        found: NDArray[np.float32] = weights.mean((0, 1)) if head is None else weights[head]
        return found


@torch.no_grad()
def look(model: BERT, ids: Sequence[int]) -> ClassAttention:
    """Read the text, and read it again once for each of its words, with that word taken out.

    Args:
        model: with the head "sequence".
        ids: `<class>` first.

    Raises:
        ValueError: if there is no token after `<class>`.
    """
    if len(ids) < 2:
        raise ValueError("there is no word after <class>")
    with Trace(model) as trace:
        answer = model(torch.tensor([list(ids)])).softmax(-1)[0]
    whole = [trace[f"blocks.{layer}.attn.weights"][0] for layer in range(model.config.n_layer)]  # (H, T, T) each
    shorter = torch.tensor([[*ids[:i], *ids[i + 1 :]] for i in range(1, len(ids))])
    without = torch.cat([answer[None], model(shorter).softmax(-1)])
    return ClassAttention(torch.stack(whole).numpy(), answer.numpy(), without.numpy())


@torch.no_grad()
def answers(models: Sequence[BERT], ids: Sequence[int]) -> NDArray[np.float32]:
    """(N, C) the probabilities that each of the models gives to the answers for one text."""
    text = torch.tensor([list(ids)])
    return torch.cat([model(text).softmax(-1) for model in models]).numpy()


@torch.no_grad()
def label_words(model: BERT, ids: Sequence[int]) -> NDArray[np.float32]:
    """(T, C) the probabilities of each word's labels, `<class>` left out.

    Args:
        model: with the head "tokens".
        ids: `<class>` first.
    """
    found: NDArray[np.float32] = model(torch.tensor([list(ids)])).softmax(-1)[0, 1:].numpy()
    return found
