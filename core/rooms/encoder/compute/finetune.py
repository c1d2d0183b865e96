"""From pretraining to a task: the body of a BERT is kept, and its head is replaced."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.train.experiment import Record
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

HEAD = "head."
NO_LABEL = -100  # for tokens that don't count, such as padding


def from_pretrained(body: BERT, head: str, n_label: int, seed: int) -> BERT:
    """Return a model with a copy of this model's body and a new, randomly initialized head.

    Args:
        body: with any head; it is not changed.
        head: "sequence" or "tokens".

    Raises:
        ValueError: if there is no such head, or less than one label.
    """
    model: BERT = registry.build(replace(body.config, head=head, n_label=n_label), seed)
    learned = {name: w for name, w in body.state_dict().items() if not name.startswith(HEAD)}
    model.load_state_dict(learned, strict=False)  # copies; only the new head's weights are missing
    return model


def trainable_parameters(model: BERT, *, frozen: bool) -> dict[str, nn.Parameter]:
    """Return the parameters that fine-tuning updates: all, or only those of the head if the body is frozen."""
    return {name: w for name, w in model.named_parameters() if not frozen or name.startswith(HEAD)}


def classification_loss(logits: Float[Tensor, "B C"], labels: Int[Tensor, " B"]) -> Float[Tensor, ""]:
    """Return the mean negative log-probability of each text's label, in nats; a uniform guess has ln C."""
    return F.cross_entropy(logits.float(), labels)


def token_label_loss(logits: Float[Tensor, "B T C"], labels: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Return the mean negative log-probability of each token's label, in nats; `NO_LABEL` is ignored."""
    return F.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), ignore_index=NO_LABEL)


def rescale_weights(model: BERT, embedding: float) -> BERT:
    """Rescale a model's initial weights for a short run.

    Embeddings get the standard deviation `embedding`, matrices 1 / sqrt(their inputs). BERT's initialization, 0.02
    everywhere, is meant for a million steps; these models are trained for a few hundred.
    """
    with torch.no_grad():
        for name, w in model.named_parameters():
            if w.ndim == 2:
                w.mul_((embedding if "_emb." in name else w.shape[1] ** -0.5) / 0.02)
    return model


Parameters = Mapping[str, Tensor]


@torch.no_grad()
def round_to_record(model: nn.Module) -> None:
    """Round every parameter to the precision of a record."""
    for w in model.parameters():
        if w.ndim < 2:
            w.copy_(w.half().float())
        else:
            scale = _scale(w)
            w.copy_((w / scale).round() * scale)


@torch.no_grad()
def pack_parameters(parameters: Parameters, variant: str) -> dict[str, NDArray[np.generic]]:
    """Return three flat arrays, "model.<variant>.matrices", ".vectors" and ".scales"; few names keep a record small."""
    matrices = [w.detach() for _, w in sorted(parameters.items()) if w.ndim > 1]
    vectors = [w.detach().half().flatten() for _, w in sorted(parameters.items()) if w.ndim < 2]
    levels = [(w / _scale(w)).round().to(torch.int8).flatten() for w in matrices]
    return {
        f"model.{variant}.matrices": torch.cat(levels).numpy(),
        f"model.{variant}.vectors": torch.cat(vectors).numpy(),
        f"model.{variant}.scales": torch.stack([_scale(w) for w in matrices]).numpy(),
    }


def unpack_parameters(record: Record, variant: str, like: Parameters) -> dict[str, Float[Tensor, "..."]]:
    """Return the parameters that `pack_parameters` stored for this variant.

    Args:
        like: parameters of the same names and shapes; their values do not matter.
    """
    matrices, vectors, scales = (record[f"model.{variant}.{part}"] for part in ("matrices", "vectors", "scales"))
    found: dict[str, Tensor] = {}
    for name, place in sorted(like.items()):
        if place.ndim > 1:
            now, matrices = np.split(matrices, [place.numel()])
            values, scales = now.astype(np.float32) * scales[0], scales[1:]
        else:
            now, vectors = np.split(vectors, [place.numel()])
            values = now.astype(np.float32)
        found[name] = torch.from_numpy(values).view(place.shape)
    return found


def _scale(w: Float[Tensor, "..."]) -> Float[Tensor, ""]:
    return w.abs().max().clamp(min=1e-8) / 127


def bert_trainer(config: BERTConfig, seed: int, n_step: int) -> Trainer:
    """Return a trainer of a BERT with rescaled weights, with AdamW."""
    model = rescale_weights(registry.build(config, seed), 0.3)
    optimizer = AdamW(dict(model.named_parameters()), learning_rate=4e-3, betas=(0.9, 0.95))
    return Trainer(model, optimizer, constant_then_linear(n_step), n_step=n_step, clip=1.0)


@torch.no_grad()
def class_probabilities(models: Sequence[BERT], ids: Sequence[int]) -> NDArray[np.float32]:
    """Return the class probabilities of each model for one text (N, C)."""
    text = torch.tensor([list(ids)])
    return torch.cat([model(text).softmax(-1) for model in models]).numpy()


@torch.no_grad()
def word_label_probabilities(model: BERT, ids: Sequence[int]) -> NDArray[np.float32]:
    """Return the label probabilities of each word, without `<class>` (T, C).

    Args:
        model: with the head "tokens".
        ids: `<class>` first.
    """
    found: NDArray[np.float32] = model(torch.tensor([list(ids)])).softmax(-1)[0, 1:].numpy()
    return found
