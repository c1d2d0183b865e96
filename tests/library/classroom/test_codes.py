"""Codes, names, and how many wrong codes one may try."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from core.classroom.codes import ALPHABET, N_LETTER, RateLimit, new_code, read_code
from core.classroom.learner_names import MAX_NAME_LETTERS, clean_learner_name, make_name_unique, random_learner_name


def test_there_are_2_to_the_30_codes_and_no_two_letters_look_alike() -> None:
    assert len(ALPHABET) ** N_LETTER == 2**30
    assert not set("ILOU") & set(ALPHABET)


@given(st.text(ALPHABET, min_size=N_LETTER, max_size=N_LETTER), st.sampled_from(["", " ", "-"]), st.booleans())
def test_a_code_is_read_however_it_is_typed(code: str, gap: str, is_lower: bool) -> None:
    typed = gap.join((code[:3], code[3:])).replace("1", "I").replace("0", "o")
    assert read_code(typed.lower() if is_lower else typed) == code


@given(st.text(max_size=60))
def test_an_invalid_code_is_read_as_none(typed: str) -> None:
    code = read_code(typed)
    assert code is None or (len(code) == N_LETTER and set(code) <= set(ALPHABET))


@given(st.lists(st.tuples(st.floats(0, 3), st.sampled_from("ab")), max_size=200))
def test_a_rate_limit_delays_only_the_fast_visitor(uses: list[tuple[float, str]]) -> None:
    """A delay grows by the pause with each use beyond the burst, never beyond the longest, and is over with time."""
    now = 0.0
    pace = RateLimit(burst=5, pause=2.0, longest=10.0, clock=lambda: now)
    owed = {"a": 0.0, "b": 0.0}  # uses that are not yet paid off by time
    for wait, who in uses:
        now += wait
        owed = {key: max(0.0, one - wait / 2.0) for key, one in owed.items()}
        pace.count(who)
        owed[who] = min(owed[who] + 1.0, 5 + 10.0 / 2.0)
        for key, one in owed.items():
            assert pace.delay(key) == pytest.approx(max(0.0, one - 5) * 2.0, abs=1e-6)
            if abs(one - 4.0) > 1e-6:
                assert pace.may(key) == (one < 4.0)


def test_addresses_without_number_fill_no_memory() -> None:
    pace = RateLimit(5, 1.0)
    for i in range(RateLimit.MOST_KEYS + 500):
        pace.count(str(i))
    assert len(pace._left) == RateLimit.MOST_KEYS


@given(st.text(max_size=200))
def test_a_name_is_one_line_that_stays_in_its_cell(typed: str) -> None:
    name = clean_learner_name(typed)
    assert len(name) <= MAX_NAME_LETTERS and name == name.strip() and "\n" not in name
    kinds = [unicodedata.category(letter) for letter in name]
    assert not {"Cc", "Cs", "Cf", "Co", "Cn"} & set(kinds)
    assert all(not (a[0] == b[0] == c[0] == "M") for a, b, c in zip(kinds, kinds[1:], kinds[2:], strict=False))
    assert clean_learner_name(name) == name


HIDDEN = "\ufe0f\U000e0100\u2800\ufffc\u200b\u00ad\u3164"
ALIKE = [("a", "\u0430"), ("e", "\u0435"), ("o", "\u03bf"), ("o", "0"), ("l", "1"), ("M", "\u041c"), ("H", "\u041d")]


@given(st.text("MiaoelHT", min_size=1, max_size=10), st.data())
def test_a_name_that_looks_like_a_taken_one_gets_a_number(name: str, data: st.DataObject) -> None:
    """Hidden marks, full width and letters of other scripts: same to the eye, different to the code."""
    twin = name
    for ours, theirs in data.draw(st.lists(st.sampled_from(ALIKE), max_size=4)):
        twin = twin.replace(ours, theirs, data.draw(st.integers(0, 3)))
    if data.draw(st.booleans()):
        twin = "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in twin)
    for mark in data.draw(st.lists(st.sampled_from(HIDDEN), max_size=3)):
        at = data.draw(st.integers(0, len(twin)))
        twin = twin[:at] + mark + twin[at:]
    assert make_name_unique(clean_learner_name(twin), [name]).endswith(" 2")


@given(st.text(HIDDEN + "\u0301\u0302", max_size=20))
def test_a_name_shows_something(typed: str) -> None:
    assert clean_learner_name(typed) == ""


@given(st.lists(st.text(max_size=30), max_size=40))
def test_learners_names_are_unique(typed: list[str]) -> None:
    names: list[str] = []
    for one in typed:
        names.append(
            make_name_unique(clean_learner_name(one), names) if clean_learner_name(one) else random_learner_name(names)
        )
    assert len({one.casefold() for one in names}) == len(names)
    assert all(names) and max(map(len, names), default=0) <= MAX_NAME_LETTERS


def test_a_full_class_of_random_names_has_no_duplicates() -> None:
    names: list[str] = []
    for _ in range(3000):
        names.append(random_learner_name(names))
    assert len(set(names)) == 3000


def test_codes_are_random() -> None:
    assert len({new_code() for _ in range(1000)}) > 990
