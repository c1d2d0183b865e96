"""Conversion of foreign weights to ours: a table of names for each family, and a few ways to rearrange a tensor.

A row says which of their tensors is which of our parameters. The shape that the file must hold follows from our
parameter's shape, so that a table is nothing but names:

    Row("h.{n}.mlp.c_fc.{p}", "blocks.{n}.mlp.w_in.{p}", TRANSPOSED)

{n} is every block, {p} is weight and bias. A row whose parameter our model does not have is left out.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.models.imports.weights_file import ImportRefused, Shape, shorten_name

LABELS = module_labels(__name__)

Config = Mapping[str, Any]  # their config.json
Shapes = Mapping[str, Shape]  # what their file holds, by plain names


@dataclass(frozen=True)
class TensorLayoutConversion:
    """A rearrangement of one of their tensors into one or several of ours."""

    shape: Callable[[tuple[Shape, ...]], Shape]  # from the shapes of ours to that which theirs must have
    apply: Callable[[Tensor], tuple[Tensor, ...]]


def _transposed(x: Tensor) -> Tensor:
    return x.contiguous().T if x.ndim == 2 else x  # a view: few rows go faster through a matrix that lies so


def _side_by_side(ours: tuple[Shape, ...]) -> Shape:
    return (*reversed(ours[0][1:]), sum(shape[0] for shape in ours))


SAME = TensorLayoutConversion(lambda ours: ours[0], lambda x: (x,))
TRANSPOSED = TensorLayoutConversion(
    lambda ours: ours[0][::-1], lambda x: (_transposed(x),)
)  # the "Conv1D" of the first GPT
THIRDS = TensorLayoutConversion(_side_by_side, lambda x: tuple(_transposed(part.clone()) for part in x.chunk(3, -1)))
TWICE = TensorLayoutConversion(lambda ours: ours[0], lambda x: (x, x))  # the same memory under two names


def padding_row_last_conversion(padding: int) -> TensorLayoutConversion:
    """Move the row of `padding` to the end of a position table, and drop the rows before it."""
    return TensorLayoutConversion(
        lambda ours: (ours[0][0] + padding, *ours[0][1:]),
        lambda x: (torch.cat([x[padding + 1 :], x[padding : padding + 1]]),),
    )


def reshaping_conversion(theirs: Shape, ours: Shape) -> TensorLayoutConversion:
    """Give the same numbers in the same order a different shape."""
    return TensorLayoutConversion(lambda _: theirs, lambda x: (x.reshape(ours),))


def stacked_rows_conversion(*n_row: int) -> TensorLayoutConversion:
    """Split a matrix that holds several, one above the other; n_row: rows of each."""
    return TensorLayoutConversion(
        lambda ours: (sum(shape[0] for shape in ours), *ours[0][1:]),
        lambda x: tuple(part.clone() for part in x.split(n_row)),
    )


def qkv_by_head_conversion(n_head: int) -> TensorLayoutConversion:
    """Queries, keys and values in one matrix: those of the first head, then those of the second, and so on."""

    def apart(x: Tensor) -> tuple[Tensor, ...]:
        by_head = x.unflatten(0, (n_head, 3, -1))  # (H, 3, K, D)
        return tuple(by_head[:, n].flatten(0, 1).clone() for n in range(3))

    return TensorLayoutConversion(lambda ours: (sum(shape[0] for shape in ours), *ours[0][1:]), apart)


def scaling_conversion(factor: float) -> TensorLayoutConversion:
    """Multiply all numbers by a factor."""
    return TensorLayoutConversion(lambda ours: ours[0], lambda x: (x * factor,))


@dataclass(frozen=True)
class TensorMapping:
    """One line of a family's table: which of their tensors becomes which of our parameters.

    Args:
        theirs: the name in the file; {n}: each block, {p}: weight and bias.
        ours: the parameter, or several that theirs is turned into.
        layout: how theirs is rearranged.
        alias: the tensor may be missing, for another row gives the same parameter; if it is there, the two must agree.
    """

    theirs: str
    ours: str | tuple[str, ...]
    layout: TensorLayoutConversion = SAME
    alias: bool = False


@dataclass(frozen=True)
class ImportPlan:
    """A plan that makes a model of ours from one folder."""

    fields: dict[str, Any]  # our config's JSON values
    rows: tuple[TensorMapping, ...]  # (): the tensors have our names already
    unused: tuple[str, ...] = ()  # names that may be in the file and are not read: this model has no use for them


@dataclass(frozen=True)
class ImportFamily:
    """One model_type of theirs."""

    plan: Callable[[Config, Shapes], ImportPlan]
    prefix: str | tuple[str, ...] = ""  # precedes the names of the body in some files and not in others
    ignored: str = ""  # a regular expression of names that are never read: masks, positions, heads that we do not have
    spelling: Mapping[str, str] = field(default_factory=dict)  # old ends of names, and how they are written today

    def plain(self, name: str) -> str | None:
        """Return a tensor's name as written in the table; None for tensors that are ignored."""
        for prefix in (self.prefix,) if isinstance(self.prefix, str) else self.prefix:
            name = name.removeprefix(prefix)
        for old, new in self.spelling.items():
            if name.endswith(old):
                name = name.removesuffix(old) + new
        return None if self.ignored and re.fullmatch(self.ignored, name) else name


@dataclass(frozen=True)
class _TensorPlacement:
    """The destination of one of their tensors: our parameters, how it is rearranged, and the shape it must have."""

    ours: tuple[str, ...]
    layout: TensorLayoutConversion
    shape: Shape
    needed: bool


def tensor_placements(rows: tuple[TensorMapping, ...], model: nn.Module) -> dict[str, _TensorPlacement]:
    """Write out the table for the parameters that a model has, plain name -> place, aliases last."""
    own = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    every = {name: tuple(parameter.shape) for name, parameter in model.named_parameters(remove_duplicate=False)}
    rows = rows or tuple(TensorMapping(name, name) for name in every)
    n_block = 1 + max((int(n) for name in own for n in re.findall(r"blocks\.(\d+)\.", name)), default=-1)
    found: dict[str, _TensorPlacement] = {}
    for row in sorted(rows, key=lambda row: row.alias):
        names = (row.ours,) if isinstance(row.ours, str) else row.ours
        for n in range(n_block if "{n}" in row.theirs else 1):
            for p in ("weight", "bias") if "{p}" in row.theirs else ("",):
                ours = tuple(name.replace("{n}", str(n)).replace("{p}", p) for name in names)
                if all(name in every for name in ours):
                    theirs = row.theirs.replace("{n}", str(n)).replace("{p}", p)
                    shape = row.layout.shape(tuple(every[name] for name in ours))
                    found[theirs] = _TensorPlacement(
                        ours, row.layout, shape, not row.alias and all(name in own for name in ours)
                    )
    return found


def required_tensors(found: Mapping[str, _TensorPlacement], model: nn.Module, there: Mapping[str, object]) -> set[str]:
    """Return the plain names that a file must have; of two tied tensors either will do, as in the reference.

    found: from `tensor_placements`; there: the plain names in the file.
    """
    parameters = dict(model.named_parameters(remove_duplicate=False))
    given = {id(parameters[ours]) for name, place in found.items() if name in there for ours in place.ours}
    return {
        name
        for name, place in found.items()
        if place.needed and (name in there or any(id(parameters[ours]) not in given for ours in place.ours))
    }


def convert_tensors(
    found: Mapping[str, _TensorPlacement], model: nn.Module, read: Callable[[str], Tensor], there: Mapping[str, object]
) -> dict[str, Tensor]:
    """Read all of our parameters, one by one, by their plain names; tied ones are kept once.

    found: from `tensor_placements`; there: the plain names in the file. Raises ImportRefused if tied tensors differ.
    """
    first: dict[int, str] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        first.setdefault(id(parameter), name)
    same = {name: first[id(parameter)] for name, parameter in model.named_parameters(remove_duplicate=False)}
    weights: dict[str, Tensor] = {}
    for theirs, place in found.items():
        if theirs not in there:
            continue
        for ours, tensor in zip(place.ours, place.layout.apply(read(theirs)), strict=True):
            name = same[ours]
            if name in weights and not torch.equal(weights[name], tensor):
                raise ImportRefused(LABELS("untied", name=shorten_name(theirs)))
            weights.setdefault(name, tensor)
    return weights


def required_setting(theirs: Config, name: str) -> Any:
    """Return a value of the config that has no default. Raises ImportRefused if it is missing."""
    if theirs.get(name) is None:
        raise ImportRefused(LABELS("required", name=name))
    return theirs[name]


def check_number(theirs: Config, *names: str) -> None:
    """Raise ImportRefused unless the values of these names, where present, are numbers above 0."""
    for name in names:
        value = theirs.get(name)
        if value is not None and not (
            isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9
        ):
            raise ImportRefused(LABELS("number", name=name, value=shorten_name(repr(value), 40)))


def check_supported_settings(theirs: Config, fixed: Mapping[str, object]) -> None:
    """Check that options which change the arithmetic have the value that ours computes. Raises ImportRefused."""
    for name, value in fixed.items():
        if theirs.get(name, value) != value:
            told = shorten_name(repr(theirs[name]))
            what = _OPTIONS.get(name, LABELS["other_layers"])
            raise ImportRefused(LABELS("unsupported", what=what, name=name, told=told, only=repr(value)))


_OPTIONS = {  # what an option is, in plain words
    "is_encoder_decoder": LABELS["option.is_encoder_decoder"],
    "is_decoder": LABELS["option.is_decoder"],
    "add_cross_attention": LABELS["option.add_cross_attention"],
    "position_embedding_type": LABELS["option.position_embedding_type"],
    "layer_norm_epsilon": LABELS["option.layer_norm_epsilon"],
    "qkv_bias": LABELS["option.qkv_bias"],
    "attention_bias": LABELS["option.attention_bias"],
    "mlp_bias": LABELS["option.mlp_bias"],
    "norm_bias": LABELS["option.norm_bias"],
    "decoder_bias": LABELS["option.decoder_bias"],
    "qk_layernorm": LABELS["option.qk_layernorm"],
    "tie_word_embeddings": LABELS["option.tie_word_embeddings"],
    "pretraining_tp": LABELS["option.pretraining_tp"],
    "scale_attn_weights": LABELS["option.scale_attn_weights"],
    "scale_attn_by_inverse_layer_idx": LABELS["option.scale_attn_by_inverse_layer_idx"],
    "num_hidden_groups": LABELS["option.groups"],
    "inner_group_num": LABELS["option.groups"],
}
_ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu",
                "quick_gelu": "quick_gelu"}  # fmt: skip


def activation_setting(theirs: Config, name: str, default: str, table: Mapping[str, str] | None = None) -> str:
    """Return our name of the nonlinearity. Raises ImportRefused if ours has no such one."""
    table = _ACTIVATIONS if table is None else table
    value = theirs.get(name, default)
    if not isinstance(value, str) or value not in table:
        raise ImportRefused(LABELS("none_of", name=name, value=shorten_name(repr(value)), known=", ".join(table)))
    return table[value]
