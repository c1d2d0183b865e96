"""A small GPT with rotary positions learns from texts of 64 tokens, and then reads texts eight times as long.

Its texts are Python's documentation, letter by letter. Each has a needle: a secret sign that is told once and asked for
later. So two things can be measured beyond the trained length: how well it predicts the next letter, for which the
last few letters are nearly enough, and whether it finds the needle, for which they are not.

The ways of reading are in `core.rooms.long_texts.compute.reading_ways`. Four of them are then fine-tuned for some steps
on long texts, as position interpolation and YaRN were in their papers.
"""

import copy
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from torch.nn import functional as F

from core.data import corpora, tokenizers
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle
from core.rooms.long_texts.compute.reading_ways import FREQUENCY_WAYS, WAY_NAMES, long_text_reader
from core.train import objectives
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import muon_trainer
from core.train.optimizers import AdamW
from core.train.tasks.defaults import FAST_BLOCK
from core.train.trainer import Trainer

LABELS = module_labels(__name__)

CORPUS = "python-topics"
TRAINED_LENGTH = 64  # tokens of a training text
LENGTH_FACTOR = 8
MAX_LENGTH = LENGTH_FACTOR * TRAINED_LENGTH
BIN_SIZE = 16  # positions per point of the curves
N_SIGN = 16  # different signs that can be the secret
BATCH = 32
N_ASK = 3  # times that a text of 64 tokens asks for its secret; longer ones ask at the same rate
N_HELD, N_TEXT = 16, 24  # held-out texts during the run, and at the end
NEEDLE_LENGTHS = (64, 128, 256, 512)  # of the texts with a needle
NEEDLE_DEPTHS = (0.05, 0.25, 0.5, 0.75, 0.95)  # position of the needle, as a fraction of the text
N_NEEDLE = 16  # texts for each length and depth
N_STEP, N_PER_WAY = 660, 40  # steps in total, and fine-tuning steps per way
SHORT_RUN = 100  # steps: a shorter run is evaluated on fewer texts
LONG_BATCH = 2
LONG_RATE = 1e-3
EVAL_EVERY = 20
IGNORED_TARGET = -100


class Options(Inputs, prefix="long_"):
    """The number of training steps, of the model and then of the four ways."""

    n_step: int = hidden_training_steps(N_STEP, most=2 * N_STEP)


def split_steps(n_step: int) -> tuple[int, int]:
    """Return the number of training steps at 64 tokens, and of fine-tuning steps per way."""
    per_way = max(1, n_step * N_PER_WAY // N_STEP)
    return max(1, n_step - len(FREQUENCY_WAYS) * per_way), per_way


def config(n_letter: int, n_kv_head: int | None = None) -> GPTConfig:
    """Return the model's config, whose tokens are letters, "begin", "tell", "ask", and the signs."""
    return GPTConfig(
        vocab_size=n_letter + 3 + N_SIGN,
        context_length=TRAINED_LENGTH,
        n_layer=2,
        n_head=2,
        d_model=64,
        modern=Modern(n_kv_head=n_kv_head),
        positions="rotary",
        tied=False,
        block=BlockStyle(**FAST_BLOCK),
    )


class NeedleTexts:
    """Documentation with needles.

    Attributes:
        parts: ids of the letters for training, and of the held-out ones.
        n_letter: number of different letters. The ids after them are: begin, tell, ask, and the signs.
    """

    def __init__(self) -> None:
        text = corpora.load(CORPUS).text
        tokenizer = tokenizers.train_tokenizer("char", text)
        self.n_letter = tokenizer.vocab_size
        self.parts = objectives.split_ids(torch.tensor(tokenizer.encode(text)), MAX_LENGTH)
        self.begin, self.tell, self.ask, self.sign = (self.n_letter + i for i in range(4))

    def draw(
        self, n: int, length: int, generator: torch.Generator, *, held_out: bool = False
    ) -> tuple[Int[Tensor, "B T_plus_1"], Bool[Tensor, "B T"]]:
        """Draw texts that tell a secret once and ask for it N_ASK times or more.

        Returns:
            ids: one token more than `length`.
            known: True where the next token is a letter or an asked secret; False where the secret is told.
        """
        ids = self._letters(n, length + 1, generator, held_out)
        n_ask = N_ASK * length // TRAINED_LENGTH
        # In pairs of positions, from the third token on, so that tell and secret, or ask and secret, are adjacent.
        slots = torch.rand(n, length // 2 - 1, generator=generator).argsort(-1)[:, : n_ask + 1].sort(-1).values
        place = 2 + 2 * slots
        secret = self.sign + torch.randint(N_SIGN, (n, 1), generator=generator)
        ids.scatter_(1, place, self.ask).scatter_(1, place + 1, secret.expand(-1, n_ask + 1))
        ids.scatter_(1, place[:, :1], self.tell)
        return ids, ids[:, :-1] != self.tell

    def needle(
        self, n: int, length: int, depth: float, generator: torch.Generator
    ) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"]]:
        """Draw held-out texts that tell a secret at a depth and ask for it at the end; also return the secrets."""
        ids = self._letters(n, length, generator, held_out=True)
        at = min(length - 4, max(1, round(depth * length)))
        secret = self.sign + torch.randint(N_SIGN, (n,), generator=generator)
        ids[:, at], ids[:, at + 1], ids[:, -1] = self.tell, secret, self.ask
        return ids, secret

    def _letters(self, n: int, length: int, generator: torch.Generator, held_out: bool) -> Int[Tensor, "B T"]:
        letters = self.parts[int(held_out)]
        starts = torch.randint(len(letters) - length, (n,), generator=generator)
        ids = letters.unfold(0, length, 1)[starts].clone()
        ids[:, 0] = self.begin
        return ids


LogitFunction = Callable[[Tensor], Tensor]


@torch.no_grad()
def letter_losses(model: LogitFunction, ids: Int[Tensor, "B T_plus_1"], n_letter: int) -> Float[Tensor, " T"]:
    """Return the loss of the next letter in nats by position, averaged over texts. (T,), nan if no letter is next."""
    losses = torch.cat(
        [F.cross_entropy(model(some[:, :-1]).mT, some[:, 1:], reduction="none") for some in ids.split(8)]
    )
    is_letter = ids[:, 1:] < n_letter
    return losses.masked_fill(~is_letter, torch.nan).nanmean(0)


@torch.no_grad()
def needle_accuracy(model: LogitFunction, ids: Int[Tensor, "B T"], secret: Int[Tensor, " B"]) -> float:
    """Return the fraction of texts in which the most probable token after the last one is the secret."""
    said = torch.cat([model(some)[:, -1].argmax(-1) for some in ids.split(8)])
    return float((said == secret).float().mean())


class LongTexts(Experiment):
    """One model, read in the six ways of `WAY_NAMES`; four of them once more after some steps on long texts.

    Its record: curve.inside, curve.beyond: loss of the next letter within the trained length, and in the same number of
    tokens after it; curve.found: fraction of needles found within it; blind: loss of a model that only knows how often
    each letter occurs. At the end, for each way w: position.w (bins,) loss of the next letter, 16 positions to a bin;
    found.w (lengths, depths) fraction of needles found; and tuned.position.w, tuned.found.w for the four ways that were
    fine-tuned.
    """

    title = LABELS["title"]
    keeps_weights = False
    precision = np.float32

    def begin(self) -> None:
        self.texts = NeedleTexts()
        self.n_main, self.n_more = split_steps(self.n_step)
        self.trainers = {"model": muon_trainer(config(self.texts.n_letter), self.seed, self.n_main)}
        judged = torch.Generator().manual_seed(self.seed + 1)  # the evaluation texts have a generator of their own
        self._short = self.texts.draw(N_HELD, 2 * TRAINED_LENGTH, judged, held_out=True)[0]
        # A short run is evaluated on a few texts; a precise evaluation would take longer than the run.
        n_text, n_needle = (N_TEXT, N_NEEDLE) if self.n_step >= SHORT_RUN else (2, 1)
        self._long = self.texts.draw(n_text, MAX_LENGTH, judged, held_out=True)[0]
        places = [(length, depth) for length in NEEDLE_LENGTHS for depth in NEEDLE_DEPTHS]
        self._needles = {at: self.texts.needle(n_needle, *at, judged) for at in places}
        frequencies = torch.bincount(self.texts.parts[0], minlength=self.texts.n_letter) + 1
        held_out = self._long[self._long < self.texts.n_letter]
        blind = -(frequencies / frequencies.sum()).log()[held_out].mean()
        self._found: dict[str, ArrayLike] = {"blind": np.float32(blind)}
        self._unread = [*WAY_NAMES]
        self._more: Trainer | None = None  # of the way that is being fine-tuned

    def eval_steps(self) -> Iterable[int]:
        return {0, 1, 5, 10, *range(EVAL_EVERY, self.n_main, EVAL_EVERY), self.n_main, self.n_step}

    def learn(self) -> None:
        if self.step < self.n_main:
            self._learn(self.trainers["model"], BATCH, TRAINED_LENGTH)
            return
        number, step = divmod(self.step - self.n_main, self.n_more)
        way = FREQUENCY_WAYS[min(number, len(FREQUENCY_WAYS) - 1)]
        model = self.trainers["model"].model
        if step == 0:
            own = copy.deepcopy(long_text_reader(model, way, LENGTH_FACTOR, TRAINED_LENGTH))
            optimizer = AdamW(dict(own.named_parameters()), learning_rate=LONG_RATE)
            self._more = Trainer(own, optimizer, lambda step: 1 - step / self.n_more, n_step=self.n_more, clip=1.0)
        # One way at each step, so that there is always something new to see; at the last step all remaining ones.
        for _ in range(len(self._unread) if self.step == self.n_step - 1 else min(1, len(self._unread))):
            one = self._unread.pop(0)
            self._judge(long_text_reader(model, one, LENGTH_FACTOR, TRAINED_LENGTH), one)
        assert self._more is not None
        self._learn(self._more, LONG_BATCH, MAX_LENGTH)
        if step == self.n_more - 1:
            self._judge(self._more.model, way, "tuned.")

    def measure(self) -> Mapping[str, ArrayLike]:
        model = self.trainers["model"].model
        losses = letter_losses(model, self._short, self.texts.n_letter)
        found = [needle_accuracy(model, *self._needles[TRAINED_LENGTH, depth]) for depth in NEEDLE_DEPTHS]
        return {
            "curve.inside": float(losses[:TRAINED_LENGTH].nanmean()),
            "curve.beyond": float(losses[TRAINED_LENGTH:].nanmean()),
            "curve.found": float(np.mean(found)),
        }

    def latest(self) -> Mapping[str, ArrayLike]:
        return self._found

    def _learn(self, trainer: Trainer, n: int, length: int) -> None:
        ids, known = self.texts.draw(n, length, self.generator)
        targets = ids[:, 1:].masked_fill(~known, IGNORED_TARGET)
        trainer.learn(F.cross_entropy(trainer.model(ids[:, :-1]).mT, targets, ignore_index=IGNORED_TARGET))

    def _judge(self, model: GPT, way: str, before: str = "") -> None:
        losses = letter_losses(model, self._long, self.texts.n_letter)
        self._found[f"{before}position.{way}"] = bin_losses(losses)
        shares = [
            [needle_accuracy(model, *self._needles[length, depth]) for depth in NEEDLE_DEPTHS]
            for length in NEEDLE_LENGTHS
        ]
        self._found[f"{before}found.{way}"] = np.array(shares, dtype=np.float32)


def bin_losses(losses: Float[Tensor, " T"]) -> NDArray[np.float32]:
    """Return the mean of each 16 positions, (T / 16,)."""
    means: NDArray[np.float32] = losses.unflatten(0, (-1, BIN_SIZE)).nanmean(-1).numpy()
    return means
