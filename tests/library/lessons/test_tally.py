"""The progress that a visitor's browser stores: it never loses what was done, and it fits into a cookie."""

from dataclasses import replace

from hypothesis import given, strategies as st

from core.lessons.format import catalog
from core.lessons.format.lesson import ExhibitTask
from core.lessons.lesson_ui import progress
from core.lessons.lesson_ui.progress import LessonProgress
from core.ui.controls.browser_storage import MAX_CHARS

LESSONS = catalog.catalog_lessons()
N_TASK = {slug: sum(len(progress._step_tasks(step)) for step in lesson.steps) for slug, lesson in LESSONS.items()}


def test_all_lessons_fit_into_a_cookie_and_a_teacher_s_ten_beside_them() -> None:
    """Else the lesson looked at longest ago would be forgotten without a word."""
    written = [
        progress._written(slug, LessonProgress(len(lesson.steps), True, "2" * N_TASK[slug]))
        for slug, lesson in LESSONS.items()
    ]
    own = len(".".join(written))
    assert own + 10 * own / len(LESSONS) < MAX_CHARS, own


@given(st.data())
def test_what_was_done_stays_done_whatever_comes_later(data: st.DataObject) -> None:
    slug = data.draw(st.sampled_from(list(LESSONS)))
    lesson, known = LESSONS[slug], ""
    for _ in range(4):
        number = data.draw(st.integers(1, len(lesson.steps)))
        some = [task for _, task in progress._step_tasks(lesson.steps[number - 1])]
        now = "".join(data.draw(st.sampled_from("02" if isinstance(task, ExhibitTask) else "012")) for task in some)
        before, known = progress._valid_states(lesson, known), progress._merge_states(lesson, known, number, now)
        assert len(known) == N_TASK[slug] and all(new >= old for new, old in zip(known, before, strict=True))
        found = progress.count_lesson_tasks(lesson, known)
        counted = (found.predictions, found.checks, found.trainings, found.others)
        assert sum(one.of for one in counted) == N_TASK[slug]
        assert (found.open, found.shown) == (known.count("0"), known.count("1"))
        assert bool(found.open) == bool(found.open_steps)


def test_of_a_lesson_whose_file_has_changed_nothing_is_known() -> None:
    lesson = next(iter(LESSONS.values()))
    everything = "2" * N_TASK[lesson.slug]
    assert not progress.count_lesson_tasks(lesson, everything).open
    shorter = replace(lesson, steps=lesson.steps[:-2])
    assert progress.count_lesson_tasks(shorter, everything).open == len(progress._valid_states(shorter, everything)) > 0
