"""Where a model's parameters are: every tensor counted from the module, grouped into the terms of one formula."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from core.models import registry
from core.models.gpt import GPTConfig


@dataclass(frozen=True)
class TensorGroup:
    """Tensors of one name and shape, one in each block that has it.

    Args:
        name: as in the model, with `*` for the number of the block.
        shape: of each.
        n_tensor: how many there are.
        count: parameters of all of them together.
    """

    name: str
    shape: tuple[int, ...]
    n_tensor: int
    count: int


@dataclass(frozen=True)
class Term:
    """One term of the sum.

    Args:
        name: what it is, in plain words.
        formula: in the sizes' letters, such as "L · 4·D²"; "" where the architecture has no known one.
        numbers: the same with this model's sizes.
        predicted: what the formula gives; None without one.
        count: counted from the tensors.
        tensors: all of them.
        note: a sentence on what is special; "" if nothing is.
    """

    name: str
    formula: str
    numbers: str
    predicted: int | None
    count: int
    tensors: tuple[TensorGroup, ...]
    note: str = ""


@dataclass(frozen=True)
class ParameterRecord:
    """All parameters of a model.

    Args:
        terms: in the order of the forward pass. A GPT has all of them, those without parameters with a note.
        total: sum of the terms; equals the number of all elements of the model's parameters.
        sizes: letter -> (what it is, its value).
    """

    terms: tuple[Term, ...]
    total: int
    sizes: dict[str, tuple[str, int]] = field(default_factory=dict)

    def term(self, name: str) -> Term:
        """A term by its name."""
        return next(term for term in self.terms if term.name == name)


_KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("token embedding", lambda name: name == "tok_emb.weight"),
    ("positions", lambda name: name.startswith("pos_emb.")),
    ("attention", lambda name: ".attn." in name),
    ("feed-forward", lambda name: ".mlp." in name),
    ("norms", lambda name: "norm" in name),
    ("output layer", lambda name: name.startswith("unembed.")),
)
TERMS = (*(name for name, _ in _KINDS), "other")


def count(model: nn.Module) -> ParameterRecord:
    """Count a model's parameters, tensor by tensor; one that is used in two places counts once.

    Args:
        model: any; on the meta device it takes no memory. Formulas are given for a GPT.
    """
    found: dict[str, dict[tuple[str, tuple[int, ...]], int]] = {name: {} for name in TERMS}
    for name, parameter in model.named_parameters():
        kind = next((kind for kind, fits in _KINDS if fits(name)), "other")
        key = (re.sub(r"\.\d+\.", ".*.", name), tuple(parameter.shape))
        found[kind][key] = found[kind].get(key, 0) + 1
    config: Any = getattr(model, "config", None)
    formulas = _formulas(config) if isinstance(config, GPTConfig) else {}
    terms = []
    for kind, groups in found.items():
        tensors = tuple(
            TensorGroup(name, shape, n_tensor, n_tensor * _product(shape)) for (name, shape), n_tensor in groups.items()
        )
        letters, numbers, predicted = formulas.get(kind, ("", "", None))
        if tensors or kind in formulas:
            note = "" if tensors else _why_none(kind, config)
            terms.append(Term(kind, letters, numbers, predicted, sum(one.count for one in tensors), tensors, note))
    return ParameterRecord(tuple(terms), sum(term.count for term in terms), _sizes(config))


def count_config(config: GPTConfig) -> ParameterRecord:
    """Count the parameters of a model that is only described: its modules are built without memory."""
    return count(registry.empty(config))


def _product(shape: tuple[int, ...]) -> int:
    result = 1
    for size in shape:
        result *= size
    return result


def _sizes(config: Any) -> dict[str, tuple[str, int]]:
    if not isinstance(config, GPTConfig):
        return {}
    return {
        "V": ("tokens in the vocabulary", config.vocab_size),
        "D": ("numbers in a token's vector", config.d_model),
        "L": ("blocks", config.n_layer),
        "F": ("units of a feed-forward layer", config.d_ff or 4 * config.d_model),
        "C": ("tokens of context", config.context_length),
        "H": ("heads", config.n_head),
    }


def _why_none(kind: str, config: GPTConfig) -> str:
    """Why a part of a GPT has no parameters of its own."""
    return {
        "positions": {
            "none": "This model has no positions.",
            "sinusoidal": "Sinusoidal positions are computed, nothing is learned.",
            "rotary": "Rotary positions turn queries and keys by fixed angles, nothing is learned.",
            "alibi": "ALiBi subtracts a fixed slope times the distance from the scores, nothing is learned.",
        }.get(config.positions, ""),
        "feed-forward": "The blocks of this model have attention only.",
        "norms": "RMSNorm without a learned gain: it divides by the root mean square, and that is all.",
        "output layer": "It is the embedding matrix, transposed, used a second time: no weights of its own.",
    }.get(kind, "")


def _formulas(config: GPTConfig) -> dict[str, tuple[str, str, int]]:
    """For each kind of term: its formula in letters, in numbers, and its value."""
    v, d, n_layer = config.vocab_size, config.d_model, config.n_layer
    f = config.d_ff or 4 * d
    style = config.block
    wide = 3 if style.activation == "swiglu" else 2
    made: dict[str, tuple[str, str, int]] = {"token embedding": ("V · D", f"{v:,} · {d:,}", v * d)}
    made["positions"] = ("0", "0", 0)
    if config.positions == "learned":
        context = config.context_length
        made["positions"] = ("C · D", f"{context:,} · {d:,}", context * d)
    elif config.positions == "relative":
        made["positions"] = ("32 · H", f"32 · {config.n_head}", 32 * config.n_head)
    if style.bias:
        made["attention"] = (
            "L · (4·D² + 4·D)",
            f"{n_layer} · (4·{d:,}² + 4·{d:,})",
            n_layer * (4 * d * d + 4 * d),
        )
        made["feed-forward"] = (
            f"L · ({wide}·D·F + {'F' if wide == 2 else '2·F'} + D)",
            f"{n_layer} · ({wide}·{d:,}·{f:,} + {f if wide == 2 else 2 * f:,} + {d:,})",
            n_layer * (wide * d * f + (wide - 1) * f + d),
        )
    else:
        made["attention"] = ("L · 4·D²", f"{n_layer} · 4·{d:,}²", n_layer * 4 * d * d)
        made["feed-forward"] = (f"L · {wide}·D·F", f"{n_layer} · {wide}·{d:,}·{f:,}", n_layer * wide * d * f)
    if not style.feed_forward:
        made["feed-forward"] = ("0", "0", 0)
    in_block = 1 + style.feed_forward
    beside = style.norm_first + config.embed_norm
    each = {"layer": 2 if style.bias else 1, "rms": 1, "rms_plain": 0}[style.norm]
    n_norm = in_block * n_layer + beside
    letters = f"{'2·' if in_block == 2 else ''}L{f' + {beside}' if beside else ''}"
    made["norms"] = (
        f"({letters}) · {'2·' if each == 2 else ''}D",
        f"{n_norm} · {'2·' if each == 2 else ''}{d:,}",
        n_norm * each * d,
    )
    if not each:
        made["norms"] = ("0", "0", 0)
    made["output layer"] = ("0", "0", 0) if config.tied else ("V · D", f"{v:,} · {d:,}", v * d)
    return made
