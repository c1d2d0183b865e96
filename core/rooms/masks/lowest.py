"""Numbers to write for minus infinity, and their effect on a row that may not read anything."""

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, ViewChoice, slider
from core.nn.attention import masked_softmax
from core.nn.softmax import block_scores
from core.rooms.masks.inputs import MaskHeadInputs

LABELS = module_labels(__name__)

CANDIDATE_NUMBERS = ("−1e9", "the lowest finite number", "−∞")
NUMBER_TITLES = {"the lowest finite number": LABELS["title.lowest"], "masked_softmax": LABELS["title.ours"]}
NUMBER_NAMES = {"the lowest finite number": LABELS["lowest"]}


class Inputs(MaskHeadInputs, prefix="mask_"):
    row: int = slider(0, lambda i: i.given.n_token - 1, lambda i: i.given.n_token // 2, view=ViewChoice())


class CandidateResult(Result):
    """One number written for minus infinity, in one floating-point format."""

    number: str  # as the code writes it, one of `CANDIDATE_NUMBERS`, or "masked_softmax" for this app's own
    kind: str  # "float32", "bfloat16" or "float16"
    stored: float  # as the machine stores it; nan if nothing is written
    leak: float  # weight left on blocked keys
    empty_row: NDArray[np.float32]  # (S,) weights of a row that may not attend to anything
    outcome: Literal["nan", "zeros", "even", "other"]  # of the empty row
    outcome_text: str  # including the stored number if the format couldn't represent it


class CandidateResults(Result):
    """All candidates for minus infinity in all formats."""

    found: tuple[CandidateResult, ...]
    n: int
    worst: float  # the largest leak
    lines: list[tuple[str, list[str]]]  # each number, and the outcome of an empty row with it in each format

    def one(self, number: str, kind: str) -> CandidateResult:
        """Return a number in a format, for lessons. Raises StopIteration if it is not among them."""
        return next(one for one in self.found if (one.number, one.kind) == (number, kind))

    def table(self) -> Table:
        return {
            LABELS["column.number"]: [NUMBER_NAMES.get(one.number, one.number) for one in self.found],
            LABELS["column.kind"]: [one.kind for one in self.found],
            LABELS["column.stored"]: [one.stored for one in self.found],
            LABELS["column.leak"]: [one.leak for one in self.found],
            LABELS["column.empty_row"]: [float(one.empty_row[0]) for one in self.found],
        }


def compare_candidates(scores: NDArray[np.floating], mask: NDArray[np.bool_]) -> CandidateResults:
    """Add each candidate for minus infinity to the blocked scores of one row, in three floating-point formats.

    Args:
        scores: (S,) one row before the mask.
        mask: (S,) True where it may attend; at least one key.

    Raises:
        ValueError: if the row may not attend to anything, because there is then no leak to measure.
    """
    return compare_candidates_by_row(scores[None], mask[None])[0]


def compare_candidates_by_row(scores: NDArray[np.floating], mask: NDArray[np.bool_]) -> list[CandidateResults]:
    """Compute `compare_candidates` for N rows at once. Rows with the same result share it.

    Args:
        scores, mask: (N, S).

    Raises:
        ValueError: as in `compare_candidates`.
    """
    if not mask.any(-1).all():
        raise ValueError("the row may not attend to any key")
    found = []
    m, nothing = torch.from_numpy(mask.copy()), torch.zeros(mask.shape, dtype=torch.bool)
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        s = torch.from_numpy(scores.astype(np.float32)).to(kind)
        name = str(kind).removeprefix("torch.")
        for number, value in zip(CANDIDATE_NUMBERS, (-1e9, torch.finfo(kind).min, -torch.inf), strict=True):
            stored = torch.tensor(value).to(kind)  # −1e9 is out of float16's range, so it becomes −∞
            zero = torch.zeros((), dtype=kind)
            weights, empty = ((s + torch.where(open_, zero, stored)).softmax(-1) for open_ in (m, nothing))
            found.append((number, name, float(stored), _leak(weights, m), empty.float().numpy()))
        ours, none = masked_softmax(s, m), masked_softmax(s, nothing)
        found.append(("masked_softmax", name, float("nan"), _leak(ours, m), none.float().numpy()))
    made: dict[bytes, CandidateResults] = {}
    keys = [b"".join(leak[n].tobytes() + empty[n].tobytes() for *_, leak, empty in found) for n in range(len(scores))]
    for n, key in enumerate(keys):
        if key not in made:
            row = [
                _lowest(number, kind, stored, float(leak[n]), empty[n]) for number, kind, stored, leak, empty in found
            ]
            made[key] = _numbers(row)
    return [made[key] for key in keys]


def _lowest(number: str, kind: str, stored: float, leak: float, row: NDArray[np.float32]) -> CandidateResult:
    is_even = bool(np.allclose(row, row[0], rtol=0.02))
    outcome: Literal["nan", "zeros", "even", "other"] = (
        "nan" if np.isnan(row).any() else "zeros" if not row.any() else "even" if is_even else "other"
    )
    keys = {"nan": "outcome.nan", "zeros": "outcome.zeros", "even": "outcome.even", "other": "outcome.other"}
    text = LABELS(keys[outcome], least=float(row.min()), most=float(row.max()))
    text = LABELS("outcome.infinite", outcome=text) if number == "−1e9" and np.isinf(stored) else text
    return CandidateResult(
        number=number, kind=kind, stored=stored, leak=leak, empty_row=row, outcome=outcome, outcome_text=text
    )


def _numbers(found: list[CandidateResult]) -> CandidateResults:
    lines: dict[str, list[str]] = {}
    for one in found:
        lines.setdefault(NUMBER_TITLES.get(one.number, one.number), []).append(one.outcome_text)
    return CandidateResults(
        found=tuple(found), n=len(found), worst=max(one.leak for one in found), lines=[*lines.items()]
    )


def _leak(weights: Tensor, mask: Tensor) -> NDArray[np.float32]:
    return np.asarray(weights.float().masked_fill(mask, 0).sum(-1).numpy())


CODE = (compare_candidates, compare_candidates_by_row, masked_softmax, block_scores)


def compute(inputs: Inputs) -> CandidateResults:
    """Write every candidate for minus infinity into the blocked scores of one row."""
    record = inputs.given.attention
    may_read = record.mask_of(inputs.layer)[inputs.row]
    return compare_candidates(record.scores[inputs.layer, inputs.head, inputs.row], may_read)


def draw(result: CandidateResults, inputs: Inputs) -> None:
    """Draw a table: number, floating-point format, leak, empty row."""
    record = inputs.given.attention
    scores, n_row = record.scores, record.scores.shape[-1]
    found = compare_candidates_by_row(
        scores.reshape(-1, n_row), np.repeat(record.masks, record.n_head, axis=0).reshape(-1, n_row)
    )
    rows = iter(found)
    every = [[[next(rows) for _ in range(n_row)] for _ in layer] for layer in scores]
    shared: dict[tuple[int, int], dict[str, object]] = {}  # most rows have the same outcome, whose text is written once

    def values(one: CandidateResults, row: int) -> dict[str, object]:
        return shared.setdefault((id(one), row), {**vars(one), "row": row})

    at_row = ui.select_by_choice([*range(n_row)], inputs.row)
    ui.add_template_values(
        ui.map_choices(values, ui.select_by_choice(every, inputs.layer, inputs.head, inputs.row), at_row)
    )
