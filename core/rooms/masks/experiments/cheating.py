"""A language model with and without the causal mask: the second one reads the token that it should predict.

Both are the same model, trained on the same batches by the same code; only the mask differs. Without it the loss falls
to almost nothing, even on new text, but the model has only learned to copy its right neighbor. Where there is none, at
the end of a text that is being written, it has nothing to copy.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch.nn import functional as F

from core.data import corpora
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, select
from core.train import objectives
from core.train.experiment import pack_tokenizer
from core.train.experiments.base import Arrays, Experiment
from core.train.recipes import Recipe, fast_learning_model_config
from core.train.run import TrainRun
from core.train.tasks.defaults import ModelSize
from core.train.trainer import weights_for_record
from core.train.watch.behavior_snapshots import capture_frame, frame_steps

LABELS = module_labels(__name__)

VARIANTS = ("masked", "unmasked")
VARIANT_NAMES: Mapping[str, str] = LABELS.options("variant", *VARIANTS)
N_FRAME = 24
N_END_WINDOW = 512  # validation windows in which the last token is predicted, with nothing after it to read


class Options(Inputs, prefix="cheat_"):
    """The training text, read letter by letter, and the number of steps."""

    corpus: str = select(
        lambda i: {name: corpora.corpus_title(name) for name in corpora.names()},
        "python-topics",
        depth="numbers",
    )
    n_step: int = hidden_training_steps(300, most=1_000)


def recipe(options: Options, causal: bool) -> Recipe:
    """Return the recipe of the small model. Relative positions distinguish left from right, which both need."""
    return Recipe(
        name="cheating",
        title=LABELS["recipe.masked" if causal else "recipe.unmasked"],
        corpus=options.corpus,
        model=fast_learning_model_config(ModelSize(2, 4, 48, 48), positions="relative", slopes=None, causal=causal),
        learning_rate=0.03,
        batch_size=12,
        n_step=options.n_step,
    )


class Cheating(Experiment):
    """Two runs side by side, the first with the mask, the second without.

    Its record, for each variant v: curve.v.step, .loss, .val_step, .val_loss: nats per token; look.v.ahead (n, L, H):
    mean weight of each head on the token right after the query; sample.v: its generated text, UTF-8;
    model.v.<parameter>; tokenizer of both; blind: the loss of uniform guessing; once the run is finished, val_loss.v
    and end_loss.v over the whole validation text, see `last_position_loss`.
    """

    title = LABELS["title"]
    learned = (
        "val_loss.unmasked < 0.5 * val_loss.masked",
        "val_loss.masked < 1.8",
        # With nothing to read ahead, it is worse than the honest model, and far worse than it seemed.
        "end_loss.unmasked > end_loss.masked + 0.5",
    )
    precision = np.float32

    def begin(self) -> None:
        self.runs = {
            name: TrainRun(recipe(self.options, name == "masked"), self.seed, "cpu", dtype="float32")
            for name in VARIANTS
        }
        self._tokenizer = pack_tokenizer(self.runs["masked"].tokenizer)

    def eval_steps(self) -> Iterable[int]:
        return frame_steps(self.n_step, N_FRAME)

    def learn(self) -> None:
        for run in self.runs.values():
            run.advance(steps=1)

    def measure(self) -> Mapping[str, ArrayLike]:
        self._frames = {name: capture_frame(run) for name, run in self.runs.items()}
        return {f"look.{name}.ahead": _next_token_attention(frame.attention) for name, frame in self._frames.items()}

    def latest(self) -> Mapping[str, ArrayLike]:
        found: dict[str, ArrayLike] = {"blind": self.runs["masked"].blind_loss, "tokenizer": self._tokenizer}
        for name, run in self.runs.items():
            measured = [(p.step, p.val_loss) for p in run.history if p.val_loss is not None]
            found |= {
                f"curve.{name}.step": np.array([p.step for p in run.history], dtype=np.int32),
                f"curve.{name}.loss": np.array([p.loss for p in run.history], dtype=np.float32),
                f"curve.{name}.val_step": np.array([step for step, _ in measured], dtype=np.int32),
                f"curve.{name}.val_loss": np.array([loss for _, loss in measured], dtype=np.float32),
                f"sample.{name}": np.frombuffer(self._frames[name].sample.encode(), dtype=np.uint8),
            }
            if run.final_val_loss is not None:
                found |= {f"val_loss.{name}": run.final_val_loss, f"end_loss.{name}": last_position_loss(run)}
        return found

    def weights(self) -> Arrays:
        named = {name: run.model.named_parameters() for name, run in self.runs.items()}
        return {key: w for name, one in named.items() for key, w in weights_for_record(one, name, np.float32).items()}


@torch.no_grad()
def last_position_loss(run: TrainRun) -> float:
    """Return the loss at the last position of validation windows, where nothing follows to be read: nats per token.

    Text is generated from that position; with the causal mask it is as good as any other.
    """
    starts = objectives.spaced_starts(len(run.val_ids), run.context_length, N_END_WINDOW)
    inputs, targets = objectives.cut_windows(run.val_ids, starts, run.context_length)
    last = torch.cat([run.model(some)[:, -1] for some in inputs.split(64)])  # (W, V)
    return float(F.cross_entropy(last, targets[:, -1]))


def _next_token_attention(attention: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the mean weight (L, H) on the token right after the query, from a frame's (L, H, T, T)."""
    return (attention.diagonal(1, -2, -1) / 255).mean(-1).astype(np.float32)
