"""Folders with weights: saved models are restored bit for bit, and everything else is refused with a clear message."""

import contextlib
import dataclasses
import io
import json
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings, strategies as st
from safetensors.torch import save, save_file
from torch import Tensor

from core.data.tokenizers import CharTokenizer
from core.generate.cache import CachedModel
from core.inspect.attention_record import WeightArrays
from core.models import pretrained, registry
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.models.imports import weights_file
from core.models.pretrained import ImportRefused, load
from core.nn import linear
from core.nn.block import BlockStyle
from tests.library.models.hostile import Bomb, Spoil, check_refused, config, header, raw_config, raw_weights

CONFIG = GPTConfig(vocab_size=6, context_length=8, n_layer=1, n_head=2, d_model=4, d_ff=8)


def write(folder: Path, config: GPTConfig = CONFIG, **weights: Tensor) -> GPT:
    """A folder as training leaves it; tied weights once."""
    model = registry.build(config, seed=3)
    (folder / "config.json").write_text(json.dumps(registry.to_dict(config)))
    state = {name: parameter.detach() for name, parameter in model.named_parameters()}
    (folder / "model.safetensors").write_bytes(save(state | weights))
    return model


@pytest.mark.parametrize(
    "config",
    [
        CONFIG,
        GPTConfig(vocab_size=6, n_head=1, d_model=4, positions="relative", tied=False, d_ff=3),
        GPTConfig(vocab_size=6, n_head=2, d_model=4, positions="alibi",
                  modern=Modern(slopes=(0.5, 1.0), embed_norm=True),
                  block=BlockStyle(norm="rms", activation="swiglu", bias=False, qk_norm=True)),
    ],
)  # fmt: skip
def test_what_was_saved_comes_back(tmp_path: Path, config: GPTConfig) -> None:
    model = write(tmp_path, config)
    loaded = load(tmp_path)
    assert loaded.config == config and loaded.tokenizer is None
    ids = torch.tensor([[1, 2, 3, 5]])
    assert torch.equal(loaded.model(ids), model(ids))
    assert not loaded.model.training
    assert not any(parameter.requires_grad for parameter in loaded.model.parameters())
    assert (loaded.model.unembed.weight is loaded.model.tok_emb.weight) == config.tied


def test_the_tokenizer_comes_too(tmp_path: Path) -> None:
    write(tmp_path)
    CharTokenizer.train("abcd").save(tmp_path)
    tokenizer = load(tmp_path).tokenizer
    assert tokenizer is not None and tokenizer.decode(tokenizer.encode("bad")) == "bad"


def test_tied_weights_may_be_written_twice_if_they_agree(tmp_path: Path) -> None:
    model = write(tmp_path)
    write(tmp_path, **{"unembed.weight": model.tok_emb.weight.detach().clone()})
    assert torch.equal(load(tmp_path).model.tok_emb.weight, model.tok_emb.weight)
    write(tmp_path, **{"unembed.weight": torch.zeros(6, 4)})
    with pytest.raises(ImportRefused, match=r"unembed\.weight should be the same"):
        load(tmp_path)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_becomes_float32(tmp_path: Path, dtype: torch.dtype) -> None:
    model = write(tmp_path)
    write(tmp_path, **{"norm.weight": model.norm.weight.detach().to(dtype)})
    assert load(tmp_path).model.norm.weight.dtype == torch.float32


# --- hostile folders -------------------------------------------------------------------------------------------------


def header_of(path: Path) -> tuple[dict[str, Any], bytes]:
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    return json.loads(raw[8 : 8 + length]), raw[8 + length :]


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object], data: Callable[[bytes], bytes] = bytes) -> None:
    header, body = header_of(folder / "model.safetensors")
    change(header)
    raw = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + data(body))


def in_header(change: Callable[[dict[str, Any]], object]) -> Spoil:
    return lambda folder: rewrite(folder, change)


def tensors(**weights: Tensor) -> Spoil:
    return lambda folder: write(folder, **{name.replace("__", "."): one for name, one in weights.items()})


def without(folder: Path, name: str) -> None:
    state = {key: value.detach() for key, value in registry.build(CONFIG).named_parameters() if key != name}
    (folder / "model.safetensors").write_bytes(save(state))


def cut(folder: Path, share: float) -> None:
    raw = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(raw[: int(len(raw) * share)])


def move(folder: Path, name: str) -> None:
    (folder / "model.safetensors").rename(folder / name)


def entry(**values: object) -> Spoil:
    """Change what the header says about one tensor."""
    return lambda folder: rewrite(folder, lambda header: header["norm.bias"].update(values))


def with_fewer_layers(folder: Path) -> None:
    write(folder, dataclasses.replace(CONFIG, n_layer=2))
    config(n_layer=1)(folder)


def with_huge_slopes(folder: Path) -> None:
    text = (folder / "config.json").read_text()
    (folder / "config.json").write_text(text.replace('"slopes": null', '"slopes": [1e999, 1]'))


def torch_zip() -> bytes:
    buffer = io.BytesIO()
    torch.save({"a": torch.ones(1)}, buffer)
    return buffer.getvalue()


HOSTILE: dict[str, tuple[Spoil, str]] = {
    # the weights file
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "no file model.safetensors"),
    "only pickled weights": (lambda folder: move(folder, "pytorch_model.bin"), "can run programs"),
    "an index of no JSON": (lambda folder: move(folder, "model.safetensors.index.json"), "damaged"),
    "a folder as weights": (lambda folder: (move(folder, "x"), (folder / "model.safetensors").mkdir())[1], "no file"),
    "a pickle renamed": (raw_weights(pickle.dumps(Bomb())), "begins like pickled weights"),
    "empty file": (raw_weights(b""), "isn't a safetensors file or is cut short"),
    "seven bytes": (raw_weights(b"\0" * 7), "cut short"),
    "a file of torch.save": (raw_weights(torch_zip()), "begins like pickled weights"),
    "header of 1e12 bytes": (raw_weights(struct.pack("<Q", 10**12) + b"{}"), "claims 1,000,000,000,000 bytes"),
    "header of 2^64 - 1 bytes": (raw_weights(b"\xff" * 8 + b"{}"), "claims"),
    "header of no JSON": (raw_weights(header(b"{{{{")), "damaged"),
    "header of no UTF-8": (raw_weights(header(b"\xff\xfe{}")), "damaged"),
    "header of a list": (raw_weights(header(b"[]")), "no JSON object"),
    "header nested 100,000 deep": (raw_weights(struct.pack("<Q", 100_000) + b"[" * 100_000), "damaged"),
    "header with a name twice": (raw_weights(header(b'{"a":{},"a":{}}')), "twice"),
    "no tensors": (raw_weights(header(b"{}")), "lacks tok_emb.weight"),
    "cut in the header": (lambda folder: cut(folder, 0.2), "cut short"),
    "cut in the numbers": (lambda folder: cut(folder, 0.9), "cut short"),
    "a tail": (lambda folder: rewrite(folder, lambda header: None, lambda body: body + b"tail"), "has a tail"),
    "overlapping tensors": (entry(data_offsets=[0, 16]), "does not begin where the one before it ends"),
    "place outside of the file": (entry(data_offsets=[10**9, 10**9 + 16]), "does not begin"),
    "negative place": (entry(data_offsets=[-16, 0]), "impossible place"),
    "place backwards": (entry(data_offsets=[16, 0]), "takes -16 bytes"),
    "place of 1e300": (entry(data_offsets=[1e300, 2]), "impossible place"),
    "shape larger than its place": (entry(shape=[5]), "is not its shape"),
    "shape of 1e18": (entry(shape=[10**18]), "is not its shape"),
    "shape negative": (entry(shape=[-2, -2]), "impossible shape"),
    "shape of words": (entry(shape=["4"]), "impossible shape"),
    "shape of true": (entry(shape=[True, 4]), "impossible shape"),
    "shape of 10,000 dimensions": (entry(shape=[1] * 10_000), "impossible"),
    "unknown type": (entry(dtype="F1337"), "unknown type F1337"),
    "type of a list": (entry(dtype=["F32"]), "unknown type"),
    "entry without a place": (in_header(lambda header: header["norm.bias"].pop("data_offsets")), "does not describe"),
    "entry with more": (entry(run="me"), "does not describe"),
    "entry of null": (in_header(lambda header: header.update({"norm.bias": None})), "does not describe"),
    "a missing tensor": (lambda folder: without(folder, "blocks.0.attn.w_q.bias"), r"lacks blocks\.0\.attn\.w_q\.bias"),
    "an extra tensor": (tensors(spy=torch.ones(2)), "no place for spy"),
    "10,000 empty tensors": (tensors(**{f"e{i}": torch.ones(0) for i in range(10_000)}), "and 9997 more"),
    "a name with a terminal escape": (tensors(**{"\x1b[2J": torch.ones(1)}), r"no place for \?\[2J"),
    "wrong shape": (tensors(norm__bias=torch.zeros(5)), r"norm.bias has the shape \(5,\), the config says \(4,\)"),
    "transposed": (tensors(tok_emb__weight=torch.zeros(4, 6)), r"\(4, 6\), the config says \(6, 4\)"),
    "whole numbers": (tensors(norm__bias=torch.zeros(4, dtype=torch.int64)), "type I64"),
    "double precision": (tensors(norm__bias=torch.zeros(4, dtype=torch.float64)), "type F64"),
    "nan": (tensors(norm__bias=torch.tensor([0, torch.nan, 0, 0])), "norm.bias has numbers that are nan"),
    "infinity": (tensors(norm__bias=torch.tensor([0, 0, 0, -torch.inf])), "infinite"),
    "nan in half precision": (tensors(norm__bias=torch.tensor([torch.nan] * 4).half()), "nan or infinite"),
    # the config
    "no config": (lambda folder: (folder / "config.json").unlink(), r"no file config\.json"),
    "empty config": (raw_config(b""), "damaged"),
    "config of no JSON": (raw_config(b"kind: gpt"), "damaged"),
    "config of no UTF-8": (raw_config(b"\xff\xff"), "damaged"),
    "config of a list": (raw_config(b"[1]"), "no JSON object"),
    "config nested 100,000 deep": (raw_config(b'{"kind":' + b"[" * 100_000), "damaged"),
    "config of 2 MB": (raw_config(b"{}" + b" " * 2_000_000), "at most 1,048,576"),
    "config with NaN": (raw_config(b'{"kind":"gpt","vocab_size":NaN}'), "NaN isn't a number"),
    "config with a 5,000-digit number": (raw_config(b'{"kind":"gpt","vocab_size":' + b"9" * 5000 + b"}"), "damaged"),
    "config of no kind": (raw_config(b"{}"), "cannot be read here"),
    "config of an unknown kind": (raw_config(b'{"kind":"oracle"}'), "no architecture here"),
    "config of a kind that is a list": (raw_config(b'{"kind":["gpt"]}'), "no architecture here"),
    "config without a vocabulary": (raw_config(b'{"kind":"gpt"}'), "vocab_size"),
    "unknown field": (config(trust_remote_code=True), "no field trust_remote_code"),
    "unknown field of the block": (config(block={"magic": 1}), r"no field block\.magic"),
    "block of a list": (config(block=[]), "must be an object"),
    "a million layers": (config(n_layer=10**6), "n_layer=1000000 is too large"),
    "width of 1e9": (config(d_model=10**9), "d_model=1000000000 is too large"),
    "vocabulary of 1e18": (config(vocab_size=10**18), "vocab_size=1000000000000000000 is too large"),
    "context of 1e308": (config(context_length=1e308), "too large"),
    "width of a word": (config(d_model="4"), "d_model='4' should be a whole number"),
    "width of true": (config(d_model=True), "should be a whole number"),
    "width of 4.0": (config(d_model=4.0), "should be a whole number"),
    "width of null": (config(d_model=None), "should be a whole number"),
    "negative width": (config(d_model=-4), "d_model=-4 must be at least 1"),
    "zero heads": (config(n_head=0), "n_head=0 must be at least 1"),
    "heads that do not divide": (config(n_head=3), "not divisible by n_head=3"),
    "negative feed-forward": (config(d_ff=-8), "d_ff"),
    "another feed-forward": (config(d_ff=9), "the config says"),
    "another number of layers": (config(n_layer=2), r"lacks blocks\.1"),
    "fewer layers": (with_fewer_layers, "no place for"),
    "unknown positions": (config(positions="quantum"), "'quantum' is none of"),
    "unknown norm": (config(block={"norm": "batch"}), "'batch' is none of"),
    "slopes of words": (config(slopes=["a", "b"]), "slopes='a' should be a number"),
    "slopes of 1e999": (with_huge_slopes, "finite"),
    "slopes of another number": (config(slopes=[1.0]), "1 slopes do not match"),
    "rotary positions that turn backwards": (config(positions="rotary", rotary={"base": -1.0}), "base=-1.0 must be"),
    "rotary positions of a word": (config(positions="rotary", rotary="fast"), "rotary.* must be an object"),
    "heads as wide as 1e9": (config(d_head=10**9), "d_head=1000000000 is too large"),
    "keys that heads cannot share": (config(n_kv_head=3), "n_head=2 is not divisible by n_kv_head=3"),
    "biases of a word": (config(block={"bias": "kv"}), "block.bias='kv' should be true or false"),
    "tied of a word": (config(tied="yes"), "true or false"),
    # the tokenizer
    "tokenizer of no JSON": (lambda folder: (folder / "tokenizer.json").write_bytes(b"\x80\4."), "tokenizer"),
    "tokenizer of a stranger": (lambda folder: (folder / "tokenizer.json").write_bytes(b"{}"), "tokenizer"),
    "tokenizer of more tokens": (lambda folder: CharTokenizer.train("abcdefghij").save(folder), "the model knows 6"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_folders_are_refused_in_plain_words(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a pickle would leave its mark
    change, words = HOSTILE[name]
    write(tmp_path)
    change(tmp_path)
    check_refused(tmp_path, words)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"no folder .*nowhere here: check the path"):
        load(tmp_path / "nowhere")


def test_weights_that_do_not_fit_into_memory_are_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    monkeypatch.setattr(pretrained, "available_memory", lambda: pretrained.RESERVED_BYTES + 500)
    monkeypatch.setattr(weights_file.StoredTensor, "read", None)
    with pytest.raises(ImportRefused, match="of memory; this machine has 500 MB free"):
        load(tmp_path)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("tied", [True, False])
def test_a_large_model_keeps_its_type_and_its_file_and_computes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, tied: bool
) -> None:
    style = BlockStyle(norm="rms", activation="swiglu", bias="qkv", qk_norm="gain")
    config = GPTConfig(vocab_size=300, modern=Modern(n_kv_head=2), positions="rotary", tied=tied, block=style)
    model = registry.build(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3))
    save_file({name: one.detach().to(dtype) for name, one in model.named_parameters()}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(registry.to_dict(config)))
    small = load(tmp_path).model
    monkeypatch.setattr(pretrained, "MIN_MAPPED_BYTES", 0)
    monkeypatch.setattr(linear, "CHUNK_SIZE", 1000)  # widened in several parts
    large = load(tmp_path).model
    assert {one.dtype for one in large.parameters() if one.ndim == 2} == {dtype}
    assert {one.dtype for one in small.parameters()} == {torch.float32}
    assert (large.unembed.weight is large.tok_emb.weight) == tied
    ids = torch.tensor([[3, 1, 250, 4, 1, 7]])
    torch.testing.assert_close(large(ids), small(ids), atol=1e-5, rtol=0)
    cached = CachedModel(large)
    for n in (3, 4, 6):
        torch.testing.assert_close(cached.next_logits([ids[0, :n].tolist()]), small(ids)[:, n - 1], atol=1e-5, rtol=0)
    before = (tmp_path / "model.safetensors").read_bytes()
    large.blocks[0].attn.w_q.weight.zero_()  # copied on write
    assert (tmp_path / "model.safetensors").read_bytes() == before
    weights = WeightArrays(load(tmp_path).model)
    assert not large(ids).equal(small(ids)) and weights["tok_emb.weight"].dtype == np.float32


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), cut_at=st.floats(0, 2))
def test_mutated_weights_load_or_are_refused(tmp_path: Path, place: float, byte: int, cut_at: float) -> None:
    write(tmp_path)
    raw = bytearray((tmp_path / "model.safetensors").read_bytes())
    raw[int(place * len(raw))] = byte
    (tmp_path / "model.safetensors").write_bytes(raw[: int(cut_at * len(raw))] if cut_at < 1 else raw)
    with contextlib.suppress(ImportRefused):
        load(tmp_path)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from([*registry.to_dict(CONFIG), "block.norm", "extra"]),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
        max_leaves=4,
    ),
)
def test_mutated_configs_load_or_are_refused(tmp_path: Path, name: str, value: object) -> None:
    write(tmp_path)
    config = registry.to_dict(CONFIG)
    target = config["block"] if name == "block.norm" else config
    target[name.removeprefix("block.")] = value
    (tmp_path / "config.json").write_text(json.dumps(config))
    with contextlib.suppress(ImportRefused):
        load(tmp_path)
