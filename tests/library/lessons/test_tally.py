"""The progress that a visitor's browser stores: it never loses what was done, and it fits into a cookie."""

from dataclasses import replace

from hypothesis import given, strategies as st

from core.lessons.format import shelf
from core.lessons.format.lesson import Do
from core.lessons.page import progress
from core.lessons.page.progress import Mark
from core.ui.controls.persist import MAX_CHARS

LESSONS = shelf.lessons()
N_TASK = {slug: sum(len(progress.tasks(step)) for step in lesson.steps) for slug, lesson in LESSONS.items()}


def test_all_lessons_fit_into_a_cookie_and_a_teacher_s_ten_beside_them() -> None:
    """Else the lesson looked at longest ago would be forgotten without a word."""
    written = [
        progress._written(slug, Mark(len(lesson.steps), True, "2" * N_TASK[slug])) for slug, lesson in LESSONS.items()
    ]
    own = len(".".join(written))
    assert own + 10 * own / len(LESSONS) < MAX_CHARS, own


@given(st.data())
def test_what_was_done_stays_done_whatever_comes_later(data: st.DataObject) -> None:
    slug = data.draw(st.sampled_from(list(LESSONS)))
    lesson, known = LESSONS[slug], ""
    for _ in range(4):
        number = data.draw(st.integers(1, len(lesson.steps)))
        some = [task for _, task in progress.tasks(lesson.steps[number - 1])]
        now = "".join(data.draw(st.sampled_from("02" if isinstance(task, Do) else "012")) for task in some)
        before, known = progress.valid_states(lesson, known), progress.merge_states(lesson, known, number, now)
        assert len(known) == N_TASK[slug] and all(new >= old for new, old in zip(known, before, strict=True))
        found = progress.tally(lesson, known)
        counted = (found.predictions, found.checks, found.trainings, found.others)
        assert sum(one.of for one in counted) == N_TASK[slug]
        assert (found.open, found.shown) == (known.count("0"), known.count("1"))
        assert bool(found.open) == bool(found.open_steps)


def test_of_a_lesson_whose_file_has_changed_nothing_is_known() -> None:
    lesson = next(iter(LESSONS.values()))
    everything = "2" * N_TASK[lesson.slug]
    assert not progress.tally(lesson, everything).open
    shorter = replace(lesson, steps=lesson.steps[:-2])
    assert progress.tally(shorter, everything).open == len(progress.valid_states(shorter, everything)) > 0
