"""Every badge that the rooms show: a visitor asks, and the second pass agrees with what is on screen."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.ui.framing import unpack
from tests.pages.rooms import clean, linked

pytestmark = pytest.mark.usefixtures("data")
ROOT = Path(__file__).resolve().parents[2]
CLOSE = 2e-5
ROOMS = {
    "pages/attention/heads.py": {"blocks.1.attn.weights"},
    "pages/attention/masks.py": {"blocks.0.attn.scores", "blocks.0.attn.weights"},
    "pages/before/recurrent.py": {"blocks.0.h"},
    "pages/before/seq2seq.py": {"decoder.attn.weights"},
    "pages/families/encoder_decoder.py": {"decoder.blocks.1.cross_attn.weights"},
    "pages/families/encoder.py": {"blocks.1.attn.weights"},
    "pages/images/patches.py": {"blocks.1.attn.weights"},
}


def badges(test: AppTest) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(key, header, arrays) of every matrix with a badge."""
    found = []
    for one in test.get("bidi_component"):
        if one.proto.component_name.endswith("_matrix"):
            header, arrays = unpack(one.proto.bytes)
            if "badge" in header:
                found.append((one.proto.id.split("-", 2)[2], header, arrays))
    return found


@pytest.mark.parametrize("page", ROOMS)
def test_every_badge_recomputed(page: str) -> None:
    test = clean(linked(str(ROOT / page)).run())
    unasked = badges(test)
    assert {header["badge"]["tensor"] for _, header, _ in unasked} == ROOMS[page]
    assert not any("found" in header["badge"] or "again" in arrays for _, header, arrays in unasked)
    for key, header, _ in unasked:
        name = header["badge"]["tensor"].rpartition(".")[2]
        assert f'tap(self, "{name}"' in header["badge"]["line"]
        assert header["badge"]["can"], header["badge"]["why_not"]
        test.session_state[key] = {"check": {"of": header["badge"]["token"]}}
    clean(test.run())
    for _, header, arrays in badges(test):
        badge = header["badge"]
        assert "failed" not in badge
        assert badge["found"]["largest"] < CLOSE, badge
        assert np.abs(arrays["difference"]).max() < CLOSE
        shown = np.where(arrays.get("empty", 0), arrays["again"], arrays["values"])
        assert np.abs(arrays["again"] - shown).max() < CLOSE
