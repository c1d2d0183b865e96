"""Trainers for models that learn in seconds: initializations and optimizers that make the most of few steps."""

import numpy as np
import torch

from core.models import registry
from core.train.optimizers import AdamW, Muon
from core.train.trainer import Trainer, constant_then_linear
from core.train.weight_init_and_optimizer import MuonAdamW, initialize_zero_output

# GPT-2's standard deviation, 0.02, is meant for long runs. These models train for a second, so they begin with
# embeddings that are clearly different from the start.
EMBEDDING_STD = 0.3
MUON, ADAMW = 0.02, 0.008  # learning rates at their highest; found by measuring


def adamw_trainer(config: object, seed: int, learning_rate: float, n_step: int) -> Trainer:
    """Return a trainer with AdamW for a model with GPT-2's initialization but larger embeddings.

    The learning rate is constant for half of the steps, then decays linearly to 0.
    """
    model = registry.build(config, seed)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "_emb." in name:
                weights.mul_(EMBEDDING_STD / 0.02)
    optimizer = AdamW(dict(model.named_parameters()), learning_rate=learning_rate)
    return Trainer(model, optimizer, constant_then_linear(n_step), n_step=n_step, dtype=np.float32)


def muon_trainer(
    config: object, seed: int, n_step: int, *, rate: float = 1.0, spread: float = 0.3, weight_decay: float = 0.0
) -> Trainer:
    """Return a trainer with Muon for the matrices of blocks and AdamW for the rest, for any architecture.

    The blocks' projections into the residual stream and the output layer are initialized to 0, so the first prediction
    is uniform and the first loss is ln V. Other matrices start with outputs about as large as their inputs, embeddings
    with standard deviation `spread`.

    Args:
        config: of the model; any that is registered.
        seed: of its weights, which have their own generator.
        n_step: of the whole run. The learning rate is constant for half of it, then decays linearly to 0.
        rate: factor of both learning rates.
        spread: initial standard deviation of the embeddings.
        weight_decay: of the AdamW part.
    """
    model = registry.build(config, seed)
    named = dict(model.named_parameters())

    def deviation(name: str) -> float | None:
        return spread if "emb." in name and not name.endswith("patch_emb.weight") else None

    initialize_zero_output(named, deviation, torch.Generator().manual_seed(seed))
    inner = {name: w for name, w in named.items() if w.ndim == 2 and "blocks." in name}
    outer = {name: w for name, w in named.items() if name not in inner}
    optimizer = MuonAdamW(
        Muon(inner, learning_rate=MUON * rate),
        AdamW(outer, learning_rate=ADAMW * rate, betas=(0.8, 0.95), weight_decay=weight_decay),
    )
    return Trainer(model, optimizer, constant_then_linear(n_step), n_step=n_step)
