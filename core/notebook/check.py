"""Checks of a learner's functions: they are compared with ours on random inputs, and mistakes are explained.

    check(attend)    # attend: right on 20 random inputs.

A function is identified by its name: `merge`, `causal`, `attend`, `block`, `training_step`, `sample`; `exercises.py`
has the arguments of each, and the common mistakes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from core.data.checks import describe_value
from core.data.localization.labels import module_labels
from core.notebook.exercises import EXERCISES, Exercise

LABELS = module_labels(__name__)

N_INPUT = 20


@dataclass(frozen=True)
class _CheckResult:
    """The verdict on a function: whether it is right, and a message. It is truthy if the function is right."""

    is_right: bool
    words: str

    def __bool__(self) -> bool:
        return self.is_right

    def __repr__(self) -> str:
        return self.words


def check(function: Callable[..., object], *, seed: int = 0) -> _CheckResult:
    """Compare a function with ours of the same name.

    Args:
        seed: of the first random input.

    Raises:
        TypeError: if it isn't a function.
        ValueError: if there is no exercise of its name.
    """
    if not callable(function):
        raise TypeError(LABELS("no_function", given=describe_value(function)))
    name = getattr(function, "__name__", "")
    if name not in EXERCISES:
        raise ValueError(LABELS("no_exercise", name=repr(name), exercises=", ".join(EXERCISES)))
    exercise, seeds = EXERCISES[name], range(seed, seed + N_INPUT)
    for one in seeds:
        problem = _compared(exercise, function, one)
        if problem:
            slip = _slip(exercise, function, seeds)
            return _CheckResult(False, LABELS("wrong", name=name, problem=slip or problem))
    return _CheckResult(True, LABELS("right", name=name, n=N_INPUT))


def _compared(exercise: Exercise, function: Callable[..., object], seed: int) -> str:
    """Describe the problem of a function on one input; "" if it is right."""
    right = exercise.trial(exercise.right, _generator(seed))
    try:
        theirs = exercise.trial(function, _generator(seed))
    except Exception as error:  # whatever a learner's function may raise
        return LABELS("stops", kind=type(error).__name__, error=error)
    return next((said for name in right if (said := _difference(name, theirs.get(name), right[name], exercise))), "")


def _difference(name: str, theirs: object, right: Tensor, exercise: Exercise) -> str:
    if theirs is None:
        return LABELS("no_result", name=name)
    if not isinstance(theirs, Tensor):
        return LABELS("no_tensor", name=name, given=describe_value(theirs))
    if theirs.shape != right.shape:
        return LABELS("wrong_shape", name=name, given=tuple(theirs.shape), right=tuple(right.shape))
    if (theirs.dtype == torch.bool) != (right.dtype == torch.bool):
        return LABELS("wrong_type", name=name, right=str(right.dtype).removeprefix("torch."), given=theirs.dtype)
    gap = (theirs.double() - right.double()).abs().nan_to_num(torch.inf)
    gap[theirs.isnan() & right.isnan()] = 0  # a known mistake may give the same
    if bool((gap <= exercise.tolerance).all()):
        return ""
    at = tuple(int(i) for i in (gap == gap.max()).nonzero()[0])
    place = f"[{', '.join(map(str, at))}]" if at else ""
    return LABELS("wrong_number", name=name, place=place, theirs=float(theirs[at]), right=float(right[at]))


def _slip(exercise: Exercise, function: Callable[..., object], seeds: range) -> str:
    """Return the message of the known mistake that gives the same numbers on all inputs, or ""."""
    for words, slip in exercise.slips:
        mistaken = Exercise(exercise.trial, slip, (), exercise.tolerance)
        if not any(_compared(mistaken, function, one) for one in seeds):
            return words
    return ""


def _generator(seed: int) -> Generator:
    return torch.Generator().manual_seed(seed)
