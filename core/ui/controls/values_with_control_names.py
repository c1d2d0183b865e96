"""References to controls by field: in `draw`, `inputs.layer` is both the value and the choice itself.

ui.select_by_choice(result.weights, inputs.layer, inputs.head)
"""

from copy import copy
from typing import Any, TypeVar

from core.exhibit import Control, Inputs

T = TypeVar("T", bound=Inputs)


class ValueWithControlName:
    """A value of an exhibit's inputs that knows its name in the address: `ui.select_by_choice(x, inputs.layer)`."""

    choice = ""  # its name in the address
    field = ""


class _Whole(ValueWithControlName, int):
    pass


class _Float(ValueWithControlName, float):
    pass


class _Text(ValueWithControlName, str):
    pass


class _Several(ValueWithControlName, tuple[object, ...]):
    pass


_REFERENCES = {int: _Whole, float: _Float, str: _Text, tuple: _Several}


def inputs_with_control_refs(inputs: T) -> T:
    """Return the inputs for `draw`, in which each value is also a reference to its control."""
    values: dict[str, Any] = {}
    for field, control in inputs.controls():
        value = getattr(inputs, field)
        if kind := _REFERENCES.get(type(value)):
            values[field] = kind(value)
            values[field].choice, values[field].field = str(control.name), field
    return with_values(inputs, **values)


def with_values(inputs: T, **values: object) -> T:
    """Return a copy of the inputs with other values, which are not checked again."""
    other = copy(inputs)
    for field, value in values.items():
        object.__setattr__(other, field, value)
    return other


def choice_address_name(choice: object) -> str:
    """Return a control's name in the address, given its value in `draw`, its declaration, or the name itself."""
    if isinstance(choice, Control):
        return str(choice.name)
    return getattr(choice, "choice", "") or str(choice)
