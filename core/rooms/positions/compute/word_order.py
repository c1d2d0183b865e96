"""Shuffle the words of a text: are the outputs merely reordered, or do they change?"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.models import registry
from core.models.gpt import GPT, GPTConfig
from core.nn.tap import Trace

LABELS = module_labels(__name__)

Array = NDArray[np.float64]


class ShuffleRecord(Result):
    """One text through one model twice: in its own order, and with its words shuffled. float64."""

    order: tuple[int, ...]  # (T,) the word at place t of the shuffled text comes from place order[t]
    before: Array  # before, after: (T, D) last hidden vectors of the text and of the shuffled text
    after: Array
    difference: Array  # (T, T) largest difference between row t of `after` and row s of `before`
    words: tuple[str, ...]  # (T,) of the original text
    shuffled: str  # the words in the other order
    largest: float  # largest difference between the outputs of the same word: 0 if rows only moved
    last: float  # largest change of the last row

    def table(self) -> Table:
        """Return one row per word of the new order: its original place, and the change of its output."""
        return {
            LABELS["table.new_place"]: list(range(len(self.order))),
            LABELS["table.word"]: [self.words[i] for i in self.order],
            LABELS["table.old_place"]: list(self.order),
            LABELS["table.largest_difference_output"]: [float(self.difference[t, s]) for t, s in enumerate(self.order)],
        }


def random_model(
    positions: str, n_layer: int, causal: bool, seed: int, *, d_model: int = 16, n_head: int = 2, longest: int = 16
) -> GPT:
    """Return an untrained transformer in float64 with weights drawn from the seed.

    Every matrix has standard deviation 1 / sqrt(d_model), as large as in a trained model. GPT-2's initialization is
    smaller; it would show the same effects, but weaker.

    Args:
        positions: the position scheme, see `core.nn.positions.POSITION_SCHEMES`.
        n_layer, causal, d_model, n_head: as in `GPTConfig`.
    """
    config = GPTConfig(
        vocab_size=longest,
        context_length=longest,
        n_layer=n_layer,
        n_head=n_head,
        d_model=d_model,
        positions=positions,
        causal=causal,
    )
    model = registry.build(config, seed).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0.0, d_model**-0.5, generator=generator)
    return model.eval().requires_grad_(False)


def compare_word_orders(
    model: GPT, ids: Sequence[int], order: Sequence[int], words: Sequence[str] = ()
) -> ShuffleRecord:
    """Run the model on the text and on the shuffled text.

    Args:
        order: (T,) a permutation of 0 .. T - 1: place t of the shuffled text gets the word from place order[t].

    Raises:
        ValueError: if `order` is not a permutation of the places.
    """
    if sorted(order) != list(range(len(ids))):
        raise ValueError(f"the order {list(order)} does not name each of the positions 0..{len(ids) - 1} once")
    text = torch.as_tensor(ids, dtype=torch.long)
    before, after = (_final(model, one) for one in (text, text[list(order)]))
    difference = np.abs(after[:, None, :] - before[None, :, :]).max(-1)  # (T, T, D) -> (T, T)
    return ShuffleRecord(
        order=tuple(int(i) for i in order),
        before=before,
        after=after,
        difference=difference,
        words=tuple(words),
        shuffled=" ".join(words[i] for i in order) if words else "",
        largest=float(difference[range(len(order)), list(order)].max()),
        last=float(difference[-1, -1]),
    )


def word_ids(words: Sequence[str]) -> tuple[int, ...]:
    """Return one id per distinct word, in order of appearance."""
    known = list(dict.fromkeys(words))
    return tuple(known.index(word) for word in words)


def random_order(n_word: int, seed: int) -> tuple[int, ...]:
    """Draw a permutation from the seed, different from the identity if there is a different one."""
    drawn = np.random.default_rng(seed).permutation(n_word).tolist()
    return tuple(drawn[1:] + drawn[:1] if drawn == list(range(n_word)) else drawn)


def _final(model: GPT, ids: torch.Tensor) -> Array:
    with torch.no_grad(), Trace(model) as trace:
        model(ids[None])
    found: Array = trace["final"][0].numpy()
    return found
