"""From the last hidden row to logits to probabilities: one dot product for each token, then the softmax."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    MAX_MODELS,
    NothingToShow,
    Result,
    Table,
    ViewChoice,
    content_key,
    memoize,
    segmented_control,
    slider,
)
from core.inspect.model_inputs.model_and_text import load_text_model, model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.models.gpt import GPT
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.compute.readout import EmbeddingSimilarity, LastRow, embedding_similarity, last_row
from core.rooms.decoder.experiments import lens as task
from core.rooms.decoder.inputs import MAX_TOKENS, DecoderInputs
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

CODE = (last_row, embedding_similarity, GPT.forward)


def _size(inputs: "Inputs") -> int:
    """Return the number of logits at all positions, each of which takes a forward pass of its own."""
    return len(_text_ids(inputs)) * int(inputs.given.config.vocab_size)


def TRAINED(inputs: "Inputs") -> str:
    return task.NAME if inputs.model == "small" else ""


class Inputs(DecoderInputs, prefix="row_"):
    """The model that reads the text, and the position; the default is the position with the highest loss."""

    model: str = segmented_control(("chosen", "small"), "chosen")
    place: int = slider(
        0,
        lambda i: max(0, len(_text_ids(i)) - 1),
        lambda i: int(training_window.cached_predictions(i.given).loss.argmax()),
        view=ViewChoice(n_number=_size),
    )


class RowReadout(Result):
    """The last row after one position of a text."""

    row: LastRow  # the shown tokens include the one that comes next
    kin: EmbeddingSimilarity  # similarity of each token's embedding and unembedding
    ids: tuple[int, ...]  # ids, tokens: of the text
    tokens: Sequence[str]
    words: Sequence[str]  # (V,) all tokens, printable
    place: int  # the position
    model: Any
    came: int | None  # index of the shown token that comes next, None after the last position
    own: float  # mean cosine between a token's two vectors
    favorite: float  # probability of the most probable token
    formula: str

    def at(self, place: int) -> "RowReadout":
        """Return the same for another position."""
        return self if place == self.place else read_row(self.model, self.kin, self.ids, self.tokens, self.words, place)

    def table(self) -> Table:
        shown = self.row.shown
        return {
            LABELS["token"]: [self.words[int(i)] for i in shown],
            LABELS["logit"]: self.row.logits[shown].tolist(),
            LABELS["probability"]: self.row.probabilities[shown].tolist(),
            LABELS["cosine"]: self.kin.own[shown].tolist(),
        }


@memoize(MAX_MODELS)
def _cached_similarity(key: ModelKey) -> EmbeddingSimilarity:
    return embedding_similarity(load_text_model(key).model)


def _text_ids(inputs: Any) -> tuple[int, ...]:
    """Return the ids of the text in the chosen model's vocabulary."""
    given = inputs.given
    return (
        given.ids
        if inputs.model == "chosen"
        else tuple(task.stories_tokenizer().encode(given.encoded.text)[-MAX_TOKENS:])
    )


def read_row(
    model: Any, kin: EmbeddingSimilarity, ids: tuple[int, ...], tokens: Sequence[str], words: Sequence[str], place: int
) -> RowReadout:
    """Return the row of one position, which has read all tokens up to it; the token that comes next is always shown."""
    next_id = ids[place + 1] if place + 1 < len(ids) else None
    row = last_row(model, ids[: place + 1], next_id)
    favorite = float(row.probabilities[row.shown[0]])
    return RowReadout(
        row=row,
        kin=kin,
        ids=ids,
        tokens=tokens,
        words=words,
        place=place,
        model=model,
        came=None if next_id is None else row.shown.tolist().index(next_id),
        own=float(np.nanmean(kin.own)),
        favorite=favorite,
        formula=rf"p = \frac{{e^{{{row.logits.max():.3f}}}}}{{\sum_u e^{{z_u}}}} = {favorite:.4f}",
    )


def compute(inputs: Inputs, run: ExperimentRun | None = None) -> RowReadout:
    """Read out the row of one position, and compare the two vectors of each token."""
    given, place, ids = inputs.given, inputs.place, _text_ids(inputs)
    if not ids:
        raise NothingToShow(LABELS["no_text"])
    if run is None:
        model, kin, tokens, words = (
            given.model,
            _cached_similarity(given.key),
            given.tokens,
            model_vocabulary(given.key),
        )
    else:
        tokenizer, model = (
            experiment.tokenizer_of(run.record),
            task.recorded_model(run.record, task.Options(**run.options)),
        )
        tokens, words = (tuple(tokenizer.tokens(some)) for some in (list(ids), range(tokenizer.vocab_size)))
        kin = embedding_similarity(model)
    return read_row(model, kin, ids, tokens, words, place)


def draw(result: RowReadout, inputs: Inputs, run: ExperimentRun | None = None) -> None:
    """Draw the logits of the shown tokens, each decomposed into its products."""
    name = inputs.content if run is None else content_key("small", run.step, *result.ids)[:12]
    each, config = ui.for_each_option(result.at, inputs.place), result.model.config
    rows = ui.map_choices(lambda one: one.row, each)
    largest = ui.map_choices(lambda one: float(one.logits.max()), rows)
    arrays = {
        name: ui.pad_stack(ui.map_choices(lambda one, name=name: getattr(one, name), rows))
        for name in ("hidden", "rows", "biases")
    }
    ui.mount_widget(
        "unembed",
        key=f"row.{name}",
        label=ui.map_choices(
            lambda one: LABELS("row_read", token=one.tokens[one.place].strip(), place=one.place), each
        ),
        takeaway=ui.map_choices(
            lambda one: LABELS("likeliest", word=repr(one.words[one.row.shown[0]]), probability=one.favorite), each
        ),
        plain=not ui.depth_at_least("numbers"),
        tokens=ui.map_choices(lambda one: [one.words[int(i)] for i in one.row.shown], each),
        largest=largest,
        total=ui.map_choices(lambda one, most: float(np.exp(one.logits - most).sum()), rows, largest),
        vocab_size=ui.map_choices(lambda one: len(one.logits), rows),
        truth=ui.map_choices(lambda one: one.came, each),
        has_bias=config.modern.output_bias,
        **({} if config.modern.logit_softcap is None else {"softcap": config.modern.logit_softcap}),
        **arrays,
    )
    ui.add_template_values(
        embed_scale=config.modern.embed_scale,
        word=ui.map_choices(lambda one: "" if one.came is None else one.words[one.row.shown[one.came]].strip(), each),
    )
