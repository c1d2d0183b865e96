"""Folders that people take for a model's: kind of folder × entry point → what is said, and it says what to do next.

Catches: an adapter that opens silently as its base model, and refusals that leave a person alone ("its header claims
2,336,927,755,350,992,246 bytes", of a git-lfs pointer).
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.export import __main__ as export
from core.generate import command
from core.inspect.model_inputs.model_and_text import load_any_model
from core.inspect.model_inputs.model_key import ModelKey, ModelUnreadable
from core.models.imports import published
from core.models.imports.published import PUBLISHED
from core.models.pretrained import FAMILIES, ImportRefused, load
from core.rooms.pretrained import open_forms
from core.ui.models.model_file_checks import OpeningRefused, file_refusal_reason
from core.ui.models.user_models import OpenedModels
from tests import tiny_model

OWNER = "0" * 32
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 548105171\n"
PAGE = b"<!doctype html>\n<html><head><title>Access to this model is restricted</title></head></html>"
MERGE = "This is an adapter: merge it into its base model first"
WEIGHTS = "model.safetensors"


def put(name: str, content: bytes = b"x") -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def only(*files: tuple[str, bytes]) -> Callable[[Path], object]:
    """Make a folder with only these files."""

    def change(folder: Path) -> None:
        for one in folder.iterdir():
            one.unlink()
        for name, content in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)

    return change


def without(*names: str) -> Callable[[Path], object]:
    return lambda folder: [(folder / name).unlink() for name in names]


def into(*places: str) -> Callable[[Path], None]:
    """The model lies in folders of this one."""

    def change(folder: Path) -> None:
        for place in places:
            shutil.copytree(folder, folder.parent / "copy" / place)
        for one in folder.iterdir():
            one.unlink()
        shutil.copytree(folder.parent / "copy", folder, dirs_exist_ok=True)

    return change


def cached(name: str) -> Callable[[Path], object]:
    """The hub's cache, which has the model under `name`."""

    def change(folder: Path) -> None:
        into(f"{name}snapshots/0ld", f"{name}snapshots/abc123")(folder)
        (folder / name / "refs").mkdir(parents=True)
        (folder / name / "refs" / "main").write_text("abc123\n")

    return change


def shards(*numbers: int, of: int = 2) -> Callable[[Path], None]:
    """The weights in several files, without an index."""

    def change(folder: Path) -> None:
        state = load_file(folder / WEIGHTS)
        (folder / WEIGHTS).unlink()
        names = sorted(state)
        for k in numbers:
            part = {name: state[name] for name in names[k - 1 :: of]}
            save_file(part, folder / f"model-{k:05}-of-{of:05}.safetensors")

    return change


def theirs(**values: object) -> Callable[[Path], object]:
    return put("config.json", json.dumps(values).encode())


def lora(folder: Path) -> None:
    save_file({"base_model.model.h.0.attn.c_attn.lora_A.weight": torch.ones(2, 4)}, folder / WEIGHTS)


def diverged(folder: Path) -> None:
    state = load_file(folder / WEIGHTS)
    save_file(state | {"norm.bias": state["norm.bias"] * torch.nan}, folder / WEIGHTS)


LLAMA = {"model_type": "llama", "vocab_size": 11, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
         "num_attention_heads": 2, "rms_norm_eps": 1e-6, "max_position_embeddings": 16}  # fmt: skip


def headless(folder: Path) -> None:
    theirs(**LLAMA, tie_word_embeddings=False)(folder)
    p = "model.layers.0."
    state = {f"{p}self_attn.{one}_proj.weight": torch.ones(8, 8) for one in "qkvo"}
    state |= {f"{p}mlp.{one}_proj.weight": torch.ones(8, 8) for one in ("gate", "up", "down")}
    state |= {f"{p}{one}_layernorm.weight": torch.ones(8) for one in ("input", "post_attention")}
    save_file(
        state | {"model.norm.weight": torch.ones(8), "model.embed_tokens.weight": torch.ones(11, 8)}, folder / WEIGHTS
    )


KINDS: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "an adapter beside its base model": (put("adapter_config.json", b"{}"),
                                         (MERGE, "merge_and_unload", "move adapter_config.json out")),
    "an adapter's weights beside a base model": (put("adapter_model.safetensors"), (MERGE,)),
    "an adapter alone": (only(("adapter_config.json", b"{}"), ("adapter_model.safetensors", b"")),
                         (MERGE, "save_pretrained")),
    "an adapter of pickles": (only(("adapter_config.json", b"{}"), ("adapter_model.bin", b"")), (MERGE,)),
    "an adapter's weights by the model's name": (
        lambda folder: (theirs(**LLAMA)(folder), lora(folder)), (MERGE,)),
    "a run of an adapter": (only(("checkpoint-7/adapter_config.json", b"{}"), ("trainer.json", b"")),
                            ("There is an adapter in checkpoint-7", MERGE)),
    "a git-lfs pointer as weights": (put(WEIGHTS, LFS), ("is a git-lfs pointer", "run `git lfs pull` in ", WEIGHTS)),
    "a git-lfs pointer as config": (put("config.json", LFS), ("config.json is a git-lfs pointer",)),
    "a git-lfs pointer as tokenizer": (put("tokenizer.json", LFS), ("run `git lfs pull`", "tokenizer.json")),
    "a gated page as config": (put("config.json", PAGE), ("config.json is a web page", "hf auth login")),
    "a gated page as weights": (put(WEIGHTS, b"\n" + PAGE), ("model.safetensors is a web page", "accept the terms")),
    "the hub's answer as config": (put("config.json", b"Access to model a/b is restricted."),
                                   ("an answer of the hub", "hf auth login")),
    "the hub's error as config": (put("config.json", b'{"error":"Invalid username or password."}'), ("hf auth login",)),
    "a page of XML as config": (put("config.json", b"\xef\xbb\xbf <Error><Code>AccessDenied</Code></Error>"),
                                ("config.json is a web page",)),
    "an adapter of MLX": (only(("adapters.safetensors", b""), ("readme.md", b"")), (MERGE,)),
    "an adapter's weights by our model's name": (lora, (MERGE,)),
    "weights in their makers' own layout": (
        lambda folder: (folder / WEIGHTS).rename(folder / "consolidated.safetensors"),
        ("makers' own layout", "download the version for transformers")),
    "weights that are a link to nothing": (
        lambda folder: ((folder / WEIGHTS).unlink(), (folder / WEIGHTS).symlink_to("gone")),
        ("model.safetensors is a link that leads nowhere: download the model again",)),
    "a config that is a link to nothing": (
        lambda folder: ((folder / "config.json").unlink(), (folder / "config.json").symlink_to("gone")),
        ("config.json is a link that leads nowhere: download the model again",)),
    "a GGUF folder": (only(("model-Q4.gguf", b"GGUF")), ("This is a GGUF file", "safetensors", "without -GGUF")),
    "GGUF beside a config": (lambda folder: (without(WEIGHTS)(folder), put("q.gguf")(folder)),
                             ("This is a GGUF file",)),
    "GGUF by another name": (put(WEIGHTS, b"GGUF\3\0\0\0"), ("This is a GGUF file",)),
    "a Trainer folder": (into("checkpoint-100"), ("There is a model in checkpoint-100: open that folder",)),
    "a Trainer folder of several": (into("checkpoint-100", "checkpoint-90", "checkpoint-1000"),
                                    ("There is a model in checkpoint-1000: open that folder, the last of 3",)),
    "a folder around a model": (into("final"), ("There is a model in final: open that folder",)),
    "a model in the hub's cache": (cached(""), ("There is a model in snapshots/abc123: open that folder",)),
    "the hub's cache": (cached("models--a--b/"), ("in models--a--b/snapshots/abc123: open that folder",)),
    "a shard missing": (shards(1, 3, of=3), ("download model-00002-of-00003.safetensors, too",)),
    "shards of two models": (lambda folder: (shards(1)(folder), put("model-00001-of-00003.safetensors")(folder)),
                             ("of two models", "leave the files of one")),
    "weights by another name": (lambda folder: (folder / WEIGHTS).rename(folder / "my.safetensors"),
                                ("there is my.safetensors: rename it to model.safetensors",)),
    "pickles": (lambda folder: (folder / WEIGHTS).rename(folder / "pytorch_model.bin"),
                ("can run programs when opened", "from_pretrained(folder).save_pretrained(folder)")),
    "pickles by the name of weights": (put(WEIGHTS, b"\x80\4."), ("pickled weights", "save it with `save_pretrained")),
    "weights of TensorFlow": (lambda folder: (folder / WEIGHTS).rename(folder / "tf_model.h5"),
                              ("TensorFlow", "convert them")),
    "a config alone": (without(WEIGHTS), ("download the weights, too",)),
    "weights alone": (without("config.json"), ("no file config.json", "download it, too")),
    "an empty folder": (only(), ("the folder is empty", "download the model into it")),
    "something else": (only(("holiday.jpg", b"")), ("no file config.json", "open the folder of a model")),
    "an empty config": (put("config.json", b""), ("it is empty; download or copy it again",)),
    "half a file": (lambda folder: put(WEIGHTS, (folder / WEIGHTS).read_bytes()[:900])(folder), ("copy it again",)),
    "an unknown decoder": (theirs(model_type="gptj", architectures=["GPTJForCausalLM"]),
                           ("'gptj' cannot be read here", "GPT-NeoX, Pythia (gpt_neox)", "`heads(model)`")),
    "an unknown encoder-decoder": (theirs(model_type="plbart", architectures=["PLBartForConditionalGeneration"]),
                                   ("(t5)", "`heads(model)`")),
    "an unknown model that sees": (theirs(model_type="llava", text_config={"model_type": "mistral"}),
                                   ("nearest relative", "(mistral)")),
    "no transformer": (theirs(model_type="mamba"), ("no attention", "Open a transformer")),
    "a config of others": (theirs(name="x"), ("no model_type", "save_pretrained")),
    "half of an encoder-decoder": (theirs(model_type="t5", is_encoder_decoder=False),
                                   ("only half of an encoder-decoder", "Open another model")),
    "no output layer": (headless, ("incomplete, the output layer: the file lacks lm_head.weight",
                                   "save it again with AutoModelForCausalLM")),
    "weights of another model": (theirs(**LLAMA), ("weights and config.json don't fit|which config.json asks for",
                                                   "Download config.json and the weights again")),
    "a run that diverged": (diverged, ("nan or infinite", "open an earlier checkpoint")),
}  # fmt: skip


def by_load(folder: str, home: Path) -> str:
    with pytest.raises(ImportRefused) as refused:
        load(folder)
    return str(refused.value)


def by_page(folder: str, home: Path) -> str:
    with pytest.raises((OpeningRefused, ImportRefused)) as refused:
        OpenedModels(home / "opened").add_folder(OWNER, folder, load)
    said = open_forms.refusal_text(refused.value)
    assert said[0].isupper() or said.split()[0] in folder or "." in said.split()[0]
    assert said.endswith(".") and ".." not in said
    return said


def by_command(folder: str, home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert command.main([folder, "One day"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    return said.err


def by_export(folder: str, home: Path) -> str:
    with pytest.raises((ValueError, ModelUnreadable)) as refused:
        export._page(folder, {})
    return str(refused.value)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("kinds") / "model", n_layer=1, d_model=8, n_head=2)


@pytest.fixture
def folder(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(model, tmp_path / "my model"))


def check(said: str, words: tuple[str, ...], typed: str) -> None:
    for word in words:
        assert any(one in said for one in word.split("|")), said
    rest = said.replace(typed, "")
    assert "/tmp" not in rest and "Traceback" not in rest and len(said) < 500, said
    assert rest.strip().isprintable()


@pytest.mark.parametrize("kind", KINDS)
def test_every_entry_says_what_to_do_next(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, words = KINDS[kind]
    change(folder)
    home = folder.parent
    for typed in (str(folder), folder.name):
        check(by_load(typed, home), words, typed)
        check(by_command(typed, home, capsys), words, typed)
        check(by_export(typed, home), words, typed)
    check(by_page(str(folder), home), words, str(folder))


NO_FOLDERS = {
    "openai-community/gpt2": ("hf download openai-community/gpt2 --local-dir gpt2", "Download by name"),
    "openai-community/gpt2/": ("hf download openai-community/gpt2 --local-dir gpt2",),
    "https://huggingface.co/gpt2/tree/main": ("hf download gpt2 --local-dir gpt2",),
    "my model/typo": ("there is no folder my model/typo here: check the path",),
    "https://huggingface.co/meta-llama/Llama-3.2-1B/tree/main": ("hf download meta-llama/Llama-3.2-1B",),
    "my model/model.safetensors": ("model.safetensors is a file: open the folder that it lies in",),
    "my model/config.json": ("config.json is a file: open the folder",),
    "q4.gguf": ("This is a GGUF file",),
    "model.zip": ("model.zip is a file: unpack it",),
    "adapter_config.json": (MERGE,),
}


@pytest.mark.parametrize("typed", NO_FOLDERS)
def test_what_is_no_folder_says_what_to_do_next(typed: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("q4.gguf", "model.zip", "adapter_config.json"):
        (folder.parent / name).write_bytes(b"x")
    for entry in (by_load, by_export):
        check(entry(typed, folder.parent), NO_FOLDERS[typed], typed)
    check(by_command(typed, folder.parent, capsys), NO_FOLDERS[typed], typed)
    is_name = "huggingface" in typed or typed.startswith("openai")
    if is_name or typed.endswith(("json", "gguf", "safetensors")):
        page = by_page(typed if is_name else str(folder.parent / typed), folder.parent)
        check(page, ("choose “Download by name”",) if is_name else NO_FOLDERS[typed], typed)


def test_a_name_that_is_nowhere_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for said in (by_load("gpt2", folder), by_command("gpt2", folder, capsys)):
        check(said, ("hf download OWNER/MODEL",), "gpt2")


def test_complete_shards_without_an_index_open(folder: Path) -> None:
    before = load(folder)
    shards(1, 2, 3, of=3)(folder)
    after = load(folder)
    assert all(map(torch.equal, before.model.parameters(), after.model.parameters()))
    opened = OpenedModels(folder.parent / "opened").add_folder(OWNER, str(folder), load)
    assert load_any_model(ModelKey.of("opened", opened.id, opened.folder)).config == before.config


def test_the_models_own_folders_still_open(folder: Path) -> None:
    """A checkpoint next to a model, or a file of pickles that the Trainer leaves, is no reason to refuse it."""
    shutil.copytree(folder, folder / "checkpoint-5")
    put("training_args.bin")(folder)
    assert load(folder).tokenizer is not None


def test_a_tokenizer_of_an_adapter_is_reported(folder: Path) -> None:
    values = json.loads((folder / "config.json").read_text())
    state = load_file(folder / WEIGHTS)
    fewer = {name: one[:-1] if len(one) == values["vocab_size"] else one for name, one in state.items()}
    save_file({name: one.clone() for name, one in fewer.items()}, folder / WEIGHTS)
    theirs(**values | {"vocab_size": values["vocab_size"] - 1})(folder)
    check(by_load(str(folder), folder), ("adapter's that added tokens", "Put the model's own tokenizer"), str(folder))


def test_uploads_of_adapters_are_reported() -> None:
    for name in ("adapter_config.json", "adapter_model.safetensors", "adapter_model (1).safetensors"):
        assert MERGE in file_refusal_reason(name)
    assert "This is a GGUF file" in file_refusal_reason("model.Q4_K_M.gguf")


def test_the_nearest_relative_is_one_that_opens() -> None:
    for told, architecture, wanted in (
        ("qwen3_next", "Qwen3NextForCausalLM", "qwen3"), ("llama4_text", "Llama4ForCausalLM", "llama"),
        ("opt", "OPTForCausalLM", "gpt2"), ("deberta-v2", "DebertaV2ForMaskedLM", "bert"),
        ("bart", "BartForConditionalGeneration", "t5"), ("whatever", "WhateverForCausalLM", "llama"),
        ("swinv2", "Swinv2ForImageClassification", "vit"), ("gemma3n", "Gemma3nForConditionalGeneration", "gemma3|t5"),
    ):  # fmt: skip
        found = published._nearest_family({"model_type": told, "architectures": [architecture]})
        assert found is not None and found.startswith(tuple(wanted.split("|"))), (told, found)
    assert set(published._RELATIVES.values()) | {family for _, family in published._MADE_FOR} <= set(FAMILIES)
    assert not set(published._RELATIVES) & {one.model_type for one in PUBLISHED}
    assert published._nearest_family({"model_type": "zzzzz"}) is None
