"""One model learns four tasks as texts that become texts: T5's idea in a quarter of a minute.

The task comes before the text, as a word: "summarize:", "question:", "entities:" or "sentiment:". The answer is always
written word by word, even if it is one of two labels, so one model with one loss learns everything.

Source: Raffel et al. 2019 (1910.10683), section 2.4.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.padding_and_splits import pad_rows
from core.exhibit import Inputs, hidden_training_steps
from core.generate.seq2seq import greedy_decode
from core.models.t5 import T5, T5Config
from core.rooms.encoder_decoder.compute import applications as tasks
from core.rooms.encoder_decoder.compute.applications import TASKS, TaskExample
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.seq2seq import IGNORED_TARGET, Seq2SeqExperiment

LABELS = module_labels(__name__)

BATCH = {"summarize": 10, "question": 22, "entities": 22, "sentiment": 10}  # texts per step
TASK_NAMES = {
    "summarize": LABELS["task.summarize"],
    "question": LABELS["task.question"],
    "entities": LABELS["task.entities"],
    "sentiment": LABELS["task.sentiment"],
}
N_HELD = 48  # held-out texts per task
N_EVAL = 10
LEARNING_RATE = 3e-3
# Adam moves every parameter by about its learning rate per step, however far it has to go: the position biases from 0.1
# to about 5, the embeddings across their own scale of 1. T5's own training has 500 times as many steps for that.
LEARNING_RATE_FACTORS = {"pos_emb": 20.0, "tok_emb": 5.0}
CONFIG = T5Config(vocab_size=len(tasks.VOCABULARY), n_layer=2, n_head=4, d_model=64, d_ff=128)


class Options(Inputs):
    """The training steps."""

    n_step: int = hidden_training_steps(650, most=1_500)  # about a minute on one core


class Applications(Seq2SeqExperiment):
    """One T5 that learns the four tasks together.

    Its record: curve.exact (n, tasks), the exact-match rate; curve.f1 (n,) of the entities; curve.loss at each step.
    """

    title = LABELS["title"]
    n_eval, loss_curve = N_EVAL, "curve.loss"
    start_id, learning_rate, faster = tasks.START, LEARNING_RATE, LEARNING_RATE_FACTORS
    precision = np.float32

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, T5Config]:
        return {"t5": CONFIG}

    def begin(self) -> None:
        held = np.random.default_rng([self.seed, 1])
        self._held = {task: tasks.draw_examples(task, N_HELD, held) for task in TASKS}
        self._kept_back = {pair.source for pairs in self._held.values() for pair in pairs}

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        drawn = [pair for task in TASKS for pair in tasks.draw_examples(task, BATCH[task], self.rng)]
        pairs = [pair for pair in drawn if pair.source not in self._kept_back]
        source, mask = pad_rows([tasks.encode(pair.source) for pair in pairs])
        target, _ = pad_rows([[*tasks.encode(pair.target), tasks.END] for pair in pairs], IGNORED_TARGET)
        return source, target, mask

    def measure(self) -> Mapping[str, ArrayLike]:
        said = iter(write_answers(self.trainers["t5"].model, [pair for task in TASKS for pair in self._held[task]]))
        found = {task: [next(said) for _ in self._held[task]] for task in TASKS}
        return {
            "curve.exact": [_exact_match(found[task], self._held[task]) for task in TASKS],
            "curve.f1": tasks.entity_f1(found["entities"], [pair.target for pair in self._held["entities"]]),
        }


def write_answers(model: T5, pairs: Sequence[TaskExample]) -> list[tuple[str, ...]]:
    """Return the model's answer to each text, decoded greedily."""
    source, mask = pad_rows([tasks.encode(pair.source) for pair in pairs])
    ids = greedy_decode(model, source, mask, start_id=tasks.START, end_id=tasks.END, max_new_tokens=tasks.MAX_ANSWER)
    return [tasks.decode(row) for row in ids.tolist()]


def _exact_match(said: Sequence[Sequence[str]], pairs: Sequence[TaskExample]) -> float:
    """Return the fraction of answers that are exactly right."""
    return float(np.mean([tuple(one) == pair.target for one, pair in zip(said, pairs, strict=True)]))


def model_of(run: ExperimentRun) -> T5:
    """Rebuild the trained model of a run."""
    model: T5 = rebuild_model(run.record, "t5", CONFIG).float()
    return model
