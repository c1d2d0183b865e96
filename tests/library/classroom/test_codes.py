"""Codes, names, and how many wrong codes one may try."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from core.classroom.codes import ALPHABET, N_LETTER, Tries, new_code, read_code
from core.classroom.names import MOST, alone, cleaned, drawn


def test_there_are_2_to_the_30_codes_and_no_two_letters_look_alike() -> None:
    assert len(ALPHABET) ** N_LETTER == 2**30
    assert not set("ILOU") & set(ALPHABET)


@given(st.text(ALPHABET, min_size=N_LETTER, max_size=N_LETTER), st.sampled_from(["", " ", "-"]), st.booleans())
def test_a_code_is_read_however_it_is_typed(code: str, gap: str, is_lower: bool) -> None:
    typed = gap.join((code[:3], code[3:])).replace("1", "I").replace("0", "o")
    assert read_code(typed.lower() if is_lower else typed) == code


@given(st.text(max_size=60))
def test_what_is_no_code_is_none(typed: str) -> None:
    code = read_code(typed)
    assert code is None or (len(code) == N_LETTER and set(code) <= set(ALPHABET))


def test_a_machine_that_tries_gets_a_try_every_two_seconds() -> None:
    now = 0.0
    tries = Tries(burst=30, pause=2.0, clock=lambda: now)
    tried = 0
    for _ in range(3600 * 100):  # an hour, a hundred attempts a second
        now += 0.01
        if tries.may("1.2.3.4"):
            tries.count("1.2.3.4")
            tried += 1
    assert tried <= 30 + 3600 / 2 + 1
    assert tries.may("5.6.7.8"), "another address is not locked out"
    years = 2**30 / 2 * 2.0 / (365 * 24 * 3600)
    assert years > 30


def test_addresses_without_number_fill_no_memory() -> None:
    tries = Tries()
    for i in range(Tries.MOST_ADDRESSES + 500):
        tries.count(str(i))
    assert len(tries._left) == Tries.MOST_ADDRESSES


@given(st.text(max_size=200))
def test_a_name_is_one_line_that_stays_in_its_cell(typed: str) -> None:
    name = cleaned(typed)
    assert len(name) <= MOST and name == name.strip() and "\n" not in name
    kinds = [unicodedata.category(letter) for letter in name]
    assert not {"Cc", "Cs", "Cf", "Co", "Cn"} & set(kinds)
    assert all(not (a[0] == b[0] == c[0] == "M") for a, b, c in zip(kinds, kinds[1:], kinds[2:], strict=False))
    assert cleaned(name) == name


@given(st.lists(st.text(max_size=30), max_size=40))
def test_no_two_are_called_alike(typed: list[str]) -> None:
    names: list[str] = []
    for one in typed:
        names.append(alone(cleaned(one), names) if cleaned(one) else drawn(names))
    assert len({one.casefold() for one in names}) == len(names)
    assert all(names) and max(map(len, names), default=0) <= MOST


def test_a_full_house_of_drawn_names_has_no_two_alike() -> None:
    names: list[str] = []
    for _ in range(3000):
        names.append(drawn(names))
    assert len(set(names)) == 3000


def test_codes_are_drawn_anew() -> None:
    assert len({new_code() for _ in range(1000)}) > 990
