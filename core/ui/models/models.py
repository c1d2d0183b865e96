"""Which models can be looked at, and the ways to them that every room shares.

One place to ask; the parts stand in files of their own: the key (`model_key`), where models lie (`model_places`), the
list of them (`model_picker`), reading them and a text (`model_loading`), what is said of them (`model_about`).
"""

from core.ui.models.about import GENERAL, SENTENCES, About, about
from core.ui.models.key import ModelKey, ModelUnreadable
from core.ui.models.loading import (
    MAX_TOKENS,
    Encoded,
    attention,
    encode,
    is_large,
    load,
    load_any,
    offer_words,
    patience,
    predicts,
    reader,
    show_notes,
    spelled,
    unpack,
    vocabulary,
)
from core.ui.models.model_files import WEIGHTS
from core.ui.models.model_folders import (
    DEFAULT,
    READERS,
    SHIPPED,
    WRITERS,
    folder,
    opened_key,
    run_key,
    shipped_folder,
    shipped_key,
)
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
    "folder",
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
