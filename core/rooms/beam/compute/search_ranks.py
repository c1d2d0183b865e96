"""Where searches land among all texts of a tiny model: greedy search, and beam search with each number of beams."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from core.exhibit import Result
from core.generate.beam import beam_search
from core.rooms.beam.compute import enumeration
from core.rooms.beam.compute.enumeration import Tables, Texts

MOST_LISTED = 8  # texts in the table below the chart, before those that somebody found


class Line(NamedTuple):
    """A text of the list: its rank from 1, probability and score, which searches end there, how often it was drawn."""

    rank: int
    text: str
    probability: float
    score: float
    searches: str
    n_drawn: int


class SearchRanks(Result):
    """All M texts of a model, ranked, and where each search lands."""

    known: Tables  # the model, as tables
    tokens: tuple[str, ...]  # (V,) the words
    texts: Texts  # all of them
    scores: Float[NDArray[np.float64], " M"]  # (M,) log_prob / length ** length_penalty
    ranks: Int[NDArray[np.int64], " M"]  # (M,) from 0
    order: Int[NDArray[np.int64], " M"]  # (M,) places, the best first
    best: int  # place of the text with the best score
    empty: int  # place of the text that ends at once
    greedy: int  # place of greedy search's text in `texts`
    beams: tuple[int, ...]  # place of the best text of beam search with B = 1, 2, ...
    first: int | None  # the smallest B that finds the best text
    worse: int | None  # the smallest B that lands at a worse rank than B - 1
    samples: Int[NDArray[np.int64], " S"]  # places of sampled texts

    def rank(self, place: int) -> int:
        """From 1."""
        return int(self.ranks[place]) + 1

    def probability(self, place: int) -> float:
        """The exact probability of a text."""
        return float(np.exp(self.texts.log_probs[place]))

    def words(self, place: int) -> str:
        """A text as it is read."""
        return " ".join(self.tokens[i] for i in self.texts.new_ids(place))

    def line(self, place: int) -> Line:
        beams = [b for b, at in enumerate(self.beams, start=1) if at == place]
        searches = ["greedy"] * (place == self.greedy) + [f"B = {_ranges(beams)}"] * bool(beams)
        return Line(
            self.rank(place),
            self.words(place),
            self.probability(place),
            float(self.scores[place]),
            ", ".join(searches),
            int((self.samples == place).sum()),
        )

    @property
    def landed(self) -> list[Line]:
        """Where the searches end."""
        return [self.line(place) for place in dict.fromkeys((self.greedy, *self.beams))]

    @property
    def listed(self) -> list[Line]:
        """The best texts, then where the searches end."""
        best = [self.line(place) for place in self.order[:MOST_LISTED].tolist()]
        return list(dict.fromkeys([*best, *sorted(self.landed)]))

    @property
    def formula(self) -> str:
        """The probability of the best text, factor by factor."""
        new = self.texts.new_ids(self.best)
        factors = r" \cdot ".join(f"{self.known.after(new[:k])[token]:.3f}" for k, token in enumerate(new))
        return rf"p(\text{{best}}) = {factors} = {self.probability(self.best):.3f}"

    def table(self) -> dict[str, Any]:
        return {
            "rank": np.arange(1, len(self.order) + 1),
            "text": [self.words(place) for place in self.order.tolist()],
            "probability": np.exp(self.texts.log_probs[self.order]),
            "score": self.scores[self.order],
            "tokens": self.texts.lengths[self.order],
        }


def search_ranks(
    known: Tables, tokens: Sequence[str], length_penalty: float, most_beams: int, n_sample: int = 0, seed: int = 0
) -> SearchRanks:
    """Rank all texts, and search with B = 1 to most_beams, under the same score.

    Args:
        tokens: (V,) the words.
    """
    texts = enumeration.every_text(known)
    scores, ranks = enumeration.ranking(texts, length_penalty)
    searches = [
        beam_search(
            known.next_log_probs,
            known.start,
            n_beam,
            known.max_new_tokens,
            eos_id=known.eos_id,
            length_penalty=length_penalty,
        )
        for n_beam in range(1, most_beams + 1)
    ]
    n_start = len(known.start)
    greedy, *beams = (
        enumeration.place_of(texts, new)
        for new in (enumeration.greedy(known), *(found.hypotheses[0].ids[n_start:] for found in searches))
    )
    order = np.argsort(ranks)
    best, falls = int(order[0]), np.flatnonzero(np.diff(ranks[beams]) > 0)
    return SearchRanks(
        known=known,
        tokens=tuple(tokens),
        texts=texts,
        scores=scores,
        ranks=ranks,
        order=order,
        best=best,
        empty=enumeration.place_of(texts, [known.eos_id]),
        greedy=greedy,
        beams=tuple(beams),
        first=beams.index(best) + 1 if best in beams else None,
        worse=int(falls[0]) + 2 if len(falls) else None,
        samples=enumeration.draw(texts, n_sample, seed),
    )


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in words: "2", "3 to 8", gaps are listed."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)
