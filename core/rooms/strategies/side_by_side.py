"""One prompt, up to six strategies: the text that each writes, and its cost."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_with_minus_sign
from core.data.tokenizers.incremental_decoding import decode_continuation
from core.exhibit import Table, selection_in_picture, slider
from core.generate import beam
from core.generate.cache import CachedModel, reading_limit
from core.generate.decode import EndTokens, Step, normalize_end_tokens
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.inspect.model_inputs.predicted_position import text_before
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import Strategy
from core.rooms.strategies.inputs import PromptInputs
from core.rooms.strategies.spelling import LETTER_OF
from core.ui.widgets.mount import to_nested_lists

LABELS = module_labels(__name__)

StopReason = Literal["", "empty", "end"]
# Two numbers that need no second model. Neither says whether a text is good: greedy and beam search score best on
# the model's own probability, and often worst on these.


def distinct_share(ids: Sequence[int], n: int = 2) -> float:
    """Return the number of distinct n-grams divided by the number of n-grams; nan for a text shorter than n.

    Args:
        ids: the generated tokens, without the prompt.
        n: length of the n-grams; distinct-2 is the usual one.

    Source: Li et al. 2015 (1510.03055), section 5.2; divided by the number of n-grams, not of tokens, so that a text
        without any repetition has 1.
    """
    runs = [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]
    return len(set(runs)) / len(runs) if runs else math.nan


def repeated_share(ids: Sequence[int], n: int = 4) -> float:
    """Return the share of n-grams that have occurred before in the text: 1 - distinct.

    Source: Welleck et al. 2019 (1908.04319), section 6, "seq-rep-n".
    """
    return 1 - distinct_share(ids, n)


@dataclass(frozen=True)
class StrategyColumn:
    """One strategy's text: n tokens, with the M most probable candidates of each step followed by the chosen one.

    "Plain" is the model's own distribution, before any filter. It is the measure for all columns.
    """

    tokens: Int[NDArray[np.int64], " n"]  # (n,) ids
    plain: Float[NDArray[np.float64], " n"]  # (n,) probability of the chosen token under the model
    # (n,) its probability under the filtered distribution; for a beam search, which filters nothing, the same as plain
    chosen_from: Float[NDArray[np.float64], " n"]
    rank: Int[NDArray[np.int64], " n"]  # (n,) its rank under the model; 1 is the most probable
    draws: Float[NDArray[np.float64], " n"]  # (n,) the uniform random number; nan if nothing was drawn
    low: Float[NDArray[np.float64], " n"]  # low, high: (n,) its interval on the line from 0 to 1; nan for a beam search
    high: Float[NDArray[np.float64], " n"]
    n_kept: Int[NDArray[np.int64], " n"]  # (n,) tokens that the filters kept
    top_ids: Int[NDArray[np.int64], "n m"]  # (n, M+1) the most probable tokens, best first, then the chosen one
    top_plain: Float[NDArray[np.float64], "n m"]  # (n, M+1) their probability under the model
    top_after: Float[NDArray[np.float64], "n m"]  # (n, M+1) their probability after the filters
    top_kept: Bool[NDArray[np.bool_], "n m"]  # (n, M+1) True if the filters kept them
    stop: StopReason  # why it ended: "end" (an end token), "empty" (no token left), "" (maximum length)
    cost: "ColumnCost"  # the work of choosing
    seconds: float  # of the beam search alone; nan for a column of the batch, which shares its time with the others

    @property
    def mean_log_prob(self) -> float:
        """Mean nats per token under the model without filters; nan if nothing was written."""
        return float(np.log(self.plain).mean()) if len(self.plain) else float("nan")

    @property
    def distinct_2(self) -> float:
        return distinct_share(self.tokens.tolist(), 2)

    @property
    def repeated_4(self) -> float:
        return repeated_share(self.tokens.tolist(), 4)


@dataclass(frozen=True)
class ColumnCost:
    """The work for one column."""

    steps: int  # forward passes of the network; columns of one batch share them
    rows: int  # texts in these passes, summed over all steps: one per step, or up to B in a beam search
    computed: int  # tokens that went through the network: the prompt once, then one for each row
    # Numbers compared when choosing: V for each row. This, not the network's work, is the O(KN) of greedy search and
    # the O(BKN) of beam search, for K tokens in the vocabulary and N steps.
    numbers: int


@dataclass(frozen=True)
class SideBySide:
    """The texts of several strategies."""

    strategies: tuple[Strategy, ...]  # the strategies
    columns: tuple[StrategyColumn, ...]  # one per strategy, in the same order
    n_batched: int  # number of columns written as one batch: all but the beam searches
    passes: int  # forward passes for the batch, all its columns together
    computed: int  # tokens that went through the network for the batch
    seconds: float  # for the batch, including the choices

    @property
    def searches(self) -> list[tuple[int, StrategyColumn]]:
        """The beam searches: B, and the text."""
        pairs = zip(self.strategies, self.columns, strict=True)
        return [(strategy.n_beam, column) for strategy, column in pairs if strategy.kind == "beam"]

    def table(self) -> Table:
        """Return one row per strategy, without its time on this machine."""
        measures = {LABELS[f"measures.{name}"]: values for name, values in self.measures().items()}
        return {LABELS["strategy"]: [one.title for one in self.strategies], **measures}

    def measures(self) -> dict[str, list[float]]:
        """Return the key of a measure -> its value for each strategy."""
        return {
            "mean_log_prob": [one.mean_log_prob for one in self.columns],
            "distinct_2": [one.distinct_2 for one in self.columns],
            "repeated_4": [one.repeated_4 for one in self.columns],
            "passes": [one.cost.steps for one in self.columns],
            "texts": [one.cost.rows for one in self.columns],
            "numbers": [one.cost.numbers for one in self.columns],
        }


def write_columns(
    model: nn.Module,
    prompt: Sequence[int],
    strategies: Sequence[Strategy],
    max_new_tokens: int,
    *,
    eos_id: EndTokens = None,
    n_top: int = 8,
) -> SideBySide:
    """Write all columns: those that sample or are greedy as one batch, beam searches one by one.

    Args:
        prompt: (T,) at least one token.

    Raises:
        ValueError: in the cases of `core.rooms.strategies.compute.columns.generate_columns`.
    """
    batch, cached = [one for one in strategies if one.kind != "beam"], CachedModel(model)
    started = time.perf_counter()
    steps = list(columns.generate_columns(cached, prompt, batch, max_new_tokens, eos_id=eos_id)) if batch else []
    seconds = time.perf_counter() - started
    rows = iter([[step for step in row if step is not None] for row in zip(*steps, strict=True)])
    found = tuple(
        _beam(model, prompt, one, max_new_tokens, normalize_end_tokens(eos_id), n_top)
        if one.kind == "beam"
        else _batched(next(rows), len(prompt), max_new_tokens, n_top)
        for one in strategies
    )
    return SideBySide(tuple(strategies), found, len(batch), cached.n_pass, cached.n_token, seconds)


def _batched(own: list[Step], n_prompt: int, n: int, n_top: int) -> StrategyColumn:
    """Build the column of these steps."""
    stop: StopReason = "end" if own and bool(own[-1].ended) else "empty" if len(own) < n else ""
    rows = len(own) + (stop == "empty")  # the step that left no token was computed, too
    n_vocabulary = own[0].logits.shape[-1] if own else 0
    cost = ColumnCost(rows, rows, n_prompt + rows - 1, rows * n_vocabulary)
    return _column(own, stop, cost, float("nan"), n_top)


def _beam(
    model: nn.Module, prompt: Sequence[int], strategy: Strategy, n: int, ends: tuple[int, ...], n_top: int
) -> StrategyColumn:
    cached = CachedModel(model)
    started = time.perf_counter()
    result = beam.cached_beam_search(
        cached, prompt, strategy.n_beam, n, eos_id=ends, length_penalty=strategy.length_penalty
    )
    seconds = time.perf_counter() - started
    numbers, n_pass, n_token = sum(one.n_candidate for one in result.tree), cached.n_pass, cached.n_token
    ids = list(result.hypotheses[0].ids)
    logits = _rescored(model, ids, len(prompt))  # (n, V)
    kept, probabilities = torch.ones_like(logits, dtype=torch.bool), logits.softmax(-1)
    steps = [
        Step(torch.tensor(token), logits[i], kept[i], probabilities[i], logits[i, 0], None, kept[i, 0])
        for i, token in enumerate(ids[len(prompt) :])
    ]
    cost = ColumnCost(n_pass, numbers // logits.shape[-1], n_token, numbers)
    return _column(steps, "end" if ids[-1] in ends else "", cost, seconds, n_top, line=False)


@torch.no_grad()
def _rescored(model: nn.Module, ids: list[int], n_prompt: int) -> Float[Tensor, "n V"]:
    """Return the model's logits for each generated token of a finished text, for the pictures only."""
    context = reading_limit(model)
    if context is None or len(ids) - 1 <= context:
        device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
        logits = model(torch.tensor([ids[:-1]], device=device))[0, n_prompt - 1 :]
        return logits.to("cpu", torch.promote_types(logits.dtype, torch.float32))
    return CachedModel(model, cached=False).next_logits([ids[:end] for end in range(n_prompt, len(ids))])


def _column(
    steps: list[Step], stop: StopReason, cost: ColumnCost, seconds: float, n_top: int, *, line: bool = True
) -> StrategyColumn:
    """Build a column from steps (each without a dimension B), all at once."""
    if not steps:
        none, empty = np.zeros(0), np.zeros((0, n_top + 1))
        whole = none.astype(np.int64)
        return StrategyColumn(
            whole, none, none, whole, none, none, none, whole, empty.astype(np.int64), empty, empty,
            empty.astype(bool), stop, cost, seconds,
        )  # fmt: skip
    token = torch.stack([one.token for one in steps])[:, None]  # (n, 1)
    plain = torch.stack([one.logits for one in steps]).double().softmax(-1)  # (n, V)
    after = torch.stack([one.probabilities for one in steps]).double()
    kept = torch.stack([one.kept for one in steps])
    own = plain.gather(-1, token)  # (n, 1)
    ids = torch.arange(plain.shape[-1])
    rank = 1 + (plain > own).sum(-1) + ((plain == own) & (ids < token)).sum(-1)
    top = plain.topk(min(n_top, plain.shape[-1]), dim=-1).indices
    top = torch.cat([top, token], dim=-1)  # (n, m)
    cumulative = after.cumsum(-1)
    high = (cumulative / cumulative[:, -1:]).gather(-1, token).squeeze(-1)
    width = (after / cumulative[:, -1:]).gather(-1, token).squeeze(-1)
    nowhere = torch.full_like(high, torch.nan)
    draws = np.array([np.nan if one.draw is None else float(one.draw) for one in steps])
    return StrategyColumn(
        tokens=token.squeeze(-1).numpy(),
        plain=own.squeeze(-1).numpy(),
        chosen_from=after.gather(-1, token).squeeze(-1).numpy(),
        rank=rank.numpy(),
        draws=draws,
        low=((high - width).clamp(min=0) if line else nowhere).numpy(),
        high=(high if line else nowhere).numpy(),
        n_kept=kept.sum(-1).numpy(),
        top_ids=top.numpy(),
        top_plain=plain.gather(-1, top).numpy(),
        top_after=after.gather(-1, top).numpy(),
        top_kept=kept.gather(-1, top).numpy(),
        stop=stop,
        cost=cost,
        seconds=seconds,
    )


DEFAULT_COLUMNS = "greedy~softmax~t2~t2k5~t2p0.9~beam4"
PICTURE_KEY = "strategies.columns"
MOST_TOKENS = 120  # each is a forward pass, and the server has other users
# Every step of every column keeps whole rows of the vocabulary until the end: 40 tokens with a vocabulary of 50,000
# take 0.1 GB and a second, and larger vocabularies get fewer tokens.
MOST_OF_LARGE, LARGE_VOCABULARY, MOST_NUMBERS = 40, 8_192, 2_500_000
BETTER_VALUE = {"mean_log_prob": max, "distinct_2": max, "repeated_4": min}
MEASURES = (*BETTER_VALUE, "texts")
CODE = (columns.generate_columns, columns.filter_rows, beam.cached_beam_search, write_columns, distinct_share)


def _check(text: str, _: object) -> None:
    found, problems = spelling.parse_columns(text)
    if not found:
        raise ValueError(LABELS("problem", problem=" ".join(problems[:3])))


def max_new_tokens(n_vocabulary: int) -> int:
    """Return the largest number of new tokens."""
    if n_vocabulary <= LARGE_VOCABULARY:
        return MOST_TOKENS
    return min(MOST_OF_LARGE, max(10, MOST_NUMBERS // n_vocabulary))


class Inputs(PromptInputs):
    n: int = slider(
        5,
        lambda i: max_new_tokens(len(model_vocabulary(i.given.key))),
        40,
        name="columns_n",
    )
    columns: str = selection_in_picture(
        PICTURE_KEY,
        DEFAULT_COLUMNS,
        part="columns",
        text=lambda sent, _: spelling.read_sent_text(sent, spelling.MAX_CHARS + 1, DEFAULT_COLUMNS),
        check=_check,
    )


def compute(inputs: Inputs) -> SideBySide:
    """Write all columns; all but the beam searches share one batch."""
    strategies = [one.strategy for one in spelling.parse_columns(inputs.columns)[0]]
    given = inputs.given
    return write_columns(given.model, given.ids, strategies, inputs.n, eos_id=given.end_ids)


def draw(result: SideBySide, inputs: Inputs) -> None:
    """Draw the columns, their tokens and a table of comparison."""
    spelled, problems = spelling.parse_columns(inputs.columns)
    for problem in problems[:3]:
        ui.st.warning(LABELS("problem", problem=ui.escape_markdown(problem)))
    measures = result.measures()
    texts = [
        {
            **vars(column),
            "title": strategy.title,
            "spoken": decode_continuation(inputs.given.tokenizer, inputs.given.ids, column.tokens),
            "kind": strategy.kind,
            "knobs": {LETTER_OF[name]: value for name, value in strategy.knobs},
            "seed": strategy.seed,
            "beams": strategy.n_beam if strategy.kind == "beam" else 4,
            "penalty": strategy.length_penalty,
            "locked": one.is_locked,
            "measures": [_print(measures[name][c]) for name in MEASURES],
        }
        for c, (one, strategy, column) in enumerate(zip(spelled, result.strategies, result.columns, strict=True))
    ]
    ui.mount_widget(
        "columns",
        **_pack_column_texts(texts, inputs.vocabulary),
        measures=[LABELS["strategy"], *LABELS.options("measures", *MEASURES).values()],
        best=[_leaders(measures, name) for name in MEASURES],
        most=spelling.MAX_COLUMNS,
        label=LABELS("label", before=text_before(inputs.given, inputs.given.n_token)),
        takeaway=LABELS("takeaway", n=len(texts), titles=", ".join(one["title"] for one in texts)),
        key=ui.picks.picture_widget_key(PICTURE_KEY, ""),
        state=("columns",),
    )


def _pack_column_texts(texts: Sequence[Mapping[str, Any]], vocabulary: Sequence[str]) -> dict[str, Any]:
    """Pack texts of different lengths for the browser, padded with zeros, with only the vocabulary that occurs.

    Args:
        texts: one column each: its settings, its table values (`measures`), and the arrays of a `StrategyColumn`.
        vocabulary: the V strings of the tokens.
    """
    n_most = max(len(one["tokens"]) for one in texts)
    used = np.unique(np.concatenate([np.ravel(one[name]) for one in texts for name in ("tokens", "top_ids")]))
    place = np.zeros(len(vocabulary), np.int64)
    place[used] = np.arange(len(used))

    def filled(name: str, dtype: type[np.generic]) -> NDArray[np.generic]:
        out = np.zeros((len(texts), n_most, *np.shape(texts[0][name])[1:]), dtype)
        for c, one in enumerate(texts):
            values = np.asarray(one[name])
            out[c, : len(values)] = place[values] if name in ("tokens", "top_ids") else values
        return out

    settings = ("title", "spoken", "kind", "knobs", "seed", "beams", "penalty", "locked", "stop", "measures")
    shares = ("plain", "low", "high", "top_plain", "top_after")
    return {
        **{name: filled(name, np.float32) for name in shares},
        **{name: filled(name, np.int32) for name in ("tokens", "rank", "n_kept")},
        "top": filled("top_ids", np.int32),
        "top_kept": filled("top_kept", np.uint8),
        "columns": [
            {name: one[name] for name in settings} | {"n": len(one["tokens"]), "draws": to_nested_lists(one["draws"])}
            for one in texts
        ],
        "labels": [vocabulary[i] for i in used],
        "n_vocabulary": len(vocabulary),
    }


def _leaders(measures: Mapping[str, list[float]], name: str) -> list[int]:
    """Return the columns that lead, if the measure distinguishes better from worse."""
    finite = [value for value in measures[name] if name in BETTER_VALUE and not math.isnan(value)]
    leaders = [c for c, value in enumerate(measures[name]) if finite and abs(value - BETTER_VALUE[name](finite)) < 1e-6]
    return leaders if len(leaders) < len(measures[name]) else []


def _print(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else format_with_minus_sign(value, 3)
