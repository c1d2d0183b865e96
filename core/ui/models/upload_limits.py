"""Limits on the files of a model that a learner uploads, and on everything stored for each learner."""

import os
from dataclasses import dataclass

OWN_MB = 2_000  # on the user's own machine, where only their own disk fills up
SHARED_MB = 100  # on a shared server: all learners of an address fill 4 GB at most
OWNERS_OF_ADDRESS = 20  # the models of one address may take the full quota of this many learners
MAX_SMALL = 40_000_000  # bytes of a file that isn't weights; Gemma 3's tokenizer.json has 33 MB


@dataclass(frozen=True)
class UploadLimits:
    """The limits in bytes."""

    file: int  # the largest file of weights
    owner: int  # all stored uploads of one learner
    address: int  # all stored uploads and downloads of the learners of one address

    def limit_for(self, name: str) -> int:
        """Return the size limit of a file with this name."""
        return self.file if name.endswith(".safetensors") else min(self.file, MAX_SMALL)


def upload_limits(is_own_machine: bool) -> UploadLimits:
    """Return the limits set by `GLASSFORMER_UPLOAD_MB`, the MB of one file (1 to 1,000,000).

    Each learner's quota is twice that. A school has one address, so an address has the quota of twenty learners.
    """
    text = os.environ.get("GLASSFORMER_UPLOAD_MB", "")
    given = int(text) if text.isdecimal() and len(text) < 8 and 1 <= int(text) <= 1_000_000 else None
    n_byte = 1_000_000 * (given or (OWN_MB if is_own_machine else SHARED_MB))
    return UploadLimits(n_byte, 2 * n_byte, OWNERS_OF_ADDRESS * 2 * n_byte)
