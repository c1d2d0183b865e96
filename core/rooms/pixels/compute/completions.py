"""Pictures completed by an ImageGPT: every sample of every picture, and the digit a classifier recognizes in it."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.inspect.model_inputs.input_pictures import InputPicture
from core.models.images.image_gpt import ImageGPT
from core.models.images.vit import ViT
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute.pixel_generation import generate_pictures, sampling_probabilities
from core.rooms.pixels.experiments import pixels as task
from core.train.experiments.digit_reader import DigitReader
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

N_COMPLETION = 16


class PixelCompletions(NamedTuple):
    """N pictures of 64 pixels, of which the first S were given. Pixels are in the order in which they are written."""

    ids: NDArray[np.int64]  # (N, 64) levels of gray
    raw: NDArray[np.float32]  # (N, 64 - S, C) the model's probability of each level for each sampled pixel
    used: NDArray[np.float32]  # (N, 64 - S, C) the same after temperature and top-k: the distributions sampled from


class DigitPredictions(NamedTuple):
    """A classifier's predictions for N pictures."""

    said: NDArray[np.int64]  # (N,) the most probable digit
    p: NDArray[np.float32]  # (N,) its probability


def complete_pixels(
    model: ImageGPT, given: NDArray[np.int64], n: int, *, seed: int, temperature: float, top_k: int
) -> PixelCompletions:
    """Return n continuations of the same S pixels.

    Args:
        given: (S,) levels of the first pixels; may be empty.
        temperature, top_k: see `pixels.filtered`; temperature 0 takes the most probable level, top_k 0 keeps all.
    """
    first = torch.tensor(np.asarray(given, np.int64)).expand(n, -1)
    written = generate_pictures(model, first, torch.Generator().manual_seed(seed), temperature=temperature, top_k=top_k)
    used = sampling_probabilities(written.logits, temperature, top_k)
    return PixelCompletions(written.ids.numpy(), written.logits.softmax(-1).numpy(), used.numpy())


@torch.inference_mode()
def recognize_digits(
    judge: ViT, ids: NDArray[np.int64] | Int[Tensor, "N 64"], n_level: int, order: str
) -> DigitPredictions:
    """Return the digit that the classifier sees in each picture (N, 64)."""
    p = judge(pixel_text.to_shades(torch.tensor(np.asarray(ids)), n_level, order)).softmax(-1)
    most, said = p.max(-1)
    return DigitPredictions(said.numpy(), most.numpy())


class CompletionAccuracy(NamedTuple):
    """The share of held-out digits whose completion is recognized as the right digit."""

    right: NDArray[np.bool_]  # (360,) True if the completion is recognized
    # (360,) True if the real digit, rounded to the same levels, is recognized: an upper bound for completions
    whole: NDArray[np.bool_]


def measure_completion_accuracy(
    model: ImageGPT, judge: ViT, n_level: int, order: str, n_given: int, *, seed: int, temperature: float, top_k: int
) -> CompletionAccuracy:
    """Complete each held-out digit once from its first `n_given` pixels, and classify the completion."""
    held, labels = pixel_text.digit_sequences(n_level, order)[1], images.held_out_digits().labels
    draws = torch.Generator().manual_seed(seed)
    ids = generate_pictures(model, held[:, :n_given], draws, temperature=temperature, top_k=top_k).ids
    said, whole = (recognize_digits(judge, one, n_level, order).said for one in (ids, held))
    return CompletionAccuracy(said == labels, whole == labels)


class CompletedPicture(Result):
    """A picture with some of its pixels given, completed many times."""

    picture: InputPicture  # of which the first pixels were given
    truth: NDArray[np.int64]  # (64,) the whole picture in the model's levels, in the order of writing
    order: str  # in which pixels are written
    settings: str  # temperature and top-k of the samples, as text
    n_level: int
    made: PixelCompletions
    answers: DigitPredictions  # the digits that the classifier sees in the completions
    n_right: int  # completions that are recognized as the digit that was given
    counts: list[tuple[int, int]]  # recognized digits, most frequent first, with the number of pictures
    share: CompletionAccuracy | None = None  # for all held-out digits, if measured

    def table(self) -> Table:
        """Return one row per picture, counted from 1."""
        said, p = self.answers.said.tolist(), self.answers.p.tolist()
        return {
            LABELS["table.picture"]: list(range(1, len(said) + 1)),
            LABELS["table.recognized_as"]: said,
            LABELS["table.with_probability"]: p,
        }


def complete_picture(
    run: ExperimentRun,
    judge: ExperimentRun,
    picture: InputPicture,
    order: str,
    n_given: int,
    *,
    seed: int,
    temperature: float,
    top_k: int = 0,
) -> CompletedPicture:
    """Complete a picture from its first pixels N_SAMPLE times, and classify the completions."""
    n_level = run.options["n_level"]
    truth = pixel_text.to_ids(torch.from_numpy(picture.shades), n_level, order)[0].numpy()
    made = complete_pixels(
        task.trained_pixel_model(run, order),
        truth[:n_given],
        N_COMPLETION,
        seed=seed,
        temperature=temperature,
        top_k=top_k,
    )
    answers = recognize_digits(DigitReader(judge).model(), made.ids, n_level, order)
    if not temperature:
        settings = LABELS["settings.likeliest"]
    elif top_k:
        settings = LABELS("settings.top_k", temperature=temperature, top_k=top_k)
    else:
        settings = LABELS("settings.all", temperature=temperature)
    return CompletedPicture(
        picture=picture,
        truth=truth,
        order=order,
        settings=settings,
        n_level=n_level,
        made=made,
        answers=answers,
        n_right=int((answers.said == picture.label).sum()),
        counts=Counter(answers.said.tolist()).most_common(),
    )
