"""Tokenizers of published models, run by the `tokenizers` library; every part of a file is checked first.

| kind | a token is | models |
|---|---|---|
| "wordpiece" | a word, or a piece that begins with `##` | BERT, ELECTRA |
| "byte-bpe" | a frequent string of bytes | GPT-2, RoBERTa, Llama 3, Qwen, SmolLM, OLMo, Pythia, ModernBERT |
| "letter-bpe" | a frequent string of letters; a letter it lacks is spelled in bytes | Llama 2, Mistral, Gemma, Phi-3 |
| "unigram" | a piece of the most probable segmentation of a text | T5, XLM-RoBERTa, ALBERT |

They are read from Hugging Face's tokenizer.json, or from the older files vocab.txt (BERT) and vocab.json with
merges.txt (GPT-2). A SentencePiece tokenizer.model by itself is not read: such a model's tokenizer.json is needed.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tokenizers import AddedToken, Tokenizer

from core.data import tokenizers
from core.data.files import write_atomic
from core.data.localization.labels import module_labels
from core.data.printable import printable_text, replace_surrogates, visible_token
from core.data.tokenizers.bpe import byte_letters
from core.data.tokenizers.tokenizer_base import check_ids_in_vocabulary, unused_id_label
from core.data.tokenizers.tokenizer_json.tokenizer_component_checks import check_tokenizer_file, component_types
from core.data.tokenizers.tokenizer_json.tokenizer_files import (
    FILES,
    MAX_FILE,
    convert_vocab_and_merges,
    convert_vocab_txt,
    end_ids,
    read_json_object,
    read_special_tokens,
)
from core.data.tokenizers.tokenizer_json.tokenizer_models import BYTE_PIECES, build_model

LABELS = module_labels(__name__)

T = TypeVar("T")
__all__ = ["FILES", "MAX_FILE", "load_any_tokenizer"]


class _TextPair(NamedTuple):
    """Two texts as one input: T ids, BERT's segment ids, and the text (0 or 1) each token belongs to, or None."""

    ids: list[int]
    segments: list[int]
    texts: list[int | None]


_SPACE = "▁"  # as SentencePiece writes a space
_LETTERS = [
    {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "},
    {"type": "ByteFallback"},
    {"type": "Fuse"},
]
_DECODERS: dict[str, dict[str, object]] = {
    "wordpiece": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "byte-bpe": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    "letter-bpe": {"type": "Sequence", "decoders": _LETTERS},
    "unigram": {"type": "Metaspace", "replacement": _SPACE, "prepend_scheme": "always", "split": True},
}
# The end token, if no settings name it: the first one in the vocabulary. Phi-3 has the first and the fourth.
_ENDS = ("<|endoftext|>", "<|end_of_text|>", "<eos>", "</s>", "[SEP]", "<|im_end|>", "<|eot_id|>")
_TURN_ENDS = ("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|end|>")  # of a model's turn in a chat
_PADS = ("[PAD]", "<pad>", "<|padding|>", "<|pad|>", "<|finetune_right_pad_id|>")


class _PublishedTokenizer:
    """A published model's tokenizer.

    `encode` adds the tokens that the model expects around a text: `[CLS]` and `[SEP]` for BERT, `<s>` before it for
    Llama 2, `</s>` after it for T5, nothing for GPT-2. `decode` removes these and padding again. Special tokens written
    in the text (`[MASK]`) become those tokens.

    Attributes:
        n_token: one more than the largest id.
        vocab_size: the same, or the size of the model's vocabulary, if that is larger.
        before, after: the ids that `encode` adds around a text.
        class_id: the token before the text, or None.
        end_id: the token that ends a text (`[SEP]`, `</s>`, `<|endoftext|>`), or None.
        end_ids: all tokens at which a model may stop: `end_id`, and those that end its turn in a chat.
        mask_id, pad_id, unknown_id: the ids of the special tokens, or None.

    Raises ValueError if the content is damaged, or needs something that can't be run here.
    """

    def __init__(
        self,
        data: Mapping[str, object],
        special: Mapping[str, str] | None = None,
        ends: Sequence[int] = (),
        n_token: int | None = None,
    ) -> None:
        """Build it from the content of a tokenizer.json and the settings in the files next to it (`published.files`).

        n_token: the size of the model's vocabulary. Added tokens beyond it are left out; for example, a model without
        pictures has no row for Gemma 3's image token. If the vocabulary is larger than the tokenizer, the other ids are
        unused: they have names, but no text.
        """
        data = check_tokenizer_file(data)
        model, parts = data.pop("model"), data
        self.kind = _kind(model, parts)
        parts["decoder"] = parts["decoder"] or _DECODERS[self.kind]
        if n_token is not None:
            parts["added_tokens"] = [token for token in parts["added_tokens"] if token["id"] < n_token]
        self._run = _guarded(_built, model, parts)
        vocabulary: dict[str, int] = self._run.get_vocab(with_added_tokens=True)
        if any(vocabulary.get(token["content"]) != token["id"] for token in parts["added_tokens"]):
            raise ValueError(LABELS["two_ids"])
        self.n_token = 1 + max(vocabulary.values())
        self.vocab_size = max(self.n_token, n_token or 0)
        self._added = {token["id"]: str(token["content"]) for token in parts["added_tokens"]}
        self._is_bytes = self.kind == "byte-bpe" and component_types(parts["decoder"]) == ["ByteLevel"]
        self._special = dict(special or {})

        def first(*names: str) -> int | None:
            return next((vocabulary[name] for name in names if name in vocabulary), None)

        self.mask_id, self.pad_id = first("[MASK]", "<mask>"), first(*_PADS)
        self.unknown_id = first("[UNK]", "<unk>")
        self.before, self.after = self._frame()
        self.class_id = self.before[0] if self.before else None
        told = vocabulary.get(self._special["eos_token"]) if "eos_token" in self._special else None
        self.end_id = told if told is not None else self.after[-1] if self.after else first(*_ENDS)
        known = {self.end_id, *(vocabulary.get(name) for name in _TURN_ENDS), *ends}
        self.end_ids = tuple(sorted(i for i in known if i is not None and 0 <= i < self.vocab_size))
        # A damaged table fails only when it is used, so try it now and not on a learner's text.
        for text in ("", " ", "A small Test, 12.5%!\n", "Ünïcödé ﬁ ½ ① 漢字 \U0001f642 \t\u200b\u202e", "\x00\x1f\x7f"):
            self.decode(self.encode(text))

    @property
    def added_ids(self) -> frozenset[int]:
        """The ids of tokens that aren't text but markers, such as the beginning of a turn."""
        return frozenset(self._added)

    def encode(self, text: str) -> list[int]:
        """Return the ids of the text, with the tokens that the model expects around it."""
        return self._known(_guarded(self._run.encode, replace_surrogates(text)).ids)

    def encode_bare(self, text: str) -> list[int]:
        """Return only the ids of the text, for a text that marks its own beginning, as a chat does."""
        return self._known(_guarded(self._run.encode, replace_surrogates(text), add_special_tokens=False).ids)

    def encode_pair(self, first: str, second: str) -> _TextPair:
        """Encode two texts, such as a question and a passage, with the tokens that the model expects around both."""
        found = _guarded(self._run.encode, replace_surrogates(first), replace_surrogates(second))
        return _TextPair(self._known(found.ids), list(found.type_ids), list(found.sequence_ids))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids, without the tokens that `encode` adds. Raises ValueError for unknown ids."""
        hidden = self._hidden
        visible = [i for i in check_ids_in_vocabulary(ids, self.vocab_size) if i not in hidden]
        if self._is_bytes:
            return b"".join(map(self._bytes_of, visible)).decode("utf-8", "replace")
        return str(_guarded(self._run.decode, visible, skip_special_tokens=False))

    @property
    def _hidden(self) -> set[int | None]:
        return {*self.before, *self.after, self.pad_id}

    def _bytes_of(self, i: int) -> bytes:
        """Return the bytes of a token; b"" for an unused id.

        Letters that represent bytes in other tokens are plain letters in an added token.
        """
        piece: str = self._added.get(i) or self._run.id_to_token(i) or ""
        spelled = i not in self._added and all(letter in _BYTE_LETTERS for letter in piece)
        return bytes(_BYTE_LETTERS[letter] for letter in piece) if spelled else piece.encode()

    def in_byte_run(self, i: int) -> bool | None:
        """Return whether a token is one byte of a letter without a token of its own.

        None means that it isn't text, so it doesn't interrupt a run of such bytes. Raises ValueError for an unknown id.
        """
        piece: str | None = self._run.id_to_token(check_ids_in_vocabulary([i], self.vocab_size)[0])
        if piece is None or i in self._hidden:
            return None
        return self.kind == "letter-bpe" and piece in _BYTE_PIECES

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one printable string per id: WordPiece's with their `##`, the others with their space.

        Bytes are drawn as the letters that they encode, or as `⟨E2⟩` if they are only part of one. Raises ValueError
        for an unknown id.
        """
        return [self._token(i) for i in check_ids_in_vocabulary(ids, self.vocab_size)]

    def save(self, folder: Path | str) -> None:
        """Write `tokenizer.json` and the settings with the names of the special tokens; `_load_foreign` reads both."""
        write_atomic(Path(folder) / "tokenizer.json", _guarded(self._run.to_str).encode())
        if self._special:
            write_atomic(Path(folder) / "tokenizer_config.json", json.dumps(self._special).encode())

    def _token(self, i: int) -> str:
        piece: str | None = self._run.id_to_token(i)
        if piece is None:
            return unused_id_label(i)
        is_mark = self.kind == "byte-bpe" and i in self._added
        return display_piece(piece, None if is_mark else self.kind)

    def _known(self, ids: list[int]) -> list[int]:
        if ids and max(ids) >= self.vocab_size:
            raise ValueError(LABELS("id_outside", i=max(ids)))
        return list(ids)

    def _frame(self) -> tuple[list[int], list[int]]:
        """Return the ids before and after a text."""
        encoding = _guarded(self._run.encode, "a")
        inside = [n for n, special in enumerate(encoding.special_tokens_mask) if not special] or [len(encoding.ids)]
        return self._known(encoding.ids[: inside[0]]), self._known(encoding.ids[inside[-1] + 1 :])


_BYTE_LETTERS = byte_letters()
_BYTE_PIECES = {piece: byte for byte, piece in enumerate(BYTE_PIECES)}


def display_piece(piece: str, kind: str | None) -> str:
    """Return the display name of a token, given the library's spelling: its bytes and space marks are decoded.

    kind: of the tokenizer, see above; None for a token whose spelling is its text.
    """
    if kind == "byte-bpe" and all(letter in _BYTE_LETTERS for letter in piece):
        return printable_text(bytes(_BYTE_LETTERS[letter] for letter in piece))
    if kind == "letter-bpe" and piece in _BYTE_PIECES:
        return printable_text(bytes([_BYTE_PIECES[piece]]))
    return printable_text(piece.replace(_SPACE, " ") if kind in ("letter-bpe", "unigram") else piece) or visible_token(
        ""
    )


def _load_foreign(folder: Path | str) -> _PublishedTokenizer | None:
    """Load the tokenizer of a published model's folder; None if there is none that we can read.

    Raises ValueError if a file is too large, damaged, or needs something that can't be run here.
    """
    folder = Path(folder)
    if (folder / "tokenizer.json").is_file():
        return _beside(folder, read_json_object(folder / "tokenizer.json"))
    if (folder / "vocab.txt").is_file():
        return _beside(folder, convert_vocab_txt(folder))
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return _beside(folder, convert_vocab_and_merges(folder))
    return None


def load_any_tokenizer(folder: Path | str, n_token: int | None = None) -> tokenizers.Tokenizer | None:
    """Load our own or a published model's tokenizer, whichever the folder has; None if there is none.

    Our own has `"format": "glassformer-tokenizer"` in its file. `n_token`: see `_PublishedTokenizer`. Raises ValueError
    as both `_load_foreign` functions do.
    """
    folder = Path(folder)
    path = folder / "tokenizer.json"
    if not path.is_file():
        return _load_foreign(folder)
    data = read_json_object(path)
    if data.get("format") == "glassformer-tokenizer":
        return tokenizers.load(folder)
    return _beside(folder, data, n_token)


def _beside(folder: Path, data: dict[str, object], n_token: int | None = None) -> _PublishedTokenizer:
    """Build the tokenizer of `data` with the settings in the files of its folder."""
    return _PublishedTokenizer(data, read_special_tokens(folder), end_ids(folder), n_token)


def _kind(model: dict[str, object], parts: dict[str, Any]) -> str:
    if model["type"] != "BPE":
        return str(model["type"]).lower()
    if "ByteLevel" in component_types(parts["pre_tokenizer"]):
        return "byte-bpe"
    if not model["byte_fallback"]:
        raise ValueError(LABELS["no_bytes"])
    return "letter-bpe"


def _built(model: dict[str, Any], parts: dict[str, Any]) -> Tokenizer:
    """Build a tokenizer from its parts, its model and the added tokens, in this order.

    That avoids writing and reading a large vocabulary once more.
    """
    empty = {"type": "BPE", "vocab": {}, "merges": []}
    run = Tokenizer.from_str(json.dumps(parts | {"added_tokens": [], "model": empty}))
    run.model = build_model(model)
    for special, tokens in groupby(parts["added_tokens"], lambda token: token["special"]):
        given = [AddedToken(**{name: value for name, value in token.items() if name != "id"}) for token in tokens]
        run.add_special_tokens(given) if special else run.add_tokens(given)
    return run


def _guarded(call: Callable[..., T], *values: object, **options: object) -> T:
    """Call the library and turn its panics into ValueError; they aren't an `Exception` and would end the program."""
    try:
        return call(*values, **options)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ValueError(LABELS("damaged", error=str(error)[:200])) from error
