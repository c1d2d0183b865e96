"""Equal compute for every setting of the switches: all models train with the same number of multiply-adds."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from functools import cache

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn

from core.data.padding_and_splits import EvaluationSplit, tokenize_and_split_corpus
from core.inspect.costs import model_cost
from core.models import registry
from core.rooms.then_and_now.compute.switches import CONTEXT, THEN, SwitchSetting, config, make_setting
from core.train.experiments.base import Experiment
from core.train.experiments.gru_and_gpt import second_half_losses
from core.train.optimizers import AdamW, Muon, Optimizer
from core.train.trainer import Schedule, Trainer
from core.train.weight_init_and_optimizer import MuonAdamW

CORPUS, BATCH, N_EVAL = "python-topics", 16, 8
N_WINDOW, EVERY = 1_024, 8  # windows of the held-out text, of which every eighth is evaluated: 128 from all over it
N_SEED = 3
N_STEP = 200  # of the block of 2017: six models take about half a minute on one core
# The best of 0.001, 0.003, 0.006 and 0.012 for the block of 2017, used for all. Muon has the rate of other rooms,
# which was not tuned here: with 0.04, the best of 0.005 to 0.08, the loss is lower by 0.08 (three seeds).
RATE, MUON_RATE = 0.006, 0.02
WARM_UP = 0.1  # of the steps: without warm-up, post-norm would not train
MAX_GRADIENT_NORM = 1.0
FINAL_RATE_SHARE = 0.1  # final rate of the cosine, relative to the highest


@cache
def training_text() -> EvaluationSplit:
    """Return the characters of Python's documentation."""
    return tokenize_and_split_corpus(CORPUS, "char", CONTEXT, N_WINDOW)


def steps_at_equal_work(given: SwitchSetting, n_step: int, vocab_size: int) -> int:
    """Return the number of steps that take a setting as many multiply-adds as `n_step` steps take the block of 2017."""
    once, base = (
        model_cost.training_step_cost(config(one, vocab_size), CONTEXT).total for one in (given, make_setting(THEN))
    )
    return max(1, round(n_step * base / once))


def inverse_root_schedule(n_step: int) -> Schedule:
    """Return linear warm-up, then decay with the inverse root of the step. Source: Vaswani et al. 2017, section 5.3."""
    n_up = max(1, round(WARM_UP * n_step))
    return lambda step: min((step + 1) / n_up, math.sqrt(n_up / (step + 1)))


def cosine_schedule(n_step: int) -> Schedule:
    """Return linear warm-up, then decay on half a cosine.

    Source: Loshchilov and Hutter 2016 (1608.03983), equation 5, without restarts; Touvron et al. 2023, section 2.3.
    """
    n_up = max(1, round(WARM_UP * n_step))

    def share(step: int) -> float:
        if step < n_up:
            return (step + 1) / n_up
        return (
            FINAL_RATE_SHARE
            + (1 - FINAL_RATE_SHARE) * (1 + math.cos(math.pi * (step - n_up) / max(1, n_step - n_up))) / 2
        )

    return share


def _switch_optimizer(model: nn.Module, name: str) -> Optimizer:
    """Return Adam as in 2017, AdamW as in Llama, or Muon for the blocks' matrices with AdamW for the rest."""
    named = dict(model.named_parameters())
    if name == "adam":
        return AdamW(named, learning_rate=RATE, betas=(0.9, 0.98), eps=1e-9)
    inner = {key: w for key, w in named.items() if name == "muon" and w.ndim == 2 and key.startswith("blocks.")}
    outer = {key: w for key, w in named.items() if key not in inner}
    adamw = AdamW(outer, learning_rate=RATE, betas=(0.9, 0.95), weight_decay=0.1)
    return MuonAdamW(Muon(inner, learning_rate=MUON_RATE), adamw) if inner else adamw


def switch_trainer(given: SwitchSetting, vocab_size: int, seed: int, n_step: int) -> Trainer:
    """Return a trainer of this setting's model before its first of `steps_at_equal_work` steps.

    Every matrix starts with variance 1 / its inputs, including embeddings: once scaled, they have the size of 2017's.
    """
    model = registry.build(config(given, vocab_size), seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim == 2:
                weights.normal_(0, weights.shape[1] ** -0.5, generator=generator)
    goal = steps_at_equal_work(given, n_step, vocab_size)
    schedule = (inverse_root_schedule if given["training"] == "adam" else cosine_schedule)(goal)
    return Trainer(model, _switch_optimizer(model, given["training"]), schedule, n_step=goal, clip=MAX_GRADIENT_NORM)


class SwitchExperiment(Experiment):
    """Several settings side by side, three seeds of each; a seed's models read the same batches in the same order.

    Its record, for each setting s: step (n,) steps of the block of 2017 with the same compute; curve.s (n, 3) nats per
    character on held-out text; steps.s () of its run; parameters.s (); work.s () multiply-adds of its whole run;
    seconds.s (3,) of one core for its steps so far.
    """

    precision = np.float32
    keeps_weights = False
    n_eval, eval_bend = N_EVAL, 1.5

    @abstractmethod
    def settings(self) -> Mapping[str, SwitchSetting]:
        """Return name -> setting of the switches."""

    def begin(self) -> None:
        given = training_text()
        self._vocab_size = given.tokenizer.vocab_size
        self._windows = torch.tensor(given.windows[::EVERY])
        self._pieces = torch.tensor(given.ids).unfold(0, CONTEXT + 1, 1)
        self._seeds = range(self.seed, self.seed + N_SEED)
        self._settings = dict(self.settings())
        self.trainers = {
            f"{name}/{seed}": switch_trainer(one, self._vocab_size, seed, self.n_step)
            for name, one in self._settings.items()
            for seed in self._seeds
        }
        self._draws = {name: torch.Generator().manual_seed(int(name.rpartition("/")[2])) for name in self.trainers}

    def learn(self) -> None:
        """Train each model for the compute of one step of the block of 2017."""
        share = (self.step + 1) / self.n_step
        for name, one in self.trainers.items():
            with self.timed(name):
                while one.step < math.ceil(share * one.n_step - 1e-9):
                    places = torch.randint(len(self._pieces), (BATCH,), generator=self._draws[name])
                    windows = self._pieces[places]
                    logits = one.model(windows[:, :-1])
                    one.learn(nn.functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()))

    def measure(self) -> Mapping[str, ArrayLike]:
        return {
            f"curve.{name}": [
                float(second_half_losses(self.trainers[f"{name}/{seed}"].model, self._windows).mean())
                for seed in self._seeds
            ]
            for name in self._settings
        }

    def latest(self) -> Mapping[str, ArrayLike]:
        found: dict[str, ArrayLike] = {}
        for name, given in self._settings.items():
            every = [f"{name}/{seed}" for seed in self._seeds]
            first = self.trainers[every[0]]
            once = BATCH * model_cost.training_step_cost(config(given, self._vocab_size), CONTEXT).total
            found |= {
                f"steps.{name}": first.n_step,
                f"parameters.{name}": sum(w.numel() for w in first.model.parameters()),
                f"work.{name}": once * first.n_step,
                f"seconds.{name}": np.array([self.seconds[one] for one in every], np.float32),
            }
        return found
