"""A captioner learns to describe digits: their value, their ink and their slant."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.generate.seq2seq import greedy_decode
from core.models.images.captioner import MEMORIES, Captioner, CaptionerConfig
from core.models.recurrent_seq2seq import shift_right
from core.rooms.captions.compute import captions
from core.rooms.captions.compute.captions import END, MAX_WORDS, PARTS, START, WORDS
from core.train.experiment import Record, rebuild_model, step_table
from core.train.experiments.augment import augment
from core.train.experiments.base import Experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.fast_trainers import muon_trainer
from core.train.experiments.plain_classifiers import classify_with_support_vector_machine

LABELS = module_labels(__name__)
BATCH, RATE, SPREAD, WARP = 128, 0.8, 2.0, 0.6
N_EVAL, EVAL_BEND = 20, 1.4  # number of evaluations; the first ones are closer together
N_FILM = 12  # held-out digits whose captions are recorded at each evaluation
BASELINE_STEP = 40  # the step after which the baseline runs, because loading scikit-learn takes a second
IGNORED_ID = -100  # after the end; cross_entropy ignores it

CURVES = LABELS.options("curve", "exact", *PARTS, "loss")


class Options(Inputs):
    """The number of training steps."""

    n_step: int = hidden_training_steps(1_300, most=3_000)  # a few minutes on one core


def config(reads: str = "patches") -> CaptionerConfig:
    """Return the config of a small captioner for pictures of 8 x 8 pixels, cut into 16 patches.

    Args:
        reads: "patches" or "class", the decoder's input.
    """
    return CaptionerConfig(
        vocab_size=len(WORDS), context_length=MAX_WORDS, reads=reads, n_layer=1, n_decoder_layer=2, n_head=4,
        d_model=48, d_ff=96,
    )  # fmt: skip


def trained_captioner(run: ExperimentRun, reads: str = "patches") -> Captioner:
    """Return the trained model, frozen."""
    model: Captioner = rebuild_model(run.record, "captions", config(reads)).float()
    return model


class Captions(Experiment):
    """One captioner, which sees every digit slightly rotated, sheared, stretched and shifted, differently each time.

    Ink and slant are measured on the distorted picture, so a slanted seven gets the caption of a slanted seven.

    Its record: curve.loss (nats per token), .exact, .digit, .ink, .slant (n,): on the 360 held-out digits, the shares
    of generated captions that are right, as a whole and in each property; written (360, T): the current captions;
    frames.written (n, 12, T): those of some digits at each evaluation; rival (360,): the labels predicted by a support
    vector machine, as soon as they exist.
    """

    title = LABELS["title"]
    learned: ClassVar[tuple[str, ...]] = (
        "curve.exact > 0.95",
        "first curve.exact < 0.02",
        "curve.digit > 0.96",
        "curve.ink > 0.96",
        "curve.slant > 0.96",
        "3.257 < first curve.loss < 3.2592",
    )
    n_eval, eval_bend = N_EVAL, EVAL_BEND
    reads: ClassVar[str] = MEMORIES[0]
    precision = np.float32

    def begin(self) -> None:
        trainer = muon_trainer(config(self.reads), self.seed, self.n_step, rate=RATE, spread=SPREAD)
        self.trainers = {"captions": trainer}
        self._learn, self._held = images.training_digits(), images.held_out_digits()
        self._pictures = torch.from_numpy(self._learn.shades)
        self._asked, self._truth = torch.from_numpy(self._held.shades), true_captions(self._held)
        self._rival: NDArray[np.uint8] | None = None

    @property
    def model(self) -> Captioner:
        """The model in its current state."""
        model: Captioner = self.trainers["captions"].model
        return model

    def batch(self) -> tuple[Tensor, Tensor]:
        which = torch.randint(len(self._learn), (BATCH,), generator=self.generator)
        seen = round_to_levels(augment(self._pictures[which], self.generator, WARP))
        target = torch.from_numpy(captions.encode_captions(seen, self._learn.labels[which.numpy()]))
        return torch.from_numpy(images.DigitImages(seen, target.numpy()).shades), target

    def loss(self, model: Captioner, pictures: Tensor, target: Tensor) -> Float[Tensor, ""]:
        return caption_loss(model, pictures, target)

    def advance(self) -> None:
        super().advance()
        if self.step == min(BASELINE_STEP, self.n_step):
            self._rival = classify_with_support_vector_machine(self._learn, self._held).said.astype(np.uint8)

    def measure(self) -> Mapping[str, ArrayLike]:
        """Evaluate generated captions of the held-out digits. Nothing is selected with these numbers."""
        self._written = write_captions(self.model, self._asked)
        found: dict[str, ArrayLike] = {
            f"curve.{name}": s for name, s in caption_accuracy(self._written, self._truth).items()
        }
        found["curve.loss"] = float(caption_loss(self.model, self._asked, torch.from_numpy(self._truth)))
        return found | {"frames.written": self._written[film_digits(len(self._held))]}

    def latest(self) -> Mapping[str, ArrayLike]:
        return {"written": self._written} | ({} if self._rival is None else {"rival": self._rival})


def table(record: Record) -> dict[str, list[float]]:
    """Return the shares of right captions and properties, and the loss, evaluation by evaluation."""
    return step_table(record, {title: f"curve.{name}" for name, title in CURVES.items()})


def true_captions(digits: images.DigitImages) -> NDArray[np.int64]:
    """Return the true captions of these digits (N, T)."""
    return captions.encode_captions(digits.pixels, digits.labels)


def round_to_levels(pictures: Float[Tensor, "B 1 Y X"]) -> NDArray[np.uint8]:
    """Round shades from 0 to 1 to the nearest of the 17 levels of a digit's pixel, as (B, Y, X)."""
    return (pictures[:, 0] * (images.N_LEVEL - 1)).round().to(torch.uint8).numpy()


def caption_loss(model: Captioner, pictures: Float[Tensor, "B 1 Y X"], target: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Return the loss per token up to the full stop, in nats, with teacher forcing (the decoder reads the truth)."""
    logits = model(pictures, shift_right(target, START))  # (B, T, V)
    over = (target == END).cumsum(1) > 1  # padding of shorter captions
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), target.masked_fill(over, IGNORED_ID).flatten(), ignore_index=IGNORED_ID
    )


def write_captions(model: Captioner, pictures: Float[Tensor, "B 1 Y X"]) -> NDArray[np.uint8]:
    """Return the captions that the model generates greedily (B, T), padded with full stops."""
    ids = greedy_decode(model, pictures, start_id=START, end_id=END, max_new_tokens=MAX_WORDS).numpy()
    return np.pad(ids, ((0, 0), (0, MAX_WORDS - ids.shape[1])), constant_values=END).astype(np.uint8)


def caption_accuracy(written: NDArray[np.integer], true: NDArray[np.integer]) -> dict[str, float]:
    """Return the shares of captions that are right as a whole (exact), and in digit, ink and slant."""
    said, asked = (
        [captions.caption_parts(captions.decode_caption(row)) for row in rows.tolist()] for rows in (written, true)
    )
    found = {"exact": float(np.mean((written == true).all(1)))}
    for i, name in enumerate(PARTS):
        found[name] = float(np.mean([a[i] == b[i] for a, b in zip(said, asked, strict=True)]))
    return found


def film_digits(n: int) -> NDArray[np.int64]:
    """Return the indices, evenly spaced, of the held-out digits whose captions are recorded at each evaluation."""
    return np.arange(N_FILM) * (n // N_FILM)
