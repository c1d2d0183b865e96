"""Published models' folders give what Hugging Face computes: answers, every hidden state, every attention map.

All models are tiny, and no weight is left at its start value: default gains and biases hide swapped or dropped tensors.
"""

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.generate.decode import generate
from core.generate.seq2seq import greedy_decode
from core.models import registry
from core.models.imports.model_folder_reader import ModelFolder
from core.models.pretrained import ImportRefused, load, model_from_state_dict
from core.nn.tap import Trace

CLOSE = {"atol": 2e-5, "rtol": 0.0}
V, T = 37, 9
BERT = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48, "vocab_size": V,
        "max_position_embeddings": 24, "num_labels": 3}  # fmt: skip
DISTIL = {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 48, "vocab_size": V, "max_position_embeddings": 24,
          "num_labels": 3}  # fmt: skip
T5 = {"vocab_size": V, "d_model": 32, "d_kv": 6, "d_ff": 48, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4,
      "relative_attention_num_buckets": 8, "relative_attention_max_distance": 12}  # fmt: skip
V11 = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
VIT = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48, "image_size": 12,
       "patch_size": 4, "num_channels": 3, "num_labels": 5}  # fmt: skip
GPT = {"vocab_size": V, "n_positions": 24, "n_embd": 32, "n_layer": 3, "n_head": 4}

t = transformers
DECODERS: dict[str, tuple[Any, Any]] = {
    "GPT-2": (t.GPT2LMHeadModel, t.GPT2Config(**GPT)),
    "GPT-2 by the exact GELU": (t.GPT2LMHeadModel, t.GPT2Config(**GPT, activation_function="gelu")),
    "GPT-2 by ReLU, larger eps": (
        t.GPT2LMHeadModel, t.GPT2Config(**GPT, activation_function="relu", layer_norm_epsilon=1e-2)),
    "GPT-2 with an output layer of its own": (t.GPT2LMHeadModel, t.GPT2Config(**GPT, tie_word_embeddings=False)),
    "GPT-2 without a head": (t.GPT2Model, t.GPT2Config(**GPT)),
    "ImageGPT": (t.ImageGPTForCausalImageModeling, t.ImageGPTConfig(**GPT)),
}  # fmt: skip
t5s = pytest.mark.parametrize(
    "changes",
    [{}, V11, {"feed_forward_proj": "gated-silu"}, {"feed_forward_proj": "gelu"}],
    ids=["tied", "v1.1", "swiglu", "gelu"],
)


def lively(kind: Any, config: Any) -> Any:
    """Theirs, eager, with all parameters random."""
    config._attn_implementation = "eager"
    model = kind(config)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            gain = "norm" in name.lower().replace("ln_", "norm") and name.endswith("weight")
            # T5's products of products grow: there the noise of any float32 arithmetic would pass the bar.
            spread = 0.5 if parameter.ndim == 1 else 0.15 if kind is t.T5ForConditionalGeneration else 0.3
            parameter.normal_(1.0 if gain else 0.0, spread, generator=generator)
    return model.eval()


def saved(folder: Path, model: Any) -> Path:
    model.save_pretrained(folder)
    return folder


def tokens(n_token: int = T, seed: int = 2, lowest: int = 3) -> Tensor:
    return torch.randint(lowest, V, (3, n_token), generator=torch.Generator().manual_seed(seed))


def lengths() -> Tensor:
    """(3, T), the second text shorter, the third very short."""
    return torch.arange(T) < torch.tensor([[T], [6], [1]])


def same(ours: list[Tensor], theirs: tuple[Tensor, ...]) -> None:
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, **CLOSE)


@t5s
def test_t5(tmp_path: Path, changes: dict[str, Any]) -> None:
    reference = lively(t.T5ForConditionalGeneration, t.T5Config(**T5 | changes))
    if changes == V11:  # as published: an output layer of its own
        own = torch.randn(V, 32, generator=torch.Generator().manual_seed(3)) / 32**0.5
        reference.lm_head.weight = torch.nn.Parameter(own)
    found = load(saved(tmp_path, reference))
    assert found.config.tied == (changes != V11)
    source, target, mask = tokens(), tokens(5, 3), lengths()
    with torch.no_grad():
        expected = reference(input_ids=source, attention_mask=mask.long(), decoder_input_ids=target,
                             output_hidden_states=True, output_attentions=True, use_cache=False)  # fmt: skip
        with Trace(found.model) as trace:
            logits = found.model(source, target, mask)
    torch.testing.assert_close(logits, expected.logits, **CLOSE)
    assert expected.logits.std() > 0.1
    for side, n_layer, states, maps in (
        ("encoder", 2, expected.encoder_hidden_states, expected.encoder_attentions),
        ("decoder", 3, expected.decoder_hidden_states, expected.decoder_attentions),
    ):
        ours = [trace[f"{side}.embed"], *(trace[f"{side}.blocks.{n}.resid_out"] for n in range(n_layer - 1))]
        same([*ours, trace[f"{side}.final"]], states)
        same([trace[f"{side}.blocks.{n}.attn.weights"] for n in range(n_layer)], maps)
    same([trace[f"decoder.blocks.{n}.cross_attn.weights"] for n in range(3)], expected.cross_attentions)


@pytest.mark.parametrize("scales", [True, False])
@pytest.mark.parametrize("head", [True, False])
def test_a_t5_may_have_an_output_layer_of_its_own_and_a_smaller_stream_each_without_the_other(
    tmp_path: Path, head: bool, scales: bool
) -> None:
    reference = lively(t.T5ForConditionalGeneration, t.T5Config(**T5, tie_word_embeddings=scales))
    assert reference.config.scale_decoder_outputs == scales
    if head:
        reference.lm_head.weight = torch.nn.Parameter(torch.randn(V, 32, generator=torch.Generator().manual_seed(3)))
    model = load(saved(tmp_path, reference)).model
    assert ("lm_head.weight" in load_file(tmp_path / "model.safetensors")) == head
    source, target = tokens(), tokens(5, 3)
    with torch.no_grad():
        theirs = reference(input_ids=source, decoder_input_ids=target).logits
        torch.testing.assert_close(model(source, target), theirs, **CLOSE)


def as_published(folder: Path) -> None:
    """Write a folder as transformers 4 did, with all copies of the embedding and no `scale_decoder_outputs`."""
    weights = load_file(folder / "model.safetensors")
    for name in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"):
        weights[name] = weights["shared.weight"].clone()
    unread = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    weights[unread] = torch.ones(8, 4)
    save_file(weights, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    del config["scale_decoder_outputs"]
    (folder / "config.json").write_text(json.dumps(config))


def test_a_published_t5_with_all_copies_of_its_embedding(tmp_path: Path) -> None:
    reference = lively(t.T5ForConditionalGeneration, t.T5Config(**T5))
    as_published(saved(tmp_path, reference))
    source, target = tokens(), tokens(5, 3)
    with torch.no_grad():
        theirs = reference(input_ids=source, decoder_input_ids=target).logits
        torch.testing.assert_close(load(tmp_path).model(source, target), theirs, **CLOSE)
    weights = load_file(tmp_path / "model.safetensors")
    weights["encoder.embed_tokens.weight"][3, 3] += 1
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(ImportRefused, match=r"encoder\.embed_tokens\.weight should be the same"):
        load(tmp_path)


@pytest.mark.parametrize("head", [True, False])
def test_vit(tmp_path: Path, head: bool) -> None:
    reference = lively(t.ViTForImageClassification if head else t.ViTModel, t.ViTConfig(**VIT))
    found = load(saved(tmp_path, reference))
    images = torch.randn(2, 3, 12, 12, generator=torch.Generator().manual_seed(4))
    with torch.no_grad():
        expected = reference(images, output_hidden_states=True, output_attentions=True)
        with Trace(found.model) as trace:
            logits = found.model(images)
    torch.testing.assert_close(logits, expected.logits if head else expected.last_hidden_state[:, 0], **CLOSE)
    same([trace["embed"], *(trace[f"blocks.{n}.resid_out"] for n in range(3))], expected.hidden_states)
    same([trace[f"blocks.{n}.attn.weights"] for n in range(3)], expected.attentions)
    if not head:
        torch.testing.assert_close(trace["final"], expected.last_hidden_state, **CLOSE)
    save_file(reference.state_dict(), tmp_path / "model.safetensors")  # the names of transformers 5 in memory
    assert torch.equal(load(tmp_path).model(images), logits)


@pytest.mark.parametrize("name", DECODERS)
def test_decoders(tmp_path: Path, name: str) -> None:
    kind, config = DECODERS[name]
    reference = lively(kind, config)
    found = load(saved(tmp_path, reference))
    assert found.config.block.eps in (None, config.layer_norm_epsilon)  # GPT-2's own is our default
    ids = tokens().clone()
    if "ImageGPT" in name:
        ids[:, 0] = found.config.start_id
    with torch.no_grad():
        expected = reference(ids, output_hidden_states=True, output_attentions=True)
        theirs = expected.last_hidden_state @ reference.wte.weight.T if kind is t.GPT2Model else expected.logits
        with Trace(found.model) as trace:
            logits = found.model(ids)
    torch.testing.assert_close(logits, theirs, **CLOSE)
    assert theirs.std() > 0.5  # the bar means something
    states = [trace["embed"], *(trace[f"blocks.{n}.resid_out"] for n in range(2)), trace["final"]]
    same(states, expected.hidden_states)
    same([trace[f"blocks.{n}.attn.weights"] for n in range(3)], expected.attentions)
    if kind is not t.GPT2Model:
        exact = model_from_state_dict(config.to_dict(), reference.double().state_dict()).double()
        torch.testing.assert_close(exact(ids), reference(ids).logits, atol=1e-10, rtol=0.0)


def test_a_gpt2_without_prefix_and_with_its_causal_masks(tmp_path: Path) -> None:
    reference = lively(t.GPT2LMHeadModel, t.GPT2Config(**GPT))
    weights = saved(tmp_path, reference) and dict(reference.transformer.state_dict())
    for n in range(3):
        weights[f"h.{n}.attn.bias"] = torch.tril(torch.ones(1, 1, 24, 24, dtype=torch.uint8))
        weights[f"h.{n}.attn.masked_bias"] = torch.tensor(-1e4)
    save_file(weights, tmp_path / "model.safetensors")
    torch.testing.assert_close(load(tmp_path).model(tokens()), reference(tokens()).logits, **CLOSE)


def test_greedy_tokens_are_identical(tmp_path: Path) -> None:
    no_stop = {"max_new_tokens": 12, "do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    for kind, config in ((t.GPT2LMHeadModel, t.GPT2Config(**GPT, bos_token_id=0, eos_token_id=0)),
                         (t.ImageGPTForCausalImageModeling, t.ImageGPTConfig(**GPT))):  # fmt: skip
        reference = lively(kind, config)
        model, prompt = load(saved(tmp_path / kind.__name__, reference)).model, tokens(4)
        expected = reference.generate(prompt, attention_mask=torch.ones_like(prompt), **no_stop)[:, 4:]
        ours = torch.stack([step.token for step in generate(model, prompt, 12, greedy=True)], 1)
        assert torch.equal(ours, expected) and len(ours.unique()) > 1
    for changes in ({}, V11):
        both = {"num_decoder_layers": 2, "decoder_start_token_id": 0, "pad_token_id": 0}
        reference = lively(t.T5ForConditionalGeneration, t.T5Config(**T5 | changes | both))
        model = load(saved(tmp_path / f"t5-{len(changes)}", reference)).model
        source, mask = tokens(), lengths()
        expected = reference.generate(source, attention_mask=mask.long(), **no_stop)[:, 1:]
        ours = greedy_decode(model, source, mask, start_id=0, end_id=V, max_new_tokens=12)
        ours = ours if isinstance(ours, Tensor) else torch.tensor(ours)
        assert torch.equal(ours, expected) and len(ours.unique()) > 1


def test_weights_in_several_files_and_in_half_precision(tmp_path: Path) -> None:
    reference = lively(t.BertForMaskedLM, t.BertConfig(**BERT))
    reference.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2 and not (tmp_path / "model.safetensors").exists()
    ids = tokens()
    torch.testing.assert_close(load(tmp_path).model(ids), reference(ids).logits, **CLOSE)
    half = lively(t.BertForMaskedLM, t.BertConfig(**BERT)).half()
    model = load(saved(tmp_path / "half", half)).model
    assert model.tok_emb.weight.dtype == torch.float32
    torch.testing.assert_close(model(ids), half.float()(ids).logits, **CLOSE)


def test_a_bert_with_the_old_names_of_gains_and_biases_and_all_that_is_never_read(tmp_path: Path) -> None:
    reference = lively(t.BertForPreTraining, t.BertConfig(**BERT))
    saved(tmp_path, reference)
    weights = load_file(tmp_path / "model.safetensors")
    weights = {name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): one
               for name, one in weights.items()}  # fmt: skip
    weights["bert.embeddings.position_ids"] = torch.arange(24)[None]
    weights["cls.predictions.decoder.weight"] = weights["bert.embeddings.word_embeddings.weight"].clone()
    weights["cls.predictions.decoder.bias"] = weights["cls.predictions.bias"].clone()
    save_file(weights, tmp_path / "model.safetensors")
    torch.testing.assert_close(load(tmp_path).model(tokens()), reference(tokens())[0], **CLOSE)


def test_a_snapshot_in_hugging_faces_cache_is_read_through_its_links(tmp_path: Path) -> None:
    reference = lively(t.BertForMaskedLM, t.BertConfig(**BERT))
    blobs = saved(tmp_path / "models--a--b" / "blobs", reference)
    snapshot = tmp_path / "models--a--b" / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    for name in ("config.json", "model.safetensors"):
        (snapshot / name).symlink_to(blobs / name)
    torch.testing.assert_close(load(snapshot).model(tokens()), reference(tokens()).logits, **CLOSE)


# --- each mistake would be seen --------------------------------------------------------------------------------------


def change_config(**values: Any) -> Callable[[Any], Any]:
    def changed(model: Any) -> Any:
        block = dataclasses.replace(model.config.block, **values)
        other = registry.build_empty(dataclasses.replace(model.config, block=block))
        registry.fill_weights(other, {name: one.data for name, one in model.named_parameters()})
        return other

    return changed


def change_weights(change: Callable[[Any], None]) -> Callable[[Any], Any]:
    def changed(model: Any) -> Any:
        with torch.no_grad():
            change(model)
        return model

    return changed


class Centered(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x - x.mean(-1, keepdim=True)


def subtract_mean(model: Any) -> None:
    """In the manner of a LayerNorm: what the last norm reads loses its mean."""
    model.norm = torch.nn.Sequential(Centered(), model.norm)


def transpose(model: Any) -> None:
    for block in model.blocks:
        block.attn.w_o.weight.copy_(block.attn.w_o.weight.T.clone())


def scale_scores(model: Any) -> None:
    for side in (model.encoder, model.decoder):
        for block in side.blocks:
            block.attn.scale = 1 / math.sqrt(6)


MISTAKES: dict[str, tuple[Any, Any, Callable[[Any], Any]]] = {
    "a square matrix not transposed": (t.GPT2LMHeadModel, t.GPT2Config(**GPT), change_weights(transpose)),
    "GPT-2 with the eps of BERT": (t.GPT2LMHeadModel, t.GPT2Config(**GPT), change_config(eps=1e-12)),
    "GPT-2 with the exact GELU": (t.GPT2LMHeadModel, t.GPT2Config(**GPT), change_config(activation="gelu")),
    "no positions": (t.GPT2LMHeadModel, t.GPT2Config(**GPT),
                     change_weights(lambda model: model.pos_emb.weight.zero_())),
    "no last norm": (t.GPT2LMHeadModel, t.GPT2Config(**GPT), change_weights(lambda model: model.norm.weight.fill_(1))),
    "no segment": (t.BertForMaskedLM, t.BertConfig(**BERT), change_weights(lambda model: model.seg_emb.weight.zero_())),
    "BERT with the eps of GPT-2": (t.BertForMaskedLM, t.BertConfig(**BERT), change_config(eps=1e-5)),
    "BERT with the GELU by tanh": (t.BertForMaskedLM, t.BertConfig(**BERT), change_config(activation="gelu_tanh")),
    "ImageGPT with the mean subtracted": (t.ImageGPTForCausalImageModeling, t.ImageGPTConfig(**GPT),
                                          change_weights(subtract_mean)),
    "T5 with scaled scores": (t.T5ForConditionalGeneration, t.T5Config(**T5), change_weights(scale_scores)),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_each_known_mistake_is_far_beyond_the_bar(tmp_path: Path, name: str) -> None:
    kind, config, spoil = MISTAKES[name]
    reference = lively(kind, config)
    good, bad = load(saved(tmp_path, reference)).model, spoil(load(tmp_path).model)
    texts = (tokens(), tokens(5, 3)) if "T5" in name else (tokens(),)
    with torch.no_grad():
        expected = reference(texts[0], decoder_input_ids=texts[1]).logits if "T5" in name else reference(*texts).logits
        assert (good(*texts) - expected).abs().max() < 2e-5
        assert (bad(*texts) - expected).abs().max() > 6e-5


def test_the_names_of_the_answers(tmp_path: Path) -> None:
    config = t.BertConfig(**BERT | {"id2label": {0: "bad", 1: "fair", 2: "good"}})
    saved(tmp_path, lively(t.BertForSequenceClassification, config))
    assert ModelFolder(tmp_path).labels == ("bad", "fair", "good") and load(tmp_path).config.n_label == 3
    values = json.loads((tmp_path / "config.json").read_text())
    for names in (None, [], {"a": "b"}, {"0": "a", "2": "b"}):
        (tmp_path / "config.json").write_text(json.dumps(values | {"id2label": names}))
        assert ModelFolder(tmp_path).labels == ()
