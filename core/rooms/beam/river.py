"""A beam search as a river: a branch is as high as its text is probable, and it splits at each choice of a word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import printable_text
from core.exhibit import Result, Table, segmented_control
from core.generate import beam
from core.generate.beam import BeamStep
from core.inspect.model_inputs.predicted_position import text_before
from core.rooms.beam import tree
from core.rooms.beam.tree import BeamInputs, Search

LABELS = module_labels(__name__)

MIN_SHARE = 0.05  # of the most probable first token: a text below it is too thin to draw
MOST_LEAVES = 7  # ends of branches, without those of the best and the greedy text
CODE = (beam.beam_search, beam._search)

Ids = tuple[int, ...]
Fate = Literal["open", "finished", "dropped"]


class Inputs(BeamInputs, prefix="river_"):
    n_beam: int = segmented_control((1, 2, 3, 6), 3)


@dataclass(frozen=True)
class Branch:
    """A text after the prompt that a search considered."""

    ids: Ids
    p: float  # probability of its last token
    total: float  # probability of the whole text
    fate: Fate  # what the search did with it


class River(Result):
    """The branches of a search that can be drawn, each after the one it continues."""

    search: Search
    branches: tuple[Branch, ...]
    leaders: tuple[Branch, ...]  # for each step the most probable text that the search has kept

    def words(self, ids: Sequence[int]) -> str:
        """Return a text as it is printed."""
        return printable_text("".join(self.search.names[i] for i in ids)).strip()

    def table(self) -> Table:
        """Return one row per branch."""
        return {
            LABELS["text"]: [self.words(one.ids) for one in self.branches],
            LABELS["p"]: [one.p for one in self.branches],
            LABELS["total"]: [one.total for one in self.branches],
            LABELS["fate"]: [LABELS[f"fate.{one.fate}"] for one in self.branches],
        }


def search_branches(steps: Sequence[BeamStep]) -> list[Branch]:
    """Return all candidates of a search."""
    found: list[Branch] = []
    parents: list[Ids] = [()]
    for step in steps:
        branches = [
            Branch(
                ids=(*parents[step.parents[c]], int(step.tokens[c])),
                p=math.exp(step.log_probs[c]),
                total=math.exp(step.totals[c]),
                fate="finished" if step.finished[c] else "open" if step.kept[c] else "dropped",
            )
            for c in range(len(step.tokens))
        ]
        found += branches
        parents = [one.ids for one in branches if one.fate == "open"]
    return found


def drawable_branches(branches: Sequence[Branch], always: Sequence[Ids]) -> list[Branch]:
    """Return the branches that lead to the most probable ends, and to those that are always drawn.

    A text that was kept, but of which no continuation is drawn, counts as dropped.
    """
    widest = max(one.total for one in branches if len(one.ids) == 1)
    known = {one.ids: one for one in branches if one.total >= MIN_SHARE * widest or _is_prefix(one.ids, always)}
    inner = {ids[:-1] for ids in known}
    leaves = sorted((one for one in known.values() if one.ids not in inner), key=lambda one: -one.total)
    ends = [one.ids for one in leaves if one.ids not in always][:MOST_LEAVES] + list(always)
    drawn = [one for one in known.values() if _is_prefix(one.ids, ends)]
    return [replace(one, fate="dropped") if one.fate == "open" and one.ids in ends else one for one in drawn]


def _is_prefix(ids: Ids, texts: Sequence[Ids]) -> bool:
    return any(text[: len(ids)] == ids for text in texts)


def compute(inputs: Inputs) -> River:
    """Search for the most probable text, without a length penalty, and take the branches that can be drawn."""
    search = tree.compute(tree.Inputs(given=inputs.given, n_beam=inputs.n_beam, penalty=0.0))
    branches = search_branches(search.found.tree)
    known = {one.ids for one in branches}
    new, total = search.new(search.greedy), 1.0
    for n, p in enumerate(search.greedy_p, start=1):
        total *= p
        if new[:n] not in known:  # the search has dropped what greedy search takes
            branches.append(Branch(new[:n], p, total, "finished" if n == len(new) else "dropped"))
    leaders = []
    for n in range(1, len(search.found.tree) + 1):
        kept = [one for one in branches if one.fate != "dropped" and len(one.ids) == n and one.ids in known]
        leaders += [max(kept, key=lambda one: one.total)] if kept else []
    ends = (new, search.new(search.best))
    drawn = sorted(drawable_branches(branches, ends), key=lambda one: (len(one.ids), -one.total))
    return River(search=search, branches=tuple(drawn), leaders=tuple(leaders))


def draw(result: River, inputs: Inputs) -> None:
    """Draw the river, word by word."""
    ui.add_template_values(most=MOST_LEAVES, share=MIN_SHARE)
    search, ids = result.search, [one.ids for one in result.branches]
    greedy, best = search.new(search.greedy), search.new(search.best)
    ui.mount_widget(
        "river",
        branches=[
            {
                "parent": ids.index(one.ids[:-1]) if len(one.ids) > 1 else -1,
                "token": search.names[one.ids[-1]],
                "p": one.p,
                "total": one.total,
                "fate": one.fate,
            }
            for one in result.branches
        ],
        leaders=[{"text": result.words(one.ids), "total": one.total} for one in result.leaders],
        greedy=ids.index(greedy),
        best=ids.index(best),
        fork=_fork(result, greedy, best),
        n_beam=inputs.n_beam,
        before=text_before(inputs.given, inputs.given.n_token),
        label="",
        takeaway=LABELS["takeaway"],
        key="beam.river",
        height=440,
    )


def _fork(result: River, greedy: Ids, best: Ids) -> dict[str, Any] | None:
    """Return the two words with which the greedy and the best text part; None if they are the same."""
    if greedy == best:
        return None
    at = next(i for i, (one, other) in enumerate(zip(greedy, best, strict=False)) if one != other)
    return {name: result.words(ids[at : at + 1]) for name, ids in (("greedy", greedy), ("best", best))}
