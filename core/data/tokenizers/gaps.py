"""A tokenizer for a model that fills gaps: any other one, and two tokens more."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from core.data.tokenizers.base import Tokenizer, check_ids, save_json

CLASS, MASK = "<class>", "<mask>"


class GapTokenizer:
    """`<class>` stands before every text, and `<mask>`, written into a text, is a gap.

    The tokenizer `base` cuts everything else; its ids stay what they are, and those of the two come after them.
    """

    def __init__(self, base: Tokenizer) -> None:
        self.base = base
        self.class_id, self.mask_id = base.vocab_size, base.vocab_size + 1
        self.before = [self.class_id]

    @property
    def kind(self) -> str:
        return self.base.kind

    @property
    def vocab_size(self) -> int:
        return self.base.vocab_size + 2

    @property
    def unknown_id(self) -> int | None:
        return getattr(self.base, "unknown_id", None)

    def encode(self, text: str) -> list[int]:
        """`<class>`, then the text; a space before a gap belongs to what was hidden."""
        pieces = re.split(f" ?{MASK}", text)
        ids = [self.class_id, *self.base.encode(pieces[0])]
        for piece in pieces[1:]:
            ids += [self.mask_id, *self.base.encode(piece)]
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text, gaps written as " <mask>", without `<class>`. Raises ValueError for an id outside of the list."""
        text, plain = [], []
        for i in check_ids(ids, self.vocab_size):
            if i < self.base.vocab_size:
                plain.append(i)
                continue
            text.append(self.base.decode(plain) + (f" {MASK}" if i == self.mask_id else ""))
            plain = []
        return "".join([*text, self.base.decode(plain)])

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """One printable string per id. Raises ValueError for an id outside of the list."""
        special = {self.class_id: CLASS, self.mask_id: MASK}
        return [special.get(i) or self.base.tokens([i])[0] for i in check_ids(ids, self.vocab_size)]

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json`: the other one's, with what makes it this one around it."""
        self.base.save(folder)
        base = json.loads((Path(folder) / "tokenizer.json").read_bytes())
        save_json(folder, "gaps", {"base": base})
