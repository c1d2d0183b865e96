"""Checks of an untrusted tokenizer.json, part by part, before the library runs it.

The file is a program in a small language: what to normalize, where to split, how to merge. Parts outside of a short
list are refused, especially custom regular expressions (see `pretokenizer_patterns`). So are parts that make a text
longer and longer, because a few in a row turn one letter into more than any memory holds.
"""

import base64
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_json import tokenizer_models
from core.data.tokenizers.tokenizer_json.json_validators import (
    Fields,
    Shape,
    is_short_string,
    is_token_id,
    matches_json_shape,
    text_length_validator,
)
from core.data.tokenizers.tokenizer_json.pretokenizer_patterns import (
    is_replaceable_pattern,
    is_safe_split_pattern,
    min_match_length,
)

LABELS = module_labels(__name__)

MAX_ADDED = 10_000  # Gemma 3 has 6,400: reserved tokens, runs of spaces and of line ends
MAX_ADDED_TEXT = 500_000  # characters of all together, because the library builds one table to find any of them
MAX_TABLE = 2_000_000  # letters of base64; T5's has 320,000
MAX_LETTER = 40  # bytes that one letter of a text may become; Unicode's own rules give at most 33
# The factor by which each part can lengthen a text, and its limit for all in a row. ALBERT has the most: 18 * 2 * 40.
GROWTH = {"NFC": 3, "NFD": 4, "NFKC": 18, "NFKD": 18, "Lowercase": 2, "BertNormalizer": 12, "Precompiled": MAX_LETTER}
MAX_GROWTH = 1_500


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _number_limit_check(most: int) -> Callable[[Any], bool]:
    return lambda value: is_token_id(value) and value <= most


def _json_list_validator(shape: Shape, most: int, least: int = 0) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, list)
        and least <= len(value) <= most
        and all(matches_json_shape(entry, shape) for entry in value)
    )


def _piece(value: object) -> bool:
    """Return whether a value is a piece of a template: a token around a text, or the place of the text."""
    return any(
        matches_json_shape(value, {kind: {"id": is_short_string, "type_id": is_token_id}})
        for kind in ("Sequence", "SpecialToken")
    )


def _specials(value: object) -> bool:
    """Return whether a value lists the special tokens of a template by name, with their ids and spellings."""
    entry: Shape = {
        "id": is_short_string,
        "ids": _json_list_validator(is_token_id, 5),
        "tokens": _json_list_validator(is_short_string, 5),
    }
    return (
        isinstance(value, dict)
        and len(value) <= 20
        and all(matches_json_shape(special, entry) for special in value.values())
    )


def _letters(value: object) -> bool:
    """Return whether a value is SentencePiece's table of letters in base64, and no letter becomes a long text.

    Source: google/sentencepiece, normalizer.cc: the length of a tree, the tree, and texts that each end in a zero.
    """
    if not isinstance(value, str) or len(value) > MAX_TABLE:
        return False
    try:
        table = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return max(map(len, table[4 + int.from_bytes(table[:4], "little") :].split(b"\0"))) <= MAX_LETTER


_TOKEN: Shape = (is_short_string, is_token_id)
_PIECES = _json_list_validator(_piece, 20, 1)
_BYTES: Fields = {"add_prefix_space": _is_boolean, "trim_offsets": _is_boolean, "use_regex": _is_boolean}
_SPACES: Fields = {"replacement": is_short_string, "split": _is_boolean, "add_prefix_space": _is_boolean,
                   "str_rep": is_short_string,
                   "prepend_scheme": lambda scheme: scheme in ("always", "never", "first")}  # fmt: skip
_BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
PARTS: dict[str, dict[str, Fields]] = {
    "normalizer": {
        "BertNormalizer": {
            "clean_text": _is_boolean, "handle_chinese_chars": _is_boolean, "lowercase": _is_boolean,
            "strip_accents": lambda value: value is None or _is_boolean(value),
        },
        "Lowercase": {}, "StripAccents": {}, "NFC": {}, "NFD": {}, "NFKC": {}, "NFKD": {},
        "Strip": {"strip_left": _is_boolean, "strip_right": _is_boolean},
        "Prepend": {"prepend": text_length_validator(20)},
        "Replace": {"pattern": is_replaceable_pattern, "content": is_short_string},
        "Precompiled": {"precompiled_charsmap": _letters},
    },
    "pre_tokenizer": {
        "BertPreTokenizer": {}, "Whitespace": {}, "WhitespaceSplit": {}, "ByteLevel": _BYTES, "Metaspace": _SPACES,
        "Digits": {"individual_digits": _is_boolean},
        "Split": {"pattern": is_safe_split_pattern, "behavior": lambda value: value in _BEHAVIORS,
                  "invert": _is_boolean},
    },
    "post_processor": {
        "BertProcessing": {"sep": _TOKEN, "cls": _TOKEN},
        "RobertaProcessing": {"sep": _TOKEN, "cls": _TOKEN, "trim_offsets": _is_boolean,
                              "add_prefix_space": _is_boolean},
        "TemplateProcessing": {"single": _PIECES, "pair": _PIECES, "special_tokens": _specials},
        "ByteLevel": _BYTES,
    },
    "decoder": {
        "WordPiece": {"prefix": is_short_string, "cleanup": _is_boolean}, "ByteLevel": _BYTES, "Metaspace": _SPACES,
        "ByteFallback": {}, "Fuse": {}, "Replace": {"pattern": is_replaceable_pattern, "content": is_short_string},
        "Strip": {
            "content": text_length_validator(1, 1), "start": _number_limit_check(20), "stop": _number_limit_check(20),
        },
    },
}  # fmt: skip
_LISTS = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "post_processor": "processors",
          "decoder": "decoders"}  # fmt: skip


def check_tokenizer_file(data: Mapping[str, object]) -> dict[str, Any]:
    """Check the file's content, and return only its known entries.

    Raises ValueError if a part is unknown, or a value is not allowed.
    """
    unknown = set(data) - {"version", "truncation", "padding", "added_tokens", "model", *PARTS}
    if unknown:
        raise ValueError(LABELS("unknown_part", name=sorted(map(str, unknown))[0]))
    added = data.get("added_tokens") or []
    if not isinstance(added, list) or len(added) > MAX_ADDED:
        raise ValueError(LABELS("too_many_added", most=MAX_ADDED))
    parts = {section: _part(section, data.get(section)) for section in PARTS}
    _check_growth(parts)
    tokens = [_added(token) for token in added]
    if sum(len(token["content"]) for token in tokens) > MAX_ADDED_TEXT:
        raise ValueError(LABELS("added_too_long", most=MAX_ADDED_TEXT))
    return {
        "version": "1.0",
        "truncation": None,  # truncation and padding are decided where a text is read
        "padding": None,
        "added_tokens": tokens,
        **parts,
        "model": tokenizer_models.check_tokenizer_json_model(data.get("model")),
    }


def component_types(part: dict[str, Any] | None) -> list[str]:
    """Return the types of a part's components, including those in a sequence."""
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [part["type"]]
    inner = next(value for value in part.values() if isinstance(value, list))
    return [name for component in inner for name in component_types(component)]


def _check_growth(parts: dict[str, Any]) -> None:
    """Check the growth of a text by all parts in a row; each part by itself is limited already."""
    normal, cuts = component_types(parts["normalizer"]), component_types(parts["pre_tokenizer"])
    if normal.count("Precompiled") > 1:
        raise ValueError(LABELS["two_tables"])
    if prod(GROWTH.get(name, 1) for name in normal) > MAX_GROWTH:
        raise ValueError(LABELS["long_normalizer"])
    for name in ("ByteLevel", "Metaspace"):  # the first doubles each letter that isn't ASCII, the second adds one
        if cuts.count(name) > 1:
            raise ValueError(LABELS("repeated", name=name))


def _part(section: str, value: Any, depth: int = 0) -> dict[str, Any] | None:
    """Check one of the four parts, or a component of it. A sequence may contain sequences, but no deeper ones."""
    if value is None and depth == 0:
        return None
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "Sequence" and depth < 2:
        inner = value.get(_LISTS[section])
        if not isinstance(inner, list) or len(inner) > 16:
            raise ValueError(LABELS("long_list", section=section))
        return {"type": kind, _LISTS[section]: [_part(section, component, depth + 1) for component in inner]}
    if not isinstance(kind, str) or kind not in PARTS[section]:
        raise ValueError(LABELS("no_part", section=section, kind=repr(str(kind)[:40])))
    fields = PARTS[section][kind]
    for name, entry in value.items():
        fitting = name == "type" or (name in fields and matches_json_shape(entry, fields[name]))
        if not fitting and name == "pattern" and isinstance(entry, dict) and "Regex" in entry:
            raise ValueError(LABELS("regex", section=section, kind=kind))
        if not fitting:
            raise ValueError(LABELS("value", section=section, kind=kind, name=repr(str(name)[:40])))
    if kind == "Replace" and len(value.get("content", "")) > min_match_length(value.get("pattern", {})):
        raise ValueError(LABELS("longer_text", section=section))
    return dict(value)


def _added(value: object) -> dict[str, Any]:
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    if (
        not isinstance(value, dict)
        or not value.get("content")
        or not matches_json_shape([value["content"], value.get("id")], _TOKEN)
    ):
        raise ValueError(LABELS["no_added_text"])
    if not all(_is_boolean(value.get(name, False)) for name in flags):
        raise ValueError(LABELS("added_option", content=repr(value["content"][:40])))
    return {"id": value["id"], "content": value["content"]} | {name: value.get(name, False) for name in flags}
