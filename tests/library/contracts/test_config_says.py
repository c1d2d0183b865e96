"""What a config says of its architecture is what the model does: nobody has to guess it from a model's parts.

A new kind of model that does not say it, or says it wrongly, fails here.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch

from core.inspect.readers import reader_of
from core.models import registry
from core.models.bert import BERTConfig
from core.models.captioner import CaptionerConfig
from core.models.gpt import GPTConfig
from core.models.image_gpt import ImageGPTConfig
from core.models.multiscale import MultiScaleConfig
from core.models.rnn import RNNConfig
from core.models.seq2seq import Seq2SeqConfig
from core.models.t5 import T5Config
from core.models.transformer import TransformerConfig
from core.models.vit import ViTConfig
from core.nn.block import BlockStyle
from core.nn.positions import POSITIONS
from core.nn.recurrent import CELLS
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

V, T = 11, 6


def sizes(draw: Random) -> dict[str, Any]:
    n_head = draw.choice((1, 2, 3))
    return {"n_layer": draw.choice((1, 2)), "n_head": n_head, "d_model": 4 * n_head}


def tokens(draw: Random) -> dict[str, Any]:
    return sizes(draw) | {"vocab_size": V, "context_length": draw.choice((T, 16))}


def style(draw: Random) -> BlockStyle:
    return BlockStyle(norm=draw.choice(("layer", "rms", "rms_plain")), norm_first=draw.random() < 0.5)


def pictures(draw: Random) -> dict[str, Any]:
    return {"patch_size": draw.choice((2, 4)), "n_channel": draw.choice((1, 3))}


RANDOM: dict[str, Callable[[Random], Any]] = {
    f"gpt {name}": lambda draw, name=name: GPTConfig(
        **tokens(draw), positions=name, block=style(draw), causal=draw.random() < 0.5, embed_norm=draw.random() < 0.5
    )
    for name in POSITIONS
} | {
    "bert": lambda draw: BERTConfig(**tokens(draw), n_segment=draw.choice((0, 2))),
    "t5": lambda draw: T5Config(**sizes(draw), vocab_size=V, d_head=draw.choice((None, 3))),
    "transformer": lambda draw: TransformerConfig(**sizes(draw), vocab_size=V, tied=draw.random() < 0.5),
    "rnn": lambda draw: RNNConfig(vocab_size=V, d_model=8, cell=draw.choice(list(CELLS)), n_layer=draw.choice((1, 2))),
    "seq2seq": lambda draw: Seq2SeqConfig(
        source_vocab=V, vocab_size=V, d_model=8, cell=draw.choice(list(CELLS)), bidirectional=draw.random() < 0.5
    ),
    "vit": lambda draw: ViTConfig(**sizes(draw), **pictures(draw)),
    "image_gpt": lambda draw: ImageGPTConfig(**tokens(draw)),
    "multiscale": lambda draw: MultiScaleConfig(n_channel=draw.choice((1, 3)), shifted=draw.random() < 0.5),
    "captioner": lambda draw: CaptionerConfig(**tokens(draw), **pictures(draw)),
}
every = pytest.mark.parametrize("make", RANDOM.values(), ids=RANDOM)


def test_every_kind_is_asked() -> None:
    assert {name.split()[0] for name in RANDOM} == set(registry.CONFIGS)


@every
@pytest.mark.parametrize("seed", range(4))
def test_positions_are_what_the_config_says(make: Callable[[Random], Any], seed: int) -> None:
    config = make(Random(seed))
    assert config.positions == measured(config)
    assert registry.from_dict(registry.to_dict(config)) == config  # where it is a constant, JSON does not hold it


@every
@pytest.mark.parametrize("seed", range(4))
def test_later_tokens_are_hidden_where_the_config_says_so(make: Callable[[Random], Any], seed: int) -> None:
    config = make(Random(seed))
    if not hasattr(config, "vocab_size"):
        assert config.causal is False  # it reads pictures and writes nothing
        return
    model = lively(config)
    first = torch.randint(V - 1, (1, T), generator=torch.Generator().manual_seed(seed))
    second = first.clone()
    second[0, -1] = V - 1
    with torch.no_grad():
        before, after = (answers(model, config, ids) for ids in (first, second))
    assert bool((before[0, 0] == after[0, 0]).all()) == config.causal


def answers(model: Any, config: Any, ids: torch.Tensor) -> torch.Tensor:
    """(1, T, …): what the model says at each position of the text that it reads or, with a source, writes."""
    if isinstance(config, CaptionerConfig):
        return model(torch.ones(1, config.n_channel, config.image_size, config.image_size).double(), ids)
    has_source = isinstance(config, T5Config | TransformerConfig | Seq2SeqConfig)
    return model(torch.tensor([[1, 2, 3]]), ids) if has_source else model(ids)


def measured(config: Any) -> str:
    """How the model tells positions apart, seen from its parameters and from what it does with one token repeated."""
    model = lively(config)
    own = {name: tuple(p.shape) for name, p in model.named_parameters() if "pos_emb" in name}
    if own:
        return "learned" if any(shape[-1] == config.d_model for shape in own.values()) else "relative"
    ids = torch.full((1, T), 3)
    with torch.no_grad(), Trace(model) as trace:
        reader_of(model)(ids) if not isinstance(config, Seq2SeqConfig) else model(ids, ids)
    embed = next(trace[key] for key in trace if key.endswith("embed"))[0]
    if not bool((embed == embed[0]).all()):
        return "sinusoidal"
    if "blocks.0.attn.scores" not in trace:
        return "none"
    q, scores = trace["blocks.0.attn.q"][0], trace["blocks.0.attn.scores"][0, :, -1]
    if not torch.allclose(q, q[:, :1].expand_as(q)):
        return "rotary"
    return "none" if torch.allclose(scores, scores[:, :1].expand_as(scores)) else "alibi"
