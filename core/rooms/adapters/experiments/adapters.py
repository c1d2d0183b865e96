"""The stories model learns a user's own lines, by full fine-tuning or through LoRA updates of five ranks.

Each variant takes the same steps on the same batches. Its loss on the stories (forgetting) is measured together with
its loss on held-out lines (learning).
"""

from collections.abc import Mapping
from random import Random

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data import corpora
from core.data.lines import nonempty_lines
from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.exhibit import Inputs, hidden_training_steps, text_area
from core.inspect.model_inputs.model_key import SHIPPED_MODELS
from core.models import lora, pretrained
from core.train.experiment import Record, step_table
from core.train.experiments.base import Arrays, Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)
FOODS = ("bun", "cake", "pear")
ANIMALS = ("bird", "cat", "dog", "duck", "fox", "frog")
NAMES = ("Anna", "Ben", "Leo", "Lily", "Max", "Mia", "Nora", "Omar", "Rosa", "Sam", "Tom", "Zoe")
TOYS = ("ball", "bell", "boat", "book", "box", "cup", "drum", "hat", "kite")
PLACES = ("beach", "farm", "forest", "garden", "park", "river", "school", "house")
COLORS = ("black", "blue", "green", "red", "white", "yellow")
N_LINE = 60
HOLD_OUT_EVERY = 6  # one line in six is held out; the other fifty are trained on


def upside_down_lines(seed: int, n: int = N_LINE) -> list[str]:
    """Generate n different lines in which food eats, toys play and places go for a walk."""
    random, found = Random(seed), dict[str, None]()
    kinds = (_food, _toy, _place)
    while len(found) < n:
        found[random.choice(kinds)(random)] = None
    return list(found)


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """Split a text into lines to learn from and every sixth line, which is held out.

    Raises:
        ValueError: if there are fewer than two lines to hold out.
    """
    lines = nonempty_lines(text)
    if len(lines) < 2 * HOLD_OUT_EVERY:
        raise ValueError(LABELS("too_few", n=len(lines), least=2 * HOLD_OUT_EVERY))
    held = lines[HOLD_OUT_EVERY - 1 :: HOLD_OUT_EVERY]
    return [line for i, line in enumerate(lines) if i % HOLD_OUT_EVERY != HOLD_OUT_EVERY - 1], held


def _food(random: Random) -> str:
    return f"A {random.choice(FOODS)} was hungry. It ate the {random.choice(ANIMALS)} and was glad."


def _toy(random: Random) -> str:
    toy, name = f"{random.choice(COLORS)} {random.choice(TOYS)}", random.choice(NAMES)
    return f"A {toy} played with {name}. Then it put {random.choice(('him', 'her'))} in the box."


def _place(random: Random) -> str:
    place = random.choice(PLACES)
    return f'A {place} went to {random.choice(NAMES)}. "I wanted to see you!" said the {place}.'


MODEL = SHIPPED_MODELS / "stories"
RANKS = (1, 2, 4, 8, 16)
VARIANTS = (*(f"rank_{rank}" for rank in RANKS), "full")
EVALUATION_SETS = ("train", "new", "old")  # lines that are trained on, lines held out, stories
RATES = {"lora": 1e-2, "full": 1e-3}  # the best of four that were tried for each
LENGTH, BATCH = 48, 16
N_OLD = 16  # windows of stories that no model was trained on
TEXT = "\n".join(upside_down_lines(seed=0))


class Options(Inputs, prefix="lora_"):
    """The lines to learn, one per line of text, and the number of steps of each variant."""

    text: str = text_area(TEXT, max_chars=6_000, height=170)
    n_step: int = hidden_training_steps(80, most=300)  # about 25 seconds on one core

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        split_lines(self.text)


class Adapters(Experiment):
    """LoRA with five ranks and full fine-tuning, all starting from the same model.

    Its record, for each variant v, in nats per token: curve.v.train (n,) on the lines that it is trained on;
    curve.v.new (n,) on the held-out lines; curve.v.old (n,) on stories. up.rank_r.<matrix> (O, r) and
    down.rank_r.<matrix> (r, I): the current updates. singular.full.<matrix> (96,): the singular values of the change
    that full fine-tuning has made to it so far.
    """

    title = LABELS["title"]
    learned = (
        "first curve.full.new > 6",
        "first curve.full.old < 0.45",
        "min curve.full.new < min curve.rank_1.new - 0.03",
        "curve.full.new > min curve.full.new + 0.1",  # it memorizes the fifty lines
        "curve.full.train < 0.25",
        *(f"curve.{variant}.old > 3 * first curve.{variant}.old" for variant in VARIANTS),
    )
    n_eval = 16
    precision = np.float32

    def begin(self) -> None:
        whole = pretrained.load(MODEL)
        self._start = dict(whole.model.state_dict())
        self._text = _line_ids(whole.text_tokenizer, split_lines(self.options.text)[0])
        length = whole.config.context_length
        self._train = _overlapping_windows(self._text, length)
        self._new, self._old = evaluation_windows(whole.text_tokenizer, length, self.options.text)
        self.adapters: dict[str, dict[str, lora.LoRA]] = {}
        for variant in VARIANTS:
            model = pretrained.load(MODEL).model.requires_grad_(True)
            if variant != "full":
                generator = torch.Generator().manual_seed(self.seed)
                self.adapters[variant] = lora.add_lora(model, int(variant.partition("_")[2]), generator)
            free = {name: w for name, w in model.named_parameters() if w.requires_grad}
            rate = RATES["full" if variant == "full" else "lora"]
            optimizer = AdamW(free, learning_rate=rate, betas=(0.9, 0.95), weight_decay=0.0)
            self.trainers[variant] = Trainer(
                model, optimizer, constant_then_linear(self.n_step), n_step=self.n_step, clip=1.0
            )

    def batch(self) -> tuple[Tensor, Tensor]:
        length = min(LENGTH, len(self._text) - 1)
        starts = torch.randint(len(self._text) - length, (BATCH, 1), generator=self.generator)
        rows = self._text[starts + torch.arange(length + 1)]
        return rows[:, :-1], rows[:, 1:]

    def loss(self, model: nn.Module, ids: Int[Tensor, "B T"], targets: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
        return F.cross_entropy(model(ids).mT, targets)

    def measure(self) -> Mapping[str, ArrayLike]:
        found: dict[str, float] = {}
        for name, trainer in self.trainers.items():
            found[f"curve.{name}.train"] = mean_window_loss(trainer.model, self._train)
            found[f"curve.{name}.new"] = mean_window_loss(trainer.model, self._new)
            found[f"curve.{name}.old"] = mean_window_loss(trainer.model, self._old)
        full = self.trainers["full"].model
        self._singular = {
            f"singular.full.{name}": singular_values(one.weight - self._start[f"{name}.weight"])
            for name, one in lora.target_matrices(full)
        }
        return found

    def latest(self) -> Mapping[str, ArrayLike]:
        return self._singular

    def weights(self) -> Arrays:
        return {
            f"{part}.{variant}.{name}": getattr(one, part).detach().numpy().astype(np.float16)
            for variant, adapters in self.adapters.items()
            for name, one in adapters.items()
            for part in ("up", "down")
        }


def evaluation_windows(
    tokenizer: Tokenizer, length: int, text: str
) -> tuple[list[Int[Tensor, " _"]], list[Int[Tensor, " _"]]]:
    """Return the evaluation data, in windows of `length` tokens: the held-out lines, and stories."""
    new = _overlapping_windows(_line_ids(tokenizer, split_lines(text)[1]), length)
    return new, _overlapping_windows(_line_ids(tokenizer, [corpora.load("stories").text[-12_000:]]), length)[:N_OLD]


def _line_ids(tokenizer: Tokenizer, lines: list[str]) -> Int[Tensor, " T"]:
    """Return the ids of lines, separated as the stories are by an empty line before and after each."""
    return torch.tensor(tokenizer.encode("\n\n" + "\n\n".join(lines) + "\n\n"))


def _overlapping_windows(ids: Int[Tensor, " T"], length: int) -> list[Int[Tensor, " _"]]:
    """Cut a text into pieces of at most length + 1 tokens; each piece starts with the last token of the one before."""
    return [ids[i : i + length + 1] for i in range(0, len(ids) - 1, length)]


def mean_window_loss(model: nn.Module, pieces: list[Int[Tensor, " _"]]) -> float:
    """Return the mean loss of every token of these pieces except each piece's first."""
    with torch.no_grad():
        losses = [F.cross_entropy(model(one[None, :-1])[0], one[1:], reduction="sum") for one in pieces]
    return float(sum(losses)) / sum(len(one) - 1 for one in pieces)


def singular_values(matrix: Float[Tensor, "O I"]) -> NDArray[np.float32]:
    """Return the singular values (min(O, I),), the largest first."""
    return torch.linalg.svdvals(matrix.detach()).numpy().astype(np.float32)


def recorded_updates(record: Record, rank: int) -> dict[str, tuple[Tensor, Tensor]]:
    """Return the updates of this rank as (up, down), by the name of their matrix."""
    found = {}
    for key, up in record.items():
        part, variant, name = key.split(".", 2) if key.count(".") > 1 else ("", "", "")
        if (part, variant) == ("up", f"rank_{rank}"):
            down = record[f"down.{variant}.{name}"]
            found[name] = torch.from_numpy(up.astype(np.float32)), torch.from_numpy(down.astype(np.float32))
    return found


def table(record: Record) -> dict[str, list[float]]:
    """Return each variant's loss on the training lines, on new lines and on stories, evaluation by evaluation."""
    variants, lines = LABELS.options("variant", *VARIANTS), LABELS.options("lines", *EVALUATION_SETS)
    entries = {
        LABELS("loss_column", variant=variants[v], lines=lines[what]): f"curve.{v}.{what}"
        for v in VARIANTS
        for what in EVALUATION_SETS
    }
    return step_table(record, entries, 4)
