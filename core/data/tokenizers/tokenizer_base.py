"""Code shared by all tokenizers: the protocol, checks of ids, the file format; and tokenizers of byte strings."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Protocol

from core.data import checks
from core.data.files import write_atomic
from core.data.localization.labels import module_labels
from core.data.printable import printable_text

LABELS = module_labels(__name__)

N_BYTE = 256


class Tokenizer(Protocol):
    """The interface of every kind of tokenizer. Ids outside of the vocabulary raise ValueError."""

    @property
    def kind(self) -> str: ...

    @property
    def vocab_size(self) -> int: ...

    def encode(self, text: str) -> list[int]: ...

    def decode(self, ids: Iterable[int]) -> str: ...

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one printable string per id."""
        ...

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json` into the folder."""
        ...


class ByteStringTokenizer(ABC):
    """A tokenizer whose tokens are byte strings, so every text can be encoded and decodes to itself.

    The only exception are lone surrogates, which aren't characters: they become `�` first (see `printable_text.clean`).
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def vocab_size(self) -> int: ...

    @abstractmethod
    def token_bytes(self, i: int) -> bytes:
        """Return the bytes of a token; b"" for an id that belongs to no token."""

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; bytes that form no character become `�`. Raises ValueError for unknown ids."""
        return b"".join([self.token_bytes(i) for i in check_ids_in_vocabulary(ids, self.vocab_size)]).decode(
            "utf-8", "replace"
        )

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one printable string per id; parts of characters become `⟨E2⟩`. Raises ValueError for unknown ids."""
        return [
            printable_text(self.token_bytes(i)) or unused_id_label(i)
            for i in check_ids_in_vocabulary(ids, self.vocab_size)
        ]


def unused_id_label(i: int) -> str:
    """Return the display name of an id that belongs to no token."""
    return f"⟨unused {i}⟩"


def check_ids_in_vocabulary(ids: Iterable[int], vocab_size: int) -> list[int]:
    """Return the ids as plain ints, checked against the vocabulary; negative ids would silently count from the end.

    Raises ValueError if one is outside, TypeError if they aren't whole numbers.
    """
    checked = checks.token_ids_to_int_list("ids", ids)
    for i in checked:
        if not 0 <= i < vocab_size:
            raise ValueError(LABELS("id_outside", i=i, last=vocab_size - 1))
    return checked


def save_glassformer_tokenizer(folder: Path | str, kind: str, content: dict[str, object]) -> None:
    """Write `tokenizer.json` in our own format, version 1."""
    data = {"format": "glassformer-tokenizer", "version": 1, "kind": kind, **content}
    write_atomic(
        checks.check_path_type("folder", folder) / "tokenizer.json",
        json.dumps(data, ensure_ascii=False).encode("utf-8"),
    )


def ids_before_end(ids: Iterable[int], end_id: int) -> list[int]:
    """Return the ids before the first end token, or all of them if there is none."""
    ids = list(ids)
    return ids[: ids.index(end_id)] if end_id in ids else ids


class VocabularyPaddedTokenizer:
    """The tokenizer `base` with unused ids after its tokens, up to the model's vocabulary size.

    They have names, but no text.

    All other attributes are those of the base.
    """

    def __init__(self, base: Tokenizer, vocab_size: int) -> None:
        self.base, self.n_token, self.vocab_size = base, base.vocab_size, vocab_size

    @property
    def kind(self) -> str:
        return self.base.kind

    def encode(self, text: str) -> list[int]:
        return self.base.encode(text)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; unused ids add nothing. Raises ValueError for an id outside the vocabulary."""
        return self.base.decode([i for i in check_ids_in_vocabulary(ids, self.vocab_size) if i < self.n_token])

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one printable string per id. Raises ValueError for an id outside the vocabulary."""
        known = check_ids_in_vocabulary(ids, self.vocab_size)
        return [self.base.tokens([i])[0] if i < self.n_token else unused_id_label(i) for i in known]

    def save(self, folder: Path | str) -> None:
        """Write the base's `tokenizer.json`."""
        self.base.save(folder)

    def __getattr__(self, name: str) -> object:
        if name == "base":  # not there yet while it is copied
            raise AttributeError(name)
        return getattr(self.base, name)
