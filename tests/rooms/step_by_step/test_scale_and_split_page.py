"""Two exhibits of attention step by step, by themselves: why the square root, and many heads; their claims too."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.step_by_step import root, scale, split
from tests.pages.rooms import clean, text_of


def _app() -> None:
    from core.rooms.step_by_step import ROOM

    for name in ("why-the-root", "where-the-root-stands", "many-heads"):
        ROOM.show(name)


def page(**address: str) -> AppTest:
    test = AppTest.from_function(_app, default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    return test


@pytest.fixture(scope="module")
def opened() -> AppTest:
    return clean(page().run())


def test_opens_with_a_result(opened: AppTest) -> None:
    assert "have variance **65.8** without the root" in text_of(opened)
    assert "rows sum to **0.125**" in text_of(opened)
    assert "786,432" in text_of(opened)
    assert "98,304" in text_of(opened)


@pytest.mark.parametrize("key", ["scale_width", "scale_query", "root_width"])
def test_sliders_to_both_ends(opened: AppTest, key: str) -> None:
    for end in ("min", "max"):
        clean(opened.slider(key=key).set_value(getattr(opened.slider(key=key), end)).run())


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("root_wrong", ["none", "outside"]),
        ("split_view", ["reach", "mixed", "weights"]),
        ("split_width", [8, 64, 32, 16]),
        ("split_heads", [1, 8, 2]),
    ],
)
def test_every_choice(opened: AppTest, key: str, values: list[Any]) -> None:
    for value in values:
        clean(opened.button_group(key=key).set_value(value).run())


@pytest.mark.parametrize("view", ["What a head can see", "What the output matrix is for"])
def test_a_head_sees_its_own_part(view: str) -> None:
    test = clean(page(split_view=view, split_width="64", split_heads="8").run())
    told = text_of(test)
    assert "**64 of 64**" in told
    assert "**8**" in told or "**8 of 64**" in told


def test_claims_of_the_root() -> None:
    found = scale.compute(scale.Inputs(d_k=16))
    narrow, wide = found.curve[0], found.curve[-1]
    assert (round(narrow.top[0], 2), round(wide.top[0], 2)) == (0.31, 0.93)
    assert wide.saturated[0] > 0.5 and wide.saturated[1] == 0
    assert (round(wide.jacobian[0], 2), round(wide.jacobian[1], 2)) == (0.09, 0.18)
    assert (round(wide.gradient_median[0], 2), round(wide.gradient_median[1], 2)) == (0.08, 0.16)
    assert (round(wide.gradient_mean[0], 2), round(wide.gradient_mean[1], 2)) == (1.51, 0.18)
    without, with_root = found.gradients
    assert np.median(without) > np.median(with_root) and without.mean() > with_root.mean()
    assert all(scale.compute(scale.Inputs(d_k=width)).weights[1].max() < 0.5 for width in scale.WIDTHS)


def test_claims_of_where_the_root_stands() -> None:
    usual, narrow = (root.compute(root.Inputs(d_k=d_k)) for d_k in (64, 4))
    np.testing.assert_allclose(usual.row_sum, [1, 0.125, 1])
    assert usual.error[2] > 1  # off by more than its own length
    assert (narrow.error[1:] < usual.error[1:]).all()


def test_claims_of_many_heads() -> None:
    one, eight = (split.compute(split.Inputs(n_head=n_head)).own for n_head in (1, 8))
    assert one.standard_qkv == one.split_qkv
    assert eight.split_qkv * 8 == eight.standard_qkv
