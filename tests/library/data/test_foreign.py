"""Published models' tokenizers: the same ids as Hugging Face's, and strangers' files are data."""

import base64
import json
import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import transformers

from core.data.tokenizers import CharTokenizer
from core.data.tokenizers.bpe import BPETokenizer, byte_letters
from core.data.tokenizers.known_word_normalization import recase_words_to_vocabulary
from core.data.tokenizers.published_tokenizer import _load_foreign, _PublishedTokenizer, load_any_tokenizer
from core.inspect.model_inputs.model_and_text import _notes_on_words
from tests.library.data.other_values import other_value

TEXT = "the cat sat on the mat, and the cats sat. The CAT! Ünïcode 漢字 é\n\tnumbers 123  two spaces \U0001f642"
TEXTS = ["", " ", "the cat", TEXT, TEXT * 3, "[MASK] the <mask> cat", "<|endoftext|>", "‮x​", "ﬁ ½ ①"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s", "sat", "on", "mat", "and", ",", ".", "!",
         "c", "##a", "##t", "1", "##2", "##3", "e", "漢"]  # fmt: skip


def learned() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """A small byte-level vocabulary in the library's letters."""
    letters = {b: letter for letter, b in byte_letters().items()}
    own = BPETokenizer.train(TEXT * 20, 300)
    write = lambda piece: "".join(letters[b] for b in piece)  # noqa: E731
    merges = [(write(left), write(right)) for left, right in own.merges]
    return {write(piece): i for piece, i in own.ranks.items()}, merges


def bert() -> Any:
    return transformers.BertTokenizer(vocab={word: i for i, word in enumerate(WORDS)})


def gpt2() -> Any:
    vocabulary, merges = learned()
    return transformers.GPT2Tokenizer(vocab=vocabulary | {"<|endoftext|>": len(vocabulary)}, merges=merges)


def roberta() -> Any:
    vocabulary, merges = learned()
    special = {name: i for i, name in enumerate(["<s>", "<pad>", "</s>", "<unk>"])}
    words = special | {piece: i + 4 for piece, i in vocabulary.items()}
    return transformers.RobertaTokenizer(vocab=words | {"<mask>": len(words)}, merges=merges)


def t5() -> Any:
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁the", -2.0), ("▁", -3.0), ("cat", -3.5), ("▁cat", -3.0),
              ("s", -4.0), ("a", -4.1), ("t", -4.2), ("▁sat", -4.0), ("o", -5.0), ("n", -5.0), ("e", -5.0)]  # fmt: skip
    return transformers.T5Tokenizer(vocab=pieces, extra_ids=3)


FAMILIES: dict[str, Callable[[], Any]] = {"wordpiece": bert, "byte-bpe": gpt2, "roberta": roberta, "unigram": t5}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each family's tokenizer as Hugging Face saves it."""
    root = tmp_path_factory.mktemp("tokenizers")
    for name, make in FAMILIES.items():
        make().save_pretrained(root / name)
    return {name: root / name for name in FAMILIES}


def ours(folder: Path) -> _PublishedTokenizer:
    found = _load_foreign(folder)
    assert found is not None
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_ids_are_hugging_faces(folders: dict[str, Path], name: str) -> None:
    reference, tokenizer = FAMILIES[name](), ours(folders[name])
    assert tokenizer.kind == {"roberta": "byte-bpe"}.get(name, name)
    assert tokenizer.vocab_size == len(reference)
    for text in TEXTS:
        ids = tokenizer.encode(text)
        assert ids == reference(text)["input_ids"], text
        shown = tokenizer.tokens(ids)
        assert len(shown) == len(ids) and "".join(shown).replace("\n", "").replace("\t", "").isprintable()


def test_what_stands_around_a_text(folders: dict[str, Path]) -> None:
    found = {name: ours(folder) for name, folder in folders.items()}
    one = found["wordpiece"]
    assert (one.before, one.after, one.class_id, one.end_id, one.mask_id, one.pad_id, one.unknown_id) == (
        [2], [3], 2, 3, 4, 0, 1)  # fmt: skip
    assert one.encode("the [MASK] sat") == [2, 5, 4, 8, 3]
    assert one.tokens(one.encode("cats")) == ["[CLS]", "cat", "##s", "[SEP]"]
    assert one.decode(one.encode("The cats sat.")) == "the cats sat."
    one = found["byte-bpe"]
    assert (one.before, one.after, one.class_id, one.mask_id, one.pad_id) == ([], [], None, None, None)
    assert one.end_id == one.vocab_size - 1 and one.tokens([one.end_id]) == ["<|endoftext|>"]
    for text in TEXTS:
        assert one.decode(one.encode(text)) == text
    assert "".join(one.tokens(one.encode("the  cat\nsat"))) == "the  cat\nsat"
    assert one.tokens(one.encode("漢"))[0].startswith("⟨E6⟩") or one.tokens(one.encode("漢")) == ["漢"]
    one = found["roberta"]
    assert (one.before, one.after, one.class_id, one.end_id, one.pad_id) == ([0], [2], 0, 2, 1)
    assert one.tokens([one.mask_id or 0]) == ["<mask>"] and one.decode(one.encode(TEXT)) == TEXT
    one = found["unigram"]
    assert (one.before, one.after, one.class_id, one.end_id, one.pad_id) == ([], [1], None, 1, 0)
    assert one.tokens(one.encode("the cats")) == [" the", " cat", "s", "</s>"]
    assert one.decode(one.encode("the cats")) == "the cats"
    with pytest.raises(ValueError, match="token id 99 is outside"):
        one.decode([99])
    with pytest.raises(ValueError, match="token id -1 is outside"):
        one.tokens([-1])


@pytest.mark.parametrize("name", FAMILIES)
def test_what_was_saved_comes_back(folders: dict[str, Path], tmp_path: Path, name: str) -> None:
    first = ours(folders[name])
    first.save(tmp_path)
    second = ours(tmp_path)
    assert [second.encode(text) for text in TEXTS] == [first.encode(text) for text in TEXTS]
    assert second.__dict__.keys() == first.__dict__.keys() and second.mask_id == first.mask_id


def test_the_older_files_give_the_same_ids(folders: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    first, second = ours(folders["wordpiece"]), ours(tmp_path / "bert")
    assert [second.encode(text) for text in TEXTS] == [first.encode(text) for text in TEXTS]
    assert (second.class_id, second.mask_id, second.vocab_size) == (2, 4, len(WORDS))
    (tmp_path / "bert" / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert ours(tmp_path / "bert").encode("THE the") == [2, 1, 5, 3]
    for name in ("byte-bpe", "roberta"):
        data = json.loads((folders[name] / "tokenizer.json").read_text())["model"]
        (tmp_path / name).mkdir()
        (tmp_path / name / "vocab.json").write_text(json.dumps(data["vocab"]))
        lines = ["#version: 0.2", *(" ".join(pair) for pair in data["merges"])]
        (tmp_path / name / "merges.txt").write_text("\n".join(lines) + "\n")
        first, second = ours(folders[name]), ours(tmp_path / name)
        plain = [text for text in TEXTS if "<mask>" not in text]
        assert [second.encode(text) for text in plain] == [first.encode(text) for text in plain]
        assert (second.before, second.after, second.end_id) == (first.before, first.after, first.end_id)
    assert _load_foreign(tmp_path) is None


def test_a_tokenizer_that_lowercases_says_so(folders: dict[str, Path]) -> None:
    """Fault: capitals are read as small letters without a warning."""
    notes = {
        text: _notes_on_words(one, recase_words_to_vocabulary(one, text), one.encode(text))
        for one in [ours(folders["wordpiece"])]
        for text in ("THE cat", "the cat", "Qqq")
    }
    assert ["lowercases" in " ".join(one) for one in notes.values()] == [True, False, False]
    assert not _notes_on_words(
        ours(folders["byte-bpe"]), recase_words_to_vocabulary(ours(folders["byte-bpe"]), "THE cat"), []
    )


def test_the_oldest_spellings_of_the_file(folders: dict[str, Path], tmp_path: Path) -> None:
    for name, family in (("wordpiece", "wordpiece"), ("byte-bpe", "byte-bpe"), ("unigram", "unigram")):
        data = json.loads((folders[family] / "tokenizer.json").read_text())
        del data["model"]["type"]
        if family == "byte-bpe":
            data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
            data["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False}
        if family == "unigram":
            spaces = {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": True}
            data["decoder"] = spaces
            data["pre_tokenizer"]["pretokenizers"][1] = spaces
        (tmp_path / "tokenizer.json").write_text(json.dumps(data))
        assert [ours(tmp_path).encode(text) for text in TEXTS] == [ours(folders[name]).encode(text) for text in TEXTS]


def test_a_table_of_letters(folders: dict[str, Path], tmp_path: Path) -> None:
    """SentencePiece's normaliser comes as a table in base64; this one, of zeros, changes nothing."""
    data = json.loads((folders["unigram"] / "tokenizer.json").read_text())
    table = base64.b64encode(struct.pack("<I", 1024) + bytes(1024)).decode()
    data["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": table}
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    assert [ours(tmp_path).encode(text) for text in TEXTS] == [ours(folders["unigram"]).encode(text) for text in TEXTS]


def test_our_tokenizers_and_foreign_ones_are_distinguished(folders: dict[str, Path], tmp_path: Path) -> None:
    assert load_any_tokenizer(tmp_path) is None
    CharTokenizer.train("abc").save(tmp_path)
    assert isinstance(load_any_tokenizer(tmp_path), CharTokenizer)
    assert isinstance(load_any_tokenizer(folders["wordpiece"]), _PublishedTokenizer)


# --- hostile files ---------------------------------------------------------------------------------------------------


def change(**parts: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update(parts)


def model(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["model"].update(values)


def normalizer(kind: str, **values: Any) -> Callable[[dict[str, Any]], None]:
    return change(normalizer={"type": kind, **values})


def in_sequence(part: dict[str, Any], n: int) -> Callable[[dict[str, Any]], None]:
    return normalizer("Sequence", normalizers=[part] * n)


def template(*single: Any) -> Callable[[dict[str, Any]], None]:
    pair = [{"Sequence": {"id": "A", "type_id": 0}}]
    return change(
        post_processor={"type": "TemplateProcessing", "single": [*single], "pair": pair, "special_tokens": {}}
    )


def other_model(kind: str, vocab: Any, **values: Any) -> Callable[[dict[str, Any]], None]:
    return change(model={"type": kind, "vocab": vocab, **values})


TABLE = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
SLOW = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
HOSTILE: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a slow regular expression": (change(pre_tokenizer=SLOW), "regular expression of its own"),
    "one in a sequence": (change(pre_tokenizer={"type": "Sequence", "pretokenizers": [SLOW]}), "of its own"),
    "one that replaces": (normalizer("Replace", pattern={"Regex": "(a+)+$"}, content=""), "of its own"),
    "sequences in sequences": (in_sequence({"type": "Sequence", "normalizers": [
        {"type": "Sequence", "normalizers": []}]}, 1), "cannot be run"),
    "a long sequence": (in_sequence({"type": "NFC"}, 1000), "short list"),
    "no model": (change(model=None), "cannot be run"),
    "an unknown model": (model(type="WordLevel"), "'WordLevel' cannot be run"),
    "an unknown part": (change(run="me"), "unknown part run"),
    "a vocabulary of a list": (model(vocab=[]), "vocabulary"),
    "an empty vocabulary": (model(vocab={}), "vocabulary"),
    "a huge id": (model(vocab={"[UNK]": 10**9}), "number below"),
    "an id twice": (model(vocab={"[UNK]": 0, "a": 0}), "same number"),
    "no unknown token": (model(vocab={"a": 0}, unk_token="[UNK]"), "unknown token is not"),
    "a long piece": (model(vocab={"[UNK]": 0, "a" * 2000: 1}), "number below"),
    "words without a limit": (model(max_input_chars_per_word=10**6), "limited to"),
    "added tokens of a word": (change(added_tokens="all"), "aren't a list"),
    "an added token without a text": (change(added_tokens=[{"id": 3, "content": ""}]), "no text"),
    "an added token with another id": (change(added_tokens=[{"id": 9, "content": "[CLS]"}]), "another id"),
    "an option of a word": (change(added_tokens=[{"id": 3, "content": "[SEP]", "lstrip": "yes"}]), "true nor false"),
    "a template of a word": (template("A"), "not allowed"),
    "a template with an unknown token": (template({"SpecialToken": {"id": "[NO]", "type_id": 0}}), "damaged"),
    "a template of lists in lists": (template({"Sequence": [[[]]]}), "not allowed"),
    "a template beyond the vocabulary": (change(post_processor={
        "type": "BertProcessing", "sep": ["[SEP]", 400_000], "cls": ["[CLS]", 2]}), "outside of its vocabulary"),
    "a table that is none": (normalizer("Precompiled", precompiled_charsmap="////AAAA"), "damaged"),
    "a table of a million letters": (normalizer("Precompiled", precompiled_charsmap="A" * 3_000_000), "not allowed"),
    "a letter that becomes a long text": (normalizer("Precompiled", precompiled_charsmap=base64.b64encode(
        bytes(4) + b"a" * 101 + b"\0").decode()), "not allowed"),
    "two tables": (in_sequence(TABLE, 2), "more than one table"),
    # Five of these make 10^10 letters of one: the library would take the whole server down with it.
    "replacements that grow": (in_sequence({"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 100}, 5),
                               "by a longer one"),
    "a replacement for nothing": (normalizer("Replace", pattern={"String": ""}, content="a"), "not allowed"),
    "a decoder that grows": (change(decoder={
        "type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "   "}), "by a longer one"),
    "BPE on no bytes": (other_model("BPE", {"a": 0}, merges=[]), "on bytes"),
    "merges of what is not there": (other_model("BPE", {"a": 0, "b": 1}, merges=["a b"]), "not in the tokenizer's voc"),
    "merges of three": (other_model("BPE", {"a": 0}, merges=["a a a"]), "isn't a pair"),
    "dropout": (other_model("BPE", {"a": 0}, merges=[], dropout=0.5), "dropout is not supported"),
    "unigram with a score of 1e300": (other_model("Unigram", [["a", 1e300]], unk_id=0), "can be its score"),
    "unigram with an empty piece": (other_model("Unigram", [["", 0.0]], unk_id=0), "isn't a text"),
    "unigram with a piece twice": (other_model("Unigram", [["a", 0.0], ["a", 1.0]], unk_id=0), "twice"),
    "unigram with no unknown": (other_model("Unigram", [["a", 0.0]], unk_id=7), "unknown token"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_tokenizers_are_refused_in_plain_words(folders: dict[str, Path], tmp_path: Path, name: str) -> None:
    spoil, words = HOSTILE[name]
    data = json.loads((folders["wordpiece"] / "tokenizer.json").read_text())
    spoil(data)
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=words) as refusal:
        _load_foreign(tmp_path)
    assert len(str(refusal.value)) < 300 and "Traceback" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "isn't valid JSON"),
        (b"\x80\x04.", "isn't text in UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "no JSON object"),
        (b'{"model": 1, "model": 2}', "twice"),
        (b" " * 40_000_001, "at most 40,000,000"),
        (b"{}", "cannot be run"),
    ],
)
def test_files_that_are_no_tokenizer(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        _load_foreign(tmp_path)


def test_hostile_older_files(tmp_path: Path) -> None:
    for name, content, words in (
        ("vocab.txt", b"[UNK]\na\na\n", "twice"),
        ("vocab.txt", b"a\nb\n", "unknown token"),
        ("vocab.txt", b"", "unknown token"),
        ("vocab.json", b'{"a": 0}', "isn't a pair"),
    ):
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        (tmp_path / name).write_bytes(content)
        (tmp_path / "merges.txt").write_text("a b c\n")
        with pytest.raises(ValueError, match=words):
            _load_foreign(tmp_path)


@pytest.mark.parametrize("name", FAMILIES)
def test_mutated_files_load_or_are_refused(folders: dict[str, Path], tmp_path: Path, name: str) -> None:
    """With one value changed at random, it either works on any text or is refused with a clear message."""
    raw = (folders[name] / "tokenizer.json").read_bytes()
    dice = random.Random(7)
    refused = 0
    for _ in range(40):
        (tmp_path / "tokenizer.json").write_bytes(other_value(raw, dice))
        try:
            tokenizer = ours(tmp_path)
            for text in TEXTS:
                ids = tokenizer.encode(text)
                assert all(0 <= i < tokenizer.vocab_size for i in ids)
                tokenizer.decode(ids), tokenizer.tokens(ids)
        except ValueError:
            refused += 1
    assert 5 < refused < 40
