"""Which models can be looked at, and the ways to them that every room shares.

One place to ask; the parts stand in files of their own: keys, models and texts in `core.inspect.reading`; where models
lie in `model_folders`, the list of them in `picker`, what is said of them in `about`.
"""

from core.data.sentences import GENERAL, SENTENCES
from core.inspect.reading.model_and_text import (
    MAX_TOKENS,
    Encoded,
    attention,
    encode,
    is_large,
    load,
    load_any,
    predicts,
    reader,
    spelled,
    unpack,
    vocabulary,
)
from core.inspect.reading.model_key import DEFAULT, READERS, SHIPPED, WEIGHTS, WRITERS, ModelKey, ModelUnreadable
from core.ui.models.about import About, about
from core.ui.models.model_folders import (
    opened_key,
    run_key,
    shipped_folder,
    shipped_key,
)
from core.ui.models.notes import offer_words, patience, show_notes
from core.ui.models.picker import FAMILIES, picker

__all__ = [
    "DEFAULT",
    "FAMILIES",
    "GENERAL",
    "MAX_TOKENS",
    "READERS",
    "SENTENCES",
    "SHIPPED",
    "WEIGHTS",
    "WRITERS",
    "About",
    "Encoded",
    "ModelKey",
    "ModelUnreadable",
    "about",
    "attention",
    "encode",
    "is_large",
    "load",
    "load_any",
    "offer_words",
    "opened_key",
    "patience",
    "picker",
    "predicts",
    "reader",
    "run_key",
    "shipped_folder",
    "shipped_key",
    "show_notes",
    "spelled",
    "unpack",
    "vocabulary",
]
