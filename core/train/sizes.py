"""Sizes of models that can be had by a word, for the studio and for the command line. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Size:
    """The sizes of a model: blocks, heads in each, width of the residual stream, tokens it can look back."""

    n_layer: int
    n_head: int
    d_model: int
    context_length: int


SIZES: Mapping[str, Size] = MappingProxyType(
    {"tiny": Size(2, 4, 64, 32), "small": Size(4, 4, 128, 64), "medium": Size(6, 6, 192, 96)}
)
# Different tokens at most, for each kind of tokenizer that needs a number.
VOCABULARIES: Mapping[str, int] = MappingProxyType({"word": 2000, "word_bytes": 2256, "bpe": 512})
