"""Hidden patches in the address, and bars of answers."""

import pytest
from hypothesis import given, strategies as st

from core.rooms.patches.hide import patches_from_address, patches_to_address
from core.rooms.patches.inputs import format_percent

FULL = st.integers(1, 65).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, max(0, n - 2)))))


@given(FULL)
def test_the_address_holds_the_hidden_patches(case: tuple[int, set[int]]) -> None:
    n, gone = case
    assert patches_from_address(patches_to_address(gone, n), n) == sorted(gone)


def test_an_address_that_makes_no_sense_is_refused() -> None:
    cannot = dict.fromkeys(("", "16", "16.", "16.g", "16.-1", "²6.1", "16." + "f" * 9999), "cannot be read")
    for text, words in cannot.items() | {
        ("64.1", "a picture with 64 patches; this one has 16"),
        ("9" * 5000 + ".1", "this one has 16"),
        ("16.10000", "beyond the 16 there are"),
    }:
        with pytest.raises(ValueError, match=words):
            patches_from_address(text, 16)


def test_a_share_that_is_not_quite_all_does_not_say_so() -> None:
    assert [format_percent(p) for p in (0, 0.9994, 0.9999, 1)] == ["0.0%", "99.9%", "> 99.9%", "100.0%"]
