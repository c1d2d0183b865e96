"""What the configs of all architectures ask of their sizes."""

from typing import Any

from torch import Tensor


def check_positive(config: Any, *names: str) -> None:
    """Every size is at least 1; one that is None is not set, and stands for what the config's own text says.

    Args:
        config: of any architecture.
        names: of its sizes.

    Raises:
        ValueError: if one is 0 or less.
    """
    for name in names:
        value = getattr(config, name)
        if value is not None and value < 1:
            raise ValueError(f"{name}={value} must be at least 1")


def check_heads(config: Any) -> None:
    """The heads share the width of the stream evenly.

    Raises:
        ValueError: if n_head does not divide d_model.
    """
    if config.d_model % config.n_head:
        raise ValueError(f"d_model={config.d_model} is not divisible by n_head={config.n_head}")


def check_pictures(config: Any, images: Tensor) -> None:
    """Pictures (B, C, Y, X) are of the size that a model of them was made for.

    Args:
        config: with n_channel and image_size.

    Raises:
        ValueError: if they are not.
    """
    expected = (config.n_channel, config.image_size, config.image_size)
    if tuple(images.shape[1:]) != expected:
        raise ValueError(f"pictures of shape {tuple(images.shape[1:])} do not fit the model's {expected}")
