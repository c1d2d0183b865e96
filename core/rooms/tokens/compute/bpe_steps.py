"""Byte-pair encoding, learned slowly and in plain sight: every pair is counted anew before every merge.

`core.data.tokenizers.bpe` lets a library do the same work on megabytes. This one is for reading and for watching: some
two thousand bytes, and all that was counted on the way.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tokenizers import Regex, pre_tokenizers

from core.data.printable import clean
from core.data.tokenizers.base import N_BYTE
from core.data.tokenizers.bpe import PATTERN

Pair = tuple[bytes, bytes]


@dataclass(frozen=True)
class MergeStep:
    """One merge, and what was counted before it."""

    pair: Pair  # the two tokens that stood side by side most often
    count: int  # how often
    token: bytes  # the two glued together: the new token
    # the most frequent pairs and their counts, in the order in which they would be chosen; the first is `pair`
    top: tuple[tuple[Pair, int], ...]
    n_pair: int  # how many different pairs there were


def learn(text: str, n_merge: int, n_top: int = 8) -> Iterator[MergeStep]:
    """Learn merges from a text, one at a time; ends early when every piece has become a single token.

    Pairs are counted inside of pieces only (a word with its space, a number, signs), never across their borders.
    Overlapping places count each: "aaa" holds the pair (a, a) twice, although only one of the two can be merged.

    Ties between equally frequent pairs go to the lower first token, then to the lower second one. Bytes come before
    merged tokens, among bytes the printable ones first, and merged tokens stand in the order in which they were made:
    the order of the `tokenizers` library, so that both learn the same merges (see `BPETokenizer`).

    Args:
        n_merge: merges wanted at most.

    Source: Sennrich, Haddow and Birch 2015, "Neural Machine Translation of Rare Words with Subword Units", algorithm 1.
    """
    frequency = Counter(pieces(text))
    spelling = {piece: [bytes([byte]) for byte in piece] for piece in frequency}
    rank = {bytes([byte]): place for place, byte in enumerate(byte_order())}
    for _ in range(n_merge):
        counts: Counter[Pair] = Counter()
        for piece, tokens in spelling.items():
            for pair in pairwise(tokens):
                counts[pair] += frequency[piece]
        if not counts:
            return
        order = sorted(counts, key=lambda pair: (-counts[pair], rank[pair[0]], rank[pair[1]]))
        best = order[0]
        token = best[0] + best[1]
        yield MergeStep(best, counts[best], token, tuple((pair, counts[pair]) for pair in order[:n_top]), len(counts))
        rank.setdefault(token, len(rank))
        spelling = {piece: merge(tokens, best) for piece, tokens in spelling.items()}


def merge(tokens: list[bytes], pair: Pair) -> list[bytes]:
    """Glue the pair together wherever it stands, from left to right."""
    merged: list[bytes] = []
    place = 0
    while place < len(tokens):
        width = 2 if tuple(tokens[place : place + 2]) == pair else 1
        merged.append(b"".join(tokens[place : place + width]))
        place += width
    return merged


def pieces(text: str) -> list[bytes]:
    """Cut a text where no merge may cross: into words with their spaces, numbers, signs and white space."""
    cut = pre_tokenizers.Split(Regex(PATTERN), "isolated").pre_tokenize_str(clean(text))
    return [piece.encode("utf-8") for piece, _ in cut]


def byte_order() -> list[int]:
    """All 256 bytes as ties are broken: those that are a printable sign in Latin-1 first, then the others."""
    return sorted(range(N_BYTE), key=lambda byte: (not chr(byte).isprintable() or chr(byte) == " ", byte))
