"""A captioner learns to describe digits: which one, how much ink, how it leans."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import images
from core.generate.seq2seq import greedy
from core.models.captioner import READS, Captioner, CaptionerConfig
from core.models.seq2seq import shift_right
from core.rooms.captions.compute import captions
from core.rooms.captions.compute.captions import END, LONGEST, PARTS, START, WORDS
from core.train.experiment import Record, rebuild
from core.train.experiments.augment import augment
from core.train.experiments.bounded import Bounded
from core.train.experiments.evaluation_steps import evaluation_steps
from core.train.experiments.live import Live
from core.train.experiments.plain_classifiers import support_vectors
from core.train.experiments.trainers import muon_trainer

BATCH, RATE, SPREAD, WARP = 128, 0.8, 2.0, 0.6
N_LOOK, LOOK_BEND = 20, 1.4  # times that all is measured; the first ones closer together
N_FILM = 12  # held-out digits whose captions are kept at each look
PLAIN_AT = 40  # the step after which the rival is asked: loading scikit-learn takes a second
NOT_THERE = -100  # after the end; cross_entropy passes it over


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_step: training steps.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 3_000}  # some minutes on one core
    n_step: int = 1_300


def config(reads: str = "patches") -> CaptionerConfig:
    """A small captioner for pictures of 8 x 8 pixels, cut into 16 patches.

    Args:
        reads: "patches" or "class": what the decoder reads.
    """
    return CaptionerConfig(
        vocab_size=len(WORDS), context_length=LONGEST, reads=reads, n_layer=1, n_decoder_layer=2, n_head=4, d_model=48,
        d_ff=96,
    )  # fmt: skip


def captioner(run: Live, reads: str = "patches") -> Captioner:
    """The trained model, not to be changed."""
    model: Captioner = rebuild(run.record, "captions", config(reads)).float()
    return model


class Captions:
    """One captioner, which sees each digit a little turned, slanted, stretched and moved, differently every time.

    What is measured is measured on the picture that it sees, so a slanted seven gets the caption of a slanted seven.

    Args:
        options: see there.
        seed: of the weights, of the order of the pictures and of how they are warped.
    """

    title: ClassVar[str] = "Captions"
    reads: ClassVar[str] = READS[0]

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._trainer = muon_trainer(config(self.reads), seed, self.n_step, rate=RATE, spread=SPREAD)
        self._generator = torch.Generator().manual_seed(seed)
        self._learn, self._held = images.to_learn(), images.held_out()
        self._pictures = torch.from_numpy(self._learn.shades)
        self._asked, self._truth = torch.from_numpy(self._held.shades), truth(self._held)
        self._looks = set(evaluation_steps(self.n_step, N_LOOK, LOOK_BEND))
        self._curves: dict[str, list[float]] = {name: [] for name in ("step", "loss", "exact", *PARTS)}
        self._film: list[NDArray[np.uint8]] = []
        self._written = np.zeros((len(self._held), LONGEST), np.uint8)
        self._rival: NDArray[np.uint8] | None = None
        self._look()

    @property
    def model(self) -> Captioner:
        """As it is now."""
        model: Captioner = self._trainer.model
        return model

    def advance(self) -> None:
        which = torch.randint(len(self._learn), (BATCH,), generator=self._generator)
        seen = levels(augment(self._pictures[which], self._generator, WARP))
        target = torch.from_numpy(captions.encode(seen, self._learn.labels[which.numpy()]))
        self._trainer.learn(loss(self.model, torch.from_numpy(images.Digits(seen, target.numpy()).shades), target))
        self.step += 1
        if self.step in self._looks:
            self._look()
        if self.step == min(PLAIN_AT, self.n_step):
            self._rival = support_vectors(self._learn, self._held).said.astype(np.uint8)

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, by name.

        curve.step, .loss (nats a token), .exact, .digit, .ink, .slant (S,): on the 360 held-out digits, the shares of
        captions that it writes by itself and that are right: as a whole, and in what they say; written (360, T): those
        captions now; frames.written (S, 12, T): of some digits at each look; rival (360,): for which digits a support
        vector machine takes the pictures, as soon as it is there.
        """
        found: dict[str, NDArray[Any]] = {
            f"curve.{name}": np.array(values, np.float32) for name, values in self._curves.items()
        }
        found |= {"written": self._written, "frames.written": np.stack(self._film)}
        if self._rival is not None:
            found["rival"] = self._rival
        return found | self._trainer.weights("captions")

    @torch.no_grad()
    def _look(self) -> None:
        """Let it describe the held-out digits by itself. Nothing is chosen by it."""
        self._written = write(self.model, self._asked)
        self._film.append(self._written[film_digits(len(self._held))])
        self._curves["step"].append(self.step)
        self._curves["loss"].append(float(loss(self.model, self._asked, torch.from_numpy(self._truth))))
        for name, share in shares(self._written, self._truth).items():
            self._curves[name].append(share)


def table(record: Record) -> dict[str, list[float]]:
    """Shares of right captions and of what they say, and the loss, look by look."""
    return {"step": record["curve.step"].tolist()} | {
        name: record[f"curve.{name}"].tolist() for name in ("exact", *PARTS, "loss")
    }


def truth(digits: images.Digits) -> NDArray[np.int64]:
    """(N, T) the true captions of these digits."""
    return captions.encode(digits.pixels, digits.labels)


def levels(pictures: Float[Tensor, "B 1 Y X"]) -> NDArray[np.uint8]:
    """(B, Y, X) shades from 0 to 1 as the nearest of the 17 levels that a digit's pixel can have."""
    return (pictures[:, 0] * (images.N_LEVEL - 1)).round().to(torch.uint8).numpy()


def loss(model: Captioner, pictures: Float[Tensor, "B 1 Y X"], target: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Nats for each token up to the full stop, under teacher forcing: the decoder reads the true words before it."""
    logits = model(pictures, shift_right(target, START))  # (B, T, V)
    over = (target == END).cumsum(1) > 1  # what fills a shorter caption up
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), target.masked_fill(over, NOT_THERE).flatten(), ignore_index=NOT_THERE
    )


def write(model: Captioner, pictures: Float[Tensor, "B 1 Y X"]) -> NDArray[np.uint8]:
    """(B, T) the captions that it writes by itself, always the most probable word; filled up with full stops."""
    ids = greedy(model, pictures, start_id=START, end_id=END, max_new_tokens=LONGEST).numpy()
    return np.pad(ids, ((0, 0), (0, LONGEST - ids.shape[1])), constant_values=END).astype(np.uint8)


def shares(written: NDArray[np.integer], true: NDArray[np.integer]) -> dict[str, float]:
    """exact: captions that are right as a whole; digit, ink, slant: those that say the right thing of it."""
    said, asked = ([captions.parts(captions.decode(row)) for row in rows.tolist()] for rows in (written, true))
    found = {"exact": float(np.mean((written == true).all(1)))}
    for i, name in enumerate(PARTS):
        found[name] = float(np.mean([a[i] == b[i] for a, b in zip(said, asked, strict=True)]))
    return found


def film_digits(n: int) -> NDArray[np.int64]:
    """Numbers of the held-out digits whose captions are kept at each look, evenly spread."""
    return np.arange(N_FILM) * (n // N_FILM)
