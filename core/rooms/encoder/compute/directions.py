"""An encoder and a decoder before the same gap: what each may read, and what each makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.synthetic.gap_stories import Words
from core.inspect.trace import stacked
from core.models.bert import BERT
from core.models.gpt import GPT
from core.nn.masks import causal
from core.nn.tap import Edit, Trace

WHO = ("encoder", "encoder, causal mask", "decoder")
PLACES_AFTER = ("under", "behind", "in", "near")  # the first word of every hiding place


@dataclass(frozen=True)
class Questions:
    """Rows with one gap each, whose answer is told only by what stands after it."""

    ids: NDArray[np.int64]  # (N, T) the rows as they are, padded
    readable: NDArray[np.bool_]  # (N, T) True where there is a token
    place: NDArray[np.int64]  # (N,) of the gap

    @property
    def truth(self) -> NDArray[np.int64]:
        """(N,) what stands in the gap."""
        answers: NDArray[np.int64] = self.ids[np.arange(len(self.ids)), self.place]
        return answers

    @property
    def from_the_left(self) -> float:
        """What the best reader of the left side gives the true word on the mean, if nothing there tells it.

        Such a reader can only say how often each answer occurs: the mean of these shares, sum p^2.
        """
        _, counts = np.unique(self.truth, return_counts=True)
        shares = counts / counts.sum()
        return float((shares**2).sum())


@dataclass(frozen=True)
class Measured:
    """Over all gaps of one kind."""

    n: int  # gaps
    chances: tuple[float, ...]  # of the true word, on the mean, for each of `WHO`
    right: tuple[float, ...]  # how often the most probable word is the true one, for each of `WHO`
    from_the_left: float  # what the best reader of the left side alone gives the true word


def questions(stories: Sequence[str], words: Words, length: int) -> dict[str, Questions]:
    """Gaps of the stories that only a later word can tell, by what is asked.

    "place": the first word of a hiding place when it is told for the first time ("hid *under* the tree"); "article": a
    or an, before the food that an animal wants ("wanted *an* apple"); "animal": which one lives there, in the third
    word of a story ("A small *dog* lived"), named again a sentence later.
    """
    found: dict[str, list[tuple[list[int], int]]] = {"place": [], "article": [], "animal": []}
    hid, put, it, wanted, lived = (words.encode(word)[0] for word in ("hid", "put", "it", "wanted", "lived"))
    articles = {words.encode(word)[0] for word in ("a", "an")}
    prepositions = {words.encode(word)[0] for word in PLACES_AFTER}
    for story in stories:
        row = [words.class_id, *words.encode(story)][:length]
        for i in range(2, len(row) - 2):
            before = row[i - 1]
            if row[i] in prepositions and (before == hid or (before == it and row[i - 2] == put)):
                found["place"].append((row, i))
                break
            if row[i] in articles and before == wanted:
                found["article"].append((row, i))
            if i == 3 and row[4] == lived:
                found["animal"].append((row, i))
    return {name: _rows(rows, words.pad_id, length) for name, rows in found.items()}


def one_gap(ids: Sequence[int], place: int) -> Questions:
    """A text of one's own with one gap."""
    row = np.array([list(ids)], np.int64)
    return Questions(row, np.ones_like(row, dtype=bool), np.array([place]))


@torch.no_grad()
def encoder_says(model: BERT, asked: Questions, mask_id: int, is_causal: bool = False) -> NDArray[np.float32]:
    """(N, V) the encoder's probabilities in the gaps; `is_causal`: with its right side hidden."""
    rows = torch.from_numpy(asked.ids).clone()
    each, place = torch.arange(len(rows)), torch.from_numpy(asked.place)
    rows[each, place] = mask_id
    with Trace(model, edits=blinders(model) if is_causal else {}, keep=("logits",)):
        logits = model(rows, torch.from_numpy(asked.readable))
    probabilities: NDArray[np.float32] = logits[each, place].softmax(-1).numpy()
    return probabilities


@torch.no_grad()
def decoder_says(model: GPT, asked: Questions) -> NDArray[np.float32]:
    """(N, V) the decoder's probabilities for the word that follows the left side of the gaps."""
    logits = model(torch.from_numpy(asked.ids))
    place = torch.from_numpy(asked.place)
    probabilities: NDArray[np.float32] = logits[torch.arange(len(place)), place - 1].softmax(-1).numpy()
    return probabilities


@torch.no_grad()
def decoder_tries(model: GPT, ids: Sequence[int], place: int, n_plain: int) -> NDArray[np.float64]:
    """(V,) every word put into the gap, and the whole text read anew: P(text with w) over all w, one pass each.

    A decoder does give every text a probability, so it can use the right side too, at the price of a pass per word.
    """
    rows = torch.tensor([list(ids)]).repeat(n_plain, 1)
    rows[:, place] = torch.arange(n_plain)
    log_p = model(rows[:, :-1]).log_softmax(-1).gather(-1, rows[:, 1:, None])[..., 0].sum(-1)  # (V,)
    chances: NDArray[np.float64] = log_p.double().softmax(0).numpy()
    return chances


def measure(encoder: BERT, decoder: GPT, words: Words, stories: Sequence[str], length: int) -> dict[str, Measured]:
    """All kinds of gaps, asked of the encoder, of the encoder with its right side hidden, and of the decoder."""
    found = {}
    for name, asked in questions(stories, words, length).items():
        said = (
            encoder_says(encoder, asked, words.mask_id),
            encoder_says(encoder, asked, words.mask_id, is_causal=True),
            decoder_says(decoder, asked),
        )
        each = np.arange(len(asked.truth))
        found[name] = Measured(
            len(each),
            tuple(float(one[each, asked.truth].mean()) for one in said),
            tuple(float((one.argmax(1) == asked.truth).mean()) for one in said),
            asked.from_the_left,
        )
    return found


@torch.no_grad()
def maps(
    encoder: BERT, decoder: GPT, ids: Sequence[int], gap: int, mask_id: int, is_causal: bool = False
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The attention of both on one text: each (L, H, T, T), and what may not be read is 0. The encoder reads the mask
    token in the gap, the decoder the text."""
    row = torch.tensor([list(ids)])
    masked = row.clone()
    masked[0, gap] = mask_id
    with Trace(encoder, edits=blinders(encoder) if is_causal else {}, keep=("attn.weights",)) as one:
        encoder(masked)
    with Trace(decoder, keep=("attn.weights",)) as other:
        decoder(row)
    return stacked(one, "attn.weights"), stacked(other, "attn.weights")


def blinders(model: BERT) -> Mapping[str, Edit]:
    """Edits that hide the right side from an encoder: the scores of later places become the lowest number there is."""

    def hide(scores: Tensor) -> Tensor:
        later = ~causal(scores.shape[-1], device=scores.device)
        return scores.masked_fill(later, torch.finfo(scores.dtype).min)

    return {f"blocks.{i}.attn.scores": hide for i in range(len(model.blocks))}


def _rows(found: Sequence[tuple[list[int], int]], pad_id: int, length: int) -> Questions:
    ids = np.full((len(found), length), pad_id, np.int64)
    for row, (tokens, _) in zip(ids, found, strict=True):
        row[: len(tokens)] = tokens
    return Questions(ids, ids != pad_id, np.array([place for _, place in found], np.int64))
