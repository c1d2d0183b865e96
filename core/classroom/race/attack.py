"""Attacks: sentences on which another racer's model fails and the attacker's own doesn't.

Both models read the sentence, and the difference counts. Nonsense is no attack, because the own model fails as well.
"""

import math
from pathlib import Path
from typing import Any

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

SENTENCE_LETTERS = (10, 100)


class AttackRefused(ValueError):
    """The models can't both read the sentence; the message says why and is fit to be shown."""


def compare_bits_per_byte(sentence: str, own: Path, other: Path) -> dict[str, object]:
    """Measure the cost of a sentence for two models.

    Args:
        own, other: the folders of their checkpoints.

    Returns the sentence, bits per byte of both, the margin, and the other model's tokens with the bits of each.

    Raises AttackRefused: if a model can't read the sentence, or its length isn't allowed.
    """
    text = " ".join(sentence.split())
    if not SENTENCE_LETTERS[0] <= len(text) <= SENTENCE_LETTERS[1]:
        raise AttackRefused(LABELS("sentence_length", least=SENTENCE_LETTERS[0], most=SENTENCE_LETTERS[1]))
    mine, theirs = _pieces(own, text), _pieces(other, text)
    n_byte = len(text.encode())
    bits = [sum(one for _, one in pieces) / n_byte for pieces in (mine, theirs)]
    return {
        "sentence": text,
        "own": round(bits[0], 3),
        "other": round(bits[1], 3),
        "margin": round(bits[1] - bits[0], 3),
        "pieces": [[piece, round(one, 2)] for piece, one in theirs],
    }


def _pieces(folder: Path, text: str) -> list[tuple[str, float]]:
    """Return each token of the text with its cost in bits given the tokens before it, which begin with a newline."""
    import torch

    from core.inspect.model_inputs.model_and_text import load_text_model
    from core.inspect.model_inputs.model_key import ModelKey

    found: Any = load_text_model(ModelKey.at(folder))
    before, after = found.tokenizer.encode("\n"), found.tokenizer.encode(text)
    if found.tokenizer.decode(after) != text:
        known = [c for c in dict.fromkeys(text) if found.tokenizer.decode(found.tokenizer.encode(c)) != c]
        raise AttackRefused(LABELS("unseen", letters=" ".join(known)) if known else LABELS["unseen.some"])
    ids = torch.tensor(before + after)
    length = found.model.config.context_length
    with torch.no_grad():
        logits = found.model(ids[None, :length])[0]  # after each of the first tokens
        if len(ids) > length:
            logits = torch.cat([logits, found.model(ids.unfold(0, length, 1)[1:])[:, -1]])
    told = logits[len(before) - 1 : -1].double().log_softmax(-1)
    bits = told.gather(-1, torch.tensor(after)[:, None])[:, 0].neg() / math.log(2)
    return list(zip(found.tokenizer.tokens(after), bits.tolist(), strict=True))
