"""A GPT of ours in the files of a GPT-2 as strangers share it: other names, some tables glued together or turned."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from core.models import pretrained
from core.models.imports import tensor_plan
from core.models.imports.decoders import gpt2


def _transposed(x: Tensor) -> Tensor:
    return x.T if x.ndim == 2 else x


# From ours to theirs.
BACK: Mapping[tensor_plan.Layout, Callable[[list[Tensor]], Tensor]] = MappingProxyType(
    {
        tensor_plan.SAME: lambda ours: ours[0],
        tensor_plan.TRANSPOSED: lambda ours: _transposed(ours[0]),
        tensor_plan.THIRDS: lambda ours: torch.cat([_transposed(one) for one in ours], -1),
    }
)


def as_gpt2(folder: Path) -> dict[str, bytes]:
    """The files of a folder of ours, as a GPT-2's: its config, its weights, and what tells of tokens and training.

    Raises:
        ValueError: if a GPT-2 has no name for a part of the model.
    """
    found = pretrained.load(folder)
    state = dict(found.model.named_parameters())
    places = tensor_plan.places(gpt2.BODY, found.model)
    if {name for place in places.values() for name in place.ours} != set(state):
        raise ValueError("a GPT-2 has no names for all parts of this model")
    weights = {
        name if name.startswith("lm_head") else f"{gpt2.FAMILY.prefix}{name}": BACK[place.layout](
            [state[one].detach() for one in place.ours]
        ).contiguous()
        for name, place in places.items()
    }
    files = {"config.json": json.dumps(_config(found.config)).encode(), "model.safetensors": save(weights)}
    return files | {name: (folder / name).read_bytes() for name in ("tokenizer.json", "recipe.json")}


def _config(ours: Any) -> dict[str, Any]:
    return {
        "model_type": "gpt2",
        "vocab_size": ours.vocab_size,
        "n_positions": ours.context_length,
        "n_layer": ours.n_layer,
        "n_head": ours.n_head,
        "n_embd": ours.d_model,
        "n_inner": ours.d_ff,
        "activation_function": ours.block.activation,
        "layer_norm_epsilon": ours.block.eps or 1e-5,
        "tie_word_embeddings": ours.tied,
    }
