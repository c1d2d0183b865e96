"""Folders in Hugging Face's layout that aren't valid models: each is refused at once with a clear message.

`tests/library/models/test_pretrained.py` does the same for our own folders, and for all that is wrong with files and
numbers themselves. Nothing is ever unpickled: a pickle that would leave a mark when opened lies in every folder, and
the mark never appears.
"""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save, save_file
from torch import Tensor

from core.models.imports import model_folder_reader as model_folder
from core.models.pretrained import FAMILIES, ImportRefused, load
from tests.counts import at_most
from tests.library.models.hostile import Bomb, Spoil, check_refused, config, header, raw_config, raw_weights

D, F, V, P = 8, 12, 11, 10


def linear(name: str, n_in: int, n_out: int) -> dict[str, Tensor]:
    return {f"{name}.weight": torch.ones(n_out, n_in), f"{name}.bias": torch.ones(n_out)}


def norm(name: str) -> dict[str, Tensor]:
    return {f"{name}.weight": torch.ones(D), f"{name}.bias": torch.ones(D)}


def bert() -> tuple[dict[str, Any], dict[str, Tensor]]:
    """A BERT for masked tokens, as small as can be."""
    values = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "vocab_size": V, "hidden_size": D,
              "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": F,
              "max_position_embeddings": P}  # fmt: skip
    layer = "bert.encoder.layer.0"
    weights = {
        "bert.embeddings.word_embeddings.weight": torch.ones(V, D),
        "bert.embeddings.position_embeddings.weight": torch.ones(P, D),
        "bert.embeddings.token_type_embeddings.weight": torch.ones(2, D),
        **norm("bert.embeddings.LayerNorm"),
        **linear(f"{layer}.attention.self.query", D, D), **linear(f"{layer}.attention.self.key", D, D),
        **linear(f"{layer}.attention.self.value", D, D), **linear(f"{layer}.attention.output.dense", D, D),
        **norm(f"{layer}.attention.output.LayerNorm"), **linear(f"{layer}.intermediate.dense", D, F),
        **linear(f"{layer}.output.dense", F, D), **norm(f"{layer}.output.LayerNorm"),
        **linear("cls.predictions.transform.dense", D, D), **norm("cls.predictions.transform.LayerNorm"),
        "cls.predictions.bias": torch.ones(V),
    }  # fmt: skip
    return values, weights


def write(folder: Path) -> None:
    values, weights = bert()
    (folder / "config.json").write_text(json.dumps(values))
    save_file(weights, folder / "model.safetensors")
    (folder / "training_args.bin").write_bytes(pickle.dumps(Bomb()))


def other(kind: str, **values: Any) -> Spoil:
    """A config of another family over the same weights."""
    return raw_config(json.dumps({"model_type": kind} | values).encode())


def own(kind: str, **values: Any) -> Spoil:
    """A config of ours over the same weights."""
    return raw_config(json.dumps({"kind": kind} | values).encode())


def weights(change: Callable[[dict[str, Tensor]], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        state = bert()[1]
        change(state)
        save_file(state, folder / "model.safetensors")

    return spoil


def with_head(change: Callable[[dict[str, Tensor]], object]) -> Spoil:
    """A classifier in place of the masked head."""

    def changed(state: dict[str, Tensor]) -> None:
        for name in [name for name in state if name.startswith("cls.")]:
            del state[name]
        state.update(linear("classifier", D, 3))
        change(state)

    return weights(changed)


def shards(
    index: Callable[[dict[str, str]], Any] = lambda places: places,
    change: Callable[[Path, list[dict[str, Tensor]]], object] = lambda folder, parts: None,
) -> Spoil:
    """The same weights in two files, with an index that may be spoiled."""

    def spoil(folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        state = bert()[1]
        names = sorted(state)
        parts = [{name: state[name] for name in names[k::2]} for k in range(2)]
        places = {name: f"model-{k}.safetensors" for k in range(2) for name in names[k::2]}
        change(folder, parts)
        for k, part in enumerate(parts):
            save_file(part, folder / f"model-{k}.safetensors")
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index(places)}))

    return spoil


def moved(to: Callable[[Path], str]) -> Spoil:
    """An index that names a file elsewhere."""

    def spoil(folder: Path) -> None:
        shards()(folder)
        path = folder / "model.safetensors.index.json"
        data = json.loads(path.read_text())
        places = {name: file if file.endswith("-0.safetensors") else to(folder)
                  for name, file in data["weight_map"].items()}  # fmt: skip
        path.write_text(json.dumps({"weight_map": places}))

    return spoil


def linked(name: str) -> Spoil:
    """A file of the folder that is a link to one outside."""

    def spoil(folder: Path) -> None:
        if name == "model-1.safetensors":
            shards()(folder)
        outside = folder.parent / f"{folder.name}-outside"
        outside.mkdir()
        (folder / name).rename(outside / name)
        (folder / name).symlink_to(outside / name)

    return spoil


def pickled_shard(folder: Path) -> None:
    shards()(folder)
    (folder / "model-1.safetensors").write_bytes(pickle.dumps(Bomb()))


NORM = "bert.embeddings.LayerNorm.weight"
WORDS = "bert.embeddings.word_embeddings.weight"
QUERY = "bert.encoder.layer.0.attention.self.query.weight"
T5 = {"vocab_size": V, "d_model": D, "d_kv": 4, "d_ff": F, "num_layers": 1, "num_heads": 2}
VIT = {"hidden_size": D, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": F, "image_size": 4,
       "patch_size": 2}  # fmt: skip
GPT = {"vocab_size": V, "n_positions": P, "n_embd": D, "n_layer": 1, "n_head": 2}

HOSTILE: dict[str, tuple[Spoil, str]] = {
    # pickles and other strangers
    "a shard that is a pickle": (pickled_shard, "model-1.safetensors isn't a safetensors file"),
    "a pickle as config": (raw_config(pickle.dumps(Bomb())), "damaged"),
    "an index of pickles": (
        shards(lambda places: dict.fromkeys(places, "pytorch_model.bin")), "safetensors files only"),
    # weights
    "a tensor missing": (weights(lambda state: state.pop(QUERY)), r"lacks encoder\.layer\.0\.attention\.self\.query"),
    "an adapter": (weights(lambda state: state.update({f"{QUERY}.lora_A": torch.ones(2, D)})), "is an adapter: merge"),
    "a head of a stranger": (weights(lambda state: state.update(linear("qa_extra", D, 2))), "place for qa_extra"),
    "a name with and without prefix": (
        weights(lambda state: state.update({NORM.removeprefix("bert."): torch.ones(D)})), "the file has both"),
    "a misshapen tensor": (weights(lambda state: state.update({NORM: torch.ones(D + 1)})), r"has the shape \(9,\)"),
    "two biases for the output that differ": (
        weights(lambda state: state.update({"cls.predictions.decoder.bias": torch.zeros(V)})), "should be the same"),
    "two tables for the output that differ": (
        weights(lambda state: state.update({"cls.predictions.decoder.weight": torch.zeros(V, D)})), "be the same"),
    "a classifier without a size": (with_head(lambda state: state.update({"classifier.weight": torch.tensor(1.0)})),
                                    "n_label=0|shape"),
    "a classifier of nothing": (
        with_head(lambda state: state.update({"classifier.weight": torch.ones(0, D)})), "n_label=0"),
    "a classifier with a bias of another size": (
        with_head(lambda state: state.update({"classifier.bias": torch.ones(4)})), "the config says"),
    # several files
    "an index that is a list": (shards(lambda places: list(places)), "does not say"),
    "an empty index": (shards(lambda places: {}), "does not say"),
    "an index of numbers": (shards(lambda places: dict.fromkeys(places, 1)), "does not say"),
    "an index up the tree": (moved(lambda folder: f"../{folder.name}/model-1.safetensors"), "isn't the name of a file"),
    "an index of an absolute path": (moved(lambda folder: str(folder / "model-1.safetensors")), "isn't the name of a "
    "file"),
    "an index of a Windows path": (moved(lambda folder: "..\\model-1.safetensors"), "isn't the name of a file"),
    "an index of a null byte": (moved(lambda folder: "model-1\0.safetensors"), "isn't the name of a file"),
    "an index of an address": (moved(lambda folder: "https://example.org/a.safetensors"), "isn't the name of a file"),
    "an index of a hidden file": (moved(lambda folder: ".safetensors"), "isn't the name of a file"),
    "an index of a file that is not there": (moved(lambda folder: "model-7.safetensors"), "no file model-7"),
    "an index of 200 files": (
        shards(lambda places: {f"{name}{k}": f"{k}.safetensors" for k in range(200) for name in list(places)[:1]}),
        "200 files; at most 100"),
    "an index that forgets a tensor": (
        shards(lambda places: {name: file for name, file in places.items() if name != QUERY}), "says otherwise"),
    "an index with one more": (shards(lambda places: places | {"spy": "model-0.safetensors"}), "the files lack spy"),
    "an index that mixes up the files": (
        shards(lambda places: places | {NORM: {"model-0.safetensors": "model-1.safetensors"}.get(places[NORM],
                                                                                                 "model-0.safetensors")}),
        "says otherwise"),
    "files that overlap": (
        shards(change=lambda folder, parts: parts[0].update({NORM: torch.ones(D)}) or parts[1].update(
            {NORM: torch.ones(D)})), "is both in"),
    "a file that is a link outwards": (linked("model-1.safetensors"), "outside the folder"),
    "weights that are a link outwards": (linked("model.safetensors"), "outside the folder"),
    "a config that is a link outwards": (linked("config.json"), "outside the folder"),
    "weights that are a link to themselves": (
        lambda folder: ((folder / "model.safetensors").unlink(),
                        (folder / "model.safetensors").symlink_to(folder / "model.safetensors")), "leads nowhere"),
    "weights that are a folder": (
        lambda folder: ((folder / "model.safetensors").unlink(), (folder / "model.safetensors").mkdir()), "there is"),
    # the config
    "a model_type of a list": (other("x", model_type=["bert"]), "cannot be read here"),
    "a model_type of a path": (other("../../etc/passwd"), "cannot be read here"),
    **{
        f"weights of few bits, {method or key}": (
            config(**{key: {name: value for name, value in (("quant_method", method), ("bits", 4)) if value}}),
            rf"quantized{f' .{method}' if method else ''}.*Open the model that it was made from")
        for key, method in (("quantization_config", "bitsandbytes"), ("quantization_config", "gptq"),
                            ("quantization_config", "awq"), ("quantization_config", "fp8"), ("quantization", ""))
    },
    "no model_type": (raw_config(b'{"auto_map": {"AutoModel": "code.Model"}}'), "cannot be read here"),
    "more layers than tensors": (config(num_hidden_layers=900), "the file has only"),
    "heads that do not divide": (config(num_attention_heads=3), "not divisible by n_head=3"),
    "an epsilon of 0": (config(layer_norm_eps=0), "not between 0 and 1"),
    "an epsilon of 1e999": (raw_config(b'{"model_type": "bert", "layer_norm_eps": 1e999}'), "finite"),
    "an unknown activation": (config(hidden_act="mish"), "hidden_act='mish' is none of"),
    "an activation of an object": (config(hidden_act={"a": 1}), "is none of"),
    "another activation in the head": (config(hidden_act="relu"), "not supported with this head"),
    "relative positions": (config(position_embedding_type="relative_key"), "position_embedding_type"),
    "a decoder": (config(is_decoder=True), "is_decoder=True, and only False can be read"),
    "cross-attention": (config(add_cross_attention=True), "add_cross_attention"),
    "answers that the head has not": (
        lambda folder: (with_head(lambda state: None)(folder), config(id2label={"0": "a"})(folder)), "names 1 answer,"),
    "RoBERTa without positions": (other("roberta", max_position_embeddings=2), "leaves no positions"),
    "RoBERTa with padding at -5": (other("roberta", pad_token_id=-5), "leaves no positions"),
    "GPT-2 with scores by layer": (
        other("gpt2", **GPT, scale_attn_by_inverse_layer_idx=True), "scale_attn_by_inverse_layer_idx"),
    "GPT-2 without scaled scores": (other("gpt2", **GPT, scale_attn_weights=False), "scale_attn_weights"),
    "GPT-2 with cross-attention": (other("gpt2", **GPT, add_cross_attention=True), "add_cross_attention"),
    "GPT-2 with another activation": (other("gpt2", **GPT, activation_function="silu"), "activation_function"),
    "GPT-2 over the weights of BERT": (other("gpt2", **GPT), "lacks wte.weight"),
    "ImageGPT that is tied": (other("imagegpt", **GPT, tie_word_embeddings=True), "tie_word_embeddings"),
    "ImageGPT without colors": (other("imagegpt", **GPT | {"vocab_size": 1}), "at least 2"),
    "T5 with a gate of a stranger": (other("t5", **T5, feed_forward_proj="gated-tanh"), "feed_forward_proj"),
    "T5 with another epsilon": (other("t5", **T5, layer_norm_epsilon=1e-3), "layer_norm_epsilon"),
    "T5 with no buckets": (other("t5", **T5, relative_attention_num_buckets=0), "n_bucket=0"),
    "T5 with a scale of a word": (other("t5", **T5, scale_decoder_outputs="no"), "true or false"),
    "T5 of a decoder alone": (other("t5", **T5, is_encoder_decoder=False), "is_encoder_decoder"),
    "T5 with 900 layers to write": (other("t5", **T5, num_decoder_layers=900), "the file has only"),
    "T5 with heads of 1e9": (other("t5", **T5 | {"d_kv": 10**9}), "d_head=1000000000 is too large"),
    "ViT over the weights of BERT": (other("vit", **VIT), "lacks"),
    "ViT with patches beyond the picture": (other("vit", **VIT | {"patch_size": 3}), "not divisible by patch_size=3"),
    "ViT with patches of 0": (other("vit", **VIT | {"patch_size": 0}), "from 1 to 100,000"),
    "ViT with pictures of 1e9": (other("vit", **VIT | {"image_size": 10**9}), "from 1 to 100,000"),
    "ViT with pictures that are no squares": (other("vit", **VIT | {"image_size": [4, 6]}), "isn't square"),
    "ViT with 1e5 channels": (other("vit", **VIT | {"num_channels": 10**5}), "n_channel=100000 is too large"),
    "stages of a million layers": (own("multiscale", n_layer=[10**6], n_head=[1]), "the file has only"),
    "a million stages": (own("multiscale", n_layer=[1] * 10**5, n_head=[1] * 10**5), "2 x 2 do not fit"),
    "stages over the weights of BERT": (own("multiscale"), "lacks"),
    "a captioner of 900 layers": (own("captioner", vocab_size=V, n_decoder_layer=900), "the file has only"),
    "DistilBERT over the weights of BERT": (other("distilbert", dim=D, n_layers=1, n_heads=2, hidden_dim=F), "lacks"),
    # the tokenizer
    "a tokenizer with a slow regular expression": (
        lambda folder: (folder / "tokenizer.json").write_text(json.dumps({
            "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a+)+$"}},
            "model": {"type": "WordPiece", "vocab": {"[UNK]": 0}}})), "regular expression of its own"),
    "a vocabulary that is a link outwards": (
        lambda folder: ((folder / "vocab.txt").write_text("[UNK]"), linked("vocab.txt")(folder)), "outside"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "model"
    home.mkdir()
    write(home)
    monkeypatch.chdir(tmp_path)  # where a pickle would leave its mark
    return home


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_folders_are_refused_at_once_in_plain_words(folder: Path, name: str) -> None:
    spoil, words = HOSTILE[name]
    spoil(folder)
    check_refused(folder, words)


def test_the_same_folder_unspoiled_is_read(folder: Path) -> None:
    found = load(folder)
    assert found.config.head == "masked"
    shards()(folder)
    assert torch.equal(load(folder).model.tok_emb.weight, found.model.tok_emb.weight)


def test_the_bomb_works() -> None:
    """Else the tests above would prove nothing."""
    assert b"exploded" in pickle.dumps(Bomb()) and Bomb().__reduce__()[0] is open


def test_the_files_together_have_a_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards()(folder)
    monkeypatch.setattr(model_folder, "MAX_TENSORS", 3)
    with pytest.raises(ImportRefused, match="more than 3 tensors"):
        load(folder)


def test_a_file_that_claims_much_takes_no_memory(folder: Path) -> None:
    """All that is wrong is found in headers: a sparse file of 2 GB with a missing tensor is refused at once."""
    state = bert()[1]
    del state[QUERY]
    raw = save(state)
    length = int.from_bytes(raw[:8], "little")
    described = json.loads(raw[8 : 8 + length])
    end = len(raw) - 8 - length
    n_byte = 4 * ((2**31 - 2**20) // 4)
    described["spy"] = {"dtype": "F32", "shape": [n_byte // 4], "data_offsets": [end, end + n_byte]}
    head = json.dumps(described).encode()
    path = folder / "model.safetensors"
    path.write_bytes(header(head) + raw[8 + length :])
    with path.open("r+b") as file:
        file.truncate(8 + len(head) + end + n_byte)
    with at_most(0.5), pytest.raises(ImportRefused, match="lacks"):
        load(folder)
    path.unlink()


def test_every_family_refuses_an_empty_file(folder: Path) -> None:
    for kind in FAMILIES:
        other(kind)(folder)
        raw_weights(header(b"{}"))(folder)
        with pytest.raises(ImportRefused, match=r"lacks|does not say"):
            load(folder)
    assert load_file(folder / "model.safetensors") == {}
