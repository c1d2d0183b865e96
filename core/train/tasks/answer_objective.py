"""The training objective of a task: answer its questions. Only the tokens of the answer count in the loss.

The format depends on the kind of model:

- "on": a decoder or a recurrent network reads the question and continues it;
- "gaps": an encoder reads the question and as many masks as the longest answer has tokens, and fills all at once;
- "pair": an encoder reads the question, a decoder writes the answer.

An answer is right if all its tokens are right, including the end. A model that predicts each token correctly after the
true tokens writes the same answer when it reads its own tokens. So one forward pass gives the result of greedy
decoding.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.padding_and_splits import pad_rows
from core.data.synthetic.tasks import ConfiguredTask, TaskExample
from core.data.tokenizers.tokenizer_base import ids_before_end
from core.generate.decode import generate
from core.generate.seq2seq import greedy_decode
from core.models.recurrent_seq2seq import shift_right
from core.models.registry import FAMILIES

AnswerFormat = Literal["on", "gaps", "pair"]
ANSWER_FORMATS: Mapping[str, AnswerFormat] = {kind: family.answers for kind, family in FAMILIES.items()}
MAX_HELD_OUT = 512  # held-out questions


def answer_format_of_model_kind(kind: str) -> AnswerFormat:
    """Return the answer format of a kind of model."""
    return ANSWER_FORMATS.get(kind, "on")


@dataclass(frozen=True)
class QuestionBatch:
    """Questions in the form that a model reads.

    Args:
        inputs: the arguments of the model.
        targets: (B, T) the true token at positions of an answer, NOT_ASKED elsewhere.
        right: (B, T, V) True for the tokens that are right there; None: only the true one is.
    """

    inputs: tuple[Tensor, ...]
    targets: Int[Tensor, "B T"]
    right: Bool[Tensor, "B T V"] | None = None


NO_TARGET = -100


class AnswerObjective:
    """An objective of `core.train.run` whose windows are questions; each training step draws its own.

    Args:
        posed: the task.
        tokenizer: of the task, for an encoder with its masks.
        seed: of the training questions.
        label_smoothing: of the training loss, as in `core.train.objectives.NextTokenObjective`.
    """

    def __init__(
        self, posed: ConfiguredTask, way: AnswerFormat, tokenizer: Any, seed: int, label_smoothing: float = 0.0
    ):
        self.posed, self.way, self.seed, self.label_smoothing = posed, way, seed, label_smoothing
        self.tokenizer, self.cutter = tokenizer, posed.tokenizer
        (self.end_id,) = self.cutter.encode(posed.task.end)
        self.held = posed.held(MAX_HELD_OUT)

    @property
    def n_read(self) -> int:
        """The tokens of a row, including the answer, which is the number of positions that a model needs."""
        return task_sequence_length(self.posed, self.way)

    @property
    def checksum(self) -> str:
        """The checksum of some questions and answers, which shows whether a checkpoint learned the same task."""
        keys = "\n".join(one.key for one in [*self.posed.draw(0, 0, 16), *self.held[:16]])
        return hashlib.sha256(keys.encode()).hexdigest()[:16]

    def loss(
        self, forward: Callable[..., Tensor], ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int
    ) -> Float[Tensor, ""]:
        """Return the loss of a step's questions, as many as there are starts, in nats per token of the answers."""
        asked = self.ask(self.posed.draw(self.seed, step, len(starts)), ids.device)
        return self._loss(forward(*asked.inputs), asked, self.label_smoothing)

    def evaluate(
        self, forward: Callable[..., Tensor], ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int
    ) -> float:
        return self.judge(forward, starts, batch_size)[0]

    @torch.no_grad()
    def judge(self, forward: Callable[..., Tensor], starts: Int[Tensor, " W"], batch_size: int) -> tuple[float, float]:
        """Return the loss on the held-out questions with these indices, and the share of exactly right answers."""
        total, n_right = 0.0, 0
        for places in starts.split(batch_size):
            asked = self.ask([self.held[i] for i in places.tolist()], starts.device)
            logits = forward(*asked.inputs)  # (B, T, V)
            n_asked = int((asked.targets != NO_TARGET).sum())
            total += float(self._loss(logits, asked)) * n_asked
            n_right += int(self._is_right(logits, asked).sum())
        return total / self.n_asked(starts), n_right / len(starts)

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        """Count the tokens of the answers to these held-out questions, including their ends."""
        return sum(len(self._ids(self.held[i])[1]) for i in starts.tolist())

    def ask(self, examples: Sequence[TaskExample], device: torch.device | str = "cpu") -> QuestionBatch:
        """Encode the questions as this kind of model reads them."""
        rows = [self._ids(one) for one in examples]
        n_question, n_answer = self.posed.longest
        if self.way == "pair":
            source, there = _filled([question for question, _ in rows], n_question, self.end_id)
            answers, is_asked = _filled([answer for _, answer in rows], n_answer, self.end_id)
            inputs: tuple[Tensor, ...] = (source, shift_right(answers, self.end_id), there)
            begins = [0] * len(rows)
        elif self.way == "gaps":
            before, mask = [self.tokenizer.class_id], [self.tokenizer.mask_id] * n_answer
            read, there = _filled([before + question + mask for question, _ in rows], self.n_read, self.end_id)
            begins = [1 + len(question) for question, _ in rows]
            answers, is_asked = self._at([answer for _, answer in rows], begins, read.shape)
            inputs = (read, there)
        else:
            read, _ = _filled([question + answer for question, answer in rows], self.n_read, self.end_id)
            begins = [len(question) - 1 for question, _ in rows]
            answers, is_asked = self._at([answer for _, answer in rows], begins, read[:, 1:].shape)
            inputs = (read[:, :-1],)
        targets = answers.where(is_asked, NO_TARGET)
        right = self._right(examples, begins, targets)
        moved = (tensor.to(device) for tensor in inputs)
        return QuestionBatch(tuple(moved), targets.to(device), None if right is None else right.to(device))

    def probe(self) -> Int[Tensor, " T"]:
        """Return the first held-out question with its answer; an encoder gets masks, a decoder its shifted input."""
        if self.way == "pair":
            return torch.cat(self.pair(), 1)[0]
        (question, answer), (inputs, *_) = self._ids(self.held[0]), self.ask(self.held[:1]).inputs
        if self.way == "gaps":
            return inputs[0, : 1 + len(question) + self.posed.longest[1]]
        return torch.tensor(question + answer)

    def pair(self, device: torch.device | str = "cpu") -> tuple[Int[Tensor, "1 S"], Int[Tensor, "1 A"]]:
        """Return the first held-out question, and the decoder's input for the true answer."""
        question, answer = (torch.tensor([ids], device=device) for ids in self._ids(self.held[0]))
        return question, shift_right(answer, self.end_id)

    def answer(self, model: nn.Module, examples: Sequence[TaskExample]) -> list[str]:
        """Let the model answer, token by token without seeing the true answer; the end is cut off.

        Raises ValueError if the model's outputs aren't numbers.
        """
        device = next(model.parameters()).device
        questions = [self._ids(one)[0] for one in examples]
        n_question, n_answer = self.posed.longest
        if self.way == "pair":
            source, there = (one.to(device) for one in _filled(questions, n_question, self.end_id))
            ends = {"start_id": self.end_id, "end_id": self.end_id, "max_new_tokens": n_answer}
            written = greedy_decode(model, source, there, **ends).tolist()  # type: ignore[arg-type]
        elif self.way == "gaps":
            logits = model(*self.ask(examples, device).inputs)[:, :, : self.cutter.vocab_size]  # no special token
            best = logits.argmax(-1).tolist()
            written = [
                row[1 + len(question) : 1 + len(question) + n_answer]
                for row, question in zip(best, questions, strict=True)
            ]
        else:
            steps = list(generate(model, questions, n_answer, greedy=True, eos_id=self.end_id))
            written = torch.stack([step.token for step in steps], 1).tolist()
        return [self.cutter.decode(ids_before_end(row, self.end_id)) for row in written]

    def _ids(self, example: TaskExample) -> tuple[list[int], list[int]]:
        """Return the ids of the question, and of the answer with its end."""
        return self.cutter.encode(example.question), [*self.cutter.encode(example.answer), self.end_id]

    @staticmethod
    def _at(
        rows: Sequence[list[int]], begins: Sequence[int], shape: torch.Size
    ) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
        """Put each row at its position into a tensor of this shape; also returns True where its tokens are."""
        ids = torch.zeros(shape, dtype=torch.long)
        there = torch.zeros(shape, dtype=torch.bool)
        for b, (row, begin) in enumerate(zip(rows, begins, strict=True)):
            ids[b, begin : begin + len(row)] = torch.tensor(row)
            there[b, begin : begin + len(row)] = True
        return ids, there

    def _right(
        self, examples: Sequence[TaskExample], begins: Sequence[int], targets: Int[Tensor, "B T"]
    ) -> Bool[Tensor, "B T V"] | None:
        if self.posed.task.possible is None:
            return None
        right = torch.zeros(*targets.shape, self.tokenizer.vocab_size, dtype=torch.bool)
        for b, (one, begin) in enumerate(zip(examples, begins, strict=True)):
            for t, tokens in enumerate(self.posed.right(one), start=begin):
                right[b, t, [self.cutter.encode(token)[0] for token in tokens]] = True
        return right

    @staticmethod
    def _loss(logits: Float[Tensor, "B T V"], asked: QuestionBatch, label_smoothing: float = 0.0) -> Float[Tensor, ""]:
        how: dict[str, Any] = {"ignore_index": NO_TARGET, "label_smoothing": label_smoothing}
        return F.cross_entropy(logits.float().flatten(0, 1), asked.targets.flatten(), **how)

    @staticmethod
    def _is_right(logits: Float[Tensor, "B T V"], asked: QuestionBatch) -> Bool[Tensor, " B"]:
        best = logits.argmax(-1)  # (B, T)
        is_right = best == asked.targets
        if asked.right is not None:
            is_right = asked.right.gather(-1, best[..., None]).squeeze(-1)
        return (is_right | (asked.targets == NO_TARGET)).all(-1)


def task_sequence_length(posed: ConfiguredTask, way: AnswerFormat) -> int:
    """Return the tokens of the longest question with its answer, as a model of this kind reads them."""
    return posed.n_token + (way == "gaps")  # `<class>` comes before it


def constant_answer_accuracy(examples: Sequence[TaskExample]) -> float:
    """Return the accuracy of always giving the most frequent answer to these questions."""
    answers = [one.answer for one in examples]
    return max(answers.count(one) for one in set(answers)) / len(answers)


def answer_report(objective: AnswerObjective, model: nn.Module, n: int) -> str:
    """List the first n held-out questions, each with the model's answer, and the right one if that is wrong."""
    examples = objective.held[:n]
    lines = []
    for one, answer in zip(examples, objective.answer(model, examples), strict=True):
        is_right = _fits(objective, one, answer)
        correction = "" if is_right or objective.posed.task.writes_on else f"   ({one.answer.strip()})"
        lines.append(f"{'✓' if is_right else '✗'}  {one.asked}{answer.lstrip()}{correction}")
    return "\n".join(lines)


def _filled(rows: Sequence[list[int]], n: int, fill: int) -> tuple[Int[Tensor, "B n"], Bool[Tensor, "B n"]]:
    """Pad the rows to n tokens, and return a mask that is True at their own tokens."""
    ids, there = pad_rows(rows, fill)
    return F.pad(ids, (0, n - ids.shape[1]), value=fill), F.pad(there, (0, n - there.shape[1]))


def _fits(objective: AnswerObjective, example: TaskExample, answer: str) -> bool:
    task = objective.posed.task
    return answer == example.answer if task.accepts is None else task.accepts(answer, objective.posed.options)
