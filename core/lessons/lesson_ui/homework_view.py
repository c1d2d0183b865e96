"""A lesson as homework, with the deadline above it, the answers of earlier visits, and the receipt at its end."""

import time
from dataclasses import replace

import streamlit as st

from core.data.files import safe_name
from core.data.localization.labels import module_labels
from core.jobs.runs import clean_display_name
from core.lessons.format.lesson import CheckQuestion, Lesson, PredictQuestion
from core.lessons.homework import answer_store, receipt
from core.lessons.homework.marking import curve_endpoints, loss_curve_endpoints
from core.lessons.lesson_ui import conditions, current_homework, question_view
from core.ui import state
from core.ui.frame.element_keys import page_element_key
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.text_formatting import escape_markdown
from core.ui.training import live_experiments
from core.ui.training.run_storage import run_store

LABELS = module_labels(__name__)

_NAME = page_element_key("homework", "name")


def show_deadline(lesson: Lesson) -> None:
    """Show the deadline, or why this is only practice, and restore the answers of earlier visits."""
    if problem := current_homework.current_homework_problem():
        st.warning(problem, icon=":material/info:")
    if (one := current_homework.current_assignment()) is None:
        return
    due, is_late = escape_markdown(one.due_in_words(st.context.timezone)), time.time() > one.due
    st.caption(f":material/assignment: {LABELS('was_due' if is_late else 'due', due=due)}")
    if state.session_slot(f"homework.{one.text}", bool):
        return
    state.set_session_slot(f"homework.{one.text}", True)
    for said in answer_store.stored_answers(owner_id(), one):
        question_view.restore_answer(f"{lesson.slug}.{said.place}", said.last)


def show_receipt(lesson: Lesson) -> None:
    """Draw the receipt, to be saved and handed in."""
    if (one := current_homework.current_assignment()) is None:
        return
    places = {
        f"{number}.{i}"
        for number, step in enumerate(lesson.steps, 1)
        for i, part in enumerate(step.parts)
        if isinstance(part, PredictQuestion | CheckQuestion)
    }
    said = [
        answer for answer in answer_store.stored_answers(owner_id(), one) if answer.place in places
    ]  # the lesson may have changed
    with st.container(border=True, key=page_element_key("homework", "receipt")):
        st.subheader(f":material/receipt_long: {LABELS['receipt']}", anchor=False)
        n_shown = sum(answer.first is None for answer in said)
        left = len(places) - len(said)
        lines = [LABELS("n_answered", answered=len(said) - n_shown, n=len(places))]
        lines += [LABELS("n_shown", n=n_shown)] if n_shown else []
        lines += [LABELS("n_open", n=left)] if left else []
        st.markdown(" ".join(lines))
        st.text_input(LABELS["name"], key=_NAME, max_chars=60)
        name = clean_display_name(st.session_state.get(_NAME, ""), "")
        runs = [
            run for experiment in sorted(conditions.trained_experiments(lesson.steps)) if (run := _trained(experiment))
        ]
        made = receipt.Receipt(name=name, given=one, made=0.0, said=said, runs=runs)
        st.download_button(
            LABELS["save"],
            # Called outside of this session, so the receipt has to be complete before.
            lambda: receipt.receipt_to_bytes(replace(made, made=time.time())),
            f"receipt-{safe_name(f'{lesson.slug} {name}')}.json",
            "application/json",
            icon=":material/download:",
            type="primary" if name else "secondary",
            key=page_element_key("homework", "save"),
            disabled=not name,
            on_click="ignore",
        )
        st.caption(LABELS["about"])


def _trained(experiment: str) -> receipt.TrainedRun | None:
    """Return this learner's newest run of an experiment, or the newest finished run in the studio, or None."""
    if experiment == conditions.STUDIO:
        run = next((run for run in run_store().list(owner_id()) if run.state == "finished"), None)
        if run is None:
            return None
        numbers = loss_curve_endpoints(run_store().val_losses(run.id))
        return receipt.TrainedRun(spec=run.recipe, seed=run.seed, step=run.step, n_step=run.n_step, numbers=numbers)
    own = live_experiments.own_experiment_run(experiment)
    if own is None:
        return None
    spec = {"experiment": experiment, "options": dict(own.options)}
    numbers = curve_endpoints(own.record)
    return receipt.TrainedRun(spec=spec, seed=own.seed, step=own.step, n_step=own.n_step, numbers=numbers)
