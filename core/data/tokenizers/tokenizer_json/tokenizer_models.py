"""The model in an untrusted tokenizer.json: its tokens, and the rule that splits a word into them.

`check_tokenizer_json_model` looks at every token and every merge; `build_model` passes them to the library that runs
them.
"""

from collections.abc import Mapping
from typing import Any

from tokenizers import models

from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_json.json_validators import (
    MAX_TOKENS,
    is_short_string,
    is_token_id,
    matches_json_shape,
)

LABELS = module_labels(__name__)

MAX_MERGES = 1_000_000  # Gemma 2 has 580,604
MAX_CHARS_PER_WORD = 200  # WordPiece tries every end for every beginning, so time grows quadratically
MAX_UNIGRAM_PIECE = 100  # characters: Unigram tries every length from every letter. SentencePiece makes at most 16
MAX_BEGINNINGS = 1_500_000  # different prefixes of Unigram's tokens in bytes: the library uses 350 bytes for each
BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))  # SentencePiece's notation of a byte


def check_tokenizer_json_model(value: Any) -> dict[str, Any]:
    """Check the model's part of the file, and return only its known entries. Raises ValueError."""
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(value, dict) and "type" not in value:  # old files leave it out
        known = {"merges": "BPE", "continuing_subword_prefix": "WordPiece", "unk_id": "Unigram"}
        kind = next((name for field, name in known.items() if field in value), None)
    check = {"WordPiece": _word_piece, "BPE": _bpe, "Unigram": _unigram}.get(str(kind))
    if check is None:
        raise ValueError(LABELS("no_model", kind=repr(str(kind)[:40])))
    return check(value)


def build_model(model: dict[str, Any]) -> models.Model:
    """Build the library's model from the result of `check_tokenizer_json_model`."""
    options = {name: value for name, value in model.items() if name != "type"}
    if model["type"] == "WordPiece":
        return models.WordPiece(**options)
    if model["type"] == "Unigram":
        return models.Unigram(**options)
    return models.BPE(**options)


def _word_piece(value: dict[str, Any]) -> dict[str, Any]:
    vocabulary, unknown = _vocabulary(value), value.get("unk_token", "[UNK]")
    prefix, longest = value.get("continuing_subword_prefix", "##"), value.get("max_input_chars_per_word", 100)
    if not isinstance(unknown, str) or unknown not in vocabulary:
        raise ValueError(LABELS["unknown_token"])
    if not is_short_string(prefix) or not is_token_id(longest) or not 1 <= longest <= MAX_CHARS_PER_WORD:
        raise ValueError(LABELS("long_words", most=MAX_CHARS_PER_WORD))
    return {"type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": longest, "vocab": vocabulary}  # fmt: skip


def _bpe(value: dict[str, Any]) -> dict[str, Any]:
    vocabulary, merges = _vocabulary(value), _merges(value)
    for first, second in merges:
        if first not in vocabulary or second not in vocabulary or first + second not in vocabulary:
            raise ValueError(LABELS("merge", first=repr(first[:40]), second=repr(second[:40])))
    for name, known in {"dropout": (None,), "continuing_subword_prefix": (None, ""),
                        "end_of_word_suffix": (None, ""), "byte_fallback": (None, False, True)}.items():  # fmt: skip
        if value.get(name) not in known:
            raise ValueError(LABELS("no_support", name=name))
    by_bytes = value.get("byte_fallback") is True
    unknown = value.get("unk_token") if by_bytes else None  # a vocabulary with all bytes doesn't need one
    if by_bytes:
        _check_bytes(vocabulary)
        if unknown is not None and (not isinstance(unknown, str) or unknown not in vocabulary):
            raise ValueError(LABELS["unknown_token"])
    return {"type": "BPE", "unk_token": unknown, "fuse_unk": by_bytes and value.get("fuse_unk") is True,
            "byte_fallback": by_bytes, "ignore_merges": value.get("ignore_merges") is True,
            "vocab": vocabulary, "merges": merges}  # fmt: skip


def _merges(value: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the merges, pairs of tokens, in their order; old files write a pair as two words."""
    merges = value.get("merges")
    if not isinstance(merges, list) or len(merges) > MAX_MERGES:
        raise ValueError(LABELS("no_merges", most=MAX_MERGES))
    pairs = []
    for merge in merges:
        pair = merge.split(" ") if isinstance(merge, str) else merge
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str) or not isinstance(pair[1], str):
            raise ValueError(LABELS["no_pair"])
        pairs.append((pair[0], pair[1]))
    return pairs


def _check_bytes(vocabulary: dict[str, int]) -> None:
    """Check that there is a token for each byte, because letters outside of the vocabulary are spelled in bytes.

    A one-byte letter may replace its byte's token: Gemma has a tab, and no `<0x09>`.
    """
    for byte, piece in enumerate(BYTE_PIECES):
        if piece not in vocabulary and (byte >= 128 or chr(byte) not in vocabulary):
            raise ValueError(LABELS("no_byte", piece=piece))


def _unigram(value: dict[str, Any]) -> dict[str, Any]:
    vocabulary, unknown = value.get("vocab"), value.get("unk_id")
    if not isinstance(vocabulary, list) or not 1 <= len(vocabulary) <= MAX_TOKENS:
        raise ValueError(LABELS("no_tokens", most=MAX_TOKENS))
    for entry in vocabulary:
        if not matches_json_shape(entry, (is_short_string, lambda score: True)) or not entry[0]:
            raise ValueError(LABELS["no_score_pair"])
        if not isinstance(entry[1], int | float) or isinstance(entry[1], bool) or not abs(entry[1]) < 1e6:  # nor nan
            raise ValueError(LABELS("no_score", token=repr(entry[0][:40])))
        if len(entry[0]) > MAX_UNIGRAM_PIECE:
            raise ValueError(LABELS("long_piece", token=repr(entry[0][:40]), most=MAX_UNIGRAM_PIECE))
    if len({piece for piece, _ in vocabulary}) != len(vocabulary):
        raise ValueError(LABELS["repeated_token"])
    if _beginnings([piece for piece, _ in vocabulary]) > MAX_BEGINNINGS:
        raise ValueError(LABELS("beginnings", most=MAX_BEGINNINGS))
    if unknown is None or not is_token_id(unknown) or unknown >= len(vocabulary):
        raise ValueError(LABELS["unknown_token"])
    if value.get("byte_fallback") not in (None, False):
        raise ValueError(LABELS["byte_fallback"])
    return {"type": "Unigram", "unk_id": unknown, "byte_fallback": False,
            "vocab": [(piece, score) for piece, score in vocabulary]}  # fmt: skip


def _beginnings(pieces: list[str]) -> int:
    """Count the different prefixes of the tokens in bytes: sorted, each adds those that its neighbor lacks."""
    found, before = 0, b""
    for piece in sorted(piece.encode("utf-8", "replace") for piece in pieces):
        shared = next((n for n, (a, b) in enumerate(zip(before, piece, strict=False)) if a != b), len(before))
        found, before = found + len(piece) - min(shared, len(piece)), piece
    return found


def _vocabulary(value: dict[str, object]) -> dict[str, int]:
    vocabulary = value.get("vocab")
    if not isinstance(vocabulary, dict) or not 1 <= len(vocabulary) <= MAX_TOKENS:
        raise ValueError(LABELS("no_vocabulary", most=MAX_TOKENS))
    if not all(is_short_string(piece) and is_token_id(i) for piece, i in vocabulary.items()):
        raise ValueError(LABELS("token_number", most=MAX_TOKENS))
    if len(set(vocabulary.values())) != len(vocabulary):
        raise ValueError(LABELS["same_number"])
    return vocabulary
