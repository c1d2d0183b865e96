"""The same captioner, but its decoder reads one vector only: that of the class token (vec2seq)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from core.models.captioner import READS
from core.rooms.captions.experiments import captions
from core.train.experiment import Record

Options = captions.Options
WHAT: Mapping[str, str] = MappingProxyType(
    {"exact": "whole caption", "digit": "digit", "ink": "ink", "slant": "slant", "loss": "loss"}
)


def table(records: Mapping[str, Record]) -> dict[str, list[Any]]:
    """What captioners, by their names, get right at their last look."""
    found: dict[str, list[Any]] = {"what": list(WHAT.values())}
    return found | {name: [float(one[f"curve.{what}"][-1]) for what in WHAT] for name, one in records.items()}


class CaptionsClass(captions.Captions):
    """A captioner whose decoder reads the class token's vector. See `captions.Captions`."""

    title: ClassVar[str] = "Captions out of one vector"
    reads: ClassVar[str] = READS[1]
