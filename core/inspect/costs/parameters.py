"""A model's parameters by part: every tensor of the module is counted and assigned to a term of a formula."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torch import nn

from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.inspect.costs import parameter_count_formulas
from core.inspect.costs.model_cost import COST_TITLES
from core.models import registry

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class _TensorGroup:
    """The tensors that have the same shape and the same name, with `*` for the block's number, and their parameters."""

    name: str
    shape: tuple[int, ...]
    n_tensor: int
    count: int

    @property
    def size(self) -> str:
        """The shape in print, such as 64 × 256."""
        return " × ".join(f"{n:,}" for n in self.shape)


@dataclass(frozen=True)
class ParameterTerm:
    """One term of the sum of all parameters."""

    name: str  # its key, "token_embedding" or another of `PARAMETER_TERMS`
    formula: str  # in the sizes' letters, such as "L · 4·D²"; "" if none is known for the architecture
    numbers: str  # the formula with this model's sizes
    predicted: int | None  # the formula's value; None without a formula
    count: int  # counted from the tensors
    tensors: tuple[_TensorGroup, ...]
    note: str = ""  # a sentence about a special case

    @property
    def label(self) -> str:
        """Its name on the screen."""
        return LABELS.options("term")[self.name]


@dataclass(frozen=True)
class ParameterBreakdown:
    """All parameters of a model: terms in the order of the forward pass, their sum, and letter -> (meaning, value).

    A GPT has all terms; those without parameters have a note.
    """

    terms: tuple[ParameterTerm, ...]
    total: int
    sizes: dict[str, tuple[str, int]] = field(default_factory=dict)

    def term(self, name: str) -> ParameterTerm:
        return next(term for term in self.terms if term.name == name)

    def share(self, name: str) -> float:
        """Return the fraction of all parameters that belong to a term, given by its name."""
        return self.term(name).count / self.total

    @property
    def largest(self) -> ParameterTerm:
        return max(self.terms, key=lambda term: term.count)

    @property
    def formula(self) -> str:
        """The sum of all terms, with the numbers of this model."""
        counts = (rf"\underbrace{{{term.count:,}}}_{{\text{{{term.label}}}}}" for term in self.terms if term.count)
        return f"{self.total:,} = {' + '.join(counts)}".replace(",", "{,}")

    def table(self) -> Table:
        """Return a table with a row for each group of tensors."""
        rows = [(term.label, group) for term in self.terms for group in term.tensors]
        return {
            LABELS["column.part_of"]: [name for name, _ in rows],
            LABELS["column.tensor"]: [group.name for _, group in rows],
            LABELS["column.shape"]: [group.size for _, group in rows],
            LABELS["column.how_many"]: [group.n_tensor for _, group in rows],
            LABELS["column.parameters"]: [group.count for _, group in rows],
        }


_KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("head", lambda name: name.startswith("head.")),
    ("token_embedding", lambda name: name.startswith(("tok_emb.", "tok_proj.", "patch_emb.", "class_emb."))),
    ("positions", lambda name: "pos_emb." in name),
    ("segments", lambda name: name.startswith("seg_emb.")),
    ("attention", lambda name: ".attn." in name),
    ("cross-attention", lambda name: ".cross_attn." in name),
    ("feed-forward", lambda name: ".mlp." in name),
    ("norms", lambda name: "norm" in name),
    ("output_layer", lambda name: name.startswith("unembed.")),
)


def parameter_and_cost_table(record: ParameterBreakdown, costs: Mapping[str, int]) -> Table:
    """Return a table of a model's parameters and its costs (`core.inspect.costs.model_cost.model_costs`)."""
    tensors = [(f"{term.label}: {group.name}", group.count) for term in record.terms for group in term.tensors]
    rows = [*tensors, *((COST_TITLES[name], n) for name, n in costs.items())]
    return {LABELS["column.what"]: [name for name, _ in rows], LABELS["column.count"]: [count for _, count in rows]}


def compare_model_sizes(records: Mapping[str, ParameterBreakdown], own: str) -> Table:
    """Return a table of models from the smallest to the largest, with each one's size relative to the model `own`."""
    rows = sorted(records.items(), key=lambda item: item[1].total)
    return {
        LABELS["column.model"]: [name for name, _ in rows],
        LABELS["column.parameters"]: [record.total for _, record in rows],
        LABELS["column.times_yours"]: [record.total / records[own].total for _, record in rows],
    }


def count_module_parameters(model: nn.Module) -> ParameterBreakdown:
    """Count a model's parameters, tensor by tensor; a shared tensor counts once.

    On the meta device a model takes no memory. If there are formulas for it, they are added
    (`core.inspect.costs.parameter_count_formulas`).
    """
    groups_of: dict[str, dict[tuple[str, tuple[int, ...]], int]] = {
        name: {} for name in (*parameter_count_formulas.PARAMETER_TERMS, "other")
    }
    for name, parameter in model.named_parameters():
        kind = next((kind for kind, fits in _KINDS if fits(name)), "other")
        key = (re.sub(r"\.\d+\.", ".*.", name), tuple(parameter.shape))
        groups_of[kind][key] = groups_of[kind].get(key, 0) + 1
    config: object = getattr(model, "config", None)
    known, sizes = parameter_count_formulas.parameter_formulas(config), parameter_count_formulas.size_letters(config)
    values = {letter: value for letter, (_, value) in sizes.items()}
    terms = []
    for kind, groups in groups_of.items():
        tensors = tuple(
            _TensorGroup(name, shape, n_tensor, n_tensor * math.prod(shape))
            for (name, shape), n_tensor in groups.items()
        )
        letters = known.get(kind, "")
        if tensors or letters:
            numbers = parameter_count_formulas.substitute_sizes(letters, values)
            predicted = parameter_count_formulas.evaluate_formula(letters, values) if letters else None
            note = "" if tensors else _why_none(kind, config)
            terms.append(
                ParameterTerm(kind, letters, numbers, predicted, sum(group.count for group in tensors), tensors, note)
            )
    return ParameterBreakdown(tuple(terms), sum(term.count for term in terms), sizes)


def count_config_parameters(config: object) -> ParameterBreakdown:
    """Count the parameters of a model given by its config, whose modules are built without memory."""
    return count_module_parameters(registry.build_empty(config))


def _why_none(kind: str, config: object) -> str:
    """Explain why a part of the model has no parameters of its own."""
    return {
        "positions": {
            "none": LABELS["no_positions"],
            "sinusoidal": LABELS["sinusoidal"],
            "rotary": LABELS["rotary"],
            "alibi": LABELS["alibi"],
        }.get(getattr(config, "positions", ""), ""),
        "segments": LABELS["no_segments"],
        "head": LABELS["no_head"],
        "feed-forward": LABELS["attention_only"],
        "norms": LABELS["no_gain"],
        "output_layer": LABELS["class_token"] if getattr(config, "n_class", None) == 0 else LABELS["tied"],
    }.get(kind, "")
