"""Reinforcement learning with a reward that isn't quite what was meant, at three weights of the KL term.

All three begin as the instruction-tuned model of this room's example, and differ in nothing but that weight.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from core.inputs import Inputs, segmented, steps
from core.rooms.assistant.compute.chat import N_PROMPT
from core.rooms.assistant.compute.learning import fine_tuner, log_prob_of, reinforce, some
from core.rooms.assistant.compute.start import tuned
from core.rooms.assistant.compute.world import ABOUT_THINGS
from core.rooms.assistant.compute.writing import (
    Reward,
    answers,
    friendliness,
    frozen,
    happy_words,
    is_right,
    length,
    prompts_of,
    rewards,
    write,
)
from core.train.experiments.base import Experiment
from core.train.experiments.evaluation_steps import every

REWARDS: Mapping[str, str] = MappingProxyType(
    {"happy": "how often it says “happy”", "length": "how many words it says", "right": "a checker: 1 if right"}
)
FUNCTIONS: Mapping[str, Reward] = MappingProxyType({"happy": happy_words, "length": length, "right": is_right})
WEIGHTS: Mapping[str, float] = MappingProxyType({"none": 0.0, "some": 0.1, "much": 1.0})
NAMES: Mapping[str, str] = MappingProxyType({name: f"KL × {weight:g}" for name, weight in WEIGHTS.items()})
N_GROUP, N_SAMPLE = 8, 8  # questions in a step, answers to each
N_JUDGED = 4  # answers to each question, when a model is judged
RATE = 1e-3
LOOK_EVERY = 5  # steps


class Options(Inputs, prefix="hack_"):
    """What is rewarded."""

    reward: str = segmented("Reward", REWARDS, "happy")
    n_step: int = steps(80, most=300)  # of each of the three


class WrongReward(Experiment):
    """Three models on the same questions.

    Its record, for each w of `WEIGHTS`: curve.w.reward, curve.w.right, curve.w.friendly, curve.w.kl (n,): the mean
    reward of drawn answers, the shares of right and of friendly ones, and the mean log ratio to the start, in nats.
    """

    title = "A wrong reward"
    precision = np.float32

    def begin(self) -> None:
        self._reference = frozen(tuned())
        self._reward = FUNCTIONS[self.options.reward]
        self.trainers = {name: fine_tuner(tuned(), RATE, self.n_step) for name in WEIGHTS}

    def looks(self) -> Iterable[int]:
        return {0, 1, 2, *every(LOOK_EVERY, self.n_step)}

    def learn(self) -> None:
        asked = some(ABOUT_THINGS, N_GROUP, self.generator)
        for name, trainer in self.trainers.items():
            with self.timed(name):
                drawn = reinforce(
                    trainer.model, self._reference, asked, self._reward, WEIGHTS[name], N_SAMPLE, self.generator
                )
                trainer.learn(drawn.loss)

    def measure(self) -> Mapping[str, Any]:
        found = {}
        asked = ABOUT_THINGS * N_JUDGED
        for name, trainer in self.trainers.items():
            ids = write(trainer.model, prompts_of(asked), torch.Generator().manual_seed(self.seed + 1))
            said = answers(ids, N_PROMPT)
            for what, reward in (("reward", self._reward), ("right", is_right), ("friendly", friendliness)):
                found[f"curve.{name}.{what}"] = float(rewards(reward, asked, said).mean())
            ratio = log_prob_of(trainer.model, ids) - log_prob_of(self._reference, ids)
            found[f"curve.{name}.kl"] = float(ratio.mean())
        return found
