"""The same question to three architectures: how each reads a walk (`walks`) and gives its answer.

An answer is a tuple of words. Nothing is drawn: each family names the likeliest word.
"""

from collections.abc import Sequence

import torch
from torch import nn

from core.data.batches import padded
from core.data.tokenizers.base import until
from core.generate.seq2seq import greedy
from core.models.transformer import Transformer
from core.rooms.families.compute import walks
from core.rooms.families.compute.walks import QUESTION, WORDS, Walk

MOST_WORDS = walks.MOST_THINGS + 3  # of a translation: both things that need more words in French
Words = tuple[str, ...]


def read_by_decoder(walk: Walk, task: str) -> list[int]:
    """What a decoder continues: the walk, then the question."""
    return [*walks.encode(walk.things), QUESTION[task]]


def read_by_encoder(walk: Walk, task: str, filled: Sequence[int] = ()) -> list[int]:
    """What an encoder reads: `<class>` and the walk; to continue, also masks, of which some are filled by now."""
    masks = [walks.MASK] * (walks.N_NEXT - len(filled)) if task == "continue" else []
    return [walks.CLASS, *walks.encode(walk.things), *filled, *masks]


def read_by_encoder_decoder(walk: Walk, task: str) -> list[int]:
    """What the encoder of an encoder-decoder reads: the question, then the walk."""
    return [QUESTION[task], *walks.encode(walk.things)]


@torch.no_grad()
def decoder_answers(model: nn.Module, asked: Sequence[Walk], task: str) -> list[Words]:
    """Word by word, each read again for the next one, until the end token."""
    rows = [read_by_decoder(walk, task) for walk in asked]
    n_read = [len(row) for row in rows]
    ended = [False] * len(rows)
    for _ in range(MOST_WORDS + 1):
        logits = model(padded(rows, walks.END)[0])  # causal: what fills up the ends is not seen
        for i, row in enumerate(rows):
            if not ended[i]:
                row.append(int(logits[i, len(row) - 1].argmax()))
                ended[i] = row[-1] == walks.END
        if all(ended):
            break
    return [_words(row[n:]) for row, n in zip(rows, n_read, strict=True)]


@torch.no_grad()
def encoder_answers(model: nn.Module, asked: Sequence[Walk], task: str) -> list[Words]:
    """One pass and every word at once; but to continue, mask after mask."""
    if task == "classify":
        logits = model(*padded([read_by_encoder(walk, task) for walk in asked], walks.END))  # (B, 2)
        return [(walks.PLACES[i],) for i in logits.argmax(-1).tolist()]
    if task == "translate":
        chosen = model(*padded([read_by_encoder(walk, task) for walk in asked], walks.END)).argmax(-1).tolist()
        return [
            tuple(walks.FRENCH_WORDS[i] for i in row[1 : 1 + len(walk.things)])
            for row, walk in zip(chosen, asked, strict=True)
        ]
    filled: list[list[int]] = [[] for _ in asked]
    for n in range(walks.N_NEXT):
        rows = [read_by_encoder(walk, task, one) for walk, one in zip(asked, filled, strict=True)]
        logits = model(*padded(rows, walks.END))
        for i, walk in enumerate(asked):
            filled[i].append(int(logits[i, 1 + len(walk.things) + n].argmax()))
    return [_words(row) for row in filled]


def encoder_decoder_answers(model: Transformer, asked: Sequence[Walk], task: str) -> list[Words]:
    """Word by word, each read again for the next one, until the end token."""
    written = greedy(
        model,
        *padded([read_by_encoder_decoder(walk, task) for walk in asked], walks.END),
        start_id=walks.START,
        end_id=walks.END,
        max_new_tokens=MOST_WORDS + 1,
    )
    return [_words(row) for row in written.tolist()]


def _words(ids: Sequence[int]) -> Words:
    return tuple(WORDS[i] for i in until(ids, walks.END))
