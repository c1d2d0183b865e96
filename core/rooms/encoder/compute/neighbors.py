"""What can be told from the two neighbors of a gap alone: counts of words between words, and no model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Neighbors:
    """How often each word stood between each two others."""

    between: NDArray[np.float32]  # (V, V, V) counts: left neighbor, right neighbor, word

    @property
    def vocab_size(self) -> int:
        return self.between.shape[0]

    def probabilities(self, left: Ids, right: Ids) -> NDArray[np.float64]:
        """(N, V) of the word between these neighbors.

        Where the pair was never seen, the two sides are asked separately and their answers averaged; a neighbor that is
        no word (a mask, an end) tells nothing, and then words count by how often they occur.
        """
        v = self.vocab_size
        overall = self.between.sum((0, 1)) + 1.0
        overall = overall / overall.sum()
        by_left, by_right = self.between.sum(1), self.between.sum(0)
        out = np.empty((len(left), v))
        for i, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            sides = [
                _mixed(by_left[a], overall) if a < v else overall,
                _mixed(by_right[b], overall) if b < v else overall,
            ]
            backed = (sides[0] + sides[1]) / 2
            out[i] = _mixed(self.between[a, b], backed) if a < v and b < v else backed
        return out


def count(ids: Ids, vocab_size: int) -> Neighbors:
    """Count all triples of a text."""
    left, word, right = ids[:-2], ids[1:-1], ids[2:]
    keys = (left * vocab_size + right) * vocab_size + word
    counts = np.bincount(keys, minlength=vocab_size**3).astype(np.float32)
    return Neighbors(counts.reshape(vocab_size, vocab_size, vocab_size))


def _mixed(counts: NDArray[np.float32], backed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Counts, and one more shared out as `backed` says: what was never seen keeps some probability."""
    mixed: NDArray[np.float64] = (counts + backed) / (counts.sum() + 1.0)
    return mixed
