"""Padding against causal: a batch of texts of different length, and whether padding changes what they become."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.lines import lines_of
from core.exhibit import NothingToShow, content_key, slider, text_area
from core.inspect.reading.model_and_text import PADDING, ModelAndText, pad_id, room_for_padding
from core.nn import masks
from core.rooms.masks.compute.masks import run_under
from core.rooms.masks.inputs import Looked
from core.rooms.masks.mask_batch_widget import MAX_TEXTS, mask_batch

MOST_TOKENS = 12  # of one text, so that three panels of it fit side by side on a small screen
SAME = 1e-3  # outputs are of the size of 1; 32-bit rounding through some layers stays far below this
TEXTS = "Tom looked in the box. No Mia!\nAnna had a red ball.\nMia hid.\nTom and Mia played near the park."
# (causal, masked, left) -> what is compared
CASES: Mapping[tuple[bool, bool, bool], str] = MappingProxyType(
    {
        (True, False, False): "decoder, causal mask only",
        (True, True, False): "decoder, causal and padding mask",
        (False, False, False): "encoder, no mask",
        (False, True, False): "encoder, padding mask",
        (True, True, True): "decoder, padded on the left, both masks",
    }
)
Texts = Sequence[Sequence[int]]


class Inputs(Looked, prefix="batch_"):
    """Some texts, for the room's model; the room's own text is not read."""

    texts: str = text_area(f"Your texts, one on each line (up to {MAX_TEXTS})", TEXTS, max_chars=400, height=130)
    more: int = slider(
        "More padding", 0, lambda i: room_for_padding(i.given.key, max((t.n_token for t in read(i)), default=1), 8), 2
    )


@dataclass(frozen=True)
class Change:
    """By how much padding changed the outputs of real tokens."""

    causal: bool  # whether later tokens were hidden
    masked: bool  # whether padding was hidden
    left: bool  # whether the padding stood before the text and not after it
    by_text: NDArray[np.float64]  # (B,) largest change of a number in the last layer's output, against the text alone

    @property
    def largest(self) -> float:
        return float(self.by_text.max())


@dataclass(frozen=True)
class BatchRecord:
    """A padded batch, who may read whom in it, and what padding changed."""

    tokens: tuple[tuple[str, ...], ...]  # (B, T) padding included
    ids: NDArray[np.int64]  # (B, T)
    lengths: NDArray[np.int64]  # (B,) number of real tokens of each
    padding: NDArray[np.bool_]  # (B, T, T) True where the key is no padding
    both: NDArray[np.bool_]  # (B, T, T) True where it is also not later than the query
    changes: tuple[Change, ...]  # case by case

    def at_right(self, *, causal: bool, masked: bool) -> Change:
        """What padding after the text changes."""
        return next(one for one in self.changes if (one.causal, one.masked, one.left) == (causal, masked, False))

    @property
    def formula(self) -> str:
        """How many cells are open."""
        return (
            rf"\text{{lengths}} = ({', '.join(map(str, self.lengths))}),\ \text{{padded to }} {self.both.shape[1]}:\ "
            rf"{int(self.both.sum())} \text{{ of }} {self.both.size} \text{{ cells are open}}"
        )

    def table(self) -> dict[str, list[Any]]:
        """One line for each case: the largest change of all, and of each text."""
        table: dict[str, list[Any]] = {
            "case": [CASES[one.causal, one.masked, one.left] for one in self.changes],
            "largest change": [one.largest for one in self.changes],
        }
        return table | {
            f"text {b + 1}": [float(one.by_text[b]) for one in self.changes] for b in range(len(self.tokens))
        }


def read(inputs: Inputs) -> list[ModelAndText]:
    """The lines as the model reads them."""
    lines = lines_of(inputs.texts)
    return [one for one in (inputs.given.other(line, MOST_TOKENS) for line in lines[:MAX_TEXTS]) if one.ids]


def pad(texts: Texts, n_token: int, pad_id: int, left: bool = False) -> Int[Tensor, "B T"]:
    """Texts of different length as one rectangle.

    Raises:
        ValueError: if a text is empty or longer than n_token.
    """
    for text in texts:
        if not 0 < len(text) <= n_token:
            raise ValueError(f"a text has {len(text)} tokens, the batch holds 1 to {n_token}")
    rows = [[*[pad_id] * (n_token - len(t)), *t] if left else [*t, *[pad_id] * (n_token - len(t))] for t in texts]
    return torch.tensor(rows)


def changes_by_padding(model: nn.Module, texts: Texts, n_token: int, pad_id: int) -> tuple[Change, ...]:
    """Compare the outputs of each text in the padded batch with those of the text alone.

    The model runs as a decoder (causal) and, with the same weights, as an encoder (every token reads all), each with
    and without the padding mask; at the end as a decoder whose batch is padded on the left and masked, but whose
    positions are counted from the padding on.

    Args:
        pad_id: token that fills the gaps; any, for nobody should read it.
    """
    device = next(model.parameters()).device
    real = masks.padding(torch.tensor([len(text) for text in texts]), n_token)  # (B, 1, 1, T)
    found = []
    for causal, masked, left in CASES:
        mask = _order(causal, n_token)[None, None]
        if masked:
            mask = mask & (real.flip(-1) if left else real)
        outputs = run_under(model, pad(texts, n_token, pad_id, left).to(device), mask, keeps_windows=True)["final"]
        by_text = []
        for text, output in zip(texts, outputs, strict=True):
            ids, order = torch.tensor([list(text)]).to(device), _order(causal, len(text))
            alone = run_under(model, ids, order, keeps_windows=True)["final"][0]  # (T, D)
            own = output[n_token - len(text) :] if left else output[: len(text)]
            by_text.append(float((own - alone).abs().max()))
        found.append(Change(causal, masked, left, np.array(by_text)))
    return tuple(found)


def _order(causal: bool, n_token: int) -> Bool[Tensor, "T T"]:
    return masks.causal(n_token) if causal else masks.full(n_token)


CODE = (masks.padding, masks.causal, pad, changes_by_padding)


def compute(inputs: Inputs) -> BatchRecord:
    """The texts padded on the right, and how much padding moves the outputs of real tokens, case by case."""
    found = read(inputs)
    if not found:
        raise NothingToShow("There is no text here. Type at least one line with a word.")
    n_token, filler = max(one.n_token for one in found) + inputs.more, pad_id(inputs.given.key)
    texts, lengths = [one.ids for one in found], torch.tensor([one.n_token for one in found])
    padding = masks.padding(lengths, n_token)[:, 0].expand(-1, n_token, -1)
    return BatchRecord(
        tokens=tuple((*one.tokens, *[PADDING] * (n_token - one.n_token)) for one in found),
        ids=pad(texts, n_token, filler).numpy(),
        lengths=lengths.numpy(),
        padding=padding.numpy(),
        both=(padding & masks.causal(n_token)).numpy(),
        changes=changes_by_padding(inputs.given.model, texts, n_token, filler),
    )


def draw(result: BatchRecord, inputs: Inputs) -> None:
    """The batch, its masks in one picture, and what padding changes."""
    _notes(inputs)
    key = f"batch:{content_key(str(inputs.given.key), *map(str, result.tokens))[:12]}"
    mask_batch(result.tokens, result.lengths.tolist(), key=key, label="One batch, two masks")
    changes = {(one.causal, one.masked, one.left): one.largest for one in result.changes}
    ui.say("drift", drift=changes[False, False, False])
    ui.say("left", stays=result.changes[-1].largest < SAME)
    if not ui.at_least("numbers"):
        return
    ui.say("outputs", is_encoder=bool(inputs.given.model.mask(2).all()))  # type: ignore[operator]
    rows = [f"| {CASES[one.causal, one.masked, one.left]} | {_said(one)} |" for one in result.changes]
    ui.write("\n".join(["| case | largest change of an output |", "|---|---|", *rows]))


def _notes(inputs: Inputs) -> None:
    """What was cut or unknown."""
    n_line, found = len(lines_of(inputs.texts)), read(inputs)
    if n_line > MAX_TEXTS:
        ui.say("lines", n_line=n_line, most=MAX_TEXTS)
    for note in dict.fromkeys(note for one in found for note in one.encoded.notes):
        ui.st.caption(f":material/info: {ui.escape_markdown(note)}")
    unknown = [word for one in found for word in one.encoded.unknown]
    ui.offer_words_of(inputs.given.key, unknown, "batch_texts", inputs.texts)


def _said(change: Change) -> str:
    figure = f"{ui.power_of_ten(change.largest)}: " if ui.at_least("numbers") else ""
    size = "exactly 0" if change.largest == 0 else f"{figure}rounding"
    return size if change.largest < SAME else f"**{change.largest:.2f}**: other outputs"
