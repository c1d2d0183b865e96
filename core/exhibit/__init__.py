"""The building blocks of an exhibit, in one import.

from core.exhibit import Result, slider
from core.exhibit import Inputs as Base

class Inputs(Base, prefix="memory_"):
    length: int = slider("Length (tokens)", 1, 1024, 128)

class Memory(Result):
    total: int  # bytes

def compute(inputs: Inputs) -> Memory: ...
"""

from core.data.csv_export import Column, Table
from core.exhibit.cache import (
    MAX_FIGURES,
    MAX_MODEL_BYTES,
    MAX_MODELS,
    MAX_TRACES,
    content_key,
    count_array_bytes,
    freeze_model,
    memoize,
)
from core.exhibit.controls import (
    MAX_SEED,
    NOT_YET,
    PROMPT_CHARS,
    SHOW,
    Control,
    ControlKwargs,
    NothingToShow,
    ViewChoice,
    are_integers,
    check_is_control,
    custom_control,
    guess_control,
    hidden_training_steps,
    label_of,
    multi_select,
    number_input,
    option_key,
    option_values,
    seed,
    segmented_control,
    select,
    selection_in_picture,
    slider,
    text_area,
    text_input,
    toggle,
)
from core.exhibit.inputs import Inputs
from core.exhibit.result import GuessOutcome, Result, nearest_label

__all__ = [
    "MAX_FIGURES",
    "MAX_MODELS",
    "MAX_MODEL_BYTES",
    "MAX_SEED",
    "MAX_TRACES",
    "NOT_YET",
    "PROMPT_CHARS",
    "SHOW",
    "Column",
    "Control",
    "ControlKwargs",
    "GuessOutcome",
    "Inputs",
    "NothingToShow",
    "Result",
    "Table",
    "ViewChoice",
    "are_integers",
    "check_is_control",
    "content_key",
    "count_array_bytes",
    "custom_control",
    "freeze_model",
    "guess_control",
    "hidden_training_steps",
    "label_of",
    "memoize",
    "multi_select",
    "nearest_label",
    "number_input",
    "option_key",
    "option_values",
    "seed",
    "segmented_control",
    "select",
    "selection_in_picture",
    "slider",
    "text_area",
    "text_input",
    "toggle",
]
