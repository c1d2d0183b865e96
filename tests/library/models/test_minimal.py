"""The GPT in one file is the GPT that the app runs: the same names, logits, texts and steps of training."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from core.data import corpora
from core.generate.decode import generate
from core.models import minimal
from core.models.gpt import GPT, GPTConfig
from core.models.minimal import MinimalGPT
from core.models.pretrained import load
from core.nn.block import BlockStyle

FOLDER = Path(__file__).parents[3] / "assets/models/stories"
PROMPT = [3, 1, 4, 1, 5]


@pytest.fixture(scope="module")
def both() -> tuple[MinimalGPT, GPT]:
    """The shipped model of little stories in both files; no tensor is renamed."""
    shipped = load(FOLDER).model
    config = shipped.config
    model = MinimalGPT(config.vocab_size, config.context_length, config.n_layer, config.n_head, config.d_model)
    model.load_state_dict(shipped.state_dict())
    return model.eval(), shipped


def test_the_logits_are_the_same(both: tuple[MinimalGPT, GPT]) -> None:
    """On its own stories within float32's rounding; of any tokens in float64, where nothing else remains."""
    model, shipped = both
    n, vocab_size = shipped.config.context_length, shipped.config.vocab_size
    stories = torch.tensor(load(FOLDER).tokenizer.encode(corpora.load("stories").text[: 40 * n])[: 8 * n]).view(8, n)
    any_tokens = torch.randint(vocab_size, (8, n), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(model(stories), shipped(stories), atol=2e-5, rtol=0)
        twice = copy.deepcopy(model).double(), copy.deepcopy(shipped).double()
        torch.testing.assert_close(twice[0](any_tokens), twice[1](any_tokens), atol=1e-10, rtol=0)


def test_the_most_probable_text_is_the_same_beyond_the_context_too(both: tuple[MinimalGPT, GPT]) -> None:
    model, shipped = both
    n = 2 * shipped.config.context_length
    steps = generate(shipped, PROMPT, n, greedy=True)
    assert minimal.generate(model, PROMPT, n, temperature=0) == PROMPT + [int(step.token) for step in steps]


def test_a_seed_gives_one_text_and_temperature_changes_it(both: tuple[MinimalGPT, GPT]) -> None:
    model, _ = both
    texts = {
        tuple(minimal.generate(model, PROMPT, 20, temperature, seed)) for temperature in (0.5, 2.0) for seed in (0, 1)
    }
    assert len(texts) == 4
    assert minimal.generate(model, PROMPT, 20, 2.0, 1) == minimal.generate(model, PROMPT, 20, 2.0, 1)


def test_a_training_step_is_that_of_the_other_file() -> None:
    sizes: dict[str, Any] = {"vocab_size": 11, "context_length": 8, "n_layer": 2, "n_head": 2, "d_model": 8}
    other = GPT(GPTConfig(**sizes, tied=False, block=BlockStyle(activation="gelu")))
    model = MinimalGPT(**sizes)
    other.init_weights(torch.Generator().manual_seed(0))
    model.load_state_dict(other.state_dict())
    ids = torch.randint(11, (4, 9), generator=torch.Generator().manual_seed(1))
    loss = minimal.training_step(model, torch.optim.SGD(model.parameters(), lr=0.5), ids)
    expected = F.cross_entropy(other(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    assert loss == pytest.approx(expected.item(), abs=2e-5)
    assert minimal.training_step(model, torch.optim.SGD(model.parameters(), lr=0.5), ids) < loss
