"""An encoder reads a sequence, a decoder writes another: recurrent nets, with or without attention between them.

What passes from one to the other is all that this file is about:

- without attention only the encoder's last state, one vector however long the source is (the bottleneck);
- with attention also the encoder's state at every source token; the decoder attends to them again at each output token.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_ids, check_sizes
from core.models.configs.family import ModelFamily
from core.nn import checks
from core.nn.recurrent import (
    RECURRENT_CELLS,
    AdditiveAttention,
    CellState,
    RecurrentCell,
    recurrent_hidden_state,
    unroll,
)
from core.nn.tap import tap


@dataclass(frozen=True, kw_only=True)
class RecurrentSeq2SeqConfig:
    """The sizes of an encoder-decoder and how the two are connected.

    Args:
        source_vocab: number of tokens that the encoder knows.
        vocab_size: number of tokens that the decoder reads and writes, those for start and end among them.
        d_model: width of the embeddings and of the states; the small net of the attention is as wide.
        cell: "rnn", "lstm" or "gru", in encoder and decoder alike.
        bidirectional: whether a second net reads the source from its end; each source token then has 2 d_model numbers.
        attention: "additive", or "none".

    Raises:
        ValueError: if a size is not positive, or a name unknown.
    """

    positions: ClassVar[str] = "none"
    causal: ClassVar[bool] = True
    n_layer: ClassVar[int] = 1  # in the encoder, and in the decoder

    source_vocab: int
    vocab_size: int
    d_model: int = 64
    cell: str = "gru"
    bidirectional: bool = True
    attention: str = "additive"

    def __post_init__(self) -> None:
        check_sizes(self)
        if self.cell not in RECURRENT_CELLS:
            raise ValueError(f"cell={self.cell!r} is none of {', '.join(RECURRENT_CELLS)}")
        if self.attention not in ("none", "additive"):
            raise ValueError(f"attention={self.attention!r} is none of none, additive")

    @property
    def d_encoder(self) -> int:
        """Width of an encoder state: both directions side by side."""
        return self.d_model * (2 if self.bidirectional else 1)


class RecurrentEncoder(nn.Module):
    """Reads the source, in both directions if asked, and makes of its last states the decoder's first one."""

    def __init__(self, config: RecurrentSeq2SeqConfig):
        super().__init__()
        cell = RECURRENT_CELLS[config.cell]
        self.tok_emb = nn.Embedding(config.source_vocab, config.d_model)
        self.forward_cell = cell(config.d_model, config.d_model)
        self.backward_cell = cell(config.d_model, config.d_model) if config.bidirectional else None
        n_part = 2 if config.cell == "lstm" else 1  # an LSTM hands over h and c, each through a layer of its own
        self.bridges = nn.ModuleList(nn.Linear(config.d_encoder, config.d_model) for _ in range(n_part))

    def forward(
        self, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"] | None = None
    ) -> tuple[Float[Tensor, "B S D_enc"], CellState]:
        """Return the states after each token, both directions side by side, and the decoder's first state."""
        x = tap(self, "embed", self.tok_emb(source))  # (B, S, D)
        states, last = unroll(self.forward_cell, x, mask=mask)
        ends = [_parts(last)]
        if self.backward_cell is not None:
            backward, last = unroll(self.backward_cell, x, mask=mask, reverse=True)
            states = torch.cat([states, backward], -1)  # (B, S, 2D)
            ends.append(_parts(last))
        parts = zip(*ends, strict=True)  # of h, and with an LSTM of c: the ends of both directions
        first = tuple(
            torch.tanh(bridge(torch.cat(part, -1))) for bridge, part in zip(self.bridges, parts, strict=True)
        )  # (B, D) each
        return tap(self, "states", states), first if len(first) > 1 else first[0]


class RecurrentDecoder(nn.Module):
    """Writes token by token: reads its own last token and, with attention, a mixture of the encoder's states.

    `attn` is any module that is called `(query, keys, mask) -> (context, weights)`; put another in its place to change
    how the source is read.
    """

    attn: nn.Module | None

    def __init__(self, config: RecurrentSeq2SeqConfig):
        super().__init__()
        d_context = 0 if config.attention == "none" else config.d_encoder
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.attn = AdditiveAttention(config.d_model, d_context, config.d_model) if d_context else None
        self.cell = RECURRENT_CELLS[config.cell](config.d_model + d_context, config.d_model)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def step(
        self,
        x: Float[Tensor, "B D"],
        state: CellState,
        states: Float[Tensor, "B S D_enc"],
        mask: Bool[Tensor, "B S"] | None = None,
        read: Float[Tensor, "B S H"] | None = None,
    ) -> CellState:
        """Return the state after reading the embedded token x. The query is the previous state (Bahdanau's order).

        Args:
            read: what the attention made of the encoder's states before the first step, so that it is made once.
        """
        if self.attn is not None:
            memory = (states, mask) if read is None else (states, mask, read)
            context, _ = self.attn(recurrent_hidden_state(state), *memory)
            x = torch.cat([x, context], -1)  # (B, D + D_enc)
        return self.cell(x, state)


class RecurrentSeq2Seq(nn.Module):
    """Encoder, decoder and what passes between them.

    Call it with the source, the target shifted right (a start token, then all but the target's last token: teacher
    forcing) and the source's mask; row t of the logits (B, T, V) scores target token t.

    Source: Sutskever et al. 2014 (1409.3215) without attention, Bahdanau et al. 2014 (1409.0473) with it. Simpler than
    there: one layer, the first state from both ends of the source, a plain output layer that sees the state alone.
    """

    def __init__(self, config: RecurrentSeq2SeqConfig):
        super().__init__()
        self.config = config
        self.encoder = RecurrentEncoder(config)
        self.decoder = RecurrentDecoder(config)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        target_in: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T V"]:
        """Return the logits of each target token, given the true tokens before it."""
        check_ids(target_in, self.config.vocab_size, "target_in")
        states, state = self.encode(source, mask)
        x, read, outputs = self.decoder.tok_emb(target_in), self.read(states), []  # x: (B, T, D)
        for t in range(target_in.shape[1]):
            state = self.decoder.step(x[:, t], state, states, mask, read)
            outputs.append(recurrent_hidden_state(state))
        return tap(self, "logits", self.decoder.unembed(torch.stack(outputs, 1)))  # (B, T, V)

    def encode(
        self, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"] | None = None
    ) -> tuple[Float[Tensor, "B S D_enc"], CellState]:
        """Read the source once; the mask, True where there is a token, tells of padding anywhere.

        Returns:
            The encoder's states, and the decoder's first state: all that a decoder without attention ever gets.
        """
        check_ids(source, self.config.source_vocab, "source")
        checks.check_padding_mask(mask, source.shape)
        return self.encoder(source, mask)

    def step(
        self,
        ids: Int[Tensor, " B"],
        state: CellState,
        states: Float[Tensor, "B S D_enc"],
        mask: Bool[Tensor, "B S"] | None = None,
        read: Float[Tensor, "B S H"] | None = None,
    ) -> tuple[Float[Tensor, "B V"], CellState]:
        """Return the logits of the token after `ids`, and the new state.

        Args:
            ids: the last token of each row; at first the start token.
            state: the decoder's state before; at first the one from `encode`.
            states, mask: the encoder's states, and True where they are of a token.
            read: `read(states)`, to save time; None computes it again.
        """
        state = self.decoder.step(self.decoder.tok_emb(ids), state, states, mask, read)
        return tap(self, "logits", self.decoder.unembed(recurrent_hidden_state(state))), state

    def read(self, states: Float[Tensor, "B S D_enc"]) -> Float[Tensor, "B S H"] | None:
        """Return the attention's projection of the source (U h), the same for all steps; None if it has none."""
        read_keys = getattr(self.decoder.attn, "read_keys", None)
        return None if read_keys is None else read_keys(states)

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """Draw initial weights: unit-scale embeddings, cells and linear layers as in torch, an output layer near 0."""
        for module in self.modules():
            if isinstance(module, RecurrentCell):
                module.init_weights(generator)
            elif isinstance(module, nn.Embedding):
                module.weight.normal_(0.0, 1.0, generator=generator)
            elif isinstance(module, nn.Linear):
                bound = 1 / math.sqrt(module.in_features)
                for parameter in module.parameters():
                    parameter.uniform_(-bound, bound, generator=generator)
        self.decoder.unembed.weight.normal_(0.0, 0.02, generator=generator)


def shift_right(target: Int[Tensor, "B T"], start_id: int) -> Int[Tensor, "B T"]:
    """Return the decoder's input under teacher forcing: the start token, then all but the last of the true tokens."""
    return torch.cat([torch.full_like(target[:, :1], start_id), target[:, :-1]], 1)


def _parts(state: CellState) -> tuple[Tensor, ...]:
    return state if isinstance(state, tuple) else (state,)


FAMILY = ModelFamily(
    kind="seq2seq",
    has_attention=False,
    answers="pair",
    config=RecurrentSeq2SeqConfig,
    model=RecurrentSeq2Seq,
)
