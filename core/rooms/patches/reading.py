"""Which trained ViT the exhibits of this room look at, and what it makes of one picture."""

import numpy as np
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.data import images
from core.inspect.pictures import Picture
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.compute.patch_attention import PatchAttention, look
from core.rooms.patches.compute.patch_effect import attention_of
from core.ui.training.digit_reader import Reader
from core.ui.training.trained_models import MAX_RESULTS

VIT = "the vision transformer of “A ViT learns to read”"
FEW = 8  # results of 3 MB, or of 12 MB with 64 patches
DIGITS = tuple("0123456789")


@memoize(MAX_RESULTS)
def looked(reader: Reader, picture: Picture) -> PatchAttention:
    """One picture through the model."""
    return look(reader.vit, torch.from_numpy(picture.shades))


def held_out(reader: Reader) -> images.Digits:
    """The held-out digits that measurements over many pictures go over: with many patches, the first of them."""
    return patch_effect.enough_digits(reader.n_patch)


@memoize(FEW)
def held_out_attention(reader: Reader) -> NDArray[np.float32]:
    """(N, L, H, T, T) all weights of these digits."""
    return attention_of(reader.vit, torch.from_numpy(held_out(reader).shades))
