"""From the last hidden row to logits to probabilities: one dot product for each token, then the softmax."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core import ui
from core.exhibit import MAX_MODELS, Look, NothingToShow, content_key, memoize, segmented, slider
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
PLACE = "row_place"


def _size(inputs: Any) -> int:
    """Logits of all positions, each of which takes a pass of its own."""
    return len(ids_of(inputs)) * int(inputs.given.config.vocab_size)


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
        look=Look(numbers=_size),
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
    model: Any

    def at(self, place: int) -> "Read":
        """The same after another position."""
        return self if place == self.place else replace(self, row=_row(self.model, self.ids, place), place=place)

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
    """The row of one position, and how alike the two vectors of each token are."""
    given, place, ids = inputs.given, inputs.place, ids_of(inputs)
    if not ids:
        raise NothingToShow("The small model knows none of these tokens: it was trained on little stories.")
    if run is None:
        model, kin, tokens, words = given.model, kin_of(given.key), given.tokens, vocabulary(given.key)
    else:
        tokenizer, model = experiment.tokenizer_of(run.record), task.model_of(run.record, task.Options(**run.options))
        tokens, words = (tuple(tokenizer.tokens(some)) for some in (list(ids), range(tokenizer.vocab_size)))
        kin = kinship(model)
    return Read(_row(model, ids, place), kin, ids, tokens, words, place, model)


def _row(model: Any, ids: tuple[int, ...], place: int) -> LastRow:
    """Of one position, which has read all tokens up to it; what really came next is shown in any case."""
    return last_row(model, ids[: place + 1], ids[place + 1] if place + 1 < len(ids) else None)


def draw(result: Read, inputs: Inputs, run: Live | None = None) -> None:
    name = inputs.content if run is None else content_key("small", run.step, *result.ids)[:12]
    each = ui.each(result.at, PLACE)
    predictions_widget.unembed(
        ui.over(lambda one: one.row, each),
        result.words,
        truth=ui.over(lambda one: one.came, each),
        has_bias=result.model.config.output_bias,
        key=f"row.{name}",
        label=ui.over(lambda one: f"After “{one.tokens[one.place].strip()}” (position {one.place})", each),
        takeaway=ui.over(
            lambda one: f"The likeliest next token is {one.words[one.row.shown[0]]!r} with {one.favorite:.3f}.", each
        ),
    )
    ui.say("tied", embed_scale=result.model.config.embed_scale)
    if result.row.softcap is not None:
        ui.say("bounded")
    ui.say(
        ui.over(lambda one: "" if one.came is None else "came", each),
        word=ui.over(lambda one: "" if one.came is None else one.words[one.row.shown[one.came]].strip(), each),
    )
