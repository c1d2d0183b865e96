"""The inputs of a computation, declared once: default, limits and label of each value.

class Inputs(exhibit.Inputs, prefix="mask_"):
    padding: int = slider("Padding tokens after the text", 0, 8, 3)
    row: int = slider("Row to look at", 0, lambda given: given.padding, 0)

Inputs(padding=2).row      # 0
Inputs(padding=9)          # ValueError: 9 is not a whole number from 0 to 8.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from inspect import get_annotations
from types import SimpleNamespace
from typing import Any

from core.data.localization.labels import module_labels
from core.exhibit.control_labels import with_labels
from core.exhibit.controls import Control
from core.exhibit.old_labels import old_labels


class Inputs:
    """The base of an exhibit's inputs: a frozen dataclass whose fields are declared by the functions of `controls`.

    Raises:
        ValueError: for a value beyond its limits.
        TypeError: for a name that isn't a field.
    """

    def __init_subclass__(cls, *, prefix: str = "", **more: object) -> None:
        super().__init_subclass__(**more)
        for name in get_annotations(cls):
            control = cls.__dict__.get(name)
            if isinstance(control, Control):
                control = with_labels(control, name, module_labels(cls.__module__))
                control = replace(control, name=control.name or prefix + name)
                if former := old_labels(cls.__module__, str(control.name)):
                    control = replace(control, options={**control.options, "old_labels": former})
                setattr(cls, name, field(default=None, metadata={"control": control}))
        dataclass(frozen=True, init=False, repr=False)(cls)

    def __init__(self, **values: object) -> None:
        for name, control in self.controls():
            at = control if control.kind == "custom" and name in values else control.resolve(self)
            value = at.check(values.pop(name), self) if name in values else at.default
            object.__setattr__(self, name, value)
        if values:
            raise TypeError(f"{type(self).__name__} has no input {', '.join(values)}")

    @classmethod
    def controls(cls) -> Iterator[tuple[str, Control]]:
        """Yield the fields with their controls in order, those of the base first."""
        return ((declared.name, declared.metadata["control"]) for declared in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def control(cls, name: str) -> Any:
        """Return a field's declaration, for another class that has the same field."""
        return dict(cls.controls())[name]

    @classmethod
    def shared_inputs(cls) -> "type[Inputs] | None":
        """Return the base class, whose values all exhibits of a room share, or None."""
        above = cls.__mro__[1]
        return above if issubclass(above, Inputs) and above is not Inputs else None

    def non_default_values(self) -> dict[str, object]:
        """Return the values that differ from their defaults."""
        moved = {}
        so_far = SimpleNamespace()
        for name, control in self.controls():
            value = getattr(self, name)
            is_costly = control.kind == "custom" and callable(control.default)  # such as a model
            if is_costly or value != control.resolve(so_far).default:
                moved[name] = value
            setattr(so_far, name, value)
        return moved

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.non_default_values().items())
        return f"{type(self).__name__}({given})"
