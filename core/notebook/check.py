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
from core.notebook.exercises import EXERCISES, Exercise

N_INPUT = 20


@dataclass(frozen=True)
class CheckResult:
    """The verdict on a function: whether it is right, and a message. It is truthy if the function is right."""

    is_right: bool
    words: str

    def __bool__(self) -> bool:
        return self.is_right

    def __repr__(self) -> str:
        return self.words


def check(function: Callable[..., object], *, seed: int = 0) -> CheckResult:
    """Compare a function with ours of the same name.

    Args:
        seed: of the first random input.

    Raises:
        TypeError: if it isn't a function.
        ValueError: if there is no exercise of its name.
    """
    if not callable(function):
        raise TypeError(f"check a function, such as check(attend), not {describe_value(function)}")
    name = getattr(function, "__name__", "")
    if name not in EXERCISES:
        raise ValueError(f"there is no exercise {name!r}; there are {', '.join(EXERCISES)}")
    exercise, seeds = EXERCISES[name], range(seed, seed + N_INPUT)
    for one in seeds:
        problem = _compared(exercise, function, one)
        if problem:
            slip = _slip(exercise, function, seeds)
            return CheckResult(False, f"{name}: {slip or problem}")
    return CheckResult(True, f"{name}: right on {N_INPUT} random inputs.")


def _compared(exercise: Exercise, function: Callable[..., object], seed: int) -> str:
    """Describe the problem of a function on one input; "" if it is right."""
    right = exercise.trial(exercise.right, _generator(seed))
    try:
        theirs = exercise.trial(function, _generator(seed))
    except Exception as error:  # whatever a learner's function may raise
        return f"it stops with {type(error).__name__}: {error}"
    return next((said for name in right if (said := _difference(name, theirs.get(name), right[name], exercise))), "")


def _difference(name: str, theirs: object, right: Tensor, exercise: Exercise) -> str:
    if theirs is None:
        return f"it gives no {name}; what does it return?"
    if not isinstance(theirs, Tensor):
        return f"{name} should be a tensor, not {describe_value(theirs)}"
    if theirs.shape != right.shape:
        return f"{name} has the shape {tuple(theirs.shape)}; it should be {tuple(right.shape)}"
    if (theirs.dtype == torch.bool) != (right.dtype == torch.bool):
        return f"{name} should be {str(right.dtype).removeprefix('torch.')}, not {theirs.dtype}"
    gap = (theirs.double() - right.double()).abs().nan_to_num(torch.inf)
    gap[theirs.isnan() & right.isnan()] = 0  # a known mistake may give the same
    if bool((gap <= exercise.tolerance).all()):
        return ""
    at = tuple(int(i) for i in (gap == gap.max()).nonzero()[0])
    place = f"[{', '.join(map(str, at))}]" if at else ""
    return f"{name}{place} is {float(theirs[at]):.4g}; it should be {float(right[at]):.4g}"


def _slip(exercise: Exercise, function: Callable[..., object], seeds: range) -> str:
    """Return the message of the known mistake that gives the same numbers on all inputs, or ""."""
    for words, slip in exercise.slips:
        mistaken = Exercise(exercise.trial, slip, (), exercise.tolerance)
        if not any(_compared(mistaken, function, one) for one in seeds):
            return words
    return ""


def _generator(seed: int) -> Generator:
    return torch.Generator().manual_seed(seed)
