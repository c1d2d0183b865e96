"""While a guess is open, neither the numbers nor a picture's words tell what came."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.hard_attention.experiments import choosing, lecture
from core.rooms.ledger.experiments import budget
from core.rooms.recurrent.experiments import remember
from core.rooms.seq2seq.experiments import bottleneck
from core.train.experiments.live import Live
from core.ui.exhibit import panels
from core.ui.exhibit.drawing import Drawing
from tests.pages.rooms import clean
from tests.pages.test_scripts import exhibit_alone

pytestmark = pytest.mark.usefixtures("data")
# Exhibit -> what each hidden variant is called in its table, by its name in the record; the variants still to be seen.
HIDDEN: dict[str, tuple[dict[str, str], set[str]]] = {
    "seq2seq.bottleneck": ({"without": bottleneck.NAMES["without"]}, {"with"}),
    "recurrent.remember": ({name: remember.NAMES[name] for name in ("lstm", "gru")}, {"rnn", "attention"}),
    "ledger.when-ngram-wins": (dict(budget.NETS), set()),
    "choosing.three-ways": ({name: told for name, told in choosing.NAMES.items() if name != "soft"}, {"soft"}),
    "choosing.fix-the-code": (
        {name: told for name, told in lecture.NAMES.items() if name not in ("none", "all")},
        {"none", "all"},
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_an_open_guess_keeps_what_it_asks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Drawing] = []
    monkeypatch.setattr(panels, "footer", lambda title, code, drawn, key: kept.append(drawn))
    test = AppTest.from_function(exhibit_alone, default_timeout=60)
    test.session_state["exhibit"] = name
    clean(test.run())
    (shown,) = kept
    hidden, seen = HIDDEN[name]
    table: dict[str, Any] = shown.table()
    words = {*table, *(cell for column in table.values() for cell in column if isinstance(cell, str))}
    told = {part for word in words for part in (word, *word.split(", ", 1), *word.split(": "))}
    assert not told & set(hidden.values())
    parts = {part.split("-")[0] if name == "recurrent.remember" else part for key in shown.arrays()
             for part in key.split(".")}  # fmt: skip
    assert not parts & set(hidden) and seen <= parts
    drawn = {row.get("name", row.get("series")) for row in (shown.figure or {})["datasets"]["rows"]}
    assert not drawn & set(hidden.values())
    alts = [one.proto.alt for kind in ("arrow_vega_lite_chart", "vega_lite_chart") for one in test.get(kind)]
    assert alts and not any(f"{one} 0." in alt or f"{one} 1." in alt for alt in alts for one in hidden.values())


def test_arrays_are_told_apart_by_whole_parts_of_their_names() -> None:
    record = {"curve.with.a": 1, "curve.without.a": 2, "step": 3, "model.without.x.y": 4, "without": 5}
    run = Live(record, {}, 0, 3, 3)
    assert run.without(["without"]) == {"curve.with.a": 1, "step": 3, "without": 5}
    assert run.without([]) == record
