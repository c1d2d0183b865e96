"""Draft models for the stories model: n-gram counts of the same stories, a GRU, and the room's small GPT."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import corpora
from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.generate.cache import CachedModel
from core.inspect.model_inputs.model_and_text import load_text_model, model_vocabulary
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelKey
from core.models.ngram import NGram
from core.rooms.draft_and_verify.experiments import draft as task
from core.rooms.draft_and_verify.experiments.draft import large_model
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

ORDERS = {"1": 1, "2": 2, "3": 3, "5": 5}
NAMES: Mapping[str, str] = {
    "1": LABELS["draft.1"],
    "2": LABELS["draft.2"],
    "3": LABELS["draft.3"],
    "5": LABELS["draft.5"],
    "gru": LABELS["draft.gru"],
    "gpt": LABELS["draft.gpt"],
}
SHORT_NAMES = {
    "1": LABELS["short.1"],
    "2": LABELS["short.2"],
    "3": LABELS["short.3"],
    "5": LABELS["short.5"],
    "gru": LABELS["short.gru"],
    "gpt": LABELS["short.gpt"],
}
EXPLANATIONS = {name: LABELS[f"about.{name}"] for name in NAMES}
_GRU = "stories-gru"
_NGRAM_BYTES = 30_000_000  # the maximum size of a 5-gram's counts


@dataclass(frozen=True)
class NGramDraft:
    """An n-gram model of the stories, which reads only the last tokens."""

    counts: NGram

    def logits(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        return self.counts.logits(ids)

    def next_logits(self, text: Sequence[int]) -> Float[Tensor, " V"]:
        return self.counts.probabilities(text[max(0, len(text) - self.counts.order + 1) :]).log()


@dataclass(frozen=True)
class NetDraft:
    """A neural draft, which may know fewer tokens than the model it drafts for.

    Args:
        model: ids (B, T) -> logits (B, T, v).
        own: (V,) its id for each token of the large model's vocabulary; None: the same ids.
        knows: (V,) whether it has that token at all; it never drafts a token that it doesn't know.
    """

    model: nn.Module
    own: Int[Tensor, " V"] | None = None
    knows: Bool[Tensor, " V"] | None = None

    @cached_property
    def cached(self) -> CachedModel:
        return CachedModel(self.model)

    def logits(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        with torch.inference_mode():
            return self._named(self.model(ids if self.own is None else self.own[ids]))

    def next_logits(self, text: Sequence[int]) -> Float[Tensor, " V"]:
        read = list(text) if self.own is None else self.own[torch.tensor(text)].tolist()
        return self._named(self.cached.next_logits([read])[0])

    def _named(self, logits: Float[Tensor, "*n v"]) -> Float[Tensor, "*n V"]:
        """Reorder logits by the large model's ids."""
        if self.own is None or self.knows is None:
            return logits
        return logits[..., self.own].masked_fill(~self.knows, -torch.inf)


def token_names() -> tuple[str, ...]:
    """Return the large model's tokens, printable (V,)."""
    return model_vocabulary(ModelKey.at(DEFAULT_MODEL))


def load_draft(name: str, run: ExperimentRun) -> NGramDraft | NetDraft:
    """Return a draft that has not read anything yet.

    Args:
        name: one of `NAMES`.
        run: the training run of the room's small GPT.
    """
    if name in ORDERS:
        return NGramDraft(_counted(ORDERS[name]))
    if name == "gpt":
        return NetDraft(task.recorded_draft(run))
    net: Any = load_text_model(ModelKey.at(_GRU))
    own = {token: i for i, token in enumerate(net.vocabulary)}
    unknown = int(net.tokenizer.unknown_id)
    ids = [own.get(token, unknown) for token in token_names()]
    return NetDraft(net.model, torch.tensor(ids), torch.tensor([token in own for token in token_names()]))


@memoize(1)
def split_stories() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids of the stories in the large model's vocabulary: the part for drafts, and a held-out tenth."""
    learned, held = corpora.split_validation(large_model().text_tokenizer.encode(corpora.load("stories").text))
    return np.array(learned, dtype=np.int64), np.array(held, dtype=np.int64)


@memoize(len(ORDERS), n_byte=lambda _: _NGRAM_BYTES)
def _counted(order: int) -> NGram:
    return NGram(order, large_model().text_tokenizer.vocab_size, "interpolated").fit(split_stories()[0])


def held_out_windows(n_text: int, length: int) -> Int[Tensor, "n_text length"]:
    """Return windows of the stories that no draft has read."""
    return torch.from_numpy(split_stories()[1][: n_text * length].copy()).view(n_text, length)
