"""A tokenizer of fewer tokens than its model has outputs, as where a vocabulary was rounded up for speed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.data.tokenizers.base import Tokenizer, check_ids, unused_name


class PaddedTokenizer:
    """The tokenizer `base`, and behind its tokens as many unused ids as the model knows: they have names, and no text.

    What else the base can do, this one can, too.
    """

    def __init__(self, base: Tokenizer, vocab_size: int) -> None:
        self.base, self.n_token, self.vocab_size = base, base.vocab_size, vocab_size

    @property
    def kind(self) -> str:
        return self.base.kind

    def encode(self, text: str) -> list[int]:
        return self.base.encode(text)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids, nothing for an unused one. Raises ValueError for an id that the model doesn't know."""
        return self.base.decode([i for i in check_ids(ids, self.vocab_size) if i < self.n_token])

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """One printable string per id. Raises ValueError for an id that the model doesn't know."""
        known = check_ids(ids, self.vocab_size)
        return [self.base.tokens([i])[0] if i < self.n_token else unused_name(i) for i in known]

    def save(self, folder: Path | str) -> None:
        """Write the base's `tokenizer.json`."""
        self.base.save(folder)

    def __getattr__(self, name: str) -> Any:
        if name == "base":  # not there yet while it is copied
            raise AttributeError(name)
        return getattr(self.base, name)
