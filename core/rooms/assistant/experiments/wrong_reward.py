"""Reinforcement learning with a misspecified reward, at three weights of the KL term.

All three models start from the instruction-tuned model of this room's example and differ only in that weight.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import ArrayLike

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.rooms.assistant.compute.chat import N_PROMPT
from core.rooms.assistant.compute.learning import (
    BatchReward,
    chat_log_probs,
    fine_tuner,
    reinforce,
    sample_preference_pairs,
    sample_questions,
    tuned_model,
)
from core.rooms.assistant.compute.reward_model import LearnedReward, reward_loss
from core.rooms.assistant.compute.world import ABOUT_THINGS, WorldQuestion
from core.rooms.assistant.compute.writing import (
    Reward,
    checker_reward,
    extract_answers,
    friendliness_reward,
    frozen_copy,
    generate_answers,
    happy_reward,
    length_reward,
    prompt_ids,
    reward_answers,
)
from core.train.experiments.base import Experiment

LABELS = module_labels(__name__)
FUNCTIONS: Mapping[str, Reward] = {"happy": happy_reward, "length": length_reward, "right": checker_reward}
N_FEW, N_LEARN = 24, 60  # pairs that the learned reward is trained on, and its training steps
WEIGHTS: Mapping[str, float] = {"none": 0.0, "some": 0.1, "much": 1.0}
NAMES: Mapping[str, str] = {name: LABELS("kl", weight=weight) for name, weight in WEIGHTS.items()}
N_GROUP, N_SAMPLE = 8, 8  # questions in a step, answers to each
N_EVALUATED = 4  # answers to each question in an evaluation
RATE = 1e-3
EVAL_EVERY = 5  # steps


def intended_reward(question: WorldQuestion, words: Sequence[str]) -> float:
    """Return the intended reward where the reward is learned: right answers first, then friendly ones."""
    return 2 * checker_reward(question, words) + friendliness_reward(question, words)


class Options(Inputs, prefix="hack_"):
    """The reward, and the steps of each model."""

    reward: str = segmented_control((*FUNCTIONS, "learned"), "happy")
    n_step: int = hidden_training_steps(80, most=300)  # of each of the three


class WrongReward(Experiment):
    """Three models trained on the same questions.

    Its record, for each w of `WEIGHTS`: curve.w.reward, curve.w.right, curve.w.friendly, curve.w.kl (n,): the mean
    reward of sampled answers, the shares of right and of friendly ones, and the mean log ratio to the start, in nats.
    """

    title = LABELS["title"]
    eval_every, eval_at = EVAL_EVERY, (1, 2)
    precision = np.float32

    def begin(self) -> None:
        self._reference = frozen_copy(tuned_model())
        rule = self.options.reward
        self._worth: BatchReward = self._learned() if rule == "learned" else partial(reward_answers, FUNCTIONS[rule])
        self.trainers = {name: fine_tuner(tuned_model(), RATE, self.n_step) for name in WEIGHTS}

    def _learned(self) -> LearnedReward:
        """Train a reward model on `N_FEW` pairs in which the right answer is preferred, else the friendlier one."""
        asked = sample_questions(ABOUT_THINGS, 6 * N_FEW, self.generator)
        pairs = sample_preference_pairs(self._reference, asked, intended_reward, self.generator).at(torch.arange(N_FEW))
        judge = fine_tuner(tuned_model(), RATE, N_LEARN)
        for _ in range(N_LEARN):
            judge.learn(reward_loss(judge.model, pairs))
        own = generate_answers(self._reference, prompt_ids(ABOUT_THINGS * N_EVALUATED), self.generator)
        return LearnedReward.of(frozen_copy(judge.model), own)

    def learn(self) -> None:
        asked = sample_questions(ABOUT_THINGS, N_GROUP, self.generator)
        for name, trainer in self.trainers.items():
            with self.timed(name):
                drawn = reinforce(
                    trainer.model, self._reference, asked, self._worth, WEIGHTS[name], N_SAMPLE, self.generator
                )
                trainer.learn(drawn.loss)

    def measure(self) -> Mapping[str, ArrayLike]:
        found = {}
        asked = ABOUT_THINGS * N_EVALUATED
        for name, trainer in self.trainers.items():
            ids = generate_answers(trainer.model, prompt_ids(asked), torch.Generator().manual_seed(self.seed + 1))
            said = extract_answers(ids, N_PROMPT)
            found[f"curve.{name}.reward"] = float(self._worth(asked, said).mean())
            for what, reward in (("right", checker_reward), ("friendly", friendliness_reward)):
                found[f"curve.{name}.{what}"] = float(reward_answers(reward, asked, said).mean())
            ratio = chat_log_probs(trainer.model, ids) - chat_log_probs(self._reference, ids)
            found[f"curve.{name}.kl"] = float(ratio.mean())
        return found
