"""Folders of BERT and its kin, ModernBERT too, give what Hugging Face computes: answers, states, maps.

Every parameter is random. What each of them and each option is worth is tested too: a model of ours with one of them
wrong is caught.
"""

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as t
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from core.inspect.costs import parameters
from core.inspect.numpy_reference.numpy_forward import numpy_forward
from core.models import pretrained, registry
from core.models.bert import BERT, BERTConfig
from core.models.pretrained import ImportRefused, load
from core.nn.norms import LayerNorm
from core.nn.tap import Trace
from tests.counts import in_turn
from tests.library.parity.test_imports import BERT as SIZES, CLOSE, DISTIL, T, V, lengths, lively, same, saved, tokens

FAR = 1e-4  # five times the bar: so much a wrong model must be off
XLM = SIZES | {"type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
NARROW = SIZES | {"embedding_size": 20, "bos_token_id": 1, "eos_token_id": 2}
MODERN = {name: size for name, size in SIZES.items() if name != "num_hidden_layers"} | {
    "num_hidden_layers": 4, "local_attention": 4, "pad_token_id": 0, "bos_token_id": 1, "cls_token_id": 1,
    "eos_token_id": 2, "sep_token_id": 2,
}  # fmt: skip
TURNS = {"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 3.0, "rope_theta": 500.0},
                             "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}}  # fmt: skip
ALL_KINDS = {"layer_types": ["sliding_attention", "full_attention", "full_attention", "sliding_attention"]}

FAMILIES: dict[str, tuple[Any, Any, str]] = {
    "BERT, masked": (t.BertForMaskedLM, t.BertConfig(**SIZES), "masked"),
    "BERT, pre-training": (t.BertForPreTraining, t.BertConfig(**SIZES), "masked"),
    "BERT, one answer": (t.BertForSequenceClassification, t.BertConfig(**SIZES), "sequence"),
    "BERT, an answer for each token": (t.BertForTokenClassification, t.BertConfig(**SIZES), "tokens"),
    "BERT without a head": (t.BertModel, t.BertConfig(**SIZES), "none"),
    "BERT by tanh": (t.BertModel, t.BertConfig(**SIZES, hidden_act="gelu_new", layer_norm_eps=1e-2), "none"),
    "BERT, where an answer lies": (t.BertForQuestionAnswering, t.BertConfig(**SIZES | {"num_labels": 2}), "span"),
    "DistilBERT, masked": (t.DistilBertForMaskedLM, t.DistilBertConfig(**DISTIL), "masked"),
    "DistilBERT, one answer": (t.DistilBertForSequenceClassification, t.DistilBertConfig(**DISTIL), "sequence"),
    "DistilBERT, each token": (t.DistilBertForTokenClassification, t.DistilBertConfig(**DISTIL), "tokens"),
    "DistilBERT without a head": (t.DistilBertModel, t.DistilBertConfig(**DISTIL), "none"),
    "DistilBERT, where an answer lies": (
        t.DistilBertForQuestionAnswering, t.DistilBertConfig(**DISTIL | {"num_labels": 2}), "span"),
    "RoBERTa, masked": (t.RobertaForMaskedLM, t.RobertaConfig(**SIZES, type_vocab_size=1), "masked"),
    "RoBERTa, one answer": (t.RobertaForSequenceClassification, t.RobertaConfig(**SIZES), "sequence"),
    "RoBERTa, each token": (t.RobertaForTokenClassification, t.RobertaConfig(**SIZES, type_vocab_size=1), "tokens"),
    "RoBERTa, where an answer lies": (
        t.RobertaForQuestionAnswering, t.RobertaConfig(**SIZES | {"num_labels": 2}), "span"),
    "RoBERTa without a head": (t.RobertaModel, t.RobertaConfig(**SIZES, type_vocab_size=1), "none"),
    "XLM-RoBERTa, masked": (t.XLMRobertaForMaskedLM, t.XLMRobertaConfig(**XLM), "masked"),
    "XLM-RoBERTa, one answer": (t.XLMRobertaForSequenceClassification, t.XLMRobertaConfig(**XLM), "sequence"),
    "XLM-RoBERTa, each token": (t.XLMRobertaForTokenClassification, t.XLMRobertaConfig(**XLM), "tokens"),
    "XLM-RoBERTa without a head": (t.XLMRobertaModel, t.XLMRobertaConfig(**XLM), "none"),
    "XLM-RoBERTa, where an answer lies": (
        t.XLMRobertaForQuestionAnswering, t.XLMRobertaConfig(**XLM | {"num_labels": 2}), "span"),
    "CamemBERT, masked": (t.CamembertForMaskedLM, t.CamembertConfig(**XLM), "masked"),
    "CamemBERT, one answer": (t.CamembertForSequenceClassification, t.CamembertConfig(**XLM), "sequence"),
    "CamemBERT, where an answer lies": (
        t.CamembertForQuestionAnswering, t.CamembertConfig(**XLM | {"num_labels": 2}), "span"),
    "ELECTRA, generator": (t.ElectraForMaskedLM, t.ElectraConfig(**NARROW, hidden_act="relu"), "masked"),
    "ELECTRA, discriminator": (t.ElectraForPreTraining, t.ElectraConfig(**NARROW), "replaced"),
    "ELECTRA, as wide, by tanh": (
        t.ElectraForPreTraining, t.ElectraConfig(**NARROW | {"embedding_size": 32}, hidden_act="gelu_new"), "replaced"),
    "ELECTRA, one answer": (t.ElectraForSequenceClassification, t.ElectraConfig(**NARROW), "sequence"),
    "ELECTRA, each token": (t.ElectraForTokenClassification, t.ElectraConfig(**NARROW), "tokens"),
    "ELECTRA, where an answer lies": (
        t.ElectraForQuestionAnswering, t.ElectraConfig(**NARROW | {"num_labels": 2}), "span"),
    "ELECTRA without a head": (t.ElectraModel, t.ElectraConfig(**NARROW, layer_norm_eps=1e-2), "none"),
    "ALBERT, masked": (t.AlbertForMaskedLM, t.AlbertConfig(**NARROW), "masked"),
    "ALBERT, pre-training, exact GELU": (
        t.AlbertForPreTraining, t.AlbertConfig(**NARROW | {"embedding_size": 32}, hidden_act="gelu"), "masked"),
    "ALBERT, one answer": (t.AlbertForSequenceClassification, t.AlbertConfig(**NARROW), "sequence"),
    "ALBERT, each token": (t.AlbertForTokenClassification, t.AlbertConfig(**NARROW), "tokens"),
    "ALBERT, where an answer lies": (
        t.AlbertForQuestionAnswering, t.AlbertConfig(**NARROW | {"num_labels": 2}), "span"),
    "ALBERT without a head": (t.AlbertModel, t.AlbertConfig(**NARROW), "none"),
    "ModernBERT, masked": (t.ModernBertForMaskedLM, t.ModernBertConfig(**MODERN), "masked"),
    "ModernBERT, masked, untied": (
        t.ModernBertForMaskedLM, t.ModernBertConfig(**MODERN, tie_word_embeddings=False), "masked"),
    "ALBERT, masked, untied": (t.AlbertForMaskedLM, t.AlbertConfig(**NARROW, tie_word_embeddings=False), "masked"),
    "ModernBERT, odd window, a scaling": (
        t.ModernBertForMaskedLM, t.ModernBertConfig(**MODERN | {"local_attention": 7}, **TURNS, **ALL_KINDS), "masked"),
    "ModernBERT, by SiLU and ReLU": (
        t.ModernBertForMaskedLM, t.ModernBertConfig(**MODERN, hidden_activation="silu", classifier_activation="relu",
                                                    classifier_bias=True, norm_eps=1e-2), "masked"),
    "ModernBERT, one answer": (t.ModernBertForSequenceClassification, t.ModernBertConfig(**MODERN), "sequence"),
    "ModernBERT, one answer of the mean": (
        t.ModernBertForSequenceClassification, t.ModernBertConfig(**MODERN, classifier_pooling="mean"), "sequence"),
    "ModernBERT, each token": (t.ModernBertForTokenClassification, t.ModernBertConfig(**MODERN), "tokens"),
    "ModernBERT, where an answer lies": (
        t.ModernBertForQuestionAnswering, t.ModernBertConfig(**MODERN | {"num_labels": 2}), "span"),
    "ModernBERT without a head": (t.ModernBertModel, t.ModernBertConfig(**MODERN), "none"),
}  # fmt: skip
every_family = pytest.mark.parametrize("name", FAMILIES)
families_in_turn = pytest.mark.parametrize("name", in_turn(FAMILIES, 4))


def calm(model: Any) -> Any:
    """Gated parts multiply: there the noise of any float32 arithmetic would pass the bar, were all weights as large."""
    if "ModernBert" in type(model).__name__:
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(0.6 if parameter.ndim == 2 else 1.0)
    return model.requires_grad_(False)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Any, Path]]:
    """Their models by name, and the folder in which each is."""
    made: dict[str, tuple[Any, Path]] = {}

    def of(name: str) -> tuple[Any, Path]:
        if name not in made:
            model = calm(lively(*FAMILIES[name][:2]))
            made[name] = model, saved(tmp_path_factory.mktemp("model"), model)
        return made[name]

    return of


def inputs(config: BERTConfig, padding_id: int | None) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """Ids, where they are tokens, and segments if there are some."""
    mask = lengths()
    ids = tokens() if padding_id != 1 else tokens().where(mask, 1)  # XLM-RoBERTa's padding has a position of its own
    segments = {"token_type_ids": (torch.arange(T) > 3).long().expand(3, -1)} if config.n_segment > 1 else {}
    return ids, mask, segments


def answer(output: Any, head: str) -> Tensor:
    """Return the output of their head; the two numbers of a question's answer side by side."""
    if "start_logits" in output:
        return torch.stack([output.start_logits, output.end_logits], -1)
    return output.last_hidden_state if head == "none" else output[0]


@every_family
def test_answers_hidden_states_and_attention_maps(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    found, head = load(folder), FAMILIES[name][2]
    assert found.config.head == head and isinstance(found.model, BERT) and found.tokenizer is None
    assert not any(parameter.requires_grad for parameter in found.model.parameters()) and not found.model.training
    assert registry.family_of(found.model).predicts(found.config) == ("here" if head == "masked" else "nothing")
    ids, mask, segments = inputs(found.config, theirs.config.pad_token_id)
    expected = theirs(ids, attention_mask=mask.long(), output_hidden_states=True, output_attentions=True, **segments)
    with Trace(found.model) as trace:
        logits = found.model(ids, mask, *segments.values())
    there, n_layer = answer(expected, head), found.config.n_layer
    assert logits.shape == there.shape and there.std() > 0.05  # the bar means something
    # What stands at padding is nobody's: in a window of nothing but padding theirs reads everything, ours nothing.
    keep = mask if "RoBERTa" in name or "Camem" in name or "Modern" in name else torch.ones_like(mask)
    torch.testing.assert_close(*((one if head == "sequence" else one[keep]) for one in (logits, there)), **CLOSE)
    last = "final" if found.config.block.norm_first else f"blocks.{n_layer - 1}.resid_out"
    states = [trace["embed"], *(trace[f"blocks.{n}.resid_out"] for n in range(n_layer - 1)), trace[last]]
    same([one[keep] for one in states], tuple(one[keep] for one in expected.hidden_states))
    maps = tuple(one.transpose(1, 2)[keep] for one in expected.attentions)
    same([trace[f"blocks.{n}.attn.weights"].transpose(1, 2)[keep] for n in range(n_layer)], maps)


@every_family
def test_without_padding_and_from_memory(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    expected = answer(theirs(tokens()), FAMILIES[name][2])
    torch.testing.assert_close(load(folder).model(tokens()), expected, **CLOSE)
    if FAMILIES[name][2] in ("masked", "replaced"):
        values = json.loads((folder / "config.json").read_text())
        again = pretrained.model_from_state_dict(values, theirs.state_dict())
        torch.testing.assert_close(again(tokens()), expected, **CLOSE)


@every_family
def test_the_second_pass(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    ours = load(folder).model.double()
    weights = {one: parameter.numpy() for one, parameter in ours.named_parameters()}
    again = numpy_forward(registry.to_dict(ours.config), weights, ids=tokens()[0].tolist())
    with Trace(ours) as trace:
        ours(tokens()[:1])
    assert set(again) == set(trace)
    for key, one in again.items():
        torch.testing.assert_close(torch.from_numpy(one), trace[key].view(one.shape), atol=1e-9, rtol=1e-9)
    expected = answer(theirs(tokens()[:1]), FAMILIES[name][2])[0]
    torch.testing.assert_close(torch.from_numpy(again["logits"]).float(), expected, **CLOSE)


@pytest.mark.parametrize("name", ["RoBERTa, masked", "RoBERTa, one answer", "XLM-RoBERTa, each token",
                                  "RoBERTa without a head"])  # fmt: skip
@pytest.mark.parametrize("place", [0, 3, 6])
def test_padding_inside_of_a_text_is_not_counted(folders: Any, name: str, place: int) -> None:
    """`<pad>` typed by a person: the tokens behind it keep their distance to the beginning, as in the reference."""
    theirs, folder = folders(name)
    text = torch.arange(5, 14)[None].clone()
    text[0, [place, place + 1]] = theirs.config.pad_token_id
    ours = load(folder).model
    expected = theirs(text, attention_mask=torch.ones_like(text))[0]
    torch.testing.assert_close(ours(text), expected, **CLOSE)
    plain = ours(text.where(text != theirs.config.pad_token_id, 20))
    assert (plain - ours(text)).abs().max() > 1e-3


# --- a wrong model is caught -----------------------------------------------------------------------------------------


def with_options(config: BERTConfig) -> Iterator[BERTConfig]:
    """The same model with one of its options wrong, for each that it has: weights of the same names and shapes."""
    block, style = config.block, config.head_style
    swapped = {"gelu": "gelu_tanh", "gelu_tanh": "gelu", "geglu_exact": "geglu", "relu": "gelu", "swiglu": "geglu"}
    blocks = ({"activation": swapped[block.activation]}, {"eps": 0.1}, {"residual": False})
    yield from (dataclasses.replace(config, block=dataclasses.replace(block, **one)) for one in blocks)
    heads: list[dict[str, Any]] = []
    if config.head in ("masked", "replaced") or (config.head in ("tokens", "span") and style.norm):
        heads.append({"activation": swapped[style.activation]})
    if config.head == "sequence":
        heads.append({"pooling": "mean" if style.pooling == "first" else "first"})
        yield dataclasses.replace(config, pool="gelu" if config.pool == "tanh" else "tanh")
        yield dataclasses.replace(config, pool={"gelu": "gelu_tanh", "relu": "gelu"}.get(config.pool, "relu"))
    yield from (dataclasses.replace(config, head_style=dataclasses.replace(style, **one)) for one in heads)
    if config.n_segment:
        yield dataclasses.replace(config, n_segment=0)
    if config.positions == "rotary":
        assert config.rotary is not None and config.window_rotary is not None and config.window and config.windowed
        yield dataclasses.replace(config, rotary=config.window_rotary)
        yield dataclasses.replace(config, window_rotary=None)
        yield dataclasses.replace(config, rotary=dataclasses.replace(config.rotary, factor=2.0))
        yield from (dataclasses.replace(config, window=config.window + off) for off in (-1, 1))
        yield dataclasses.replace(config, windowed=None)
        yield dataclasses.replace(config, windowed=config.windowed[1:])
        yield dataclasses.replace(config, window=None, windowed=None, window_rotary=None)


@families_in_turn
def test_each_option_matters(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    ours, expected = load(folder).model, answer(theirs(tokens()), FAMILIES[name][2])
    weights = dict(ours.named_parameters())
    for config in with_options(ours.config):
        wrong = registry.build_empty(config)
        registry.fill_weights(wrong, weights)
        assert (wrong(tokens()) - expected).abs().max() > FAR, f"{config} is as good"


def with_parts(model: BERT) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield possible mistakes in a table of names or in a part as functions that undo themselves when applied twice."""

    def exchange(one: nn.Parameter, other: nn.Parameter) -> Callable[[], None]:
        def swap() -> None:
            one.data, other.data = other.data, one.data

        return swap

    def without(path: str, norm: nn.Module) -> Callable[[], None]:
        where, _, last = path.rpartition(".")
        holder, kept = model.get_submodule(where), [nn.Identity(), norm]

        def swap() -> None:
            setattr(holder, last, kept[0])
            kept.reverse()

        return swap

    for path, module in model.named_modules():
        if isinstance(module, LayerNorm):
            yield f"without {path}", without(path, module)
    for n, block in enumerate([model.blocks[0]] if model.config.shared else model.blocks):
        attn, mlp = block.attn, block.mlp
        yield f"keys as queries in {n}", exchange(attn.w_q.weight, attn.w_k.weight)
        yield f"values as keys in {n}", exchange(attn.w_k.weight, attn.w_v.weight)
        if mlp.w_gate is not None:
            yield f"gate and gated in {n}", exchange(mlp.w_gate.weight, mlp.w_in.weight)
    if model.pos_emb is not None:
        rows = nn.Parameter(model.pos_emb.weight.roll(1, 0), requires_grad=False)
        yield "positions off by one", exchange(model.pos_emb.weight, rows)


@families_in_turn
def test_each_tensor_and_each_part_matters(folders: Any, name: str) -> None:
    theirs, folder = folders(name)
    ours, expected = load(folder).model, answer(theirs(tokens()), FAMILIES[name][2])
    for what, swap in with_parts(ours):
        swap()
        assert (ours(tokens()) - expected).abs().max() > FAR, what
        swap()
    for one, parameter in ours.named_parameters():
        # A bias of the keys adds the same to all scores of a query, which the softmax takes away.
        if one.endswith("w_k.bias"):
            continue
        kept = parameter.clone()
        parameter += 0.05 * torch.randn(kept.shape, generator=torch.Generator().manual_seed(3))
        assert (ours(tokens()) - expected).abs().max() > FAR, one
        parameter.copy_(kept)
    torch.testing.assert_close(ours(tokens()), expected, **CLOSE)  # all of it was undone


# --- one layer for all -----------------------------------------------------------------------------------------------


def test_alberts_blocks_share_their_weights_and_keep_their_names(folders: Any, tmp_path: Path) -> None:
    theirs, folder = folders("ALBERT, masked")
    found = load(folder)
    model: BERT = found.model
    names = [name for name, _ in model.blocks[0].named_parameters()]
    for block in list(model.blocks)[1:]:
        assert block is not model.blocks[0] and block.attn is not model.blocks[0].attn
        assert all(block.get_parameter(name) is model.blocks[0].get_parameter(name) for name in names)
    n_parameter = sum(one.numel() for one in theirs.parameters())
    counted = parameters.count_module_parameters(model)
    assert sum(one.numel() for one in model.parameters()) == counted.total == n_parameter
    assert counted.term("attention").formula == "1 · (4·D² + 4·D)"
    # Only one block is changed on its way, although all have the same weights.
    with Trace(model, edits={"blocks.1.attn.weights": torch.zeros_like}) as trace:
        model(tokens())
    assert not trace["blocks.1.attn.weights"].any()
    assert trace["blocks.0.attn.weights"].any() and trace["blocks.2.attn.weights"].any()
    # A file of ours holds one block, and is read again.
    save_file({name: one.data for name, one in model.named_parameters()}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(registry.to_dict(found.config)))
    assert not any("blocks.1." in name for name in load_file(tmp_path / "model.safetensors"))
    again = load(tmp_path)
    assert again.config == found.config and torch.equal(again.model(tokens()), model(tokens()))
    assert again.model.blocks[2].mlp.w_in.weight is again.model.blocks[0].mlp.w_in.weight
    # Blocks that have drifted apart are another model.
    apart = registry.build_empty(dataclasses.replace(found.config, shared=False))
    noise = torch.Generator().manual_seed(5)
    drifted = {
        f"blocks.{n}.{name}": one + 0.05 * n * torch.randn(one.shape, generator=noise)
        for n in range(3)
        for name, one in model.blocks[0].named_parameters()
    }
    registry.fill_weights(apart, dict(model.named_parameters()) | drifted)
    assert (apart(tokens()) - theirs(tokens()).logits).abs().max() > FAR


def test_shared_blocks_learn_as_one() -> None:
    model = registry.build(BERTConfig(vocab_size=V, n_layer=3, d_model=8, n_head=2, d_embed=4, shared=True))
    model(tokens()).square().mean().backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    weight = model.blocks[0].attn.w_q.weight
    assert weight.grad is not None and all(block.attn.w_q.weight is weight for block in model.blocks)


def test_more_shared_layers_than_tensors(tmp_path: Path) -> None:
    """As in the ALBERTs of 24 layers, whose files have fewer tensors."""
    config = t.AlbertConfig(**NARROW | {"num_hidden_layers": 24})
    theirs = lively(t.AlbertModel, config)
    assert len(load_file(saved(tmp_path, theirs) / "model.safetensors")) < 27
    assert load(tmp_path).config.n_layer == 24
    values = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(values | {"num_hidden_layers": 900}))
    with pytest.raises(ImportRefused, match="n_layer=900"):
        load(tmp_path)


# --- config.json and model.safetensors as they were published --------------------------------------------------------

DROPOUT = {"attention_probs_dropout_prob": 0.1, "hidden_dropout_prob": 0.1, "initializer_range": 0.02}
PUBLISHED: dict[str, tuple[str, dict[str, Any]]] = {
    "answerdotai/ModernBERT-base": ("ModernBERT, masked", {
        "architectures": ["ModernBertForMaskedLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 1, "classifier_activation": "gelu", "classifier_bias": False, "classifier_dropout": 0.0,
        "classifier_pooling": "mean", "cls_token_id": 1, "decoder_bias": True, "deterministic_flash_attn": False,
        "embedding_dropout": 0.0, "eos_token_id": 2, "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0,
        "gradient_checkpointing": False, "hidden_activation": "gelu", "hidden_size": 32,
        "initializer_cutoff_factor": 2.0, "initializer_range": 0.02, "intermediate_size": 48, "layer_norm_eps": 1e-05,
        "local_attention": 4, "local_rope_theta": 10000.0, "max_position_embeddings": 24, "mlp_bias": False,
        "mlp_dropout": 0.0, "model_type": "modernbert", "norm_bias": False, "norm_eps": 1e-05,
        "num_attention_heads": 4, "num_hidden_layers": 4, "pad_token_id": 0, "position_embedding_type": "absolute",
        "sep_token_id": 2, "tie_word_embeddings": True, "torch_dtype": "float32",
        "transformers_version": "4.47.0.dev0", "vocab_size": V}),
    "another base, fewer full layers": ("ModernBERT, masked", {
        "global_attn_every_n_layers": 2, "global_rope_theta": 500.0, "hidden_size": 32, "intermediate_size": 48,
        "local_attention": 6, "local_rope_theta": 50.0, "model_type": "modernbert", "num_attention_heads": 4,
        "num_hidden_layers": 4, "pad_token_id": 0, "bos_token_id": 1, "cls_token_id": 1, "eos_token_id": 2,
        "sep_token_id": 2, "vocab_size": V}),
    "google/electra-small-discriminator": ("ELECTRA, discriminator", {
        "architectures": ["ElectraForPreTraining"], **DROPOUT, "embedding_size": 20, "hidden_act": "gelu",
        "hidden_size": 32, "intermediate_size": 48, "layer_norm_eps": 1e-12, "max_position_embeddings": 24,
        "model_type": "electra", "num_attention_heads": 4, "num_hidden_layers": 3, "pad_token_id": 0,
        "summary_activation": "gelu", "summary_last_dropout": 0.1, "summary_type": "first", "summary_use_proj": True,
        "type_vocab_size": 2, "vocab_size": V}),
    "albert-base-v2": ("ALBERT, masked", {
        "architectures": ["AlbertForMaskedLM"], "attention_probs_dropout_prob": 0, "bos_token_id": 2,
        "classifier_dropout_prob": 0.1, "down_scale_factor": 1, "embedding_size": 20, "eos_token_id": 3, "gap_size": 0,
        "hidden_act": "gelu_new", "hidden_dropout_prob": 0, "hidden_size": 32, "initializer_range": 0.02,
        "inner_group_num": 1, "intermediate_size": 48, "layer_norm_eps": 1e-12, "max_position_embeddings": 24,
        "model_type": "albert", "net_structure_type": 0, "num_attention_heads": 4, "num_hidden_groups": 1,
        "num_hidden_layers": 3, "num_memory_blocks": 0, "pad_token_id": 0, "type_vocab_size": 2, "vocab_size": V}),
    "xlm-roberta-base": ("XLM-RoBERTa, masked", {
        "architectures": ["XLMRobertaForMaskedLM"], **DROPOUT, "bos_token_id": 0, "eos_token_id": 2,
        "hidden_act": "gelu", "hidden_size": 32, "intermediate_size": 48, "layer_norm_eps": 1e-05,
        "max_position_embeddings": 24, "model_type": "xlm-roberta", "num_attention_heads": 4, "num_hidden_layers": 3,
        "output_past": True, "pad_token_id": 1, "position_embedding_type": "absolute",
        "transformers_version": "4.17.0.dev0", "type_vocab_size": 1, "use_cache": True, "vocab_size": V}),
}  # fmt: skip
# What old files hold besides: numbers that are never read, and second copies of what is tied.
ALSO: dict[str, Callable[[dict[str, Tensor]], dict[str, Tensor]]] = {
    "modernbert": lambda w: {"decoder.weight": w["model.embeddings.tok_embeddings.weight"].clone()},
    "electra": lambda w: {"electra.embeddings.position_ids": torch.arange(24)[None]},
    "albert": lambda w: {"albert.embeddings.position_ids": torch.arange(24)[None],
                         "albert.pooler.weight": torch.ones(32, 32), "albert.pooler.bias": torch.ones(32),
                         "predictions.decoder.bias": w["predictions.bias"].clone(),
                         "predictions.decoder.weight": w["albert.embeddings.word_embeddings.weight"].clone(),
                         "sop_classifier.classifier.weight": torch.ones(2, 32),
                         "sop_classifier.classifier.bias": torch.ones(2)},
    "xlm-roberta": lambda w: {"roberta.embeddings.position_ids": torch.arange(24)[None],
                              "lm_head.decoder.weight": w["roberta.embeddings.word_embeddings.weight"].clone(),
                              "lm_head.decoder.bias": w["lm_head.bias"].clone()},
}  # fmt: skip


@pytest.mark.parametrize("published", PUBLISHED)
def test_folders_as_they_were_published(tmp_path: Path, published: str) -> None:
    name, values = PUBLISHED[published]
    kind, config, head = FAMILIES[name]
    theirs = calm(lively(kind, type(config).from_dict(values)))
    weights = load_file(saved(tmp_path, theirs) / "model.safetensors")
    save_file(weights | ALSO[values["model_type"]](weights), tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(values))
    found = load(tmp_path)
    assert found.config.head == head
    torch.testing.assert_close(found.model(tokens()), theirs(tokens()).logits, **CLOSE)
    if "decoder.weight" in ALSO[values["model_type"]](weights):
        weights["decoder.weight"] = weights["model.embeddings.tok_embeddings.weight"] + 1
        save_file(weights, tmp_path / "model.safetensors")
        with pytest.raises(ImportRefused, match=r"decoder\.weight should be the same"):
            load(tmp_path)


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "two groups of layers": ("ALBERT, masked", {"num_hidden_groups": 2}, "num_hidden_groups=2"),
    "layers within a group": ("ALBERT, masked", {"inner_group_num": 2}, "inner_group_num=2"),
    "a width that is none": ("ALBERT, masked", {"embedding_size": "wide"}, "d_embed='wide' should be a whole number"),
    "distances between positions": (
        "ELECTRA, discriminator", {"position_embedding_type": "relative_key"}, "position_embedding_type"),
    "a decoder": ("ELECTRA, generator", {"is_decoder": True}, "is_decoder"),
    "another nonlinearity": ("ELECTRA, discriminator", {"hidden_act": "mish"}, "hidden_act"),
    "no positions": ("XLM-RoBERTa, masked", {"pad_token_id": 23}, "leaves no positions"),
    **{f"{name}={value}": ("ModernBERT, masked", {name: value}, f"config.json says {name}={value}")
       for name, value in (("attention_bias", True), ("mlp_bias", True), ("norm_bias", True),
                           ("decoder_bias", False))},
    "another pooling": ("ModernBERT, one answer", {"classifier_pooling": "max"}, "classifier_pooling='max' is none of"),
    "a bias that is a word": ("ModernBERT, masked", {"classifier_bias": "yes"}, "true or false"),
    "another gate": ("ModernBERT, masked", {"hidden_activation": "relu"}, "hidden_activation"),
    "layers of a third kind": ("ModernBERT, masked", {"layer_types": ["chunked_attention"] * 4}, "layer_types"),
    "positions that grow with the text": (
        "ModernBERT, masked",
        {"rope_parameters": {"full_attention": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}}}, "dynamic"),
    "a window of a word": ("ModernBERT, masked", {"local_attention": "wide"}, "whole numbers"),
    "sizes that are none": ("ModernBERT, masked", {"hidden_size": None}, "whole numbers"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_computed_otherwise_is_refused(
    folders: Any, tmp_path: Path, name: str, changes: dict[str, Any], words: str
) -> None:
    _, folder = folders(name)
    values = json.loads((folder / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(values | changes))
    save_file(load_file(folder / "model.safetensors"), tmp_path / "model.safetensors")
    with pytest.raises(ImportRefused, match=words):
        load(tmp_path)
