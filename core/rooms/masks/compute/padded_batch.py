"""A batch of texts of different length: what padding does to their outputs, with and without a padding mask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.nn import masks
from core.rooms.masks.compute.masks import run_under

# (causal, masked, left) -> what is compared
CASES: Mapping[tuple[bool, bool, bool], str] = MappingProxyType(
    {
        (True, False, False): "decoder, causal mask only",
        (True, True, False): "decoder, causal and padding mask",
        (False, False, False): "encoder, no mask",
        (False, True, False): "encoder, padding mask",
        (True, True, True): "decoder, padded on the left, both masks",
    }
)
Texts = Sequence[Sequence[int]]


@dataclass(frozen=True)
class PaddedBatch:
    """Who may read whom in a padded batch, and why not."""

    ids: NDArray[np.int64]  # (B, T) the texts, padding included
    lengths: NDArray[np.int64]  # (B,) number of real tokens of each
    padding: NDArray[np.bool_]  # (B, T, T) True where the key is no padding
    causal: NDArray[np.bool_]  # (T, T) True where the key is not later than the query

    @property
    def both(self) -> NDArray[np.bool_]:
        """(B, T, T) what a decoder uses."""
        both: NDArray[np.bool_] = self.padding & self.causal
        return both


@dataclass(frozen=True)
class Change:
    """By how much padding changed the outputs of real tokens."""

    causal: bool  # whether later tokens were hidden
    masked: bool  # whether padding was hidden
    left: bool  # whether the padding stood before the text and not after it
    largest: float  # largest change of a number in the last layer's output at a real token, against the text alone
    by_text: NDArray[np.float64]  # (B,) the same for each text


@dataclass(frozen=True)
class BatchRecord:
    """A padded batch, and what padding changed in it."""

    tokens: tuple[tuple[str, ...], ...]  # (B, T) padding included
    batch: PaddedBatch  # ids and masks
    changes: tuple[Change, ...]  # case by case

    def at_right(self, *, causal: bool, masked: bool) -> Change:
        """What padding after the text changes."""
        return next(one for one in self.changes if (one.causal, one.masked, one.left) == (causal, masked, False))

    @property
    def formula(self) -> str:
        """How many cells are open."""
        lengths, both = self.batch.lengths, self.batch.both
        return (
            rf"\text{{lengths}} = ({', '.join(map(str, lengths))}),\ \text{{padded to }} {both.shape[1]}:\ "
            rf"{int(both.sum())} \text{{ of }} {both.size} \text{{ cells are open}}"
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Ids, lengths and masks."""
        batch = self.batch
        return {"ids": batch.ids, "lengths": batch.lengths, "padding": batch.padding, "both": batch.both}

    def table(self) -> dict[str, list[Any]]:
        """One line for each case: the largest change of all, and of each text."""
        table: dict[str, list[Any]] = {
            "case": [CASES[one.causal, one.masked, one.left] for one in self.changes],
            "largest change": [one.largest for one in self.changes],
        }
        return table | {
            f"text {b + 1}": [float(one.by_text[b]) for one in self.changes] for b in range(len(self.tokens))
        }


def pad(texts: Texts, n_token: int, pad_id: int, left: bool = False) -> Int[Tensor, "B T"]:
    """Texts of different length as one rectangle.

    Raises:
        ValueError: if a text is empty or longer than n_token.
    """
    for text in texts:
        if not 0 < len(text) <= n_token:
            raise ValueError(f"a text has {len(text)} tokens, the batch holds 1 to {n_token}")
    rows = [[*[pad_id] * (n_token - len(t)), *t] if left else [*t, *[pad_id] * (n_token - len(t))] for t in texts]
    return torch.tensor(rows)


def padded_batch(texts: Texts, n_token: int, pad_id: int) -> PaddedBatch:
    """The texts, padded on the right, and their masks."""
    ids = pad(texts, n_token, pad_id)
    lengths = torch.tensor([len(text) for text in texts])
    padding = masks.padding(lengths, n_token)[:, 0].expand(-1, n_token, -1)  # (B, T, T)
    return PaddedBatch(ids.numpy(), lengths.numpy(), padding.numpy(), masks.causal(n_token).numpy())


def changes_by_padding(model: nn.Module, texts: Texts, n_token: int, pad_id: int) -> tuple[Change, ...]:
    """Compare the outputs of each text in the padded batch with those of the text alone.

    The model runs as a decoder (causal) and, with the same weights, as an encoder (every token reads all), each with
    and without the padding mask; at the end as a decoder whose batch is padded on the left and masked, but whose
    positions are counted from the padding on.

    Args:
        pad_id: token that fills the gaps; any, for nobody should read it.
    """
    device = next(model.parameters()).device
    lengths = torch.tensor([len(text) for text in texts])
    real = masks.padding(lengths, n_token)  # (B, 1, 1, T)
    found = []
    for causal, masked, left in CASES:
        mask = _order(causal, n_token)[None, None]
        if masked:
            mask = mask & (real.flip(-1) if left else real)
        outputs = run_under(model, pad(texts, n_token, pad_id, left).to(device), mask)["final"]  # (B, T, D)
        by_text = []
        for text, output in zip(texts, outputs, strict=True):
            alone = run_under(model, torch.tensor([list(text)]).to(device), _order(causal, len(text)))["final"][0]
            own = output[n_token - len(text) :] if left else output[: len(text)]
            by_text.append(float((own - alone).abs().max()))
        found.append(Change(causal, masked, left, max(by_text), np.array(by_text)))
    return tuple(found)


def _order(causal: bool, n_token: int) -> Bool[Tensor, "T T"]:
    return masks.causal(n_token) if causal else masks.full(n_token)
