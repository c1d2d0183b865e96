"""A whole and its parts: a sum with clickable terms, an area map, and the components of each term."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.inspect.costs.parameters import ParameterTerm
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

MAX_PIECES = 400  # more rectangles than an area map can show


@dataclass(frozen=True)
class SumTermPart:
    """A part of a term: its name, a short detail (a shape, a count), and its size."""

    name: str
    detail: str
    count: int


@dataclass(frozen=True)
class SumTerm:
    """A term of the sum.

    Args:
        name: its name.
        formula, numbers: the computation of its size, in symbols and in numbers; may be "".
        count: its size, the sum of its pieces.
        pieces: its parts.
        note: a sentence on special properties.
    """

    name: str
    formula: str
    numbers: str
    count: int
    pieces: Sequence[SumTermPart]
    note: str = ""


def sum_of_parts(terms: Sequence[SumTerm], *, key: str, unit: str, label: str = "", takeaway: str = "") -> None:
    """Draw a sum with its terms as buttons, and a map whose areas are the sizes. Clicks don't involve the server.

    Args:
        terms: at least one, in the order of the sum.
        unit: the unit of the counts, such as "parameters".

    Raises:
        ValueError: if there are no terms, too many pieces, or a term is not the sum of its pieces.
    """
    n_piece = sum(len(term.pieces) for term in terms)
    if not terms or n_piece > MAX_PIECES:
        raise ValueError(f"{len(terms)} terms of {n_piece} pieces; a map shows between 1 and {MAX_PIECES} pieces")
    for term in terms:
        if term.count != sum(piece.count for piece in term.pieces):
            raise ValueError(f"{term.name!r} has {term.count}, its pieces {sum(piece.count for piece in term.pieces)}")
    total = sum(term.count for term in terms)
    largest = max(terms, key=lambda term: term.count)
    header = {
        "widget": "parts",
        "terms": [
            {
                "name": term.name,
                "formula": term.formula,
                "numbers": term.numbers,
                "count": term.count,
                "note": term.note,
                "pieces": [{"name": one.name, "detail": one.detail, "count": one.count} for one in term.pieces],
            }
            for term in terms
        ],
        "total": total,
        "unit": unit,
        "selected": list(terms).index(largest),
        "label": label,
        "takeaway": takeaway
        or LABELS(
            "takeaway", label=label or LABELS["parts"], n=total, unit=unit, name=largest.name, n_largest=largest.count
        ),
    }
    mount("parts", key, pack_message(header, {}))


def parameter_sum_term(term: ParameterTerm) -> SumTerm:
    """Convert a term for the picture of parts."""
    return SumTerm(
        term.label,
        term.formula,
        term.numbers,
        term.count,
        [SumTermPart(one.name, LABELS("detail", size=one.size, n=one.n_tensor), one.count) for one in term.tensors],
        term.note,
    )


def _without_formula(part: SumTerm) -> SumTerm:
    """Return a part without its formula."""
    return replace(part, formula="", numbers="")
