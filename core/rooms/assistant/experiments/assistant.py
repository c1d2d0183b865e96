"""From predictor to assistant: one small model goes through four training stages and is saved after each.

It learns to predict plain text (pretraining), then imitates demonstrations in a chat template (instruction tuning),
then learns which of two of its own answers is preferred (DPO), and finally is rewarded by a checker for right sums (a
policy gradient with a KL term).

Source: the order of the stages as in Lambert et al. 2024 (2411.15124).
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import partial

import numpy as np
import torch
from numpy.typing import ArrayLike

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.rooms.assistant.compute.chat import (
    sample_demonstrations,
    tuning_loss,
)
from core.rooms.assistant.compute.learning import (
    dpo_loss,
    fine_tuner,
    recipe,
    reinforce,
    sample_preference_pairs,
    sample_questions,
)
from core.rooms.assistant.compute.reading import answer_shares
from core.rooms.assistant.compute.world import (
    SUMS,
    WORDS,
    sample_question,
    sample_texts,
)
from core.rooms.assistant.compute.writing import checker_reward, friendliness_reward, frozen_copy, reward_answers
from core.train.experiments.base import Arrays, Experiment, every_nth_step
from core.train.experiments.gru_and_gpt import NextTokenTrainer
from core.train.trainer import weights_for_record

LABELS = module_labels(__name__)
NAMES: Mapping[str, str] = LABELS.options("model", "predictor", "tuned", "preferred", "rewarded")
SHARES = {"predictor": 0.55, "tuned": 0.2, "preferred": 0.08, "rewarded": 0.17}  # of all steps
TEXT = 25  # tokens of a training window, including the last one's target
BATCH = 32
N_ASKED, N_PAIR, BETA = 600, 32, 0.1  # questions answered twice, pairs in a step, DPO's beta
N_GROUP, N_SAMPLE, KL = 8, 8, 0.05  # questions in a step of reinforcement, answers to each, weight of the KL term
# Never asked during RL with the checker: one sum in five.
HELD_SUMS = tuple(one for i, one in enumerate(SUMS) if (i // 10 * 3 + i) % 5 == 0)
ASKED_SUMS = tuple(one for one in SUMS if one not in HELD_SUMS)
CURVES = ("things", "unshown", "hard", "friendly", "rude")  # see `Shares`
EVAL_EVERY = 20  # steps


class Options(Inputs):
    """The total number of steps in all four stages."""

    n_step: int = hidden_training_steps(1_200, most=2_000)


class Assistant(Experiment):
    """One model after another, each starting as a copy of the one before.

    Its record, over all steps: curve.<what> (n,) for each of `CURVES`: shares of the sampled answers of the model that
    is being trained at that step. begins (4,): the first step of each stage. model.<name>.<parameter> for each of
    `NAMES`, and of "unmasked", which was tuned on all tokens.
    """

    title = LABELS["title"]
    precision = np.float32

    def begin(self) -> None:
        ends = np.cumsum([round(share * self.n_step) for share in SHARES.values()])
        self._begins = dict(zip(SHARES, [0, *ends[:-1].tolist()], strict=True))
        self._lengths = dict(zip(SHARES, np.diff([0, *ends[:-1].tolist(), self.n_step]).tolist(), strict=True))
        self._name = "predictor"
        self.trainers["predictor"] = NextTokenTrainer(recipe(max(1, self._lengths["predictor"])), len(WORDS), self.seed)

    def eval_steps(self) -> Iterable[int]:
        return {1, 5, 10, *every_nth_step(EVAL_EVERY, self.n_step)} - {0}

    def learn(self) -> None:
        for name, begin in self._begins.items():
            if self.step == begin and name != self._name:
                self._go_on(name)
        trainer = self.trainers[self._name]
        if self._name == "predictor":
            trainer.learn_windows(sample_texts(BATCH, TEXT, self.generator))  # type: ignore[attr-defined]
        elif self._name == "tuned":
            ids = sample_demonstrations(BATCH, self.generator)
            for name in ("tuned", "unmasked"):
                one = self.trainers[name]
                one.learn(tuning_loss(one.model(ids), ids, name == "tuned"))
        elif self._name == "preferred":
            n = len(self._pairs.questions)
            if n:  # an undertrained model never writes two answers of which one is friendly
                rows = torch.randint(n, (N_PAIR,), generator=self.generator)
                trainer.learn(dpo_loss(trainer.model, self._pairs.at(rows), BETA))
        else:
            asked = sample_questions(ASKED_SUMS, N_GROUP, self.generator)
            worth = partial(reward_answers, checker_reward)
            drawn = reinforce(trainer.model, self._reference, asked, worth, KL, N_SAMPLE, self.generator)
            trainer.learn(drawn.loss)

    def _go_on(self, name: str) -> None:
        """Start the next stage from the model that the last one ended with."""
        before, n_step = self.trainers[self._name].model, self._lengths[name]
        if name == "preferred":
            questions = [sample_question(self.generator) for _ in range(N_ASKED)]
            self._pairs = sample_preference_pairs(before, questions, friendliness_reward, self.generator)
        if name == "rewarded":
            self._reference = frozen_copy(before)
        rate = {"tuned": 2e-3, "preferred": 2e-4, "rewarded": 1e-3}[name]
        for one in (name, "unmasked") if name == "tuned" else (name,):
            self.trainers[one] = fine_tuner(deepcopy(before), rate, n_step)
        self._name = name

    def measure(self) -> Mapping[str, ArrayLike]:
        is_chat = self._name != "predictor"
        found = answer_shares(self.trainers[self._name].model, is_chat, self.seed + 1)
        return {f"curve.{what}": getattr(found, what) for what in CURVES}

    def latest(self) -> Mapping[str, ArrayLike]:
        return {"begins": np.array([*self._begins.values()], dtype=np.int32)}

    def weights(self) -> Arrays:
        newest = self.trainers[self._name]
        found: Arrays = {}
        for name in (*NAMES, "unmasked"):
            model = self.trainers.get(name, newest).model
            found |= weights_for_record(model.named_parameters(), name)
        return found
