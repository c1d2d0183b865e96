"""The soft dictionary: attention with a temperature, its two limits, and the browser's own computation of it."""

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rooms.step_by_step.compute.soft_lookup import (
    COLDEST,
    HOTTEST,
    NAMES,
    Dictionary,
    check,
    default,
    flat,
    look_up,
    pack,
    parse,
)

ROOT = Path(__file__).parents[3]
NUMBER = st.floats(-9, 9).map(lambda one: round(one, 2))


@st.composite
def dictionaries(draw: Any) -> Dictionary:
    d_key = draw(st.sampled_from((2, 3)))
    vector = st.tuples(*[NUMBER] * d_key)
    entries = st.tuples(*[vector] * len(NAMES))
    temperature = draw(st.floats(COLDEST, HOTTEST).map(lambda one: round(one, 3)))
    return Dictionary(draw(vector), draw(entries), draw(entries), temperature)


@given(dictionaries())
def test_weights_are_shares_and_the_answer_lies_between_the_values(asked: Dictionary) -> None:
    answer = look_up(asked)
    assert answer.weights.sum() == pytest.approx(1)
    values = np.array(asked.values)
    assert (answer.soft <= values.max(0) + 1e-9).all() and (answer.soft >= values.min(0) - 1e-9).all()
    plain = np.exp((answer.scores - answer.scores.max()) / asked.temperature)
    np.testing.assert_allclose(answer.weights, plain / plain.sum(), atol=1e-12)


def test_equal_scores_share_evenly_however_cold() -> None:
    one = default(2)
    tied = look_up(Dictionary((1.0, 1.0), one.keys, one.values, COLDEST))
    assert tied.best == (0, 1)
    np.testing.assert_allclose(tied.weights, [0.5, 0.5, 0, 0], atol=1e-9)
    assert tuple(tied.hard) == one.values[0]


@given(dictionaries())
def test_a_dictionary_travels_in_an_address(asked: Dictionary) -> None:
    again = parse(pack(asked), len(asked.query))
    assert again is not None
    np.testing.assert_allclose(flat(again), flat(asked))
    assert check(flat(asked), len(asked.query)) == again


@pytest.mark.parametrize(
    "text", ["", "x", "1", "1~2", "nan" + "~1" * 18, "0" + "~1" * 18, "1" + "~99" * 18, "1" * 5000]
)
def test_a_broken_link_is_refused(text: str) -> None:
    assert parse(text, 2) is None


@pytest.mark.parametrize("given", [None, {}, [1] * 18, [1, *[True] * 18], [math.inf] * 19, ["1"] * 19, [-1.0] * 19])
def test_forged_numbers_are_refused(given: Any) -> None:
    assert check(given, 2) is None


def test_the_browser_computes_the_same(node: str, tmp_path: Path) -> None:
    """Node runs the widget's own arithmetic and compares it with `attend`."""
    rng, cases = np.random.default_rng(0), []
    for d_key in (2, 3):
        for temperature in (COLDEST, 0.3, 1, math.sqrt(d_key), HOTTEST):
            numbers = [round(temperature, 3), *rng.normal(0, 2, d_key * 9).round(2).clip(-9, 9).tolist()]
            asked = check(numbers, d_key)
            assert asked is not None
            answer = look_up(asked)
            names = ("scores", "weights", "soft", "hard", "mean")
            cases.append(
                {"numbers": flat(asked), "d_key": d_key, **{name: getattr(answer, name).tolist() for name in names}}
            )
    (tmp_path / "lookups.json").write_text(json.dumps(cases))
    script = Path(__file__).with_name("lookup_parity.mjs")
    environment = os.environ | {"LOOKUPS": str(tmp_path)}
    done = subprocess.run([node, "--test", str(script)], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
