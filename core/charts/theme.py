"""All colors of the app: scales, categories and the accent, for the light and the dark theme.

Plain Python lists, so that charts, widgets and the Streamlit theme can all read them. The browser widgets use a
generated copy, `assets/widgets/drawing/theme.js`; `python -m core.charts.theme > that file` writes it
and a test compares the two.
"""

import json
from typing import Final, Literal

ThemeMode = Literal["light", "dark"]

# Ten steps each, because Streamlit takes exactly ten. Lightness rises or falls monotonically, so the scale also
# works in gray and for color-blind eyes; 0 is close to the page in both modes, so ink means weight.
# Source: after "mako" of seaborn (M. Waskom), in reverse order on a light page.
_SEQUENTIAL: Final = {
    "light": (
        "#F1F6F4", "#D5EDE0", "#A6DEC4", "#6CCBB2", "#42B2AC", "#3596A6", "#35789F", "#3B5A97", "#3D3F7C",
        "#2E2450",
    ),
    "dark": (
        "#1B1F2E", "#28294C", "#34396F", "#39508F", "#366B9C", "#3587A4", "#39A3AB", "#53BEAD", "#92D8B4",
        "#E4F7E8",
    ),
}  # fmt: skip

# Negative is orange, positive is purple, zero is the page.  Source: PuOr of ColorBrewer (C. Brewer); the dark set
# keeps the hues and reverses the lightness.
_DIVERGING: Final = {
    "light": (
        "#7F3B08", "#B35806", "#E08214", "#FDB863", "#FEE0B6", "#F7F7F7", "#D8DAEB", "#B2ABD2", "#8073AC",
        "#542788", "#2D004B",
    ),
    "dark": (
        "#FFE3BD", "#FDC47E", "#EB9A3A", "#B96A17", "#65401C", "#1E2130", "#40386B", "#6857A5", "#9284C6",
        "#BDB3E3", "#E7E1FA",
    ),
}  # fmt: skip

# Source: Okabe and Ito, "Color Universal Design" (2008); the dark set is lifted to 4.5:1 on a dark page.
_CATEGORICAL: Final = {
    "light": ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A7A00", "#4D4D4D"),
    "dark": ("#56B4E9", "#F28E4B", "#2FC79B", "#E29CC4", "#F2B83D", "#8FCBF2", "#F0E442", "#C9CCD6"),
}

# The page behind charts, as `.streamlit/config.toml` sets it.
_PAGE: Final = {"light": "#FBFAF6", "dark": "#0A111C"}

_ACCENT: Final = {"light": "#C2410C", "dark": "#FF9D5C"}


def sequential_colors(mode: ThemeMode = "light") -> list[str]:
    """Return ten colors from 0 to 1, for probabilities and other values that start at 0."""
    return list(_SEQUENTIAL[mode])


def _diverging_colors(mode: ThemeMode = "light") -> list[str]:
    """Return eleven colors from -limit to +limit; the sixth is zero."""
    return list(_DIVERGING[mode])


def categorical_colors(mode: ThemeMode = "light") -> list[str]:
    """Return eight colors that color-blind people can distinguish. Always add dashes or letters as a second sign."""
    return list(_CATEGORICAL[mode])


def accent_color(mode: ThemeMode = "light") -> str:
    """Return the color of hovered, selected or pressed elements."""
    return _ACCENT[mode]


def page_color(mode: ThemeMode = "light") -> str:
    """Return the color of the page, for a rim around text over lines."""
    return _PAGE[mode]


def _theme_as_javascript() -> str:
    """Return the text of `assets/widgets/drawing/theme.js`, the same colors as an ES module."""
    modes: tuple[ThemeMode, ThemeMode] = ("light", "dark")
    colors = {
        mode: {
            "sequential": sequential_colors(mode),
            "diverging": _diverging_colors(mode),
            "categorical": categorical_colors(mode),
            "accent": accent_color(mode),
        }
        for mode in modes
    }
    modes_text = "".join(
        f"  {mode}: {{\n" + "".join(f"    {name}: {json.dumps(one)},\n" for name, one in scales.items()) + "  },\n"
        for mode, scales in colors.items()
    )
    return (
        "// Generated from core/charts/theme.py; change the colors there, then run\n"
        "// python -m core.charts.theme > assets/widgets/drawing/theme.js\n"
        "// prettier-ignore\n"
        f"export const COLORS = {{\n{modes_text}}};\n"
    )


if __name__ == "__main__":
    print(_theme_as_javascript(), end="")
