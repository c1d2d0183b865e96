"""What the tests of the rooms share: opening a link, an app without a fault, its words and its pictures."""

from streamlit.testing.v1 import AppTest

from core.lessons.format import catalog
from core.lessons.format.lesson import PredictQuestion
from core.lessons.lesson_ui.question_view import _QuestionState
from core.ui import state
from tests.pages.choices import sentences, unfinished


def linked(page: str, **address: str) -> AppTest:
    """A page's file, to be run as opened by a link with these parameters."""
    test = AppTest.from_file(page, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return test


def clean(test: AppTest) -> AppTest:
    """No exception, no fault that the frame has caught, no formula that is still a template, no sentence cut short."""
    assert not test.exception
    assert not [error.value for error in test.error]
    assert not [one.value for one in test.latex if "{%" in one.value]
    found = unfinished(test)
    assert not found, f"no more follows: {found}"
    return test


def text_of(test: AppTest) -> str:
    said = [element.value for element in [*test.markdown, *test.caption, *test.warning, *test.info]]
    return " ".join([*said, *sentences(test)])


def widget_key(test: AppTest, name: str) -> str:
    """The key that a picture has now, read from its identity."""
    ids = [component.proto.id for component in test.get("bidi_component")]
    return next(name + one.split(name, 1)[1] for one in ids if name in one)


def predicted(test: AppTest, slug: str, number: int) -> None:
    """As after “Just show me” at every prediction of a lesson's step: what they held back is drawn."""
    for i, part in enumerate(catalog.catalog_lessons()[slug].steps[number - 1].parts):
        if isinstance(part, PredictQuestion):
            test.session_state[f"{state.PREFIX}lessons.{slug}.{number}.{i}"] = _QuestionState(is_open=False)
