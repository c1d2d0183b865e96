"""One text, continued by greedy search, by sampling and in a third way: what each chose from, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, ViewChoice, seed, segmented_control
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.inspect.model_inputs.predicted_position import text_before, text_logits
from core.rooms.strategies import spelling
from core.rooms.strategies.compute.columns import filter_rows, generate_columns
from core.rooms.strategies.inputs import PromptInputs
from core.rooms.strategies.side_by_side import SideBySide, StrategyColumn, max_new_tokens, write_columns

LABELS = module_labels(__name__)

N_NEW = 40
N_TOP = 4  # candidates with a bar of their own
UNLIKELY = (0.1, 0.01, 0.001)  # probabilities under the model, before any filter: unlikely below the first
# Key of a way to choose -> how `spelling` writes it. The first two are always shown, and one of the others.
ALWAYS = {"greedy": "greedy", "sampling": "softmax"}
THIRD = {"careful": "t0.7", "bold": "t2", "top_k": "t2k5", "top_p": "t2p0.9"}
CODE = (generate_columns, filter_rows, write_columns)


class Inputs(PromptInputs, prefix="ways_"):
    third: str = segmented_control(tuple(THIRD), "bold", view=ViewChoice())
    seed: int = seed(2)


@dataclass(frozen=True)
class TokenChances:
    """For each of the N tokens of a text: M tokens that could have been chosen, and all others together."""

    # (N, M) the most probable tokens under the model; the chosen one stands last if it isn't among them
    ids: Int[NDArray[np.int64], "N M"]
    # (N, M+1) their probabilities after the filters, then that of all others; nan if the filters left none of them
    p: Float[NDArray[np.float64], "N M+1"]
    chosen: Int[NDArray[np.int64], " N"]  # which of the M was chosen


class ThreeWays(Result):
    """The texts of all ways to choose, and how many tokens of each the model found unlikely."""

    place: int  # tokens of the prompt that are read
    ways: tuple[str, ...]  # the keys, in the order of `written.columns`
    written: SideBySide
    n_unlikely: tuple[int, ...]

    def table(self) -> Table:
        """Return one row per way to choose."""
        columns = self.written.columns
        return {
            LABELS["way"]: [LABELS[f"way.{way}"] for way in self.ways],
            LABELS["tokens"]: [len(one.tokens) for one in columns],
            LABELS["unlikely"]: list(self.n_unlikely),
            LABELS["mean_log_prob"]: [one.mean_log_prob for one in columns],
        }


def last_fork(given: ModelAndText) -> int:
    """Return the last place 1..T of the text where no token has half of the probability, or T."""
    logits = text_logits(given.key, given.encoded.ids_key).astype(np.float64)  # (T, V)
    highest = 1 / np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)  # (T,)
    forks = np.flatnonzero(highest < 0.5)
    return int(forks[-1]) + 1 if len(forks) else given.n_token


def token_chances(column: StrategyColumn) -> TokenChances:
    """Return what each token was chosen from."""
    n_top = column.top_ids.shape[-1] - 1
    is_missing = ~(column.top_ids[:, :-1] == column.tokens[:, None]).any(-1)
    places = np.tile(np.arange(n_top), (len(column.tokens), 1))
    places[is_missing, -1] = n_top  # the chosen one, instead of the last
    ids = np.take_along_axis(column.top_ids, places, -1)
    p = np.take_along_axis(column.top_after, places, -1)
    kept = np.take_along_axis(column.top_kept, places, -1)
    others = np.where(column.n_kept > kept.sum(-1), np.clip(1 - p.sum(-1), 0, None), np.nan)
    p = np.concatenate([np.where(kept, p, np.nan), others[:, None]], -1)
    return TokenChances(ids, p, (ids == column.tokens[:, None]).argmax(-1))


def unlikely_words(tokens: Sequence[str], plain: Sequence[float]) -> str:
    """Return the longest run of at least two unlikely tokens, after the two tokens before it, or "".

    Args:
        tokens: (N,) the text.
        plain: (N,) their probabilities under the model.
    """
    start = size = run = 0
    for i, p in enumerate(plain):
        run = run + 1 if p < UNLIKELY[0] else 0
        if run > size:
            start, size = i + 1 - run, run
    return "".join(tokens[max(0, start - 2) : start + size]) if size > 1 else ""


def first_difference(texts: Sequence[Sequence[int]]) -> int:
    """Return the first place at which texts differ; 0 if none does, as far as the shortest one goes."""
    return next((i for i, tokens in enumerate(zip(*texts, strict=False)) if len(set(tokens)) > 1), 0)


def compute(inputs: Inputs) -> ThreeWays:
    """Continue the text from its last fork in all ways, those that draw with the same random numbers."""
    given, place = inputs.given, last_fork(inputs.given)
    spelled = [*ALWAYS.values(), *THIRD.values()]
    drawn = [one if one == "greedy" else f"{one}s{inputs.seed}" for one in spelled]
    strategies = [spelling.parse_column(one).strategy for one in drawn]
    n = min(N_NEW, max_new_tokens(len(inputs.vocabulary)))
    written = write_columns(given.model, given.ids[:place], strategies, n, eos_id=given.end_ids, n_top=N_TOP)
    return ThreeWays(
        place=place,
        ways=(*ALWAYS, *THIRD),
        written=written,
        n_unlikely=tuple(int((one.plain < UNLIKELY[0]).sum()) for one in written.columns),
    )


def draw(result: ThreeWays, inputs: Inputs) -> None:
    """Draw the three texts in step, above each the chances of one of its tokens."""
    columns, vocabulary = result.written.columns, inputs.vocabulary
    chances = [token_chances(one) for one in columns]
    used = np.unique(np.concatenate([one.ids.ravel() for one in chances]))
    texts = [one.tokens.tolist() for one in columns]
    ui.mount_widget(
        "three_ways",
        names=[vocabulary[i] for i in used],
        top=_padded([np.searchsorted(used, one.ids) for one in chances]).astype(np.int32),  # (C, N, M)
        chances=_padded([one.p for one in chances]).astype(np.float32),  # (C, N, M+1)
        chosen=_padded([one.chosen for one in chances]).astype(np.int32),  # (C, N)
        plain=_padded([one.plain for one in columns]).astype(np.float32),  # (C, N)
        ways=[
            {
                "key": way,
                "title": LABELS[f"way.{way}"],
                "how": LABELS[f"how.{way}"],
                "n": len(text),
                "quote": unlikely_words([vocabulary[i] for i in text], one.plain.tolist()),
                "first_difference": first_difference([*texts[: len(ALWAYS)], text]),
            }
            for way, text, one in zip(result.ways, texts, columns, strict=True)
        ],
        third=inputs.third,
        before=text_before(inputs.given, result.place),
        n_others=len(vocabulary) - chances[0].ids.shape[-1],
        unlikely=UNLIKELY,
        label="",
        takeaway=LABELS["takeaway"],
        key="strategies.three-ways",
        height=440,
    )


def _padded(rows: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
    """Return arrays of different lengths as one, filled with zeros."""
    out = np.zeros((len(rows), max(map(len, rows)), *rows[0].shape[1:]), rows[0].dtype)
    for c, values in enumerate(rows):
        out[c, : len(values)] = values
    return out
