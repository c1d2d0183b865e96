"""The answers to questions of lessons: all of ours, those that wait for a run, and those that are refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.lessons.computed_answers import (
    FROM_EXAMPLE,
    AnswerPending,
    ComputedAnswer,
    UnanswerableQuestion,
    compute_answer,
)
from core.lessons.format import catalog
from core.lessons.format.lesson import CurveAnswerForm, NumberForm, PredictQuestion
from core.lessons.format.templates import TemplateRefused, evaluate_expression, fill_template
from core.rooms.masks import kinds
from core.ui.training import live_experiments
from tests.library.lessons.asked import came, of, questions
from tests.library.lessons.test_lessons_read import STEP, problems

# What the lessons' words rest on; curves and the learner's own trainings are looked at elsewhere.
CAME: dict[str, Any] = {
    "short-tokens/2": "es", "short-tokens/3": "same", "short-tokens/4": "blue", "short-attention/2": 0.4411,
    "short-attention/4": "bag", "short-masks/1": 21, "short-masks/2": "higher", "short-masks/3": "same",
    "short-block/3": "two", "short-writing/1": 30.1, "tokens/2": 12, "tokens/2.2": 5, "tokens/3": "es",
    "tokens/7": "same", "tokens/8": "blue", "tokens/10": 38, "soft-dictionary/2": 0.4411, "soft-dictionary/3": "mean",
    "soft-dictionary/5": "north", "soft-dictionary/7": 4, "soft-dictionary/8": "none", "soft-dictionary/9": "both",
    "scaled-dot-product/1": "same", "scaled-dot-product/4": "same", "scaled-dot-product/6": "few",
    "scaled-dot-product/7": 0.125, "scaled-dot-product/8": 3.1429, "positions/1": "same", "positions/3": "two",
    "positions/4": "ones", "positions/6": 1.9596, "positions/7": 0.8555, "positions/8": "same",
    "positions/9": "alibi", "masks/1": 21, "masks/2": "more", "masks/4": 99.4964, "masks/5": "even", "masks/6": 8,
    "masks/7": "kept", "masks/8": "higher", "many-heads/1": "same", "many-heads/2": 16, "many-heads/3": 4,
    "many-heads/4": 1, "many-heads/6": "1", "many-heads/7": 0.0, "many-heads/8": "read", "many-heads/9": "other",
    "the-block/1": "longer", "the-block/2": 1.86, "the-block/4": 10.2, "the-block/5": "one", "the-block/6": "less",
    "the-block/8": "two", "the-block/9": 45.5, "counting-to-attention/1": 3.0, "counting-to-attention/2": "zero",
    "counting-to-attention/3": 10.9, "counting-to-attention/5": -7.3, "counting-to-attention/7": "right",
    "counting-to-attention/8": "gpt", "counting-to-attention/9": "ngram", "gpt/2": 13, "gpt/3": "kite",
    "gpt/3.2": 10.79, "gpt/4": "rises", "gpt/8": "worse", "gpt/9": "no", "gpt/10": "alike", "decoding/1": 30.1,
    "decoding/2": "twice", "decoding/3.2": 453, "decoding/4": 2, "decoding/5": "more", "decoding/6": 315,
    "decoding/8": "ends", "decoding/9": 26.1, "decoding/10": "near", "bert/2": 118, "bert/4": "more",
    "bert/5": "a_apple", "bert/6": 18.3, "bert/7": "follows", "bert/8": "full", "bert/9": "praise", "t5/2": 90,
    "t5/4": "s", "t5/5": "same", "t5/6": "same", "t5/7": 0.867, "t5/8": "praise", "vision/1": 197, "vision/3": 126,
    "vision/5": "side", "vision/6": "half", "pixels-and-captions/1": "other", "pixels-and-captions/2": "ngram",
    "pixels-and-captions/3": "9", "pixels-and-captions/4": 16.0, "pixels-and-captions/5": 75,
    "pixels-and-captions/7": 331, "pixels-and-captions/8": "eight", "three-switches/2": 50, "three-switches/2.2": 56,
    "three-switches/3": "half", "three-switches/4": "stays", "induction/1": 3.47, "induction/2": "bag",
    "induction/6": "worse", "induction/6.2": "same", "induction/6.3": "worse", "lecture-notes/2": 1.0,
    "lecture-notes/3": 7, "lecture-notes/4": 1.99, "lecture-notes/5": "3", "lecture-notes/9": 6.41,
    "lecture-notes/10": 10.0, "draft-and-verify/1": 2.53, "draft-and-verify/5": "same", "draft-and-verify/5.2": 9.2,
    "draft-and-verify/6": 77.0, "draft-and-verify/6.2": 41.0, "draft-and-verify/7": 2.9, "draft-and-verify/8": 85.0,
    "assistant/1": "question", "assistant/4": "lower", "assistant/5": "stays", "assistant/8": 84.8,
    "assistant/9": 0.0,
    "then-and-now/2": "positions", "then-and-now/3": "noise", "then-and-now/4": 5, "then-and-now/4.2": "same",
    "then-and-now/7": 10.7,
    "fewer-bits/2": "2", "fewer-bits/4": "apart", "fewer-bits/5": "w_q", "fewer-bits/6": 3.39,
    "fewer-bits/7": "between",
    "long-texts/2": "slowly", "long-texts/3": 5, "long-texts/5": "yarn", "long-texts/5.2": "yarn", "long-texts/7": 0.0,
    "long-texts/7.2": "yarn", "long-texts/8": "giga",
    "experts/1": 46.7, "experts/3": "token", "experts/5": "some", "experts/7": "experts", "experts/8": "gpt3",
    "adapters/1": 6.6, "adapters/3": "rises", "adapters/4": "full", "adapters/5": "rank_1", "adapters/7": "both",
    "circuits/1": "noun", "circuits/3": "k", "circuits/4": -0.2, "circuits/5": "same", "circuits/6": 100.0,
    "circuits/7": "5", "features/1": "few", "features/3": "more", "features/4": "none", "features/5": "one",
    "features/7": "yes", "features/8": 5,
}  # fmt: skip
OWN = {
    "bert/10": "entities", "t5/9": "translation", "vision/8": "digits", "pixels-and-captions/9": "captions",
    "three-switches/7": "three-switches", "induction/7": "induction", "lecture-notes/11": "lecture",
    "then-and-now/6": "your-switches",
    "experts/9": "routing",
}  # fmt: skip


def ask(answer: str = "mask.sum()", found: str = "{{ answer }}", **how: Any) -> PredictQuestion:
    """A question of nobody's."""
    usual: dict[str, Any] = {"exhibit": "masks.kinds-of-masks", "compute": "", "given": {}, "own": None}
    form = NumberForm(low=0, high=1000)
    return PredictQuestion(
        ask="?", form=form, answer=answer, found=found, right=None, because="", line=9, **usual | how
    )


@pytest.mark.parametrize("place", CAME)
def test_what_came(place: str) -> None:
    assert came(place) == (pytest.approx(CAME[place], abs=1e-4) if isinstance(CAME[place], float) else CAME[place])


def test_every_question_is_looked_at() -> None:
    curves = {place for place, question in questions().items() if isinstance(question.form, CurveAnswerForm)}
    assert CAME.keys() | OWN.keys() | curves == questions().keys()


@pytest.mark.parametrize(("place", "experiment"), OWN.items())
def test_own_trainings_are_waited_for(place: str, experiment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    question, example = questions()[place], live_experiments.example_run(experiment)
    assert example is not None and isinstance(compute_answer(question), AnswerPending)
    mine = replace(example, is_example=False)
    monkeypatch.setattr(
        live_experiments, "own_experiment_run", lambda name, options: replace(mine, step=mine.n_step - 1)
    )
    assert isinstance(compute_answer(question), AnswerPending)  # it still goes on
    monkeypatch.setattr(
        live_experiments, "own_experiment_run", lambda name, options: mine if name == experiment else None
    )
    found = compute_answer(question)
    assert isinstance(found, ComputedAnswer) and FROM_EXAMPLE not in found.sentence
    assert of(place).value == found.value


def test_an_answer_is_of_the_example_whatever_was_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    question, example = questions()["masks/8"], live_experiments.example_run("cheating")
    assert example is not None and of("masks/8").sentence.endswith(FROM_EXAMPLE)
    record = {**example.record, "end_loss.unmasked": example.record["end_loss.unmasked"] / 100}
    mine = replace(example, record=record, is_example=False, step=example.step + 1)  # its weights are the same
    monkeypatch.setattr(live_experiments, "own_experiment_run", lambda name, options: mine)
    found = compute_answer(question)  # "if done"
    assert isinstance(found, ComputedAnswer) and found.value == "lower"
    assert "These are your own two models." in found.sentence and FROM_EXAMPLE not in found.sentence
    plain = compute_answer(replace(question, own=None))
    assert isinstance(plain, ComputedAnswer) and plain.value == "higher" and plain.sentence.endswith(FROM_EXAMPLE)


def test_names_mean_results_inputs_and_other_inputs() -> None:
    found = compute_answer(ask(found="{{ padding }}: {{ answer }} of {{ at(padding=0).mask.size }}"))
    assert found.sentence.startswith("3: ")
    found = compute_answer(ask(given={"padding": 0}, answer="mask.sum() - at(padding=0).mask.sum()"))
    assert found == ComputedAnswer(0, "0", kinds.compute)
    twice = ask(
        compute="core.rooms.step_by_step.compute.score_scaling:raise_scores",
        given={"scores": [0, 0], "by": 1},
        answer="before[0] + at(by=2).after[1] + result.after[0]",
    )
    found = compute_answer(twice)
    assert isinstance(found, ComputedAnswer) and found.value == 1.5 and found.code is not None
    assert found.code.__name__ == "raise_scores"


BESIDE_ONE = "core.rooms.block.compute.two_layers:product_difference"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"answer": "maks.sum()"}, "masks.kinds-of-masks has no 'maks', neither in its result nor .* you mean mask"),
        ({"found": "{{ at(padding=3).maks }}"}, "no attribute 'maks'"),
        ({"answer": "mask[99, 99]"}, "undefined"),
        ({"answer": "mask.nothing"}, "mask.nothing is undefined|no attribute"),
        ({"answer": "1 / 0"}, "division by zero"),
        ({"answer": "'a'"}, "doesn't answer a question"),
        ({"given": {"paddng": 3}}, "has no input paddng"),
        ({"given": {"padding": 99}}, "99” is not a whole number"),
        ({"compute": BESIDE_ONE, "given": {"wide": 2}}, "wide"),
        ({"compute": BESIDE_ONE, "given": {"width": 10**9, "hidden": 1}}, "numbers are too large"),
        ({"compute": BESIDE_ONE, "given": {"width": [10**9], "hidden": 1}}, "numbers are too large"),
        (
            {"compute": BESIDE_ONE, "given": {"width": 2, "hidden": 1}, "answer": "at(width=1e9).x"},
            "numbers are too large",
        ),
    ],
)
def test_what_an_author_named_and_what_there_is_not(how: dict[str, Any], said: str) -> None:
    with pytest.raises(UnanswerableQuestion, match=said):
        compute_answer(ask(**how))


@pytest.mark.parametrize(
    "expression",
    [
        "given.model.train()", "given.model.zero_grad()", "given.tokenizer.save('/tmp/x')", "a.tofile('/tmp/x')",
        "a.dump('/tmp/x')", "a.fill(0)", "a.resize(9)", "text * 1000000000", "[0] * 1000000000", "9 ** 999999999",
        "text.ljust(1000000000)", "text.__class__.__mro__", "text.encode.__globals__", "cycler.__init__.__globals__",
        "lipsum(n=1000000)", "text|center(1000000000)", "'%1000000000d'|format(1)", "a|map('dump')",
        "open('/etc/passwd')",
    ],
)  # fmt: skip
def test_a_template_only_reads(expression: str) -> None:
    from core.inspect.model_inputs.model_and_text import load_model_and_text

    named = {"a": np.arange(3), "text": "x", "given": load_model_and_text("stories", "Tom")}.__getitem__
    with pytest.raises((TemplateRefused, KeyError)):
        evaluate_expression(expression, named)
    with pytest.raises(TemplateRefused, match="10,000 letters"):
        fill_template("{{ text|of('999999999') }}", named)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("answer: mask.sum(", "answer: unexpected"),
        ("answer: mask.sum()\nfound: '{{ mask'", "found: unexpected end"),
        ("answer: mask.sum()\nfound: '{% for %}'", "found: "),
        ("answer: 1\nexhibit: masks.kinds-of-mask", "no exhibit 'masks.kinds-of-mask'. Did you mean masks.kinds-of-m"),
        ("answer: 1\ncompute: core.rooms.masks.compute.mask_placement:leaks", "no code"),
        ("answer: 1\ncompute: core.rooms.masks.places:draw", "name a function of a room"),
        ("answer: 1\ncompute: os:system", "name a function of a room"),
        ("answer: 1", "this step shows none"),
    ],
)
def test_what_is_wrong_with_a_question_is_told_with_its_line(lines: str, said: str) -> None:
    told = problems(f"{STEP}```predict\nask: A?\nnumber: {{low: 0, high: 1}}\n{lines}\n```\n")
    assert any(9 <= line <= 13 and said in message for line, message in told), told


def test_a_question_is_about_the_exhibit_below_it_else_above() -> None:
    block = "```predict\nask: A?\nnumber: {low: 0, high: 1}\nanswer: 1\n```\n"
    first, second = "```exhibit masks.kinds-of-masks\n```\n", "```exhibit masks.draw-your-own\n```\n"
    steps = catalog._check_lesson_text(f"{STEP}{first}{block}{second}\n## Two\n{first}{block}", "one").steps
    asked = [part.exhibit for step in steps for part in step.parts if isinstance(part, PredictQuestion)]
    assert asked == ["masks.draw-your-own", "masks.kinds-of-masks"]
