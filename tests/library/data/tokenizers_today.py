"""Small tokenizers of today's families, each composed as its tokenizer.json is published."""

import base64
import json
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

LINES = [
    "The cat sat on the mat, and the cats sat. The CAT! It's the dogs' day, isn't it?",
    "x = 12345 + 6.7  # sum\n\n",
    "def f(a, b):\n    return a * b\n",
    "Ünïcödé 漢字 \U0001f642 naïve café",
    "  two  spaces   three ",
]
TEXTS = ["", " ", "  ", "\n", " \n \n\n", "\t\ta", "the cat", " the cat", "the cat ", *LINES, "".join(LINES) * 3,
         "12345678 1 22", "don't DON'T we'LL", "\u202ex\u200b", "ﬁ ½ ① e\u0301 é", "\x00\x1f\x7f", "▁a ▁ a▁",
         "\U0001f468\u200d\U0001f469\u200d\U0001f467", "<0x41> <0xE2>", "ŁÓDŹ straße ǅ ʰ", "``quoted''",
         "𝔘𝔫𝔦 \u00a0 \u3000 x\r\ny"]  # fmt: skip

# As their tokenizer.json have them: Meta-Llama-3-8B, Qwen2.5-0.5B, Phi-4-mini.
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
QWEN_2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


# --- the parts -------------------------------------------------------------------------------------------------------


def sequence(section: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", section: list(parts)}


def replace(found: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": found}, "content": content}


def by_bytes(prefix: bool, trim: bool, regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": regex}


def split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def metaspace(scheme: str, cut: bool) -> dict[str, Any]:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cut}


def template(vocabulary: dict[str, int], before: list[str], after: list[str]) -> dict[str, Any]:
    def around(which: str, n: int) -> list[dict[str, Any]]:
        token = lambda name: {"SpecialToken": {"id": name, "type_id": n}}  # noqa: E731
        return [*map(token, before), {"Sequence": {"id": which, "type_id": n}}, *map(token, after)]

    special = {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in (*before, *after)}
    return {"type": "TemplateProcessing", "single": around("A", 0), "pair": around("A", 0) + around("B", 1),
            "special_tokens": special}  # fmt: skip


def added(vocabulary: dict[str, int], *names: str, **flags: bool) -> list[dict[str, Any]]:
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False) | {"special": True} | flags
    return [{"id": vocabulary[name], "content": name, **plain} for name in names]


@cache
def learned(spaces: str) -> tuple[dict[str, int], list[list[str]]]:
    """Pieces and merges of a few lines: over letters with "▁" for spaces, or over bytes ("")."""
    run, start = Tokenizer(models.BPE()), []
    if not spaces:
        run.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        start = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=start, show_progress=False)
    run.train_from_iterator([line.replace(" ", spaces or " ") for line in LINES * 3], trainer)
    model = json.loads(run.to_str())["model"]
    return model["vocab"], model["merges"]


def letters(*special: str, behind: tuple[str, ...] = ()) -> dict[str, Any]:
    """Llama's order: special tokens, the 256 bytes, what was learned; then what was added."""
    pieces, merges = learned("▁")
    names = [*special, *(f"<0x{byte:02X}>" for byte in range(256)), *pieces, *behind]
    return {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
            "vocab": {name: i for i, name in enumerate(dict.fromkeys(names))}, "merges": merges}  # fmt: skip


def bytes_and(*special: str, ignore: bool = False, empty: str | None = None) -> tuple[dict[str, Any], dict[str, int]]:
    """Llama 3's order: what was learned; added tokens come behind it, and are no part of the model."""
    pieces, merges = learned("")
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": empty,
             "end_of_word_suffix": empty, "fuse_unk": False, "byte_fallback": False, "ignore_merges": ignore,
             "vocab": pieces, "merges": merges}  # fmt: skip
    return model, pieces | {name: len(pieces) + i for i, name in enumerate(special)}


def unigram(special: list[str], unknown: int, behind: tuple[str, ...] = ()) -> dict[str, Any]:
    pieces = [*special, *(piece for piece in learned("▁")[0] if piece not in special), *behind]
    scores = [0.0 if piece in special else -3.0 - i / 50 for i, piece in enumerate(pieces)]
    return {
        "type": "Unigram",
        "unk_id": unknown,
        "byte_fallback": False,
        "vocab": list(zip(pieces, scores, strict=True)),
    }


def whole(model: dict[str, Any], **parts: Any) -> dict[str, Any]:
    given = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder")) | parts
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], **given, "model": model}


SPACE_OUT = [replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
TABLE = {"type": "Precompiled",
         "precompiled_charsmap": base64.b64encode(struct.pack("<I", 1024) + bytes(1024)).decode()}  # fmt: skip


# --- the families ----------------------------------------------------------------------------------------------------


def llama_2() -> dict[str, Any]:
    """TinyLlama, Mixtral and the first Mistral are the same."""
    model = letters("<unk>", "<s>", "</s>")
    return whole(
        model,
        added_tokens=added(model["vocab"], "<unk>", "<s>", "</s>"),
        normalizer=sequence("normalizers", {"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")),
        post_processor=template(model["vocab"], ["<s>"], []),
        decoder=sequence("decoders", *SPACE_OUT, STRIP),
    )


def mistral() -> dict[str, Any]:
    """Mistral 0.3, and Llama 2 as it is written today."""
    return llama_2() | {"normalizer": None, "pre_tokenizer": metaspace("first", False)}


def phi_3() -> dict[str, Any]:
    names = ("<|endoftext|>", "<|assistant|>", "<|end|>", "<|user|>")
    data = llama_2()
    data["model"] = letters("<unk>", "<s>", "</s>")
    vocabulary = data["model"]["vocab"]
    later = vocabulary | {name: len(vocabulary) + i for i, name in enumerate(names)}
    data["added_tokens"] = [*added(vocabulary, "<unk>", "<s>"), *added(vocabulary, "</s>", rstrip=True, special=False),
                            *added(later, "<|endoftext|>"), *added(later, *names[1:], rstrip=True)]  # fmt: skip
    return data | {"post_processor": template(later, [], [])}


def gemma() -> dict[str, Any]:
    special = ("<pad>", "<eos>", "<bos>", "<unk>", "<mask>")
    model = letters(*special, "<start_of_turn>", "<end_of_turn>", "\n\n", "▁▁", "▁▁▁", "<table>")
    vocabulary = {"\t" if name == "<0x09>" else name: i for name, i in model["vocab"].items() if name != "\t"}
    model["vocab"] = vocabulary
    own = added(vocabulary, "\n\n", "▁▁", "▁▁▁", "<table>", special=False)
    return whole(
        model,
        added_tokens=[*added(vocabulary, *special, "<start_of_turn>", "<end_of_turn>"), *own],
        normalizer=replace(" ", "▁"),
        pre_tokenizer={"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
        post_processor=template(vocabulary, ["<bos>"], []),
        decoder=sequence("decoders", *SPACE_OUT),
    )


def llama_3() -> dict[str, Any]:
    names = ["<|begin_of_text|>", "<|end_of_text|>", *(f"<|reserved_special_token_{i}|>" for i in range(250)),
             "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]  # fmt: skip
    model, known = bytes_and(*names, ignore=True)
    return whole(
        model,
        added_tokens=added(known, *names),
        pre_tokenizer=sequence("pretokenizers", split(LLAMA_3), by_bytes(False, True, False)),
        post_processor=sequence("processors", by_bytes(True, False, True), template(known, ["<|begin_of_text|>"], [])),
        decoder=by_bytes(True, True, True),
    )


def qwen() -> dict[str, Any]:
    """2, 2.5 and 3 are the same but for tokens added later, some of which are no special ones."""
    model, known = bytes_and("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", empty="")
    return whole(
        model,
        added_tokens=[*added(known, "<|endoftext|>", "<|im_start|>", "<|im_end|>"),
                      *added(known, "<think>", "</think>", special=False)],
        normalizer={"type": "NFC"},
        pre_tokenizer=sequence("pretokenizers", split(QWEN_2), by_bytes(False, False, False)),
        post_processor=by_bytes(False, False, False),
        decoder=by_bytes(False, False, False),
    )  # fmt: skip


def smollm() -> dict[str, Any]:
    model, known = bytes_and()
    names = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    model["vocab"] = {name: i for i, name in enumerate([*names, *known])}
    digits = {"type": "Digits", "individual_digits": True}
    return whole(
        model,
        added_tokens=added(model["vocab"], *names),
        pre_tokenizer=sequence("pretokenizers", digits, by_bytes(False, True, True)),
        decoder=by_bytes(True, True, True),
    )


def olmo_2() -> dict[str, Any]:
    model, known = bytes_and("<|endoftext|>", "<|pad|>")
    cut = sequence("pretokenizers", split(LLAMA_3), by_bytes(False, True, False))
    return whole(model, added_tokens=added(known, "<|endoftext|>", "<|pad|>"), pre_tokenizer=cut,
                 decoder=by_bytes(True, True, True))  # fmt: skip


def phi_4() -> dict[str, Any]:
    data = olmo_2()
    data["pre_tokenizer"]["pretokenizers"][0] = split(O200K)
    return data


def neox() -> dict[str, Any]:
    """Pythia. Phi-1 and Phi-2 have the same runs of spaces, and no normalizer."""
    spaces = [" " * n for n in range(24, 1, -1)]
    model, known = bytes_and("<|endoftext|>", "<|padding|>", *spaces)
    return whole(
        model,
        added_tokens=[*added(known, "<|endoftext|>", "<|padding|>"),
                      *added(known, *spaces, normalized=True, special=False)],
        normalizer={"type": "NFC"},
        pre_tokenizer=by_bytes(False, True, True),
        post_processor=by_bytes(False, True, True),
        decoder=by_bytes(False, True, True),
    )  # fmt: skip


def modern_bert() -> dict[str, Any]:
    model, known = bytes_and("|||IP_ADDRESS|||", "   ", "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
    return whole(
        model,
        added_tokens=[*added(known, "|||IP_ADDRESS|||", "   ", normalized=True, special=False),
                      *added(known, "[UNK]", "[CLS]", "[SEP]", "[PAD]"), *added(known, "[MASK]", lstrip=True)],
        normalizer={"type": "NFC"},
        pre_tokenizer=by_bytes(False, True, True),
        post_processor=template(known, ["[CLS]"], ["[SEP]"]),
        decoder=by_bytes(True, True, True),
    )  # fmt: skip


def xlm_roberta() -> dict[str, Any]:
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    model = unigram(special, 3, ("<mask>",))
    known = {piece: i for i, (piece, _) in enumerate(model["vocab"])}
    return whole(
        model,
        added_tokens=[*added(known, *special), *added(known, "<mask>", lstrip=True)],
        normalizer=TABLE,
        pre_tokenizer=sequence("pretokenizers", {"type": "WhitespaceSplit"}, metaspace("always", True)),
        post_processor=template(known, ["<s>"], ["</s>"]),
        decoder=metaspace("always", True),
    )


def albert() -> dict[str, Any]:
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    model = unigram(special, 1)
    known = {piece: i for i, (piece, _) in enumerate(model["vocab"])}
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    normal = [replace("``", '"'), replace("''", '"'), {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"},
              TABLE, spaces]  # fmt: skip
    return whole(
        model,
        added_tokens=[*added(known, *special[:4]), *added(known, "[MASK]", lstrip=True)],
        normalizer=sequence("normalizers", *normal),
        pre_tokenizer=metaspace("always", True),
        post_processor=template(known, ["[CLS]"], ["[SEP]"]),
        decoder=metaspace("always", True),
    )


def electra() -> dict[str, Any]:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s", "sat", "on", ",", ".", "!", "e", "1"]
    known = {word: i for i, word in enumerate(words)}
    return whole(
        {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
         "max_input_chars_per_word": 100, "vocab": known},
        added_tokens=added(known, *words[:5]),
        normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                    "lowercase": True},
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=template(known, ["[CLS]"], ["[SEP]"]),
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )  # fmt: skip


FAMILIES: dict[str, Callable[[], dict[str, Any]]] = {
    "llama 2": llama_2, "mistral": mistral, "phi 3": phi_3, "gemma": gemma, "llama 3": llama_3, "qwen": qwen,
    "smollm": smollm, "olmo 2": olmo_2, "phi 4": phi_4, "neox": neox, "modern bert": modern_bert,
    "xlm-roberta": xlm_roberta, "albert": albert, "electra": electra,
}  # fmt: skip
EXACT = ("llama 2", "phi 3", "gemma", "llama 3", "smollm", "olmo 2", "phi 4")  # text comes back unchanged
