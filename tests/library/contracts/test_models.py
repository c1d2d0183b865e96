"""What every kind of model in the registry promises, in every variant that its config allows.

A new kind is asked as soon as it is registered. What is special about one is tested beside this.
"""

import inspect
import json
import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.inspect.readers import reader_of
from core.models import registry
from core.nn.tap import Trace
from core.rooms.pretrained.rooms import ROOMS, WITHOUT
from tests.library.contracts import (
    test_captioner,
    test_encoder_decoders,
    test_encoders,
    test_image_gpt,
    test_multiscale,
    test_registry,
    test_seq2seq,
)
from tests.library.contracts.promises import lively

B, T, V = 2, 6, 11
TABLES = (test_captioner, test_encoder_decoders, test_encoders, test_image_gpt, test_multiscale, test_registry,
          test_seq2seq)  # fmt: skip
VARIANTS: dict[str, Any] = {
    f"{registry.family_of(config).kind}: {name}": config for one in TABLES for name, config in one.EVERY.items()
}
SIZES = {"vocab_size": V, "context_length": 8, "n_layer": 2, "n_head": 2, "d_model": 8}
for kind, cls in registry.CONFIGS.items():  # a kind without variants of its own is asked as small as it can be
    if not any(name.startswith(f"{kind}:") for name in VARIANTS):
        VARIANTS[kind] = cls(
            **{name: size for name, size in SIZES.items() if name in inspect.signature(cls).parameters}
        )
every = pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)


def inputs(model: nn.Module, config: Any, seed: int = 0, batch: int = B, dtype: torch.dtype = torch.float64) -> Any:
    """What the model is called with, by the names of its arguments; a source is padded."""
    generator = torch.Generator().manual_seed(seed)
    asked = inspect.signature(model.forward).parameters
    found: dict[str, Tensor] = {}
    if "images" in asked:
        size = (batch, config.n_channel, config.image_size, config.image_size)
        found["images"] = torch.randn(size, generator=generator, dtype=dtype)
    for name in ("ids", "source", "target_in"):
        if name in asked:
            n = getattr(config, "source_vocab", config.vocab_size) if name == "source" else config.vocab_size
            found[name] = torch.randint(n, (batch, T), generator=generator)
    if "source" in found:
        found["mask"] = (torch.arange(T) < torch.tensor([[T], [3]])).repeat(batch // 2, 1)
    return found


def is_idle(config: Any, name: str) -> bool:
    """Whether a tensor cannot matter.

    A key's bias moves all scores of a row alike, unless keys are turned. One vector that is read has weight 1, whatever
    the question. A decoder without attention gets the encoder's last state alone.
    """
    reads_one = getattr(config, "reads", "") == "class"
    of_question = (*(f"cross_attn.{one}" for one in ("w_q", "w_k", "q", "k", "scores")), "norm_cross")
    return (
        name.endswith("w_k.bias")
        or (reads_one and any(part in name for part in of_question))
        or (name == "encoder.states" and config.attention == "none")
    )


@every
def test_tracing_changes_nothing_and_every_tap_can_be_edited(config: Any) -> None:
    model = lively(config)
    asked = inputs(model, config)
    with torch.no_grad():
        with Trace(model) as trace:
            traced = model(**asked)
        assert torch.equal(model(**asked), traced) and trace["logits"] is not None
        for key in trace:
            with Trace(model, {key: lambda x: x * torch.linspace(0.5, 2.0, x.shape[-1], dtype=x.dtype)}):
                assert torch.equal(model(**asked), traced) == is_idle(config, key), key
        with pytest.raises(KeyError, match=r"blocks\.9\.resid_in"), Trace(model, {"blocks.9.resid_in": abs}):
            model(**asked)


@every
def test_the_rows_of_all_weights_sum_to_one(config: Any) -> None:
    model = lively(config)
    with torch.no_grad(), Trace(model, keep=("attn.q", "attn.k", "attn.scores", "attn.weights")) as trace:
        model(**inputs(model, config))
    for key in trace:
        if key.endswith("weights"):
            rows = trace[key].sum(-1)
            torch.testing.assert_close(rows, torch.ones_like(rows), atol=1e-12, rtol=0)
            if config.causal and key.endswith(".attn.weights") and trace[key].ndim == 4 and "encoder" not in key:
                assert not trace[key].triu(1).any()


@every
def test_the_seed_alone_decides_and_json_keeps_the_config(config: Any) -> None:
    before = torch.get_rng_state()
    first, second, other = (registry.build(config, seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[name], second[name]) for name in first)
    random = [name for name in first if first[name].ndim > 1]
    assert random and not any(torch.equal(first[name], other[name]) for name in random)
    assert registry.from_dict(json.loads(json.dumps(registry.to_dict(config)))) == config


@every
def test_the_empty_model_has_the_same_names_and_shapes_and_no_memory(config: Any) -> None:
    empty, full = registry.empty(config), registry.build(config)
    assert all(parameter.is_meta for parameter in empty.parameters())
    shapes = {name: p.shape for name, p in full.named_parameters()}
    assert {name: p.shape for name, p in empty.named_parameters()} == shapes
    assert not list(full.buffers())  # `fill` knows parameters only


@every
def test_every_parameter_gets_a_gradient(config: Any) -> None:
    model = lively(config)
    model(**inputs(model, config)).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and bool(parameter.grad.isfinite().all()), name
        assert is_idle(config, name) or bool(parameter.grad.abs().max() > 1e-12), name


@every
def test_an_untrained_model_guesses_blindly(config: Any) -> None:
    if 0 in (getattr(config, "n_class", 1), getattr(config, "head", "") != "none"):
        return  # its answer is a vector
    above = []
    for seed in range(6):
        model = registry.build(config, seed)
        with torch.no_grad():
            logits = model(**inputs(model, config, seed, batch=32, dtype=torch.float32))
        # Others than those that are read: a tied model begins by repeating what it reads.
        target = torch.randint(logits.shape[-1], logits.shape[:-1], generator=torch.Generator().manual_seed(99 + seed))
        above.append(nn.functional.cross_entropy(logits.flatten(0, -2), target.flatten()).item())
    # Where logits start with a variance of about 1, half of it is what the loss lies above the logarithm.
    most = 0.7 if registry.family_of(config).reads_by_its_encoder else 0.15
    assert -0.02 < sum(above) / len(above) - math.log(logits.shape[-1]) < most


@every
def test_later_tokens_are_hidden_where_the_config_says_so(config: Any) -> None:
    if not hasattr(config, "vocab_size"):
        assert config.causal is False  # it reads pictures and writes nothing
        return
    for model in (lively(config), lively(config).float()):
        asked = inputs(model, config, dtype=next(model.parameters()).dtype)
        name = "target_in" if "target_in" in asked else "ids"
        with torch.no_grad():
            before = model(**asked)
            if before.ndim < 3:
                assert config.causal is False  # one answer for the whole text
                return
            for t in range(1, T):
                other = asked[name].clone()
                other[:, t] = (other[:, t] + 1) % config.vocab_size
                after = model(**asked | {name: other})
                assert torch.equal(before[:, :t], after[:, :t]) == config.causal
                assert not torch.equal(before[:, t:], after[:, t:])


@every
def test_positions_are_what_the_config_says(config: Any) -> None:
    """Seen from the parameters, and from what the model does with one token repeated."""
    model = lively(config)
    own = [tuple(p.shape) for name, p in model.named_parameters() if "pos_emb" in name]
    if own:
        assert config.positions == ("learned" if any(shape[-1] == config.d_model for shape in own) else "relative")
        return
    ids = torch.full((1, T), 3)
    with torch.no_grad(), Trace(model) as trace:
        (model(ids, ids) if "target_in" in inspect.signature(model.forward).parameters else reader_of(model)(ids))
    embed = next(trace[key] for key in trace if key.endswith("embed"))[0]
    if not bool((embed == embed[0]).all()):
        assert config.positions == "sinusoidal"
        return
    if "blocks.0.attn.scores" not in trace:
        assert config.positions == "none"
        return
    q, scores = trace["blocks.0.attn.q"][0], trace["blocks.0.attn.scores"][0, :, -1]
    turned, by_distance = (not torch.allclose(x, x[:, :1].expand_as(x)) for x in (q, scores))
    assert config.positions == ("rotary" if turned else "alibi" if by_distance else "none")


def test_a_kind_that_rooms_show_needs_no_reason_why_none_does() -> None:
    assert set(WITHOUT) <= set(registry.CONFIGS) - {kind for room in ROOMS for kind in room.kinds}
