"""Extractive question answering: for each token, the probabilities that the answer begins or ends there."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.exhibit import Result, Table
from core.inspect.attention_record import as_batch

LABELS = module_labels(__name__)

MAX_ANSWER_TOKENS = 15  # tokens of an answer
N_BEST = 5


class AnswerSpan(NamedTuple):
    """One span of the text: its first and last token, and the product of their two probabilities."""

    first: int
    last: int
    probability: float
    text: str


class SpanPrediction(Result):
    """A model's answer to a question, as spans of a text."""

    section = "span"  # key of the text section
    ids: Sequence[int]  # (T,) of question and text
    tokens: Sequence[str]  # (T,)
    begins: NDArray[np.float32]  # (T,) the probability that the answer begins here; 0 outside of the text
    ends: NDArray[np.float32]  # (T,) the probability that it ends here
    answers: tuple[AnswerSpan, ...]  # most probable first
    n_cut: int  # tokens of the text that did not fit
    # probability of the first special token, which means “there is no answer” if the model was trained so
    nothing: float

    @property
    def best(self) -> AnswerSpan:
        """The most probable answer."""
        return self.answers[0]

    def table(self) -> Table:
        """Return one row per token."""
        return {
            LABELS["table.token"]: list(self.tokens),
            LABELS["table.begins"]: self.begins.tolist(),
            LABELS["table.ends"]: self.ends.tolist(),
        }


@torch.no_grad()
def find_answer(model: Any, tokenizer: Any, question: str, text: str, most: int | None = None) -> SpanPrediction:
    """Find the answer to a question in a text.

    Both softmaxes run over the text's tokens and the first special token. An answer lies within the text, ends where it
    begins or later, and has at most `MAX_ANSWER_TOKENS` tokens.

    Args:
        tokenizer: with `encode_pair`.
        most: the most tokens of question and text that the model reads; the end of the text is cut.

    Raises:
        ValueError: if the question leaves no room for a token of the text.

    Source: Devlin et al. 2018 (1810.04805), sections 4.2 and 4.3.
    """
    pair = tokenizer.encode_pair(question, text)
    inside = [place for place, which in enumerate(pair.texts) if which == 1]
    n_cut = max(0, len(pair.ids) - most) if most else 0
    if n_cut >= len(inside):
        raise ValueError(LABELS["no_room"])
    kept = [place for place in range(len(pair.ids)) if place not in set(inside[len(inside) - n_cut :])]
    ids, segments, texts = ([one[place] for place in kept] for one in (pair.ids, pair.segments, pair.texts))
    batch = as_batch(model, ids)
    told = torch.tensor([segments], device=batch.device) if model.config.n_segment > 1 else None
    scores = model(batch, segments=told)[0].float().cpu()  # (T, 2)
    here = torch.tensor([which == 1 for which in texts])
    readable = here.clone()
    readable[0] = True
    begins, ends = scores.masked_fill(~readable[:, None], -torch.inf).softmax(0).unbind(-1)
    return SpanPrediction(
        ids=ids,
        tokens=tokenizer.tokens(ids),
        begins=begins.numpy(),
        ends=ends.numpy(),
        answers=_best(begins, ends, here, ids, tokenizer),
        n_cut=n_cut,
        nothing=float(begins[0] * ends[0]),
    )


def _best(
    begins: Tensor, ends: Tensor, here: Tensor, ids: Sequence[int], tokenizer: Tokenizer
) -> tuple[AnswerSpan, ...]:
    """Return the most probable spans."""
    both = (begins * here)[:, None] * (ends * here)  # (T, T), row: first token
    both = both.triu().tril(MAX_ANSWER_TOKENS - 1)
    order = both.flatten().argsort(descending=True, stable=True)[:N_BEST].tolist()
    places = [divmod(one, len(ids)) for one in order]
    return tuple(
        AnswerSpan(first, last, float(both[first, last]), tokenizer.decode(ids[first : last + 1]).strip())
        for first, last in places
        if both[first, last] > 0
    )
