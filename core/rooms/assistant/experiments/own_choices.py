"""A user's own choices: a reward model and DPO learn from the few pairs in which the user has chosen an answer.

Both start from the instruction-tuned model of this room's example, which also wrote all answers. For cross-validation,
`N_FOLD` more reward models are trained, each on all pairs except one fold, and predict the choices of that fold.

Source: the procedure as in Ouyang et al. 2022 (2203.02155), section 3; cross-validation: Stone 1974.

Choices are encoded as in the page's address: one character for each pair, "1" for its first answer, "2" for its second.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import ArrayLike
from torch import Tensor

from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, Inputs, hidden_training_steps, memoize, selection_in_picture
from core.rooms.assistant.compute.chat import N_PROMPT, STYLES, answer_style, padded_chat, styled_answer
from core.rooms.assistant.compute.learning import PreferencePairs, chat_log_probs, dpo_loss, fine_tuner, tuned_model
from core.rooms.assistant.compute.reward_model import pair_accuracy, reward_loss, reward_margins, reward_scores
from core.rooms.assistant.compute.world import (
    ABOUT_THINGS,
    WorldQuestion,
    encode_words,
    sample_question,
    sample_uniform,
)
from core.rooms.assistant.compute.writing import (
    Reward,
    checker_reward,
    extract_answers,
    generate_answers,
    kindness_reward,
    length_reward,
    prompt_ids,
    reward_answers,
    shortness_reward,
)
from core.train.experiments.base import Arrays, Experiment

LABELS = module_labels(__name__)
N_PAIR = 24  # pairs to choose from; a user needs two minutes for them
MIN_CHOICES = 8  # the minimum number of choices for a training run
FIRST, SECOND = "1", "2"


RULES: Mapping[str, Reward] = {"friendly": kindness_reward, "short": shortness_reward}
COIN = "lot"  # no rule: a coin flip for each pair


@dataclass(frozen=True)
class AnswerPairs:
    """Questions with two different answers to each."""

    questions: tuple[WorldQuestion, ...]  # n
    first: Int[Tensor, "n T"]  # first, second: (n, T) whole chats, in the order in which they were sampled
    second: Int[Tensor, "n T"]

    def said(self) -> list[tuple[str, str]]:
        """Return both answers as texts."""
        both = (extract_answers(ids, N_PROMPT) for ids in (self.first, self.second))
        return [(" ".join(one), " ".join(two)) for one, two in zip(*both, strict=True)]


@memoize(MAX_FIGURES)
def sample_answer_pairs(seed: int, n: int = N_PAIR) -> AnswerPairs:
    """Sample two answers of the instruction-tuned model to each question; return the first n pairs that differ."""
    generator, model = torch.Generator().manual_seed(seed), tuned_model().eval()
    asked = [sample_question(generator) for _ in range(3 * n)]
    first, second = (generate_answers(model, prompt_ids(asked), generator) for _ in range(2))
    at = (first != second).any(1).nonzero().flatten()[:n]
    return AnswerPairs(tuple(asked[i] for i in at.tolist()), first[at], second[at])


def check_choices(choices: str, least: int = 0) -> str:
    """Check a string of choices and return it.

    Raises:
        ValueError: if it isn't valid, has too many choices, or fewer than `least`.
    """
    if set(choices) - {FIRST, SECOND} or len(choices) > N_PAIR:
        raise ValueError(LABELS["not_these_pairs"])
    if len(choices) < least:
        raise ValueError(LABELS("too_few", least=least, n=len(choices)))
    return choices


def choices_by_rule(rule: str, seed: int) -> str:
    """Return the choices of a rule for all pairs; a coin decides ties, and every pair under the rule `COIN`."""
    shown, generator = sample_answer_pairs(seed), torch.Generator().manual_seed(seed)
    both = [extract_answers(ids, N_PROMPT) for ids in (shown.first, shown.second)]
    worth: Callable[..., float] = RULES.get(rule, lambda *_: 0.0)
    found = ""
    for question, first, second in zip(shown.questions, *both, strict=True):
        coin = sample_uniform(generator) < 0.5  # for every pair, so that one more choice changes no other
        a, b = worth(question, first), worth(question, second)
        found += FIRST if (coin if a == b else a > b) else SECOND
    return found


def preference_pairs(shown: AnswerPairs, choices: str) -> PreferencePairs:
    """Return the pairs in which a choice was made, the preferred answer first."""
    n, start = len(choices), tuned_model().eval()
    is_first = torch.tensor([sign == FIRST for sign in choices])[:, None]
    first, second = shown.first[:n], shown.second[:n]
    chosen, rejected = torch.where(is_first, first, second), torch.where(is_first, second, first)
    return PreferencePairs(
        shown.questions[:n], chosen, rejected, chat_log_probs(start, chosen), chat_log_probs(start, rejected)
    )


PAIRS_KEY = "assistant.pairs"
N_FOLD = 4
BETA = 0.1
RATES: Mapping[str, float] = {"reward": 1e-3, "dpo": 2e-4}
N_EVALUATED = 4  # answers to each question about things in an evaluation
EVAL_EVERY = 5  # steps


class Options(Inputs, prefix="own_"):
    """The choices among the pairs that the seed samples; "": no choices yet, so the friendly rule chooses in all."""

    clicks: str = selection_in_picture(
        PAIRS_KEY, "", text=lambda *_: None, check=lambda text, _: check_choices(text, MIN_CHOICES if text else 0)
    )
    n_step: int = hidden_training_steps(40, most=200)


class OwnChoices(Experiment):
    """A reward model and a policy learn from the same choices, with `N_FOLD` more reward models for cross-validation.

    Its record: curve.held (n,): the share of the choices predicted correctly by the reward model that has not seen
    them; curve.likes.<manner> (n,) for each of `STYLES`: the mean reward of right answers in this manner, minus the
    mean over all manners; curve.writes.<manner> (n,): the share of the policy's sampled answers about things that are
    in this manner; curve.right, curve.length: the share of these answers that are right, and their mean number of
    words. n_choice: the number of choices.
    """

    title = LABELS["title"]
    eval_every, eval_at = EVAL_EVERY, (1, 2)
    precision = np.float32

    def begin(self) -> None:
        choices = self.options.clicks or choices_by_rule("friendly", self.seed)
        self._pairs = preference_pairs(sample_answer_pairs(self.seed), choices)
        self._folds = [held_out_fold(self._pairs, k) for k in range(N_FOLD)]
        self._judges = [fine_tuner(tuned_model(), RATES["reward"], self.n_step) for _ in range(N_FOLD)]
        self.trainers = {name: fine_tuner(tuned_model(), rate, self.n_step) for name, rate in RATES.items()}

    def learn(self) -> None:
        for judge, (seen, _) in zip(self._judges, self._folds, strict=True):
            judge.learn(reward_loss(judge.model, seen))
        self.trainers["reward"].learn(reward_loss(self.trainers["reward"].model, self._pairs))
        self.trainers["dpo"].learn(dpo_loss(self.trainers["dpo"].model, self._pairs, BETA))

    def measure(self) -> Mapping[str, ArrayLike]:
        told = [reward_margins(judge.model, held) for judge, (_, held) in zip(self._judges, self._folds, strict=True)]
        judge, policy = (self.trainers[name].model for name in RATES)
        likes = {style: float(reward_scores(judge, answers_in_style(style)).mean()) for style in STYLES}
        asked = ABOUT_THINGS * N_EVALUATED
        said = extract_answers(
            generate_answers(policy, prompt_ids(asked), torch.Generator().manual_seed(self.seed + 1)), N_PROMPT
        )
        written = [answer_style(words) for words in said]
        return {
            "curve.held": pair_accuracy(torch.cat(told)),
            **{f"curve.likes.{style}": one - sum(likes.values()) / len(likes) for style, one in likes.items()},
            **{f"curve.writes.{style}": written.count(style) / len(written) for style in STYLES},
            "curve.right": float(reward_answers(checker_reward, asked, said).mean()),
            "curve.length": float(reward_answers(length_reward, asked, said).mean()),
        }

    def weights(self) -> Arrays:
        """Return no weights, because nothing is shown that is computed from them."""
        return {}

    def latest(self) -> Mapping[str, ArrayLike]:
        return {"n_choice": np.int32(len(self._pairs.questions))}


def held_out_fold(pairs: PreferencePairs, fold: int) -> tuple[PreferencePairs, PreferencePairs]:
    """Return all pairs except every `N_FOLD`th (training), and those (held out)."""
    is_held = torch.arange(len(pairs.questions)) % N_FOLD == fold
    return pairs.at(torch.where(~is_held)[0]), pairs.at(torch.where(is_held)[0])


def answers_in_style(style: str) -> Int[Tensor, "n T"]:
    """Return a right answer in this manner to each question about things."""
    return torch.tensor([encode_words(padded_chat(one, styled_answer(one, one.truth, style))) for one in ABOUT_THINGS])
