"""The text that a model writes after its numbers are rounded to a few values, next to the text it wrote before."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, NothingToShow, Result, Table, ViewChoice, memoize, segmented_control
from core.generate.decode import generate
from core.inspect.model_inputs.model_and_text import (
    OVERFLOW_MESSAGE,
    encode_text,
    has_nonfinite_output,
    load_any_model,
    sample_text_of,
    tokens_to_text_pieces,
)
from core.inspect.model_inputs.model_key import ModelKey
from core.inspect.single_text_models import prediction_kind
from core.rooms.pretrained.check import (
    MOST_TOKENS,
    TokenPrediction,
    hideable_positions,
    predict_gap,
    predict_next_token,
)
from core.rooms.pretrained.compute import altered_weights
from core.rooms.pretrained.compute.altered_weights import STORAGE_BITS, alter_model, round_weights
from core.rooms.pretrained.compute.small_wall import sampling_step, small_walls
from core.rooms.pretrained.inputs import ModelInputs, reads_text

LABELS = module_labels(__name__)

N_WRITTEN = 17  # tokens: the text that the page opens with ends a sentence there
N_NUMBER = 8  # numbers shown of one row
MOST_ALTERED = 5_000_000  # parameters: copying a larger model takes too much time and memory
MOST_PROMPT = 22  # letters of the prompt's end that are shown
FEW = 3  # words: a text of no more different ones repeats them

NONE = "none"
HOW = {NONE: "stored"} | {
    str(2**n_bit - 1): how for how, n_bit in STORAGE_BITS.items() if how not in ("stored", "shuffled")
}  # number of different values -> how the model is altered
OPTIONS = {name: LABELS[NONE] if name == NONE else LABELS("values", n=int(name)) for name in HOW}
CODE = (altered_weights.round_weights, altered_weights.alter_model, generate)
WARM_UP = True


class Inputs(ModelInputs):
    rounding: str = segmented_control(OPTIONS, "3", name="round_to", view=ViewChoice())


class ModelAnswer(NamedTuple):
    """A model's answer to its test text."""

    tokens: tuple[str, ...]  # that it writes, or the one that it puts into a gap
    best: int  # id of the most probable token
    chance: float  # its probability
    loss: float  # surprisal on the test text, in nats per token

    @property
    def n_word(self) -> int:
        """The number of different words."""
        return len(set("".join(self.tokens).split()))


class Rounding(NamedTuple):
    """A model with its numbers rounded."""

    numbers: NDArray[np.float32]  # (N,) the numbers shown
    zero: float  # share of all numbers that are 0
    written: ModelAnswer | None  # None for a model that can't be asked about a text


class ShownNumbers(NamedTuple):
    """The numbers shown: a part of one row of a table."""

    table: str
    row: int
    column: int  # the first one
    width: int  # of the whole row
    token: str  # whose row it is, "" if the rows don't belong to tokens
    largest: float  # the largest size of a number in the table


class Change(Result):
    """A model as it was published, and with its numbers rounded to fewer and fewer values."""

    total: int  # numbers in the model
    place: ShownNumbers
    prompt: str  # the end of the text before what is written
    roundings: dict[str, Rounding]  # number of values, or `NONE` -> the model
    walls: NDArray[np.uint8]  # (roundings, H, W) small pictures of the tables
    spot: tuple[int, int]  # column and row of the numbers shown in these pictures

    def n_same(self, name: str) -> int:
        """Return how many tokens are written as by the published model, before the first different one."""
        one, stored = self.roundings[name].written, self.roundings[NONE].written
        if one is None or stored is None:
            return 0
        pairs = [a == b for a, b in zip(one.tokens, stored.tokens, strict=True)]
        return pairs.index(False) if False in pairs else len(pairs)

    def is_same(self, name: str) -> bool:
        """Return whether the model writes what the published one does."""
        stored = self.roundings[NONE].written
        return stored is not None and self.n_same(name) == len(stored.tokens)

    @property
    def fewest(self) -> str:
        """The fewest values with which the model still writes the same, "" if it never does."""
        return next((name for name in reversed(self.roundings) if name != NONE and self.is_same(name)), "")

    def sentence(self, name: str) -> str:
        """Return the key of the sentence that holds for this rounding."""
        one = self.roundings[name].written
        if one is None:
            return "mute"
        if name == NONE:
            return "none"
        if self.is_same(name):
            return "same"
        kind = "repeats" if 1 < one.n_word <= FEW else "other"
        return f"{kind}_but" if self.fewest else kind

    def table(self) -> Table:
        """Return one row per rounding."""
        found = [one.written for one in self.roundings.values()]
        return {
            LABELS["column.values"]: [OPTIONS[name] for name in self.roundings],
            LABELS["column.zero"]: [round(one.zero, 4) for one in self.roundings.values()],
            LABELS["column.text"]: ["".join(one.tokens) if one else "" for one in found],
            LABELS["column.chance"]: [one.chance if one else float("nan") for one in found],
            LABELS["column.loss"]: [one.loss if one else float("nan") for one in found],
        }


def compute(inputs: Inputs) -> Change:
    """Round the model's numbers to each number of values, and let each copy continue the same text.

    Raises NothingToShow for a model that is too large to be copied, or whose activations overflow.
    """
    return _changed(inputs.key)


@memoize(MAX_TRACES)
def _changed(key: ModelKey) -> Change:
    model = load_any_model(key).model
    total = sum(weight.numel() for weight in model.parameters())
    if total > MOST_ALTERED:
        raise NothingToShow(LABELS("too_large", n=total, most=MOST_ALTERED))
    encoded = encode_text(key, sample_text_of(key), MOST_TOKENS) if reads_text(key) else None
    if encoded and encoded.ids and has_nonfinite_output(key, encoded.ids_key):
        raise NothingToShow(OVERFLOW_MESSAGE)
    ids = list(encoded.ids) if encoded else []
    place = _pick_numbers(key, model, _write(key, model, ids))
    every = sampling_step(total)
    roundings, samples = {}, []
    for name, how in HOW.items():
        altered = alter_model(model, how)
        matrices = _matrices(altered)
        samples.append([np.ascontiguousarray(one[::every, ::every].numpy()) for one in matrices.values()])
        roundings[name] = Rounding(
            numbers=matrices[place.table][place.row, place.column : place.column + N_NUMBER].numpy().copy(),
            zero=sum(int((weight == 0).sum()) for weight in altered.parameters()) / total,
            written=_write(key, altered, ids),
        )
    at = list(_matrices(model)).index(place.table)
    last_row, last_column = (size - 1 for size in samples[0][at].shape)
    walls, spot = small_walls(samples, (at, min(place.row // every, last_row), min(place.column // every, last_column)))
    return Change(
        total=total, place=place, prompt=_prompt(key, model, ids), roundings=roundings, walls=walls, spot=spot
    )


def _matrices(model: nn.Module) -> dict[str, Tensor]:
    """Return the tables (R, C) of a model by name, without its vectors."""
    named = {name: weight.detach().float() for name, weight in model.named_parameters()}
    return {name: one.reshape(-1, one.shape[-1]) for name, one in named.items() if one.ndim > 1}


def _gap(key: ModelKey, model: nn.Module, ids: list[int]) -> list[int]:
    """Return the positions of an encoder's text that can be hidden; [] for a decoder."""
    if not ids or prediction_kind(model) != "here":
        return []
    return hideable_positions(model, load_any_model(key).tokenizer, ids)


def _write(key: ModelKey, model: nn.Module, ids: list[int]) -> ModelAnswer | None:
    """Continue a text, or fill its last gap; None if the model does neither, or computes no finite numbers."""
    found = load_any_model(key)
    guess: TokenPrediction
    if ids and prediction_kind(model) == "next":
        guess = predict_next_token(model, ids)
    elif hidden := _gap(key, model, ids):
        guess = predict_gap(model, ids, int(getattr(found.tokenizer, "mask_id", 0)), hidden[-1], hidden)
    else:
        return None
    if not np.isfinite(guess.probabilities).all():
        return None
    best = int(guess.probabilities.argmax())
    new = [int(one.token) for one in generate(model, ids, N_WRITTEN, greedy=True)] if guess.is_next else [best]
    pieces = tokens_to_text_pieces(key, [found.vocabulary[id] for id in new])
    return ModelAnswer(pieces, best, float(guess.probabilities[best]), guess.loss)


def _prompt(key: ModelKey, model: nn.Module, ids: list[int]) -> str:
    """Return the end of the text before what is written, from the beginning of a word on."""
    hidden = _gap(key, model, ids)
    before = [load_any_model(key).vocabulary[id] for id in (ids[: hidden[-1]] if hidden else ids)]
    text = "".join(tokens_to_text_pieces(key, before)) if before else ""
    return text if len(text) <= MOST_PROMPT else f"… {text[-MOST_PROMPT:].partition(' ')[2]}"


def _pick_numbers(key: ModelKey, model: nn.Module, written: ModelAnswer | None) -> ShownNumbers:
    """Pick numbers of the token that comes next, where most of them aren't 0 even with three values."""
    matrices, vocabulary = _matrices(model), load_any_model(key).vocabulary
    name = next((one for one in matrices if one.startswith("tok_emb")), next(iter(matrices)))
    table = matrices[name]
    is_token = written is not None and len(table) == len(vocabulary)
    row = written.best if written and is_token else 0
    is_left = (round_weights(table, 2)[row] != 0).numpy()
    width = min(N_NUMBER, table.shape[1])
    column = int(np.lib.stride_tricks.sliding_window_view(is_left, width).sum(1).argmax())
    token = vocabulary[row].strip() if is_token else ""
    return ShownNumbers(name, row, column, table.shape[1], token, float(table.abs().max()))


def _state(result: Change, name: str, vocabulary: Sequence[str]) -> dict[str, object]:
    """Return what the picture shows of one rounding."""
    zero, written = result.roundings[name].zero, result.roundings[name].written
    n = 0 if name == NONE else int(name)
    return {
        "n": n,
        "step": 2 * result.place.largest / (n - 1) if n else 0,
        "zero": zero,
        "tokens": list(written.tokens) if written else [],
        "next": vocabulary[written.best] if written else "",
        "chance": written.chance if written else 0,
        "words": written.n_word if written else 0,
        "says": result.sentence(name),
    }


def draw(result: Change, inputs: Inputs) -> None:
    """Draw some numbers and the text before the change, and both after it."""
    vocabulary, stored = load_any_model(inputs.key).vocabulary, result.roundings[NONE].written
    ui.mount_widget(
        "changed_numbers",
        key=f"changed-numbers.{inputs.key.name}",
        height=400,
        total=result.total,
        token=result.place.token,
        column=result.place.column,
        row_width=result.place.width,
        largest=result.place.largest,
        prompt=result.prompt,
        is_gap=stored is not None and len(stored.tokens) == 1,
        spot=result.spot,
        fewest=int(result.fewest or 0),
        before=_state(result, NONE, vocabulary),
        after=ui.select_by_choice([_state(result, name, vocabulary) for name in result.roundings], inputs.rounding),
        numbers=result.roundings[NONE].numbers,
        rounded=ui.select_by_choice(np.stack([one.numbers for one in result.roundings.values()]), inputs.rounding),
        wall=result.walls[0],
        rounded_wall=ui.select_by_choice(result.walls, inputs.rounding),
    )
    bits = {name: STORAGE_BITS[how] for name, how in HOW.items()}
    told = [
        {
            "n_bit": bits[name],
            "n_value": 0 if name == NONE else int(name),
            "n_byte": result.total * bits[name] / 8,
            "loss": one.written.loss if one.written else None,
        }
        for name, one in result.roundings.items()
    ]
    ui.add_template_values(ui.select_by_choice(told, inputs.rounding), stored=stored)
