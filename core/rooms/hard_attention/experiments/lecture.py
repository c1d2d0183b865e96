"""A lecture note's attention class learns to reverse strings: as written, and with its repairs made one by one.

Five versions of the class, and a decoder without any attention beside them, in the same encoder-decoder, on the same
strings. The strings of a batch differ in length, so that there is padding. What each version can read from the source
differs; that the decoder starts from the encoder's last state is common to all, so even a broken class learns a lot.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.models import registry
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.rooms.hard_attention.compute.lecture_attention import LectureAttention, Repairs, Widths
from core.train.experiments.bounded import Bounded
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

LETTERS = "abcdefgh"
EXTRA = len(LETTERS)  # id of the padding in the source, and of the start in the target
BLIND = 1 / len(LETTERS)  # accuracy of guessing
D_MODEL = 24
SHORTEST = 4
LONGEST = 12
BATCH = 32
N_HELD = 256
LEARNING_RATE = 1e-2
N_LOOK = 20  # times that the accuracy is measured
NO_ATTENTION = "none"
NAMES: MappingProxyType[str, str] = MappingProxyType(
    {
        "none": "no attention at all",
        "written": "as written",
        "axis": "one weight per token",
        "axis-mask": "one weight per token, mask",
        "encoder-axis": "encoder asked",
        "all": "encoder asked, mask",
    }
)
# Every set of repairs that runs computes what one of these does; see `variant_of`.
VARIANTS: MappingProxyType[str, Repairs | None] = MappingProxyType(
    {
        NO_ATTENTION: None,
        "written": Repairs(),
        "axis": Repairs(axis=True),
        "axis-mask": Repairs(axis=True, mask=True),
        "encoder-axis": Repairs(encoder=True, axis=True),
        "all": Repairs(encoder=True, axis=True, mask=True, sizes=True),
    }
)


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        longest: letters of the longest strings.
        n_step: training steps of each version.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"longest": LONGEST, "n_step": 600}  # about half a minute on one core
    longest: int = LONGEST
    n_step: int = 250

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.longest < SHORTEST:
            raise ValueError(f"strings of up to {self.longest} letters: the shortest have {SHORTEST}")


def variant_of(repairs: Repairs) -> str | None:
    """The trained version that computes what these repairs compute; None where they do not run together.

    - `sizes` changes no number here, where all widths are the same.
    - The mask alone gives one weight for each source token, and so makes the repair `axis` on the way.
    - With `encoder` but without `axis` the weights have a dimension too many, and the next line fails.
    """
    if repairs.encoder:
        return ("all" if repairs.mask else "encoder-axis") if repairs.axis else None
    return "axis-mask" if repairs.mask else "axis" if repairs.axis else "written"


def widths() -> Widths:
    """All the same: with other widths the class as written does not run."""
    return Widths(enc_emb=D_MODEL, enc_hidden=D_MODEL, dec_emb=D_MODEL, dec_hidden=D_MODEL)


def empty(repairs: Repairs | None) -> Seq2Seq:
    """An encoder-decoder with the lecture's class for its attention, or without any; its weights are to be filled."""
    attention = "none" if repairs is None else "additive"
    config = Seq2SeqConfig(source_vocab=EXTRA + 1, vocab_size=EXTRA + 1, d_model=D_MODEL, attention=attention)
    model: Seq2Seq = registry.empty(config)
    if repairs is not None:
        with torch.device("meta"):
            model.decoder.attn = LectureAttention(widths(), repairs)
    return model


def build(repairs: Repairs | None, seed: int) -> Seq2Seq:
    """The same, with weights drawn from the seed; the class's own are drawn last, so that the others agree."""
    model = empty(repairs).to_empty(device="cpu")
    attention, model.decoder.attn = model.decoder.attn, None
    generator = torch.Generator().manual_seed(seed)
    model.init_weights(generator)
    model.decoder.attn = attention
    if isinstance(attention, LectureAttention):
        attention.init_weights(generator)
    return model


class Strings(NamedTuple):
    """A batch of strings, padded at the end.

    Attributes:
        source: (B, S); target_in: (B, S), the answer shifted right; target: (B, S), the answer.
        mask: (B, S), True where there is a letter, of the source as of the answer.
    """

    source: Int[Tensor, "B S"]
    target_in: Int[Tensor, "B S"]
    target: Int[Tensor, "B S"]
    mask: Bool[Tensor, "B S"]


def reversal(source: Int[Tensor, "B S"], lengths: Int[Tensor, "B 1"]) -> Strings:
    """Strings and their answers: the same letters backwards.

    Args:
        source: letters; those from each row's length on become padding.
    """
    places = torch.arange(source.shape[1])
    mask = places < lengths
    target = source.gather(1, (lengths - 1 - places).clamp(min=0)).masked_fill(~mask, EXTRA)
    target_in = torch.cat([torch.full_like(target[:, :1], EXTRA), target[:, :-1]], 1)
    return Strings(source.masked_fill(~mask, EXTRA), target_in, target, mask)


def draw(n: int, longest: int, generator: torch.Generator) -> Strings:
    """n random strings of 4 to `longest` letters."""
    lengths = torch.randint(SHORTEST, longest + 1, (n, 1), generator=generator)
    return reversal(torch.randint(len(LETTERS), (n, longest), generator=generator), lengths)


def held_out(seed: int, longest: int) -> Strings:
    """The strings that measure the accuracy: the first that the seed gives. Training goes on with those after them."""
    return draw(N_HELD, longest, torch.Generator().manual_seed(seed))


class Lecture:
    """All versions beside each other, one step of each at a time, on the same strings.

    Args:
        options: see there.
        seed: of the weights and of all strings.
    """

    title: ClassVar[str] = "Fix the lecture's code"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._longest = options.longest
        self.models = {name: build(repairs, seed) for name, repairs in VARIANTS.items()}
        self._trainers = {name: _trainer(model, self.n_step) for name, model in self.models.items()}
        self._generator = torch.Generator().manual_seed(seed)
        self._held = draw(N_HELD, self._longest, self._generator)  # `held_out`
        self._every = max(1, round(self.n_step / N_LOOK))
        self._steps: list[int] = []
        self._accuracies: dict[str, list[float]] = {name: [] for name in VARIANTS}
        self._look()

    def advance(self) -> None:
        """One step of all versions on the same strings; the rate falls to 0 over the second half."""
        batch = draw(BATCH, self._longest, self._generator)
        for name, model in self.models.items():
            logits = model(batch.source, batch.target_in, batch.mask)
            self._trainers[name].learn(F.cross_entropy(logits[batch.mask], batch.target[batch.mask]))
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, for each version v:

        step (n,); curve.v.accuracy (n,): share of letters that are right, given the right ones before.
        whole.v: at the end, share of strings that it writes without a fault, from its own letters.
        model.v.<parameter>: the weights now.
        """
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps)}
        for name, model in self.models.items():
            found[f"curve.{name}.accuracy"] = np.array(self._accuracies[name], dtype=np.float32)
            found |= self._trainers[name].weights(name)
            if self.step == self.n_step:
                wrong = (write(model, self._held) != self._held.target) & self._held.mask
                found[f"whole.{name}"] = np.array(1 - float(wrong.any(1).float().mean()))
        return found

    def _look(self) -> None:
        self._steps.append(self.step)
        for name, model in self.models.items():
            self._accuracies[name].append(accuracy(model, self._held))


@torch.no_grad()
def accuracy(model: Seq2Seq, strings: Strings) -> float:
    """Share of letters that are right, given the right ones before (teacher forcing)."""
    said = model(strings.source, strings.target_in, strings.mask).argmax(-1)
    return float((said == strings.target)[strings.mask].float().mean())


@torch.no_grad()
def write(model: Seq2Seq, strings: Strings) -> Int[Tensor, "B S"]:
    """What the model writes by itself: at each step the likeliest letter, after its own letters before."""
    states, state = model.encode(strings.source, strings.mask)
    ids, written = strings.target_in[:, 0], []
    for _ in range(strings.source.shape[1]):
        logits, state = model.step(ids, state, states, strings.mask)
        ids = logits[:, : len(LETTERS)].argmax(-1)
        written.append(ids)
    return torch.stack(written, 1)


def model_of(record: Any, variant: str) -> Seq2Seq:
    """A version with the weights of the record, frozen, to look at."""
    model = empty(VARIANTS[variant])
    names = [name for name, _ in model.named_parameters()]
    registry.fill(model, {name: torch.from_numpy(np.array(record[f"model.{variant}.{name}"])) for name in names})
    return model.eval().requires_grad_(False)


def _trainer(model: Any, n_step: int) -> Trainer:
    optimizer = AdamW(dict(model.named_parameters()), learning_rate=LEARNING_RATE)
    return Trainer(model, optimizer, half_then_down(n_step), n_step=n_step, dtype=np.float32)
