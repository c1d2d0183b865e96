"""Little stories under characters, under the merges of one's own text, and under their own: models alike, compared.

All take the same number of tokens in each step, so a step of each is about the same work. What a token costs cannot be
compared, for tokens differ in length; what a stretch of new text costs can: bits for all of its tokens, divided by its
characters. Merges of another text hardly fit, so they save less. Meanwhile the rows of some words in the table of
embeddings are written down, step by step: those of words that can take each other's place come together.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data import corpora, tokenizers
from core.data.tokenizers import Tokenizer
from core.generate.decode import generate
from core.generate.filters import temperature
from core.train import objectives
from core.train.experiment import Record, carried, rebuild
from core.train.experiments.bounded import Bounded
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.train.snapshots import TEMPERATURE, frame_steps
from core.train.trainer import weights_of

CORPUS = "stories"
TEXT = "She sells sea shells by the sea shore. The shells she sells are sea shells, I am sure."
MOST_CHARS = 1000
VARIANTS = ("characters", "own", "stories")
NAMES: Mapping[str, str] = MappingProxyType(
    {"characters": "characters", "own": "your own tokens", "stories": "the stories' tokens"}
)
MERGES = (64, 128, 256)  # that a page offers
WORDS = ("red", "blue", "green", "Tom", "Ben", "Mia", "Lily", "Anna", "dog", "cat", "he", "she", "ball", "box")
N_HELD = 8_000  # characters of new text, the last of the corpus, that all are judged on
N_FRAME = 18
N_WRITTEN = 160  # characters


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What is trained.

    Args:
        text: what the own vocabulary is learned from.
        merges: at most so many merges make it, or that of the stories, beside the 256 bytes.
        n_step: steps of each model.

    Raises:
        ValueError: in plain words, if one of them is not allowed.
    """

    most_in_browser: ClassVar = {"merges": max(MERGES), "n_step": 1_000}
    text: str = TEXT
    merges: int = 256
    n_step: int = 300

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.text:
            raise ValueError("a text without characters has no merges")

    def check_for_browser(self) -> None:
        super().check_for_browser()
        if len(self.text) > MOST_CHARS:
            raise ValueError(f"a text of {len(self.text):,} characters: a browser may send {MOST_CHARS:,}")


@dataclass(frozen=True, kw_only=True)
class TokensOf(Recipe):
    """A recipe whose tokens are learned from one text, while its model is trained on another."""

    learned_from: str | None = None  # None: the text that the model is trained on

    def train_tokenizer(self, text: str) -> Tokenizer:
        """What cuts the text. Raises ValueError if there is nothing to learn it from."""
        return super().train_tokenizer(text if self.learned_from is None else self.learned_from)


def recipe(options: Options, variant: str) -> TokensOf:
    """The small model and its training: the same for all, but for the tokens."""
    is_bpe = variant != "characters"
    return TokensOf(
        name="own-tokens",
        title=NAMES[variant].capitalize(),
        corpus=CORPUS,
        tokenizer="bpe" if is_bpe else "char",
        tokenizer_vocab=256 + options.merges if is_bpe else None,
        learned_from=options.text if variant == "own" else None,
        model={
            "n_layer": 2,
            "n_head": 4,
            "d_model": 32,
            "context_length": 48,
            "positions": "alibi",
            "slopes": [2.0, 0.8, 0.3, 0.15],
            "embed_norm": True,
            "tied": False,
            "block": {"norm": "rms_plain", "activation": "relu2", "bias": False, "qk_norm": True},
        },
        learning_rate=0.04,
        batch_size=16,
        n_step=options.n_step,
    )


def held_text() -> str:
    """New text for all: the end of the corpus, from the first story that begins in it."""
    end = corpora.load(CORPUS).text[-N_HELD:]
    return end[end.index("\n\n") + 2 :]


class OwnTokens:
    """Three runs side by side: of characters, of the tokens of one's own text, and of those of the stories."""

    title: ClassVar[str] = "Characters against your own tokens"

    def __init__(self, options: Options, seed: int) -> None:
        self.n_step, self.step = options.n_step, 0
        self.runs = {
            name: TrainRun(recipe(options, name), seed, "cpu", dtype="float32", live_evaluation=False)
            for name in VARIANTS
        }
        self._held = {name: torch.tensor(run.tokenizer.encode(held_text())) for name, run in self.runs.items()}
        cutter = self.runs["stories"].tokenizer
        self._ids = {word: ids[0] for word in WORDS if len(ids := cutter.encode(f" {word}")) == 1}
        self._looks = set(frame_steps(self.n_step, N_FRAME))
        self._steps: list[int] = []
        self._bits: dict[str, list[float]] = {name: [] for name in VARIANTS}
        self._rows: list[NDArray[np.float32]] = []
        self._look()

    def advance(self) -> None:
        """One step of each run."""
        for run in self.runs.values():
            run.advance(steps=1)
        self.step += 1
        self._look()

    def _look(self) -> None:
        if self.step not in self._looks:
            return
        self._steps.append(self.step)
        for name, run in self.runs.items():
            self._bits[name].append(bits_per_character(run.model, self._held[name], run.context_length, run.tokenizer))
        table = self.runs["stories"].model.get_parameter("tok_emb.weight").detach().numpy()
        self._rows.append(table[list(self._ids.values())].copy())

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see; v is one of `VARIANTS`:

        step (n,): when it was looked. bits.v (n,): bits for each character of the held-out text.
        words: those of `WORDS` that are one token of the stories, joined by line ends, UTF-8; rows (n, W, D): their
        embeddings.
        length.v: characters of a token of the held-out text, on average; size.v: tokens of the vocabulary.
        tokenizer.v; model.v.<parameter>.
        """
        found: dict[str, NDArray[Any]] = {
            "step": np.array(self._steps, dtype=np.int32),
            "words": np.frombuffer("\n".join(self._ids).encode(), dtype=np.uint8),
            "rows": np.stack(self._rows),
        }
        for name, run in self.runs.items():
            found |= {
                f"bits.{name}": np.array(self._bits[name], dtype=np.float32),
                f"length.{name}": np.array(len(held_text()) / len(self._held[name])),
                f"size.{name}": np.array(run.vocab_size),
                f"tokenizer.{name}": carried(run.tokenizer),
            }
            found |= weights_of(run.model.named_parameters(), name, np.float32)
        return found


@torch.no_grad()
def bits_per_character(model: nn.Module, ids: Int[Tensor, " T"], length: int, tokenizer: Tokenizer) -> float:
    """Bits that a text takes, for each of its characters, read in windows of so many tokens.

    The bits of all tokens are summed, then divided by the characters that they spell: so models with other
    vocabularies can be compared. The first token, before which nothing stands, is not asked for.
    """
    n_window = (len(ids) - 1) // length
    inputs, targets = objectives.windows(ids, torch.arange(n_window) * length, length)
    nats = sum(
        float(F.cross_entropy(model(some).flatten(0, 1), wanted.flatten(), reduction="sum"))
        for some, wanted in zip(inputs.split(64), targets.split(64), strict=True)
    )
    return nats / math.log(2) / len(tokenizer.decode(targets.flatten().tolist()))


def cosines(record: Record, first: str, second: str) -> NDArray[np.float64] | None:
    """(n,) how alike the rows of two words are, look by look; None if one of them is not a token of its own."""
    pair = rows(record, first), rows(record, second)
    if pair[0] is None or pair[1] is None:
        return None
    one, other = (row.astype(np.float64) for row in pair if row is not None)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    found: NDArray[np.float64] = (one * other).sum(1) / lengths
    return found


def rows(record: Record, word: str) -> NDArray[np.float32] | None:
    """(n, D) a word's row of the table, look by look; None if the word is not one token."""
    known = record["words"].tobytes().decode().split("\n")
    return record["rows"][:, known.index(word)] if word in known else None


def written(record: Record, options: Options, variant: str, beginning: str, seed: int) -> str:
    """What a model of the record makes of a beginning: `N_WRITTEN` characters in all, or a few more."""
    tokenizer = tokenizers.from_bytes(record[f"tokenizer.{variant}"].tobytes())
    model = rebuild(record, variant, recipe(options, variant).config(tokenizer.vocab_size))
    ids, soften = tokenizer.encode(beginning or "\n"), partial(temperature, t=TEMPERATURE)
    n_token = math.ceil(N_WRITTEN / float(record[f"length.{variant}"]))
    steps = generate(model, ids[-16:], n_token, filters=[soften], seed=seed)
    return tokenizer.decode([*ids, *(int(step.token) for step in steps)])


def table(record: Record) -> dict[str, list[float]]:
    """Look by look: bits for each character under all vocabularies, and how alike two pairs of rows are."""
    found = {"step": record["step"].tolist()}
    found |= {f"bits per character, {NAMES[v]}": np.round(record[f"bits.{v}"], 4).tolist() for v in VARIANTS}
    for first, second in (("red", "blue"), ("red", "ball")):
        if (alike := cosines(record, first, second)) is not None:
            found[f"cosine of {first} and {second}"] = np.round(alike, 4).tolist()
    return found
