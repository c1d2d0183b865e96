"""How many tokens a picture becomes, how wide they are, and what a lecture note says about both."""

from collections.abc import Iterable

import streamlit as st

from core.models.configs.presets import PRESETS
from core.models.vit import ViTConfig
from core.rooms.patches.experiments import digits
from core.ui.frame import layout

COUNTED = (2, 4, 8, 16, 32)  # patch sizes of the table of tokens


def ratio(n_number: int, d_model: int) -> str:
    """How the width of a token compares with the numbers of its patch."""
    if n_number == d_model:
        return "as wide as before"
    wider = d_model > n_number
    times = d_model / n_number if wider else n_number / d_model
    return f"{times:.3g} times {'wider' if wider else 'narrower'}"


def counts(shown: ViTConfig, sizes: Iterable[int]) -> None:
    """Draw tokens by size of picture and patch, widths of published models, and two slips of a lecture note.

    Args:
        shown: the ViT that is looked at.
        sizes: of pictures.
    """
    rows = [("**this one**", shown), ("trained here", digits.config())]
    rows += [(one.title, one.config) for one in PRESETS.values() if one.family == "ViT"]
    table = "| model | tokens | a patch | a token | factor |\n|---|--:|--:|--:|--:|\n"
    for name, one in rows:
        n_number = one.n_channel * one.patch_size**2
        table += f"| {name} | {1 + one.n_patch} | {n_number} | {one.d_model:,} | {one.d_model / n_number:.3g} |\n"
    tokens = f"| picture | {' | '.join(f'{p}²' for p in COUNTED)} |\n|---|{'--:|' * len(COUNTED)}\n"
    for size in sizes:
        cells = (f"{1 + (size // p) ** 2:,}" if size % p == 0 else "–" for p in COUNTED)
        tokens += f"| {size}² | {' | '.join(cells)} |\n"
    base, huge = PRESETS["vit-b-16"].config, PRESETS["vit-h-14"].config
    left, right = layout.pair("cut-counts")
    with left:
        st.markdown(f"**Tokens**, by the size of the picture and of a patch (8² is 8 × 8 pixels)\n\n{tokens}")
    with right:
        st.markdown(f"**Numbers** in a patch and in a token. The lower five are published, for 224² pixels\n\n{table}")
    st.markdown(
        "Two things are often written misleadingly. A lecture note says that the picture is cut into “16 × 16 "
        f"patches”. It means patches **of** 16 × 16 pixels: 14 × 14 = {base.n_patch} of them. 16 by 16 patches would "
        f"be {huge.n_patch}, each of 14 × 14 pixels: that's another model, ViT-H/14. And each patch is said to be "
        "“mapped to a lower dimension”. Some models do that; the table shows others that keep the width or widen it."
    )
