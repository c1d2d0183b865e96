"""The film of a vocabulary being born: what each merge does to the text that it is learned from."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.printable import clean
from core.data.tokenizers.base import N_BYTE
from core.rooms.tokens.compute.bpe_steps import MergeStep, learn, merge, pieces

NEVER = 2**31 - 1  # later than any merge


@dataclass(frozen=True)
class MergeFilm:
    """A text and its merges, small enough to be sent whole.

    Two tokens that are glued together never come apart again. So it is enough to know, for each border between two
    bytes, at which merge it goes: after k merges exactly the borders with `gone > k` are left.
    """

    content: NDArray[np.uint8]  # (N,) uint8, the bytes of the text
    # (N,) int32, the merge (1 is the first) that glues byte i to byte i + 1; `NEVER` if none does
    gone: NDArray[np.int32]
    n_token: NDArray[np.int32]  # (M + 1,) int32, tokens of the text after 0 to M merges
    steps: tuple[MergeStep, ...]  # the M merges
    is_complete: bool  # whether nothing is left to merge

    def tokens(self, n_merge: int) -> list[bytes]:
        """The text after so many merges."""
        ends = [0, *(np.flatnonzero(self.gone > n_merge) + 1).tolist()]
        content = self.content.tobytes()
        return [content[start:end] for start, end in pairwise(ends)]

    def ids(self) -> dict[bytes, int]:
        """The number of each token that occurs: a byte's is the byte, merged tokens are counted on from 256."""
        known = {bytes([byte]): byte for byte in sorted(set(self.content.tolist()))}
        made = dict.fromkeys(step.token for step in self.steps)
        return known | {token: N_BYTE + number for number, token in enumerate(made)}

    @property
    def formula(self) -> str:
        """How far all merges shorten the text."""
        arrow = rf"\xrightarrow{{\;{len(self.steps)}\ \text{{merges}}\;}}"
        return rf"{self.n_token[0]}\ \text{{bytes}} \;{arrow}\; {self.n_token[-1]}\ \text{{tokens}}"

    def table(self) -> dict[str, list[Any]]:
        """One line for each merge."""
        ids = self.ids()
        return {
            "merge": list(range(1, len(self.steps) + 1)),
            "left": [step.pair[0].decode("utf-8", "backslashreplace") for step in self.steps],
            "right": [step.pair[1].decode("utf-8", "backslashreplace") for step in self.steps],
            "new token": [step.token.decode("utf-8", "backslashreplace") for step in self.steps],
            "id": [ids[step.token] for step in self.steps],
            "count": [step.count for step in self.steps],
            "different pairs": [step.n_pair for step in self.steps],
            "tokens after": self.n_token[1:].tolist(),
        }


def film(text: str, n_merge: int, n_top: int = 8) -> MergeFilm:
    """Learn merges from a text (see `bpe_steps.learn`) and follow each border between its bytes.

    Args:
        n_merge: merges wanted; a short text has fewer.
    """
    steps = list(learn(text, n_merge, n_top))
    spelling = [[bytes([byte]) for byte in piece] for piece in pieces(text)]
    content = np.frombuffer(clean(text).encode("utf-8"), dtype=np.uint8)
    gone = np.full(len(content), NEVER, dtype=np.int32)
    borders = _borders(spelling)
    n_token = [len(borders)]
    for number, step in enumerate(steps, start=1):
        spelling = [merge(tokens, step.pair) for tokens in spelling]
        left = _borders(spelling)
        gone[sorted(borders - left)] = number
        borders = left
        n_token.append(len(borders))
    is_complete = all(len(tokens) < 2 for tokens in spelling)
    return MergeFilm(content, gone, np.array(n_token, dtype=np.int32), tuple(steps), is_complete)


def _borders(spelling: list[list[bytes]]) -> set[int]:
    """The places of the last bytes of all tokens."""
    lengths = [len(token) for tokens in spelling for token in tokens]
    return set((np.cumsum(lengths, dtype=np.int64) - 1).tolist())
