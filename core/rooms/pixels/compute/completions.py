"""Pictures completed by an ImageGPT: every sample of every picture, and the digit a classifier recognizes in it."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from core.data import images
from core.exhibit import Result, Table
from core.inspect.reading.pictures import Picture
from core.models.image_gpt import ImageGPT
from core.models.vit import ViT
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute.pixels import filtered, write
from core.rooms.pixels.experiments import pixels as task
from core.train.experiments.digit_reader import Reader
from core.train.experiments.live import Live

N_SAMPLE = 16


class Completions(NamedTuple):
    """N pictures of 64 pixels, of which the first S were given. Pixels are in the order in which they are written."""

    ids: NDArray[np.int64]  # (N, 64) levels of gray
    raw: NDArray[np.float32]  # (N, 64 - S, C) the model's probability of each level for each sampled pixel
    used: NDArray[np.float32]  # (N, 64 - S, C) the same after temperature and top-k: the distributions sampled from


class Answers(NamedTuple):
    """A classifier's predictions for N pictures."""

    said: NDArray[np.int64]  # (N,) the most probable digit
    p: NDArray[np.float32]  # (N,) its probability


def complete(
    model: ImageGPT, given: NDArray[np.int64], n: int, *, seed: int, temperature: float, top_k: int
) -> Completions:
    """Return n continuations of the same S pixels.

    Args:
        given: (S,) levels of the first pixels; may be empty.
        temperature, top_k: see `pixels.filtered`; temperature 0 takes the most probable level, top_k 0 keeps all.
    """
    first = torch.tensor(np.asarray(given, np.int64)).expand(n, -1)
    written = write(model, first, torch.Generator().manual_seed(seed), temperature=temperature, top_k=top_k)
    used = filtered(written.logits, temperature, top_k)
    return Completions(written.ids.numpy(), written.logits.softmax(-1).numpy(), used.numpy())


@torch.inference_mode()
def recognise(judge: ViT, ids: NDArray[np.int64] | Int[Tensor, "N 64"], n_level: int, order: str) -> Answers:
    """Return the digit that the classifier sees in each picture (N, 64)."""
    p = judge(pixel_text.to_shades(torch.tensor(np.asarray(ids)), n_level, order)).softmax(-1)
    most, said = p.max(-1)
    return Answers(said.numpy(), most.numpy())


class Share(NamedTuple):
    """The share of held-out digits whose completion is recognized as the right digit."""

    right: NDArray[np.bool_]  # (360,) True if the completion is recognized
    # (360,) True if the real digit, rounded to the same levels, is recognized: an upper bound for completions
    whole: NDArray[np.bool_]


def share(
    model: ImageGPT, judge: ViT, n_level: int, order: str, n_given: int, *, seed: int, temperature: float, top_k: int
) -> Share:
    """Complete each held-out digit once from its first `n_given` pixels, and classify the completion."""
    held, labels = pixel_text.texts(n_level, order)[1], images.held_out().labels
    draws = torch.Generator().manual_seed(seed)
    ids = write(model, held[:, :n_given], draws, temperature=temperature, top_k=top_k).ids
    said, whole = (recognise(judge, one, n_level, order).said for one in (ids, held))
    return Share(said == labels, whole == labels)


class Completed(Result):
    """A picture with some of its pixels given, completed many times."""

    picture: Picture  # of which the first pixels were given
    truth: NDArray[np.int64]  # (64,) the whole picture in the model's levels, in the order of writing
    order: str  # in which pixels are written
    settings: str  # temperature and top-k of the samples, as text
    n_level: int
    made: Completions
    answers: Answers  # the digits that the classifier sees in the completions
    n_right: int  # completions that are recognized as the digit that was given
    counts: list[tuple[int, int]]  # recognized digits, most frequent first, with the number of pictures
    share: Share | None = None  # for all held-out digits, if measured

    def table(self) -> Table:
        """Return one row per picture, counted from 1."""
        said, p = self.answers.said.tolist(), self.answers.p.tolist()
        return {"picture": list(range(1, len(said) + 1)), "recognized as": said, "with probability": p}


def completed(
    run: Live, judge: Live, picture: Picture, order: str, n_given: int, *, seed: int, temperature: float, top_k: int = 0
) -> Completed:
    """Complete a picture from its first pixels N_SAMPLE times, and classify the completions."""
    n_level = run.options["n_level"]
    truth = pixel_text.to_ids(torch.from_numpy(picture.shades), n_level, order)[0].numpy()
    made = complete(task.writer(run, order), truth[:n_given], N_SAMPLE, seed=seed, temperature=temperature, top_k=top_k)
    answers = recognise(Reader(judge).model(), made.ids, n_level, order)
    kept = f", the {top_k} likeliest levels" if top_k else ""
    return Completed(
        picture=picture,
        truth=truth,
        order=order,
        settings=f"at temperature {temperature:g}{kept}" if temperature else "temperature 0: the likeliest level",
        n_level=n_level,
        made=made,
        answers=answers,
        n_right=int((answers.said == picture.label).sum()),
        counts=Counter(answers.said.tolist()).most_common(),
    )
