"""Cached decoding: next-token logits for growing sequences, computing only what is new.

`CachedModel.next_logits` gives the logits after the last token of each sequence, and computes only what is new since
the call before. What is kept between two calls depends on the model: keys and values of a causal GPT (`KeyValues`), the
state of a recurrent net (`States`). A model of any other kind reads everything anew at each call.
"""

from collections.abc import Sequence
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.data.batches import padded
from core.generate.keys_values import KeyValues
from core.models.gpt import GPT
from core.models.rnn import RNN
from core.nn.recurrent import Cell, State, unroll
from core.nn.tap import is_tracing


def reading_limit(model: nn.Module) -> int | None:
    """The number of tokens of a text that the model sees when it continues it; None: all.

    A model with a context length sees the last so many tokens. For a recurrent net that is only the length of its
    training windows: what it reads it puts into its state, and it never has to let go of the beginning.
    """
    config = getattr(model, "config", None)
    return None if getattr(config, "reads_any_length", False) else getattr(config, "context_length", None)


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
        cells = cast(Sequence[Cell], model.blocks)
        for n, cell in enumerate(cells):
            x, state = unroll(cell, x, self.states[n] if self.states else None, None if bool(mask.all()) else mask)
            states.append(state)
        self.states = states
        return model.unembed(x[:, -1])  # (N, V); behind its last token a row's state stays what it was


class CachedModel:
    """A causal model together with what it has already read. Its weights must not change in the meantime.

    Where a sequence is longer than the model's context, every token moves one place at each step, and the first one
    drops out of all that the others have read of it: nothing that was kept is right any more. From there on the
    sequence is read anew at each step. The same holds under a `Trace`: it names and edits what the model's own
    `forward` makes, so `forward` has to run, over the whole text.

    Args:
        model: ids (B, T) -> logits (B, T, V).
        cached: False computes everything anew at each call, for comparison.

    Attributes:
        n_pass: how often the model was run, on however many sequences at once.
        n_token: how many tokens it computed in all, padding not counted.
        memory: what is kept between two calls; None: nothing.

    Source: keys and values that are kept: Shazeer 2019 (1911.02150), section 2.4.
    """

    def __init__(self, model: nn.Module, cached: bool = True):
        self.model, self.cached = model, cached
        self.device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
        self.context_length = reading_limit(model)
        self._causal = getattr(getattr(model, "config", None), "causal", True)
        self.n_pass = self.n_token = 0
        self.memory = _memory(model) if cached else None
        self._read: list[list[int]] = []  # the tokens of each row that is kept
        self._row: list[int | None] = []  # which of these rows each sequence of the call before has; None: it has none

    def next_logits(
        self, sequences: Sequence[Sequence[int]], parents: Sequence[int] | None = None
    ) -> Float[Tensor, "N V"]:
        """Logits after the last token of each sequence, on the CPU.

        Args:
            sequences: N, of any lengths.
            parents: row n of this call continues row parents[n] of the call before (beam search reorders, repeats and
                drops rows); None means the same rows in the same order, or a first call. A sequence that is no
                continuation of its parent's is right all the same; it only costs more.

        Raises ValueError if a sequence is empty, or parents are not one row of the call before for each sequence.
        """
        if not all(sequences):
            raise ValueError("a sequence is empty: there is no last token to look behind")
        if parents is not None:
            self._check(parents, len(sequences))
        with torch.inference_mode():
            logits = _on_cpu(self._ask(list(map(list, sequences)), parents))
        return logits.clone()  # a tensor like any other, which inference mode's are not

    def can_look_back(self, n_token: int) -> bool:
        """True if `last_logits` can give more than one token's logits for a text of n_token tokens.

        Not where each token changes what was computed before (an encoder, or a window that moves), and not where what
        was read cannot be unread (a recurrent net).
        """
        fits = self.context_length is None or n_token <= self.context_length
        return fits and self._causal and (self.memory is None or self.memory.can_go_back)

    def last_logits(self, text: Sequence[int], n_last: int) -> Float[Tensor, "n_last V"]:
        """Logits after each of the last n_last tokens of one text, on the CPU, in one pass.

        Raises ValueError if the text has fewer tokens, or the model cannot look back.
        """
        if not 1 <= n_last <= len(text):
            raise ValueError(f"n_last={n_last} is not within 1 to {len(text)}, the tokens of the text")
        if n_last > 1 and not self.can_look_back(len(text)):
            raise ValueError("the model can tell the logits after the last token alone")
        if n_last == 1:
            return self.next_logits([text])
        with torch.inference_mode():
            if self.memory is None or is_tracing():
                self._read, self._row = [], []
                self._count([list(text)])
                logits = self.model(torch.tensor([list(text)], device=self.device))[0, -n_last:]
            else:
                rows, self._row = self._rows(1, None), [0]
                logits = self._continue([list(text)], rows, n_last)
            logits = _on_cpu(logits)
        return logits.clone()

    def _ask(self, texts: list[list[int]], parents: Sequence[int] | None) -> Float[Tensor, "N V"]:
        if self.memory is None or is_tracing():
            self._read, self._row = [], []
            return self._anew(texts)
        rows = self._rows(len(texts), parents)
        if self.context_length is not None and max(map(len, texts)) > self.context_length:
            return self._partly(texts, rows)
        self._row = list(range(len(texts)))
        return self._continue(texts, rows)

    def _partly(self, texts: list[list[int]], rows: list[int | None]) -> Float[Tensor, "N V"]:
        """Texts that are too long are recomputed, the others continue."""
        short = [n for n, text in enumerate(texts) if len(text) <= (self.context_length or 0)]
        long = [n for n in range(len(texts)) if n not in short]
        parts = [self._anew([texts[n] for n in long])]
        if short:
            parts.append(self._continue([texts[n] for n in short], [rows[n] for n in short]))
        place = {n: row for row, n in enumerate(short)}
        self._row = [place.get(n) for n in range(len(texts))]
        return torch.cat(parts)[torch.tensor([*long, *short], device=self.device).argsort()]

    def _continue(self, texts: list[list[int]], rows: list[int | None], n_last: int = 1) -> Float[Tensor, "M V"]:
        assert self.memory is not None
        starts = []
        for row, text in zip(rows, texts, strict=True):
            start = 0 if row is None else min(_shared(self._read[row], text), len(text) - n_last)
            goes_on = self.memory.can_go_back or (row is not None and start == len(self._read[row]))
            starts.append(start if goes_on else 0)
        if rows != list(range(len(self._read))) or not self.memory.can_go_back:
            stay = map(_shared, self._read, texts) if len(rows) == len(self._read) else [0]
            self.memory.choose([row or 0 for row in rows], starts, min(stay))
        new = [text[start:] for text, start in zip(texts, starts, strict=True)]
        if isinstance(self.memory, KeyValues):
            logits = self.memory.read(new, starts, n_last)
        else:
            logits = self.memory.read(new, starts)  # of a recurrent net nobody asks for more
        self._read = texts
        self._count(new)
        return logits

    def _anew(self, texts: list[list[int]]) -> Float[Tensor, "N V"]:
        """Recompute each text as far as the model sees it. Shorter ones are padded at the end, where no token looks."""
        windows = [text[-self.context_length :] if self.context_length else text for text in texts]
        self._count(windows)
        if not self._causal:  # everybody looks behind, too
            return torch.cat([self._last_logits([window]) for window in windows])
        return self._last_logits(windows)

    def _last_logits(self, windows: list[list[int]]) -> Float[Tensor, "N V"]:
        ids, is_token = (part.to(self.device) for part in padded(windows))
        return self.model(ids)[torch.arange(len(windows), device=self.device), is_token.sum(1) - 1]  # (N, V)

    def _count(self, computed: list[list[int]]) -> None:
        self.n_pass += 1
        self.n_token += sum(map(len, computed))

    def _rows(self, n_row: int, parents: Sequence[int] | None) -> list[int | None]:
        """For each sequence, the cached row that it continues."""
        if parents is not None:
            return [self._row[parent] for parent in parents]
        return self._row if len(self._row) == n_row else [None] * n_row

    def _check(self, parents: Sequence[int], n_row: int) -> None:
        if len(parents) != n_row:
            raise ValueError(f"{len(parents)} parents do not match {n_row} sequences")
        if self._row and not 0 <= min(parents) <= max(parents) < len(self._row):
            raise ValueError(f"parents {list(parents)} are outside the {len(self._row)} rows of the call before")


def _memory(model: nn.Module) -> KeyValues | States | None:
    """The cache that fits a model; None if nothing may be kept."""
    if type(model) is GPT and model.config.causal:  # an encoder's tokens change with each new one
        return KeyValues(model)
    return States(model) if type(model) is RNN else None


def _on_cpu(logits: Tensor) -> Tensor:
    return logits.to("cpu", torch.promote_types(logits.dtype, torch.float32))


def _shared(old: list[int], text: list[int]) -> int:
    """The length of the common prefix, not counting the text's last token, whose logits are asked for."""
    n = min(len(old), len(text) - 1)
    if old[:n] == text[:n]:
        return n
    return next(at for at, (a, b) in enumerate(zip(old, text, strict=False)) if a != b)
