"""The Python side of the browser widgets: what is sent, what is refused, what comes back."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from core.browser.message_packing import pack_message, unpack_message
from core.ui.widgets import sum_of_parts, tensors as widgets, vector_rows
from core.ui.widgets.sum_of_parts import SumTerm, SumTermPart
from core.ui.widgets.vector_rows import VectorRow

TOKENS = ["a", " b", "\n", "語"]
WEIGHTS = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]


def draw_matrix(**options: Any) -> dict[str, Any] | None:
    given: dict[str, Any] = {"rows": TOKENS, "columns": TOKENS, "key": "m"} | options
    return widgets.matrix(given.pop("values", WEIGHTS), **given)


def test_masked_and_undefined_cells_are_sent_as_empty(sent: dict[str, Any]) -> None:
    values = WEIGHTS.copy()
    values[0, 0] = np.nan
    draw_matrix(values=values, mask=np.tril(np.ones((4, 4), bool)))
    expected = np.triu(np.ones((4, 4), np.uint8), 1)
    expected[0, 0] = 1
    np.testing.assert_array_equal(sent["arrays"]["empty"], expected)


def test_color_ranges_are_fixed_by_the_kind(sent: dict[str, Any]) -> None:
    values = np.array([[-1.0, 0.5], [3.0, 0.0]])
    ranges = {}
    for kind in ("probability", "signed", "value"):
        widgets.matrix(values, rows=["x", "y"], columns=["x", "y"], key="m", kind=kind)
        ranges[kind] = (sent["header"]["low"], sent["header"]["high"])
    assert ranges == {"probability": (0, 1), "signed": (-3, 3), "value": (-1, 3)}


def test_a_matrix_without_a_takeaway_gets_a_true_one(sent: dict[str, Any]) -> None:
    draw_matrix(label="Head 3", mask=np.tril(np.ones((4, 4), bool)))
    assert sent["header"]["takeaway"] == "Head 3: 4 rows, 4 columns. Strongest: row 0 'a', column 0 'a', 1.000."


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"values": np.ones((3, 4))}, r"values \(3, 4\) do not match 4 rows x 4 columns"),
        ({"mask": np.ones((2, 4), bool)}, r"mask \(2, 4\) does not match values \(4, 4\)"),
        ({"operands": {"q": np.ones((4, 2)), "k": np.ones((3, 2)), "scale": 1}}, "operands"),
        ({"values": np.ones((300, 300)), "rows": ["x"] * 300, "columns": ["x"] * 300}, "90000 cells"),
    ],
)
def test_shapes_that_do_not_match_are_refused(sent: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw_matrix(**options)


@pytest.mark.parametrize(
    ("pick", "expected"),
    [
        ({"row": 1, "column": 0}, {"row": 1, "column": 0}),
        ({"row": 4, "column": 0}, None),
        ({"row": -1, "column": 0}, None),
        ({"row": "1", "column": 0}, None),
        ({"row": True, "column": 0}, None),
        ("x", None),
        (None, None),
    ],
)
def test_only_a_cell_that_exists_comes_back(sent: dict[str, Any], pick: Any, expected: Any) -> None:
    sent["state"]["pick"] = pick
    assert draw_matrix() == expected


def test_an_edited_row_comes_back_only_when_it_is_one(sent: dict[str, Any]) -> None:
    sent["state"]["edit"] = {"row": 2, "weights": [0.5, 0.5, 0, 0]}
    assert draw_matrix(editable=True) == {"row": None, "column": None, "edit": {"row": 2, "weights": [0.5, 0.5, 0, 0]}}
    assert draw_matrix() is None
    for broken in ([0.5, 0.5], [2, 0, 0, 0], [math.nan, 0, 0, 0], ["1", 0, 0, 0]):
        sent["state"]["edit"] = {"row": 2, "weights": broken}
        assert draw_matrix(editable=True) is None


def test_heads_travel_as_one_byte_per_weight(sent: dict[str, Any]) -> None:
    weights = np.random.default_rng(0).random((12, 12, 64, 64))
    widgets.head_grid(
        weights,
        tokens=["t"] * 64,
        key="h",
        scores={"first token": np.full((12, 12), np.nan)},
        threshold=0.5,
        off=[(1, 2)],
    )
    assert len(sent["message"]) < 800_000
    assert np.abs(sent["arrays"]["weights"] / 255 - weights).max() <= 0.5 / 255 + 1e-12
    assert sent["header"]["scores"]["first token"][0][0] is None
    assert sent["header"]["off"] == [[1, 2]] and sent["header"]["threshold"] == 0.5


def test_weights_outside_0_to_1_are_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        widgets.head_grid(np.full((1, 1, 4, 4), 1.5), tokens=TOKENS, key="h")


def test_sixty_frames_of_sixteen_heads_fit_into_two_megabytes(sent: dict[str, Any]) -> None:
    attention = np.random.default_rng(0).integers(0, 256, (4, 4, 32, 32), dtype=np.uint8)
    frames = [
        {"step": i, "loss": 1.0, "val_loss": None, "sample": "x" * 200, "tokens": ["t"] * 32, "attention": attention}
        for i in range(60)
    ]
    widgets.scrubber(frames, key="f", chance=4.17)
    assert len(sent["message"]) < 2_000_000
    assert sent["header"]["val_loss"] == [None] * 60
    assert len(sent["header"]["tokens"]) == 1, "the same probe sentence is sent once"
    np.testing.assert_array_equal(sent["arrays"]["attention"][7], attention)


def test_frames_of_different_shapes_are_refused(sent: dict[str, Any]) -> None:
    frames = [{"step": i, "tokens": ["t"] * i, "attention": np.zeros((1, 1, i, i), np.uint8)} for i in (1, 2)]
    with pytest.raises(ValueError, match="one shape"):
        widgets.scrubber(frames, key="f")


def test_a_slider_wins_until_the_caller_changes_the_setting(sent: dict[str, Any]) -> None:
    def settings(**options: Any) -> dict[str, Any]:
        return dict(widgets.distribution(np.zeros((3, 4)), tokens=TOKENS, key="d", **options))

    first = settings()
    assert first == {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "position": 2}
    sent["state"]["settings"] = {"temperature": 0.5, "top_k": 2, "top_p": 0.9, "position": 1, "given": first}
    assert settings() == {"temperature": 0.5, "top_k": 2, "top_p": 0.9, "position": 1}
    assert settings(temperature=2.0)["temperature"] == 2.0
    assert settings(temperature=2.0)["top_k"] == 2


@pytest.mark.parametrize(
    "broken", [{"temperature": "hot"}, {"top_p": 0}, {"top_k": -1}, {"position": 9}, {"top_k": 2.5}]
)
def test_settings_that_make_no_sense_are_dropped(sent: dict[str, Any], broken: dict[str, Any]) -> None:
    good = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "position": 0}
    sent["state"]["settings"] = good | broken | {"given": good}
    assert widgets.distribution(np.zeros((1, 4)), tokens=TOKENS, key="d") == good


def test_token_rows_say_what_does_not_fit(sent: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="2001 tokens are more than the 2000"):
        widgets.token_row(["x"] * 2001, key="t")
    with pytest.raises(ValueError, match=r"ids has shape \(3,\), there are 4 tokens"):
        widgets.token_row(TOKENS, ids=[1, 2, 3], key="t")
    sent["state"]["pick"] = 3
    assert widgets.token_row(TOKENS, key="t") == 3


KINDS = {"stream": "both", "norm": "alone", "write": "both"}


def test_strips_of_one_range_share_their_colors(sent: dict[str, Any]) -> None:
    items = [
        VectorRow("in", "stream", np.array([1.0, -2])),
        VectorRow("normed", "norm", np.array([0.5, 0.25])),
        VectorRow("written", "write", np.array([3.0, 4])),
        VectorRow("out", "stream", np.array([4.0, 2]), (0, 2)),
    ]
    vector_rows.draw_vector_rows(items, key="k", kinds=KINDS, label="Token 3")
    header = sent["header"]
    assert header["limits"] == [4, 0.5]
    assert header["range"] == [0, 1, 0, 0]
    assert header["kind"] == [0, 1, 2, 0]
    assert header["sums"] == [None, None, None, [0, 2]]
    assert header["lengths"][2] == 5
    assert header["takeaway"] == "Token 3: 4 stages of 2 numbers."
    np.testing.assert_array_equal(sent["arrays"]["values"][3], [4, 2])


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([VectorRow("a", "stream", np.ones(2)), VectorRow("b", "stream", np.ones(3))], "they need one width"),
        ([VectorRow("a", "stream", np.ones((2, 2)))], "they need one width"),
        ([VectorRow("a", "stream", np.ones(0))], "0 numbers; a strip shows between 1"),
        ([VectorRow("a", "stream", np.ones(9000))], "9000 numbers"),
        ([VectorRow("a", "other", np.ones(2))], "'other' is none of the kinds"),
        ([VectorRow("a", "stream", np.ones(2), (0, 1))], "there are 1"),
    ],
)
def test_strips_that_do_not_fit_are_refused(sent: dict[str, Any], items: list[VectorRow], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        vector_rows.draw_vector_rows(items, key="k", kinds=KINDS)


def test_parts_that_do_not_add_up_are_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'a' has 7, its pieces 6"):
        sum_of_parts.sum_of_parts([SumTerm("a", "", "", 7, [SumTermPart("x", "", 6)])], key="k", unit="parameters")


def test_parts_sum_up_and_the_largest_is_open(sent: dict[str, Any]) -> None:
    terms = [
        SumTerm("a", "V · D", "2 · 3", 6, [SumTermPart("x", "2 × 3", 6)]),
        SumTerm("b", "D", "9", 9, [SumTermPart("y", "4", 4), SumTermPart("z", "5", 5)]),
    ]
    sum_of_parts.sum_of_parts(terms, key="k", unit="parameters", label="Model")
    assert sent["header"]["total"] == 15
    assert sent["header"]["selected"] == 1
    assert sent["header"]["takeaway"] == "Model: 15 parameters. The largest term is b with 9."


ARRAYS = hnp.arrays(
    dtype=st.sampled_from([np.uint8, np.int32, np.float32, np.float16]),
    shape=hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5),
)


def test_many_bytes_travel_deflated_and_come_back() -> None:
    weights = np.tril(np.full((8, 64, 64), 7, np.uint8))
    message = pack_message({}, {"weights": weights})
    assert len(message) < weights.nbytes / 3
    np.testing.assert_array_equal(unpack_message(message)[1]["weights"], weights)


@settings(max_examples=60)
@given(arrays=st.dictionaries(st.text(max_size=5), ARRAYS, max_size=4), label=st.text(), compress=st.booleans())
def test_arrays_and_header_come_back(arrays: dict[str, np.ndarray], label: str, compress: bool) -> None:
    header, found = unpack_message(pack_message({"label": label}, arrays, compress=compress))
    assert header["label"] == label and unpack_message(pack_message({"label": "a\ud800b"}, {}))[0]["label"] == "a?b"
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_every_array_starts_at_a_multiple_of_eight() -> None:
    for length in range(9):
        message = pack_message({"pad": "x" * length}, {"a": np.zeros(3, np.uint8), "b": np.ones(2, np.float32)})
        start = 4 + int.from_bytes(message[:4], "little")
        header, _ = unpack_message(message)
        assert [(start + about["offset"]) % 8 for about in header["arrays"].values()] == [0, 0]


def test_the_id_names_the_content() -> None:
    def ident(label: str, value: float) -> str:
        return unpack_message(pack_message({"label": label}, {"a": np.full(3, value, np.float32)}))[0]["id"]

    assert ident("x", 1) == ident("x", 1)
    assert len({ident("x", 1), ident("y", 1), ident("x", 2)}) == 3


def test_what_the_browser_cannot_read_is_refused() -> None:
    with pytest.raises(ValueError, match="'a' is float64; a widget reads"):
        pack_message({}, {"a": np.zeros(2)})
    with pytest.raises(ValueError):
        pack_message({"loss": float("nan")}, {})
