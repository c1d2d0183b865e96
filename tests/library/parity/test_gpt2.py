"""Our GPT computes what Hugging Face's GPT-2 computes, given the same weights. No weight is left at its start value."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Model

from core.generate.decode import generate
from core.models.pretrained import ImportRefused, from_state_dict, load
from core.nn.tap import Trace


def theirs(**changes: object) -> GPT2LMHeadModel:
    """A tiny GPT-2 with all biases and norm gains random: their default start would hide swapped or dropped tensors."""
    settings = {"vocab_size": 37, "n_positions": 24, "n_embd": 32, "n_layer": 3, "n_head": 4} | changes
    config = GPT2Config(**settings, attn_implementation="eager", bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(config)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            scale = 0.2 if parameter.ndim == 2 else 0.5
            parameter.normal_(1.0 if "ln_" in name and "weight" in name else 0.0, scale, generator=generator)
    return model.eval()


def ids(n_token: int = 20) -> Tensor:
    return torch.randint(37, (2, n_token), generator=torch.Generator().manual_seed(2))


def save(folder: Path, model: GPT2LMHeadModel | GPT2Model) -> Path:
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("activation", ["gelu_new", "gelu", "relu"])
def test_logits_hidden_states_and_attention_maps(tmp_path: Path, activation: str) -> None:
    reference = theirs(activation_function=activation)
    model = load(save(tmp_path, reference)).model
    with torch.no_grad():
        expected = reference(ids(), output_hidden_states=True, output_attentions=True)
        with Trace(model) as trace:
            logits = model(ids())
    close = {"atol": 2e-5, "rtol": 0.0}
    torch.testing.assert_close(logits, expected.logits, **close)
    assert expected.logits.std() > 0.5  # the bar means something
    states = [trace["embed"], *(trace[f"blocks.{n}.resid_out"] for n in range(2)), trace["final"]]
    assert len(expected.hidden_states) == len(states) and len(expected.attentions) == 3
    for ours, other in zip(states, expected.hidden_states, strict=True):
        torch.testing.assert_close(ours, other, **close)
    for n, other in enumerate(expected.attentions):
        torch.testing.assert_close(trace[f"blocks.{n}.attn.weights"], other, **close)


def test_equal_to_1e_10_in_double_precision() -> None:
    reference = theirs().double()
    model = from_state_dict(reference.config.to_dict(), reference.state_dict())
    torch.testing.assert_close(model.double()(ids()), reference(ids()).logits, atol=1e-10, rtol=0.0)


def test_greedy_tokens_are_identical(tmp_path: Path) -> None:
    reference = theirs()
    model = load(save(tmp_path, reference)).model
    prompt = ids(4)
    expected = reference.generate(
        prompt,
        max_new_tokens=20,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
        attention_mask=torch.ones_like(prompt),
    )
    ours = torch.stack([step.token for step in generate(model, prompt, 20, greedy=True)], 1)
    assert torch.equal(ours, expected[:, 4:])


def test_a_file_without_prefix_and_with_causal_masks_loads_the_same(tmp_path: Path) -> None:
    reference = theirs()
    save(tmp_path, reference)
    weights = {name.removeprefix("transformer."): tensor for name, tensor in reference.transformer.state_dict().items()}
    for n in range(3):
        weights[f"h.{n}.attn.bias"] = torch.tril(torch.ones(1, 1, 24, 24, dtype=torch.uint8))
        weights[f"h.{n}.attn.masked_bias"] = torch.tensor(-1e4)
    save_file(weights, tmp_path / "model.safetensors")
    torch.testing.assert_close(load(tmp_path).model(ids()), reference(ids()).logits, atol=2e-5, rtol=0.0)


def test_the_bare_stack_without_a_head_loads_as_tied(tmp_path: Path) -> None:
    reference = theirs()
    model = load(save(tmp_path, reference.transformer)).model
    torch.testing.assert_close(model(ids()), reference(ids()).logits, atol=2e-5, rtol=0.0)


def test_an_untied_head_is_kept(tmp_path: Path) -> None:
    reference = theirs(tie_word_embeddings=False)
    assert not torch.equal(reference.lm_head.weight, reference.transformer.wte.weight)
    model = load(save(tmp_path, reference)).model
    torch.testing.assert_close(model(ids()), reference(ids()).logits, atol=2e-5, rtol=0.0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scale_attn_by_inverse_layer_idx", True),
        ("scale_attn_weights", False),
        ("activation_function", "silu"),
        ("add_cross_attention", True),
    ],
)
def test_arithmetic_that_ours_lacks_is_refused_by_name(tmp_path: Path, field: str, value: object) -> None:
    save(tmp_path, theirs())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {field: value}))
    with pytest.raises(ImportRefused, match=field):
        load(tmp_path)


def test_the_epsilon_of_the_norms_is_theirs(tmp_path: Path) -> None:
    reference = theirs(layer_norm_epsilon=1e-2)
    model = load(save(tmp_path, reference)).model
    torch.testing.assert_close(model(ids()), reference(ids()).logits, atol=2e-5, rtol=0.0)
    assert load(save(tmp_path, theirs())).config.block.eps is None  # GPT-2's own is our default


def test_another_architecture_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(ImportRefused, match="llama"):
        load(tmp_path)
