"""Tokenizers: text in, numbers out, and back. Five kinds that can be exchanged for one another.

| kind | a token is | unknown text |
|---|---|---|
| "char" | one character | becomes `�` |
| "word" | one word with the space before it | becomes `�` |
| "word_bytes" | the same | is spelled in bytes, each a token (byte fallback) |
| "bpe" | a frequent string of bytes, learned from the text | there is none: every byte is a token |
| "tiktoken" | the same, learned by OpenAI from the web | there is none |

Around any of them, `GapTokenizer` adds the two tokens of a model that fills gaps.
"""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from core.data import checks
from core.data.tokenizers.bpe import BPETokenizer
from core.data.tokenizers.gaps import GapTokenizer
from core.data.tokenizers.tiktokens import (
    TiktokenTokenizer,
    TokenizerUnavailable,
    available_tiktoken,
    download_tiktoken,
)
from core.data.tokenizers.vocabulary import CharTokenizer, WordTokenizer
from core.data.tokenizers.word_bytes import WordByteTokenizer

__all__ = [
    "BPETokenizer",
    "CharTokenizer",
    "GapTokenizer",
    "TiktokenTokenizer",
    "Tokenizer",
    "TokenizerUnavailable",
    "WordByteTokenizer",
    "WordTokenizer",
    "available_tiktoken",
    "download_tiktoken",
    "load",
    "train",
]

MAX_FILE = 20_000_000  # bytes


class Tokenizer(Protocol):
    """What every kind can do."""

    @property
    def kind(self) -> str: ...

    @property
    def vocab_size(self) -> int: ...

    def encode(self, text: str) -> list[int]: ...

    def decode(self, ids: Iterable[int]) -> str:
        """Raises ValueError for an id outside of the vocabulary."""
        ...

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """One printable string per id."""
        ...

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json` into the folder."""
        ...


def train(kind: str, text: str, vocab_size: int | None = None) -> Tokenizer:
    """Train a tokenizer of a kind ("char", "word", "word_bytes" or "bpe") on a text.

    Raises:
        ValueError: if there is no such kind, the text is empty or the size does not fit the kind.
    """
    if kind == "char":
        return CharTokenizer.train(text, vocab_size)
    if kind == "word":
        return WordTokenizer.train(text, vocab_size)
    if kind == "word_bytes":
        return WordByteTokenizer.train(text, vocab_size)
    if kind == "bpe":
        return BPETokenizer.train(text, vocab_size)
    raise ValueError(f'kind={kind!r} cannot be trained: choose "char", "word", "word_bytes" or "bpe"')


def load(folder: Path | str) -> Tokenizer:
    """Read what `save` wrote. The file is data only: nothing in it is ever run.

    Raises:
        FileNotFoundError: if there is no `tokenizer.json` in the folder.
        ValueError: if the file is no tokenizer of ours, too large, damaged or of a newer version.
    """
    path = checks.path("folder", folder) / "tokenizer.json"
    if not path.is_file():
        raise FileNotFoundError(f"there is no tokenizer.json in the folder {folder}")
    if path.stat().st_size > MAX_FILE:
        raise ValueError(f"the tokenizer file has {path.stat().st_size:,} bytes; at most {MAX_FILE:,} are read")
    return from_bytes(path.read_bytes())


def to_bytes(tokenizer: Tokenizer) -> bytes:
    """What `save` writes, to be carried elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(folder)
        return (Path(folder) / "tokenizer.json").read_bytes()


def from_bytes(content: bytes) -> Tokenizer:
    """Read what `to_bytes` gave. Raises ValueError as `load` does."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError("the tokenizer file isn't valid JSON") from error
    return _from_dict(data)


def _from_dict(data: Any) -> Tokenizer:
    if not isinstance(data, dict) or data.get("format") != "glassformer-tokenizer":
        raise ValueError("the tokenizer file was not written by Glassformer")
    if data.get("version") != 1:
        raise ValueError(f"the tokenizer file has version {data.get('version')!r}; this program reads version 1")
    match data.get("kind"):
        case "char":
            return CharTokenizer.from_dict(data)
        case "word":
            return WordTokenizer.from_dict(data)
        case "word_bytes":
            return WordByteTokenizer.from_dict(data)
        case "bpe":
            return BPETokenizer.from_dict(data)
        case "tiktoken":
            return TiktokenTokenizer.from_dict(data)
        case "gaps":
            return GapTokenizer.from_base(_from_dict(data.get("base")))
        case kind:
            raise ValueError(f"the tokenizer file names an unknown kind {kind!r}")
