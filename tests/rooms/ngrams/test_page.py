"""The room of n-grams, driven without a browser: clicks in the table, any sentence, any text, however it is cut."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.browser.message_packing import unpack_message
from core.data import corpora
from core.rooms.ngrams.compute import counting
from core.rooms.ngrams.inputs import TOKEN_UNITS, CountedText
from core.rooms.ngrams.markov import OWN_SENTENCE
from tests.pages.choices import looked
from tests.pages.rooms import clean, linked, text_of, widget_key

pytestmark = pytest.mark.usefixtures("data")

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "before" / "ngrams.py"))


def table_of(test: AppTest) -> dict[str, Any]:
    """What was sent to the table of counts."""
    headers = [unpack_message(one.proto.bytes)[0] for one in test.get("bidi_component")]
    return next(header for header in headers if header.get("widget") == "ngram_counts")


def test_the_table_shows_what_is_chosen() -> None:
    for shows in ("counts", "probabilities"):
        test = clean(page(gram_shows=shows).run())
        assert looked(table_of(test)["shows"], test) == shows


def test_a_click_tells_where_escape_takes_it_back_and_a_forged_one_is_nothing() -> None:
    test = clean(page(gram_signs="true").run())
    assert "never occurs in the training text" not in text_of(test)
    key = widget_key(test, "gram.counts")
    test.session_state[key] = {"pick": {"row": 0, "column": 0}}
    shown = table_of(clean(test.run()))
    assert shown["selected"] == [0, 0]
    assert [one["found"] for one in shown["found"]] == [[".", "\n"]] * 5
    assert all(len(one["before"]) == 9 for one in shown["found"])
    assert "The first 5 of" in text_of(test)
    for pick in (None, {"row": 99, "column": 0}, {"row": True, "column": "x"}, "x", {"row": 10**30}):
        test.session_state[key] = {"pick": pick}
        assert table_of(clean(test.run()))["selected"] is None
    test.session_state[key] = {"pick": {"row": 1, "column": 0}}
    clean(test.run())
    assert "never occurs in the training text" in text_of(test)


@pytest.mark.parametrize("source", ["bottle-and-cup", "python-topics"])
def test_a_token_before_makes_triples_in_every_cut_of_a_text(source: str) -> None:
    test = clean(page(corpus=corpora.corpus_title(source)).run())
    text = CountedText(test.selectbox(key="corpus").value, test.button_group(key="gram_cut").value)
    before = int(counting.most_common_tokens(text.counts, 40)[1])
    clean(test.selectbox(key="gram_first").set_value(before).run())
    assert (table_of(test)["first"],) == text.names([before]) and "triples" in text_of(test)
    for cut in TOKEN_UNITS:
        assert table_of(clean(test.button_group(key="gram_cut").set_value(cut).run()))["rows"]


def test_any_sentence() -> None:
    test = clean(page(markov_sentence=OWN_SENTENCE).run())
    for text in ("", "🦎" * 20, "<b>&amp;</b> $x$ :red[y] \\frac", "語" * 300, "\x00\u202e\u200d", "dog " * 70):
        clean(test.text_input(key="markov_text").set_value(text).run())
    assert "the first 60 are shown" in text_of(test)


@pytest.mark.parametrize(
    "text", ["a " * 400, "語彙" * 400, "\n".join(f"{n} <b>$x$ :red[{n}]" for n in range(200)), "ab" * 300 + "c" * 9]
)
def test_a_text_of_ones_own(text: str) -> None:
    key = corpora.store_user_text("My *own* text", text)
    test = clean(page(corpus=f"My *own* text ({key})", order_smoothing="Kneser-Ney").run())
    assert test.selectbox(key="corpus").value == key
    assert "the first 1,000 factors" not in text_of(test)  # so short a text has fewer
    for cut in TOKEN_UNITS:
        clean(test.button_group(key="gram_cut").set_value(cut).run())
        assert len(test.subheader) == 4 or "Nothing can be counted here" in text_of(test)
