"""Every badge that the rooms show: a visitor asks, and the second pass agrees with what is on screen."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.choices import shown
from tests.pages.rooms import clean, linked

pytestmark = pytest.mark.usefixtures("data")
ROOT = Path(__file__).resolve().parents[2]
CLOSE = 2e-5
ROOMS = {
    "pages/attention/heads.py": {"blocks.1.attn.weights", "rollout"},
    "pages/attention/masks.py": {"blocks.0.attn.scores", "blocks.0.attn.weights", "four_ways", "measured_reach"},
    "pages/before/recurrent.py": {"blocks.0.h"},
    "pages/before/seq2seq.py": {"decoder.attn.weights"},
    "pages/families/encoder_decoder.py": {"decoder.blocks.1.cross_attn.weights"},
    "pages/families/encoder.py": {"blocks.0.attn.weights", "blocks.1.attn.weights"},
    "pages/families/table.py": {
        "blocks.1.attn.weights",
        "decoder.blocks.0.attn.weights",
        "decoder.blocks.0.cross_attn.weights",
        "encoder.blocks.0.attn.weights",
    },
    "pages/images/patches.py": {
        "blocks.1.attn.weights",
        "concat(blocks.0.attn.weights, blocks.1.attn.weights)",
        "rollout",
    },
}
# What the app makes of a model's tensors: words of the line that does it.
DERIVED = {"rollout": "@ so_far", "four_ways": "return", "measured_reach": "changes[:, s] ="}
MEASURED = {"measured_reach"}  # on a model that was changed, or a text that was: no second pass


def badges(test: AppTest) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(key, header, arrays) of every matrix, and every grid of pictures with weights, that has a badge."""
    found = []
    for one in test.get("bidi_component"):
        if one.proto.component_name.endswith(("_matrix", "_pictures")):
            header, arrays = shown(one.proto.bytes, test)
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
        tensor = header["badge"]["tensor"]
        words = DERIVED.get(tensor, f'tap(self, "{tensor.rpartition(".")[2].removesuffix(")")}"')
        assert words in header["badge"]["line"]
        if tensor in MEASURED:
            assert not header["badge"]["can"] and header["badge"]["why_not"]
            continue
        assert header["badge"]["can"], header["badge"]["why_not"]
        test.session_state[key] = {"check": {"of": header["badge"]["token"]}}
    clean(test.run())
    for _, header, arrays in badges(test):
        badge = header["badge"]
        if badge["tensor"] in MEASURED:
            continue
        assert "failed" not in badge
        assert badge["found"]["largest"] < CLOSE, badge
        assert np.abs(arrays["difference"]).max() < CLOSE
        values = arrays["values"] if "values" in arrays else arrays["weights"].reshape(arrays["again"].shape)
        shown = np.where(arrays.get("empty", 0), arrays["again"], values)
        assert np.abs(arrays["again"] - shown).max() < CLOSE
