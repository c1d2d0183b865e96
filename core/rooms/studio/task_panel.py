"""A task before it is learned: its question, two examples with answers, and the options that make it harder."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core import exhibit
from core.data.localization.labels import module_labels
from core.data.synthetic.tasks import TASKS
from core.exhibit import Control
from core.train.tasks import defaults
from core.ui.text_formatting import escape_markdown
from core.ui.training.task_choices import find_task_options as options_of

LABELS = module_labels(__name__)

N_SHOWN = 2
EASIER_OPTIONS = {
    "sort": LABELS["easier.sort"],
    "reverse": LABELS["easier.reverse"],
    "copy-memory": LABELS["easier.copy-memory"],
    "slapjack": LABELS["easier.slapjack"],
    "marked-addition": LABELS["easier.marked-addition"],
    "modular-addition": LABELS["easier.modular-addition"],
    "two-sum": LABELS["easier.two-sum"],
    "parity": LABELS["easier.parity"],
}


def _control(name: str) -> Control:
    """Return the control of an option, shown if the selected task has it, with the task's limits."""

    def of(what: str, otherwise: object) -> Any:
        return lambda given: getattr(options_of(given.corpus).get(name), what, otherwise)

    made = exhibit.number_input(
        of("least", 0),
        of("most", 0),
        of("default", 0),
        step=1,
        reason=LABELS["option.reason"],
        name=f"task_{name}",
        when=lambda given: name in options_of(given.corpus),
        help=LABELS["option.help"],
        label=of("label", name),
    )
    return exhibit.check_is_control(made)


_NAMES = tuple(dict.fromkeys(name for task in TASKS.values() for name in task.options))
TASK_CONTROLS: Mapping[str, Control] = {f"task_{name}": _control(name) for name in _NAMES}


def control_names(corpus: str) -> list[str]:
    """Return the names of a task's controls."""
    return [f"task_{name}" for name in options_of(corpus)]


def task_options(given: Any) -> tuple[tuple[str, int], ...]:
    """Return the values of the task's controls."""
    return tuple((name, getattr(given, f"task_{name}")) for name in options_of(given.corpus))


def show_task(given: Any) -> None:
    """Show the task by examples of questions and answers."""
    name = given.corpus.removeprefix("task:")
    task = TASKS[name]
    st.caption(task.says, help=LABELS("hard_and_source", hard=task.hard, source=escape_markdown(task.source)))
    if (share := defaults.HARD_TASKS.get(name, {}).get(given.kind)) is not None:
        st.caption(LABELS("hard", share=share, easier=EASIER_OPTIONS[name]))
    try:
        examples = task.set(dict(task_options(given))).held(N_SHOWN)
    except ValueError:  # the message is shown where the task cannot be trained
        return
    st.code("\n".join(one.shown for one in examples), language=None, wrap_lines=True)
