"""The loss of each token of a text, given the tokens before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.inspect.attention_record import as_batch

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class TokenLoss:
    """Arrays with an entry for each token; entry t is about token t, predicted from tokens 0..t-1.

    Nothing predicts token 0, so its entries are NaN and its rank is 0.
    """

    ids: Int[NDArray[np.int64], " T"]
    loss: Float[NDArray[np.float64], " T"]  # -log of the token's probability, nats
    probability: Float[NDArray[np.float64], " T"]
    rank: Int[NDArray[np.int64], " T"]  # 1 for the model's most probable token, 2 for the second, …
    entropy: Float[NDArray[np.float64], " T"]  # the expected loss under the model's distribution, nats
    mean: float  # mean loss of tokens 1..; NaN for a single token. exp(mean) is the perplexity

    def table(self, tokens: Sequence[str]) -> Table:
        """Return a table with a row for each token of the text."""
        return {
            LABELS["column.position"]: list(range(len(tokens))),
            LABELS["column.token"]: list(tokens),
            LABELS["column.id"]: self.ids.tolist(),
            LABELS["column.loss"]: self.loss,
            LABELS["column.probability"]: self.probability,
            LABELS["column.rank"]: self.rank,
        }


def token_loss(model: nn.Module, ids: Sequence[int] | Int[Tensor, " T"]) -> TokenLoss:
    """Return the loss, probability and rank of each token of a text under a causal model.

    Raises ValueError if the text does not fit the model.

    Source: Shannon 1948, section 6.
    """
    batch = as_batch(model, ids)
    with torch.no_grad():
        logits = model(batch)[0]
    return losses_from_logits(logits, batch[0])


def losses_from_logits(logits: Float[Tensor, "T V"], ids: Int[Tensor, " T"]) -> TokenLoss:
    """Compute the loss of each token from logits (T, V); row t scores token t + 1."""
    log_probabilities = logits[:-1].cpu().double().log_softmax(-1)  # (T - 1, V)
    own = log_probabilities.gather(-1, ids[1:, None].cpu())  # (T - 1, 1)
    rank = 1 + (log_probabilities > own).sum(-1)
    entropy = -(log_probabilities.exp() * log_probabilities.clamp(min=-1e300)).sum(-1)
    loss = -own.squeeze(-1)
    return TokenLoss(
        ids=ids.cpu().numpy(),
        loss=np.append(np.nan, loss),
        probability=np.append(np.nan, (-loss).exp()),
        rank=np.append(0, rank),
        entropy=np.append(np.nan, entropy),
        mean=float(loss.mean()) if len(loss) else float("nan"),
    )
