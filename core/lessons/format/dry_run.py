"""A trial of a lesson: each exhibit is drawn without a browser, as its step presets it, and each question answered."""

from dataclasses import dataclass, field
from functools import partial

from core.data.name_suggestions import suggest_names
from core.lessons.computed_answers import AnswerPending, UnanswerableQuestion, compute_answer
from core.lessons.format.forms import out_of_range_message
from core.lessons.format.lesson import ExhibitPart, Lesson, LessonProblem, PredictQuestion
from core.lessons.lesson_ui import exhibit_with_tasks
from core.rooms import all_exhibits
from core.ui.controls import controls, drawn_controls
from core.ui.controls.controls import PresetRefused
from core.ui.frame import errors

TRIAL_SECONDS = 600  # for one exhibit; long, because a busy machine isn't the lesson's fault


@dataclass
class _TrialResult:
    """The result of drawing an exhibit: the names of its controls, and the faults found."""

    names: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def dry_run_lesson(lesson: Lesson) -> tuple[list[LessonProblem], list[LessonProblem]]:
    """Return what is wrong with a lesson and what may be wrong. Takes seconds.

    Wrong are presets that controls refuse or that make an exhibit fail, and questions without an answer. Names that no
    control has are doubtful, because some controls only appear after another has been moved.
    """
    questions = [part for step in lesson.steps for part in step.parts if isinstance(part, PredictQuestion)]
    wrong = [LessonProblem(part.line, message) for part in questions if (message := _unanswered(part))]
    doubtful: list[LessonProblem] = []
    for part in (part for step in lesson.steps for part in step.parts if isinstance(part, ExhibitPart)):
        drawn = _drawn(part)
        wrong += [LessonProblem(part.line, f"{part.name}: {message}") for message in drawn.faults]
        if not drawn.faults:
            doubtful += _silent(part, set(drawn.names))
    return wrong, doubtful


def _unanswered(question: PredictQuestion) -> str:
    """Return the reason why a question has no answer, "" if it has one."""
    try:
        came = compute_answer(question, is_rehearsed=True)
    except UnanswerableQuestion as refused:
        return str(refused)
    except Exception as error:  # an exhibit may fail in any way with inputs that no control would give it
        return f"its answer can't be computed: {error}"
    return came.sentence if isinstance(came, AnswerPending) else out_of_range_message(question.form, came.value)


def _drawn(part: ExhibitPart) -> _TrialResult:
    from streamlit.testing.v1 import AppTest

    drawn = _TrialResult()
    try:
        test = AppTest.from_function(_script, args=(part, drawn), default_timeout=TRIAL_SECONDS).run()
    except RuntimeError:  # from the time limit; errors of the exhibit itself are in `test.exception`
        drawn.faults.append("it wasn't drawn in time. If this machine is busy, check the lesson again later.")
        return drawn
    if test.exception or any(errors.LABELS["title"] in str(one.proto) for one in test.error):
        drawn.faults.append("as it is set here, it cannot be shown.")
    return drawn


def _silent(part: ExhibitPart, known: set[str]) -> list[LessonProblem]:
    named = {"set": part.values, "lock": part.lock, "hide": part.hide}
    return [
        LessonProblem(
            part.line, f"{word}: {part.name} shows no control {name!r} as it is set here.{suggest_names(name, known)}"
        )
        for word, names in named.items()
        for name in names
        if name not in known
    ]


def _script(part: "ExhibitPart", drawn: "_TrialResult") -> None:
    # Only this function's source is run, so it has its own import.
    from core.lessons.format import dry_run

    dry_run._record_exhibit_faults(part, drawn)


def _record_exhibit_faults(part: ExhibitPart, drawn: _TrialResult) -> None:
    """Show the exhibit with its presets, and record its controls and faults."""
    drawn_controls.clear_drawn_controls()
    entry = all_exhibits()[part.name]
    preset = controls.ControlOverrides("", part.values, frozenset(part.lock), frozenset(part.hide))
    try:
        with controls.apply_control_overrides(preset):
            args = entry.render_bar()
    except PresetRefused as refusal:
        drawn.faults.append(str(refusal))
        return
    if args is not None:
        within = partial(exhibit_with_tasks.report_refused_presets, lambda refusal: drawn.faults.append(str(refusal)))
        entry.show(*args, preset=preset, wrapper=within, has_try_chips=False)
    drawn.names += drawn_controls.page_controls_by_name()
