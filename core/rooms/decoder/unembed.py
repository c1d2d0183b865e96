"""From the last hidden row to logits to probabilities: one dot product for each token, then the softmax."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.cache import MAX_MODELS, content_key, memoize
from core.inputs import NothingToShow, segmented, slider
from core.inspect.reading.model_and_text import load, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.models.gpt import GPT
from core.rooms.decoder import predictions_widget
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.compute.readout import Kinship, LastRow, kinship, last_row
from core.rooms.decoder.experiments import lens as task
from core.rooms.decoder.inputs import MOST, Looked
from core.train import experiment
from core.train.experiments.live import Live

CODE = (last_row, kinship, GPT.forward)


def TRAINED(inputs: Any) -> str:
    return task.NAME if inputs.model == "small" else ""


class Inputs(Looked, prefix="row_"):
    """Which model reads the text, and after which of its tokens; at first where there is most to choose from."""

    model: str = segmented("Model", {"chosen": "the chosen model", "small": "a small one with tied weights"}, "chosen")
    place: int = slider(
        "Position whose row is read",
        0,
        lambda i: max(0, len(ids_of(i)) - 1),
        lambda i: int(training_window.taught(i.given).loss.argmax()),
    )


@dataclass(frozen=True)
class Read:
    """The last row after one position of a text."""

    row: LastRow  # with the token that came next among those that are shown
    kin: Kinship  # likeness of the vectors by which tokens enter and leave
    ids: tuple[int, ...]  # ids, tokens: of the text
    tokens: Sequence[str]
    words: Sequence[str]  # (V,) all tokens as they can be read
    place: int  # the position
    config: Any  # of the model

    @property
    def came(self) -> int | None:
        """Which of the shown tokens came next, None after the last position."""
        return self.row.shown.tolist().index(self.ids[self.place + 1]) if self.place + 1 < len(self.ids) else None

    @property
    def own(self) -> float:
        """Mean cosine between the two vectors of a token."""
        return float(np.nanmean(self.kin.own))

    @property
    def favorite(self) -> float:
        return float(self.row.probabilities[self.row.shown[0]])

    @property
    def formula(self) -> str:
        return rf"p = \frac{{e^{{{self.row.logits.max():.3f}}}}}{{\sum_u e^{{z_u}}}} = {self.favorite:.4f}"

    def table(self) -> dict[str, list[Any]]:
        shown = self.row.shown
        return {
            "token": [self.words[int(i)] for i in shown],
            "logit": self.row.logits[shown].tolist(),
            "probability": self.row.probabilities[shown].tolist(),
            "cosine of its two vectors": self.kin.own[shown].tolist(),
        }


@memoize(MAX_MODELS)
def kin_of(key: ModelKey) -> Kinship:
    return kinship(load(key).model)


def ids_of(inputs: Any) -> tuple[int, ...]:
    """The text as the model that was chosen reads it."""
    given = inputs.given
    return given.ids if inputs.model == "chosen" else tuple(task.tokenizer().encode(given.encoded.text)[-MOST:])


def compute(inputs: Inputs, run: Live | None = None) -> Read:
    """The row of one position, which has read all tokens up to it; what really came next is shown in any case."""
    given, place, ids = inputs.given, inputs.place, ids_of(inputs)
    if not ids:
        raise NothingToShow("The small model knows none of these tokens: it was trained on little stories.")
    if run is None:
        model, kin, tokens, words = given.model, kin_of(given.key), given.tokens, vocabulary(given.key)
    else:
        tokenizer, model = experiment.tokenizer_of(run.record), task.model_of(run.record, task.Options(**run.options))
        tokens, words = (tuple(tokenizer.tokens(some)) for some in (list(ids), range(tokenizer.vocab_size)))
        kin = kinship(model)
    came = ids[place + 1] if place + 1 < len(ids) else None
    row = last_row(model, ids[: place + 1], came)
    return Read(row, kin, ids, tokens, words, place, model.config)


def draw(result: Read, inputs: Inputs, run: Live | None = None) -> None:
    favorite, came = result.words[result.row.shown[0]], result.came
    name = inputs.content if run is None else content_key("small", run.step, *result.ids)[:12]
    predictions_widget.unembed(
        result.row,
        result.words,
        truth=came,
        has_bias=result.config.output_bias,
        key=f"row.{name}.{result.place}",
        label=f"After “{result.tokens[result.place].strip()}” (position {result.place})",
        takeaway=f"The likeliest next token is {favorite!r} with {result.favorite:.3f}.",
    )
    ui.say("tied")
    if came is not None:
        ui.say("came", word=result.words[result.row.shown[came]].strip())
