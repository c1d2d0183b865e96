"""What a recurrent net has to keep of a text: its states, which are as large after a thousand tokens as after one."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from core.models.rnn import RNN
from core.nn.recurrent import State, unroll


class States:
    """The states of N sequences in a recurrent language model, one for each layer.

    Args:
        model: its weights must not change while this is in use.
    """

    can_go_back = False  # a state cannot be unread

    def __init__(self, model: RNN):
        self.model = model
        self.states: list[State] = []

    def choose(self, rows: Sequence[int], lengths: Sequence[int], known: int) -> None:
        """Row n becomes what row rows[n] was, or what it is before the first token where its length is 0.

        Args:
            rows: N of them.
            lengths: how many tokens each has read; a state can only go on or begin anew.
            known: not needed: states are small.
        """
        if not any(lengths):
            self.states = []
            return
        index = torch.tensor(rows, device=self.model.tok_emb.weight.device)  # (N,)
        begun = torch.tensor([length > 0 for length in lengths], device=index.device)[:, None]  # (N, 1)
        self.states = [_each(state, lambda one: one[index] * begun) for state in self.states]

    def read(self, new: Sequence[Sequence[int]], starts: Sequence[int]) -> Float[Tensor, "N V"]:
        """Read new tokens and give the logits after the last one of each row.

        Args:
            new: at least one token for each row.
            starts: not needed: a recurrent net does not know where it stands.
        """
        model, counts = self.model, torch.tensor([len(one) for one in new], device=self.model.tok_emb.weight.device)
        n_token = max(map(len, new))
        ids = torch.tensor([[*one, *[0] * (n_token - len(one))] for one in new], device=counts.device)
        mask = torch.arange(n_token, device=counts.device) < counts[:, None]  # (N, T): at padding the state stays
        x, states = model.tok_emb(ids), []  # (N, T, D)
        cells: Any = model.blocks
        for n, cell in enumerate(cells):
            x, state = unroll(cell, x, self.states[n] if self.states else None, None if bool(mask.all()) else mask)
            states.append(state)
        self.states = states
        return model.unembed(x[:, -1])  # (N, V); behind its last token a row's state stays what it was


def _each(state: State, change: Callable[[Tensor], Tensor]) -> State:
    """Of an LSTM both parts."""
    return tuple(change(one) for one in state) if isinstance(state, tuple) else change(state)
