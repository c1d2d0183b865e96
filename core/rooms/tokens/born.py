"""Byte-pair encoding (BPE) learned step by step: every pair is counted again before every merge.

`core.data.tokenizers.bpe` lets a library do the same work on megabytes. This version is for reading and watching:
about two thousand bytes, all the counts, and the effect of each merge on the text.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, pre_tokenizers

from core import ui
from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.printable import printable_text, replace_surrogates
from core.data.tokenizers.bpe import PATTERN
from core.data.tokenizers.tokenizer_base import N_BYTE
from core.exhibit import Inputs as Base, Table, content_key, segmented_control, slider, text_area

LABELS = module_labels(__name__)

BytePair = tuple[bytes, bytes]
NEVER_MERGED = 2**31 - 1  # later than any merge
N_TOP = 6  # pairs listed at each step


@dataclass(frozen=True)
class MergeStep:
    """One merge, and the counts before it."""

    pair: BytePair  # the most frequent pair of adjacent tokens
    count: int  # its frequency
    token: bytes  # the new token: both concatenated
    # the most frequent pairs and their counts, in the order in which they would be chosen; the first is `pair`
    top: tuple[tuple[BytePair, int], ...]
    n_pair: int  # number of distinct pairs


def learn_merges(text: str, n_merge: int, n_top: int = N_TOP) -> Iterator[MergeStep]:
    """Learn merges from a text, one at a time; end early when every piece has become a single token.

    Pairs are counted only within pieces (a word with its space, a number, signs), never across their borders.
    Overlapping occurrences all count: "aaa" contains the pair (a, a) twice, although only one of the two can be merged.

    Among equally frequent pairs, the one with the lower first token wins, then the one with the lower second token.
    Bytes come before merged tokens, among bytes the printable ones first, and merged tokens are in the order of their
    creation. This is the order of the `tokenizers` library, so both learn the same merges (see `BPETokenizer`).

    Source: Sennrich, Haddow and Birch 2015, "Neural Machine Translation of Rare Words with Subword Units", algorithm 1.
    """
    frequency = Counter(split_pieces(text))
    spelling = {piece: [bytes([byte]) for byte in piece] for piece in frequency}
    rank = {bytes([byte]): place for place, byte in enumerate(byte_order())}
    for _ in range(n_merge):
        counts: Counter[BytePair] = Counter()
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
        spelling = {piece: merge_pair(tokens, best) for piece, tokens in spelling.items()}


def merge_pair(tokens: list[bytes], pair: BytePair) -> list[bytes]:
    """Merge the pair wherever it occurs, from left to right."""
    merged: list[bytes] = []
    place = 0
    while place < len(tokens):
        width = 2 if tuple(tokens[place : place + 2]) == pair else 1
        merged.append(b"".join(tokens[place : place + width]))
        place += width
    return merged


def split_pieces(text: str) -> list[bytes]:
    """Split a text where no merge may cross: into words with their spaces, numbers, signs and white space."""
    cut = pre_tokenizers.Split(Regex(PATTERN), "isolated").pre_tokenize_str(replace_surrogates(text))
    return [piece.encode("utf-8") for piece, _ in cut]


def byte_order() -> list[int]:
    """Return all 256 bytes in the order that breaks ties: printable Latin-1 characters first, then the others."""
    return sorted(range(N_BYTE), key=lambda byte: (not chr(byte).isprintable() or chr(byte) == " ", byte))


@dataclass(frozen=True)
class MergeFilm:
    """A text and its merges, small enough to be sent whole.

    Merged tokens never separate again. So it is enough to know, for each border between two bytes, the merge that
    removes it: after k merges exactly the borders with `gone > k` are left.
    """

    content: NDArray[np.uint8]  # (N,) uint8, the bytes of the text
    # (N,) int32, the merge (1 is the first) that joins byte i and byte i + 1; `NEVER_MERGED` if none does
    gone: NDArray[np.int32]
    n_token: NDArray[np.int32]  # (M + 1,) int32, tokens of the text after 0 to M merges
    steps: tuple[MergeStep, ...]  # the M merges
    is_complete: bool  # True if nothing is left to merge

    def tokens(self, n_merge: int) -> list[bytes]:
        """Return the text as tokens after n_merge merges."""
        ends = [0, *(np.flatnonzero(self.gone > n_merge) + 1).tolist()]
        content = self.content.tobytes()
        return [content[start:end] for start, end in pairwise(ends)]

    def ids(self) -> dict[bytes, int]:
        """Return the id of each token that occurs: a byte's id is its value, and merged tokens continue from 256."""
        known = {bytes([byte]): byte for byte in sorted(set(self.content.tolist()))}
        made = dict.fromkeys(step.token for step in self.steps)
        return known | {token: N_BYTE + number for number, token in enumerate(made)}

    @property
    def formula(self) -> str:
        """The shortening of the text by all merges."""
        merges, n_byte, tokens = LABELS.options("formula", "merges", "bytes", "tokens").values()
        arrow = rf"\xrightarrow{{\;{len(self.steps)}\ \text{{{merges}}}\;}}"
        return rf"{self.n_token[0]}\ \text{{{n_byte}}} \;{arrow}\; {self.n_token[-1]}\ \text{{{tokens}}}"

    def table(self) -> Table:
        """Return one row per merge."""
        ids = self.ids()
        names = [[one.decode("utf-8", "backslashreplace") for one in (*step.pair, step.token)] for step in self.steps]
        return {
            LABELS["table.merge"]: list(range(1, len(self.steps) + 1)),
            LABELS["table.left"]: [left for left, _, _ in names],
            LABELS["table.right"]: [right for _, right, _ in names],
            LABELS["table.new_token"]: [token for _, _, token in names],
            "id": [ids[step.token] for step in self.steps],
            LABELS["table.count"]: [step.count for step in self.steps],
            LABELS["table.different_pairs"]: [step.n_pair for step in self.steps],
            LABELS["table.tokens_after"]: self.n_token[1:].tolist(),
        }


def film_merges(text: str, n_merge: int, n_top: int = N_TOP) -> MergeFilm:
    """Learn merges from a text (see `learn_merges`) and follow each border between bytes; a short text has fewer."""
    steps = list(learn_merges(text, n_merge, n_top))
    spelling = [[bytes([byte]) for byte in piece] for piece in split_pieces(text)]
    content = np.frombuffer(replace_surrogates(text).encode("utf-8"), dtype=np.uint8)
    gone = np.full(len(content), NEVER_MERGED, dtype=np.int32)
    borders = _borders(spelling)
    n_token = [len(borders)]
    for number, step in enumerate(steps, start=1):
        spelling = [merge_pair(tokens, step.pair) for tokens in spelling]
        left = _borders(spelling)
        gone[sorted(borders - left)] = number
        borders = left
        n_token.append(len(borders))
    is_complete = all(len(tokens) < 2 for tokens in spelling)
    return MergeFilm(content, gone, np.array(n_token, dtype=np.int32), tuple(steps), is_complete)


def _borders(spelling: list[list[bytes]]) -> set[int]:
    """Return the places of the last bytes of all tokens."""
    lengths = [len(token) for tokens in spelling for token in tokens]
    return set((np.cumsum(lengths, dtype=np.int64) - 1).tolist())


def draw_merges(film: MergeFilm, *, key: str, label: str, start: int = 0) -> None:
    """Draw a scrubber over merges: the text as tokens, the counted pairs, the pair merged, the number of tokens.

    Args:
        film: the merges.
        key: of the widget on its page.
        label: a name of the text, for screen readers.
        start: merges made at first.
    """
    ids = film.ids()
    place = {token: i for i, token in enumerate(ids)}
    ui.mount_widget(
        "merges",
        key=key,
        # Latin-1 has one character for each byte, so the script finds any piece of the text by its bytes.
        tokens=[[token.decode("latin-1"), printable_text(token), number] for token, number in ids.items()],
        steps=[
            [
                place[step.pair[0]],
                place[step.pair[1]],
                place[step.token],
                step.count,
                step.n_pair,
                [[place[left], place[right], count] for (left, right), count in step.top],
            ]
            for step in film.steps
        ],
        complete=film.is_complete,
        content_id=hashlib.blake2b(film.content.tobytes(), digest_size=8).hexdigest(),
        n_character=len(film.content.tobytes().decode("utf-8")),
        start=start,
        takeaway=LABELS(
            "merges_takeaway", label=label, n_merge=len(film.steps), n_token=film.n_token[-1], n_byte=film.n_token[0]
        ),
        content=film.content,
        gone=film.gone,
        n_token=film.n_token,
    )


# The words of the paper that introduced BPE for language, with their frequencies there.
CLASSIC_TEXT = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)
CORPUS = "python-topics"
MOST_BYTES = 2_000  # each byte is a chip before the first merge: more fill several screens
MOST_MERGES = 200
WRITTEN_KEY = "tokens.written"  # the visitor's text from the last learning, for later exhibits
CODE = (learn_merges, merge_pair, film_merges)


class Inputs(Base, prefix="born_"):
    source: str = segmented_control(("text", "corpus"), "text", name="born_from")
    text: str = text_area(
        CLASSIC_TEXT, height=122, name="born_text", when=lambda given: given.source == "text", help=LABELS["text.help"]
    )
    start: int = slider(0, 10, 4, depth="numbers")
    merges: int = slider(
        10, MOST_MERGES, 60, step=10, depth="numbers", help=LABELS("merges.help", most_merges=MOST_MERGES)
    )

    @property
    def content(self) -> bytes:
        """The whole text to learn from. Raises CorpusRefused."""
        text = self.text if self.source == "text" else corpora.load(CORPUS).text
        return text.encode("utf-8", "replace")

    @property
    def used(self) -> str:
        """The part that is used: at most 2,000 bytes, cut between two characters."""
        return self.content[:MOST_BYTES].decode("utf-8", "ignore")


def compute(inputs: Inputs) -> MergeFilm:
    """Count all pairs, merge the most frequent one, and repeat."""
    return film_merges(inputs.used, inputs.merges)


def draw(result: MergeFilm, inputs: Inputs) -> None:
    """Draw the scrubber over the merges."""
    if inputs.source == "text":
        ui.state.set_session_slot(WRITTEN_KEY, inputs.text)
    ui.add_template_values(n_byte=len(inputs.used.encode()), n_whole=len(inputs.content))
    key = f"born-{content_key(inputs.used)[:12]}"
    draw_merges(result, key=key, label=ui.section_text("label"), start=inputs.start)
