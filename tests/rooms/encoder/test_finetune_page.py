"""The fine-tuning part of the encoder's room, without a browser: every control, links, any text, an unfinished run."""

from functools import partial
from types import MappingProxyType

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.encoder import inputs
from core.train import experiment
from core.ui.training import live
from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")


def room() -> None:
    from core.rooms.encoder import ROOM

    for name in ("finetune", "class-attention", "entities"):
        ROOM.show(name)


def opened(**address: str) -> AppTest:
    test = AppTest.from_function(room, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return test


def test_opens_with_the_examples_and_tells_what_was_measured() -> None:
    told = text_of(clean(opened().run()))
    assert "**62%**" in told and "**89%**" in told and "198 (78%)" in told
    assert "F1 **1.000**" in told and "**0.390**" in told
    assert ":blue-background[**paris** person]" in told and ":green-background[**jordan** place]" in told


@pytest.mark.parametrize("text", ["", "🙂", "[x](y) $a$ :red[b] <b>", "x " * 500])
def test_any_text(text: str) -> None:
    own = dict.fromkeys(("tune_review", "class_review", "entity_sentence"), inputs.OWN)
    clean(opened(**own, tune_text=text, class_text=text, entity_text=text).run())


def test_links_are_checked() -> None:
    odd = clean(opened(tune_labels="7", class_head="no", entity_layers="9", tune_review="x" * 500).run())
    assert len(odd.warning) == 4
    clean(opened(tune_review="your own", tune_text="Not bad at all!", class_review="your own", class_text=" ").run())


@pytest.fixture
def at_step(monkeypatch: pytest.MonkeyPatch) -> partial[None]:
    def put(n: int, options: dict[str, int]) -> None:
        shown = {}
        for name in ("finetune", "entities"):
            asked = options if name == "finetune" else {}
            running = experiment.start(name, asked, 1)
            while running.step < n:
                running.advance()
            values = MappingProxyType(vars(experiment.options_of(name, asked)))
            shown[name] = live.Live(running.record(), values, 1, n, running.n_step, False, False)
        monkeypatch.setattr(live, "_shown", lambda name, run: shown[name])

    return partial(put)


@pytest.mark.parametrize("n", [1, 3])
def test_an_unfinished_training(at_step: partial[None], n: int) -> None:
    at_step(n, {"n_step": 4})
    told = text_of(clean(opened().run()))
    assert ("The labels come after" in told) == (n < 2) == ("tuned model yet" in told)
