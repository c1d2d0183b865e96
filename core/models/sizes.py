"""What the configs of all architectures ask of their sizes."""

from typing import Any


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
