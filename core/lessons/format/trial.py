"""A trial of a lesson: each exhibit is drawn without a browser, as its step presets it, and each question answered."""

from dataclasses import dataclass, field
from functools import partial

from core.data.names import near
from core.lessons.answers import AnswerPending, AnswerRefused, answer_of
from core.lessons.format.forms import out_of_reach
from core.lessons.format.lesson import ExhibitPart, Lesson, Predict, Problem
from core.lessons.page import exhibit_parts
from core.rooms import exhibits
from core.ui.controls import control_log, controls
from core.ui.controls.controls import PresetRefused

SECONDS = 600  # for one exhibit; long, because a busy machine isn't the lesson's fault


@dataclass
class TrialResult:
    """The result of drawing an exhibit: the names of its controls, and the faults found."""

    names: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def try_lesson(lesson: Lesson) -> tuple[list[Problem], list[Problem]]:
    """Return what is wrong with a lesson and what may be wrong. Takes seconds.

    Wrong are presets that controls refuse or that make an exhibit fail, and questions without an answer. Names that no
    control has are doubtful, because some controls only appear after another has been moved.
    """
    questions = [part for step in lesson.steps for part in step.parts if isinstance(part, Predict)]
    wrong = [Problem(part.line, message) for part in questions if (message := _unanswered(part))]
    doubtful: list[Problem] = []
    for part in (part for step in lesson.steps for part in step.parts if isinstance(part, ExhibitPart)):
        drawn = _drawn(part)
        wrong += [Problem(part.line, f"{part.name}: {message}") for message in drawn.faults]
        if not drawn.faults:
            doubtful += _silent(part, set(drawn.names))
    return wrong, doubtful


def _unanswered(question: Predict) -> str:
    """Return the reason why a question has no answer, "" if it has one."""
    try:
        came = answer_of(question, is_rehearsed=True)
    except AnswerRefused as refused:
        return str(refused)
    except Exception as error:  # an exhibit may fail in any way with inputs that no control would give it
        return f"its answer can't be computed: {error}"
    return came.sentence if isinstance(came, AnswerPending) else out_of_reach(question.form, came.value)


def _drawn(part: ExhibitPart) -> TrialResult:
    from streamlit.testing.v1 import AppTest

    drawn = TrialResult()
    try:
        test = AppTest.from_function(_script, args=(part, drawn), default_timeout=SECONDS).run()
    except RuntimeError:  # from the time limit; errors of the exhibit itself are in `test.exception`
        drawn.faults.append("it wasn't drawn in time. If this machine is busy, check the lesson again later.")
        return drawn
    if test.exception or any("Something went wrong" in str(one.proto) for one in test.error):
        drawn.faults.append("as it is set here, it cannot be shown.")
    return drawn


def _silent(part: ExhibitPart, known: set[str]) -> list[Problem]:
    named = {"set": part.values, "lock": part.lock, "hide": part.hide}
    return [
        Problem(part.line, f"{word}: {part.name} shows no control {name!r} as it is set here.{near(name, known)}")
        for word, names in named.items()
        for name in names
        if name not in known
    ]


def _script(part: "ExhibitPart", drawn: "TrialResult") -> None:
    # Only this function's source is run, so it has its own import.
    from core.lessons.format import trial

    trial.draw(part, drawn)


def draw(part: ExhibitPart, drawn: TrialResult) -> None:
    """Show the exhibit with its presets, and record its controls and faults."""
    control_log.begin()
    entry = exhibits()[part.name]
    preset = controls.Presets("", part.values, frozenset(part.lock), frozenset(part.hide))
    try:
        with controls.presets(preset):
            args = entry.ask()
    except PresetRefused as refusal:
        drawn.faults.append(str(refusal))
        return
    if args is not None:
        within = partial(exhibit_parts.guarded, lambda refusal: drawn.faults.append(str(refusal)))
        entry.show(*args, preset=preset, within=within, has_tries=False)
    drawn.names += control_log.here()
