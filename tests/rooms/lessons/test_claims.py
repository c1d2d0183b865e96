"""What the shelf of lessons says: you predict, you look, and in each lesson you train something."""

from core.lessons.format import catalog
from core.lessons.format.lesson import ExhibitPart, ExhibitTask, PredictQuestion


def test_in_each_lesson_one_predicts_looks_and_has_something_to_do() -> None:
    for lesson in catalog.catalog_lessons().values():
        kinds = {type(part) for step in lesson.steps for part in step.parts}
        assert {PredictQuestion, ExhibitPart, ExhibitTask} <= kinds and lesson.trains, lesson.slug


def test_in_each_lesson_one_trains_something() -> None:
    """In the short path it may be a list of tokens, which needs no button."""
    without = {
        slug
        for slug, lesson in catalog.catalog_lessons().items()
        if not any(
            isinstance(part, ExhibitTask) and "trained " in part.when for step in lesson.steps for part in step.parts
        )
    }
    assert without <= {"short-tokens"}
