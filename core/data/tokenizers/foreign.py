"""Tokenizers of published models: WordPiece (BERT), byte-level BPE (GPT-2, RoBERTa), Unigram (T5).

They are read from Hugging Face's tokenizer.json, or from the older files vocab.txt (BERT) and vocab.json with
merges.txt (GPT-2), and run by the `tokenizers` library. Nothing of a file reaches the library unchecked.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from core.data import tokenizers
from core.data.files import write_atomic
from core.data.printable import clean, printable
from core.data.tokenizers import foreign_json
from core.data.tokenizers.base import check_ids
from core.data.tokenizers.bpe import byte_letters

FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json")
MAX_FILE = 10_000_000  # bytes; GPT-2's tokenizer.json has 1.4 MB
_DECODERS = {
    "wordpiece": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "byte-bpe": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    "unigram": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
}
KINDS = {"WordPiece": "wordpiece", "BPE": "byte-bpe", "Unigram": "unigram"}


class ForeignTokenizer:
    """A published model's tokenizer.

    `encode` lays around a text what the model expects there: `[CLS]` and `[SEP]` for BERT, `<s>` and `</s>` for
    RoBERTa, `</s>` behind it for T5, nothing for GPT-2. `decode` takes that, and padding, away again. Special tokens
    written in the text (`[MASK]`) become those tokens.

    Attributes:
        vocab_size: one more than the largest id.
        before, after: the ids that `encode` lays around a text.
        class_id: the token before the text; None where there is none.
        end_id: the token that ends a text (`[SEP]`, `</s>`, `<|endoftext|>`), or None.
        mask_id, pad_id, unknown_id: of the special tokens, or None.

    Raises ValueError if the content is damaged, or asks for what cannot be run here.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = foreign_json.checked(data)
        self.kind = KINDS[self._data["model"]["type"]]
        if self.kind == "byte-bpe" and "ByteLevel" not in foreign_json.types(self._data["pre_tokenizer"]):
            raise ValueError("the tokenizer's BPE does not work on bytes; only byte-level BPE is read")
        self._data["decoder"] = self._data["decoder"] or _DECODERS[self.kind]
        self._run = _guarded(Tokenizer.from_str, json.dumps(self._data))
        vocabulary: dict[str, int] = self._run.get_vocab(with_added_tokens=True)
        if any(vocabulary.get(token["content"]) != token["id"] for token in self._data["added_tokens"]):
            raise ValueError("an added token of the tokenizer has another id in its vocabulary")
        self.vocab_size = 1 + max(vocabulary.values())
        self._pieces = {i: piece for piece, i in vocabulary.items()}
        self._added = {token["id"] for token in self._data["added_tokens"]}
        self._letters = byte_letters()

        def first(*names: str) -> int | None:
            return next((vocabulary[name] for name in names if name in vocabulary), None)

        self.mask_id, self.pad_id = first("[MASK]", "<mask>"), first("[PAD]", "<pad>")
        self.unknown_id = first("[UNK]", "<unk>")
        self.before, self.after = self._frame()
        self.class_id = self.before[0] if self.before else None
        self.end_id = self.after[-1] if self.after else first("<|endoftext|>", "</s>", "[SEP]")
        # A damaged table shows when it is used: better now than on a learner's text.
        for text in ("", " ", "A small Test, 12.5%!\n", "Ünïcödé ﬁ ½ ① 漢字 \U0001f642 \t\u200b\u202e", "\x00\x1f\x7f"):
            self.decode(self.encode(text))

    def encode(self, text: str) -> list[int]:
        """Ids of the text, with what the model expects around it."""
        return self._known(_guarded(self._run.encode, clean(text)).ids)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids, without what `encode` lays around it. Raises ValueError for unknown ids."""
        hidden = {*self.before, *self.after, self.pad_id}
        visible = [i for i in check_ids(ids, self.vocab_size) if i not in hidden]
        return str(_guarded(self._run.decode, visible, skip_special_tokens=False))

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """One printable string per id: WordPiece's with their `##`, the others with their space. Raises ValueError."""
        return [self._token(i) for i in check_ids(ids, self.vocab_size)]

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json` in Hugging Face's format; `load` reads it."""
        write_atomic(Path(folder) / "tokenizer.json", json.dumps(self._data, ensure_ascii=False).encode())

    def _token(self, i: int) -> str:
        piece = self._pieces.get(i)
        if piece is None:
            return f"⟨unused {i}⟩"
        if self.kind == "byte-bpe" and i not in self._added and all(letter in self._letters for letter in piece):
            return printable(bytes(self._letters[letter] for letter in piece))
        return printable(piece.replace("▁", " ") if self.kind == "unigram" else piece)

    def _known(self, ids: list[int]) -> list[int]:
        if ids and max(ids) >= self.vocab_size:
            raise ValueError(f"the tokenizer makes the id {max(ids)}, which is outside of its vocabulary")
        return list(ids)

    def _frame(self) -> tuple[list[int], list[int]]:
        """What stands before and after a text."""
        encoding = _guarded(self._run.encode, "a")
        inside = [n for n, special in enumerate(encoding.special_tokens_mask) if not special] or [len(encoding.ids)]
        return self._known(encoding.ids[: inside[0]]), self._known(encoding.ids[inside[-1] + 1 :])


def load(folder: Path | str) -> ForeignTokenizer | None:
    """The tokenizer of a published model's folder; None where there is none that we read.

    Raises ValueError if a file is too large, damaged, or asks for what cannot be run here.
    """
    folder = Path(folder)
    if (folder / "tokenizer.json").is_file():
        return ForeignTokenizer(_json(folder / "tokenizer.json"))
    if (folder / "vocab.txt").is_file():
        return ForeignTokenizer(_from_vocab_txt(folder))
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return ForeignTokenizer(_from_merges(folder))
    return None


def load_either(folder: Path | str) -> tokenizers.Tokenizer | None:
    """Our own tokenizer or a published model's, whichever the folder has; None where there is none.

    Ours says so in the file: `"format": "glassformer-tokenizer"`. Raises ValueError as both `load` do.
    """
    path = Path(folder) / "tokenizer.json"
    if not path.is_file():
        return load(folder)
    data = _json(path, tokenizers.MAX_FILE)
    return tokenizers.load(folder) if data.get("format") == "glassformer-tokenizer" else ForeignTokenizer(data)


def _from_vocab_txt(folder: Path) -> dict[str, Any]:
    """BERT's oldest form: one token a line; whether letters are made small stands in tokenizer_config.json."""
    text = _text(folder / "vocab.txt").removesuffix("\n")
    if text.count("\n") >= foreign_json.MAX_TOKENS:
        raise ValueError(f"vocab.txt has more than {foreign_json.MAX_TOKENS:,} tokens")
    pieces = text.split("\n")
    vocabulary = {piece.removesuffix("\r"): i for i, piece in enumerate(pieces)}
    if len(vocabulary) != len(pieces):
        raise ValueError("a token occurs twice in vocab.txt")
    settings = _json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    small = settings.get("do_lower_case")
    if not isinstance(small, bool):  # then the vocabulary tells
        small = not any(piece[:1].isupper() for piece in vocabulary)
    data: dict[str, Any] = {
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


def _from_merges(folder: Path) -> dict[str, Any]:
    """GPT-2's and RoBERTa's older form."""
    vocabulary = _json(folder / "vocab.json")
    lines = _text(folder / "merges.txt").split("\n")
    bytes_alone = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    data: dict[str, Any] = {
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


def _added(vocabulary: dict[str, Any], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """`<mask>` takes the space before it along, as in RoBERTa."""
    return [{"id": vocabulary[name], "content": name, "special": True, "lstrip": name == "<mask>"}
            for name in names if name in vocabulary]  # fmt: skip


def _guarded(call: Any, *values: Any, **options: Any) -> Any:
    """Run the library; its panics are no `Exception`, and would end more than this one reading."""
    try:
        return call(*values, **options)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ValueError(f"the tokenizer is damaged: {str(error)[:200]}") from error


def _text(path: Path, most: int = MAX_FILE) -> str:
    size = path.stat().st_size
    if size > most:
        raise ValueError(f"{path.name} has {size:,} bytes; at most {most:,} are read")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} isn't text in UTF-8") from error


def _json(path: Path, most: int = MAX_FILE) -> dict[str, Any]:
    try:
        data = json.loads(_text(path, most), object_pairs_hook=_unique)
    except RecursionError as error:
        raise ValueError(f"{path.name} is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"{path.name} isn't valid JSON") from error
    if not isinstance(data, dict):
        raise ValueError(f"{path.name} holds no JSON object")
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a name occurs twice in the tokenizer's file")
    return values
