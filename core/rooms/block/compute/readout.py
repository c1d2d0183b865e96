"""The residual stream of a block, read out with the model's output layer: how far each sum points to the next token."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.exhibit import MAX_TRACES, memoize
from core.inspect.attention_record import as_batch
from core.inspect.logit_lens import readout_logits
from core.inspect.model_inputs.model_and_text import ModelAndText, model_prediction_kind
from core.rooms.block.compute.residual_stream import cached_block_record


@dataclass(frozen=True)
class BlockReadout:
    """The token that the model expects after each token, and its score and chance read out of each stream row."""

    expected: tuple[int, ...]  # (T,) id of the most probable next token at the model's output
    scores: NDArray[np.float32]  # (T, n) its logit read out of the n rows of the stream: before, between and after
    chances: NDArray[np.float32]  # (T, n) its probability


@memoize(MAX_TRACES)
@torch.no_grad()
def cached_block_readout(given: ModelAndText, layer: int) -> BlockReadout | None:
    """Return the readouts of one block; None for a model that doesn't predict the next token from a sum.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    model, block = given.model, cached_block_record(given, layer)
    if not block.is_sum or model_prediction_kind(given.key) != "next":
        return None
    expected = model(as_batch(model, given.ids))[0].argmax(-1)  # (T,)
    scores, chances = [], []
    for stage in block.stages:
        if stage.kind != "stream":
            continue
        stream = torch.tensor(stage.vectors).to(next(model.parameters()))
        logits = readout_logits(model, stream).float()  # (T, V): one row at a time, because V may be large
        scores.append(logits.gather(-1, expected[:, None])[:, 0].cpu().numpy())
        chances.append(logits.softmax(-1).gather(-1, expected[:, None])[:, 0].cpu().numpy())
    return BlockReadout(tuple(expected.tolist()), np.stack(scores, -1), np.stack(chances, -1))
