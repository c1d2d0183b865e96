"""Runs on tasks: the loss only counts answers, one pass gives the same as generating, and all kinds can resume."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.data.synthetic.tasks import TaskExample
from core.models import pretrained
from core.train import run as runs
from core.train.estimate import estimate_cost
from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainRun
from core.train.tasks.answer_objective import AnswerObjective, answer_report, constant_answer_accuracy
from core.train.tasks.defaults import ModelSize
from core.train.tasks.recipe import task_recipe
from core.train.watch.behavior_snapshots import RunFrame, capture_frame

KINDS = ("gpt", "bert", "t5", "transformer", "seq2seq", "lstm")


def recipe(kind: str, task: str = "sort", n_step: int = 30, **options: int) -> Recipe:
    return task_recipe(f"task:{task}", kind, options, size=ModelSize(1, 2, 32, 0), n_step=n_step, batch_size=32)


def answers(run: TrainRun) -> AnswerObjective:
    assert isinstance(run.objective, AnswerObjective)
    return run.objective


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_is_of_the_answers_tokens_alone(kind: str) -> None:
    """Compute the loss by hand, question by question, without padding, to detect a misplaced mask."""
    run = TrainRun(recipe(kind, "brackets", length=6, longer=3), device="cpu", dtype="float32")
    objective, model = answers(run), run.model
    run.advance(3)
    examples, total, n = objective.posed.draw(run.seed, 0, 5), 0.0, 0
    for one in examples:
        question, answer = objective._ids(one)
        if objective.way == "pair":
            read = torch.tensor([[objective.end_id, *answer[:-1]]])
            logits = model(torch.tensor([question]), read)[0]
        elif objective.way == "gaps":
            gaps = [objective.tokenizer.mask_id] * objective.posed.longest[1]
            logits = model(torch.tensor([[objective.tokenizer.class_id, *question, *gaps]]))[0, 1 + len(question) :]
        else:
            logits = model(torch.tensor([question + answer]))[0, len(question) - 1 : -1]
        logs = logits[: len(answer)].detach().log_softmax(-1)
        total, n = total - logs[range(len(answer)), answer].sum().item(), n + len(answer)
    loss = objective.loss(run.forward, run.train_ids, torch.zeros(5, dtype=torch.long), 0)
    assert loss.item() == pytest.approx(total / n, rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_one_pass_tells_what_writing_token_by_token_gives(kind: str) -> None:
    run = TrainRun(recipe(kind, length=3, letters=4, n_step=60), device="cpu", dtype="float32")
    run.advance(25)  # some are right and some are wrong
    objective = answers(run)
    places = torch.arange(len(objective.held))
    _, right = objective.judge(run.forward, places, 16)
    written = objective.answer(run.model, objective.held)
    assert right == sum(said == one.answer for said, one in zip(written, objective.held, strict=True)) / len(places)
    assert [line[0] == "✓" for line in answer_report(objective, run.model, 9).splitlines()] == [
        said == one.answer for said, one in zip(written[:9], objective.held, strict=False)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_goes_on_bit_for_bit_and_its_model_opens(kind: str, tmp_path: Path) -> None:
    run = TrainRun(recipe(kind, "reverse", length=4), 3, device="cpu")
    run.advance(7)
    run.save(tmp_path)
    resumed = TrainRun.resume(tmp_path, device="cpu")
    assert run.advance() == resumed.advance() and run.history == resumed.history
    assert run.final_val_loss is not None and run.history[-1].right_share is not None
    frame = RunFrame.from_bytes(capture_frame(run).to_bytes())
    assert frame.sample.count(" → ") == 5
    n_row, n_column = frame.attention.shape[2:]
    if kind in ("t5", "transformer", "seq2seq"):  # the decoder's rows are distributions over the question
        assert n_column == 5 and n_row == len(frame.tokens) - 5
        assert (abs(frame.attention.astype(int).sum(-1) - 255) < 5).all()
    else:
        assert n_row == n_column == len(frame.tokens)
    run.export(tmp_path)
    opened = pretrained.load(tmp_path)
    (one,) = run.recipe.posed.held(1)  # type: ignore[union-attr]
    assert opened.tokenizer is not None and one.question in opened.tokenizer.decode(
        opened.tokenizer.encode(one.question)
    )


def test_a_text_is_asked_for_no_answers_and_older_checkpoints_open() -> None:
    text = replace(RECIPES["bottle-and-cup"], n_step=10)
    assert "task" not in text.to_dict() and Recipe.from_dict(text.to_dict()) == text
    run = TrainRun(text, device="cpu")
    run.advance(2)
    rows = runs._to_tensor(run.history)
    assert (
        run.history[0].right_share is None and runs._from_tensor(rows) == runs._from_tensor(rows[:, :5]) == run.history
    )
    sort = recipe("gpt")
    assert Recipe.from_dict(sort.to_dict()) == sort and sort.to_dict()["task"] == {}


def test_whatever_elmans_grammar_allows_is_right() -> None:
    run = TrainRun(recipe("gpt", "elman"), device="cpu")
    objective = answers(run)
    asked = objective.ask([TaskExample(".", " boys who John chases walk")])
    assert asked.right is not None
    for t, n_right in enumerate([10, 7, 16, 4, 6, 1]):  # 10 nouns and names, 6 verbs, of which 4 take objects
        assert int(asked.right[0, t].sum()) == n_right, t
    right = asked.right[0].float().argmax(-1)
    logits = torch.zeros(1, *asked.right.shape[1:])
    logits[0, range(len(right)), right] = 1.0
    assert objective._is_right(logits, asked).all() and not (right == asked.targets[0]).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"corpus": "task:nothing"}, "there is no task"),
        ({"corpus": "task:elman"}, "an encoder reads ahead"),
        ({"task": {"length": 10**9}}, "from 2 to 40"),
        ({"task": "length"}, "table"),
        ({"model": {"context_length": 8}}, "the longest question with its answer has 18 tokens"),
        ({"corpus": "stories", "model": {}, "task": {"length": 3}}, "needs a corpus such as"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_plain_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Recipe.for_browser(recipe("t5").to_dict() | change)


@pytest.mark.parametrize("kind", KINDS)
def test_the_estimate_counts_the_model_that_is_built(kind: str) -> None:
    run = TrainRun(recipe(kind), device="cpu")
    told = estimate_cost(run.recipe, device="cpu")
    assert told.n_parameter == sum(w.numel() for w in run.model.parameters()) and told.refused is None


def test_always_the_same_answer_is_the_most_frequent_one() -> None:
    assert constant_answer_accuracy([TaskExample(q, a) for q, a in ("a1", "b1", "c0")]) == 2 / 3
