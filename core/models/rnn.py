"""A recurrent language model: it reads token by token and predicts the next one from its state alone."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_ids, check_sizes
from core.models.configs.family import ModelFamily
from core.nn.recurrent import RECURRENT_CELLS, RecurrentCell, unroll
from core.nn.tap import tap


@dataclass(frozen=True, kw_only=True)
class RNNConfig:
    """The sizes and the kind of a recurrent language model.

    Args:
        vocab_size: number of tokens in the vocabulary.
        context_length: tokens of a training window. The net itself has no limit: its state stays as large as it is.
        cell: "rnn", "lstm" or "gru".
        n_layer: layers; each reads the states of the one below.
        d_model: width of the embeddings and of the states.
        tied: whether the output layer is the embedding matrix, transposed.

    Raises:
        ValueError: if a size is not positive, or the cell is unknown.
    """

    positions: ClassVar[str] = "none"
    causal: ClassVar[bool] = True

    vocab_size: int
    context_length: int = 64
    cell: str = "gru"
    n_layer: int = 1
    d_model: int = 64
    tied: bool = False

    def __post_init__(self) -> None:
        check_sizes(self)
        if self.cell not in RECURRENT_CELLS:
            raise ValueError(f"cell={self.cell!r} is none of {', '.join(RECURRENT_CELLS)}")


class RNN(nn.Module):
    """Embedding, recurrent layers one above the other, output layer.

    Call it with ids (B, T); it returns logits (B, T, V): row t scores the token that follows position t.

    Source: Mikolov et al. 2010, with cells exchangeable.
    """

    def __init__(self, config: RNNConfig):
        super().__init__()
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.blocks = nn.ModuleList(
            RECURRENT_CELLS[config.cell](config.d_model, config.d_model) for _ in range(config.n_layer)
        )
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tied:
            self.unembed.weight = self.tok_emb.weight

    @property
    def cells(self) -> list[RecurrentCell]:
        """The layers, lowest first."""
        return list(self.blocks)  # type: ignore[arg-type]

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """Return the logits of the next token at every position."""
        check_ids(ids, self.config.vocab_size)
        x = tap(self, "embed", self.tok_emb(ids))  # (B, T, D)
        for cell in self.cells:
            x, _ = unroll(cell, x)  # (B, T, D)
        x = tap(self, "final", x)
        return tap(self, "logits", self.unembed(x))  # (B, T, V)

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """Draw initial weights: embeddings of unit scale, cells as in torch, and an output layer near zero."""
        for cell in self.cells:
            cell.init_weights(generator)
        scale = 1 / math.sqrt(self.config.d_model) if self.config.tied else 1.0
        self.tok_emb.weight.normal_(0.0, scale, generator=generator)
        if not self.config.tied:
            self.unembed.weight.normal_(0.0, 0.02, generator=generator)


FAMILY = ModelFamily(
    kind="rnn",
    context_length=lambda config: config.context_length,
    reads_any_length=True,
    has_attention=False,
    config=RNNConfig,
    model=RNN,
    predicts=lambda config: "next",
    writes=True,
    recurrent=lambda config: RECURRENT_CELLS[config.cell].n_gate,
)
