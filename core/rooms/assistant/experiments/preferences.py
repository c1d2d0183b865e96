"""Preferences: a rule prefers one of two answers; a reward model learns to predict it, DPO to write such answers.

Both start from the instruction-tuned model of this room's example, which also wrote all answers.
"""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import ArrayLike

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.rooms.assistant.compute.chat import N_PROMPT
from core.rooms.assistant.compute.learning import (
    chat_log_probs,
    dpo_loss,
    fine_tuner,
    sample_preference_pairs,
    tuned_model,
)
from core.rooms.assistant.compute.reward_model import pair_accuracy, reward_loss, reward_margins
from core.rooms.assistant.compute.world import ABOUT_THINGS, sample_question
from core.rooms.assistant.compute.writing import (
    Reward,
    checker_reward,
    extract_answers,
    friendliness_reward,
    generate_answers,
    length_reward,
    prompt_ids,
    reward_answers,
    shortness_reward,
)
from core.train.experiments.base import Experiment

LABELS = module_labels(__name__)
FUNCTIONS: Mapping[str, Reward] = {"friendly": friendliness_reward, "short": shortness_reward}
BETAS = (0.03, 0.1, 1.0)
N_ASKED, N_HELD, N_PAIR = 600, 200, 32
N_EVALUATED = 4
EVAL_EVERY = 5


class Options(Inputs, prefix="prefer_"):
    """The rule that prefers an answer, and the strength of the penalty for leaving the reference."""

    rule: str = segmented_control(tuple(FUNCTIONS), "friendly")
    beta: float = segmented_control(BETAS, 0.1)
    n_step: int = hidden_training_steps(100, most=300)


class Preferences(Experiment):
    """A reward model and a policy learn from the same pairs.

    Its record: curve.reward.accuracy, curve.dpo.accuracy (n,): on held-out pairs, how often the chosen answer has the
    higher reward (for DPO, the implied reward); curve.dpo.chosen, curve.dpo.rejected (n,): the mean log-probability of
    these answers, in nats; curve.dpo.friendly, curve.dpo.right (n,): the share of sampled answers that are friendly,
    and right; curve.dpo.length (n,): their mean number of words.
    """

    title = LABELS["title"]
    eval_every, eval_at = EVAL_EVERY, (1, 2)
    precision = np.float32

    def begin(self) -> None:
        start, reward = tuned_model(), FUNCTIONS[self.options.rule]
        asked, held = ([sample_question(self.generator) for _ in range(n)] for n in (N_ASKED, N_HELD))
        self._pairs = sample_preference_pairs(start, asked, reward, self.generator)
        self._held = sample_preference_pairs(start, held, reward, self.generator)
        self.trainers = {
            "reward": fine_tuner(tuned_model(), 1e-3, self.n_step),
            "dpo": fine_tuner(tuned_model(), 2e-4, self.n_step),
        }

    def learn(self) -> None:
        rows = torch.randint(len(self._pairs.questions), (N_PAIR,), generator=self.generator)
        pairs = self._pairs.at(rows)
        judge, policy = self.trainers["reward"], self.trainers["dpo"]
        judge.learn(reward_loss(judge.model, pairs))
        policy.learn(dpo_loss(policy.model, pairs, self.options.beta))

    def measure(self) -> Mapping[str, ArrayLike]:
        judge, policy, held = self.trainers["reward"].model, self.trainers["dpo"].model, self._held
        chosen, rejected = chat_log_probs(policy, held.chosen), chat_log_probs(policy, held.rejected)
        margin = (chosen - held.chosen_reference) - (rejected - held.rejected_reference)
        asked = ABOUT_THINGS * N_EVALUATED
        said = extract_answers(
            generate_answers(policy, prompt_ids(asked), torch.Generator().manual_seed(self.seed + 1)), N_PROMPT
        )
        return {
            "curve.reward.accuracy": pair_accuracy(reward_margins(judge, held)),
            "curve.dpo.accuracy": pair_accuracy(margin),
            "curve.dpo.chosen": float(chosen.mean()),
            "curve.dpo.rejected": float(rejected.mean()),
            "curve.dpo.friendly": float(reward_answers(friendliness_reward, asked, said).mean()),
            "curve.dpo.right": float(reward_answers(checker_reward, asked, said).mean()),
            "curve.dpo.length": float(reward_answers(length_reward, asked, said).mean()),
        }
