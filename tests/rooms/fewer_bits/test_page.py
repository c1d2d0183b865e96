"""The room opens, hides what a guess is about, and says when a model is too large to be copied."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core.exhibit import NothingToShow
from core.rooms.fewer_bits import ROOM
from core.rooms.fewer_bits.compute import rounding
from tests.pages.rooms import clean, linked, text_of

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "today" / "fewer_bits.py"))


def test_a_guess_comes_first_and_then_it_is_told() -> None:
    words = text_of(clean(page().run()))
    assert "Make your guess" in words and "Fallen apart" not in words and "Rounded in every step" not in words
    test = clean(page(bits_guess="at 4 bits", train_guess="Just show me", bits_bits="2").run())
    assert [one.value.replace("\\", "") for one in test.subheader] == [one.exhibit().title for one in ROOM.exhibits]
    words = text_of(test)
    assert "You guessed: at 4 bits. The answer: at 2 bits." in words
    assert "The texts part at new token **1**" in words and "Rounded in every step" in words


def test_a_model_that_is_too_large_to_be_copied_is_refused() -> None:
    huge: Any = SimpleNamespace(parameters=lambda: [torch.empty(rounding.MOST + 1, device="meta")])
    with pytest.raises(NothingToShow, match="at most 200 million"):
        rounding.check_size(huge)
