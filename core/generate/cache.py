"""Cached decoding: next-token logits for growing sequences, computing only the new tokens.

`CachedModel.next_logits` returns the logits after the last token of each sequence, and computes only the tokens that
are new since the previous call. The cache between two calls depends on the model: keys and values of a causal GPT
(`KeyValues`), or the state of a recurrent network (`_RecurrentStates`). Any other model recomputes the whole sequence
at each call.
"""

from collections.abc import Sequence
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.data.padding_and_splits import pad_rows
from core.generate.keys_values import KeyValues
from core.models.gpt import GPT
from core.models.registry import find_registered_family
from core.models.rnn import RNN
from core.nn.recurrent import CellState, RecurrentCell, unroll
from core.nn.tap import is_recording_taps


def reading_limit(model: nn.Module) -> int | None:
    """Return how many tokens of a text the model sees when it continues the text; None: all.

    A model with a context length sees that many tokens, counted from the end. For a recurrent network, the context
    length is only the length of its training windows: it puts the tokens it reads into its state, so it never has to
    drop the beginning.
    """
    config, family = getattr(model, "config", None), find_registered_family(model)
    if family is None:  # someone's own model
        return getattr(config, "context_length", None)
    return None if family.reads_any_length else family.context_length(config)


class _RecurrentStates:
    """The states of N sequences in a recurrent language model, one for each layer; its weights must not change."""

    can_go_back = False  # a state cannot be unread

    def __init__(self, model: RNN):
        self.model = model
        self.states: list[CellState] = []

    def choose(self, rows: Sequence[int], lengths: Sequence[int], known: int) -> None:
        """Replace row n by the former row rows[n], or by the initial state if its length is 0.

        Otherwise like `KeyValues.choose`; `known` is not needed because states are small.
        """
        if not any(lengths):
            self.states = []
            return
        index = torch.tensor(rows, device=self.model.tok_emb.weight.device)  # (N,)
        begun = torch.tensor([length > 0 for length in lengths], device=index.device)[:, None]  # (N, 1)
        self.states = [
            tuple(part[index] * begun for part in state) if isinstance(state, tuple) else state[index] * begun
            for state in self.states  # both parts of an LSTM's
        ]

    def read(self, new: Sequence[Sequence[int]], starts: Sequence[int]) -> Float[Tensor, "N V"]:
        """Read new tokens and return the logits after the last one of each row. `starts` is not used here."""
        model = self.model
        ids, mask = (part.to(model.tok_emb.weight.device) for part in pad_rows(new))  # (N, T): padding keeps the state
        x, states = model.tok_emb(ids), []  # (N, T, D)
        cells = cast(Sequence[RecurrentCell], model.blocks)
        for n, cell in enumerate(cells):
            x, state = unroll(cell, x, self.states[n] if self.states else None, None if bool(mask.all()) else mask)
            states.append(state)
        self.states = states
        return model.unembed(x[:, -1])  # (N, V); a row's state doesn't change after its last token


class CachedModel:
    """A causal model with a cache of the tokens that it has already read. Its weights must not change in the meantime.

    If a sequence is longer than the model's context, every token moves one position at each step, and the first token
    no longer influences the others, so the cache becomes invalid. From then on the whole window is recomputed at each
    step. The same happens under a `Trace`: it records and edits the tensors of the model's own `forward`, so `forward`
    has to run over the whole text.

    Args:
        model: ids (B, T) -> logits (B, T, V).
        cached: False recomputes everything at each call, for comparison.

    Attributes:
        n_pass: number of forward passes, however many sequences each one had.
        n_token: total number of tokens computed, without padding.
        memory: the cache between two calls; None: nothing is cached.

    Source: cached keys and values: Shazeer 2019 (1911.02150), section 2.4.
    """

    def __init__(self, model: nn.Module, cached: bool = True):
        self.model, self.cached = model, cached
        self.device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
        self.context_length = reading_limit(model)
        self._causal = getattr(getattr(model, "config", None), "causal", True)
        self.n_pass = self.n_token = 0
        self.memory = _memory(model) if cached else None
        self._read: list[list[int]] = []  # the tokens of each cached row
        self._row: list[int | None] = []  # the cached row of each sequence of the previous call, or None

    def next_logits(
        self, sequences: Sequence[Sequence[int]], parents: Sequence[int] | None = None
    ) -> Float[Tensor, "N V"]:
        """Return the logits after the last token of each sequence, on the CPU.

        Args:
            sequences: N, of any lengths.
            parents: row n of this call continues row parents[n] of the previous call (beam search reorders, repeats and
                drops rows); None means the same rows in the same order, or a first call. If a sequence does not
                continue its parent, the result is still correct; it only costs more.

        Raises ValueError if a sequence is empty, or if parents are not one row of the previous call for each sequence.
        """
        if not all(sequences):
            raise ValueError("a sequence is empty: there is no last token to continue from")
        if parents is not None:
            self._check(parents, len(sequences))
        with torch.inference_mode():
            logits = _on_cpu(self._ask(list(map(list, sequences)), parents))
        return logits.clone()  # an ordinary tensor, not one of inference mode

    def can_look_back(self, n_token: int) -> bool:
        """Return whether `last_logits` can return the logits of more than one token for a text of n_token tokens.

        It cannot if each token changes earlier results (an encoder, or a moving window), or if tokens cannot be removed
        from the cache (a recurrent network).
        """
        fits = self.context_length is None or n_token <= self.context_length
        return fits and self._causal and (self.memory is None or self.memory.can_go_back)

    def last_logits(self, text: Sequence[int], n_last: int) -> Float[Tensor, "n_last V"]:
        """Return the logits after each of the last n_last tokens of a single text, on the CPU, in one pass.

        Raises ValueError if the text has fewer tokens, or the model cannot look back.
        """
        if not 1 <= n_last <= len(text):
            raise ValueError(f"n_last={n_last} is not within 1 to {len(text)}, the tokens of the text")
        if n_last > 1 and not self.can_look_back(len(text)):
            raise ValueError("the model can only return the logits after the last token")
        if n_last == 1:
            return self.next_logits([text])
        with torch.inference_mode():
            if self.memory is None or is_recording_taps():
                self._read, self._row = [], []
                self._count([list(text)])
                logits = self.model(torch.tensor([list(text)], device=self.device))[0, -n_last:]
            else:
                rows, self._row = self._rows(1, None), [0]
                logits = self._continue([list(text)], rows, n_last)
            logits = _on_cpu(logits)
        return logits.clone()

    def _ask(self, texts: list[list[int]], parents: Sequence[int] | None) -> Float[Tensor, "N V"]:
        if self.memory is None or is_recording_taps():
            self._read, self._row = [], []
            return self._anew(texts)
        rows = self._rows(len(texts), parents)
        if self.context_length is not None and max(map(len, texts)) > self.context_length:
            return self._partly(texts, rows)
        self._row = list(range(len(texts)))
        return self._continue(texts, rows)

    def _partly(self, texts: list[list[int]], rows: list[int | None]) -> Float[Tensor, "N V"]:
        """Recompute the texts that are too long, and continue the others from the cache."""
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
            logits = self.memory.read(new, starts)  # a recurrent network is only asked for the last token
        self._read = texts
        self._count(new)
        return logits

    def _anew(self, texts: list[list[int]]) -> Float[Tensor, "N V"]:
        """Recompute the part of each text that the model sees. Padding goes to the end, hidden by a causal mask."""
        windows = [text[-self.context_length :] if self.context_length else text for text in texts]
        self._count(windows)
        if not self._causal:  # then tokens attend to later positions, too
            return torch.cat([self._last_logits([window]) for window in windows])
        return self._last_logits(windows)

    def _last_logits(self, windows: list[list[int]]) -> Float[Tensor, "N V"]:
        ids, is_token = (part.to(self.device) for part in pad_rows(windows))
        return self.model(ids)[torch.arange(len(windows), device=self.device), is_token.sum(1) - 1]  # (N, V)

    def _count(self, computed: list[list[int]]) -> None:
        self.n_pass += 1
        self.n_token += sum(map(len, computed))

    def _rows(self, n_row: int, parents: Sequence[int] | None) -> list[int | None]:
        """Return the cached row that each sequence continues."""
        if parents is not None:
            return [self._row[parent] for parent in parents]
        return self._row if len(self._row) == n_row else [None] * n_row

    def _check(self, parents: Sequence[int], n_row: int) -> None:
        if len(parents) != n_row:
            raise ValueError(f"{len(parents)} parents do not match {n_row} sequences")
        if self._row and not 0 <= min(parents) <= max(parents) < len(self._row):
            raise ValueError(f"parents {list(parents)} are outside the {len(self._row)} rows of the previous call")


def _memory(model: nn.Module) -> KeyValues | _RecurrentStates | None:
    """Return the cache for a model; None if nothing can be cached."""
    if type(model) is GPT and model.config.causal:  # an encoder's vectors change with each new token
        return KeyValues(model)
    return _RecurrentStates(model) if type(model) is RNN else None


def _on_cpu(logits: Tensor) -> Tensor:
    return logits.to("cpu", torch.promote_types(logits.dtype, torch.float32))


def _shared(old: list[int], text: list[int]) -> int:
    """Return the length of the common prefix, without the text's last token, because its logits are needed."""
    n = min(len(old), len(text) - 1)
    if old[:n] == text[:n]:
        return n
    return next(at for at, (a, b) in enumerate(zip(old, text, strict=False)) if a != b)
