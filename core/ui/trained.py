"""The trained models of an experiment's record, as the key of what is computed from them."""

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.ui.live import Live

if TYPE_CHECKING:
    from core.train.experiment import Record

MAX_RESULTS = 64  # of some kilobytes, but each holds on to its record of some hundred


@dataclass(frozen=True)
class Trained:
    """A record that can be the key of a result: two are equal where their weights are.

    Attributes:
        digest: of all trained weights, and of the tokenizer if there is one.
        record: of the experiment.
    """

    digest: str
    record: "Record" = field(compare=False, repr=False)


def trained(live: Live) -> Trained:
    """The models of what is shown now."""
    digest = hashlib.sha256()
    for name in sorted(name for name in live.record if name.startswith("model.") or name == "tokenizer"):
        digest.update(name.encode() + live.record[name].tobytes())
    return Trained(digest.hexdigest(), live.record)
