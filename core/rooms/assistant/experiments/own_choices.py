"""A person's own choices: a reward model and DPO learn from the few pairs that somebody has chosen from by hand.

Both begin as the instruction-tuned model of this room's example, which also wrote all answers. Each pair is held out
once: `N_FOLD` more reward models learn from all pairs but those of one fold, and tell these.

Source: the procedure as in Ouyang et al. 2022 (2203.02155), section 3; cross-validation: Stone 1974.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from core.exhibit import Inputs, picked, steps
from core.rooms.assistant.compute.chat import N_PROMPT, STYLES, answer, chat, manner
from core.rooms.assistant.compute.choosing import LEAST, check, choices_by, chosen_pairs, shown_pairs
from core.rooms.assistant.compute.learning import Pairs, dpo_loss, fine_tuner
from core.rooms.assistant.compute.reward_model import accuracy, margins, reward_loss, score
from core.rooms.assistant.compute.start import tuned
from core.rooms.assistant.compute.world import ABOUT_THINGS, encode
from core.rooms.assistant.compute.writing import answers, is_right, length, prompts_of, rewards, write
from core.train.experiments.base import Arrays, Experiment

PAIRS = "assistant.pairs"
N_FOLD = 4
BETA = 0.1
RATES: Mapping[str, float] = MappingProxyType({"reward": 1e-3, "dpo": 2e-4})
N_JUDGED = 4  # answers to each question about things, when a model is judged
LOOK_EVERY = 5  # steps


class Options(Inputs, prefix="own_"):
    """What was chosen, of the pairs that the seed draws; "": nobody has, and the friendly rule chooses all."""

    clicks: str = picked(PAIRS, "", text=lambda *_: None, check=lambda text, _: check(text, LEAST if text else 0))
    n_step: int = steps(40, most=200)


class OwnChoices(Experiment):
    """A reward model and a policy learn from the same choices; `N_FOLD` more reward models, each from the other folds.

    Its record: curve.held (n,): the share of the choices told right by the reward model that has not seen them;
    curve.likes.<manner> (n,) for each of `STYLES`: the mean reward of right answers in this manner, that of all
    manners taken off; curve.writes.<manner> (n,): of the policy's drawn answers about things, those in this manner;
    curve.right, curve.length: of the same, those that are right, and their mean words. n_choice: how many choices.
    """

    title = "Your own choices: a reward model, and DPO"
    look_every, look_at = LOOK_EVERY, (1, 2)
    precision = np.float32

    def begin(self) -> None:
        choices = self.options.clicks or choices_by("friendly", self.seed)
        self._pairs = chosen_pairs(shown_pairs(self.seed), choices)
        self._folds = [held_out(self._pairs, k) for k in range(N_FOLD)]
        self._judges = [fine_tuner(tuned(), RATES["reward"], self.n_step) for _ in range(N_FOLD)]
        self.trainers = {name: fine_tuner(tuned(), rate, self.n_step) for name, rate in RATES.items()}

    def learn(self) -> None:
        for judge, (seen, _) in zip(self._judges, self._folds, strict=True):
            judge.learn(reward_loss(judge.model, seen))
        self.trainers["reward"].learn(reward_loss(self.trainers["reward"].model, self._pairs))
        self.trainers["dpo"].learn(dpo_loss(self.trainers["dpo"].model, self._pairs, BETA))

    def measure(self) -> Mapping[str, Any]:
        told = [margins(judge.model, held) for judge, (_, held) in zip(self._judges, self._folds, strict=True)]
        judge, policy = (self.trainers[name].model for name in RATES)
        likes = {style: float(score(judge, in_manner(style)).mean()) for style in STYLES}
        asked = ABOUT_THINGS * N_JUDGED
        said = answers(write(policy, prompts_of(asked), torch.Generator().manual_seed(self.seed + 1)), N_PROMPT)
        written = [manner(words) for words in said]
        return {
            "curve.held": accuracy(torch.cat(told)),
            **{f"curve.likes.{style}": one - sum(likes.values()) / len(likes) for style, one in likes.items()},
            **{f"curve.writes.{style}": written.count(style) / len(written) for style in STYLES},
            "curve.right": float(rewards(is_right, asked, said).mean()),
            "curve.length": float(rewards(length, asked, said).mean()),
        }

    def weights(self) -> Arrays:
        """None: nothing is shown that is computed from them."""
        return {}

    def latest(self) -> Mapping[str, Any]:
        return {"n_choice": np.int32(len(self._pairs.questions))}


def held_out(pairs: Pairs, fold: int) -> tuple[Pairs, Pairs]:
    """All pairs but each `N_FOLD`th, and these."""
    is_held = torch.arange(len(pairs.questions)) % N_FOLD == fold
    return pairs.at(torch.where(~is_held)[0]), pairs.at(torch.where(is_held)[0])


def in_manner(style: str) -> Int[Tensor, "n T"]:
    """A right answer to each question about things, in this manner."""
    return torch.tensor([encode(chat(one, answer(one, one.truth, style))) for one in ABOUT_THINGS])
