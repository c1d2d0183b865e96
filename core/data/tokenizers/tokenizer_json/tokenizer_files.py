"""The files of a published model's tokenizer, read within limits; older formats are converted to tokenizer.json's."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.data.localization.labels import module_labels
from core.data.printable import has_no_surrogates
from core.data.tokenizers.tokenizer_json.json_validators import MAX_TOKENS

LABELS = module_labels(__name__)

FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json", "special_tokens_map.json",
         "generation_config.json", "config.json", "chat_template.jinja")  # fmt: skip
# Bytes. The vocabularies of today are large: Gemma 3's tokenizer.json, with 262,144 tokens and half a million merges
# written one below the other, has 33 MB, Qwen3's 11 MB, Llama 3's 9 MB. GPT-2's has 1.4 MB.
MAX_FILE = 40_000_000
MAX_SETTINGS = 10_000_000  # bytes of the settings files; Gemma 3's tokenizer_config.json has 1.2 MB
MAX_ENTRIES = 4_000_000  # commas and brackets of a file: the parsed entries take far more memory than the text
MAX_NAMES = 700_000  # colons: a vocabulary of `MAX_TOKENS`, and its added tokens with seven names each
# The names in tokenizer_config.json and special_tokens_map.json.
SPECIAL_TOKEN_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


def read_limited_text(path: Path, most: int = MAX_FILE) -> str:
    """Read a text file. Raises ValueError if it is too large or isn't text."""
    return _decoded(path, _bytes(path, most))


def read_json_object(path: Path, most: int = MAX_FILE) -> dict[str, Any]:
    """Read a JSON object. Raises ValueError if the file is too large, damaged, not an object, or repeats a name."""
    raw = _bytes(path, most)
    if sum(raw.count(mark) for mark in (b",", b"[", b"{")) > MAX_ENTRIES:
        raise ValueError(LABELS("too_many_entries", name=path.name, most=MAX_ENTRIES))
    if raw.count(b":") > MAX_NAMES:
        raise ValueError(LABELS("too_many_names", name=path.name, most=MAX_NAMES, n_token=MAX_TOKENS))
    try:
        data = json.loads(_decoded(path, raw), object_pairs_hook=_unique, parse_int=_whole)
        is_text = has_no_surrogates(raw, data)
    except RecursionError as error:
        raise ValueError(LABELS("too_deep", name=path.name)) from error
    except json.JSONDecodeError as error:
        raise ValueError(LABELS("no_json", name=path.name)) from error
    if not isinstance(data, dict):
        raise ValueError(LABELS("no_object", name=path.name))
    if not is_text:
        raise ValueError(LABELS("half_character", name=path.name))
    return data


def read_special_tokens(folder: Path) -> dict[str, str]:
    """Return the special tokens in the folder's settings, {"eos_token": "</s>"}; {} if no settings name any.

    Raises ValueError as `read_json_object` does.
    """
    found: dict[str, str] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):  # the second one takes precedence
        if (folder / name).is_file():
            found |= _named(read_json_object(folder / name, MAX_SETTINGS))
    return found


def end_ids(folder: Path) -> tuple[int, ...]:
    """Return the tokens that end a text according to the model's settings; () if they name none. Raises ValueError.

    generation_config.json takes precedence over config.json; of a vision-language model's, the part for text counts.

    Source: huggingface/transformers, generation/configuration_utils.py, `from_model_config`.
    """
    for name in ("generation_config.json", "config.json"):
        settings = read_json_object(folder / name, MAX_SETTINGS) if (folder / name).is_file() else {}
        text = settings.get("text_config")
        for said in (settings, text if isinstance(text, dict) else {}):
            ends = said.get("eos_token_id")
            listed = ends if isinstance(ends, list) else [ends]
            if found := tuple(i for i in listed[:100] if isinstance(i, int) and not isinstance(i, bool)):
                return found
    return ()


def convert_vocab_txt(folder: Path) -> dict[str, Any]:
    """Convert BERT's oldest format, one token per line; tokenizer_config.json says whether text is lowercased."""
    text = read_limited_text(folder / "vocab.txt").removesuffix("\n")
    if text.count("\n") >= MAX_TOKENS:
        raise ValueError(LABELS("too_many_tokens", most=MAX_TOKENS))
    pieces = text.split("\n")
    vocabulary = {piece.removesuffix("\r"): i for i, piece in enumerate(pieces)}
    if len(vocabulary) != len(pieces):
        raise ValueError(LABELS["repeated_token"])
    path = folder / "tokenizer_config.json"
    small = read_json_object(path, MAX_SETTINGS).get("do_lower_case") if path.is_file() else None
    if not isinstance(small, bool):  # then the vocabulary decides
        small = not any(piece[:1].isupper() for piece in vocabulary)
    data = {
        "added_tokens": _added(vocabulary, ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")),
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": small},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "vocab": vocabulary},
    }  # fmt: skip
    if "[CLS]" in vocabulary and "[SEP]" in vocabulary:
        data["post_processor"] = {"type": "BertProcessing", "sep": ["[SEP]", vocabulary["[SEP]"]],
                                  "cls": ["[CLS]", vocabulary["[CLS]"]]}  # fmt: skip
    return data


def convert_vocab_and_merges(folder: Path) -> dict[str, object]:
    """Convert GPT-2's and RoBERTa's older format, vocab.json with merges.txt."""
    vocabulary = read_json_object(folder / "vocab.json")
    lines = read_limited_text(folder / "merges.txt").split("\n")
    bytes_alone = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    data: dict[str, object] = {
        "added_tokens": _added(vocabulary, ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>")),
        "pre_tokenizer": bytes_alone,
        "model": {"type": "BPE", "vocab": vocabulary,
                  "merges": [line.removesuffix("\r") for line in lines if line and not line.startswith("#version")]},
    }  # fmt: skip
    if "<s>" in vocabulary and "</s>" in vocabulary:
        data["post_processor"] = {"type": "RobertaProcessing", "sep": ["</s>", vocabulary["</s>"]],
                                  "cls": ["<s>", vocabulary["<s>"]], "trim_offsets": True,
                                  "add_prefix_space": False}  # fmt: skip
    return data


def _named(settings: Mapping[str, object]) -> dict[str, str]:
    """Return the special tokens in the settings; each is a text, or an object with the text as "content"."""
    given = {name: settings.get(name) for name in SPECIAL_TOKEN_NAMES}
    plain = {name: one.get("content") if isinstance(one, dict) else one for name, one in given.items()}
    return {name: one for name, one in plain.items() if isinstance(one, str) and 0 < len(one) <= 1_000}


def _added(vocabulary: Mapping[str, object], names: tuple[str, ...]) -> list[dict[str, object]]:
    """Return the added tokens of older files; `<mask>` includes the space before it, as in RoBERTa."""
    return [{"id": vocabulary[name], "content": name, "special": True, "lstrip": name == "<mask>"}
            for name in names if name in vocabulary]  # fmt: skip


def _bytes(path: Path, most: int) -> bytes:
    size = path.stat().st_size
    if size > most:
        raise ValueError(LABELS("too_large", name=path.name, size=size, most=most))
    return path.read_bytes()


def _decoded(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(LABELS("no_utf8", name=path.name)) from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError(LABELS["repeated_name"])
    return values


def _whole(digits: str) -> int:
    if len(digits) > 400:  # some files write 10^30 for "without end"
        raise ValueError(LABELS["long_number"])
    return int(digits)
