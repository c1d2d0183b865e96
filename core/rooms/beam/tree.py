"""The tree of a beam search on any model: candidates called, texts kept, finished texts set aside."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core import ui
from core.cache import content_key
from core.data.printable import visible
from core.generate import beam, decode
from core.generate.beam import BeamResult, Hypothesis, Stopping
from core.inputs import Inputs as Base
from core.inputs import NothingToShow, segmented, slider
from core.inspect.reading.model_and_text import ModelAndText, model_and_text, vocabulary
from core.rooms.beam.beam_tree_widget import beam_tree

# After it the stories model's greedy search takes the likeliest word, and beam search finds a likelier sentence.
SENTENCE = "Ben and Anna played near the forest. Anna hid in the box. Ben looked under the tree. No Anna!"
MOST_TOKENS = 512  # of the prompt: each of up to 12 steps asks the model for up to 6 texts of this length
MOST_BEAMS, MOST_STEPS = 6, 12  # two boxes for each beam and step: more cannot be read
ENDS = {"stop": "full stop", "line": "line end", "none": "nothing"}
END_TOKENS = {"stop": (".", " ."), "line": ("\n",), "none": ()}
RULES: dict[str, Stopping] = {"heuristic": False, "full": True, "never": "never"}
COLUMNS = ("step", "place", "parent", "token", "log_prob", "sum", "score", "fate")
ARRAYS = ("parents", "tokens", "log_probs", "totals", "scores", "kept", "finished")
CODE = (beam.beam_search, beam._search, beam._why_stop)


class Looked(Base):
    """A decoder and a prompt."""

    given: ModelAndText = model_and_text(SENTENCE, most=MOST_TOKENS)


class Inputs(Looked, prefix="beam_"):
    """How to search."""

    n_beam: int = slider("Beams (texts kept at once)", 1, MOST_BEAMS, 3, name="beam_b")
    n_new: int = slider(
        "New tokens", 1, MOST_STEPS, MOST_STEPS, name="beam_steps", help="At most: a text may end sooner."
    )
    penalty: float = slider(
        "Length penalty",
        -1.0,
        2.0,
        1.0,
        step=0.25,
        help="The name misleads: the larger it is, the better for long texts. Other programs use other formulas under "
        "the same name.",
    )
    end: str = segmented("What ends a text", ENDS, "stop", heading="")
    rule: str = segmented(
        "Stop when …",
        {"heuristic": "heuristic", "full": "enough texts finished", "never": "nothing better can come"},
        "heuristic",
        help="“Enough texts finished” stops as soon as there are as many as beams. “Heuristic” goes on while the "
        "best unfinished text, scored at its present length, beats the worst finished one. “Nothing better can "
        "come” scores it at the longest length.",
    )


@dataclass(frozen=True)
class Search:
    """A beam search beside a greedy one.

    Attributes:
        found: the search.
        greedy: what greedy search writes on the same prompt, and its log-probability and score.
        n_prompt: tokens of the prompt.
        names: (V,) the vocabulary, printable.
        penalty: the exponent of the length in a score.
        eos_id: the token that ends a text, if there is one.
    """

    found: BeamResult
    greedy: Hypothesis
    n_prompt: int
    names: tuple[str, ...]
    penalty: float
    eos_id: int | None

    @property
    def best(self) -> Hypothesis:
        return self.found.hypotheses[0]

    @property
    def gain(self) -> float | None:
        """How much better the best text scores than the greedy one; None where they are the same."""
        return None if self.best.ids == self.greedy.ids else self.best.score - self.greedy.score

    @property
    def n_step(self) -> int:
        return len(self.found.tree)

    @property
    def n_pass(self) -> int:
        """Texts that the model was asked about."""
        return 1 + sum(int(step.kept.sum()) for step in self.found.tree[:-1])

    @property
    def n_candidate(self) -> int:
        """Candidates that were looked at."""
        return sum(step.n_candidate for step in self.found.tree)

    def new(self, text: Hypothesis) -> tuple[int, ...]:
        """The tokens behind the prompt."""
        return text.ids[self.n_prompt :]

    def written(self, text: Hypothesis) -> str:
        """The words behind the prompt."""
        return "".join(self.names[token] for token in self.new(text)).strip()

    def p(self, text: Hypothesis) -> float:
        """Its probability."""
        return math.exp(text.log_prob)

    @property
    def formula(self) -> str:
        """The score of the best text."""
        best, power = self.best, f"{len(self.new(self.best))}^{{{self.penalty:g}}}"
        return rf"\text{{best}}: \quad \frac{{{best.log_prob:.3f}}}{{{power}}} = {best.score:.3f}"

    def table(self) -> dict[str, list[Any]]:
        """All candidates of all steps, the best of each step first; steps, places and parents count from 1."""
        rows = [
            (n, c + 1, int(step.parents[c]) + 1, visible(self.names[step.tokens[c]]),
             float(step.log_probs[c]), float(step.totals[c]), float(step.scores[c]),
             "finished" if step.finished[c] else "kept" if step.kept[c] else "dropped")
            for n, step in enumerate(self.found.tree, start=1)
            for c in range(len(step.tokens))
        ]  # fmt: skip
        return {name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}


def end_token(names: Sequence[str], end: str) -> int | None:
    """The id of the token that is the full stop, or the line end; None if the vocabulary has none."""
    return next((names.index(sign) for sign in END_TOKENS[end] if sign in names), None)


def compute(inputs: Inputs) -> Search:
    """The beam search, and greedy search on the same prompt."""
    model, ids, names = inputs.given.model, inputs.given.ids, vocabulary(inputs.given.key)
    eos_id, penalty = end_token(names, inputs.end), inputs.penalty
    how: dict[str, Any] = {"length_penalty": penalty, "early_stopping": RULES[inputs.rule]}
    try:
        found = beam.search(model, ids, inputs.n_beam, inputs.n_new, eos_id=eos_id, **how)
        steps = list(decode.generate(model, ids, inputs.n_new, greedy=True, eos_id=eos_id))
    except ValueError as refused:  # a run whose weights have become nan
        raise NothingToShow(str(refused)) from None
    log_prob = sum(float(step.log_prob) for step in steps)  # of all tokens: greedy search filters nothing
    score = beam.normalized(log_prob, len(steps), penalty)
    greedy = Hypothesis((*ids, *(int(step.token) for step in steps)), score, log_prob)
    return Search(found, greedy, len(ids), names, penalty, eos_id)


def draw(result: Search, inputs: Inputs) -> None:
    """The film of the tree, the finished texts beside greedy's."""
    if result.eos_id is None and inputs.end != "none":
        ui.say("no-end", sign=ENDS[inputs.end])
    beam_tree(
        result.found,
        prompt=inputs.given.tokens[-1],
        names=result.names,
        n_beam=inputs.n_beam,
        n_prompt=result.n_prompt,
        length_penalty=inputs.penalty,
        key=f"beam.tree:{inputs.given.key}",
        greedy=(result.new(result.greedy), result.greedy.log_prob),
        content_id=content_key(repr(inputs))[:12],
        label=f"{inputs.n_beam} texts at once" if inputs.n_beam > 1 else "One text at a time",
    )
    ui.say("beside-greedy")
