"""Little stories under characters, under the merges of one's own text, and under their own: models alike, compared.

All take the same number of tokens in each step, so a step of each is about the same work. What a token costs cannot be
compared, for tokens differ in length; what a stretch of new text costs can: bits for all of its tokens, divided by its
characters. Merges of another text hardly fit, so they save less. Meanwhile the rows of some words in the table of
embeddings are written down, step by step: those of words that can take each other's place come together.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data import corpora, tokenizers
from core.data.tokenizers import Tokenizer
from core.exhibit import Inputs, segmented, steps, text_area
from core.generate.decode import generate
from core.generate.filters import temperature
from core.train import objectives
from core.train.experiment import Record, carried, rebuild
from core.train.experiments.base import Arrays, Experiment
from core.train.recipes import Recipe, fast_model
from core.train.run import TrainRun
from core.train.snapshots import TEMPERATURE, frame_steps
from core.train.tasks.defaults import Size
from core.train.trainer import weights_of

CORPUS = "stories"
TEXT = "She sells sea shells by the sea shore. The shells she sells are sea shells, I am sure."
MOST_CHARS = 1000
VARIANTS = ("characters", "own", "stories")
NAMES: Mapping[str, str] = {"characters": "characters", "own": "your own tokens", "stories": "the stories' tokens"}
MERGES = (64, 128, 256)  # that a page offers
WORDS = ("red", "blue", "green", "Tom", "Ben", "Mia", "Lily", "Anna", "dog", "cat", "he", "she", "ball", "box")
N_HELD = 8_000  # characters of new text, the last of the corpus, that all are judged on
N_FRAME = 18
N_WRITTEN = 160  # characters


class Options(Inputs, prefix="own_"):
    """What the own vocabulary is learned from, and how many merges at most make it, or that of the stories."""

    text: str = text_area("Text to learn your own tokens from", TEXT, max_chars=MOST_CHARS)
    merges: int = segmented(
        "Merges at most", MERGES, 256, help="How many tokens your text and the stories may add to the 256 bytes."
    )
    n_step: int = steps(300, most=1_000)

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        if not self.text:
            raise ValueError("a text without characters has no merges")


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
        model=fast_model(Size(2, 4, 32, 48)),
        learning_rate=0.04,
        batch_size=16,
        n_step=options.n_step,
    )


def held_text() -> str:
    """New text for all: the end of the corpus, from the first story that begins in it."""
    end = corpora.load(CORPUS).text[-N_HELD:]
    return end[end.index("\n\n") + 2 :]


class OwnTokens(Experiment):
    """Three runs side by side: of characters, of the tokens of one's own text, and of those of the stories.

    Its record, for each variant v: bits.v (n,): bits for each character of the held-out text; length.v: characters of a
    token of the held-out text, on average; size.v: tokens of the vocabulary; tokenizer.v. words: those of `WORDS` that
    are one token of the stories, joined by line ends, UTF-8; rows (n, W, D): their embeddings.
    """

    title = "Characters against your own tokens"
    precision = np.float32

    def begin(self) -> None:
        self.runs = {
            name: TrainRun(recipe(self.options, name), self.seed, "cpu", dtype="float32", live_evaluation=False)
            for name in VARIANTS
        }
        self._held = {name: torch.tensor(run.tokenizer.encode(held_text())) for name, run in self.runs.items()}
        cutter = self.runs["stories"].tokenizer
        self._ids = {word: ids[0] for word in WORDS if len(ids := cutter.encode(f" {word}")) == 1}

    def looks(self) -> Iterable[int]:
        return frame_steps(self.n_step, N_FRAME)

    def learn(self) -> None:
        for run in self.runs.values():
            run.advance(steps=1)

    def measure(self) -> Mapping[str, ArrayLike]:
        table = self.runs["stories"].model.get_parameter("tok_emb.weight").detach().numpy()
        return {"rows": table[list(self._ids.values())].copy()} | {
            f"bits.{name}": bits_per_character(run.model, self._held[name], run.context_length, run.tokenizer)
            for name, run in self.runs.items()
        }

    def latest(self) -> Mapping[str, ArrayLike]:
        found: dict[str, ArrayLike] = {"words": np.frombuffer("\n".join(self._ids).encode(), dtype=np.uint8)}
        for name, run in self.runs.items():
            found |= {
                f"length.{name}": len(held_text()) / len(self._held[name]),
                f"size.{name}": run.vocab_size,
                f"tokenizer.{name}": carried(run.tokenizer),
            }
        return found

    def weights(self) -> Arrays:
        named = {name: run.model.named_parameters() for name, run in self.runs.items()}
        return {key: w for name, one in named.items() for key, w in weights_of(one, name, np.float32).items()}


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
