"""How to sample: temperature, top-k and top-p. The sliders live in the picture, their values in the address."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
import torch

from core.generate import filters
from core.ui import picks
from core.ui.text import escape_markdown, quote_briefly

MAX_TEMPERATURE = 10.0  # where every distribution of ours is flat


@dataclass(frozen=True)
class Settings:
    """What is done to the logits before the draw, in this order; the defaults change nothing.

    Attributes:
        temperature: 0 is greedy: the likeliest token each time.
        top_k: keep so many tokens; 0 keeps all.
        top_p: keep the likeliest tokens that together have this probability; 1 keeps all.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    @property
    def greedy(self) -> bool:
        return self.temperature == 0

    def filters(self) -> list[Callable[[torch.Tensor], torch.Tensor]]:
        """As `core.generate.decode.generate` takes them."""
        chain: list[Callable[[torch.Tensor], torch.Tensor]] = []
        if self.temperature not in (0, 1):
            chain.append(partial(filters.temperature, t=self.temperature))
        if self.top_k:
            chain.append(partial(filters.top_k, k=self.top_k))
        if self.top_p < 1:
            chain.append(partial(filters.top_p, p=self.top_p))
        return chain

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """(V,) what is drawn from: all filters, then the softmax."""
        x = torch.tensor(logits)  # a copy: what is shared is read-only
        if self.greedy:
            return np.eye(1, len(logits), int(x.argmax()))[0]
        for one in self.filters():
            x = one(x)
        return np.asarray(x.softmax(-1).numpy())

    @property
    def in_words(self) -> str:
        """For a caption."""
        if self.greedy:
            return "always the likeliest token (temperature 0)"
        parts = [f"temperature {self.temperature:g}"]
        parts += [f"top-k {self.top_k}"] if self.top_k else []
        parts += [f"top-p {self.top_p:g}"] if self.top_p < 1 else []
        return ", ".join(parts)


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
            f"to {high:g}. "
            f"The default, {default:g}, is used."
        )
        return default
    return value
