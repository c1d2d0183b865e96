"""The room of n-grams, driven without a browser: any text, every control to its ends, links, clicks."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.data import corpora
from core.rooms.ngrams.compute import ngram_tables
from core.rooms.ngrams.inputs import SMOOTHINGS, UNITS, Text
from core.rooms.ngrams.markov import OWN, SENTENCES
from core.ui.widgets.message import unpack
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "before" / "ngrams.py")
page = partial(linked, PAGE)


def pictures(test: AppTest) -> dict[str, dict[str, Any]]:
    """What was sent to each picture, by the name of its widget."""
    return {header["widget"]: header for header in (unpack(one.proto.bytes)[0] for one in test.get("bidi_component"))}


def test_opens_clean_with_its_exhibits_and_each_control_works() -> None:
    test = clean(page().run())
    assert [one.value for one in test.subheader] == [
        "Counting pairs",
        "How far back should you look\\?",
        "A sentence\\, factor by factor",
        "Slips in the notes",
    ]
    assert set(pictures(test)) == {"ngram_counts", "ngram_samples", "ngram_factors", "matrix"}
    for key, values in {
        "gram_shows": ("probabilities",),
        "gram_top": (12, 40),
        "order_smoothing": tuple(SMOOTHINGS),
        "order_unit": ("token", "character"),
        "order_show": ("all four",),
        "markov_smoothing": tuple(SMOOTHINGS),
        "markov_sentence": tuple(SENTENCES),
        "markov_order": (1, 3, 4),
    }.items():
        for value in values:
            clean(test.button_group(key=key).set_value(value).run())
    clean(test.button_group(key="order_smoothing").set_value("lidstone").run())
    for k in (0.001, 10.0):
        clean(test.button_group(key="order_k").set_value(k).run())
    clean(test.toggle(key="gram_sums").set_value(False).run())
    clean(test.number_input(key="order_seed").set_value(2**31 - 1).run())


@pytest.mark.parametrize("source", ["bottle-and-cup", "python-topics"])
def test_every_cut_of_other_texts(source: str) -> None:
    test = clean(page(corpus=corpora.title(source)).run())
    first = test.selectbox(key="gram_first")
    clean(first.set_value(first.options and _option(test, 1)).run())
    for cut in UNITS:
        clean(test.button_group(key="gram_cut").set_value(cut).run())
        assert pictures(test)["ngram_counts"]["rows"]


def _option(test: AppTest, place: int) -> Any:
    """An option's own value: AppTest lists labels."""
    text = Text(test.selectbox(key="corpus").value, test.button_group(key="gram_cut").value)
    return int(ngram_tables.most_common(text.counts, 40)[place])


def test_a_token_before_makes_triples_and_survives_another_text() -> None:
    test = clean(page().run())
    clean(test.selectbox(key="gram_first").set_value(_option(test, 1)).run())
    assert pictures(test)["ngram_counts"]["first"] == " the"
    assert "triples" in text_of(test)
    clean(test.selectbox(key="corpus").set_value("bottle-and-cup").run())
    clean(test.button_group(key="gram_cut").set_value("char").run())


def test_a_click_tells_where_and_escape_takes_it_back() -> None:
    test = clean(page().run())
    assert "never occurs in the training text" not in text_of(test)
    key = next(one.proto.id for one in test.get("bidi_component") if "gram.counts" in one.proto.id)
    key = "gram.counts" + key.split("gram.counts", 1)[1]
    test.session_state[key] = {"pick": {"row": 0, "column": 5}}
    clean(test.run())
    shown = pictures(test)["ngram_counts"]
    assert shown["selected"] == [0, 5]
    assert [one["found"] for one in shown["found"]] == [[".", "\n"]] * 5
    assert all(len(one["before"]) == 9 for one in shown["found"])
    assert "The first 5 of" in text_of(test)
    test.session_state[key] = {"pick": None}
    clean(test.run())
    assert pictures(test)["ngram_counts"]["selected"] is None
    test.session_state[key] = {"pick": {"row": 0, "column": 0}}
    clean(test.run())
    assert "never occurs in the training text" in text_of(test)


@pytest.mark.parametrize("pick", [{"row": 99, "column": 0}, {"row": True, "column": "x"}, "x", {"row": 10**30}])
def test_a_forged_click_is_nothing(pick: Any) -> None:
    test = clean(page().run())
    key = next(one.proto.id for one in test.get("bidi_component") if "gram.counts" in one.proto.id)
    test.session_state["gram.counts" + key.split("gram.counts", 1)[1]] = {"pick": pick}
    clean(test.run())
    assert pictures(test)["ngram_counts"]["selected"] is None


def test_any_sentence() -> None:
    test = clean(page(markov_sentence=OWN).run())
    for text in (
        "",
        " ",
        "a",
        "🦎" * 20,
        "<b>&amp;</b> $x$ :red[y] \\frac",
        "語" * 300,
        "\x00\u202e\u200d",
        "dog " * 70,
    ):
        for smoothing in ("mle", "kneser_ney"):
            clean(test.button_group(key="markov_smoothing").set_value(smoothing).run())
            clean(test.text_input(key="markov_text").set_value(text).run())
    assert "the first 60 are shown" in text_of(test)


@pytest.mark.parametrize(
    "text",
    ["a " * 400, "x" * 600, "語彙" * 400, "\n".join(f"{n} <b>$x$ :red[{n}]" for n in range(200)), "ab" * 300 + "c" * 9],
)
def test_a_text_of_ones_own(text: str) -> None:
    key = corpora.add_own("My *own* text", text)
    test = clean(page(corpus=f"My *own* text ({key})").run())
    assert test.selectbox(key="corpus").value == key
    assert "the first 1,000 factors" not in text_of(test)  # so short a text has fewer
    for cut in UNITS:
        clean(test.button_group(key="gram_cut").set_value(cut).run())
        assert len(test.subheader) == 4 or "Nothing can be counted here" in text_of(test)
    if len(test.subheader) == 4:
        for smoothing in SMOOTHINGS:
            clean(test.button_group(key="order_smoothing").set_value(smoothing).run())


@pytest.mark.parametrize(
    "address",
    [
        {"corpus": "../../x", "gram_cut": "letters"},
        {"corpus": "own-000000000000"},
        {"gram_first": "·zebra …", "gram_top": "9"},
        {"gram_cell": "9-9-9"},
        {"gram_cell": "²-1"},
        {"order_smoothing": "<script>", "order_k": "nan", "order_seed": "1e309"},
        {"markov_sentence": OWN, "markov_text": "x" * 5000},
    ],
)
def test_a_broken_link_still_opens(address: dict[str, str]) -> None:
    clean(page(**address).run())
