"""An exhibit that is a module: `Inputs`, `compute` and `draw`; all else is made here from these three.

    class Inputs(inputs.Inputs): …            what it asks for
    def compute(inputs) -> Result: …          pure: no Streamlit, no chart
    def draw(result, inputs) -> None: …       pictures, and sentences of `assets/rooms/<room>/<module>.md`
    CODE = (…)                                more of what its Code panel shows than `compute`
    WARM_UP = True                            compute it with its defaults when the server starts

A result may have `table()` (columns by name: Numbers, CSV, and what the script prints), `arrays()` (for the NPZ file;
else all its arrays) and `formula` (LaTeX with the learner's numbers).

One that trains names its experiment, `EXPERIMENT = "cheating"`, or one of several that have the same options, by a
function of its inputs: the button stands below the last of its inputs that is
an option. One that looks into the models of an experiment whose button stands elsewhere says `TRAINED = "cheating"`, or
a function of its inputs that names it. Both get the run: `compute(inputs, run)`, `draw(result, inputs, run)`.
"""

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cached_property, partial
from types import ModuleType
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.inputs import Inputs, NothingToShow
from core.inspect.reading.model_and_text import ModelAndText
from core.ui.exhibit.ask import ask
from core.ui.exhibit.program import option_names, options_in, program
from core.ui.exhibit.showing import Showing, showing
from core.ui.exhibit.words import Words, fill, words_of
from core.ui.frame import depth
from core.ui.frame.panels import Shown
from core.ui.models.notes import patience
from core.ui.text import escape_markdown
from core.ui.training import live, trained_models

# Of all exhibits together; the results of a few texts for each of sixty who look at the same room.
MAX_RESULTS, MAX_BYTES = 1_024, 400_000_000


@memoize(MAX_RESULTS, max_bytes=MAX_BYTES)
def computed(compute: Callable[..., Any], *given: Any) -> Any:
    """The result of an exhibit, kept for all who ask for the same."""
    return compute(*given)


@dataclasses.dataclass(frozen=True)
class Computed:
    """The faces of such a module.

    Attributes:
        module: of a room.
    """

    module: ModuleType

    @cached_property
    def words(self) -> Words:
        """What people read in it."""
        *_, room, name = self.module.__name__.split(".")
        return words_of(room, name)

    @property
    def code(self) -> tuple[Callable[..., Any], ...]:
        """What its Code panel shows."""
        return (self.module.compute, *getattr(self.module, "CODE", ()))

    def experiment(self, inputs: Inputs) -> str:
        """The experiment that it computes from; "" if it has none."""
        name = getattr(self.module, "EXPERIMENT", "") or getattr(self.module, "TRAINED", "")
        return str(name(inputs) if callable(name) else name)

    def draw(self, given: Inputs | None = None) -> Shown:
        """Ask, compute and draw; what there is to take away."""
        trained: list[Any] = []
        places: dict[str, Any] = {}
        then = (self._last_option, lambda so_far: trained.append(self._train(so_far)))
        with _patience(given):  # a default may have to be computed
            inputs = ask(
                self.module.Inputs, given, key=self.module.__name__.rpartition(".")[2], then=then, places=places
            )
        if inputs is None:
            return Shown(tries=())
        experiment = self.experiment(inputs)
        run = trained[0] if trained else self._run(inputs)
        if run is None and experiment:
            return Shown(tries=())
        asked = (inputs, run) if experiment else (inputs,)
        try:
            with _patience(inputs, self.words):
                result = computed(self.module.compute, *asked)
        except NothingToShow as nothing:
            st.info(escape_markdown(nothing))
            return Shown(tries=())
        with showing(Showing(self.words, (result, inputs), {"at": partial(self.at, run)}, places)) as now:
            self.module.draw(result, *asked)
            tries = [(do, now.fill(said.text)) for do, said in self.words.tries if depth.at_least(said.depth)]
        return Shown(
            numbers=getattr(result, "table", None),
            arrays=partial(arrays_of, result),
            figure=now.figure,
            formula=getattr(result, "formula", None),
            script=partial(program, self.module.__name__, inputs, experiment, run),
            tries=tries,
        )

    def at(self, run: Any, **values: Any) -> Any:
        """The result with these inputs, all others as at the beginning: for a text that says what one will see."""
        inputs = self.module.Inputs(**values)
        return computed(self.module.compute, *((inputs, run) if self.experiment(inputs) else (inputs,)))

    @property
    def _last_option(self) -> str:
        """The last field that the training is made with: its button stands below; "" if there is none."""
        name = getattr(self.module, "EXPERIMENT", "")
        names = option_names(name(self.module.Inputs()) if callable(name) else name)
        return next((field for field, _ in reversed([*self.module.Inputs.controls()]) if field in names), "")

    def _run(self, inputs: Any) -> Any:
        """The newest state of the experiment that it looks at, after plain words where there is none."""
        if hasattr(self.module, "EXPERIMENT"):
            return self._train(inputs)
        name = self.experiment(inputs)
        return trained_models.latest(name) if name else None

    def _train(self, inputs: Any) -> Any:
        """The button, and the newest state of what it trains; inputs: as far as they are asked for."""
        parts, names = self.words.sections, {"label": "button", "about": "train"}
        said = {key: fill(parts[name].text, partial(getattr, inputs)) for key, name in names.items() if name in parts}
        name = self.experiment(inputs)
        return live.train(name, options_in(name, inputs), int(getattr(inputs, "seed", 0)), **said)


def arrays_of(result: Any) -> Mapping[str, NDArray[Any]]:
    """The arrays of a result by name, for a file."""
    if hasattr(result, "arrays"):
        found: Mapping[str, NDArray[Any]] = result.arrays()
        return found
    values = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def _patience(inputs: Inputs | None, words: Words | None = None) -> Any:
    """Words while one waits: of the exhibit's own, "## wait", or while a large model reads."""
    if words is not None and "wait" in words.sections:
        return st.spinner(words.sections["wait"].text)
    values = () if inputs is None else vars(inputs).values()
    read = next((value for value in values if isinstance(value, ModelAndText)), None)
    return nullcontext() if read is None else patience(read.key, "Reading the text …")
