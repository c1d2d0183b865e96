"""How very small numbers are printed in texts."""


def tiny(value: float, digits: int = 1) -> str:
    """As 1.8e-15, with a hyphen at which no line breaks."""
    return f"{value:.{digits}e}".replace("-", "\u2011")
