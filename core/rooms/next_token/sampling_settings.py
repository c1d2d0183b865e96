"""How to sample, as set by the learner: the sliders live in the picture, their values in the address."""

from typing import Any

from core.generate.settings import Settings
from core.inputs import Control, slider
from core.inspect.reading.model_and_text import ModelAndText
from core.ui import escape_markdown, picks, st
from core.ui.controls import controls

MAX_TEMPERATURE = 10.0  # where every distribution of ours is flat


def ask_settings(given: ModelAndText) -> Settings:
    """What the address says, with what was set in the picture since the last run."""
    numbers: dict[str, Control] = {
        "temperature": slider("temperature", 0.0, MAX_TEMPERATURE, 1.0),
        "top_k": slider("top-k", 0, int(given.config.vocab_size), 0),
        "top_p": slider("top-p", 0.01, 1.0, 1.0),
    }
    new, before = picks.news("next.distribution", given.content, "settings"), [*map(picks.remembered, numbers)]
    for name, control in numbers.items():
        tried = st.session_state.pop(controls.in_force().prefix + name, None)  # what a chip has set
        if tried is not None:
            picks.remember(name, None if tried == f"{control.default:g}" else tried)
        value = new.get(name, control.default) if isinstance(new, dict) else None
        if type(value) in (int, float):
            picks.remember(name, None if value == control.default else f"{value:.4g}")
    if before != [*map(picks.remembered, numbers)]:
        st.rerun()  # both exhibits use the same settings
    return Settings(**{name: _checked(control, picks.remembered(name)) for name, control in numbers.items()})


def _checked(control: Control, text: str | None) -> Any:
    """A number of the address, or the default, after plain words where it is none."""
    try:
        return control.default if text is None else control.check(text)
    except ValueError as refused:
        st.warning(f"{control.label}: {escape_markdown(refused)} The default, {control.default:g}, is used.")
        return control.default
