"""The optimizer of each parameter, and the initialization of the weights."""

import math
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import nn

from core.models.registry import family_of
from core.train.device import DTYPES, Placement
from core.train.optimizers import SGD, AdamW, Muon, Optimizer
from core.train.recipes import Recipe
from core.train.tasks.answer_objective import answer_format_of_model_kind

# Learning rates of the fast optimizer's AdamW part, as shares of the matrices' rate; found by measuring.
_EMBEDDING_SHARE = 2.4
_HEAD_SHARE = 0.4
_VECTOR_SHARE = 0.2


class MuonAdamW:
    """Muon for the matrices in the blocks, AdamW for embeddings, output layer, gains and biases.

    Source: the split of the parameters is Jordan et al.'s (2024).
    """

    def __init__(self, muon: Muon, adamw: AdamW):
        self.muon, self.adamw = muon, adamw
        self.state = {f"muon.{name}": tensor for name, tensor in muon.state.items()}
        self.state |= {f"adamw.{name}": tensor for name, tensor in adamw.state.items()}

    def step(self, share: float) -> None:
        self.muon.step(share)
        self.adamw.step(share)


def make_optimizer(model: nn.Module, recipe: Recipe, placement: Placement) -> Optimizer:
    """Make the recipe's optimizer for the model's parameters."""
    parameters = dict(model.named_parameters())
    memory, of_square = recipe.momentum, recipe.beta_2
    pull = {"learning_rate": recipe.learning_rate, "weight_decay": recipe.weight_decay}
    if recipe.optimizer == "sgd":
        return SGD(parameters, **pull, momentum=0.9 if memory is None else memory)
    if recipe.optimizer == "adamw":
        return AdamW(
            parameters, **pull, betas=(0.9 if memory is None else memory, 0.99 if of_square is None else of_square)
        )
    matrices = {name: w for name, w in parameters.items() if w.ndim == 2 and _is_inside(name)}
    others = {name: w for name, w in parameters.items() if name not in matrices}
    tied = "unembed.weight" not in parameters
    rates = {name: recipe.learning_rate * _share(name, w, tied) for name, w in others.items()}
    return MuonAdamW(
        Muon(
            matrices,
            learning_rate=recipe.learning_rate,
            momentum=0.85 if memory is None else memory,
            dtype=DTYPES[placement.dtype],
        ),
        AdamW(
            others,
            learning_rate=rates,
            betas=(0.8, 0.95 if of_square is None else of_square),
            eps=1e-10,
            weight_decay=recipe.weight_decay,
        ),
    )


@torch.no_grad()
def initialize_weights(model: nn.Module, recipe: Recipe, seed: int) -> None:
    """Initialize the weights as the recipe says, or else as suits its optimizer.

    AdamW and SGD start from the model's `init_weights`. For the fast optimizer, the projections of every block into the
    residual stream and the output layer are 0, so the first loss is exactly ln V. Embeddings have unit scale, and the
    outputs of other matrices are about as large as their inputs. A BERT normalizes the sum of its embeddings, so only
    their relative sizes matter: positions start small, or they would drown out the tokens.
    """
    generator = torch.Generator().manual_seed(seed)
    if recipe.start:
        _draw(model, recipe.start, generator)
    if recipe.start or recipe.optimizer != "fast" or answer_format_of_model_kind(recipe.kind) == "pair":
        return  # an encoder-decoder keeps the weights of its `init_weights`
    parameters = dict(model.named_parameters())
    tied = "unembed.weight" not in parameters
    token, position = family_of(model).start or (0.02 if tied else 1.0, 0.1)

    def deviation(name: str) -> float | None:
        if name.startswith(("blocks.", "head.")):
            return None
        return position if name.startswith("pos_emb.") else token

    initialize_zero_output(parameters, deviation, generator)


@torch.no_grad()
def initialize_zero_output(
    parameters: dict[str, nn.Parameter], deviation: Callable[[str], float | None], generator: torch.Generator
) -> None:
    """Initialize blocks and the output layer so that they output 0, and other matrices by `deviation`.

    `deviation` returns the standard deviation for a name; with None, the matrix's outputs are about as large as its
    inputs.
    """
    for name, w in parameters.items():
        if w.ndim < 2:
            continue  # gains stay 1 and biases 0
        if name.endswith(("w_o.weight", "w_out.weight", "unembed.weight")):
            w.zero_()
        else:
            told = deviation(name)
            w.normal_(0.0, 1 / math.sqrt(w.shape[1]) if told is None else told, generator=generator)


def _draw(model: nn.Module, start: dict[str, float], generator: torch.Generator) -> None:
    into_stream = 1 / math.sqrt(2 * cast(Any, model).config.n_layer)
    for name, w in model.named_parameters():
        deviation = next((value for prefix, value in start.items() if name.startswith(prefix)), None)
        if w.ndim >= 2 and deviation is not None:
            shrunk = name.endswith(("w_o.weight", "w_out.weight"))
            w.normal_(0.0, deviation * into_stream if shrunk else deviation, generator=generator)


def _is_inside(name: str) -> bool:
    """Return whether a parameter belongs to the blocks or cells between embeddings and output layer."""
    return name.startswith("blocks.") or ".blocks." in name or "cell." in name


def _share(name: str, w: nn.Parameter, tied: bool) -> float:
    if w.ndim < 2:
        return _VECTOR_SHARE
    return _HEAD_SHARE if name == "unembed.weight" or tied else _EMBEDDING_SHARE
