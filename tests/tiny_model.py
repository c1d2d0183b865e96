"""A model folder for tests that need any model at all: a small vocabulary, weights as drawn."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from core.data import tokenizers
from core.data.synthetic import write_stories
from core.models import registry
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from tests.configs import gpt


def write(folder: Path, kind: str = "word", cell: str | None = None, **sizes: int) -> Path:
    """Write a GPT, or a recurrent net, with drawn weights that knows the words (or characters) of the stories.

    Args:
        folder: is made.
        kind: of the tokenizer.
        cell: "rnn", "lstm" or "gru" for a recurrent net.
        sizes: fields of the config other than these defaults.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizers.train_tokenizer(kind, write_stories(300, 0))
    vocab_size = tokenizer.vocab_size
    config: GPTConfig | RNNConfig
    if cell is None:
        config = gpt(**{"vocab_size": vocab_size, "n_layer": 2, "n_head": 4, "d_model": 32, **sizes})
    else:
        config = RNNConfig(**{"vocab_size": vocab_size, "cell": cell, "n_layer": 1, "d_model": 16, **sizes})
    model = registry.build(config, seed=0)
    generator = torch.Generator().manual_seed(1)
    weights = {
        name: weight.detach().clone() if weight.ndim < 2 else torch.randn(weight.shape, generator=generator) * 0.3
        for name, weight in model.named_parameters()
    }
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(registry.to_dict(config)))
    recipe = {"recipe": {"title": "Little stories", "corpus": "stories"}, "step": 10, "val_loss": 5.0}
    (folder / "recipe.json").write_text(json.dumps(recipe))
    tokenizer.save(folder)
    return folder
