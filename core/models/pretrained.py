"""A folder with weights becomes a model, or is refused in plain words. Nothing in the folder can run.

Ours: config.json (with "kind"), model.safetensors, tokenizer.json. Hugging Face's GPT-2: config.json (with
"model_type"), model.safetensors; its tokenizer is not read.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.data import tokenizers
from core.models import import_gpt2, registry
from core.models.weights_file import ImportRefused, check_names, read_header, read_json, read_tensor

__all__ = ["ImportRefused", "Pretrained", "load"]

WEIGHTS = "model.safetensors"
# Sizes beyond these are refused before anything is built. The file bounds what the weights take; these bound the rest.
LIMITS = {"n_layer": 1_000, "n_head": 10_000, "d_model": 100_000, "d_ff": 1_000_000, "vocab_size": 10_000_000,
          "context_length": 1_000_000}  # fmt: skip


@dataclass(frozen=True)
class Pretrained:
    """A model ready to look at: evaluation mode, no gradients. Shared by all who look; never train or edit it.

    Args:
        model: the network.
        tokenizer: what made its ids, or None where the folder has none that we read.
        config: its config, see `core.models.registry.CONFIGS`.
    """

    model: nn.Module
    tokenizer: tokenizers.Tokenizer | None
    config: Any


def load(folder: Path | str) -> Pretrained:
    """Read a model from a folder.

    All that can be checked is checked before memory is taken: sizes, the header, and each tensor's name, shape and
    type; then each number must be finite. Half precision becomes float32.

    Args:
        folder: ours, or a Hugging Face GPT-2's.

    Raises:
        ImportRefused: if the folder holds no model that we can read; the message says why.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ImportRefused(f"there is no folder {folder.name}")
    values = read_json(folder / "config.json")
    ours = "kind" in values
    if not ours and values.get("model_type") != "gpt2":
        kind = values.get("model_type")
        raise ImportRefused(f"a model of type {str(kind)[:40]!r} cannot be read here; Glassformer's own and gpt2 can")
    config = _config(values if ours else import_gpt2.config_fields(values))
    _check_weights_exist(folder)
    model = registry.empty(config)
    weights = _own_weights(folder / WEIGHTS, model) if ours else _gpt2_weights(folder / WEIGHTS, config)
    _fill(model, weights)
    return Pretrained(model, _tokenizer(folder, config) if ours else None, config)


def _config(values: dict[str, Any]) -> Any:
    for name, limit in LIMITS.items():
        value = values.get(name)
        if isinstance(value, int | float) and not value <= limit:
            raise ImportRefused(f"{name}={value!s:.20} is too large: at most {limit:,} are read")
    try:
        return registry.from_dict(values)
    except (ValueError, TypeError) as error:
        raise ImportRefused(f"config.json does not fit: {str(error)[:300]}") from error


def _check_weights_exist(folder: Path) -> None:
    if (folder / WEIGHTS).is_file():
        return
    if (folder / f"{WEIGHTS}.index.json").exists():
        raise ImportRefused(f"the weights are in several files; only one {WEIGHTS} is read")
    if any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth")):
        raise ImportRefused(
            f"there is no {WEIGHTS}; files of pickled weights (.bin, .pt, .pth) can run programs when opened "
            "and are never read here"
        )
    raise ImportRefused(f"there is no file {WEIGHTS}")


def _own_weights(path: Path, model: nn.Module) -> dict[str, Tensor]:
    entries = read_header(path)
    required = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    every = {name: tuple(parameter.shape) for name, parameter in model.named_parameters(remove_duplicate=False)}
    check_names(entries, required, every)
    return {name: read_tensor(path, name, entry) for name, entry in entries.items()}


def _gpt2_weights(path: Path, config: Any) -> dict[str, Tensor]:
    entries = read_header(path)
    names = import_gpt2.without_prefix(entries)
    check_names({plain: entries[name] for plain, name in names.items()}, *import_gpt2.shapes(config))
    weights: dict[str, Tensor] = {}
    for plain, name in names.items():
        weights |= import_gpt2.rename(plain, read_tensor(path, name, entries[name]))
    return weights


def _fill(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Give the empty model its weights, for looking only."""
    registry.fill(model, weights)
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if name in weights and weights[name] is not parameter and not torch.equal(weights[name], parameter):
            raise ImportRefused(f"{name} should be the same as the weights it is tied to, and is not")
    model.requires_grad_(False)
    model.eval()


def _tokenizer(folder: Path, config: Any) -> tokenizers.Tokenizer | None:
    if not (folder / "tokenizer.json").is_file():
        return None
    try:
        tokenizer = tokenizers.load(folder)
    except (ValueError, KeyError, TypeError) as error:
        raise ImportRefused(f"the tokenizer cannot be read: {str(error)[:300]}") from error
    if tokenizer.vocab_size > config.vocab_size:
        raise ImportRefused(f"the tokenizer has {tokenizer.vocab_size} tokens, the model knows {config.vocab_size}")
    return tokenizer
