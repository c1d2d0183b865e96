"""How to sample, as set by the learner: the sliders live in the picture, their values in the address."""

import math
from typing import Any

import streamlit as st

from core.generate.settings import Settings
from core.ui.controls import picks
from core.ui.text import escape_markdown, quote_briefly

MAX_TEMPERATURE = 10.0  # where every distribution of ours is flat


def take_settings(content: str) -> bool:
    """Move what was set in the picture since the last run into the address; True if there was something."""
    new = picks.news("next.distribution", content, "settings")
    if not isinstance(new, dict):
        return False
    changed = False
    for name, default in (("temperature", 1.0), ("top_k", 0), ("top_p", 1.0)):
        value = new.get(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        text = None if value == default else f"{value:.4g}"
        changed |= picks.remembered(name) != text
        picks.remember(name, text)
    return changed


def settings_in_force(vocab_size: int) -> Settings:
    """What the address says, each value checked; a wrong one is told in plain words and its default used."""
    return Settings(
        temperature=_number("temperature", 1.0, 0.0, MAX_TEMPERATURE),
        top_k=int(_number("top_k", 0, 0, vocab_size, whole=True)),
        top_p=_number("top_p", 1.0, 0.01, 1.0),
    )


def _number(name: str, default: float, low: float, high: float, *, whole: bool = False) -> float:
    text: Any = picks.remembered(name)
    if text is None:
        return default
    try:
        value = float(text[:40])
    except ValueError:
        value = math.nan
    if not low <= value <= high or (whole and value != int(value)):
        kind = "whole number" if whole else "number"
        st.warning(
            f"{name.replace('_', '-')}: {escape_markdown(quote_briefly(text))} is not a {kind} from {low:g} "
            f"to {high:g}, so the default, {default:g}, is used."
        )
        return default
    return value
