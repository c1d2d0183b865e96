"""A sentence as its own teacher: what a GPT expects after each word, and what really comes, during training."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table
from core.inspect.logit_lens import logit_lens
from core.rooms.decoder.experiments import lens as task
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = task.NAME
CODE = (task.Lens, logit_lens)


class Inputs(Base):
    """No inputs: the exhibit on layers trains the model."""


class NextWords(Result):
    """The predictions of the last layer after each of the T tokens but the last, at N steps of the training."""

    steps: NDArray[np.integer]  # (N,)
    tokens: tuple[str, ...]  # (T,)
    words: tuple[str, ...]  # (W,) the tokens that are among the predictions
    top: NDArray[np.integer]  # (N, T - 1, n) places in `words` of the most probable tokens, best first
    probabilities: NDArray[np.floating]  # (N, T - 1, n) of them
    truth: NDArray[np.floating]  # (N, T - 1) probability of the token that comes next
    is_right: NDArray[np.bool_]  # (N, T - 1) whether that token has the highest probability

    def table(self) -> Table:
        last = {"at": self.top[-1, :, 0], "share": self.probabilities[-1, :, 0], "truth": self.truth[-1]}
        return {
            LABELS["read"]: list(self.tokens[:-1]),
            LABELS["expected"]: [self.words[int(i)] for i in last["at"]],
            LABELS["share"]: last["share"].tolist(),
            LABELS["next"]: list(self.tokens[1:]),
            LABELS["truth"]: last["truth"].tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> NextWords:
    """Return the predictions of the last layer at each recorded step of a training run."""
    record, tokenizer = run.record, experiment.tokenizer_of(run.record)
    top, probabilities, rank, truth = (record[f"frames.{name}"][:, -1, :-1] for name in task.FRAMES)
    used, places = np.unique(top, return_inverse=True)
    return NextWords(
        steps=record["step"],
        tokens=tuple(tokenizer.tokens(record["probe"].tolist())),
        words=tuple(tokenizer.tokens(used.tolist())),
        top=places.reshape(top.shape),
        probabilities=probabilities,
        truth=truth,
        is_right=rank == 1,
    )


def draw(result: NextWords, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the staircase: what it has read, what it expects, what came."""
    ui.add_template_values(n_right=int(result.is_right[-1].sum()), run=run)
    ui.mount_widget(
        "next_words",
        key="next-words",
        height=480,
        is_compressed=True,
        takeaway=ui.section_text("takeaway"),
        steps=result.steps.tolist(),
        tokens=list(result.tokens),
        words=list(result.words),
        top=result.top,
        probabilities=result.probabilities,
        truth=result.truth,
        right=result.is_right.astype(np.uint8),
    )
