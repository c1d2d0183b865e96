"""Padding and causal masks: a batch of texts of different length, and whether padding changes their outputs."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.lines import nonempty_lines
from core.data.localization.labels import module_labels
from core.exhibit import Column, NothingToShow, Result, Table, content_key, slider, text_area
from core.inspect.model_inputs.model_and_text import PADDING_TOKEN, ModelAndText, pad_id, room_for_padding
from core.nn import masks
from core.rooms.masks.compute.masks import run_with_mask
from core.rooms.masks.inputs import MasksInputs

LABELS = module_labels(__name__)

MAX_TEXTS = 4
MAX_TOKENS = 12  # per text, so that three panels fit side by side on a small screen
UNCHANGED_BELOW = 1e-3  # outputs are about 1 in size; 32-bit rounding through several layers stays far below this
DEFAULT_TEXTS = "Tom looked in the box. No Mia!\nAnna had a red ball.\nMia hid.\nTom and Mia played near the park."
# (causal, masked, left) -> the name of the case
CASE_NAMES: Mapping[tuple[bool, bool, bool], str] = {
    (True, False, False): LABELS["case.decoder"],
    (True, True, False): LABELS["case.decoder_padding"],
    (False, False, False): LABELS["case.encoder"],
    (False, True, False): LABELS["case.encoder_padding"],
    (True, True, True): LABELS["case.decoder_left"],
}
MASK_PANELS = {
    LABELS["panel.padding"]: {"causal": False, "padding": True},
    LABELS["panel.causal"]: {"causal": True, "padding": False},
    LABELS["panel.both"]: {"causal": True, "padding": True},
}
TokenIdLists = Sequence[Sequence[int]]


class Inputs(MasksInputs, prefix="batch_"):
    """Some texts for the room's model; the room's own text is not read."""

    texts: str = text_area(DEFAULT_TEXTS, max_chars=400, height=130, label=LABELS("texts", max_texts=MAX_TEXTS))
    more: int = slider(
        0,
        lambda i: room_for_padding(i.given.key, max((t.n_token for t in _parse_lines(i)), default=1), 8),
        2,
    )


class PaddingChange(Result):
    """The change of real tokens' outputs caused by padding, in one case."""

    name: str
    causal: bool  # True if later tokens were hidden
    masked: bool  # True if padding was hidden
    left: bool  # True if the padding was before the text and not after it
    by_text: NDArray[np.float64]  # (B,) largest change of a number in the last layer's output, against the text alone
    largest: float


class PaddedBatch(Result):
    """A padded batch, its masks, and the changes caused by padding."""

    tokens: tuple[tuple[str, ...], ...]  # (B, T) including padding
    ids: NDArray[np.int64]  # (B, T)
    lengths: NDArray[np.int64]  # (B,) number of real tokens in each text
    padding: NDArray[np.bool_]  # (B, T, T) True where the key is not padding
    both: NDArray[np.bool_]  # (B, T, T) True where the key is also not later than the query
    changes: tuple[PaddingChange, ...]  # one per case
    causal_only: float  # largest change in a decoder without a padding mask
    drift: float  # largest change in an encoder without any mask
    stays: bool  # True if padding on the left changes nothing
    is_encoder: bool  # True if the model itself reads in both directions

    @property
    def formula(self) -> str:
        """The number of open cells."""
        return LABELS(
            "formula",
            lengths=", ".join(map(str, self.lengths)),
            padded=self.both.shape[1],
            n_open=int(self.both.sum()),
            n_cell=self.both.size,
        )

    def table(self) -> Table:
        table: dict[str, Column] = {
            LABELS["case_column"]: [one.name for one in self.changes],
            LABELS["change_column"]: [one.largest for one in self.changes],
        }
        return table | {
            LABELS("text_column", number=b + 1): [float(one.by_text[b]) for one in self.changes]
            for b in range(len(self.tokens))
        }


def _parse_lines(inputs: Inputs) -> list[ModelAndText]:
    """Return the lines as the model reads them."""
    lines = nonempty_lines(inputs.texts)
    return [one for one in (inputs.given.other(line, MAX_TOKENS) for line in lines[:MAX_TEXTS]) if one.ids]


def pad_texts(texts: TokenIdLists, n_token: int, pad_id: int, left: bool = False) -> Int[Tensor, "B T"]:
    """Pad texts of different length to a rectangle.

    Raises:
        ValueError: if a text is empty or longer than n_token.
    """
    for text in texts:
        if not 0 < len(text) <= n_token:
            raise ValueError(f"a text has {len(text)} tokens, the batch holds 1 to {n_token}")
    rows = [[*[pad_id] * (n_token - len(t)), *t] if left else [*t, *[pad_id] * (n_token - len(t))] for t in texts]
    return torch.tensor(rows)


def measure_padding_changes(
    model: nn.Module, texts: TokenIdLists, n_token: int, pad_id: int
) -> tuple[PaddingChange, ...]:
    """Compare the outputs of each text in the padded batch with those of the text alone.

    The model runs as a decoder (causal) and, with the same weights, as an encoder (every token reads all), each with
    and without the padding mask; finally as a decoder whose batch is padded on the left and masked, but whose positions
    include the padding.

    Args:
        pad_id: any token to fill the gaps with, because no query should read it.
    """
    device = next(model.parameters()).device
    real = masks.padding(torch.tensor([len(text) for text in texts]), n_token)  # (B, 1, 1, T)
    found = []
    for causal, masked, left in CASE_NAMES:
        mask = _order_mask(causal, n_token)[None, None]
        if masked:
            mask = mask & (real.flip(-1) if left else real)
        ids = pad_texts(texts, n_token, pad_id, left).to(device)
        outputs = run_with_mask(model, ids, mask, keeps_windows=True)["final"]
        by_text = []
        for text, output in zip(texts, outputs, strict=True):
            ids, order = torch.tensor([list(text)]).to(device), _order_mask(causal, len(text))
            alone = run_with_mask(model, ids, order, keeps_windows=True)["final"][0]  # (T, D)
            own = output[n_token - len(text) :] if left else output[: len(text)]
            by_text.append(float((own - alone).abs().max()))
        name = CASE_NAMES[causal, masked, left]
        found.append(
            PaddingChange(
                name=name, causal=causal, masked=masked, left=left, by_text=np.array(by_text), largest=max(by_text)
            )
        )
    return tuple(found)


def _order_mask(causal: bool, n_token: int) -> Bool[Tensor, "T T"]:
    return masks.causal(n_token) if causal else masks.full(n_token)


CODE = (masks.padding, masks.causal, pad_texts, measure_padding_changes)


def compute(inputs: Inputs) -> PaddedBatch:
    """Pad the texts on the right, and measure how much padding changes the outputs of real tokens in each case."""
    found = _parse_lines(inputs)
    if not found:
        raise NothingToShow(LABELS["no_text"])
    n_token, filler = max(one.n_token for one in found) + inputs.more, pad_id(inputs.given.key)
    texts, lengths = [one.ids for one in found], torch.tensor([one.n_token for one in found])
    padding = masks.padding(lengths, n_token)[:, 0].expand(-1, n_token, -1)
    changes = measure_padding_changes(inputs.given.model, texts, n_token, filler)
    return PaddedBatch(
        tokens=tuple((*one.tokens, *[PADDING_TOKEN] * (n_token - one.n_token)) for one in found),
        ids=pad_texts(texts, n_token, filler).numpy(),
        lengths=lengths.numpy(),
        padding=padding.numpy(),
        both=(padding & masks.causal(n_token)).numpy(),
        changes=changes,
        causal_only=changes[0].largest,
        drift=changes[2].largest,
        stays=changes[-1].largest < UNCHANGED_BELOW,
        is_encoder=bool(inputs.given.model.mask(2).all()),  # type: ignore[operator]
    )


def draw(result: PaddedBatch, inputs: Inputs) -> None:
    """Draw the batch and its masks in one picture."""
    ui.add_template_values(n_line=len(nonempty_lines(inputs.texts)), most=MAX_TEXTS, same=UNCHANGED_BELOW)
    found = _parse_lines(inputs)
    for note in dict.fromkeys(note for one in found for note in one.encoded.notes):
        ui.st.caption(f":material/info: {ui.escape_markdown(note)}")
    unknown = [word for one in found for word in one.encoded.unknown]
    ui.offer_model_words(inputs.given.key, unknown, "batch_texts", inputs.texts)
    lengths = result.lengths.tolist()
    ui.mount_widget(
        "mask_batch",
        key=f"batch:{content_key(str(inputs.given.key), *map(str, result.tokens))[:12]}",
        tokens=result.tokens,
        lengths=lengths,
        panels=[*MASK_PANELS.values()],
        panel_names=[*MASK_PANELS],
        label=LABELS["pictures"],
        takeaway=LABELS("takeaway", n=len(lengths), lengths=", ".join(map(str, lengths)), n_token=result.ids.shape[1]),
    )
