"""One text read by any transformer: a GPT or a BERT as it is, an encoder-decoder by its encoder.

What looks inside (`core.inspect.trace` and all that stands on it) asks for a model with `blocks`, `tok_emb` and `mask`
that is called with ids alone. GPT and BERT are such models; of a T5 or a transformer of 2017 the encoder is one.
"""

from torch import nn

from core.models.family import Predicts
from core.models.registry import family_of


def reader_of(model: nn.Module) -> nn.Module:
    """The model as one that reads one text: itself, or the encoder of an encoder-decoder."""
    encoder = family_of(model).encoder
    return encoder(model) if encoder is not None and hasattr(model, "encoder") else model


def predicts(model: nn.Module) -> Predicts:
    """What the numbers say that a model gives for each token of its vocabulary at every position.

    "next": which token follows (a causal GPT); "here": which stands at this place (a BERT with its pre-training's
    head, a GPT that reads everything); "nothing": there are none, as the encoder of a T5 has no output layer, and a
    BERT for a task has other labels.
    """
    return family_of(model).predicts(model.config)
