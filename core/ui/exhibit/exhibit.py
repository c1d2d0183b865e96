"""Exhibits. Each is a module with `Inputs`, `compute` and `draw`; everything else is derived from these three here.

    class Inputs(inputs.Inputs): …            the inputs that it asks for
    def compute(inputs) -> Result: …          pure: no Streamlit, no chart
    def draw(result, inputs) -> None: …       pictures, and sections of `assets/rooms/<room>/<module>.md`
    CODE = (…)                                more sources for its Code panel than `compute`
    WARM_UP = True                            compute it with its defaults at server start

A result may have `table()` (columns by name, for Numbers, CSV and the script's output), `arrays()` (for the NPZ file;
otherwise all its arrays) and `formula` (LaTeX with the learner's numbers).

An exhibit that trains names its experiment, `EXPERIMENT = "cheating"`, or gives a function of its inputs that names one
of several experiments with the same options. The button is drawn below the last input that is an option. An exhibit
that uses the models of an experiment whose button is elsewhere sets `TRAINED = "cheating"`, or a function of its
inputs. Both get the run: `compute(inputs, run)`, `draw(result, inputs, run)`.

An exhibit whose pictures the server makes for the current choices, instead of sending the data of all choices, sets
`NEEDS_CHOICES = True`.

An exhibit that cannot be exported completely as a standalone page (see `core.browser`) sets `IS_PARTIAL = True`.

An exhibit that follows a run in this server's store sets `FOLLOWS = True`: its result is not cached and it has no
script.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import FragmentHandledException

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, NothingToShow, memoize
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.controls import browser_side_controls, drawn_controls
from core.ui.controls.controls import NO_PRESETS, ControlOverrides, apply_control_overrides
from core.ui.controls.values_with_control_names import inputs_with_control_refs
from core.ui.exhibit import exhibit_panels, folding
from core.ui.exhibit.exhibit_drawing_state import ExhibitDrawing, exhibit_drawing_context, show_conditional_sections
from core.ui.exhibit.exhibit_input_form import render_inputs
from core.ui.exhibit.exhibit_panels import Source
from core.ui.exhibit.exhibit_text import ExhibitMarkdown, read_exhibit_markdown_file, render_template
from core.ui.exhibit.pane_and_rail import count_pane_elements, current_exhibit_containers, exhibit_layout
from core.ui.exhibit.program import experiment_setting_names, options_from_inputs, program_source
from core.ui.exhibit.try_chips import show_try_chips
from core.ui.frame import errors
from core.ui.frame.element_keys import page_element_key
from core.ui.models.text_notes import model_spinner
from core.ui.room_folders import room_text_folder
from core.ui.server.global_script_lock import script_lock
from core.ui.text_formatting import escape_markdown
from core.ui.training import live_experiments

LABELS = module_labels(__name__)

# For all exhibits together: the results of a few texts for each of sixty visitors of one room.
MAX_RESULTS, MAX_BYTES = 1_024, 400_000_000
_Box = Callable[[DeltaGenerator], None]
T = TypeVar("T")
NO_PICTURE = LABELS["no_picture"]
NOTHING = LABELS["nothing"]


@memoize(MAX_RESULTS, max_bytes=MAX_BYTES)
def compute_cached(compute: Callable[..., T], *given: object) -> T:
    """Compute the result of an exhibit, cached for all visitors."""
    return compute(*given)


@dataclass(frozen=True)
class Exhibit:
    """An exhibit as pages and lessons show it."""

    module: ModuleType  # with `Inputs`, `compute` and `draw`
    text: ExhibitMarkdown  # its text file
    name: str  # on its page, for anchors and file names

    @classmethod
    def from_module(cls, module: ModuleType, name: str) -> "Exhibit":
        """Make the exhibit of a room's module."""
        package, _, file = module.__name__.rpartition(".")
        return cls(module, read_exhibit_markdown_file(room_text_folder(package) / f"{file}.md"), name)

    @property
    def title(self) -> str:
        return self.text.title

    @property
    def _room(self) -> Any:
        return getattr(sys.modules.get(self.module.__name__.rpartition(".")[0]), "ROOM", None)

    @property
    def full_name(self) -> str:
        """Room and exhibit, as lessons and `run_exhibit` name it: "masks.kinds-of-masks"."""
        return self.name if self._room is None else f"{self._room.name}.{self.name}"

    @property
    def code(self) -> dict[str, tuple[Source, ...]]:
        """The tabs of its Code panel: the code that ran, after the model in one file where its room has one."""
        one_file = "" if self._room is None else self._room.one_file
        ran = {"The code that ran": (self.module.compute, *getattr(self.module, "CODE", ()))}
        return {"A GPT in one file": (importlib.import_module(one_file),)} | ran if one_file else ran

    def experiment(self, inputs: Inputs) -> str:
        """Return the name of the experiment that it computes from; "" if it has none."""
        name = getattr(self.module, "EXPERIMENT", "") or getattr(self.module, "TRAINED", "")
        return str(name(inputs) if callable(name) else name)

    def draw(self, given: Inputs | None = None) -> ExhibitDrawing | None:
        """Draw the controls, compute and draw the result; return None, after a message, if there is nothing to show."""
        trained = []
        then = (self._last_option, lambda so_far: trained.append(self._train(so_far)))
        with _waiting_text(given):  # a default may take time to compute
            inputs = render_inputs(
                self.module.Inputs, given, key=self.module.__name__.rpartition(".")[2], after_field=then
            )
        if inputs is None:  # the message stands with the controls, which a phone folds away
            if current_exhibit_containers() is not None:
                st.info(LABELS["no_inputs"], icon=":material/info:")
            return None
        run = trained[0] if trained else self._run(inputs)
        if run is None and self.experiment(inputs):
            return None
        try:
            with _waiting_text(inputs, self.text):
                result = self._compute(inputs, run)
        except NothingToShow as nothing:
            st.info(escape_markdown(nothing))
            return None
        script = partial(program_source, self.full_name, inputs, self.experiment(inputs), run)
        at = partial(self._at, run)
        now = ExhibitDrawing(self.text, result, inputs, at, None if self._follows else script, self.name)
        now.compute = partial(self._compute, run=run)
        with exhibit_drawing_context(now), _notice_if_empty():
            self.module.draw(result, *self._arguments(inputs_with_control_refs(inputs), run))
            show_conditional_sections()
        now.needs_choices, now.is_partial = self.needs_choices, bool(getattr(self.module, "IS_PARTIAL", False))
        return now

    @property
    def needs_choices(self) -> bool:
        """True if the server redraws it when a choice is made in the browser; known once it has been drawn."""
        return bool(getattr(self.module, "NEEDS_CHOICES", False)) or browser_side_controls.needs_choices_on_server()

    @property
    def _follows(self) -> bool:
        return bool(getattr(self.module, "FOLLOWS", False))

    def _arguments(self, inputs: Inputs, run: object) -> tuple[object, ...]:
        return (inputs, run) if self.experiment(inputs) else (inputs,)

    def _compute(self, inputs: Inputs, run: object) -> object:
        given = self._arguments(inputs, run)
        return self.module.compute(*given) if self._follows else compute_cached(self.module.compute, *given)

    def _at(self, run: object, **values: object) -> object:
        """Compute the result with these inputs and defaults for the others, for a text that announces a result."""
        return self._compute(self.module.Inputs(**values), run)

    @property
    def _last_option(self) -> str:
        """The last field that is an option of the training, below which the button is drawn; "" if there is none."""
        name = getattr(self.module, "EXPERIMENT", "")
        names = experiment_setting_names(name(self.module.Inputs()) if callable(name) else name)
        return next((field for field, _ in reversed([*self.module.Inputs.controls()]) if field in names), "")

    def _run(self, inputs: Inputs) -> ExperimentRun | None:
        """Return the newest state of its experiment, or show a message and return None if there is none."""
        if hasattr(self.module, "EXPERIMENT"):
            return self._train(inputs)
        name = self.experiment(inputs)
        return live_experiments.shown_run_with_note(name) if name else None

    def _train(self, inputs: Inputs) -> ExperimentRun | None:
        """Draw the training button and return the newest state of its run; `inputs` holds the values so far."""
        parts, names = self.text.sections, {"label": "button", "about": "train"}
        said = {
            key: render_template(parts[name].text, partial(getattr, inputs))
            for key, name in names.items()
            if name in parts
        }
        name = self.experiment(inputs)
        return live_experiments.train_experiment_on_click(
            name, options_from_inputs(name, inputs), int(getattr(inputs, "seed", 0)), **said
        )


@contextmanager
def _notice_if_empty() -> Iterator[None]:
    """Draw a picture inside; if nothing is drawn, for example for some input, show a message in its place."""
    in_pane, _ = count_pane_elements()
    yield
    if current_exhibit_containers() is None or count_pane_elements()[0] > in_pane:
        return
    says_why = count_pane_elements()[1] > 0
    st.info(NO_PICTURE if says_why else NOTHING, icon=":material/info:")


def _waiting_text(inputs: Inputs | None, words: ExhibitMarkdown | None = None) -> AbstractContextManager[object]:
    """Return a waiting message: the exhibit's own section "## wait", or a spinner while a large model reads."""
    if words is not None and "wait" in words.sections:
        return st.spinner(words.sections["wait"].text)
    values = () if inputs is None else vars(inputs).values()
    read = next((value for value in values if isinstance(value, ModelAndText)), None)
    return nullcontext() if read is None else model_spinner(read.key, LABELS["reading"])


def render_exhibit(
    exhibit: Exhibit,
    given: Inputs | None = None,
    *,
    preset: ControlOverrides = NO_PRESETS,
    poll_interval: float | None = None,
    wrapper: Callable[[], AbstractContextManager[object]] = nullcontext,
    has_try_chips: bool = True,
    is_folded: bool = False,
    draw_below: _Box | None = None,
) -> None:
    """Show an exhibit here as a fragment of its own: moving its controls doesn't rerun the rest of the page.

    Args:
        given: the values of the room's bar, such as the model and the text.
        preset: defaults of controls, and which are locked or hidden. A prefix distinguishes two showings on one page.
        poll_interval: seconds between redraws, for an exhibit that follows a running job.
        wrapper: makes the context that it is drawn in.
        has_try_chips: whether the chips to try are shown.
        is_folded: whether only its heading is shown, and nothing computed, until somebody opens it.
        draw_below: draws elements that change with the exhibit, such as a lesson's next task: below it, and above its
            picture in the container that it gets.

    Example:
        `render_exhibit(next_token, preset=ControlOverrides(locked={"temperature"}, hidden={"seed"}))`
    """
    name = f"{exhibit.name}-{preset.prefix.removesuffix('.')}" if preset.prefix else exhibit.name

    @script_lock()
    def draw() -> None:
        if is_folded and not folding.is_unfolded(exhibit.module.Inputs, name):
            folding.unfold_button(exhibit.title, name)
            return
        browser_side_controls.apply_browser_choices(name)
        above = None if draw_below is None else st.container(key=page_element_key("above", name))
        try:
            scope = drawn_controls.exhibit_scope(exhibit.title)
            with apply_control_overrides(preset), scope, exhibit_layout(name) as rail:
                drawn = None
                with wrapper():  # it may show a refusal itself
                    drawn = exhibit.draw(given)
                told: list[str] = []
                if drawn is not None and has_try_chips:
                    told = show_try_chips(rail, drawn.text.try_chips, drawn.inputs, given, drawn.render)
                _footer(exhibit, drawn, name)
                _report_choices(exhibit, name, told, is_needed=bool(draw_below or exhibit_panels.is_panel_open(name)))
        except FragmentHandledException:
            raise
        except Exception as error:
            errors.show_fault(error, what="exhibit")
            return
        if draw_below is not None and above is not None:
            draw_below(above)

    drawn_controls.note_exhibit(name, drawn_controls.PageExhibit(exhibit.title, hasattr(exhibit.module, "EXPERIMENT")))
    with st.container(key=page_element_key("exhibit", name)):
        with st.container(key=page_element_key("head", name)):
            st.subheader(escape_markdown(exhibit.title), anchor=name)
            st.caption(exhibit.text.look_for)
        st.fragment(draw, run_every=poll_interval)()


def _report_choices(exhibit: Exhibit, name: str, names: list[str], is_needed: bool) -> None:
    """Have the browser report the choices that the server needs: those named, or all of the exhibit's."""
    is_needed = is_needed or exhibit.needs_choices
    unless = None if is_needed or names else browser_side_controls.weights_used_in_browser()
    if is_needed or browser_side_controls.weights_used_in_browser():
        names = names + [str(one.name) for _, one in exhibit.module.Inputs.controls() if one.view]
    browser_side_controls.subscribe_to_choices(names, name, unless)


def _footer(exhibit: Exhibit, drawn: ExhibitDrawing | None, name: str) -> None:
    try:
        exhibit_panels.show_code_and_download_panels(exhibit.title, exhibit.code, drawn, name)
    except FragmentHandledException:
        raise
    except Exception as error:
        errors.show_fault(error, what="panel")
