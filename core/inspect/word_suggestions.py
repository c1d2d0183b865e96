"""Words to offer in place of one that a model does not know: spelled alike, and what the model itself expects there."""

from typing import Any

import torch
from torch import Tensor, nn

from core.data.tokenizers.gaps import MASK, GapTokenizer
from core.data.tokenizers.normalization import alike, known_pieces
from core.generate.cache import reading_limit
from core.inspect.readers import predicts

N_ALIKE, N_EXPECTED = 2, 4


def suggested_words(model: nn.Module, tokenizer: Any, text: str, word: str) -> tuple[str, ...]:
    """Known words that could stand in place of an unknown word of a text; none without a list of words.

    Those spelled alike come first, then those that the model gives the most probability at the word's first place; a
    model that gives no logits for its tokenizer's ids is not asked.
    """
    known = known_pieces(tokenizer) or ()
    by_spelling = alike(word, known, N_ALIKE)
    logits = _logits_at(model, tokenizer, text, word)
    if logits is None:
        return by_spelling
    expected = [i for i in logits[: len(known)].argsort(descending=True).tolist() if known[i].strip().isalpha()]
    return tuple(dict.fromkeys([*by_spelling, *(known[i].strip() for i in expected)]))[: len(by_spelling) + N_EXPECTED]


def _logits_at(model: nn.Module, tokenizer: Any, text: str, word: str) -> Tensor | None:
    """(V,) what the model expects at the word's first place; None where it expects nothing."""
    before, _, after = text.partition(word)
    limit, kind = reading_limit(model) or 512, predicts(model)
    if kind == "next":
        ids = tokenizer.encode(before.rstrip(" ") or "\n")[-limit:]
        at = len(ids) - 1
    elif kind == "here" and isinstance(tokenizer, GapTokenizer):
        ids = tokenizer.encode(f"{before.rstrip(' ')} {MASK}{after}")[:limit]
        at = ids.index(tokenizer.mask_id) if tokenizer.mask_id in ids else -1
    else:
        return None
    if not ids or at < 0:
        return None
    with torch.no_grad():
        logits: Tensor = model(torch.tensor([ids]))[0, at]
    return logits
