"""The building blocks of an exhibit, in one import.

from core.exhibit import Result, slider
from core.exhibit import Inputs as Base

class Inputs(Base, prefix="memory_"):
    length: int = slider("Length (tokens)", 1, 1024, 128)

class Memory(Result):
    total: int  # bytes

def compute(inputs: Inputs) -> Memory: ...
"""

from core.data.csv_table import Column, Table
from core.exhibit.cache import (
    MAX_FIGURES,
    MAX_MODEL_BYTES,
    MAX_MODELS,
    MAX_TRACES,
    content_key,
    frozen,
    memoize,
    size_of,
)
from core.exhibit.controls import (
    MAX_SEED,
    NOT_YET,
    PROMPT_CHARS,
    SHOW,
    About,
    Control,
    Look,
    NothingToShow,
    custom,
    declared,
    guess,
    is_whole,
    label_of,
    number,
    options_of,
    picked,
    seed,
    segmented,
    select,
    several,
    slider,
    steps,
    text_area,
    text_input,
    toggle,
)
from core.exhibit.inputs import Inputs
from core.exhibit.result import Outcome, Result, nearest

__all__ = [
    "MAX_FIGURES",
    "MAX_MODELS",
    "MAX_MODEL_BYTES",
    "MAX_SEED",
    "MAX_TRACES",
    "NOT_YET",
    "PROMPT_CHARS",
    "SHOW",
    "About",
    "Column",
    "Control",
    "Inputs",
    "Look",
    "NothingToShow",
    "Outcome",
    "Result",
    "Table",
    "content_key",
    "custom",
    "declared",
    "frozen",
    "guess",
    "is_whole",
    "label_of",
    "memoize",
    "nearest",
    "number",
    "options_of",
    "picked",
    "seed",
    "segmented",
    "select",
    "several",
    "size_of",
    "slider",
    "steps",
    "text_area",
    "text_input",
    "toggle",
]
