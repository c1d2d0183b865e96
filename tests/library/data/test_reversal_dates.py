"""Strings backwards and dates: every answer is right, and the same seed gives the same ones."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given, strategies as st

from core.data.synthetic import reversal
from core.rooms.seq2seq.compute import dates


def test_strings_come_back_reversed_and_ended() -> None:
    source, target = reversal.draw_string_reversal_pairs(50, 7, np.random.default_rng(0))
    assert source.shape == (50, 7) and target.shape == (50, 8)
    assert np.array_equal(source[:, ::-1], target[:, :-1]) and (target[:, -1] == reversal.END).all()
    assert source.min() == 0 and source.max() == 25


@given(st.text(max_size=30))
def test_a_text_is_read_as_its_letters(text: str) -> None:
    ids = reversal.encode(text)
    assert reversal.decode([*ids, reversal.END, 3]) == "".join(c for c in text.lower() if c in reversal.LETTERS)
    assert reversal.tokens([0, reversal.START, reversal.END]) == ["a", "start", "end"]


@given(st.dates(dates.FIRST, dates.LAST), st.sampled_from(dates.FORMATS))
def test_every_date_is_read_back_and_fits_the_vocabulary(day: date, template: str) -> None:
    written = dates.write_date(day, template)
    assert dates.parse_date(written) == day.isoformat()
    assert len(written) <= dates.MAX_DATE_CHARACTERS
    assert "".join(dates.CHARACTERS[i] for i in dates.encode(written)) == written
    target = dates.encode_target_date(day.isoformat())
    assert len(target) == dates.TARGET_LENGTH and dates.decode(target) == day.isoformat()
    assert dates.tokens(target)[-1] == "end"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12 April 1961", "1961-04-12"), ("31/12/99", "1999-12-31"), ("1.2.2003", "2003-02-01"),
        ("the 22nd of june 2049", "2049-06-22"), ("february 29th, 2000", "2000-02-29"),
        ("may 11th, 2011", "2011-05-11"),
        ("feb 29, 2001", None), ("12 april 1761", None), ("monday, 12 april 1961", None), ("may 11st, 2011", None),
        ("next tuesday", None), ("", None), ("1.13.2003", None),
    ],
)  # fmt: skip
def test_reading_by_hand(text: str, day: str | None) -> None:
    assert dates.parse_date(text) == day


def test_days_can_be_kept_out_and_the_same_seed_gives_the_same() -> None:
    held = dates.draw(300, np.random.default_rng(3))
    kept_out = {day for _, day in held}
    train = dates.draw(3000, np.random.default_rng(4), without=kept_out)
    assert (len(train), len(held)) == (3000, 300) and not {day for _, day in train} & kept_out
    assert dates.draw(300, np.random.default_rng(3)) == held != dates.draw(300, np.random.default_rng(4))
    assert {len(day) for _, day in train} == {10}
    assert kept_out & {day for _, day in dates.draw(3000, np.random.default_rng(4))}
