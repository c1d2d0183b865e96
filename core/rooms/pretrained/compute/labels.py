"""Answers of a fine-tuned classifier: labels of a whole text or of each token, with probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.exhibit import Table
from core.inspect.attention_record import as_batch
from core.models import registry
from core.models.imports.model_folder_reader import ModelFolder
from core.models.imports.weights_file import ImportRefused

LABELS = module_labels(__name__)

ONE_LABEL, SEVERAL_LABELS, SCORE_LABEL = (
    "one",
    "several",
    "score",
)  # one label is right, labels are independent, or a score


@dataclass(frozen=True)
class LabelAnswer:
    """The answers of a fine-tuned classifier."""

    section = "labels"  # key of the text section
    answers: NDArray[np.float32]  # (C,) for the whole text, or (T, C) for each token
    names: Sequence[str]  # (C,) of the labels
    tokens: Sequence[str]  # (T,) of the text
    kind: str = ONE_LABEL
    so_far: NDArray[np.float32] | None = None  # (T, C) for a decoder: its answer after each token of the text

    @property
    def is_whole(self) -> bool:
        """True if there is one answer for the whole text."""
        return self.answers.ndim == 1

    @property
    def best(self) -> list[tuple[str, str]]:
        """Each token as readable text with its most probable label; empty if the answer is for the whole text."""
        likeliest = [] if self.is_whole else zip(self.tokens, self.answers.argmax(-1), strict=True)
        return [(visible_token(token), self.names[i]) for token, i in likeliest]

    @property
    def leading(self) -> tuple[str, NDArray[np.float32]] | None:
        """The label that a decoder ends with, and its probability after each token; None for other models."""
        if self.so_far is None:
            return None
        top = int(self.answers.argmax())
        return self.names[top], self.so_far[:, top]

    @property
    def are_named(self) -> bool:
        """True if the labels have real names; "LABEL_0" is the default of an unnamed label."""
        return not all(
            name.upper() in (f"LABEL_{i}", f"LABEL {i}") or name == LABELS("unnamed_label", i=i)
            for i, name in enumerate(self.names)
        )

    def table(self) -> Table:
        """Return one row per label, or one per token with its most probable label."""
        if self.is_whole:
            what = LABELS["table.score" if self.kind == SCORE_LABEL else "table.probability"]
            return {LABELS["table.label"]: list(self.names), what: self.answers.tolist()}
        best = [name for _, name in self.best]
        return {
            LABELS["table.token"]: list(self.tokens),
            LABELS["table.label"]: best,
            LABELS["table.probability"]: self.answers.max(-1).tolist(),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all answers and, for a decoder, those after each token."""
        return {"answers": self.answers} | ({} if self.so_far is None else {"so_far": self.so_far})


@torch.no_grad()
def label_probabilities(model: nn.Module, ids: list[int], kind: str = ONE_LABEL) -> NDArray[np.float32]:
    """Return the answers of a fine-tuned classifier: (C,) for the whole text, or (T, C) for each token.

    A decoder answers after each token, for the text so far. An ELECTRA has one number per token, the probability (by
    the sigmoid) that the token was replaced. If several labels can be right, each also goes through the sigmoid.
    """
    scores = model(as_batch(model, ids))[0].float()
    if detects_replaced(model):
        replaced = scores.sigmoid()  # (T,)
        return np.asarray(torch.stack([1 - replaced, replaced], -1).numpy())
    if kind == SCORE_LABEL:
        return np.asarray(scores.numpy())
    return np.asarray((scores.sigmoid() if kind == SEVERAL_LABELS else scores.softmax(-1)).numpy())


def detects_replaced(model: nn.Module) -> bool:
    """Return whether the model detects replaced tokens, as ELECTRA does."""
    return registry.family_of(model).head(model.config) == "replaced"


def label_names(folder: Path | str, n_label: int) -> tuple[str, ...]:
    """Return the names of the labels in the model's config, or "label 0" and so on."""
    try:
        names = ModelFolder(folder).labels
    except (ImportRefused, OSError):
        names = ()
    return names if len(names) == n_label else tuple(LABELS("unnamed_label", i=i) for i in range(n_label))


def _label_kind(folder: Path | str, n_label: int) -> str:
    """Return how to read a head's outputs: a single one is a score, as in a reward model."""
    try:
        several = ModelFolder(folder).is_multi_label
    except (ImportRefused, OSError):
        several = False
    return SCORE_LABEL if n_label == 1 else SEVERAL_LABELS if several else ONE_LABEL


def classify_text(model: Any, ids: list[int], tokens: Sequence[str], folder: Path | str) -> LabelAnswer:
    """Classify a text or its tokens."""
    if detects_replaced(model):
        return LabelAnswer(label_probabilities(model, ids), (LABELS["original"], LABELS["replaced"]), tokens)
    kind = _label_kind(folder, registry.family_of(model).n_label(model.config) or 0)
    answers = label_probabilities(model, ids, kind)
    names = label_names(folder, answers.shape[-1])
    if registry.modern_options_of_model(model).n_label is not None:  # a GPT judges the text at each token
        return LabelAnswer(answers[-1], names, tokens, kind, answers)
    return LabelAnswer(answers, names, tokens, kind)
