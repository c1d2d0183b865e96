"""What a recurrent net has to keep of a text: its states, which are as large after a thousand tokens as after one."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from core.data.batches import padded
from core.models.rnn import RNN
from core.nn.recurrent import State, unroll


class States:
    """The states of N sequences in a recurrent language model, one for each layer; its weights must not change."""

    can_go_back = False  # a state cannot be unread

    def __init__(self, model: RNN):
        self.model = model
        self.states: list[State] = []

    def choose(self, rows: Sequence[int], lengths: Sequence[int], known: int) -> None:
        """Row n becomes what row rows[n] was, or what it is before the first token where its length is 0.

        Otherwise as `KeyValues.choose`; `known` is not needed: states are small.
        """
        if not any(lengths):
            self.states = []
            return
        index = torch.tensor(rows, device=self.model.tok_emb.weight.device)  # (N,)
        begun = torch.tensor([length > 0 for length in lengths], device=index.device)[:, None]  # (N, 1)
        self.states = [
            tuple(part[index] * begun for part in state) if isinstance(state, tuple) else state[index] * begun
            for state in self.states  # of an LSTM both parts
        ]

    def read(self, new: Sequence[Sequence[int]], starts: Sequence[int]) -> Float[Tensor, "N V"]:
        """The logits after the last of the new tokens of each row; where they stand, a recurrent net does not know."""
        model = self.model
        ids, mask = (part.to(model.tok_emb.weight.device) for part in padded(new))  # (N, T): at padding the state stays
        x, states = model.tok_emb(ids), []  # (N, T, D)
        cells: Any = model.blocks
        for n, cell in enumerate(cells):
            x, state = unroll(cell, x, self.states[n] if self.states else None, None if bool(mask.all()) else mask)
            states.append(state)
        self.states = states
        return model.unembed(x[:, -1])  # (N, V); behind its last token a row's state stays what it was
