"""Project and then split, as in the paper, or split first: the input each head can see, and the number of weights."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Result
from core.nn.attention import MultiHeadAttention
from core.nn.tap import Trace

LABELS = module_labels(__name__)

Array = NDArray[np.float64]

PAPER_SIZES = (512, 8)  # d_model and n_head of the 2017 base transformer


class ChunkedLinear(nn.Module):
    """A block-diagonal projection: split the input into equal chunks and project each with its own matrix."""

    def __init__(self, d_model: int, n_chunk: int):
        super().__init__()
        width = d_model // n_chunk
        self.weight = nn.Parameter(torch.zeros(n_chunk, width, width))  # one (out, in) matrix per chunk

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        chunks = x.unflatten(-1, self.weight.shape[:2])  # (B, T, H, K)
        return torch.einsum("bthi,hoi->btho", chunks, self.weight).flatten(2)

    def as_matrix(self) -> Float[Tensor, "D D"]:
        """Return the same projection as one matrix: the chunks on the diagonal, zeros elsewhere."""
        return torch.block_diag(*self.weight)


def project_then_split(d_model: int, n_head: int) -> MultiHeadAttention:
    """Return the standard layer without biases, in which every head projects the whole vector.

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return MultiHeadAttention(d_model, n_head, bias=False)


def split_then_project(d_model: int, n_head: int) -> MultiHeadAttention:
    """Return the same layer, but each head gets only its own slice of the vector and projects that."""
    layer = project_then_split(d_model, n_head)
    for name in ("w_q", "w_k", "w_v"):
        setattr(layer, name, ChunkedLinear(d_model, n_head))
    return layer


class WeightCount(NamedTuple):
    """The numbers of weights in the two layers, counted from the modules: Q, K and V together, and W_o."""

    d_model: int
    n_head: int
    standard_qkv: int
    split_qkv: int
    w_o: int

    @property
    def n_weight(self) -> int:
        """Number of weights of the standard layer."""
        return self.standard_qkv + self.w_o


class SplitComparison(Result):
    """Both layers (standard, split) on the same random input, and their weights, at these sizes and those of 2017.

    Args:
        mixed: (2, H, D) the largest change of each output dimension when a head is ablated: (with W_o, with the
            heads only concatenated).
    """

    w_q: Array  # (2, D, D) the query projection, row: number of q, column: number of x
    reach: Array  # (2, H, D) the largest change of a head's q when one dimension of x grows by 1
    mixed: Array
    same: float  # largest difference between split-then-project and the standard layer with block-diagonal projections
    own: WeightCount
    paper: WeightCount

    @property
    def formula(self) -> str:
        own, names = self.own, LABELS.options("formula")
        standard, split = (f"{count:,}".replace(",", "{,}") for count in (own.standard_qkv, own.split_qkv))
        return (
            rf"\begin{{aligned}} \text{{{names['standard']}}}\quad 3 \cdot {own.d_model}^2 &= {standard} \\[1ex]"
            rf"\text{{{names['split']}}}\quad 3 \cdot {own.n_head} \cdot \left(\frac{{{own.d_model}}}{{{own.n_head}}}"
            rf"\right)^2 &= {split} \end{{aligned}}"
        )

    def table(self) -> dict[str, list[int]]:
        """Return one row per pair of sizes."""
        counts = (self.own, self.paper)
        return {
            LABELS["column.d_model"]: [one.d_model for one in counts],
            LABELS["column.heads"]: [one.n_head for one in counts],
            LABELS["column.standard"]: [one.standard_qkv for one in counts],
            LABELS["column.split_first"]: [one.split_qkv for one in counts],
            "W_O": [one.w_o for one in counts],
        }


def count_weights(d_model: int, n_head: int) -> WeightCount:
    """Count both layers' weights on modules without memory.

    Raises:
        ValueError: if n_head does not divide d_model.
    """
    with torch.device("meta"):
        standard, split = project_then_split(d_model, n_head), split_then_project(d_model, n_head)
    standard_qkv, split_qkv = (
        sum(p.numel() for name in ("w_q", "w_k", "w_v") for p in getattr(layer, name).parameters())
        for layer in (standard, split)
    )
    return WeightCount(d_model, n_head, standard_qkv, split_qkv, standard.w_o.weight.numel())


@torch.no_grad()
def compare_splits(d_model: int, n_head: int, seed: int, n_token: int = 6) -> SplitComparison:
    """Run both layers on one random input, test which input dimensions each head can read, and count the weights.

    Weights and input are rounded to 65536ths and 16ths, so every sum is exact and "no difference" means exactly 0.

    Raises:
        ValueError: if n_head does not divide d_model.
    """
    generator = torch.Generator().manual_seed(seed)
    standard, split = project_then_split(d_model, n_head).double(), split_then_project(d_model, n_head).double()
    for layer in (standard, split):
        for parameter in layer.parameters():
            drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            parameter.copy_((drawn * parameter.shape[-1] ** -0.5 * 65536).round() / 65536)
    x = (torch.randn((1, n_token, d_model), generator=generator, dtype=torch.float64) * 16).round() / 16
    return SplitComparison(
        w_q=torch.stack([standard.w_q.weight, split.w_q.as_matrix()]).numpy(),  # type: ignore[operator]
        reach=torch.stack([_reach(layer, x) for layer in (standard, split)]).numpy(),
        mixed=_mixed(standard, x).numpy(),
        same=float((split(x) - _restricted(split)(x)).abs().max()),
        own=count_weights(d_model, n_head),
        paper=count_weights(*PAPER_SIZES),
    )


def _restricted(split: MultiHeadAttention) -> MultiHeadAttention:
    """Return a standard layer whose projections are the split layer's, written as block-diagonal matrices."""
    d_model, n_head = split.w_o.in_features, split.n_head
    layer = project_then_split(d_model, n_head).double()
    for name in ("w_q", "w_k", "w_v"):
        getattr(layer, name).weight.copy_(getattr(split, name).as_matrix())
    layer.w_o.weight.copy_(split.w_o.weight)
    return layer


def _reach(layer: MultiHeadAttention, x: Float[Tensor, "1 T D"]) -> Float[Tensor, "H D"]:
    """Return how much each head's q changes when one dimension of the first token grows by 1, for each dimension."""
    d_model = x.shape[-1]
    moved = x[:, :1].repeat(d_model + 1, 1, 1)  # (D + 1, 1, D)
    moved[torch.arange(d_model), 0, torch.arange(d_model)] += 1
    with Trace(layer) as trace:
        layer(moved)
    q = trace["q"][:, :, 0]  # (D + 1, H, K); the last one is from x itself
    return (q[:-1] - q[-1:]).abs().amax(-1).T


def _mixed(layer: MultiHeadAttention, x: Float[Tensor, "1 T D"]) -> Float[Tensor, "2 H D"]:
    """Return how much each output dimension changes when a head is ablated, after W_o and before it."""
    with Trace(layer) as trace:
        whole = layer(x)
    heads = trace["heads"]  # (1, H, T, K)
    after, before = [], []
    for head in range(layer.n_head):
        keep = torch.ones(layer.n_head, 1, 1, dtype=heads.dtype)
        keep[head] = 0
        with Trace(layer, {"heads": lambda h, keep=keep: h * keep}):  # type: ignore[misc]
            after.append((layer(x) - whole).abs().amax((0, 1)))
        side_by_side = (heads - heads * keep).transpose(1, 2).flatten(2)  # (1, T, D)
        before.append(side_by_side.abs().amax((0, 1)))
    return torch.stack([torch.stack(after), torch.stack(before)])
