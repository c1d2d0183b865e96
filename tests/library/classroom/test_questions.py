"""Forms of questions: what fits is kept, what doesn't is refused in words, and the count is of everybody."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.classroom.question_types import class_question_catalog, next_word, questions, unseen_stories
from core.classroom.question_types.questions import CellForm, ClassQuestion, QuestionRefused, WordForm
from core.lessons.format.lesson import ChoiceForm, CurveAnswerForm, NumberForm
from core.rooms.sizes import law

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FORMS = {
    "choice": (ChoiceForm(options={"0": "yes", "1": "no"}), st.sampled_from(["0", "1"])),
    "number": (NumberForm(low=-2, high=36, unit="cells"), st.floats(-2, 36) | st.integers(-2, 36)),
    "word": (WordForm(text="Tom saw the", given="Tom saw the"), st.text("abcXYZ", min_size=1, max_size=8)),
    "cell": (
        CellForm(rows=("a", "b"), columns=("c", "d", "e")),
        st.tuples(st.integers(0, 1), st.integers(0, 2)).map(list),
    ),
    "curve": (
        CurveAnswerForm(x=(0.0, 1.0, 2.0), low=0, high=4, x_title="", y_title=""),
        st.lists(st.floats(0, 4), min_size=3, max_size=3),
    ),
}
EACH = pytest.mark.parametrize("kind", FORMS)


@EACH
@given(said=JSON)
def test_whatever_a_browser_says_is_an_answer_or_refused_in_words(kind: str, said: Any) -> None:
    form, _ = FORMS[kind]
    try:
        value = questions.parse_answer(form, said)
    except QuestionRefused:
        return
    assert questions.parse_answer(form, value) == value
    json.dumps(value, allow_nan=False)


@EACH
@given(data=st.data())
def test_every_answer_is_counted_once(kind: str, data: st.DataObject) -> None:
    form, fitting = FORMS[kind]
    said = [questions.parse_answer(form, one) for one in data.draw(st.lists(fitting, max_size=60))]
    counted = json.loads(json.dumps(questions.count_answers(form, said)))
    found = {
        "choice": lambda: sum(n for _, n, _ in counted["options"]),
        "number": lambda: sum(n for *_, n in counted["bins"]),
        "word": lambda: sum(n for _, n, _ in counted["words"]),
        "cell": lambda: sum(map(sum, counted["grid"])),
        "curve": lambda: len(counted["curves"]),
    }
    assert found[kind]() == len(said)


FIELDS = st.sampled_from(["options", "low", "high", "unit", "text", "seed", "rows", "columns", "x_title"])


@given(st.dictionaries(FIELDS, JSON), st.sampled_from([*FORMS, "other"]))
def test_a_question_made_on_the_spot_is_one_or_refused_in_words(told: dict[str, Any], kind: str) -> None:
    try:
        made = questions.make_question({**told, "ask": "?", "kind": kind})
    except QuestionRefused:
        return
    assert questions.question_from_json(json.loads(json.dumps(made.to_json()))) == made


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_bins_cover_the_range_and_have_round_edges(low: float, width: float) -> None:
    form = NumberForm(low=low, high=low + width)
    if not form.low < form.high:
        return
    bins = questions.count_answers(form, [])["bins"]
    assert bins[0][0] <= low + 1e-6 * width and bins[-1][1] >= form.high - 1e-6 * width and 2 <= len(bins) + 1 <= 30


@EACH
def test_a_question_comes_back_from_the_store(kind: str) -> None:
    asked = ClassQuestion(ask="<p>?</p>", form=FORMS[kind][0], source="masks/1/1")
    assert questions.question_from_json(json.loads(json.dumps(asked.to_json()))) == asked


def test_what_a_teacher_types_is_no_markup() -> None:
    made = questions.make_question({"ask": "<b>1</b>?", "kind": "choice", "options": ["<i>", "no"]})
    assert (
        "<b>" not in made.ask and isinstance(made.form, ChoiceForm) and "<i>" not in "".join(made.form.options.values())
    )


@pytest.mark.slow
def test_every_question_of_every_lesson_can_be_asked() -> None:
    found = [
        one["source"]
        for lesson in class_question_catalog.question_sources()["lessons"]
        for one in class_question_catalog.lesson_questions(lesson["slug"])
    ]
    assert len(found) > 100
    for source in found:
        assert (
            questions.question_from_json(
                json.loads(json.dumps(class_question_catalog.find_question(source).to_json()))
            ).source
            == source
        )


@pytest.mark.slow
def test_every_guess_of_every_exhibit_can_be_asked_and_is_answered_by_one_of_its_answers() -> None:
    found = [
        one["source"]
        for room in class_question_catalog.question_sources()["rooms"]
        for one in class_question_catalog.room_questions(room["slug"])
    ]
    assert len(found) == len(set(found)) >= 18
    for source in found:
        asked = class_question_catalog.find_question(source)
        assert questions.question_from_json(json.loads(json.dumps(asked.to_json()))).source == source
        came = class_question_catalog.solve_class_question(asked, [])
        assert isinstance(asked.form, ChoiceForm) and came.right in asked.form.options, source
        assert "not yet" not in asked.form.options and "The answer: <strong>" in came.told, (source, came.told)


def test_a_guess_is_answered_for_the_text_that_it_is_about() -> None:
    said = [
        class_question_catalog.solve_class_question(
            class_question_catalog.find_question(f"ledger.when-ngram-wins/guess_{text}"), []
        )
        for text in ("real", "stories")
    ]
    assert "at no amount" in said[0].told and "at every amount" in said[1].told


def test_an_answer_outside_a_guess_s_options_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    compute = law.compute
    monkeypatch.setattr(law, "compute", lambda inputs, run: compute(inputs, run))  # whose results no test has cached
    monkeypatch.setattr(law, "right_law_guess", lambda *_: "")
    with pytest.raises(QuestionRefused, match="isn't among these answers"):
        class_question_catalog.solve_class_question(class_question_catalog.find_question("sizes.law/guess"), [])


@pytest.mark.parametrize(
    "source",
    ["masks/1/99", "masks/99/1", "no-such/1/1", "masks", "", "masks/-1/0", "../x/1/1", "masks.train-without/seed"],
)
def test_a_question_that_there_is_not_is_refused(source: str) -> None:
    with pytest.raises(QuestionRefused):
        class_question_catalog.find_question(source)


def test_the_computation_answers_a_question_of_a_lesson() -> None:
    source = class_question_catalog.lesson_questions("masks")[0]["source"]
    found = class_question_catalog.solve_class_question(class_question_catalog.find_question(source), [])
    assert found.right == 21.0 and "21" in found.told


def test_the_class_as_a_language_model() -> None:
    """The class's loss is minus the log of the share that chose the right word; a model's comes from its softmax."""
    import torch

    from core.inspect.model_inputs.model_and_text import load_model_and_text

    text, seed = unseen_stories.unseen_story_beginning(3), 3
    truth = unseen_stories.true_next_word_of_story(text, seed)
    assert truth is not None and unseen_stories._unseen_story(seed).startswith(unseen_stories.append_word(text, truth))
    told = next_word.compare_next_words(text, text, [truth, truth, "zebra", "zebra"], truth)
    assert f"{math.log(2):.2f}" in told and "<b>✓</b>" in told
    given = load_model_and_text("stories", text)
    probability = torch.softmax(given.model(torch.tensor([given.ids]))[0, -1], -1)
    token = given.tokenizer.encode(unseen_stories.append_word(text, truth))[len(given.ids) :]
    expected = float(probability[token[0]]) if len(token) == 1 else math.nan
    model = next_word._models()["GPT"]
    assert next_word._probability(model, text, truth) == pytest.approx(expected, rel=1e-4)


def test_unknown_words_get_no_probability_from_models() -> None:
    told = next_word.compare_next_words("Tom saw the", "Tom saw the", ["<script>", "日本"], None)
    assert "<script>" not in told and "∞" not in told


@given(st.integers(0, 300))
def test_a_story_goes_on_as_it_does(seed: int) -> None:
    text = unseen_stories.unseen_story_beginning(seed)
    for _ in range(3):
        word = unseen_stories.true_next_word_of_story(text, seed)
        assert word
        text = unseen_stories.append_word(text, word)
        assert unseen_stories._unseen_story(seed).startswith(text)
    assert unseen_stories.true_next_word_of_story(unseen_stories.append_word(text, "zebra"), seed) is None
