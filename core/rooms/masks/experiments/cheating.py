"""A language model with and without the causal mask: the second one reads the token that it should predict.

Both are the same model, trained on the same batches by the same code; only the mask differs. Without it the loss falls
to almost nothing, on text never seen too, and the model has learned nothing but to copy its right neighbor: where there
is none, at the end of a text that is being written, it does not know what to do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from core.train import objectives
from core.train.experiment import Record, carried
from core.train.experiments.bounded import Bounded
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.train.snapshots import Frame, capture, frame_steps
from core.train.trainer import weights_of

VARIANTS = ("masked", "unmasked")
NAMES: Mapping[str, str] = MappingProxyType({"masked": "with the mask", "unmasked": "without the mask"})
N_FRAME = 24
N_ENDS = 512  # validation windows on which the last token is predicted, with nothing after it to read


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What is trained.

    Args:
        corpus: key of the text, read letter by letter.
        n_step: steps of each of the two models.

    Raises:
        ValueError: in plain words, if there are no steps.
    """

    most_in_browser: ClassVar = {"n_step": 1_000}
    corpus: str = "python-topics"
    n_step: int = 300


def recipe(options: Options, causal: bool) -> Recipe:
    """The small model and its training. Relative positions tell left from right, which both need."""
    return Recipe(
        name="cheating",
        title="With the mask" if causal else "Without the mask",
        corpus=options.corpus,
        model={
            "n_layer": 2,
            "n_head": 4,
            "d_model": 48,
            "context_length": 48,
            "positions": "relative",
            "causal": causal,
            "embed_norm": True,
            "tied": False,
            "block": {"norm": "rms_plain", "activation": "relu2", "bias": False, "qk_norm": True},
        },
        learning_rate=0.03,
        batch_size=12,
        n_step=options.n_step,
    )


class Cheating:
    """Two runs side by side, the first with the mask, the second without.

    Raises:
        core.data.corpora.CorpusRefused: if the text is not there.
        ValueError: if it is too short.
    """

    title: ClassVar[str] = "With and without the causal mask"

    def __init__(self, options: Options, seed: int) -> None:
        self.n_step, self.step = options.n_step, 0
        self.runs = {
            name: TrainRun(recipe(options, name == "masked"), seed, "cpu", dtype="float32") for name in VARIANTS
        }
        self._tokenizer = carried(self.runs["masked"].tokenizer)
        self._looks = set(frame_steps(self.n_step, N_FRAME))
        self._frames: dict[str, list[Frame]] = {name: [] for name in VARIANTS}
        self._look()

    def advance(self) -> None:
        """One step of both runs."""
        for run in self.runs.values():
            run.advance(steps=1)
        self.step += 1
        self._look()

    def _look(self) -> None:
        if self.step in self._looks:
            for name, run in self.runs.items():
                self._frames[name].append(capture(run))

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, for each variant v:

        curve.v.step, .loss; curve.v.val_step, .val_loss: nats per token.
        look.v.step (n,), .ahead (n, L, H): mean weight of each head on the token right after the one that asks.
        sample.v: what it writes, UTF-8; model.v.<parameter>; blind: the loss of guessing blindly.
        tokenizer: of both.
        val_loss.v, end_loss.v: over the whole validation text, once it is over; see `end_loss`.
        """
        found: dict[str, NDArray[Any]] = {
            "blind": np.array(self.runs["masked"].blind_loss),
            "tokenizer": self._tokenizer,
        }
        for name, run in self.runs.items():
            measured = [(p.step, p.val_loss) for p in run.history if p.val_loss is not None]
            frames = self._frames[name]
            found |= {
                f"curve.{name}.step": np.array([p.step for p in run.history], dtype=np.int32),
                f"curve.{name}.loss": np.array([p.loss for p in run.history], dtype=np.float32),
                f"curve.{name}.val_step": np.array([step for step, _ in measured], dtype=np.int32),
                f"curve.{name}.val_loss": np.array([loss for _, loss in measured], dtype=np.float32),
                f"look.{name}.step": np.array([frame.step for frame in frames], dtype=np.int32),
                f"look.{name}.ahead": np.stack([ahead(frame.attention) for frame in frames]),
                f"sample.{name}": np.frombuffer(frames[-1].sample.encode(), dtype=np.uint8),
            }
            found |= weights_of(run.model.named_parameters(), name, np.float32)
            if run.final_val_loss is not None:
                found[f"val_loss.{name}"] = np.array(run.final_val_loss)
                found[f"end_loss.{name}"] = np.array(end_loss(run))
        return found


def table(record: Record, hidden: Sequence[str] = ()) -> dict[str, list[float]]:
    """The loss on text that was not trained on, step by step, in nats per letter; hidden: variants to leave out."""
    losses = {NAMES[v]: np.round(record[f"curve.{v}.val_loss"], 4).tolist() for v in VARIANTS if v not in hidden}
    return {"step": record["curve.masked.val_step"].tolist(), **losses}


@torch.no_grad()
def end_loss(run: TrainRun, n_window: int = N_ENDS) -> float:
    """Loss at the last position of validation windows, where nothing follows that could be read: nats per token.

    That is the place from which text is written; with the causal mask it is as good as any other place.
    """
    starts = objectives.spread_starts(len(run.val_ids), run.context_length, n_window)
    inputs, targets = objectives.windows(run.val_ids, starts, run.context_length)
    last = torch.cat([run.model(some)[:, -1] for some in inputs.split(64)])  # (W, V)
    return float(F.cross_entropy(last, targets[:, -1]))


def ahead(attention: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(L, H) mean weight on the token right after the one that asks, from a frame's (L, H, T, T)."""
    return (attention.diagonal(1, -2, -1) / 255).mean(-1).astype(np.float32)
