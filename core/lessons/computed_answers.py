"""The answers to questions of lessons, computed by exhibits.

    exhibit: masks.kinds-of-masks        # by default the one that the step shows next
    with: {kinds: [Causal], padding: 0}  # its inputs; the others keep their defaults
    answer: mask.sum()                   # an expression for the value; for a curve, evaluated at each `x`
    found: "{{ answer }} open cells"     # how it was found: a template, as in assets/rooms

Expression and template can use the fields of the result and of the inputs; `run`, the training run; `at(padding=3)`,
the result with different inputs; and `result`, the whole result. If no exhibit shows the value, a function of a room's
`compute/` replaces it: `compute: core.rooms.block.compute.two_layers:product_difference`.

The explanations of a lesson hold for the examples that ship, so answers are computed from these, whatever a learner has
trained, and say so. With `own: {n_layer: 1}` an answer waits for the learner's own run with these options; with
`own: if done` it uses that run once it is done, and the example until then.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from core.data.localization.labels import module_labels
from core.data.name_suggestions import suggest_names
from core.exhibit import Inputs, NothingToShow
from core.inspect.model_inputs.input_pictures import InputPicture, held_out_digit, load_photograph
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.inspect.model_inputs.model_key import ModelUnreadable
from core.lessons.format import templates
from core.lessons.format.forms import fits_form
from core.lessons.format.lesson import CurveAnswerForm, PredictQuestion
from core.lessons.format.name_checks import find_function_or_class
from core.rooms import all_exhibits
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.exhibit.exhibit import Exhibit, compute_cached
from core.ui.training import live_experiments

LABELS = module_labels(__name__)

OWN_RUN_IF_DONE = "if done"
# The largest product of numbers that a lesson passes to a function. Inputs of exhibits are limited by their controls.
MOST_GIVEN = 10_000_000
FROM_EXAMPLE = LABELS["from_example"]
WAIT_FOR_OWN_RUN = LABELS["wait_for_own_run"]


@dataclass(frozen=True)
class ComputedAnswer:
    """A computed answer."""

    value: str | float | Sequence[float]  # the option's short name, the number, or the curve's heights
    sentence: str  # how it was found, with its figures; Markdown of ours, never a visitor's text
    code: Callable[..., object] | None = None  # the function that computed it, for its source


@dataclass(frozen=True)
class AnswerPending:
    """An answer that isn't available yet; `sentence` says what to do."""

    sentence: str


class UnanswerableQuestion(ValueError):
    """A question of a lesson has no answer; the message explains it to the lesson's author."""


class _Waits(Exception):
    """The learner's own run isn't done yet."""


@dataclass(frozen=True)
class _Source:
    """The values of the names in a question."""

    question: PredictQuestion
    is_rehearsed: bool

    @cached_property
    def exhibit(self) -> Exhibit:
        found: Exhibit = all_exhibits()[self.question.exhibit].exhibit()
        return found

    @cached_property
    def result(self) -> Any:
        """The result of the exhibit or the function."""
        return self.at()

    def at(self, **inputs: object) -> Any:
        """Return the result with different inputs."""
        if self.question.compute:
            given = {**self.question.given, **inputs}
            if prod(map(_largest, given.values())) > MOST_GIVEN:
                raise UnanswerableQuestion(
                    f"with: the numbers are too large. Multiplied, they make at most {MOST_GIVEN:,}."
                )
            try:
                return self.code(**given)
            except TypeError as error:
                raise UnanswerableQuestion(f"with: {error}.") from None
        asked = self._inputs({**self.question.given, **inputs})
        experiment = self.exhibit.experiment(asked)
        return compute_cached(self.code, asked, *([self._trained(experiment)] if experiment else []))

    @cached_property
    def inputs(self) -> Inputs | None:
        """The inputs of the exhibit, as the question sets them."""
        return None if self.question.compute else self._inputs(self.question.given)

    @property
    def run(self) -> ExperimentRun:
        """The run that the exhibit computes from."""
        asked: Any = self.inputs
        found: ExperimentRun = getattr(asked, "run", None) or self._trained(self.exhibit.experiment(asked))
        return found

    @cached_property
    def code(self) -> Callable[..., object]:
        """The function that computes the result."""
        made: Callable[..., object] = (
            find_function_or_class(self.question.compute) if self.question.compute else self.exhibit.module.compute
        )
        return made

    def _inputs(self, given: Mapping[str, object]) -> Inputs:
        kind = self.exhibit.module.Inputs
        usual = kind()
        values = {name: _input(getattr(usual, name, None), value) for name, value in given.items()}
        shown = {name: getattr(usual, name) for name, _ in kind.controls()}
        values |= {name: self._trained(run.name) for name, run in shown.items() if isinstance(run, ExperimentRun)}
        try:
            found: Inputs = kind(**values)
        except (TypeError, ValueError) as error:
            raise UnanswerableQuestion(f"with: {error}") from None
        return found

    def _trained(self, name: str) -> ExperimentRun:
        own = self.question.own
        if own is not None and not self.is_rehearsed:
            mine = live_experiments.own_experiment_run(name, {} if own == OWN_RUN_IF_DONE else own)  # type: ignore[arg-type]
            if mine is not None and mine.is_done:
                return mine
            if own != OWN_RUN_IF_DONE:
                raise _Waits
        example = live_experiments.example_run(name)
        if example is None:
            raise UnanswerableQuestion(f"There is no example of the experiment {name!r}.")
        return example

    @cached_property
    def value(self) -> Any:
        """The value of the expression."""
        form, text = self.question.form, str(self.question.answer)
        if isinstance(form, CurveAnswerForm):
            return [float(templates.evaluate_expression(text, self.named, x=x)) for x in form.x]
        return templates.evaluate_expression(text, self.named)

    def named(self, name: str) -> object:
        """Return the value of a name in the result or, failing that, in the inputs."""
        if name in ("run", "at", "result"):
            return getattr(self, name)
        for holder in (self.result, self.inputs):
            if not name.startswith("_") and hasattr(holder, name):
                return getattr(holder, name)
        known = [one for one in (*dir(self.result), *dir(self.inputs)) if not one.startswith("_")]
        where = self.question.exhibit if self.inputs else self.question.compute
        raise UnanswerableQuestion(
            f"{where} has no {name!r}, neither in its result nor in its inputs.{suggest_names(name, set(known))}"
        )


def _largest(value: object) -> float:
    """Return the largest number in a value, at least 1."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        return max(map(_largest, value), default=1)
    return max(1, abs(value)) if isinstance(value, int | float) else 1


def _input(usual: object, value: object) -> object:
    """Convert a value of a lesson's file to an exhibit's input: texts, pictures and records are given by name."""
    if isinstance(usual, ModelAndText) and isinstance(value, str):
        return usual.other(value, usual.encoded.most)
    if isinstance(usual, InputPicture) and isinstance(value, str | int):
        return load_photograph(value) if isinstance(value, str) else held_out_digit(value)
    if is_dataclass(usual) and not isinstance(usual, type) and isinstance(value, Mapping):
        return replace(usual, **value)
    # Values in a cache must be immutable.
    return tuple(_input(None, one) for one in value) if isinstance(value, list) else value


def compute_answer(question: PredictQuestion, *, is_rehearsed: bool = False) -> ComputedAnswer | AnswerPending:
    """Compute the answer to a question.

    Args:
        is_rehearsed: use the example even if the question asks for the learner's own run.

    Raises UnanswerableQuestion: if the question uses a name that doesn't exist, or its answer doesn't fit.
    """
    if question.answer is None:
        return ComputedAnswer(question.right, "")
    source = _Source(question, is_rehearsed)
    with live_experiments.use_shipped_runs() as pin:
        try:
            value = source.value
            sentence = templates.fill_template(question.found, source.named, answer=value)
        except _Waits:
            return AnswerPending(WAIT_FOR_OWN_RUN)
        except templates.TemplateRefused as refused:
            raise UnanswerableQuestion(str(refused)) from None
        except (NothingToShow, ModelUnreadable) as nothing:
            return AnswerPending(str(nothing))
    if not fits_form(question.form, value):
        raise UnanswerableQuestion(f"answer: {value!r} doesn't answer a question of {question.form}.")
    return ComputedAnswer(value, f"{sentence} {FROM_EXAMPLE}" if pin.examples else sentence, source.code)
