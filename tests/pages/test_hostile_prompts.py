"""Sixty hostile texts in the text box of each room: plain words, no fault."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests import tiny_model
from tests.safety.hostile import TEXTS

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {"heads": "pages/attention/heads.py", "next token": "pages/generate/next_token.py"}


@pytest.fixture(scope="module", autouse=True)
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a model of words and one of letters."""
    folder = tmp_path_factory.mktemp("data")
    tiny_model.write(folder / "models" / "stories")
    tiny_model.write(folder / "models" / "letters", "char")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(folder))
        yield folder


def test_there_are_enough() -> None:
    assert len(TEXTS) >= 50


def check_page(test: AppTest, name: str) -> None:
    """Fail on a fault, or on a page that neither draws nor says why not."""
    assert not test.exception, name
    assert not [error.value for error in test.error], name
    drawn = bool(test.get("bidi_component"))
    said = " ".join(element.value for element in [*test.info, *test.warning, *test.caption])
    assert drawn or "empty" in said or "Type a word" in said, name


@pytest.mark.full
@pytest.mark.parametrize(("room", "model"), [*product(ROOMS, ("stories", "letters"))])
def test_hostile_text(room: str, model: str) -> None:
    test = AppTest.from_file(str(ROOT / ROOMS[room]), default_timeout=60)
    test.query_params["model"] = model
    test.run()
    for name, text in TEXTS.items():
        # A browser cannot send a lone surrogate either: the message is UTF-8.
        test.text_area(key="text").set_value(text.encode("utf-8", "replace").decode()).run()
        check_page(test, name)


@pytest.mark.full
def test_hostile_text_in_the_address_of_home() -> None:
    for name, text in TEXTS.items():
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        test.query_params["text"] = text.encode("utf-8", "replace").decode()
        check_page(test.run(), name)


@pytest.mark.parametrize("name", ["Markdown image", "HTML with a script", "Streamlit directives", "LaTeX"])
def test_hostile_text_in_a_message_is_escaped(name: str) -> None:
    test = AppTest.from_file(str(ROOT / ROOMS["heads"]), default_timeout=60).run()
    test.text_area(key="text").set_value(TEXTS[name]).run()
    shown = " ".join(element.value for element in [*test.markdown, *test.caption])
    for raw in ("![x](", "<script>", ":red[a]", "$\\frac"):
        assert raw not in shown
