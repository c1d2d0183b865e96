"""What all tokenizers share: the protocol, checked ids, the file; and tokens that are strings of bytes."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Protocol

from core.data import checks
from core.data.files import write_atomic
from core.data.printable import printable

N_BYTE = 256


class Tokenizer(Protocol):
    """What every kind can do. Ids outside of the vocabulary raise ValueError."""

    @property
    def kind(self) -> str: ...

    @property
    def vocab_size(self) -> int: ...

    def encode(self, text: str) -> list[int]: ...

    def decode(self, ids: Iterable[int]) -> str: ...

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """One printable string per id."""
        ...

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json` into the folder."""
        ...


class ByteTokenizer(ABC):
    """Tokens are byte strings, so every text can be encoded, and comes back unchanged.

    The one exception are lone surrogates, which are no characters: they become `�` first (see `printable.clean`).
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def vocab_size(self) -> int: ...

    @abstractmethod
    def token_bytes(self, i: int) -> bytes:
        """b"" for an id that belongs to no token."""

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; bytes that form no character become `�`. Raises ValueError for unknown ids."""
        return b"".join([self.token_bytes(i) for i in check_ids(ids, self.vocab_size)]).decode("utf-8", "replace")

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """One printable string per id; parts of characters are drawn as `⟨E2⟩`. Raises ValueError for unknown ids."""
        return [printable(self.token_bytes(i)) or unused_name(i) for i in check_ids(ids, self.vocab_size)]


def unused_name(i: int) -> str:
    """What an id is called that belongs to no token."""
    return f"⟨unused {i}⟩"


def check_ids(ids: Iterable[int], vocab_size: int) -> list[int]:
    """Plain ints, each inside of the vocabulary: a negative id must not silently count from the end.

    Raises ValueError if one is not, TypeError if they are no whole numbers.
    """
    checked = checks.token_ids("ids", ids)
    for i in checked:
        if not 0 <= i < vocab_size:
            raise ValueError(f"token id {i} is outside the vocabulary: ids go from 0 to {vocab_size - 1}")
    return checked


def save_json(folder: Path | str, kind: str, content: dict[str, object]) -> None:
    """Write `tokenizer.json` in our own format, version 1."""
    data = {"format": "glassformer-tokenizer", "version": 1, "kind": kind, **content}
    write_atomic(checks.path("folder", folder) / "tokenizer.json", json.dumps(data, ensure_ascii=False).encode("utf-8"))


def until(ids: Iterable[int], end_id: int) -> list[int]:
    """The ids before the first end token; all of them where there is none."""
    ids = list(ids)
    return ids[: ids.index(end_id)] if end_id in ids else ids


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

    def __getattr__(self, name: str) -> object:
        if name == "base":  # not there yet while it is copied
            raise AttributeError(name)
        return getattr(self.base, name)
