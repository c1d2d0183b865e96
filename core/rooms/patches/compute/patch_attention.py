"""One picture through a ViT: the attention of all its tokens in every head, and the model's answer."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.exhibit import memoize
from core.inspect.attention_record import score_scale_of, stack_layers, to_numpy
from core.inspect.model_inputs.input_pictures import InputPicture
from core.models.images.vit import ViT
from core.nn.tap import Trace
from core.train.experiments.digit_reader import DigitReader

Array = NDArray[np.float32]


@dataclass(frozen=True)
class PatchAttention:
    """Attention on one picture in one ViT. Token 0 is the class token, followed by P patches: T = 1 + P."""

    weights: Array  # (L, H, T, T) rows sum to 1
    q: Array  # q, k: (L, H, T, K) queries and keys
    k: Array
    scale: float  # factor of their dot products
    probabilities: Array  # (N,) the answer

    def strongest_patch(self, layer: int, head: int, token: int = 0) -> int:
        """Return the patch with a token's largest weight in a head."""
        return int(self.weights[layer, head, token, 1:].argmax())


@torch.no_grad()
def record_patch_attention(model: ViT, image: Float[Tensor, "1 C Y X"]) -> PatchAttention:
    """Run the model on the picture once and record its attention.

    Raises:
        ValueError: if the picture is not of the model's size.
    """
    with Trace(model) as trace:
        logits = model(image)
    return PatchAttention(
        weights=stack_layers(trace, "attn.weights"),
        q=stack_layers(trace, "attn.q"),
        k=stack_layers(trace, "attn.k"),
        scale=score_scale_of(model),
        probabilities=to_numpy(logits[0].softmax(-1)),
    )


@memoize(64)
def cached_patch_attention(reader: DigitReader, picture: InputPicture) -> PatchAttention:
    """Run the trained model on one picture."""
    return record_patch_attention(reader.model(), torch.from_numpy(picture.shades))
