"""Readings of the bottle-and-cup sentence by a model that resolves "it": its answer, and where its heads look."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.exhibit import Result
from core.inspect.attention_record import attention
from core.inspect.patch import ablate_heads, loss_rise_per_head
from core.nn.tap import Trace

Array = NDArray[np.float32]


class NounReading(Result):
    """One sentence through one model."""

    nouns: Array  # (8,) probability of each noun of `NOUNS` at "it"; other words have the rest of 1
    rows: Array  # (L, H, 14) attention row of "it" in each head; rows sum to 1
    mask: NDArray[np.bool_]  # (14,) True where "it" may look
    said: str  # the most probable noun

    def p(self, noun: str) -> float:
        """Return the probability of a noun."""
        return float(self.nouns[NOUNS.index(noun)])


def resolve_it(model: nn.Module, sentence: BottleAndCup) -> NounReading:
    """Ask the model what "it" refers to, and record the attention of "it" in every head."""
    ids, _ = referents.encode_referent_sentences([sentence])
    record = attention(model, ids[0].tolist())
    nouns = record.probabilities[referents.IT_POSITION, list(referents.NOUN_IDS)]
    return NounReading(
        nouns=nouns,
        said=NOUNS[int(nouns.argmax())],
        rows=record.weights[:, :, referents.IT_POSITION],
        mask=record.mask[referents.IT_POSITION],
    )


class EarlierRead(NamedTuple):
    """A noun's look at the word that decides, one layer before "it" reads the noun."""

    layer: int
    head: int
    position: int  # of the noun
    ending: str  # of the sentence in which it reads this word
    weight: float  # attention weight from the noun to the ending
    n_right: int  # right answers in the held-out sentences when this head can't look from this noun to the ending


def find_earlier_read(model: nn.Module, pair: Mapping[str, BottleAndCup], held: Sequence[BottleAndCup]) -> EarlierRead:
    """Return the largest weight of layer 0 from a noun to the ending, in either sentence, and test what it's good for.

    Args:
        pair: ending -> the sentence with that ending.
        held: the sentences in which the answers are counted, with this one link cut.
    """
    ids, _ = referents.encode_referent_sentences([*pair.values()])
    with torch.no_grad(), Trace(model) as trace:
        model(torch.from_numpy(ids))
    nouns = (referents.FIRST_POSITION, referents.SECOND_POSITION)
    links = trace["blocks.0.attn.weights"][:, :, nouns, referents.ENDING_POSITION].numpy()  # (2, H, 2)
    which, head, noun = map(int, np.unravel_index(int(links.argmax()), links.shape))
    position = nouns[noun]

    def cut(weights: torch.Tensor) -> torch.Tensor:
        weights = weights.clone()
        weights[:, head, position, referents.ENDING_POSITION] = 0
        return weights / weights.sum(-1, keepdim=True)

    held_ids, answers = map(torch.from_numpy, referents.encode_referent_sentences(held))
    with torch.no_grad(), Trace(model, {"blocks.0.attn.weights": cut}):
        said = model(held_ids)[:, referents.IT_POSITION].argmax(-1)
    weight = float(links[which, head, noun])
    return EarlierRead(0, head, position, [*pair][which], weight, int((said == answers).sum()))


class NounAttention(Result):
    """Attention of "it", averaged over sentences, for each head (L, H)."""

    right: NDArray[np.float64]  # mean weight on the noun that "it" refers to
    other: NDArray[np.float64]  # mean weight on the other noun

    @property
    def best(self) -> tuple[int, int]:
        """The head that prefers the right noun most: (layer, head)."""
        layer, head = np.unravel_index(int((self.right - self.other).argmax()), self.right.shape)
        return int(layer), int(head)


def measure_noun_attention(model: nn.Module, sentences: Sequence[BottleAndCup]) -> NounAttention:
    """Measure for each head how much "it" looks at the right noun."""
    ids, _ = referents.encode_referent_sentences(sentences)
    with torch.no_grad(), Trace(model) as trace:
        model(torch.from_numpy(ids))
    n_layer = int(model.config.n_layer)  # type: ignore[union-attr, arg-type]
    keys = [f"blocks.{layer}.attn.weights" for layer in range(n_layer)]
    rows = torch.stack([trace[key][:, :, referents.IT_POSITION] for key in keys], 1).double().numpy()  # (N, L, H, T)
    right = np.array([referents.referent_position(sentence) for sentence in sentences])
    other = referents.FIRST_POSITION + referents.SECOND_POSITION - right
    each = np.arange(len(sentences))
    return NounAttention(right=rows[each, :, :, right].mean(0), other=rows[each, :, :, other].mean(0))


class HeadImportance(NounAttention):
    """The same, and the loss without each head."""

    rise: NDArray[np.float64]  # (L, H) rise of the answer's loss when the head alone is off, nats
    accuracy_without_layer: NDArray[np.float64]  # (L,) fraction of right answers with all heads of a layer off


def measure_head_importance(model: nn.Module, sentences: Sequence[BottleAndCup]) -> HeadImportance:
    """Compare the weights of every head with the rise of the loss without it."""
    ids, answers = (torch.from_numpy(array) for array in referents.encode_referent_sentences(sentences))
    looks = measure_noun_attention(model, sentences)
    n_layer, n_head = looks.right.shape

    def loss(logits: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(logits[:, referents.IT_POSITION], answers)

    def accuracy_without(layer: int) -> float:
        logits = ablate_heads(model, ids, [(layer, head) for head in range(n_head)])
        return float((logits[:, referents.IT_POSITION].argmax(-1) == answers).double().mean())

    return HeadImportance(
        right=looks.right,
        other=looks.other,
        rise=loss_rise_per_head(model, ids, loss),
        accuracy_without_layer=np.array([accuracy_without(layer) for layer in range(n_layer)]),
    )
