"""What every cached loader shares: keys by content, bounds, models that nobody can change.

Streamlit hashes a large array from a random sample of it, so two arrays that differ in one cell can meet the same
entry. Cached functions therefore take short keys (a content digest, a name, numbers), never arrays or tensors.
"""

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn

# Bounds with reasons: a shipped model takes 1 to 10 MB, a trace of 64 tokens about 2 MB; a class of sixty looks at a
# few models and at about one text each.
MAX_MODELS = 8
MAX_TRACES = 128
MAX_FIGURES = 256


def content_key(*parts: str | bytes | int | float | bool | None) -> str:
    """A digest of plain values; equal parts give equal keys, and (1, "1") differs from ("1", 1).

    Raises:
        TypeError: for anything that is not a plain value.
    """
    digest = hashlib.sha256()
    for part in parts:
        if not isinstance(part, str | bytes | int | float | None):
            raise TypeError(f"a cache key takes plain values, not {type(part).__name__}")
        data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "backslashreplace")
        digest.update(f"{type(part).__name__} {len(data)} ".encode() + data)
    return digest.hexdigest()


def frozen(model: "nn.Module") -> "nn.Module":
    """Make a model fit for sharing between sessions: evaluation mode, no gradients."""
    return model.eval().requires_grad_(False)
