"""The same text written twice: with keys and values kept, and with everything read anew at each step."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.exhibit import Result, Table, number, slider
from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues
from core.inspect.costs.model_cost import written_step
from core.models.configs.family import stack
from core.models.gpt import GPTConfig
from core.rooms.cache.inputs import Looked, prompt_of, say_cut


class Race(Result):
    """One text written twice, greedily; all arrays (N,), one number for each new token."""

    tokens: NDArray[np.int64]  # the new tokens, as written with the cache
    tokens_anew: NDArray[np.int64]  # as written by reading everything anew
    difference: NDArray[np.float64]  # largest difference of any logit between the two, on the same text
    work: NDArray[np.int64]  # work, work_anew: multiply-adds of each step, see `written_step`
    work_anew: NDArray[np.int64]
    # seconds, seconds_anew: measured, the shortest of the repeats: what a step takes when nothing else disturbs it
    seconds: NDArray[np.float64]
    seconds_anew: NDArray[np.float64]
    n_token: int  # n_token, n_token_anew: how many tokens the model computed in all
    n_token_anew: int
    config: GPTConfig  # of the model
    n_prompt: int  # tokens of the prompt
    n: int  # new tokens
    is_same: bool  # whether both wrote the same words
    lengths: list[int]  # of the text, at each step
    n_over: int  # steps in which the text is longer than the model reads
    formula: str

    def table(self) -> Table:
        """One line for each new token, without the times, which no other machine has."""
        return {
            "length": self.lengths,
            "token": self.tokens,
            "token without the cache": self.tokens_anew,
            "largest difference of a logit": self.difference,
            "multiply-adds with": self.work,
            "multiply-adds without": self.work_anew,
        }


def race(model: nn.Module, ids: Sequence[int], n_new: int, *, n_repeat: int = 5, most_seconds: float = 3.0) -> Race:
    """Write new tokens with the cache and without, step by step in turns, and compare.

    Args:
        n_new: how many tokens; fewer are written where the first of the repeats takes too long.
        most_seconds: for everything together, about; at least two tokens are written.
    """
    began = time.perf_counter()
    turns: list[_Turn] = []
    while not turns or (len(turns) < n_repeat and time.perf_counter() - began < most_seconds / 2):
        turns.append(_turn(model, ids, len(turns[0].tokens) if turns else n_new, began + most_seconds))
        turns = [one for one in turns if len(one.tokens) == len(turns[0].tokens)]
    first = turns[0]
    config = cast(GPTConfig, model.config)
    n_prompt, limit, n_new = len(ids), config.context_length, len(first.tokens)
    lengths = [n_prompt + n for n in range(n_new)]
    read = [min(length, limit) for length in lengths]
    computed = [length if n == 0 or n_prompt + n > limit else 1 for n, length in enumerate(read)]
    steps = [written_step(config, new, length - new).total for new, length in zip(computed, read, strict=True)]
    steps_anew = [written_step(config, length, 0, n_logit=length).total for length in read]
    n_over = sum(length > limit for length in lengths)
    last = n_new - 1 - n_over  # the last step in which the cache still holds
    return Race(
        tokens=np.array(first.tokens),
        tokens_anew=np.array(first.tokens_anew),
        difference=np.array(first.difference),
        work=np.array(steps),
        work_anew=np.array(steps_anew),
        seconds=np.array([min(step) for step in zip(*(one.seconds for one in turns), strict=True)]),
        seconds_anew=np.array([min(step) for step in zip(*(one.anew for one in turns), strict=True)]),
        n_token=first.n_token,
        n_token_anew=first.n_token_anew,
        config=config,
        n_prompt=n_prompt,
        n=n_new,
        is_same=first.tokens == first.tokens_anew,
        lengths=lengths,
        n_over=n_over,
        formula=_formula(config, lengths[last], steps[last], steps_anew[last]),
    )


def _formula(c: GPTConfig, length: int, work: int, work_anew: int) -> str:
    """How the work of a step is counted in this model's blocks."""
    blocks = stack(c)
    is_narrow = not blocks.d_inner == blocks.d_kv == blocks.d_model
    heads, sizes = ("A", [("A", blocks.d_inner), ("G", blocks.d_kv)]) if is_narrow else ("D", [])
    sizes = [("N", length), ("L", c.n_layer), ("D", c.d_model), *sizes]
    feed = ""
    if blocks.d_ff:
        feed, sizes = f" + {blocks.n_matrix} N D F", [*sizes, ("F", blocks.d_ff)]
    if blocks.n_gate:
        feed, sizes = f"{feed} + N D E", [*sizes, ("E", blocks.n_gate)]
    if blocks.d_gate:
        feed, sizes = f"{feed} + N D P", [*sizes, ("P", blocks.d_gate)]
    projections = "2 N D (A + G)" if is_narrow else "4 N D^2"
    once = projections.replace("N ", ""), feed.replace("N ", "")
    without, kept = (f"{one:,}".replace(",", "{,}") for one in (work_anew, work))
    outside = once_outside = ""
    if c.d_embed is not None:
        outside, once_outside, sizes = " + N D M", " + D M", [*sizes, ("M", c.d_embed)]
    said = r",\; ".join(f"{letter} = {size}" for letter, size in [*sizes, ("V", c.vocab_size)])
    return (
        r"\begin{aligned}"
        rf"& \text{{without: }} L\,({projections}{feed} + 2 N^2 {heads}){outside} + N D V \\ & = {without} \\ "
        rf"& \text{{with: }} L\,({once[0]}{once[1]} + 2 N {heads}){once_outside} + D V \\ & = {kept} \\ "
        rf"& {said}\end{{aligned}}"
    )


@dataclass
class _Turn:
    """One time through the text."""

    tokens: list[int] = field(default_factory=list)
    tokens_anew: list[int] = field(default_factory=list)
    difference: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    anew: list[float] = field(default_factory=list)
    n_token: int = 0
    n_token_anew: int = 0


def _turn(model: nn.Module, ids: Sequence[int], n_new: int, end: float) -> _Turn:
    turn, kept, anew = _Turn(), CachedModel(model), CachedModel(model, cached=False)
    while len(turn.tokens) < n_new and (len(turn.tokens) < 2 or time.perf_counter() < end):
        start = time.perf_counter()
        logits = kept.next_logits([[*ids, *turn.tokens]])[0]
        middle = time.perf_counter()
        logits_anew = anew.next_logits([[*ids, *turn.tokens_anew]])[0]
        turn.anew.append(time.perf_counter() - middle)
        turn.seconds.append(middle - start)
        turn.difference.append(float((logits - logits_anew).abs().max()))
        turn.tokens.append(int(logits.argmax()))
        turn.tokens_anew.append(int(logits_anew.argmax()))
    turn.n_token, turn.n_token_anew = kept.n_token, anew.n_token
    return turn


CODE = (KeyValues, CachedModel, written_step)


class Inputs(Looked, prefix="same_"):
    n_new: int = slider("New tokens", 8, 96, 32, step=8, name="same_new")
    again: int = number(
        "Measurement no.",
        1,
        20,
        1,
        step=1,
        reason="enough to see how much they differ",
        help="Another number measures the times again.",
    )


def compute(inputs: Inputs) -> Race:
    """The same text twice, step by step: with keys and values kept, and with everything read anew."""
    return race(inputs.given.model, prompt_of(inputs.given)[0].ids, inputs.n_new)


def draw(result: Race, inputs: Inputs) -> None:
    """The counted work, the measured time, the difference of the logits, and the words."""
    say_cut(inputs.given)
    apart = float(result.difference.max())
    ui.say("facts", apart=f"{apart:.{-math.floor(math.log10(apart))}f}" if 0 < apart < 1 else f"{apart:.3g}")
    left, right = ui.pair("same-curves")
    with left:
        _curves(result, result.work / 1e6, result.work_anew / 1e6, "multiply-adds (millions)")
    with right:
        _curves(result, 1e3 * result.seconds, 1e3 * result.seconds_anew, "time (milliseconds)")


def _curves(result: Race, kept: NDArray[np.float64], anew: NDArray[np.float64], title: str) -> None:
    top = max(np.quantile(kept, 0.9), np.quantile(anew, 0.95)) * 1.25  # a step that was held up may stand out
    curves = {"with the cache": (result.lengths, kept), "without": (result.lengths, anew)}
    ui.curves(curves, x="length of the text (tokens)", y=ui.Axis(title, (0.0, float(top))))
