"""Suggestions for a word that a model does not know: similarly spelled words, and words that fit its context."""

import torch
from torch import Tensor, nn

from core.data.tokenizers.gap_tokenizers import MASK, MaskedTextTokenizer
from core.data.tokenizers.known_word_normalization import similar_words, vocabulary_without_unknown
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.generate.cache import reading_limit
from core.inspect.single_text_models import prediction_kind

N_ALIKE, N_EXPECTED = 2, 4
N_CANDIDATE, N_FOLLOWING = 48, 3  # numbers of words to try, and of following tokens that they must fit


def suggest_replacement_words(model: nn.Module, tokenizer: Tokenizer, text: str, word: str) -> tuple[str, ...]:
    """Return known words that could replace an unknown word of a text; () without a list of words.

    Similarly spelled words come first, then the words with the highest probability at the word's first position. A
    model that generates text also rates how the text continues after them, so that a name is suggested for a name. A
    model without logits for its tokenizer's ids is not used.
    """
    known = vocabulary_without_unknown(tokenizer) or ()
    by_spelling = similar_words(word, known, N_ALIKE)
    before, _, after = text.partition(word)
    limit, kind = reading_limit(model) or 512, prediction_kind(model)
    if kind == "next":
        expected = _before_and_after(model, tokenizer, known, word, before, after, limit)
    elif kind == "here" and isinstance(tokenizer, MaskedTextTokenizer):
        expected = _in_a_gap(model, tokenizer, known, before, after, limit)
    else:
        return by_spelling
    names = [known[i].strip() for i in expected]
    return tuple(dict.fromkeys([*by_spelling, *names]))[: len(by_spelling) + N_EXPECTED]


@torch.no_grad()
def _before_and_after(
    model: nn.Module, tokenizer: Tokenizer, known: tuple[str, ...], word: str, before: str, after: str, limit: int
) -> list[int]:
    """Rank words by their probability after the left context, times that of the following tokens; return ids."""
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
    model: nn.Module, tokenizer: MaskedTextTokenizer, known: tuple[str, ...], before: str, after: str, limit: int
) -> list[int]:
    """Rank words by their probability in a gap, for a model that reads both sides; return their ids."""
    ids = tokenizer.encode(f"{before.rstrip(' ')} {MASK}{after}")[:limit]
    return (
        _ranked(model(torch.tensor([ids]))[0, ids.index(tokenizer.mask_id)], known) if tokenizer.mask_id in ids else []
    )


def _ranked(logits: Tensor, known: tuple[str, ...]) -> list[int]:
    """Return the ids of words, the most probable first."""
    return [i for i in logits[: len(known)].argsort(descending=True).tolist() if known[i].strip().isalpha()]
