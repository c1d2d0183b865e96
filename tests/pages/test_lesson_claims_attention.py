"""The first five lessons: what their prose says is so, and one's own words go on from step to step."""

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data import corpora
from core.inspect.model_inputs import model_and_text as models
from core.inspect.model_inputs.model_key import ModelKey
from core.lessons.format.catalog import lesson_files
from core.lessons.format.lesson import ExhibitPart
from core.nn.positions import alibi_slopes
from core.rooms.embeddings.compute.embeddings import compare_vectors
from core.rooms.masks.inputs import DEFAULT_SENTENCE
from core.rooms.step_by_step.compute.soft_lookup import ENTRY_NAMES, default_dictionary, soft_look_up
from core.rooms.tokens import born
from core.rooms.tokens.experiments import own_tokens
from core.rooms.tokens.inputs import TextToCut, largest_bpe
from tests.pages.rooms import predicted

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppTest]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(tmp_path_factory.mktemp("data")))
        yield AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()


def open_step(app: AppTest, slug: str, number: int) -> AppTest:
    app.switch_page("pages/lessons/lessons.py")
    app.query_params.clear()
    app.query_params["lesson"], app.query_params["step"] = slug, str(number)
    predicted(app, slug, number)
    return no_fault(app.run())


def no_fault(app: AppTest) -> AppTest:
    assert not app.exception
    assert not [error.value for error in app.error]
    assert not [warning.value for warning in app.warning]
    return app


@pytest.mark.measured("01-tokens", "And “unhappiness”")
def test_the_corpus_does_not_hold_unhappiness_but_its_pieces() -> None:
    assert "unhappiness" not in corpora.load("python-topics").text
    assert {"un", "ss"} <= set(TextToCut("unhappiness").cut("bpe").tokens)


@pytest.mark.measured("01-tokens", "Draw it. A vocabulary")
def test_the_first_doubling_catches_what_is_everywhere() -> None:
    vocabulary = largest_bpe("python-topics")
    first = {vocabulary.tokens([i])[0].strip() for i in range(256, 512)}
    assert {"the", "in", "ing"} <= first


def test_own_words_make_tokens() -> None:
    lesson = lesson_files()["tokens"].lesson
    assert lesson is not None
    piece = next(part for part in lesson.steps[8].parts if isinstance(part, ExhibitPart))
    film = born.film_merges(piece.values["born_text"], piece.values["born_merges"])
    assert film.is_complete
    assert film.n_token[-1] < film.n_token[0] / 3


def test_ones_own_words_are_those_that_the_model_reads(app: AppTest) -> None:
    lesson = lesson_files()["tokens"].lesson
    assert lesson is not None
    piece = next(part for part in lesson.steps[8].parts if isinstance(part, ExhibitPart))
    assert piece.values["born_text"] == own_tokens.DEFAULT_OWN_TEXT  # the example that ships is of this text
    open_step(app, "tokens", 9)
    app.text_area(key="s9.born_text").set_value("the rat sat on the mat")
    no_fault(app.run())
    assert own_text(open_step(app, "tokens", 10)) == "the rat sat on the mat"
    assert "the rat sat on the mat" in app.query_params["s10.own_text"]
    open_step(app, "tokens", 9)
    app.switch_page("pages/lessons/lessons.py")
    app.query_params["s10.own_text"] = "what the link says"
    app.query_params["lesson"], app.query_params["step"] = "tokens", "10"
    assert own_text(no_fault(app.run())) == "what the link says"


def own_text(app: AppTest) -> str:
    return str(app.text_area(key="s10.own_text").value)


def test_slopes_of_eight_heads_halve() -> None:
    slopes = alibi_slopes(8).tolist()
    assert all(b == a / 2 for a, b in pairwise(slopes))


def test_the_dictionary_stands_as_the_table_says() -> None:
    asked = default_dictionary(2)
    assert asked.query == (0.8, 0.6)
    assert dict(zip(ENTRY_NAMES, asked.keys, strict=True)) == {
        "east": (1, 0), "north": (0, 1), "west": (-1, 0), "south": (0, -1),
    }  # fmt: skip
    assert soft_look_up(asked).scores.round(9).tolist() == [0.8, 0.6, -0.8, -0.6]
    assert pytest.approx(0.57, abs=0.005) == 0.8 / 1.4


def test_the_longer_key_has_the_smaller_cosine() -> None:
    pair = compare_vectors((1.0, 0.0), (3.0, 3.0))
    assert (pair.dot, round(pair.cosine, 2), round(pair.angle)) == (3.0, 0.71, 45)
    assert pair.lengths[1] == pytest.approx(4.24, abs=0.005)


def test_all_alike_are_a_sixty_fourth_each() -> None:
    assert pytest.approx(0.016, abs=0.0005) == 1 / 64
    assert math.sqrt(64) == 8


def test_the_text_of_the_masks_has_14_tokens() -> None:
    encoded = models.encode_text(ModelKey.at("stories"), DEFAULT_SENTENCE)
    assert len(encoded.ids) == 14
    assert (14 + 3) ** 2 == 289
