"""Limits on the files of a model that a learner uploads, and on all that is kept of each learner."""

import os
from dataclasses import dataclass

OWN_MB = 2_000  # at one's own machine, where only one's own disk fills
SHARED_MB = 100  # where others come: all learners of an address fill 4 GB at most
OWNERS_OF_ADDRESS = 20  # learners whose full share the models of one address may take
MAX_SMALL = 40_000_000  # bytes of a file that is no weights; Gemma 3's tokenizer.json has 33 MB


@dataclass(frozen=True)
class Limits:
    """In bytes."""

    file: int  # the largest file of weights
    owner: int  # all that is kept of one learner's uploads
    address: int  # all that is kept of the learners of one address, uploaded and downloaded

    def of(self, name: str) -> int:
        """The largest file of this name."""
        return self.file if name.endswith(".safetensors") else min(self.file, MAX_SMALL)


def limits(is_own_machine: bool) -> Limits:
    """By `GLASSFORMER_UPLOAD_MB`, the MB of one file (1 to 1,000,000); twice as much is kept of each learner.

    A school has one address, so of an address as much is kept as of twenty learners.
    """
    text = os.environ.get("GLASSFORMER_UPLOAD_MB", "")
    given = int(text) if text.isdecimal() and len(text) < 8 and 1 <= int(text) <= 1_000_000 else None
    n_byte = 1_000_000 * (given or (OWN_MB if is_own_machine else SHARED_MB))
    return Limits(n_byte, 2 * n_byte, OWNERS_OF_ADDRESS * 2 * n_byte)
