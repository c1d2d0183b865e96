"""One prompt and several strategies in one batch: each row of the batch chooses its next token in its own way.

A strategy is a few knobs and a seed. One forward pass per step serves all of them; the strategies differ only in the
filters of their row of logits. A column equals the output of `core.generate.decode.generate` with its filters and its
seed.

    columns = [Strategy(kind="greedy"), Strategy(knobs=(("top_p", 0.9),), seed=3)]
    for steps in write(model, prompt, columns, 40): ...      # one Step per column, None for a stopped column
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.generate import filters
from core.generate.cache import CachedModel
from core.generate.decode import (
    EndTokens,
    LogitsFilter,
    Step,
    UniformDraws,
    check_logits,
    inverse_cdf,
    normalize_end_tokens,
)

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class Knob:
    """One setting of a strategy."""

    title: str  # its name on screen
    apply: Callable[..., Tensor]  # the filter
    argument: str  # the filter's parameter
    low: float  # low, high: the range for users; the filters themselves allow more
    high: float
    neutral: float  # the value that changes nothing
    is_whole: bool = False  # True if only whole numbers make sense


# In the order in which they are applied, which is that of Hugging Face's `generate`. Each filter sees the result of
# those before it.
KNOBS: Mapping[str, Knob] = {
    "repetition_penalty": Knob(LABELS["repetition_penalty"], filters.repetition_penalty, "penalty", 0.5, 5.0, 1.0),
    "no_repeat_ngram": Knob(LABELS["no_repeat_ngram"], filters.no_repeat_ngram, "n", 0, 10, 0, is_whole=True),
    "temperature": Knob(LABELS["temperature"], filters.temperature, "t", 0.01, 100.0, 1.0),
    "top_k": Knob(LABELS["top_k"], filters.top_k, "k", 0, 1_000_000, 0, is_whole=True),
    "top_p": Knob(LABELS["top_p"], filters.top_p, "p", 0.0, 1.0, 1.0),
    "min_p": Knob(LABELS["min_p"], filters.min_p, "p", 0.0, 1.0, 0.0),
    "typical_p": Knob(LABELS["typical_p"], filters.typical_p, "p", 0.01, 1.0, 1.0),
    "epsilon": Knob(LABELS["epsilon"], filters.epsilon, "e", 0.0, 0.99, 0.0),
    "eta": Knob(LABELS["eta"], filters.eta, "e", 0.0, 0.99, 0.0),
}
_OF_THE_TEXT = ("repetition_penalty", "no_repeat_ngram")  # these also use the tokens so far


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """The settings with which one column chooses its tokens.

    Raises:
        ValueError: if a value is out of range, or a beam search has knobs.
    """

    # "sample" draws, "greedy" takes the most probable token, "beam" searches (`core.generate.beam`)
    kind: Literal["sample", "greedy", "beam"] = "sample"
    # (name, value) pairs of `KNOBS` in the documented order, without those that change nothing
    knobs: tuple[tuple[str, float], ...] = ()
    seed: int = 0  # of the random draws
    n_beam: int = 1  # n_beam, length_penalty: for a beam search
    length_penalty: float = 1.0

    def __post_init__(self) -> None:
        if self.kind == "beam" and self.knobs:
            raise ValueError(LABELS["beam_with_filters"])
        given = dict(self.knobs)
        for name, value in given.items():
            knob = KNOBS[name]
            if not knob.low <= value <= knob.high or (knob.is_whole and value != int(value)):
                message = "no_whole_number" if knob.is_whole else "no_number"
                raise ValueError(LABELS(message, name=name, value=value, low=knob.low, high=knob.high))
        in_order = tuple((name, given[name]) for name in KNOBS if name in given and given[name] != KNOBS[name].neutral)
        object.__setattr__(self, "knobs", in_order)

    @property
    def title(self) -> str:
        """Display name: “temperature 2, top-p 0.9”."""
        if self.kind == "beam":
            key = "beam" if self.length_penalty == 1 else "beam_with_penalty"
            return LABELS(key, n_beam=self.n_beam, penalty=self.length_penalty)
        knobs = ", ".join(f"{KNOBS[name].title} {value:g}" for name, value in self.knobs)
        if self.kind == "greedy":
            return LABELS("greedy_with_knobs", knobs=knobs) if knobs else LABELS["greedy"]
        return knobs or LABELS["softmax"]

    def filters(self) -> list[LogitsFilter]:
        """Filters as `core.generate.decode.generate` takes them."""
        return [_filter(name, value) for name, value in self.knobs]


def generate_columns(
    model: nn.Module | CachedModel,
    prompt: Sequence[int],
    strategies: Sequence[Strategy],
    max_new_tokens: int,
    *,
    eos_id: EndTokens = None,
) -> Iterator[tuple[Step | None, ...]]:
    """Continue one prompt in several ways at once.

    Args:
        model: a causal model, ids (B, T) -> logits (B, T, V); a `CachedModel` continues from its cache.
        prompt: (T,) at least one token.
        max_new_tokens: maximum number of steps.

    Yields:
        One `Step` per column, without a dimension B. None for a column that has stopped: it has produced an end
        token, or its filters have left no token to draw. A stopped column is no longer computed.

    Raises:
        ValueError: if the model computes a logit that is not a number.
    """
    cached = model if isinstance(model, CachedModel) else CachedModel(model)
    draws, ends = UniformDraws([one.seed for one in strategies]), normalize_end_tokens(eos_id)
    alive = list(range(len(strategies)))  # the column of each row of the batch
    rows = _Rows(strategies)
    sequences = [list(prompt) for _ in strategies]
    parents: list[int] = []
    for n_written in range(max_new_tokens):
        if n_written == 0:  # all columns share the prompt, so it is read once
            logits = cached.next_logits([prompt]).expand(len(alive), -1)  # (N, V)
            parents = [0] * len(alive)
        else:
            logits = cached.next_logits([sequences[c] for c in alive], parents)
            parents = list(range(len(alive)))
        check_logits(logits)
        filtered, emptied = rows.apply(logits, [sequences[c] for c in alive])
        probabilities = filtered.softmax(-1)  # (N, V); a row without tokens is nan and is not used
        draw = draws.next() if len(alive) == len(strategies) else draws.next()[alive]
        token = rows.choose(filtered, probabilities.nan_to_num(0.0) if emptied else probabilities, draw)
        log_prob = probabilities.gather(-1, token[:, None]).squeeze(-1).log()
        written, ended = token.tolist(), torch.isin(token, torch.tensor(ends, dtype=torch.long))
        per_row = zip(
            token.unbind(), logits.unbind(), (filtered > -torch.inf).unbind(), probabilities.unbind(),
            log_prob.unbind(), draw.unbind(), ended.unbind(), strict=True,
        )  # fmt: skip
        out: list[Step | None] = [None] * len(strategies)
        going: list[int] = []
        for row, (c, (new, given, left, p, log_p, u, has_ended)) in enumerate(zip(alive, per_row, strict=True)):
            if row not in emptied:
                out[c] = Step(new, given, left, p, log_p, None if rows.is_greedy[row] else u, has_ended)
                sequences[c].append(written[row])
                if written[row] not in ends:
                    going.append(row)
        if len(going) < len(alive):
            alive, parents = [alive[row] for row in going], [parents[row] for row in going]
            rows = _Rows([strategies[c] for c in alive])
        yield tuple(out)
        if not alive:
            return


class _Rows:
    """The filters for the rows of a batch, prepared once: rows that share a setting are filtered together."""

    def __init__(self, strategies: Sequence[Strategy]):
        self.is_greedy = torch.tensor([one.kind == "greedy" for one in strategies])  # (N,)
        wanted = [dict(one.knobs) for one in strategies]
        self._stages: list[tuple[LogitsFilter, bool, list[int]]] = []  # the filter, True if it needs the text, its rows
        for name in KNOBS:
            rows_of: dict[float, list[int]] = {}
            for row, knobs in enumerate(wanted):
                if name in knobs:
                    rows_of.setdefault(knobs[name], []).append(row)
            self._stages += [(_filter(name, value), name in _OF_THE_TEXT, rows) for value, rows in rows_of.items()]

    def apply(
        self, logits: Float[Tensor, "N V"], sequences: Sequence[Sequence[int]]
    ) -> tuple[Float[Tensor, "N V"], set[int]]:
        """Return the filtered rows and the set of empty ones; further filters skip these, so they stay empty."""
        filtered, emptied = logits.clone(), set[int]()
        for one, wants_text, rows in self._stages:
            if wants_text:
                for row in rows:
                    filtered[row] = one(filtered[row], ids=torch.tensor(sequences[row]))
                    if not filtered[row].max() > -torch.inf:
                        emptied.add(row)
                continue
            full = [row for row in rows if row not in emptied]
            for part in [slice(row, row + 1) for row in full] if len(full) < 3 else [full]:  # a slice needs no copy
                filtered[part] = one(filtered[part])
        return filtered, emptied

    def choose(
        self, logits: Float[Tensor, "N V"], probabilities: Float[Tensor, "N V"], draw: Float[Tensor, " N"]
    ) -> Int[Tensor, " N"]:
        """Return each row's token: the most probable one if it is greedy, otherwise the drawn one."""
        return torch.where(self.is_greedy, logits.argmax(-1), inverse_cdf(probabilities, draw))


def filter_rows(
    logits: Float[Tensor, "N V"], strategies: Sequence[Strategy], sequences: Sequence[Sequence[int]]
) -> Float[Tensor, "N V"]:
    """Filter each row by its own strategy, in the documented order."""
    return _Rows(strategies).apply(logits, sequences)[0]


def _filter(name: str, value: float) -> LogitsFilter:
    knob = KNOBS[name]
    return partial(knob.apply, **{knob.argument: int(value) if knob.is_whole else value})
