"""What the exhibits of the room share: a model and a text; how many bits; who shares a scale."""

from core.exhibit import Inputs
from core.inspect.reading.model_and_text import ModelAndText, model_and_text

MOST_PROMPT = 40  # tokens that are read of the text
BITS = {32: "32", 16: "16", 8: "8", 4: "4", 3: "3", 2: "2"}
SCALES = {"matrix": "matrix", "row": "row", "group": "32 weights"}  # who shares a scale


class Text(Inputs):
    """A model that writes, and a text."""

    given: ModelAndText = model_and_text(most=MOST_PROMPT)
