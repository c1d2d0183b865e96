"""Where searches land among all texts of a tiny model: greedy search, and beam search with each number of beams."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from core.generate.beam import beam_search
from core.rooms.beam.compute.enumeration import Tables, Texts, every_text, greedy, place_of, ranking


@dataclass(frozen=True)
class SearchRanks:
    """All M texts of a model, ranked, and where each search lands.

    Attributes:
        texts: all of them.
        scores: (M,) log_prob / length ** length_penalty.
        ranks: (M,) from 0.
        greedy: place of greedy search's text in `texts`.
        beams: place of the best text of beam search with B = 1, 2, ...
    """

    texts: Texts
    scores: Float[NDArray[np.float64], " M"]
    ranks: Int[NDArray[np.int64], " M"]
    greedy: int
    beams: tuple[int, ...]

    @property
    def best(self) -> int:
        """The place of the text with the best score."""
        return int(self.ranks.argmin())

    @property
    def first(self) -> int | None:
        """The smallest B that finds the best text."""
        return next((b for b, place in enumerate(self.beams, start=1) if self.ranks[place] == 0), None)

    @property
    def worse(self) -> int | None:
        """The smallest B that lands at a worse rank than B - 1."""
        ranks = [self.rank(place) for place in self.beams]
        return next((b for b in range(2, len(ranks) + 1) if ranks[b - 1] > ranks[b - 2]), None)

    def rank(self, place: int) -> int:
        """From 1."""
        return int(self.ranks[place]) + 1

    def probability(self, place: int) -> float:
        """The exact probability of a text."""
        return float(np.exp(self.texts.log_probs[place]))

    def table(self, tokens: Sequence[str]) -> dict[str, Any]:
        """All texts, the best first.

        Args:
            tokens: (V,) the words.
        """
        order = np.argsort(self.ranks)
        return {
            "rank": np.arange(1, len(order) + 1),
            "text": [" ".join(tokens[i] for i in self.texts.new_ids(int(place))) for place in order],
            "probability": np.exp(self.texts.log_probs[order]),
            "score": self.scores[order],
            "tokens": self.texts.lengths[order],
        }


def search_ranks(known: Tables, length_penalty: float, most_beams: int) -> SearchRanks:
    """Rank all texts, and search with B = 1 to most_beams, under the same score.

    Args:
        known: the model, as tables.
        length_penalty: the exponent of the length in the score.
        most_beams: the largest B.
    """
    texts = every_text(known)
    scores, ranks = ranking(texts, length_penalty)
    beams = []
    for n_beam in range(1, most_beams + 1):
        found = beam_search(
            known.next_log_probs,
            known.start,
            n_beam,
            known.max_new_tokens,
            eos_id=known.eos_id,
            length_penalty=length_penalty,
        )
        beams.append(place_of(texts, found.hypotheses[0].ids[len(known.start) :]))
    return SearchRanks(texts, scores, ranks, place_of(texts, greedy(known)), tuple(beams))
