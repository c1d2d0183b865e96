"""A small GPT learns stories, and all of its layers are asked what they would say: the logit lens over a training.

The frames are taken at steps 0, 1, 2, 4, ...: most of what there is to see happens early.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.data.tokenizers import Tokenizer
from core.rooms.decoder.compute import readout
from core.rooms.decoder.compute.readout import read_layers, row_names
from core.train.experiment import Record, carried, rebuild, record_of, tokenizer_of
from core.train.experiments.bounded import Bounded
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.train.snapshots import frame_steps

NAME = "lens"  # among the experiments
N_LAYER = 4
N_FRAME = 40
PROBE = "Tom and Mia played near the park. Mia hid under the bench."
NORMS = ("pre", "post")
FRAMES = {"top": np.uint16, "probabilities": np.float16, "rank": np.uint16, "truth": np.float16}


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What is trained.

    Args:
        norm: "pre", as in GPT-2: the stream is normed before it is read out; "post", as in 2017.
        tied: whether the output layer is the embedding matrix, transposed.
        n_step: training steps.

    Raises:
        ValueError: in plain words, if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 1_000}
    norm: str = "pre"
    tied: bool = True
    n_step: int = 500

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm not in NORMS:
            raise ValueError(f"norm={self.norm!r:.20}: there are pre and post")


def recipe(options: Options) -> Recipe:
    """Four layers, 40 wide, on the stories."""
    return Recipe(
        name="lens",
        title="The logit lens over a training",
        corpus="stories",
        tokenizer="word",
        model={
            "n_layer": N_LAYER,
            "n_head": 4,
            "d_model": 40,
            "context_length": 32,
            "positions": "learned",
            "tied": options.tied,
            "block": {"norm_first": options.norm == "pre"},
        },
        optimizer="adamw",
        learning_rate=4e-3,
        batch_size=16,
        n_step=options.n_step,
    )


@memoize(1)
def tokenizer() -> Tokenizer:
    """Of the stories, whatever is trained on them."""
    return tokenizer_of(record_of(NAME))


def config_of(record: Record, options: Options) -> Any:
    """The config of a record's model."""
    return recipe(options).config(tokenizer_of(record).vocab_size)


def model_of(record: Record, options: Options) -> Any:
    """The model of a record, as far as it is trained."""
    return rebuild(record, NAME, config_of(record, options))


def table(record: Record) -> dict[str, list[Any]]:
    """Frame by frame: at how many places each layer has the true token in front, and how sure of it it is."""
    ranks, truth = record["frames.rank"], record["frames.truth"].astype(np.float64)
    names = row_names(ranks.shape[1] - 1)
    found: dict[str, list[Any]] = {"step": record["step"].tolist()}
    found |= {f"{name}: true token in front": (ranks[:, n, :-1] == 1).sum(-1).tolist() for n, name in enumerate(names)}
    return found | {
        f"{name}: mean probability of it": truth[:, n, :-1].mean(-1).round(4).tolist() for n, name in enumerate(names)
    }


class Lens:
    """One training, looked at through the lens.

    Raises:
        core.data.corpora.CorpusRefused: if the text is not there.
    """

    title: ClassVar[str] = "The logit lens over a training"

    def __init__(self, options: Options, seed: int) -> None:
        self.n_step, self.step = options.n_step, 0
        self.run = TrainRun(recipe(options), seed, "cpu", dtype="float32")
        self._tokenizer = carried(self.run.tokenizer)
        self._probe = torch.tensor(self.run.tokenizer.encode(PROBE))
        self._looks = set(frame_steps(self.n_step, N_FRAME))
        self._steps: list[int] = []
        self._seen: list[readout.Lens] = []
        self._look()

    def advance(self) -> None:
        self.run.advance(steps=1)
        self.step += 1
        self._look()

    def _look(self) -> None:
        if self.step in self._looks:
            self._steps.append(self.step)
            self._seen.append(read_layers(self.run.model, self._probe))

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see:

        step (n,); frames.top, frames.probabilities (n, L + 1, T, 5); frames.rank, frames.truth (n, L + 1, T).
        curve.step, curve.loss: nats per token; probe (T,); blind: ln V; tokenizer; model.lens.<parameter>.
        """
        points = self.run.history
        return {
            "step": np.array(self._steps, dtype=np.int32),
            "probe": self._probe.numpy().astype(np.int32),
            "blind": np.array(self.run.blind_loss),
            "tokenizer": self._tokenizer,
            "curve.step": np.array([p.step for p in points], dtype=np.int32),
            "curve.loss": np.array([p.loss for p in points], dtype=np.float32),
            **{
                f"frames.{name}": np.stack([getattr(one, name) for one in self._seen]).astype(kind)
                for name, kind in FRAMES.items()
            },
        } | {f"model.lens.{name}": w.detach().numpy().copy() for name, w in self.run.model.named_parameters()}
