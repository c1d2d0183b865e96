"""Train equal models on little stories with different tokens: characters, merges of your text, and the stories' own.

All read the same number of tokens per step, so their steps take about the same work. Losses per token cannot be
compared, because tokens differ in length; bits per character can: the bits of all tokens of new text, divided by its
characters. Merges of a different text rarely fit, so they save less. The embeddings of some words are recorded during
training: words that can replace each other move closer together.
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
from core.data.localization.labels import module_labels
from core.data.tokenizers import Tokenizer
from core.exhibit import Inputs, hidden_training_steps, segmented_control, text_area
from core.generate.decode import generate
from core.generate.filters import temperature
from core.train import objectives
from core.train.experiment import Record, pack_tokenizer, rebuild_model
from core.train.experiments.base import Arrays, Experiment
from core.train.recipes import Recipe, fast_learning_model_config
from core.train.run import TrainRun
from core.train.tasks.defaults import ModelSize
from core.train.trainer import weights_for_record
from core.train.watch.behavior_snapshots import TEMPERATURE, frame_steps

LABELS = module_labels(__name__)

CORPUS = "stories"
DEFAULT_OWN_TEXT = "She sells sea shells by the sea shore. The shells she sells are sea shells, I am sure."
MOST_CHARS = 1000
VARIANTS = ("characters", "own", "stories")
NAMES: Mapping[str, str] = {
    "characters": LABELS["name.characters"],
    "own": LABELS["name.own"],
    "stories": LABELS["name.stories"],
}
MERGES = (64, 128, 256)  # offered on the page
WORDS = ("red", "blue", "green", "Tom", "Ben", "Mia", "Lily", "Anna", "dog", "cat", "he", "she", "ball", "box")
N_HELD = 8_000  # characters of held-out text, the end of the corpus, for all models
N_FRAME = 18
N_WRITTEN = 160  # characters


class Options(Inputs, prefix="own_"):
    """The text of the own vocabulary, and the number of merges for it and for the stories' vocabulary."""

    text: str = text_area(DEFAULT_OWN_TEXT, max_chars=MOST_CHARS)
    merges: int = segmented_control(MERGES, 256)
    n_step: int = hidden_training_steps(300, most=1_000)

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        if not self.text:
            raise ValueError(LABELS["no_text"])


@dataclass(frozen=True, kw_only=True)
class TokenRecipe(Recipe):
    """A recipe whose tokenizer is trained on one text and its model on a different one."""

    learned_from: str | None = None  # None: the model's training text

    def train_tokenizer(self, text: str) -> Tokenizer:
        """Train the tokenizer. Raises ValueError if there is no text to train it on."""
        return super().train_tokenizer(text if self.learned_from is None else self.learned_from)


def recipe(options: Options, variant: str) -> TokenRecipe:
    """Return the small model and its training, the same for all variants except the tokens."""
    is_bpe = variant != "characters"
    return TokenRecipe(
        name="own-tokens",
        title=LABELS.capitalize(NAMES[variant]),
        corpus=CORPUS,
        tokenizer="bpe" if is_bpe else "char",
        tokenizer_vocab=256 + options.merges if is_bpe else None,
        learned_from=options.text if variant == "own" else None,
        model=fast_learning_model_config(ModelSize(2, 4, 32, 48)),
        learning_rate=0.04,
        batch_size=16,
        n_step=options.n_step,
    )


def held_out_text() -> str:
    """Return held-out text for all models: the end of the corpus, starting at the first story that begins there."""
    end = corpora.load(CORPUS).text[-N_HELD:]
    return end[end.index("\n\n") + 2 :]


class OwnTokens(Experiment):
    """Three runs side by side: with characters, with the tokens of your text, and with the stories' tokens.

    Its record, for each variant v: bits.v (n,): bits per character of the held-out text; length.v: mean characters
    per token of the held-out text; size.v: size of the vocabulary; tokenizer.v. words: those of `WORDS` that are one
    token of the stories, joined by line ends, UTF-8; rows (n, W, D): their embeddings.
    """

    title = LABELS["title"]
    precision = np.float32

    def begin(self) -> None:
        self.runs = {
            name: TrainRun(recipe(self.options, name), self.seed, "cpu", dtype="float32", live_evaluation=False)
            for name in VARIANTS
        }
        self._held = {name: torch.tensor(run.tokenizer.encode(held_out_text())) for name, run in self.runs.items()}
        cutter = self.runs["stories"].tokenizer
        self._ids = {word: ids[0] for word in WORDS if len(ids := cutter.encode(f" {word}")) == 1}

    def eval_steps(self) -> Iterable[int]:
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
                f"length.{name}": len(held_out_text()) / len(self._held[name]),
                f"size.{name}": run.vocab_size,
                f"tokenizer.{name}": pack_tokenizer(run.tokenizer),
            }
        return found

    def weights(self) -> Arrays:
        named = {name: run.model.named_parameters() for name, run in self.runs.items()}
        return {key: w for name, one in named.items() for key, w in weights_for_record(one, name, np.float32).items()}


@torch.no_grad()
def bits_per_character(model: nn.Module, ids: Int[Tensor, " T"], length: int, tokenizer: Tokenizer) -> float:
    """Return the bits per character that a text costs, read in windows of `length` tokens.

    The bits of all tokens are summed, then divided by the characters that they spell, so models with different
    vocabularies can be compared. The first token is not predicted, because nothing precedes it.
    """
    n_window = (len(ids) - 1) // length
    inputs, targets = objectives.cut_windows(ids, torch.arange(n_window) * length, length)
    nats = sum(
        float(F.cross_entropy(model(some).flatten(0, 1), wanted.flatten(), reduction="sum"))
        for some, wanted in zip(inputs.split(64), targets.split(64), strict=True)
    )
    return nats / math.log(2) / len(tokenizer.decode(targets.flatten().tolist()))


def row_cosines(record: Record, first: str, second: str) -> NDArray[np.float64] | None:
    """Return (n,) the cosine of two words' rows at each evaluation; None if one of them is not a single token."""
    pair = embedding_rows(record, first), embedding_rows(record, second)
    if pair[0] is None or pair[1] is None:
        return None
    one, other = (row.astype(np.float64) for row in pair if row is not None)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    found: NDArray[np.float64] = (one * other).sum(1) / lengths
    return found


def embedding_rows(record: Record, word: str) -> NDArray[np.float32] | None:
    """Return (n, D) a word's row of the table at each evaluation; None if the word is not a single token."""
    known = record["words"].tobytes().decode().split("\n")
    return record["rows"][:, known.index(word)] if word in known else None


def continue_story(record: Record, options: Options, variant: str, beginning: str, seed: int) -> str:
    """Continue a text with a model of the record: at least `N_WRITTEN` characters in all."""
    tokenizer = tokenizers.tokenizer_from_bytes(record[f"tokenizer.{variant}"].tobytes())
    model = rebuild_model(record, variant, recipe(options, variant).config(tokenizer.vocab_size))
    ids, soften = tokenizer.encode(beginning or "\n"), partial(temperature, t=TEMPERATURE)
    n_token = math.ceil(N_WRITTEN / float(record[f"length.{variant}"]))
    steps = generate(model, ids[-16:], n_token, filters=[soften], seed=seed)
    return tokenizer.decode([*ids, *(int(step.token) for step in steps)])


def table(record: Record) -> dict[str, list[float]]:
    """Return bits per character for all vocabularies and the cosines of two pairs of rows, evaluation by evaluation."""
    found = {LABELS["table.step"]: record["step"].tolist()}
    found |= {LABELS("table.bits", name=NAMES[v]): np.round(record[f"bits.{v}"], 4).tolist() for v in VARIANTS}
    for first, second in (("red", "blue"), ("red", "ball")):
        if (alike := row_cosines(record, first, second)) is not None:
            found[LABELS("table.cosine", first=first, second=second)] = np.round(alike, 4).tolist()
    return found
