"""The tree of a beam search on any model: candidates considered, texts kept, and finished texts set aside."""

import math
from collections.abc import Sequence
from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import printable_text, visible_token
from core.data.tokenizers.incremental_decoding import decode_continuation
from core.exhibit import Inputs as Base, NothingToShow, Result, Table, content_key, segmented_control, slider
from core.generate import beam, decode
from core.generate.beam import BeamResult, BeamStep, Hypothesis, StoppingRule, length_normalized_score
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input, model_vocabulary

LABELS = module_labels(__name__)

# After this text the stories model's greedy search takes the most probable word, and beam search finds a more probable
# sentence.
SENTENCE = "Ben and Anna played near the forest. Anna hid in the box. Ben looked under the tree. No Anna!"
MOST_TOKENS = 512  # of the prompt: each of up to 12 steps runs the model on up to 6 texts of this length
MOST_BEAMS, MOST_STEPS = 6, 12  # two boxes for each beam and step: more cannot be read
END_TOKENS = {"stop": (".", " ."), "line": ("\n",), "none": ()}
RULES: dict[str, StoppingRule] = {"heuristic": False, "full": True, "never": "never"}
COLUMNS = LABELS.options("column", "step", "place", "parent", "token", "log_prob", "sum", "score", "fate")
ARRAYS = ("parents", "log_probs", "totals", "scores", "kept", "finished")  # the arrays of a step that the picture needs
CODE = (beam.beam_search, beam._search, beam._why_stop)


class BeamInputs(Base):
    """A decoder and a prompt."""

    given: ModelAndText = model_and_text_input(SENTENCE, most=MOST_TOKENS)


class Inputs(BeamInputs, prefix="beam_"):
    n_beam: int = slider(1, MOST_BEAMS, 3, name="beam_b")
    n_new: int = slider(1, MOST_STEPS, MOST_STEPS, name="beam_steps")
    penalty: float = slider(
        -1.0,
        2.0,
        1.0,
        step=0.25,
    )
    end: str = segmented_control(tuple(END_TOKENS), "stop", heading="")
    rule: str = segmented_control(
        ("heuristic", "full", "never"),
        "heuristic",
    )


class Search(Result):
    """A beam search and, for comparison, a greedy search."""

    found: BeamResult
    best: Hypothesis  # the best text of beam search
    greedy: Hypothesis  # the text of greedy search on the same prompt
    greedy_p: tuple[float, ...]  # the probabilities of its tokens
    gain: float | None  # the best text's score minus the greedy one's; None if they are the same
    n_prompt: int  # tokens
    n_step: int
    n_pass: int  # texts that the model was run on
    n_candidate: int  # candidates that were considered
    names: tuple[str, ...]  # (V,) the vocabulary, printable
    penalty: float  # exponent of the length in a score
    ends: tuple[int, ...]  # ids of the tokens that end a text
    texts: dict[tuple[int, ...], str]  # the continuation, by the ids of prompt and continuation

    def new(self, text: Hypothesis) -> tuple[int, ...]:
        """Return the tokens after the prompt."""
        return text.ids[self.n_prompt :]

    def written(self, text: Hypothesis) -> str:
        """Return the words after the prompt."""
        return printable_text(self.texts[text.ids]).strip()

    def p(self, text: Hypothesis) -> float:
        """Return the probability of a text."""
        return math.exp(text.log_prob)

    @property
    def formula(self) -> str:
        """The score of the best text, as a formula."""
        name, best = LABELS["best"], self.best
        power = f"{len(self.new(self.best))}^{{{self.penalty:g}}}"
        return rf"\text{{{name}}}: \quad \frac{{{best.log_prob:.3f}}}{{{power}}} = {best.score:.3f}"

    def table(self) -> Table:
        """Return all candidates of all steps, best first within a step; steps, places and parents count from 1."""
        rows = [
            (n, c + 1, int(step.parents[c]) + 1, visible_token(self.names[step.tokens[c]]),
             float(step.log_probs[c]), float(step.totals[c]), float(step.scores[c]),
             LABELS["finished"] if step.finished[c] else LABELS["kept"] if step.kept[c] else LABELS["dropped"])
            for n, step in enumerate(self.found.tree, start=1)
            for c in range(len(step.tokens))
        ]  # fmt: skip
        return {name: list(column) for name, column in zip(COLUMNS.values(), zip(*rows, strict=True), strict=True)}


def _find_end_token(names: Sequence[str], end: str) -> int | None:
    """Return the id of the token for the full stop or the line end; None if the vocabulary doesn't have it."""
    return next((names.index(sign) for sign in END_TOKENS[end] if sign in names), None)


def compute(inputs: Inputs) -> Search:
    """Run beam search, and greedy search on the same prompt."""
    model, ids, names = inputs.given.model, inputs.given.ids, model_vocabulary(inputs.given.key)
    sign, penalty = _find_end_token(names, inputs.end), inputs.penalty
    own = () if inputs.end == "none" else inputs.given.end_ids
    ends = (*own, *([] if sign is None else [sign]))
    how = {"length_penalty": penalty, "early_stopping": RULES[inputs.rule]}
    try:
        found = beam.cached_beam_search(model, ids, inputs.n_beam, inputs.n_new, eos_id=ends, **how)
        steps = list(decode.generate(model, ids, inputs.n_new, greedy=True, eos_id=ends))
    except ValueError as refused:  # a run whose weights have become nan
        raise NothingToShow(str(refused)) from None
    log_prob = sum(float(step.log_prob) for step in steps)  # over all tokens, because greedy search filters none
    score = length_normalized_score(log_prob, len(steps), penalty)
    greedy = Hypothesis((*ids, *(int(step.token) for step in steps)), score, log_prob)
    all_ids = [one.ids for one in (greedy, *found.hypotheses)]
    texts = {one: decode_continuation(inputs.given.tokenizer, ids, one[len(ids) :]) for one in all_ids}
    best, tree = found.hypotheses[0], found.tree
    return Search(
        found=found,
        best=best,
        greedy=greedy,
        greedy_p=tuple(math.exp(step.log_prob) for step in steps),
        gain=None if best.ids == greedy.ids else best.score - greedy.score,
        n_prompt=len(ids),
        n_step=len(tree),
        n_pass=1 + sum(int(step.kept.sum()) for step in tree[:-1]),
        n_candidate=sum(step.n_candidate for step in tree),
        names=names,
        penalty=penalty,
        ends=ends,
        texts=texts,
    )


def draw(result: Search, inputs: Inputs) -> None:
    """Draw the tree step by step, with the finished texts and the greedy one."""
    label = LABELS("texts_at_once", n=inputs.n_beam)
    greedy, n_step = (result.new(result.greedy), result.greedy.log_prob), len(result.found.tree)
    ui.mount_widget(
        "beam_tree",
        **tree_picture(result.found, result.names, result.n_prompt, inputs.penalty, greedy),
        prompt=inputs.given.tokens[-1],
        n_beam=inputs.n_beam,
        plain=not ui.depth_at_least("numbers"),
        content_id=content_key(repr(inputs))[:12],
        label=label,
        takeaway=LABELS("takeaway", n=inputs.n_beam, n_step=n_step, score=result.found.hypotheses[0].score)
        if n_step > 1
        else LABELS("takeaway_one_step", n=inputs.n_beam, score=result.found.hypotheses[0].score),
        key=f"beam.tree:{inputs.given.key}",
    )


def tree_picture(
    found: BeamResult, names: Sequence[str], n_prompt: int, length_penalty: float, greedy: tuple[Sequence[int], float]
) -> dict[str, Any]:
    """Return the steps of a search and its finished texts for the browser, with only the tokens that occur.

    Args:
        names: (V,) the vocabulary, printable.
        n_prompt: tokens of the prompt, which the hypotheses begin with.
        greedy: the new tokens of greedy search and their log-probability, for comparison.
    """
    used = sorted({int(token) for step in found.tree for token in step.tokens} | set(greedy[0]))
    place = {token: i for i, token in enumerate(used)}
    new, log_prob = greedy
    return {
        "names": [names[token] for token in used],
        "n_token": len(names),
        "length_penalty": length_penalty,
        "steps": [_step(step, place, n_prompt) for step in found.tree],
        "greedy": _finished(new, log_prob, length_normalized_score(log_prob, len(new), length_penalty), place),
    }


def _step(step: BeamStep, place: dict[int, int], n_prompt: int) -> dict[str, object]:
    numbers = {name: getattr(step, name).tolist() for name in ARRAYS}
    return numbers | {
        "tokens": [place[token] for token in step.tokens.tolist()],
        "n_candidate": step.n_candidate,
        "stop": step.stop,
        "pool": [_finished(one.ids[n_prompt:], one.log_prob, one.score, place) for one in step.pool],
    }


def _finished(new: Sequence[int], log_prob: float, score: float, place: dict[int, int]) -> dict[str, object]:
    return {"tokens": [place[token] for token in new], "log_prob": log_prob, "score": score}
