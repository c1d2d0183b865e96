"""The message to a browser widget: what goes in comes out, aligned and named by its content."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.ui.widgets.message import pack, unpack

ARRAYS = hnp.arrays(
    dtype=st.sampled_from([np.uint8, np.int32, np.float32, np.float16]),
    shape=hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5),
)


@settings(max_examples=60)
@given(arrays=st.dictionaries(st.text(max_size=5), ARRAYS, max_size=4), label=st.text(), compress=st.booleans())
def test_arrays_and_header_come_back(arrays: dict[str, np.ndarray], label: str, compress: bool) -> None:
    header, found = unpack(pack({"label": label}, arrays, compress=compress))
    assert header["label"] == label and unpack(pack({"label": "a\ud800b"}, {}))[0]["label"] == "a?b"
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_every_array_starts_at_a_multiple_of_eight() -> None:
    for length in range(9):
        message = pack({"pad": "x" * length}, {"a": np.zeros(3, np.uint8), "b": np.ones(2, np.float32)})
        start = 4 + int.from_bytes(message[:4], "little")
        header, _ = unpack(message)
        assert [(start + about["offset"]) % 8 for about in header["arrays"].values()] == [0, 0]


def test_the_id_names_the_content() -> None:
    def ident(label: str, value: float) -> str:
        return unpack(pack({"label": label}, {"a": np.full(3, value, np.float32)}))[0]["id"]

    assert ident("x", 1) == ident("x", 1)
    assert len({ident("x", 1), ident("y", 1), ident("x", 2)}) == 3


def test_what_the_browser_cannot_read_is_refused() -> None:
    with pytest.raises(ValueError, match="'a' is float64; a widget reads"):
        pack({}, {"a": np.zeros(2)})
    with pytest.raises(ValueError):
        pack({"loss": float("nan")}, {})
