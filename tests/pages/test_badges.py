"""Every badge of every exhibit: a visitor asks, and the second pass agrees with what is on screen."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.exhibit import SHOW, label_of
from tests.drawn import drawn, guess_of
from tests.pages.choices import shown
from tests.pages.rooms import clean

pytestmark = pytest.mark.usefixtures("data")
CLOSE = 2e-5
WITH_BADGES = ["recurrent.unrolled", "seq2seq.override", "choosing.fix-the-code", "masks.kinds-of-masks",
               "masks.draw-your-own", "masks.where-the-mask-belongs", "heads.one-head", "heads.set-a-row",
               "heads.attention-rollout", "work.three-switches", "work.explanation", "families.who-reads",
               "encoder.directions", "encoder.class-attention", "encoder-decoder.swap", "encoder-decoder.maps",
               "patches.attention", "patches.rollout"]  # fmt: skip
# What the app makes of a model's tensors: words of the line that does it.
DERIVED = {"rollout": "@ so_far", "four_ways": "return", "measured_reach": "changes[:, s] ="}


def badges(test: AppTest) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(key, header, arrays) of every matrix, and every grid of pictures with weights, that has a badge."""
    found = []
    for one in test.get("bidi_component"):
        if one.proto.component_name.endswith(("_matrix", "_pictures")):
            header, arrays = shown(one.proto.bytes, test)
            if header.get("badge"):
                found.append((one.proto.id.split("-", 2)[2], header, arrays))
    return found


@pytest.mark.parametrize("name", WITH_BADGES)
def test_every_badge_recomputed(name: str) -> None:
    guess = guess_of(name)
    address = {} if guess is None else {str(guess.name): label_of(guess, SHOW)}
    test = clean(drawn(name, depth="numbers", **address).test)
    unasked = badges(test)
    assert unasked and not any("found" in header["badge"] or "again" in arrays for _, header, arrays in unasked)
    for key, header, _ in unasked:
        badge = header["badge"]
        words = DERIVED.get(badge["tensor"], f'tap(self, "{badge["tensor"].rpartition(".")[2].removesuffix(")")}"')
        assert words in badge["line"]
        assert badge["can"] or badge["why_not"]
        test.session_state[key] = {"check": {"of": badge["token"]}}
    asked = badges(clean(test.run()))
    assert len(asked) == len(unasked)
    for _, header, arrays in asked:
        badge = header["badge"]
        if not badge["can"]:
            continue
        assert "failed" not in badge
        assert badge["found"]["largest"] < CLOSE, badge
        assert np.abs(arrays["difference"]).max() < CLOSE
        values = arrays["values"] if "values" in arrays else arrays["weights"].reshape(arrays["again"].shape)
        seen = np.where(arrays.get("empty", 0), arrays["again"], values)
        assert np.abs(arrays["again"] - seen).max() < CLOSE
