"""What the exhibits of this room share: even widths, and how very small numbers are printed."""


def tiny(value: float, digits: int = 1) -> str:
    """As 1.8e-15, with a hyphen at which no line breaks; what is not small as 0.213."""
    if value >= 0.001:
        return f"{value:.3f}"
    return f"{value:.{digits}e}".replace("-", "\u2011")


def even(value: float) -> int:
    """The next lower even number: a link can name an odd width, and positions are made of pairs."""
    return int(value) // 2 * 2
