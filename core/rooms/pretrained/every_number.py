"""Every weight in a model's file, and how coarsely weights can be stored before the model fails."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.exhibit import Result, Table, segmented_control
from core.inspect.model_inputs.model_and_text import encode_text, load_any_model, sample_text_of
from core.inspect.single_text_models import prediction_kind
from core.models import pretrained
from core.rooms.pretrained.check import (
    MOST_TOKENS,
    TokenPrediction,
    hideable_positions,
    predict_gap,
    predict_next_token,
)
from core.rooms.pretrained.compute.altered_weights import (
    STORAGE_BITS,
    alter_model,
    pack_table_columns,
    round_weights,
    shuffle_weights,
)
from core.rooms.pretrained.inputs import ModelInputs, reads_text

LABELS = module_labels(__name__)

ASPECT_RATIO = 1.62  # aspect ratio of the whole picture
VECTOR_THICKNESS = 0.008  # of the height: thickness of a vector in the picture
MOST_NAMES = 2_000  # tokens whose names are sent along
COLUMN_HEIGHTS = np.geomspace(
    0.35, 1.6, 40
)  # candidate column heights, relative to the side of a square with as many numbers


# Names of our tensors at depth Story; a name that is not listed is shown unchanged.
PLAIN_NAMES = {
    "tok_emb": LABELS["table.tok_emb"],
    "pos_emb": LABELS["table.pos_emb"],
    "unembed": LABELS["table.unembed"],
    "w_q": LABELS["table.w_q"],
    "w_k": LABELS["table.w_k"],
    "w_v": LABELS["table.w_v"],
    "w_o": LABELS["table.w_o"],
    "w_g": LABELS["table.w_g"],
    "w_in": LABELS["table.w_in"],
    "w_out": LABELS["table.w_out"],
    "w_gate": LABELS["table.w_gate"],
    "w_router": LABELS["table.w_router"],
    "w_shared": LABELS["table.w_shared"],
    "cross_attn": LABELS["table.cross_attn"],
}


def _plain_name(name: str) -> str:
    """Translate "blocks.0.attn.w_q.weight" for newcomers: "layer 0.queries"."""
    parts = name.removesuffix(".weight").split(".")
    parts = [LABELS("layer", layer=part) if before == "blocks" else part for before, part in pairwise(["", *parts])]
    return ".".join(
        PLAIN_NAMES.get(part, part.replace("_", " ")) for part in parts if part not in ("blocks", "attn", "mlp")
    )


def _draw_weights(
    tables: Mapping[str, NDArray[np.float32]],
    shapes: Sequence[Sequence[int]],
    *,
    tokens: Sequence[str],
    every: int,
    key: str,
    label: str,
) -> None:
    """Draw the tables in columns, in their order; pointing at a number shows its table's name, its shape and its value.

    Args:
        tables: name -> (rows, columns), or (n,) for a vector.
        shapes: of the whole tensors.
        tokens: row labels for a table with as many rows: the vocabulary's tokens.
        every: only every n-th row and column is included.
    """
    side = int(np.sqrt(sum(table.size for table in tables.values()))) + 1
    thick = max(1, round(VECTOR_THICKNESS * side))
    upright = [table if table.ndim == 1 or len(table) >= table.shape[1] else table.T for table in tables.values()]
    widest = max((table.shape[1] for table in upright if table.ndim == 2), default=1)
    # A vector lies flat if it fits into a column, otherwise it is drawn vertically.
    sizes = [
        one.shape if one.ndim == 2 else (thick, len(one)) if len(one) <= widest else (len(one), thick)
        for one in upright
    ]
    named = [one.ndim == 2 for one in upright]
    gap, name = max(1, side // 50), max(1, side // 28)
    best: tuple[float, list[tuple[int, ...]], int, int] | None = None
    for high in (int(share * side) for share in COLUMN_HEIGHTS):
        pieces = pack_table_columns(sizes, named, high, gap, name)
        width = max(x + sizes[at][1] for at, _, _, x, _ in pieces)
        height = max(y + n for _, _, n, _, y in pieces)
        size = max(width / ASPECT_RATIO, height) * (1 + 0.01 * (len(pieces) - len(sizes)))
        if best is None or size < best[0]:
            best = size, list(pieces), width, height
    assert best is not None
    limit = float(np.quantile(np.abs(np.concatenate([one.ravel() for one in upright])), 0.98)) or 1.0
    levels = [np.rint(np.clip(one / limit, -1, 1) * 127 + 127).astype(np.uint8).ravel() for one in upright]
    ui.mount_widget(
        "weights",
        key=key,
        names=[name if ui.depth_at_least("numbers") else _plain_name(name) for name in tables],
        shapes=[list(shape) for shape in shapes],
        sizes=[list(size) for size in sizes],
        vector=[one.ndim == 1 for one in upright],
        turned=[one.ndim == 2 and one is not table for one, table in zip(upright, tables.values(), strict=True)],
        pieces=best[1],
        width=best[2],
        tall=best[3],  # `height` is the height of the empty box
        room=name,
        limit=limit,
        tokens=[visible_token(token) for token in tokens[::every]] if len(tokens) <= MOST_NAMES else [],
        label=label,
        takeaway=LABELS("tables_takeaway", label=label, n_table=len(tables)),
        levels=np.concatenate(levels),
    )


MOST_ALTERED = 5_000_000  # parameters: copying a larger model takes too much time and memory
MOST_DRAWN = 500_000  # numbers: of more than that, evenly spaced rows and columns are drawn
STORAGE_LABELS = {how: LABELS("storage.bits", n=n_bit) for how, n_bit in STORAGE_BITS.items()} | {
    "stored": LABELS["storage.stored"],
    "shuffled": LABELS["storage.shuffled"],
}
CODE = (pretrained.load, round_weights, shuffle_weights, alter_model)


def _can_alter(i: "Inputs") -> bool:
    """Return whether a copy of the model can be altered quickly."""
    return sum(weight.numel() for weight in load_any_model(i.key).model.parameters()) <= MOST_ALTERED


class Inputs(ModelInputs):
    how: str = segmented_control(STORAGE_LABELS, "stored", name="keep", when=_can_alter)


class EveryNumber(Result):
    """The stored tables of a model, and the model's answer with them."""

    tables: dict[str, NDArray[np.float32]]  # name -> the numbers to draw
    shapes: tuple[tuple[int, ...], ...]
    every: int  # only every n-th row and column is drawn
    total: int  # number of weights
    n_bit: int  # per weight
    n_byte: int  # of all weights together
    text: str  # the test text
    guess: TokenPrediction | None  # None if the model cannot be tested
    stored: TokenPrediction | None  # with its weights as stored
    best: str  # the most probable token, readable
    best_stored: str
    chance: float  # the probability of the most probable token

    def table(self) -> Table:
        """Return one row per drawn table."""
        values = list(self.tables.values())
        return {
            LABELS["table.table"]: list(self.tables),
            LABELS["table.shape"]: [" × ".join(map(str, shape)) for shape in self.shapes],
            LABELS["table.numbers"]: [math.prod(shape) for shape in self.shapes],
            LABELS["table.least"]: [float(one.min()) for one in values],
            LABELS["table.largest"]: [float(one.max()) for one in values],
            LABELS["table.deviation"]: [float(one.std()) for one in values],
        }

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the tables as drawn."""
        return self.tables


def compute(inputs: Inputs) -> EveryNumber:
    """Store the weights as requested, and measure the model's prediction and surprisal with them."""
    found = load_any_model(inputs.key)
    model = alter_model(found.model, inputs.how)
    weights = {name: weight.detach() for name, weight in model.named_parameters()}
    total = sum(weight.numel() for weight in weights.values())
    every = max(1, math.ceil(math.sqrt(total / MOST_DRAWN)))
    tables = {}
    for name, weight in weights.items():
        flat = weight.reshape(-1, weight.shape[-1]) if weight.ndim > 1 else weight.reshape(-1)
        tables[name] = np.ascontiguousarray(flat[(slice(None, None, every),) * flat.ndim].float().numpy())
    shapes = tuple(tuple(weight.shape) for weight in weights.values())
    # A large model's tables may keep the type of its file.
    is_kept, n_bit = inputs.how in ("stored", "shuffled"), STORAGE_BITS[inputs.how]
    n_bit = round(8 * sum(weight.nbytes for weight in weights.values()) / total) if is_kept else n_bit
    text = sample_text_of(inputs.key) if reads_text(inputs.key) else ""
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


def _token(guess: TokenPrediction | None) -> str:
    return "" if guess is None else visible_token(guess.vocabulary[int(guess.probabilities.argmax())])


def _ask(inputs: Inputs, text: str, model: nn.Module) -> TokenPrediction | None:
    """Predict the next token or the last gap; None for a model that can do neither."""
    if not text:
        return None
    found, ids = load_any_model(inputs.key), list(encode_text(inputs.key, text, MOST_TOKENS).ids)
    if prediction_kind(model) == "next":
        return predict_next_token(model, ids, found.vocabulary)
    if hidden := hideable_positions(model, found.tokenizer, ids):
        mask_id = int(getattr(found.tokenizer, "mask_id", 0))
        return predict_gap(model, ids, mask_id, hidden[-1], hidden, found.vocabulary)
    return None


def draw(result: EveryNumber, inputs: Inputs) -> None:
    """Draw all tables as a picture."""
    _draw_weights(
        result.tables,
        result.shapes,
        tokens=load_any_model(inputs.key).vocabulary,
        every=result.every,
        key=f"every-number.{inputs.key.name}",
        label=LABELS("every_number", total=result.total)
        if result.every == 1
        else LABELS("one_number_of", n_number=result.every**2),
    )
