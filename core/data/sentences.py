"""The initial text for each model: one that it understands."""

import re
from collections.abc import Mapping
from typing import Any

from core.data.synthetic import tasks
from core.data.tokenizers.gap_tokenizers import MASK, SENTINEL

# The sentence allows two toys, so the stories model is uncertain.
OPENING = "Sam had his kite and Anna had her hat. The wind took the"
# A text that each corpus would understand, because a model can only be judged on what it was trained on.
SENTENCES = {
    "stories": (
        "Tom and Mia played near the park. Mia hid under the bench. Tom looked in the box. No Mia! "
        "Tom looked near the wall. No"
    ),
    "bottle-and-cup": "I poured water from the bottle into the cup until it was full. It is the",
    "python-topics": "The statement raises an exception if the name is not",
    "python-library": "def __init__(self, name, value=None):\n    self.name = na",
    "tiny-shakespeare": "ROMEO:\nBut soft, what light through yonder",
}
# For published models, which were trained on nearly everything.
GENERAL = (
    "When Mary and John went to the store, Mary bought a bottle of milk. John was tired and it was late, so "
    "she gave it to"
)


def _with_spans(text: str) -> str:
    """Replace two spans of two words each by sentinels, as T5 reads a text."""
    words = text.split(" ")
    for n, place in enumerate((2, len(words) // 2)):
        words[place : place + 2] = [SENTINEL.format(n)]
    return " ".join(words)


def input_text_from_span_sample(sample: str) -> str:
    """Return the sentence of a run's sample of filled spans, see `core.train.tasks.spans`, as its model reads it."""
    sentence = re.split("^[✓✗]", sample, maxsplit=1, flags=re.MULTILINE)[0]
    return re.sub(r" ?⟨(\d+)⟩", lambda found: f" {SENTINEL.format(int(found[1]) - 1)}", sentence)


def recipe_sample_text(recipe: Mapping[str, Any]) -> str | None:
    """Return a text that a recipe's model understands; None if its training data is unknown.

    An encoder-decoder that was trained on a text gets it with missing spans. For a task, the text is a held-out
    question with its answer, without the last token; an encoder gets gaps in place of the answer, and an
    encoder-decoder only the question.
    """
    corpus = str(recipe.get("corpus", ""))
    try:
        task = tasks.find_task(corpus)
        posed = None if task is None else task.set(recipe.get("task", {}))
    except ValueError:  # a folder may claim anything
        return None
    kind = dict(recipe.get("model", {})).get("kind")
    if posed is None:
        found = SENTENCES.get(corpus)
        return _with_spans(found) if found and kind in ("t5", "transformer") else found
    (one,) = posed.held(1)
    answer = posed.tokenizer.split(one.answer)
    if kind == "bert":
        return one.question + MASK * posed.longest[1]
    return one.question if kind in ("t5", "transformer") else one.question + "".join(list(answer)[:-1])
