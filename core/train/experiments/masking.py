"""Masked language modeling: hide some tokens of a text, and predict them.

15% of all tokens are chosen. Of these, 80% become the mask token, 10% a random token, and 10% stay unchanged. The model
has to predict all three kinds, so it can never be sure that a token it sees is right. 12% of the whole text are masks.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

KEPT, MASKED, REPLACED, UNCHANGED = range(4)  # the fate of a token; the last three were chosen
BERT_RULE = (0.8, 0.1, 0.1)  # of the chosen tokens: masked, replaced, unchanged
ONLY_MASKS = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class CorruptedBatch:
    """A batch as the model reads it."""

    inputs: Int[Tensor, "B T"]  # (B, T) with masks and replaced tokens
    targets: Int[Tensor, "B T"]  # (B, T) the true tokens
    fate: Int[Tensor, "B T"]  # (B, T) KEPT, MASKED, REPLACED or UNCHANGED

    @property
    def chosen(self) -> Bool[Tensor, "B T"]:
        """The tokens that the model has to predict, as a mask."""
        return self.fate != KEPT


def corrupt_tokens(
    ids: Int[Tensor, "B T"],
    eligible: Bool[Tensor, "B T"],
    mask_id: int,
    n_plain: int,
    generator: torch.Generator,
    share: float = 0.15,
    rule: tuple[float, float, float] = BERT_RULE,
) -> CorruptedBatch:
    """Choose tokens independently, and change them by the rule of 80/10/10.

    Args:
        ids: the text.
        eligible: True for tokens that may be chosen, which are not special tokens or padding.
        mask_id: the mask token.
        n_plain: ids below this are plain tokens, from which a replacement is drawn; it may be the true one.
        generator: of all draws.
        share: of the eligible tokens that are chosen.
        rule: shares of the chosen tokens that are masked, replaced, and left unchanged.

    Raises ValueError if a share is not between 0 and 1, or the shares of the rule don't add up to 1.

    Source: Devlin et al. 2018, section 3.1 and appendix A.1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share={share} is not between 0 and 1")
    if min(rule) < 0 or not math.isclose(sum(rule), 1):
        raise ValueError(f"the shares {rule} of masked, replaced and unchanged do not add up to 1")
    chosen = (torch.rand(ids.shape, generator=generator) < share) & eligible
    lot = torch.rand(ids.shape, generator=generator)
    other = torch.randint(n_plain, ids.shape, generator=generator)
    masked, replaced, _ = rule
    fate = torch.where(lot < masked, MASKED, torch.where(lot < masked + replaced, REPLACED, UNCHANGED))
    fate = torch.where(chosen, fate, KEPT)
    inputs = torch.where(fate == MASKED, mask_id, torch.where(fate == REPLACED, other, ids))
    return CorruptedBatch(inputs, ids, fate)


def masked_token_loss(logits: Float[Tensor, "B T V"], batch: CorruptedBatch) -> Float[Tensor, ""]:
    """Return the mean negative log-probability of the true tokens at the chosen places, in nats; nan if none is."""
    return F.cross_entropy(logits[batch.chosen].float(), batch.targets[batch.chosen])


def binomial_mean_and_deviation(n: int, share: float) -> tuple[float, float]:
    """Return the mean n p and the deviation sqrt(n p (1 - p)) of the number of tokens that are chosen independently.

    Source: the binomial distribution.
    """
    return n * share, math.sqrt(n * share * (1 - share))
