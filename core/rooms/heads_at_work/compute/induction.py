"""How two heads come to work together: one keeps, at each token, the token before; another looks for it later.

To continue "A B … A", a head at the second "A" has to find "B". It looks for a token whose predecessor is "A", and it
can only if an earlier layer has written that predecessor down.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Birth:
    """The scores of all heads over a training, of a model of two layers and of one of a single layer beside it."""

    steps: NDArray[np.integer]  # (F,) when their attention was looked at
    previous: NDArray[np.float64]  # (F, 2, H) previous-token scores of the two layers
    induction: NDArray[np.float64]  # (F, 2, H) their induction scores
    single: NDArray[np.float64]  # (F,) the best induction score of the single layer

    @property
    def writer(self) -> int:
        """The head of layer 0 that in the end reads the token before more than the others do."""
        return int(self.previous[-1, 0].argmax())

    @property
    def reader(self) -> int:
        """The head of layer 1 that in the end reads what followed last time more than the others do."""
        return int(self.induction[-1, 1].argmax())

    @property
    def curves(self) -> dict[str, NDArray[np.float64]]:
        """The scores of these two heads and of the single layer, (F,) each."""
        return {
            f"head 0.{self.writer}: previous token": self.previous[:, 0, self.writer],
            f"head 1.{self.reader}: induction": self.induction[:, 1, self.reader],
            "one layer: induction (best head)": self.single,
        }

    def table(self, losses: Mapping[str, NDArray[np.floating]]) -> dict[str, Any]:
        """One line for each look. losses: (F,) of each model by its name, nats per token."""
        return {"step": self.steps} | {f"loss, {name}": loss for name, loss in losses.items()} | self.curves
