"""A lecture note's attention class learns to reverse strings: as written, and with its repairs one by one.

Five versions of the class, and a decoder without any attention, learn in the same encoder-decoder from the same
strings.
The strings of a batch differ in length, so there is padding. The versions differ in what they can read from the source;
they all start the decoder from the encoder's last state, so even a broken class learns a lot.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.models import registry
from core.models.recurrent_seq2seq import RecurrentSeq2Seq, RecurrentSeq2SeqConfig
from core.rooms.hard_attention.compute.lecture_attention import LectureAttention, LectureWidths, Repairs
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)

LETTERS = "abcdefgh"
PADDING_ID = len(LETTERS)  # id of the padding in the source, and of the start token in the target
CHANCE_ACCURACY = 1 / len(LETTERS)  # accuracy of random guessing
D_MODEL = 24
# All equal, because with different widths the class as written does not run.
WIDTHS = LectureWidths(enc_emb=D_MODEL, enc_hidden=D_MODEL, dec_emb=D_MODEL, dec_hidden=D_MODEL)
MIN_LENGTH = 4
MAX_LENGTH = 12
BATCH = 32
N_HELD = 256
LEARNING_RATE = 1e-2
N_EVAL = 20  # evaluations
VERSION_NAMES: Mapping[str, str] = {
    "none": LABELS["version.none"],
    "written": LABELS["version.written"],
    "axis": LABELS["version.axis"],
    "axis-mask": LABELS["version.axis-mask"],
    "encoder-axis": LABELS["version.encoder-axis"],
    "all": LABELS["version.all"],
}
# Every set of repairs that runs computes the same as one of these; see `trained_version`.
VERSION_REPAIRS: Mapping[str, Repairs | None] = {
    "none": None,
    "written": Repairs(),
    "axis": Repairs(axis=True),
    "axis-mask": Repairs(axis=True, mask=True),
    "encoder-axis": Repairs(encoder=True, axis=True),
    "all": Repairs(encoder=True, axis=True, mask=True, sizes=True),
}


class Options(Inputs, prefix="lecture_"):
    longest: int = segmented_control((8, MAX_LENGTH), MAX_LENGTH)
    n_step: int = hidden_training_steps(250, most=600)  # about half a minute on one core


def trained_version(repairs: Repairs) -> str | None:
    """Return the trained version that computes the same as these repairs; None if they don't run together.

    - `sizes` makes no difference here, because all widths are equal.
    - The mask alone already gives one weight for each source token, so it includes the repair `axis`.
    - With `encoder` but without `axis`, the weights have one dimension too many, and the next line fails.
    """
    if repairs.encoder:
        return ("all" if repairs.mask else "encoder-axis") if repairs.axis else None
    return "axis-mask" if repairs.mask else "axis" if repairs.axis else "written"


def _empty_lecture_model(repairs: Repairs | None) -> RecurrentSeq2Seq:
    """Return an encoder-decoder with the lecture's attention class, or without attention, on the meta device."""
    attention = "none" if repairs is None else "additive"
    config = RecurrentSeq2SeqConfig(
        source_vocab=PADDING_ID + 1, vocab_size=PADDING_ID + 1, d_model=D_MODEL, attention=attention
    )
    model: RecurrentSeq2Seq = registry.build_empty(config)
    if repairs is not None:
        with torch.device("meta"):
            model.decoder.attn = LectureAttention(WIDTHS, repairs)
    return model


def build_lecture_model(repairs: Repairs | None, seed: int) -> RecurrentSeq2Seq:
    """Build it with weights drawn from the seed; the class's own are drawn last, so that the others agree."""
    model = _empty_lecture_model(repairs).to_empty(device="cpu")
    attention, model.decoder.attn = model.decoder.attn, None
    generator = torch.Generator().manual_seed(seed)
    model.init_weights(generator)
    model.decoder.attn = attention
    if isinstance(attention, LectureAttention):
        attention.init_weights(generator)
    return model


class Strings(NamedTuple):
    """A batch of strings and their answers, padded at the end."""

    source: Int[Tensor, "B S"]
    target_in: Int[Tensor, "B S"]  # the answer shifted right
    target: Int[Tensor, "B S"]
    mask: Bool[Tensor, "B S"]  # True for letters, both of the source and of the answer


def reverse_strings(source: Int[Tensor, "B S"], lengths: Int[Tensor, "B 1"]) -> Strings:
    """Return strings and their reversals; everything beyond a row's length becomes padding."""
    places = torch.arange(source.shape[1])
    mask = places < lengths
    target = source.gather(1, (lengths - 1 - places).clamp(min=0)).masked_fill(~mask, PADDING_ID)
    target_in = torch.cat([torch.full_like(target[:, :1], PADDING_ID), target[:, :-1]], 1)
    return Strings(source.masked_fill(~mask, PADDING_ID), target_in, target, mask)


def draw_strings(n: int, longest: int, generator: torch.Generator) -> Strings:
    """Draw n random strings of 4 to `longest` letters."""
    lengths = torch.randint(MIN_LENGTH, longest + 1, (n, 1), generator=generator)
    return reverse_strings(torch.randint(len(LETTERS), (n, longest), generator=generator), lengths)


def held_out_strings(seed: int, longest: int) -> Strings:
    """Return the strings for measuring accuracy: the first ones of the seed. Training uses those after them."""
    return draw_strings(N_HELD, longest, torch.Generator().manual_seed(seed))


class Lecture(Experiment):
    """All versions side by side, on the same strings.

    Its record, for each version v: curve.v.accuracy (n,): fraction of letters right with teacher forcing; whole.v: at
    the end, fraction of strings that it writes without a mistake when it reads its own letters.
    """

    title = LABELS["title"]
    n_eval = N_EVAL
    precision = np.float32

    def begin(self) -> None:
        self.trainers = {
            name: Trainer(
                model := build_lecture_model(repairs, self.seed),
                AdamW(dict(model.named_parameters()), learning_rate=LEARNING_RATE),
                constant_then_linear(self.n_step),
                n_step=self.n_step,
                dtype=np.float32,
            )
            for name, repairs in VERSION_REPAIRS.items()
        }
        self._held = draw_strings(N_HELD, self.options.longest, self.generator)  # `held_out_strings`

    def batch(self) -> Strings:
        return draw_strings(BATCH, self.options.longest, self.generator)

    def loss(self, model: RecurrentSeq2Seq, source: Tensor, target_in: Tensor, target: Tensor, mask: Tensor) -> Tensor:
        return F.cross_entropy(model(source, target_in, mask)[mask], target[mask])

    def measure(self) -> Mapping[str, ArrayLike]:
        return {f"curve.{name}.accuracy": letter_accuracy(one.model, self._held) for name, one in self.trainers.items()}

    def latest(self) -> Mapping[str, ArrayLike]:
        if self.step < self.n_step:
            return {}
        wrong = {
            name: (write_strings(one.model, self._held) != self._held.target) & self._held.mask
            for name, one in self.trainers.items()
        }
        return {f"whole.{name}": 1 - float(rows.any(1).float().mean()) for name, rows in wrong.items()}


@torch.no_grad()
def letter_accuracy(model: RecurrentSeq2Seq, strings: Strings) -> float:
    """Return the fraction of letters that are right with teacher forcing."""
    said = model(strings.source, strings.target_in, strings.mask).argmax(-1)
    return float((said == strings.target)[strings.mask].float().mean())


@torch.no_grad()
def write_strings(model: RecurrentSeq2Seq, strings: Strings) -> Int[Tensor, "B S"]:
    """Generate greedily: at each step the most probable letter, given the model's own letters before."""
    states, state = model.encode(strings.source, strings.mask)
    ids, written = strings.target_in[:, 0], []
    for _ in range(strings.source.shape[1]):
        logits, state = model.step(ids, state, states, strings.mask)
        ids = logits[:, : len(LETTERS)].argmax(-1)
        written.append(ids)
    return torch.stack(written, 1)


def model_of(record: Record, variant: str) -> RecurrentSeq2Seq:
    """Rebuild a version with the record's weights, frozen, for inference."""
    model = _empty_lecture_model(VERSION_REPAIRS[variant])
    names = [name for name, _ in model.named_parameters()]
    registry.fill_weights(
        model, {name: torch.from_numpy(np.array(record[f"model.{variant}.{name}"])) for name in names}
    )
    return model.eval().requires_grad_(False)
