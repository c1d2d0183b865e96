"""A ViT's answer to a picture with missing patches, and the attention of its class token.

A patch can be hidden in two ways. "removed": its token is left out of the sequence, and all others run as before; a ViT
can do that, because it doesn't depend on the number of tokens. "painted": its pixels become blank paper, and the token
remains and says so. The first removes information, the second replaces it with a false claim.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.images import DigitImages, held_out_digits
from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.inspect.attention_record import to_numpy
from core.inspect.rollout import DEFAULT_RESIDUAL, rank_correlation, rollout
from core.models.images.vit import ViT
from core.nn.tap import Trace
from core.train.experiments.digit_reader import DigitReader

LABELS = module_labels(__name__)

HidingWay = Literal["removed", "painted"]
HIDING_WAYS: tuple[HidingWay, ...] = ("removed", "painted")
WAY_TITLES: Mapping[HidingWay, str] = {"removed": LABELS["way.removed"], "painted": LABELS["way.painted"]}
# orders, by attention, in which patches are hidden
HIDING_ORDERS = ("most", "least", "random")
CURVE_SEED = 0
# Sixteenths of the patches that are hidden, at the curve's points.
HIDDEN_SIXTEENTHS = (0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16)
# Hiding each of 16 patches of all 360 digits takes a third of a second. With 64 patches there are four times as many to
# hide, and each pass reads four times as many tokens.
MOST_TOKENS = 200_000
MAX_CACHED = 8  # cached results of 3 MB, or of 12 MB with 64 patches


def run_on_patches(model: ViT, images: Float[Tensor, "B C Y X"], kept: Int[Tensor, "B K"]) -> Float[Tensor, "B N"]:
    """Return the logits when the model gets the class token and only some patches, each with its own position.

    Args:
        kept: indices of the remaining patches; the same number for every picture, possibly none.

    Source: the encoder of He et al. 2021 (2111.06377), section 3, which leaves out masked patches in this way.
    """
    x = model.embed(images)  # (B, 1 + P, D)
    chosen = torch.cat([kept.new_zeros(len(kept), 1), kept + 1], 1)  # the class token is first
    x = x.gather(1, chosen[..., None].expand(-1, -1, x.shape[-1]))  # (B, 1 + K, D)
    for block in model.blocks:
        x = block(x)
    logits: Tensor = model.unembed(model.norm(x)[:, 0])
    return logits


def paint_patches(
    images: Float[Tensor, "B C Y X"], gone: Bool[Tensor, "B P"], patch_size: int
) -> Float[Tensor, "B C Y X"]:
    """Return the pictures with some patches painted as blank paper, 0."""
    rows, columns = images.shape[-2] // patch_size, images.shape[-1] // patch_size
    grid = gone.view(-1, 1, rows, columns)
    over = grid.repeat_interleave(patch_size, 2).repeat_interleave(patch_size, 3)  # (B, 1, Y, X)
    return images.masked_fill(over, 0)


@torch.no_grad()
def logits_without_patches(
    model: ViT, images: Float[Tensor, "B C Y X"], gone: Int[Tensor, "B G"], way: HidingWay
) -> Float[Tensor, "B N"]:
    """Return the logits when some patches of each picture are hidden.

    Args:
        gone: indices of the hidden patches, each once; the same number for every picture.

    Raises:
        ValueError: if there is no such patch or no such way.
    """
    n_patch = model.config.n_patch
    if gone.numel() and not 0 <= int(gone.min()) <= int(gone.max()) < n_patch:
        raise ValueError(f"patches 0 to {n_patch - 1} can be hidden, not {int(gone.min())} to {int(gone.max())}")
    is_gone = torch.zeros(len(images), n_patch, dtype=torch.bool)
    is_gone.scatter_(1, gone, True)
    if way == "painted":
        return model(paint_patches(images, is_gone, model.config.patch_size))
    if way != "removed":
        raise ValueError(f"patches can be {' or '.join(HIDING_WAYS)}, not {way!r}")
    kept = (~is_gone).nonzero()[:, 1].view(len(images), -1)  # in reading order
    return run_on_patches(model, images, kept)


@torch.no_grad()
def attention_weights(model: ViT, images: Float[Tensor, "B C Y X"]) -> Float[NDArray[np.float32], "B L H T T"]:
    """Return all attention weights; token 0 is the class token, followed by the patches."""
    with Trace(model, keep=("attn.weights",)) as trace:
        model(images)
    return np.stack([to_numpy(trace[f"blocks.{layer}.attn.weights"]) for layer in range(len(model.blocks))], 1)


def class_rollout(
    weights: Float[NDArray[np.floating], "B L H T T"], residual: float = DEFAULT_RESIDUAL
) -> Float[NDArray[np.float64], "B L T"]:
    """Return the rollout of the class token after each layer: its share on itself, then those on the patches."""
    return np.stack([rollout(one, residual)[:, 0] for one in weights])


@torch.no_grad()
def effect_per_patch(model: ViT, images: Float[Tensor, "B C Y X"], way: HidingWay) -> NDArray[np.float64]:
    """Hide one patch after the other and measure the effect on the answer.

    Returns:
        (B, P) how far the log-probability of the model's own first answer falls, in nats, without that patch: positive
        if the patch supports the answer.
    """
    before = model(images).double().log_softmax(-1)
    answer = before.argmax(-1, keepdim=True)
    falls = []
    for patch in range(model.config.n_patch):
        gone = torch.full((len(images), 1), patch)
        after = logits_without_patches(model, images, gone, way).double().log_softmax(-1)
        falls.append((before - after).gather(1, answer)[:, 0])
    return torch.stack(falls, 1).numpy()


def random_orders(n_picture: int, n_patch: int, seed: int) -> NDArray[np.int64]:
    """Return, for each picture, all of its patches in a random order, (B, P)."""
    in_reading_order = np.tile(np.arange(n_patch), (n_picture, 1))
    return np.random.default_rng(seed).permuted(in_reading_order, axis=1)


def accuracy_without_patches(
    model: ViT,
    images: Float[Tensor, "B C Y X"],
    labels: Int[Tensor, " B"],
    order: Int[Tensor, "B P"],
    counts: Sequence[int],
    way: HidingWay,
) -> NDArray[np.float64]:
    """Return the accuracy when the first patches of an order are hidden, for several numbers of patches.

    Args:
        counts: numbers of hidden patches, each from 0 to P.
    """
    found = [
        float((logits_without_patches(model, images, order[:, :n], way).argmax(-1) == labels).double().mean())
        for n in counts
    ]
    return np.array(found)


def evaluation_digits(n_patch: int) -> DigitImages:
    """Return the held-out digits for measurements over many pictures; with many patches, only the first of them."""
    most = MOST_TOKENS // (n_patch * (1 + n_patch))
    return held_out_digits().some(np.arange(min(len(held_out_digits()), most)))


def hidden_counts(n_patch: int) -> list[int]:
    """Return the numbers of hidden patches at the points of the curve."""
    return sorted({round(share * n_patch / HIDDEN_SIXTEENTHS[-1]) for share in HIDDEN_SIXTEENTHS})


def mean_rank_correlation(guess: NDArray[np.floating], effect: NDArray[np.floating]) -> tuple[float, int]:
    """Return how well a guess predicts which patches matter: rank correlation with the absolute effect, over pictures.

    Args:
        guess, effect: (B, P).

    Returns:
        The mean, and the number of pictures it is over: those in which neither is constant. nan and 0 if there is none.
    """
    each = [rank_correlation(a, np.abs(b)) for a, b in zip(guess, effect, strict=True)]
    known = [one for one in each if np.isfinite(one)]
    return (float(np.mean(known)) if known else float("nan")), len(known)


def importance_guesses(
    weights: Float[NDArray[np.floating], "B L H T T"],
    images: Float[Tensor, "B C Y X"],
    patch_size: int,
    residual: float = DEFAULT_RESIDUAL,
) -> dict[str, NDArray[np.floating]]:
    """Return guesses at which patches matter, (B, P) each: class token's rollout, its last layer's heads, and ink."""
    return {
        "rollout": class_rollout(weights, residual)[:, -1, 1:],
        "last layer": weights[:, -1, :, 0, 1:].mean(1),
        "ink": patch_ink(images, patch_size),
    }


def patch_ink(images: Float[Tensor, "B C Y X"], patch_size: int) -> NDArray[np.float64]:
    """Return the mean shade of each patch (B, P), a guess at what matters that doesn't use the model."""
    mean = torch.nn.functional.avg_pool2d(images.double().mean(1, keepdim=True), patch_size)
    return mean.flatten(1).numpy()


@dataclass(frozen=True)
class GuessComparison:
    """Three guesses at which patches matter, compared with two measurements, over held-out digits."""

    n: int  # number of pictures
    n_empty: int  # pictures in which the patch that matters most when it is left out has no ink at all
    # fraction of all their patches without ink: the expected n_empty / n if blank ones mattered as often as any
    empty: float
    # guess -> way of hiding -> mean rank correlation with the absolute effect
    correlation: Mapping[str, Mapping[HidingWay, float]]


@memoize(MAX_CACHED)
def held_out_attention(reader: DigitReader) -> NDArray[np.float32]:
    """Return all attention weights on `evaluation_digits`, (N, L, H, T, T)."""
    return attention_weights(reader.model(), torch.from_numpy(evaluation_digits(reader.n_patch).shades))


@memoize(MAX_CACHED)
def held_out_effects(reader: DigitReader, way: HidingWay) -> NDArray[np.float64]:
    """Return the effect of hiding each patch of each of these digits, (N, P)."""
    return effect_per_patch(reader.model(), torch.from_numpy(evaluation_digits(reader.n_patch).shades), way)


@memoize(64)
def accuracy_curves(reader: DigitReader, way: HidingWay) -> dict[str, NDArray[np.float64]]:
    """Return, for each order of hiding patches, the accuracy on these digits at each of `hidden_counts`.

    The most attended patch is the one with the largest rollout of the class token.
    """
    digits, n_patch = evaluation_digits(reader.n_patch), reader.n_patch
    share = class_rollout(held_out_attention(reader))[:, -1, 1:]
    most, least = (np.argsort(one, axis=1, kind="stable") for one in (-share, share))
    pictures, labels = torch.from_numpy(digits.shades), torch.from_numpy(digits.labels)
    return {
        name: accuracy_without_patches(
            reader.model(), pictures, labels, torch.from_numpy(order), hidden_counts(n_patch), way
        )
        for name, order in zip(
            HIDING_ORDERS, (most, least, random_orders(len(share), n_patch, CURVE_SEED)), strict=True
        )
    }


@memoize(64)
def compare_guesses(reader: DigitReader, residual: float) -> GuessComparison:
    """Compare guesses and measurements over these digits."""
    first = np.abs(held_out_effects(reader, "removed")).argmax(1)
    shades = torch.from_numpy(evaluation_digits(reader.n_patch).shades)
    found = importance_guesses(held_out_attention(reader), shades, reader.patch_size, residual)
    correlation = {
        name: {way: mean_rank_correlation(guess, held_out_effects(reader, way))[0] for way in HIDING_WAYS}
        for name, guess in found.items()
    }
    of_first = found["ink"][np.arange(len(first)), first]
    return GuessComparison(len(first), int((of_first == 0).sum()), float((found["ink"] == 0).mean()), correlation)
