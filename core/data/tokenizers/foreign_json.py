"""A stranger's tokenizer.json, checked part by part before the library that runs it sees it.

The file is a program in a small language: what to normalise, where to cut, how to merge. Parts outside of a short list
are refused, above all regular expressions of the file's own: a bad one can run for hours on one line of text. So are
replacements that make a text longer: a few in a row turn one letter into more than any memory holds.
"""

import base64
from collections.abc import Callable
from typing import Any

MAX_TOKENS = 500_000
MAX_ADDED = 5_000
MAX_PIECE = 1_000  # characters; the longest of GPT-2's has 128
MAX_TABLE = 2_000_000  # letters of base64; T5's has 320,000
MAX_LETTER = 100  # bytes that one letter of a text may become; by Unicode's own rules 33
MAX_CHARS_PER_WORD = 200  # WordPiece tries each end of each beginning: time grows with the square

Shape = Callable[[Any], bool] | tuple["Shape", ...] | dict[str, "Shape"]
Fields = dict[str, Shape]


def _fits(value: Any, shape: Shape) -> bool:
    """Whether a value passes a check, a list those of its entries, an object those of just these names."""
    if isinstance(shape, tuple):
        return isinstance(value, list) and len(value) == len(shape) and all(map(_fits, value, shape))
    if isinstance(shape, dict):
        return (
            isinstance(value, dict) and value.keys() == shape.keys() and all(_fits(value[n], shape[n]) for n in shape)
        )
    return shape(value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_PIECE


def _id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_TOKENS


def _list(shape: Shape, most: int, least: int = 0) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, list) and least <= len(value) <= most and all(_fits(entry, shape) for entry in value)
    )


def _pattern(value: Any) -> bool:
    """A plain string, or the one regular expression that SentencePiece's converter writes."""
    return value == {"Regex": " {2,}"} or _fits(value, {"String": _text})


def _piece(value: Any) -> bool:
    """What a template lays around a text, or where the text stands."""
    return any(_fits(value, {kind: {"id": _text, "type_id": _id}}) for kind in ("Sequence", "SpecialToken"))


def _specials(value: Any) -> bool:
    """The special tokens of a template by their names: their ids, and what they are called."""
    entry: Shape = {"id": _text, "ids": _list(_id, 5), "tokens": _list(_text, 5)}
    return isinstance(value, dict) and len(value) <= 20 and all(_fits(special, entry) for special in value.values())


def _letters(value: Any) -> bool:
    """SentencePiece's table of letters, in base64; none of them becomes a long text.

    Source: google/sentencepiece, normalizer.cc: the length of a tree, the tree, and texts that each end in a zero.
    """
    if not isinstance(value, str) or len(value) > MAX_TABLE:
        return False
    try:
        table = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return max(map(len, table[4 + int.from_bytes(table[:4], "little") :].split(b"\0"))) <= MAX_LETTER


_TOKEN: Shape = (_text, _id)
_PIECES = _list(_piece, 20, 1)
_BYTES: Fields = {"add_prefix_space": _flag, "trim_offsets": _flag, "use_regex": _flag}
_SPACES: Fields = {"replacement": _text, "prepend_scheme": lambda scheme: scheme in ("always", "never", "first"),
                   "split": _flag, "add_prefix_space": _flag, "str_rep": _text}  # fmt: skip
PARTS: dict[str, dict[str, Fields]] = {
    "normalizer": {
        "BertNormalizer": {
            "clean_text": _flag, "handle_chinese_chars": _flag, "lowercase": _flag,
            "strip_accents": lambda value: value is None or _flag(value),
        },
        "Lowercase": {}, "StripAccents": {}, "NFC": {}, "NFD": {}, "NFKC": {}, "NFKD": {},
        "Strip": {"strip_left": _flag, "strip_right": _flag},
        "Prepend": {"prepend": _text},
        "Replace": {"pattern": _pattern, "content": _text},
        "Precompiled": {"precompiled_charsmap": _letters},
    },
    "pre_tokenizer": {
        "BertPreTokenizer": {}, "Whitespace": {}, "WhitespaceSplit": {}, "ByteLevel": _BYTES, "Metaspace": _SPACES,
    },
    "post_processor": {
        "BertProcessing": {"sep": _TOKEN, "cls": _TOKEN},
        "RobertaProcessing": {"sep": _TOKEN, "cls": _TOKEN, "trim_offsets": _flag, "add_prefix_space": _flag},
        "TemplateProcessing": {"single": _PIECES, "pair": _PIECES, "special_tokens": _specials},
        "ByteLevel": _BYTES,
    },
    "decoder": {
        "WordPiece": {"prefix": _text, "cleanup": _flag}, "ByteLevel": _BYTES, "Metaspace": _SPACES,
        "Fuse": {}, "Replace": {"pattern": _pattern, "content": _text},
    },
}  # fmt: skip
_LISTS = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "post_processor": "processors",
          "decoder": "decoders"}  # fmt: skip


def checked(data: dict[str, Any]) -> dict[str, Any]:
    """The file's content, with nothing in it but what is known.

    Raises ValueError if a part is unknown, or a value is not allowed.
    """
    unknown = set(data) - {"version", "truncation", "padding", "added_tokens", "model", *PARTS}
    if unknown:
        raise ValueError(f"the tokenizer file has an unknown part {sorted(map(str, unknown))[0]:.40}")
    added = data.get("added_tokens") or []
    if not isinstance(added, list) or len(added) > MAX_ADDED:
        raise ValueError(f"the tokenizer file's added tokens are no list of at most {MAX_ADDED:,}")
    parts = {section: _part(section, data.get(section)) for section in PARTS}
    if types(parts["normalizer"]).count("Precompiled") > 1:
        raise ValueError("the tokenizer's normalizer has more than one table of letters")
    return {
        "version": "1.0",
        "truncation": None,  # how a text is cut or filled up is decided where it is read
        "padding": None,
        "added_tokens": [_added(token) for token in added],
        **parts,
        "model": _model(data.get("model")),
    }


def types(part: dict[str, Any] | None) -> list[str]:
    """The names of a part's components, those inside of a sequence too."""
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [part["type"]]
    inner = next(value for value in part.values() if isinstance(value, list))
    return [name for component in inner for name in types(component)]


def _part(section: str, value: Any, depth: int = 0) -> dict[str, Any] | None:
    if value is None and depth == 0:
        return None
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "Sequence" and depth < 2:
        inner = value.get(_LISTS[section])
        if not isinstance(inner, list) or len(inner) > 16:
            raise ValueError(f"the tokenizer's {section} is no short list")
        return {"type": kind, _LISTS[section]: [_part(section, component, depth + 1) for component in inner]}
    if not isinstance(kind, str) or kind not in PARTS[section]:
        raise ValueError(f"the tokenizer's {section} {str(kind)[:40]!r} cannot be run here")
    fields = PARTS[section][kind]
    for name, entry in value.items():
        if name != "type" and (name not in fields or not _fits(entry, fields[name])):
            raise ValueError(f"the tokenizer's {section} {kind} has a value for {str(name)[:40]!r} that is not allowed")
    if kind == "Replace":
        pattern = value.get("pattern", {})
        shortest = 2 if "Regex" in pattern else len(pattern.get("String", ""))  # what it finds, at least
        if len(value.get("content", "")) > shortest:
            raise ValueError(f"the tokenizer's {section} replaces a text by a longer one")
    return dict(value)


def _added(value: Any) -> dict[str, Any]:
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    if (
        not isinstance(value, dict)
        or not value.get("content")
        or not _fits([value["content"], value.get("id")], _TOKEN)
    ):
        raise ValueError("an added token of the tokenizer has no text or no id")
    if not all(_flag(value.get(name, False)) for name in flags):
        raise ValueError(f"the added token {value['content'][:40]!r} has an option that is neither true nor false")
    return {"id": value["id"], "content": value["content"]} | {name: value.get(name, False) for name in flags}


def _model(value: Any) -> dict[str, Any]:
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(value, dict) and "type" not in value:  # old files leave it out
        known = {"merges": "BPE", "continuing_subword_prefix": "WordPiece", "unk_id": "Unigram"}
        kind = next((name for field, name in known.items() if field in value), None)
    check = {"WordPiece": _word_piece, "BPE": _bpe, "Unigram": _unigram}.get(str(kind))
    if check is None:
        raise ValueError(
            f"the tokenizer's model {str(kind)[:40]!r} cannot be run here: only WordPiece, BPE and Unigram"
        )
    return check(value)


def _word_piece(value: dict[str, Any]) -> dict[str, Any]:
    vocabulary, unknown = _vocabulary(value), value.get("unk_token", "[UNK]")
    prefix, longest = value.get("continuing_subword_prefix", "##"), value.get("max_input_chars_per_word", 100)
    if not isinstance(unknown, str) or unknown not in vocabulary:
        raise ValueError("the tokenizer's unknown token is not in its vocabulary")
    if not _text(prefix) or not _id(longest) or not 1 <= longest <= MAX_CHARS_PER_WORD:
        raise ValueError(f"the tokenizer's words must be limited to at most {MAX_CHARS_PER_WORD} characters")
    return {"type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": longest, "vocab": vocabulary}  # fmt: skip


def _bpe(value: dict[str, Any]) -> dict[str, Any]:
    vocabulary, merges = _vocabulary(value), value.get("merges")
    if not isinstance(merges, list) or len(merges) > MAX_TOKENS:
        raise ValueError(f"the tokenizer has no list of at most {MAX_TOKENS:,} merges")
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]
    for pair in pairs:
        if not _fits(pair, (lambda part: isinstance(part, str),) * 2):
            raise ValueError("a merge of the tokenizer isn't a pair of tokens")
        if pair[0] not in vocabulary or pair[1] not in vocabulary or pair[0] + pair[1] not in vocabulary:
            raise ValueError(f"the merge of {pair[0][:40]!r} and {pair[1][:40]!r} is not in the tokenizer's vocabulary")
    for name, known in {"dropout": (None,), "continuing_subword_prefix": (None, ""),
                        "end_of_word_suffix": (None, ""), "byte_fallback": (None, False)}.items():  # fmt: skip
        if value.get(name) not in known:
            raise ValueError(f"the tokenizer's {name} is not supported")
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
            "ignore_merges": value.get("ignore_merges") is True, "vocab": vocabulary, "merges": pairs}  # fmt: skip


def _unigram(value: dict[str, Any]) -> dict[str, Any]:
    vocabulary, unknown = value.get("vocab"), value.get("unk_id")
    if not isinstance(vocabulary, list) or not 1 <= len(vocabulary) <= MAX_TOKENS:
        raise ValueError(f"the tokenizer has no list of 1 to {MAX_TOKENS:,} tokens")
    for entry in vocabulary:
        if not _fits(entry, (_text, lambda score: True)) or not entry[0]:
            raise ValueError("a token of the tokenizer isn't a text with a number")
        if not isinstance(entry[1], int | float) or isinstance(entry[1], bool) or not abs(entry[1]) < 1e6:  # nor nan
            raise ValueError(f"the token {entry[0][:40]!r} has no number that can be its score")
    if len({piece for piece, _ in vocabulary}) != len(vocabulary):
        raise ValueError("a token of the tokenizer occurs twice")
    if unknown is None or not _id(unknown) or unknown >= len(vocabulary):
        raise ValueError("the tokenizer's unknown token is not in its vocabulary")
    if value.get("byte_fallback") not in (None, False):
        raise ValueError("the tokenizer's byte_fallback is not supported")
    return {"type": "Unigram", "unk_id": unknown, "vocab": vocabulary, "byte_fallback": False}


def _vocabulary(value: dict[str, Any]) -> dict[str, int]:
    vocabulary = value.get("vocab")
    if not isinstance(vocabulary, dict) or not 1 <= len(vocabulary) <= MAX_TOKENS:
        raise ValueError(f"the tokenizer has no vocabulary of 1 to {MAX_TOKENS:,} tokens")
    if not all(_text(piece) and _id(i) for piece, i in vocabulary.items()):
        raise ValueError(f"the tokenizer's vocabulary must give each token a number below {MAX_TOKENS:,}")
    if len(set(vocabulary.values())) != len(vocabulary):
        raise ValueError("two tokens of the tokenizer have the same number")
    return vocabulary
