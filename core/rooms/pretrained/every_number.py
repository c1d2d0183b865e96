"""Every number of a model's file, and how coarsely they can be kept before it talks nonsense."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.printable import visible
from core.exhibit import Result, segmented
from core.inspect.readers import predicts
from core.inspect.reading.model_and_text import encode, load_any, sample_of
from core.models import pretrained
from core.rooms.pretrained.check import MOST_TOKENS, Guess, can_hide, gaps, next_token
from core.rooms.pretrained.compute.altered import BITS, altered, rounded, shuffled
from core.rooms.pretrained.inputs import Looked, reads_text
from core.rooms.pretrained.weights_widget import weights

MOST_ALTERED = 5_000_000  # parameters: a copy of a larger model takes too long and too much memory
MOST_DRAWN = 500_000  # numbers: of more, evenly spaced rows and columns are drawn
LABELS = {how: {"stored": "as it is"}.get(how, how) for how in BITS}
CODE = (pretrained.load, rounded, shuffled, altered)


def is_small(i: Any) -> bool:
    """Whether a copy of the model can be altered at once."""
    return sum(weight.numel() for weight in load_any(i.key).model.parameters()) <= MOST_ALTERED


class Inputs(Looked):
    how: str = segmented("Keep each number", LABELS, "stored", name="keep", when=is_small)


class EveryNumber(Result):
    """The tables of a model as they are kept, and the model's answer with them."""

    tables: dict[str, NDArray[np.float32]]  # name -> what is drawn of it
    shapes: tuple[tuple[int, ...], ...]
    every: int  # of so many rows and columns one is drawn
    total: int  # numbers in all
    n_bit: int  # for each
    n_byte: int  # of all numbers together
    text: str  # that it was asked about
    guess: Guess | None  # None where it cannot be asked
    stored: Guess | None  # with its numbers as they are stored
    best: str  # the most probable token, as it can be read
    best_stored: str
    chance: float  # the probability of the most probable token

    def table(self) -> dict[str, list[Any]]:
        """One line for each table of numbers that is drawn."""
        values = list(self.tables.values())
        return {
            "table": list(self.tables),
            "shape": [" × ".join(map(str, shape)) for shape in self.shapes],
            "numbers": [math.prod(shape) for shape in self.shapes],
            "least": [float(one.min()) for one in values],
            "largest": [float(one.max()) for one in values],
            "deviation": [float(one.std()) for one in values],
        }

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The tables as they are drawn."""
        return self.tables


def compute(inputs: Inputs) -> EveryNumber:
    """The numbers as they are kept, and the model's guess and surprisal with these."""
    found = load_any(inputs.key)
    model = altered(found.model, inputs.how)
    weights = {name: weight.detach() for name, weight in model.named_parameters()}
    total = sum(weight.numel() for weight in weights.values())
    every = max(1, math.ceil(math.sqrt(total / MOST_DRAWN)))
    tables = {}
    for name, weight in weights.items():
        flat = weight.reshape(-1, weight.shape[-1]) if weight.ndim > 1 else weight.reshape(-1)
        tables[name] = np.ascontiguousarray(flat[(slice(None, None, every),) * flat.ndim].float().numpy())
    shapes = tuple(tuple(weight.shape) for weight in weights.values())
    # Of a large model the tables may stay in the type that its file has.
    is_kept, n_bit = inputs.how in ("stored", "shuffled"), BITS[inputs.how]
    n_bit = round(8 * sum(weight.nbytes for weight in weights.values()) / total) if is_kept else n_bit
    text = sample_of(inputs.key) if reads_text(inputs.key) else ""
    guess, stored = (_ask(inputs, text, one) for one in (model, found.model))
    return EveryNumber(
        tables=tables,
        shapes=shapes,
        every=every,
        total=total,
        n_bit=n_bit,
        n_byte=math.ceil(total * n_bit / 8),
        text=text,
        guess=guess,
        stored=stored,
        best=_token(guess),
        best_stored=_token(stored),
        chance=0.0 if guess is None else float(guess.probabilities.max()),
    )


def _token(guess: Guess | None) -> str:
    return "" if guess is None else visible(guess.vocabulary[int(guess.probabilities.argmax())])


def _ask(inputs: Inputs, text: str, model: Any) -> Guess | None:
    """What follows the text, or stands in its last gap; None for a model that cannot be asked so."""
    if not text:
        return None
    found, ids = load_any(inputs.key), list(encode(inputs.key, text, MOST_TOKENS).ids)
    if predicts(model) == "next":
        return next_token(model, ids, found.vocabulary)
    if hidden := can_hide(model, found.tokenizer, ids):
        mask_id = int(getattr(found.tokenizer, "mask_id", 0))
        return gaps(model, ids, mask_id, hidden[-1], hidden, found.vocabulary)
    return None


def draw(result: EveryNumber, inputs: Inputs) -> None:
    """All tables as a picture."""
    weights(
        result.tables,
        result.shapes,
        tokens=load_any(inputs.key).vocabulary,
        every=result.every,
        key=f"every-number.{inputs.key.name}",
        label=f"{result.total:,} numbers, a dot for each"
        if result.every == 1
        else f"One number of {result.every**2:,}",
    )
