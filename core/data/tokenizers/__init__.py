"""Tokenizers, which turn text into ids and back: five interchangeable kinds.

| kind | a token is | unknown text |
|---|---|---|
| "char" | one character | becomes `�` |
| "word" | one word with the space before it | becomes `�` |
| "word_bytes" | the same | is spelled in bytes, each a token (byte fallback) |
| "bpe" | a frequent string of bytes, learned from the text | doesn't exist: every byte is a token |
| "tiktoken" | the same, learned by OpenAI from the web | doesn't exist |

Around any of them, `MaskedTextTokenizer` adds the two special tokens of a masked language model, and
`SentinelTokenizer` the sentinels of a model that fills spans.
"""

import json
import tempfile
from pathlib import Path

from core.data import checks
from core.data.localization.labels import module_labels
from core.data.tokenizers.bpe import BPETokenizer
from core.data.tokenizers.gap_tokenizers import AddedTokensTokenizer, MaskedTextTokenizer, SentinelTokenizer
from core.data.tokenizers.tiktokens import (
    TiktokenTokenizer,
    TokenizerUnavailable,
    available_tiktoken,
    download_tiktoken,
)
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.data.tokenizers.vocabulary_tokenizers import CharTokenizer, WordTokenizer
from core.data.tokenizers.word_byte_tokenizer import WordByteTokenizer

LABELS = module_labels(__name__)

__all__ = [
    "OWN_TOKENIZERS",
    "AddedTokensTokenizer",
    "BPETokenizer",
    "CharTokenizer",
    "MaskedTextTokenizer",
    "SentinelTokenizer",
    "TiktokenTokenizer",
    "Tokenizer",
    "TokenizerUnavailable",
    "WordByteTokenizer",
    "WordTokenizer",
    "available_tiktoken",
    "download_tiktoken",
    "load",
    "train_tokenizer",
]

MAX_FILE = 20_000_000  # bytes
_TRAINED = {kind.kind: kind for kind in (CharTokenizer, WordTokenizer, WordByteTokenizer, BPETokenizer)}
OWN_TOKENIZERS = (
    *_TRAINED.values(),
    MaskedTextTokenizer,
)  # those whose file is complete, so that the browser can read it, too


def train_tokenizer(kind: str, text: str, vocab_size: int | None = None) -> Tokenizer:
    """Train a tokenizer of a kind ("char", "word", "word_bytes" or "bpe") on a text.

    Raises ValueError if there is no such kind, the text is empty or the size does not fit the kind.
    """
    if kind not in _TRAINED:
        raise ValueError(LABELS("untrainable", kind=repr(kind)))
    return _TRAINED[kind].train(text, vocab_size)


def load(folder: Path | str) -> Tokenizer:
    """Load a tokenizer that `save` wrote. The file is only data: nothing in it is ever run.

    Raises:
        FileNotFoundError: if there is no `tokenizer.json` in the folder.
        ValueError: if the file isn't one of our tokenizers, is too large or damaged, or has a newer version.
    """
    path = checks.check_path_type("folder", folder) / "tokenizer.json"
    if not path.is_file():
        raise FileNotFoundError(LABELS("no_file", folder=folder))
    if path.stat().st_size > MAX_FILE:
        raise ValueError(LABELS("too_large", size=path.stat().st_size, most=MAX_FILE))
    return tokenizer_from_bytes(path.read_bytes())


def tokenizer_to_bytes(tokenizer: Tokenizer) -> bytes:
    """Return the bytes that `save` writes, to be stored elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(folder)
        return (Path(folder) / "tokenizer.json").read_bytes()


def tokenizer_from_bytes(content: bytes) -> Tokenizer:
    """Read a tokenizer from the result of `tokenizer_to_bytes`. Raises ValueError as `load` does."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(LABELS["no_json"]) from error
    return _from_dict(data)


def _from_dict(data: object) -> Tokenizer:
    if not isinstance(data, dict) or data.get("format") != "glassformer-tokenizer":
        raise ValueError(LABELS["not_ours"])
    if data.get("version") != 1:
        raise ValueError(LABELS("other_version", version=repr(data.get("version"))))
    kind = data.get("kind")
    if kind in ("gaps", "spans"):
        base = _from_dict(data.get("base"))
        if isinstance(base, AddedTokensTokenizer):
            raise ValueError(LABELS["nested_gaps"])
        return MaskedTextTokenizer(base) if kind == "gaps" else SentinelTokenizer(base, _n_sentinel(data))
    if kind == "tiktoken":
        return TiktokenTokenizer(str(data.get("name")))
    if not isinstance(kind, str) or kind not in _TRAINED:
        raise ValueError(LABELS("unknown_kind", kind=repr(kind)))
    return _TRAINED[kind].from_dict(data)


def _n_sentinel(data: dict[str, object]) -> int:
    n_sentinel = data.get("n_sentinel")
    if not isinstance(n_sentinel, int) or isinstance(n_sentinel, bool):
        raise ValueError(LABELS("sentinels", n_sentinel=repr(n_sentinel)))
    return n_sentinel
