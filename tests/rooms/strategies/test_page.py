"""The room of strategies, driven without a browser: what the pictures send, and what it says."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data.printable import visible
from core.rooms.strategies import crossing, order
from core.rooms.strategies.side_by_side import DEFAULT
from tests.pages.choices import shown
from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "generate" / "strategies.py")


def page(**address: str) -> AppTest:
    test = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return test


def widget_key(test: AppTest, name: str) -> str:
    """The key that a picture has now, read from its identity."""
    ids = [component.proto.id for component in test.get("bidi_component")]
    return next(name + one.split(name, 1)[1] for one in ids if name in one)


def ask(test: AppTest, text: object) -> AppTest:
    test.session_state[widget_key(test, "strategies.columns")] = {"columns": {"text": text, "given": str(text)[:50]}}
    return clean(test.run())


def asked(test: AppTest) -> str:
    return "".join(test.query_params.get("columns", [DEFAULT]))


def test_opens_with_a_result() -> None:
    test = clean(page(columns_n="10").run())
    assert "5 columns were written in one batch: 10 passes" in text_of(test)
    assert not test.warning
    assert "strategies.columns:.0" in {one.key for one in test.get("bidi_component")}
    assert all(one.value == 0 for one in test.number_input if "seed" in str(one.key))  # no seed is picked by its result


def test_columns_are_added_removed_and_reset_from_the_picture() -> None:
    test = clean(page(columns_n="5", columns="greedy~p0.9s3x").run())
    assert "2 columns were written in one batch" in text_of(test)
    ask(test, "greedy~p0.9s3x~beam2l0.5")
    assert asked(test) == "greedy~p0.9s3x~beam2l0.5"
    assert "Beam 2 ran on its own: 5 passes" in text_of(test)
    ask(test, "beam1")
    assert "written in" not in text_of(test)
    ask(test, "")
    assert asked(test) == DEFAULT and "5 columns" in text_of(test)
    for forged in (None, 5, ["x"], "~" * 5000, "p9~t0", "<b>"):
        ask(test, forged)
    assert "5 columns" in text_of(test)


def test_columns_that_are_none_get_plain_words() -> None:
    test = clean(page(columns="greedy~<script>~p2", columns_n="5").run())
    told = " ".join(one.value for one in test.warning)
    assert "is no strategy" in told and "is not a number from 0 to 1" in told


def test_each_p_has_the_table_and_the_line_of_its_own() -> None:
    for p in (0.3, 0.75, 0.76, 1.0):
        text = text_of(clean(page(open="all", columns_n="5", five_p=f"{p:g}").run()))
        found = crossing.compute(crossing.Inputs(p=p))
        cells = "".join(f"\\s*<td[^>]*>\\*\\*{n}\\*\\*</td>" for n in found.n_kept)
        assert re.search(rf"tokens kept.*?{cells}", text, re.DOTALL), p
        assert f"with at least {p:g}." in text


def test_both_orders_are_drawn_by_what_is_chosen_from_the_logits_of_the_place() -> None:
    test = clean(page(open="all", columns_n="5", order_t="3", order_p="0.5", place="4").run())
    header, arrays = next(
        shown(one.proto.bytes, test)
        for one in test.get("bidi_component")
        if one.proto.component_name == "glassformer_orders"
    )
    inputs = order.Inputs(place=4)
    assert (header["t"], header["p"]) == (3, 0.5)
    assert arrays["logits"].tolist() == sorted(inputs.logits.tolist(), reverse=True)
    assert header["tokens"] == [visible(one) for one in order.compute(inputs).tokens[:7]]


def test_draws_of_nothing_of_many_and_of_ten_thousand() -> None:
    test = clean(page(columns_n="5").run())
    ways = test.button_group(key="draws_ways")
    assert "the first 4 are shown" in text_of(clean(ways.set_value(list(ways.options)[:6]).run()))
    test.button_group(key="draws_n").set_value(10_000)
    assert "of 10000" not in text_of(clean(test.run()))
    assert "Choose at least one strategy" in text_of(clean(test.button_group(key="draws_ways").set_value([]).run()))
    test.button_group(key="draws_ways").set_value(["greedy"])
    assert "one token has all the probability" in text_of(clean(test.run()))


def test_recurrent_nets_write_too() -> None:
    test = clean(page(columns_n="90", model="stories-gru").run())  # longer than the windows that it was trained on
    assert "90 passes" in text_of(test) and "units" in text_of(test) and not test.info
