"""Tokenizers of today's models: the ids and texts are Hugging Face's."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import transformers
from hypothesis import example, given, settings, strategies as st

from core.data.tokenizers.published_tokenizer import _load_foreign, _PublishedTokenizer, load_any_tokenizer
from tests.library.data.tokenizers_today import EXACT, FAMILIES, TEXTS, added, gemma


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("today")
    for name, make in FAMILIES.items():
        (root / name).mkdir()
        (root / name / "tokenizer.json").write_text(json.dumps(make()))
    return {name: root / name for name in FAMILIES}


@dataclass(frozen=True, repr=False)
class Pair:
    """A tokenizer as ours reads it, and as Hugging Face does."""

    mine: _PublishedTokenizer
    theirs: Any


Both = dict[str, Pair]


@pytest.fixture(scope="module")
def both(folders: dict[str, Path]) -> Both:
    return {
        name: Pair(ours(folder), transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json")))
        for name, folder in folders.items()
    }


def ours(folder: Path) -> _PublishedTokenizer:
    found = _load_foreign(folder)
    assert found is not None
    return found


# --- the same ids, the same texts ------------------------------------------------------------------------------------


def compare(pair: Pair, text: str, exact: bool = False) -> None:
    mine, reference = pair.mine, pair.theirs
    ids = mine.encode(text)
    assert ids == reference(text)["input_ids"], text
    assert mine.encode_bare(text) == reference(text, add_special_tokens=False)["input_ids"], text
    around = {*mine.before, *mine.after, mine.pad_id}
    shown = mine.decode(ids)
    assert shown == reference.decode([i for i in ids if i not in around], clean_up_tokenization_spaces=False), text
    if exact:
        assert shown == text
    pieces = mine.tokens(ids)
    assert len(pieces) == len(ids)
    assert "".join(pieces).replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize("name", FAMILIES)
def test_ids_and_texts_are_hugging_faces(both: Both, name: str) -> None:
    pair = both[name]
    assert pair.mine.vocab_size == len(pair.theirs)
    for text in TEXTS:
        compare(pair, text, exact=name in EXACT and not ("▁" in text and pair.mine.kind == "letter-bpe"))
    for token in [token["content"] for token in FAMILIES[name]()["added_tokens"]]:
        for text in (token, f"the {token} cat", f"  {token}\n{token} the{token}", f"{token[:-1]} {token[1:]}"):
            compare(pair, text)


ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
KNOWN = st.lists(
    st.sampled_from(
        [*"aAeth '’sS19٣½.,!?\n\r\t ▁", "  ", "the", " cat", "It's", "<s>", "</s>", "<eos>", "<|im_end|>", "<|eot_id|>",
         "[MASK]", "<think>", "é", "e\u0301", "漢字", "\U0001f642", "\U0001f468\u200d\U0001f469", "\u00a0", "\u0085",
         "ß", "ﷺ", "\u202e"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(text=ANY | KNOWN)
@example(text="<0x0A>\n")
@settings(max_examples=300)
def test_any_text(both: Both, text: str) -> None:
    for name, pair in both.items():
        special = ("<", "[", "▁") if name in EXACT else ()
        compare(pair, text, exact=name in EXACT and not any(mark in text for mark in special))


@pytest.mark.parametrize("name", FAMILIES)
def test_what_was_saved_comes_back(both: Both, tmp_path: Path, name: str) -> None:
    mine = both[name].mine
    mine.save(tmp_path)
    again = ours(tmp_path)
    assert [again.encode(text) for text in TEXTS] == [mine.encode(text) for text in TEXTS]
    assert [again.decode(again.encode(text)) for text in TEXTS] == [mine.decode(mine.encode(text)) for text in TEXTS]
    assert (again.before, again.after, again.end_ids) == (mine.before, mine.after, mine.end_ids)


# --- what stands around a text, and ends it --------------------------------------------------------------------------

AROUND = {  # kind, before, after, class, end, mask, padding, unknown
    "llama 2": ("letter-bpe", ["<s>"], [], "<s>", "</s>", None, None, "<unk>"),
    "mistral": ("letter-bpe", ["<s>"], [], "<s>", "</s>", None, None, "<unk>"),
    "phi 3": ("letter-bpe", [], [], None, "<|endoftext|>", None, None, "<unk>"),
    "gemma": ("letter-bpe", ["<bos>"], [], "<bos>", "<eos>", "<mask>", "<pad>", "<unk>"),
    "llama 3": ("byte-bpe", ["<|begin_of_text|>"], [], "<|begin_of_text|>", "<|end_of_text|>", None, None, None),
    "qwen": ("byte-bpe", [], [], None, "<|endoftext|>", None, None, None),
    "smollm": ("byte-bpe", [], [], None, "<|endoftext|>", None, None, None),
    "olmo 2": ("byte-bpe", [], [], None, "<|endoftext|>", None, "<|pad|>", None),
    "phi 4": ("byte-bpe", [], [], None, "<|endoftext|>", None, "<|pad|>", None),
    "neox": ("byte-bpe", [], [], None, "<|endoftext|>", None, "<|padding|>", None),
    "modern bert": ("byte-bpe", ["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"),
    "xlm-roberta": ("unigram", ["<s>"], ["</s>"], "<s>", "</s>", "<mask>", "<pad>", "<unk>"),
    "albert": ("unigram", ["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]", "[MASK]", "<pad>", "<unk>"),
    "electra": ("wordpiece", ["[CLS]"], ["[SEP]"], "[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_what_stands_around_a_text(both: Both, name: str) -> None:
    one = both[name].mine
    ids = (one.class_id, one.end_id, one.mask_id, one.pad_id, one.unknown_id)
    said = [None if i is None else one.tokens([i])[0] for i in ids]
    assert (one.kind, one.tokens(one.before), one.tokens(one.after), *said) == AROUND[name]
    assert one.end_id in one.end_ids


def test_tokens_show_what_they_are(both: Both) -> None:
    for name in ("llama 2", "mistral", "phi 3", "gemma"):
        one = both[name].mine
        assert "".join(one.tokens(one.encode_bare("the  cat\n"))).lstrip(" ") == "the  cat\n"
        assert one.tokens(one.encode_bare("\u20ac"))[-3:] == ["⟨E2⟩", "⟨82⟩", "⟨AC⟩"]
        assert one.tokens(one.encode_bare("\r"))[-1] == "⟨U+000D⟩"
    one = both["llama 3"].mine
    assert "".join(one.tokens(one.encode_bare("the  cat\nsat"))) == "the  cat\nsat"
    one = both["xlm-roberta"].mine
    assert "".join(one.tokens(one.encode_bare("the cat"))) == " the cat"


@pytest.mark.parametrize(("files", "ends"), [
    ({"config": {"eos_token_id": 7}}, {7}),
    ({"config": {"eos_token_id": [7, 9]}}, {7, 9}),
    ({"config": {"eos_token_id": None, "text_config": {"eos_token_id": [5]}}}, {5}),
    ({"config": {"eos_token_id": 7}, "generation_config": {"eos_token_id": 9}}, {9}),
    ({"config": {"eos_token_id": 7}, "generation_config": {"eos_token_id": None}}, {7}),
    ({"config": {"eos_token_id": 7}, "generation_config": {}}, {7}),
    ({"config": {"eos_token_id": "7"}}, set()),
    ({"config": {"eos_token_id": [10**9, -1, True]}}, set()),
    ({"special_tokens_map": {"eos_token": "<unk>"}}, {0}),
    ({"special_tokens_map": {"eos_token": {"content": "<unk>"}}, "config": {"eos_token_id": 7}}, {0, 7}),
    ({"special_tokens_map": {"eos_token": "<unk>"}, "tokenizer_config": {"eos_token": "<s>"}}, {1}),
], ids=str)  # fmt: skip
def test_ends_are_read_in_every_file_that_tells_them(
    folders: dict[str, Path], tmp_path: Path, files: dict[str, Any], ends: set[int]
) -> None:
    (tmp_path / "tokenizer.json").write_bytes((folders["llama 2"] / "tokenizer.json").read_bytes())
    for name, said in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(said))
    told = "special_tokens_map" in files
    assert set(ours(tmp_path).end_ids) == ends | (set() if told else {2})  # by its name where no file tells: </s>


def test_settings_tell_what_ends_a_text(folders: dict[str, Path], tmp_path: Path) -> None:
    """A chat model's own end is in tokenizer_config.json; generation_config.json may name more."""
    for name, settings_, ends, said in (
        ("qwen", {"eos_token": "<|im_end|>"}, None, ("<|im_end|>", ["<|im_end|>"])),
        ("qwen", {"eos_token": "<|endoftext|>"}, None, ("<|endoftext|>", ["<|endoftext|>", "<|im_end|>"])),
        ("qwen", {"eos_token": "<|nowhere|>"}, None, ("<|endoftext|>", ["<|endoftext|>", "<|im_end|>"])),
        ("llama 3", {"eos_token": {"content": "<|eot_id|>"}}, None, ("<|eot_id|>", ["<|eot_id|>"])),
        ("gemma", {"eos_token": "<eos>"}, None, ("<eos>", ["<eos>", "<end_of_turn>"])),
        ("llama 2", {"eos_token": "</s>", "model_max_length": 10**30}, [2, 10**9, "x", True], ("</s>", ["</s>"])),
        ("smollm", {"eos_token": "<|im_end|>"}, 0, ("<|im_end|>", ["<|endoftext|>", "<|im_end|>"])),
    ):
        (tmp_path / "tokenizer.json").write_bytes((folders[name] / "tokenizer.json").read_bytes())
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings_))
        (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": ends}))
        one = ours(tmp_path)
        assert one.end_id is not None and (one.tokens([one.end_id])[0], one.tokens(one.end_ids)) == said, name
        one.save(tmp_path / "saved")
        assert ours(tmp_path / "saved").end_id == one.end_id
    (tmp_path / "tokenizer_config.json").write_text("[]")
    with pytest.raises(ValueError, match=r"tokenizer_config\.json holds no JSON object"):
        _load_foreign(tmp_path)


def test_tokens_that_the_model_does_not_know_are_left_out(tmp_path: Path) -> None:
    """Gemma 3's text models have one row less than its tokenizer has tokens, as the one for pictures is missing."""
    data = gemma()
    n = len(data["model"]["vocab"])
    data["added_tokens"] += added({"<image_soft_token>": n}, "<image_soft_token>")
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    whole_, without = load_any_tokenizer(tmp_path), load_any_tokenizer(tmp_path, n)
    assert whole_ is not None and without is not None
    assert (whole_.vocab_size, without.vocab_size) == (n + 1, n)
    assert n in whole_.encode("<image_soft_token>") and n not in without.encode("<image_soft_token>")


def test_a_sentencepiece_file_alone_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(b"\n\x0e\n\x05<unk>")
    assert _load_foreign(tmp_path) is None and load_any_tokenizer(tmp_path) is None
