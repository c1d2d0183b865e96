"""Suggestions for a word that a model does not know: similar spellings, and what fits best at its position."""

import torch
from torch import Tensor, nn

from core.data.tokenizers.base import Tokenizer
from core.data.tokenizers.gaps import MASK, GapTokenizer
from core.data.tokenizers.normalization import alike, known_pieces
from core.generate.cache import reading_limit
from core.inspect.readers import predicts

N_ALIKE, N_EXPECTED = 2, 4
N_CANDIDATE, N_FOLLOWING = 48, 3  # words that are tried in its place, and tokens after it that they have to fit


def suggested_words(model: nn.Module, tokenizer: Tokenizer, text: str, word: str) -> tuple[str, ...]:
    """Known words that could stand in place of an unknown word of a text; none without a list of words.

    Those spelled alike come first, then those to which the model gives the most probability at the word's first place;
    a model that writes also judges how the text goes on after them, so that a name is offered for a name. A model that
    gives no logits for its tokenizer's ids is not asked.
    """
    known = known_pieces(tokenizer) or ()
    by_spelling = alike(word, known, N_ALIKE)
    before, _, after = text.partition(word)
    limit, kind = reading_limit(model) or 512, predicts(model)
    if kind == "next":
        expected = _before_and_after(model, tokenizer, known, word, before, after, limit)
    elif kind == "here" and isinstance(tokenizer, GapTokenizer):
        expected = _in_a_gap(model, tokenizer, known, before, after, limit)
    else:
        return by_spelling
    names = [known[i].strip() for i in expected]
    return tuple(dict.fromkeys([*by_spelling, *names]))[: len(by_spelling) + N_EXPECTED]


@torch.no_grad()
def _before_and_after(
    model: nn.Module, tokenizer: Tokenizer, known: tuple[str, ...], word: str, before: str, after: str, limit: int
) -> list[int]:
    """Ids of words, the best first: by the probability of each after its left context, times that of what follows."""
    following = tokenizer.encode(after)[:N_FOLLOWING]
    ids = tokenizer.encode(before.rstrip(" ") or "\n")[-(limit - 1 - len(following)) :]
    if not ids:
        return []
    logits = model(torch.tensor([ids]))[0, -1]
    order = _ranked(logits, known)
    if word[:1].isupper():
        order = [i for i in order if known[i].strip()[0].isupper()] or order
    tried = order[:N_CANDIDATE]
    if not tried or not following:
        return tried
    rows = torch.tensor([[*ids, i, *following] for i in tried])
    log_probs = model(rows)[:, len(ids) - 1 : -1].log_softmax(-1)
    scores = log_probs.gather(-1, rows[:, len(ids) :, None]).sum((1, 2))
    return [tried[i] for i in scores.argsort(descending=True).tolist()]


@torch.no_grad()
def _in_a_gap(
    model: nn.Module, tokenizer: GapTokenizer, known: tuple[str, ...], before: str, after: str, limit: int
) -> list[int]:
    """Ids of words, the most probable first, where the word is hidden from a model that reads both sides."""
    ids = tokenizer.encode(f"{before.rstrip(' ')} {MASK}{after}")[:limit]
    return (
        _ranked(model(torch.tensor([ids]))[0, ids.index(tokenizer.mask_id)], known) if tokenizer.mask_id in ids else []
    )


def _ranked(logits: Tensor, known: tuple[str, ...]) -> list[int]:
    """Ids of words, the most probable first."""
    return [i for i in logits[: len(known)].argsort(descending=True).tolist() if known[i].strip().isalpha()]
