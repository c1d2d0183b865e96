"""Tokenizers for models that fill gaps: any other tokenizer with a few additional special tokens."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from core.data import checks
from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_base import Tokenizer, check_ids_in_vocabulary, save_glassformer_tokenizer

LABELS = module_labels(__name__)

CLASS, MASK = "<class>", "<mask>"
PAD, SENTINEL = "<pad>", "<extra_id_{}>"  # T5's names
MOST_SENTINELS = 1000


class AddedTokensTokenizer:
    """A tokenizer `base` with marks: tokens such as `<mask>` that represent gaps where they are written into a text.

    The base encodes everything else, and its ids don't change. After them come one token that no text has, then the
    marks.
    """

    before: list[int]  # ids that are put before every text

    def __init__(self, base: Tokenizer, silent: str, marks: Iterable[str]) -> None:
        self.base, self.marks = base, tuple(marks)
        self._special = {base.vocab_size + n: name for n, name in enumerate((silent, *self.marks))}
        self._ids = {name: i for i, name in self._special.items()}
        self._written = re.compile(f"( ?(?:{'|'.join(map(re.escape, self.marks))}))")
        self.before = []

    @property
    def kind(self) -> str:
        return self.base.kind

    @property
    def vocab_size(self) -> int:
        return self.base.vocab_size + len(self._special)

    @property
    def unknown_id(self) -> int | None:
        return getattr(self.base, "unknown_id", None)

    def pieces(self, text: str) -> list[str]:
        """Split the text into pieces, every second one a mark; a space before a mark belongs to the missing text."""
        return self._written.split(text)

    def encode(self, text: str) -> list[int]:
        """Encode the text, after the ids that are put before every text."""
        ids = [*self.before]
        for n, piece in enumerate(self.pieces(text)):
            ids += [self._ids[piece.strip(" ")]] if n % 2 else self.base.encode(piece)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Decode the text; marks are written as " <mask>", and the other special token is left out.

        Raises ValueError for an id outside of the vocabulary.
        """
        text, plain = [], []
        for i in check_ids_in_vocabulary(ids, self.vocab_size):
            if i < self.base.vocab_size:
                plain.append(i)
                continue
            mark = self._special[i]
            text.append(self.base.decode(plain) + (f" {mark}" if mark in self.marks else ""))
            plain = []
        return "".join([*text, self.base.decode(plain)])

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one printable string per id. Raises ValueError for an id outside of the vocabulary."""
        return [self._special.get(i) or self.base.tokens([i])[0] for i in check_ids_in_vocabulary(ids, self.vocab_size)]

    def _save(self, folder: Path | str, kind: str, more: dict[str, object]) -> None:
        self.base.save(folder)
        base = json.loads((Path(folder) / "tokenizer.json").read_bytes())
        save_glassformer_tokenizer(folder, kind, {"base": base, **more})


class MaskedTextTokenizer(AddedTokensTokenizer):
    """A tokenizer for a BERT: `<class>` is put before every text, and `<mask>` in a text is a gap of one token."""

    def __init__(self, base: Tokenizer) -> None:
        super().__init__(base, CLASS, [MASK])
        self.class_id, self.mask_id = base.vocab_size, base.vocab_size + 1
        self.before = [self.class_id]

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json`: the other one's, with what makes it this one around it."""
        self._save(folder, "gaps", {})


class SentinelTokenizer(AddedTokensTokenizer):
    """A tokenizer for a T5: the sentinels `<extra_id_0>`, `<extra_id_1>` and so on each represent a span of a text.

    Attributes:
        start_id, pad_id: the token with which an answer begins; T5 uses its padding token.
        sentinels: ids of all sentinels, in the order of the spans.
        end_id: the last of them, with which the answer to a training window ends.

    Raises ValueError if there are not 2 to 1,000 sentinels.
    """

    def __init__(self, base: Tokenizer, n_sentinel: int) -> None:
        if not 2 <= checks.check_whole("n_sentinel", n_sentinel) <= MOST_SENTINELS:
            raise ValueError(LABELS("n_sentinel", n_sentinel=n_sentinel, most=MOST_SENTINELS))
        super().__init__(base, PAD, map(SENTINEL.format, range(n_sentinel)))
        self.start_id = self.pad_id = base.vocab_size
        self.sentinels = range(base.vocab_size + 1, self.vocab_size)
        self.end_id = self.sentinels[-1]

    def end_of(self, ids: Iterable[int]) -> int:
        """Return the token that ends the answer to a text: the sentinel after its last one, if there is one."""
        used = [self.sentinels.index(i) for i in ids if i in self.sentinels]
        return self.sentinels[min(max(used, default=-1) + 1, len(self.sentinels) - 1)]

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json`: the other one's, with what makes it this one around it."""
        self._save(folder, "spans", {"n_sentinel": len(self.sentinels)})
