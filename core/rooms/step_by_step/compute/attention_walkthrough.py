"""One attention layer, small enough to check by hand: every tensor on the way from the words to the output.

The layer is the real `MultiHeadAttention` in the precision of real models (float32). Its numbers are drawn from a
seed and rounded before anything is computed, so the screen prints exactly the numbers used. Nothing is trained.

Cells that are set by hand are encoded in the address:

x.1.2=0.5~q.0.3.1=-1.25        row 1, column 2 of X; row 3, column 1 of head 0's queries
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.nn.attention import MultiHeadAttention
from core.nn.masks import causal, full
from core.nn.positions import sinusoidal
from core.nn.tap import Edit, Trace

LABELS = module_labels(__name__)

# Larger numbers do not fit their cell, and e^99 is large enough.
MAX_NUMBER = 99.0
# Each edit takes room in the page's address, and some servers truncate addresses of a few thousand characters.
MOST_EDITS = 40
MATRICES = ("x", "w_q", "w_k", "w_v", "w_o")
STACKS = ("q", "k", "v", "dots", "scores", "weights", "heads")
_PART = re.compile(r"([a-z_]{1,8})\.(?:(\d{1,2})\.)?(\d{1,2})\.(\d{1,2})=(-?\d{1,2}(?:\.\d{1,4})?)")


class WalkCell(NamedTuple):
    """One number of a walk: the tensor's name, its head (0 if there are no heads), row and column."""

    name: str
    head: int
    row: int
    column: int


CellEdits = Mapping[WalkCell, float]


def tensor_shapes(n_word: int, d_model: int, n_head: int) -> dict[str, tuple[int, int, int]]:
    """Return the tensors that may be edited: name -> (heads, rows, columns)."""
    d_head = d_model // n_head
    narrow, square = (n_head, n_word, d_head), (n_head, n_word, n_word)
    return {
        "x": (1, n_word, d_model),
        **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (1, d_model, d_model)),
        **dict.fromkeys(("q", "k", "v", "heads"), narrow),
        **dict.fromkeys(("dots", "scores", "weights"), square),
    }


def pack_edits(edits: CellEdits) -> str:
    """Encode the edits for an address, in the order in which they were made."""
    parts = []
    for cell, value in edits.items():
        head = f"{cell.head}." if cell.name in STACKS else ""
        parts.append(f"{cell.name}.{head}{cell.row}.{cell.column}={value:.4f}".rstrip("0").rstrip("."))
    return "~".join(parts)


def parse_edits(text: str, sizes: Mapping[str, tuple[int, int, int]]) -> tuple[dict[WalkCell, float], int]:
    """Parse the output of `pack_edits`; the text may be invalid.

    Args:
        sizes: of the current walk, see `tensor_shapes`.

    Returns:
        The edits that fit, and the number of parts that do not.
    """
    parts = text[: MOST_EDITS * 24].split("~")[:MOST_EDITS] if text else []
    edits: list[tuple[WalkCell, float]] = []
    for found in filter(None, map(_PART.fullmatch, parts)):
        name, head, row, column, value = found.groups()
        cell = WalkCell(name, int(head or 0), int(row), int(column))
        if (head is not None) == (name in STACKS) and _is_inside(cell, sizes):
            edits.append((cell, float(value)))
    return dict(edits), len(parts) - len(edits)


def check_edits(given: object, sizes: Mapping[str, tuple[int, int, int]]) -> dict[WalkCell, float] | None:
    """Validate the edits that a browser sent, `[[name, head, row, column, number], ...]`; None if they are invalid."""
    if not isinstance(given, list) or len(given) > MOST_EDITS:
        return None
    edits: dict[WalkCell, float] = {}
    for one in given:
        if not isinstance(one, list) or len(one) != 5 or not isinstance(one[0], str):
            return None
        if not all(isinstance(i, int) and not isinstance(i, bool) for i in one[1:4]):
            return None
        cell, value = WalkCell(*one[:4]), one[4]
        if not _is_inside(cell, sizes) or isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            return None
        edits[cell] = round(float(value), 4)
    return edits


def _is_inside(cell: WalkCell, sizes: Mapping[str, tuple[int, int, int]]) -> bool:
    return cell.name in sizes and all(0 <= i < n for i, n in zip(cell[1:], sizes[cell.name], strict=True))


Array = NDArray[np.float32]
DrawnArray = NDArray[np.float64]

MOST_WORDS = 8  # the largest matrices with numbers that are readable from the last row of a lecture hall
WIDTHS = (4, 6, 8)
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_PIECE = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")
_SIGNS = "\"'“”‘’()[]{}<>«»¿¡.,;:!?…。，、！？"
TENSORS = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "dots", "scores", "weights", "heads", "concat", "w_o", "out")
_ORDER = ("q", "k", "v", "scores", "weights", "heads")


@dataclass(frozen=True, kw_only=True)
class WalkLayer:
    """A small attention layer.

    Raises:
        ValueError: if n_head does not divide d_model.
    """

    d_model: int = 4  # dimension of each word's vector
    n_head: int = 2  # heads; each has d_model / n_head numbers
    seed: int = 0  # seed of all weights and of the words' rows
    positions: bool = True  # True adds sinusoidal positions to the words
    is_causal: bool = True  # True lets a word read only itself and earlier words

    def __post_init__(self) -> None:
        if self.d_model < 1 or self.n_head < 1 or self.d_model % self.n_head:
            raise ValueError(f"d_model={self.d_model} is not divisible by n_head={self.n_head}")


class DrawnLayer(NamedTuple):
    """The numbers drawn from the seed, with few decimals: the words' rows, their positions, the projections."""

    embedding: DrawnArray  # (T, D), one decimal; the same word has the same row
    position: DrawnArray  # (T, D), two decimals; zeros without positions
    x: DrawnArray  # (T, D), their sum
    w_q: DrawnArray  # w_q, w_k, w_v: (D, H K), one decimal, as in Q = X W_q; columns of head 0 come first
    w_k: DrawnArray
    w_v: DrawnArray
    w_o: DrawnArray  # (H K, D), one decimal


class AttentionWalk(Result):
    """Every tensor of one forward pass, computed by the layer itself. Row t belongs to word t."""

    words: tuple[str, ...]
    drawn: DrawnLayer  # the numbers before any edit
    x: Array  # (T, D) the input
    w_q: Array  # w_q, w_k, w_v, w_o: the projections as in Q = X W_q
    w_k: Array
    w_v: Array
    w_o: Array
    q: Array  # q, k, v: (H, T, K)
    k: Array
    v: Array
    dots: Array  # (H, T, T) q k^T
    scores: Array  # (H, T, T) the same divided by sqrt(K)
    mask: NDArray[np.bool_]  # (T, T) True where word t may read word s
    weights: Array  # (H, T, T) softmax of the unmasked scores; rows sum to 1 unless a weight was set by hand
    heads: Array  # (H, T, K) the output of each head
    concat: Array  # (T, H K) the heads side by side
    out: Array  # (T, D) their projection
    edits: CellEdits  # cells that were set by hand

    @property
    def formula(self) -> str:
        """The last word's largest weight in head 0, in the layer's own numbers."""
        row = len(self.words) - 1
        key = int(self.weights[0, row].argmax())
        scores = self.scores[0, row][self.mask[row]]
        score, dot = float(self.scores[0, row, key]), float(self.dots[0, row, key])
        others, names = float(np.exp(scores.astype(np.float64) - score).sum()), LABELS.options("formula")
        return (
            rf"\begin{{aligned}} \text{{{names['head_0']}}}\quad q_{{{row}}}\cdot k_{{{key}}} &= {dot:.3f} \\"
            rf"\text{{{names['score']}}} &= \frac{{{dot:.3f}}}{{\sqrt{{{self.q.shape[-1]}}}}} = {score:.3f} \\"
            rf"\text{{{names['weight']}}} &= \frac{{1}}{{\sum_s e^{{\,\text{{{names['score']}}}_s {-score:+.3f}}}}} \\"
            rf"&= \frac{{1}}{{{others:.3f}}} = {float(self.weights[0, row, key]):.4f} \end{{aligned}}"
        )

    def table(self) -> Table:
        """Return one row per number of each tensor, as the layer computed it."""
        table: dict[str, list[str | float | None]] = {
            n: []
            for n in (
                LABELS["column.tensor"],
                LABELS["column.head"],
                LABELS["column.row"],
                LABELS["column.column"],
                LABELS["column.number"],
                LABELS["column.edited"],
            )
        }
        for name in TENSORS:
            tensor = getattr(self, name)
            for index, number in np.ndenumerate(tensor):
                head, row, column = index if tensor.ndim == 3 else (0, *index)
                line = (name, head if tensor.ndim == 3 else None, row, column, float(number))
                for cells, cell in zip(
                    table.values(), (*line, WalkCell(name, head, row, column) in self.edits), strict=True
                ):
                    cells.append(cell)
        return table


def split_words(text: str) -> list[str]:
    """Split a text at spaces; punctuation around a word and Chinese or Japanese characters become separate words."""
    words: list[str] = []
    for piece in _PIECE.findall(text):
        core = piece.strip(_SIGNS)
        if not core:
            words.append(piece)
            continue
        start = piece.index(core)
        words += [part for part in (piece[:start], core, piece[start + len(core) :]) if part]
    return words


def draw_layer(layer: WalkLayer, words: Sequence[str]) -> DrawnLayer:
    """Draw the layer and the words' rows from the seed.

    Every word has its own generator, so a word has the same row in any sentence. Weights have variance 1 / d_model,
    which keeps the size of the numbers constant from step to step.

    Raises:
        ValueError: if there are no words, or more than MOST_WORDS.
    """
    if not 0 < len(words) <= MOST_WORDS:
        raise ValueError(f"{len(words)} words; a walk needs between 1 and {MOST_WORDS}")
    d_model = layer.d_model
    rows = [np.random.default_rng([layer.seed, *word.encode("utf-8", "replace")]) for word in words]
    embedding = np.round([row.normal(size=d_model) for row in rows], 1)
    position = np.zeros((len(words), d_model))
    if layer.positions:
        position = np.round(sinusoidal(len(words), d_model, dtype=torch.float64).numpy(), 2)
    weights = np.random.default_rng([layer.seed, 0]).normal(size=(4, d_model, d_model)) / math.sqrt(d_model)
    w_q, w_k, w_v, w_o = np.round(weights, 1) + 0.0  # no "-0.0"
    embedding += 0.0
    return DrawnLayer(embedding, position, np.round(embedding + position, 2), w_q, w_k, w_v, w_o)


def walk_attention(layer: WalkLayer, words: Sequence[str], edits: CellEdits | None = None) -> AttentionWalk:
    """Run the layer once with some cells set by hand; everything after an edit is computed from it.

    Args:
        edits: cell -> number, see `tensor_shapes`. A dot product that was set is scaled to a score like the others.

    Raises:
        ValueError: if the number of words is out of range.
    """
    edits = edits or {}
    drawn = draw_layer(layer, words)
    attention = MultiHeadAttention(layer.d_model, layer.n_head, bias=False)
    x = torch.tensor(_edited(drawn.x, "x", edits), dtype=torch.float32)
    matrices = {name: _edited(getattr(drawn, name), name, edits) for name in ("w_q", "w_k", "w_v", "w_o")}
    for name, matrix in matrices.items():
        linear: nn.Linear = getattr(attention, name)
        linear.weight = nn.Parameter(torch.tensor(matrix.T, dtype=torch.float32), requires_grad=False)
    n_word = len(words)
    mask = causal(n_word) if layer.is_causal else full(n_word)
    scale = 1 / math.sqrt(attention.d_head)
    replaced: dict[str, Edit] = {name: partial(_replace, edits=_of(edits, name)) for name in _ORDER}
    dots = _of(edits, "dots")
    scores = {cell: value * scale for cell, value in dots.items()} | _of(edits, "scores")
    replaced["scores"] = partial(_replace, edits=scores)
    with torch.no_grad(), Trace(attention, replaced) as trace:
        out = attention(x[None], mask=mask)[0]
        products = _replace(trace["q"] @ trace["k"].mT, edits=dots)
    heads = trace["heads"][0]
    return AttentionWalk(
        words=tuple(words),
        drawn=drawn,
        x=x.numpy(),
        **{name: matrix.astype(np.float32) for name, matrix in matrices.items()},
        q=trace["q"][0].numpy(),
        k=trace["k"][0].numpy(),
        v=trace["v"][0].numpy(),
        dots=products[0].numpy(),
        scores=trace["scores"][0].numpy(),
        mask=np.asarray(mask),
        weights=trace["weights"][0].numpy(),
        heads=heads.numpy(),
        concat=heads.transpose(0, 1).flatten(1).numpy(),
        out=out.numpy(),
        edits=edits,
    )


def _of(edits: CellEdits, name: str) -> dict[WalkCell, float]:
    return {cell: value for cell, value in edits.items() if cell.name == name}


def _edited(matrix: DrawnArray, name: str, edits: CellEdits) -> DrawnArray:
    """Return a copy of a matrix with its edits."""
    matrix = matrix.copy()
    for cell, value in _of(edits, name).items():
        matrix[cell.row, cell.column] = value
    return matrix


def _replace(x: Float[Tensor, "1 H T S"], edits: CellEdits) -> Float[Tensor, "1 H T S"]:
    """Return a copy of a tapped tensor with its edits, or the tensor itself if there are none."""
    if not edits:
        return x
    x = x.clone()
    for cell, value in edits.items():
        x[0, cell.head, cell.row, cell.column] = value
    return x
