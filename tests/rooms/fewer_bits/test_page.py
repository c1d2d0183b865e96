"""The room opens, hides what a guess is about, and says when a model is too large to be copied."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core.exhibit import NothingToShow
from core.rooms.fewer_bits.compute import rounding
from tests.pages.rooms import linked

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "today" / "fewer_bits.py"))


def test_a_model_that_is_too_large_to_be_copied_is_refused() -> None:
    huge: Any = SimpleNamespace(parameters=lambda: [torch.empty(rounding.MAX_PARAMETERS + 1, device="meta")])
    with pytest.raises(NothingToShow, match="at most 200 million"):
        rounding.check_copy_size(huge)
