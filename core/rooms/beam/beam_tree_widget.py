"""The tree of a beam search: played, stepped and scrubbed in the browser.

beam_tree(result, prompt=" No", names=vocabulary, n_beam=4, n_prompt=28, length_penalty=1.0, key="tree")
"""

from collections.abc import Sequence
from typing import Any

from core import ui
from core.generate.beam import BeamResult, BeamStep, normalized
from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MOST_BEAMS = 8
MOST_STEPS = 24  # more columns than that nobody scrolls through


def beam_tree(
    result: BeamResult,
    *,
    prompt: str,
    names: Sequence[str],
    n_beam: int,
    n_prompt: int,
    length_penalty: float,
    key: str,
    greedy: tuple[Sequence[int], float] | None = None,
    content_id: str = "",
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the search: a column for each step, a box for each candidate called, and the finished texts.

    Args:
        result: of `core.generate.beam`.
        prompt: its last token, printable.
        names: (V,) the vocabulary, printable.
        n_beam: B of the search.
        n_prompt: tokens of the prompt, which the hypotheses begin with.
        length_penalty: of the search.
        greedy: the new tokens of greedy search and their log-probability, to compare with.
        content_id: the picture keeps its frame as long as this stays the same.
        label: the heading of the picture.
        takeaway: one sentence for a screen reader; without one, a true sentence is computed.

    Raises:
        ValueError: if the tree is too large to be drawn.
    """
    if n_beam > MOST_BEAMS or len(result.tree) > MOST_STEPS:
        raise ValueError(
            f"{n_beam} beams and {len(result.tree)} steps; at most {MOST_BEAMS} and {MOST_STEPS} are drawn"
        )
    used = sorted({int(token) for step in result.tree for token in step.tokens} | set(greedy[0] if greedy else ()))
    place = {token: i for i, token in enumerate(used)}
    best = result.hypotheses[0]
    header: dict[str, Any] = {
        "widget": "beam_tree",
        "prompt": prompt,
        "names": [names[token] for token in used],
        "n_beam": n_beam,
        "n_token": len(names),
        "length_penalty": length_penalty,
        "steps": [_step(step, place, n_prompt) for step in result.tree],
        "greedy": greedy
        and _finished(greedy[0], greedy[1], normalized(greedy[1], len(greedy[0]), length_penalty), place),
        "plain": not ui.at_least("numbers"),
        "content_id": content_id,
        "label": label,
        "takeaway": takeaway
        or f"{label or 'Beam search'}: {plural(len(result.tree), 'step')} with {plural(n_beam, 'beam')}; the best text "
        "has a score of "
        f"{best.score:.3f}.",
    }
    mount("beam_tree", key, pack(header, {}))


def _step(step: BeamStep, place: dict[int, int], n_prompt: int) -> dict[str, Any]:
    return {
        "parents": step.parents.tolist(),
        "tokens": [place[token] for token in step.tokens.tolist()],
        "log_probs": step.log_probs.tolist(),
        "totals": step.totals.tolist(),
        "scores": step.scores.tolist(),
        "kept": step.kept.tolist(),
        "finished": step.finished.tolist(),
        "n_candidate": step.n_candidate,
        "stop": step.stop,
        "pool": [_finished(one.ids[n_prompt:], one.log_prob, one.score, place) for one in step.pool],
    }


def _finished(new: Sequence[int], log_prob: float, score: float, place: dict[int, int]) -> dict[str, Any]:
    return {"tokens": [place[token] for token in new], "log_prob": log_prob, "score": score}
