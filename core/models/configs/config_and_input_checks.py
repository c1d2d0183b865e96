"""Checks of sizes that the configs of all architectures share."""

from dataclasses import fields
from typing import Any, Protocol

from torch import Tensor

from core.data.checks import check_whole, describe_value
from core.nn import checks
from core.nn.block import BlockStyle


class ModelConfig(Protocol):
    """The sizes that the configs of models of text have in common."""

    @property
    def vocab_size(self) -> int: ...

    @property
    def context_length(self) -> int: ...

    @property
    def n_layer(self) -> int: ...

    @property
    def n_head(self) -> int: ...

    @property
    def d_model(self) -> int: ...

    @property
    def d_ff(self) -> int | None: ...

    @property
    def block(self) -> BlockStyle: ...


def check_sizes(config: Any, *may_be_0: str, d_head: int | None = None) -> None:
    """Check that every whole number of a config is at least 1 (0 for the given names), and that heads divide widths.

    d_head: width of a head; None means d_model / n_head.

    Raises:
        ValueError: if a size is too small, n_head does not divide d_model without d_head.
        TypeError: if a size is no whole number.
    """
    check_counts(config, *may_be_0)
    n_head = getattr(config, "n_head", None)  # a recurrent net has no heads, a net of several stages one number each
    if isinstance(n_head, int) and d_head is None and config.d_model % n_head:
        raise ValueError(f"d_model={config.d_model} is not divisible by n_head={n_head}")


def check_counts(config: Any, *may_be_0: str) -> None:
    """Check that every whole number of a config is at least 1, or 0 for the given names. None means "not set".

    Raises:
        ValueError: if a number is too small.
        TypeError: if it isn't a whole number.
    """
    for field in fields(config):
        value = getattr(config, field.name)
        if field.type is int or (field.type == int | None and value is not None):
            check_whole(field.name, value, 0 if field.name in may_be_0 else 1)


def check_ids(ids: Tensor, vocab_size: int, name: str = "ids") -> None:
    """Check that tokens (B, T) are ids of the vocabulary; on a GPU, see `core.nn.checks.check_id_range`.

    Raises:
        TypeError: if they are no torch tensor of whole numbers.
        ValueError: if they are not (B, T), or the model does not know one.
    """
    if not isinstance(ids, Tensor):
        raise TypeError(f"{name} must be a torch tensor of token ids (B, T), not {describe_value(ids)}")
    checks.as_ids(name, ids, "(B, T), one row for each text", 2)
    checks.check_id_range(name, ids, vocab_size)


def check_length(config: ModelConfig, ids: Tensor) -> None:
    """Check that a learned position table has a row for each token. Raises ValueError if there are more tokens."""
    if ids.shape[1] > config.context_length:
        raise ValueError(f"{ids.shape[1]} tokens do not fit context_length={config.context_length}")


def check_pictures(config: Any, images: Tensor) -> None:
    """Check that pictures (B, C, Y, X) have the config's n_channel and image_size. Raises ValueError or TypeError."""
    checks.check_floats("images", images, "(B, C, Y, X)", 4)
    expected = (config.n_channel, config.image_size, config.image_size)
    if tuple(images.shape[1:]) != expected:
        raise ValueError(f"pictures of shape {tuple(images.shape[1:])} do not fit the model's {expected}")
