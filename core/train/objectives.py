"""Training objectives on a text: predict the next token everywhere, or fill gaps.

An encoder-decoder fills spans, see `core.train.tasks.spans`. The text is one long row of ids, the first nine tenths for
training, the last tenth for validation. A batch is a handful of windows of it: the inputs of a window are its first T
tokens, the targets the same window shifted by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from core.data import corpora
from core.data.localization.labels import module_labels
from core.models.ngram import NGram
from core.train.experiments.masking import CorruptedBatch, corrupt_tokens
from core.train.recipes import LIMITS

LABELS = module_labels(__name__)


Forward = Callable[[Tensor], Tensor]


class Objective(Protocol):
    """The objective of a run: the loss of its model on windows of the text that begin at `starts`."""

    def loss(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int) -> Tensor:
        """Return the loss of a step's batch, nats per target token, with its graph for the gradient."""
        ...

    def evaluate(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int) -> float:
        """Return the mean loss over the windows, in nats per token; it is deterministic."""
        ...

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        """Count the target tokens in an evaluation of these windows."""
        ...


@dataclass(frozen=True)
class NextTokenObjective:
    """Language modeling: predict the next token at every position.

    label_smoothing: of the training loss; the evaluation doesn't use it.
    """

    context_length: int
    label_smoothing: float = 0.0

    def loss(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int) -> Tensor:
        inputs, targets = cut_windows(ids, starts, self.context_length)
        return next_token_loss(forward(inputs), targets, self.label_smoothing)

    def evaluate(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int) -> float:
        return _evaluate_windows(forward, ids, starts, self.context_length, batch_size)

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        return len(starts) * self.context_length


def split_ids(
    ids: Int[Tensor, " N"], context_length: int, n_train: int | None = None
) -> tuple[Int[Tensor, " N_train"], Int[Tensor, " N_val"]]:
    """Split the ids into the training part, of `n_train` tokens or the first nine tenths, and the validation part.

    Raises ValueError if a part is too short for one window of `context_length` tokens and the token after it.
    """
    if n_train is None:
        train_ids, val_ids = corpora.split_validation(ids)  # type: ignore[type-var]  # a tensor is cut like a list
    else:
        train_ids, val_ids = ids[:n_train], ids[n_train:]
    if (shorter := min(len(train_ids), len(val_ids))) < context_length + 1:
        key = "too_short_for_context" if shorter > LIMITS["context_length"][0] else "too_short"
        least = 10 * (context_length + 1)
        raise ValueError(LABELS(key, n=len(ids), context=context_length, least=least, fits=shorter - 1))
    return train_ids, val_ids


def draw_starts(
    n_step: int, batch_size: int, n_token: int, context_length: int, generator: torch.Generator
) -> Int[Tensor, "n_step B"]:
    """Draw where the windows of all batches of the run begin, uniformly over the text."""
    return torch.randint(n_token - context_length, (n_step, batch_size), generator=generator)


def spaced_starts(n_token: int, context_length: int, n_window: int) -> Int[Tensor, " W"]:
    """Return where adjacent windows begin: all that fit, or `n_window` of them, evenly spaced; it is deterministic."""
    n_fit = (n_token - 1) // context_length
    n_window = min(n_window, n_fit)
    return torch.arange(n_window) * n_fit // n_window * context_length


def cut_windows(
    ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], context_length: int
) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
    """Cut inputs and targets that begin at `starts`: the target of each position is the token after it."""
    cut = ids.unfold(0, context_length + 1, 1)[starts]  # (B, T + 1)
    return cut[:, :-1], cut[:, 1:]


def next_token_loss(
    logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"], label_smoothing: float = 0.0
) -> Float[Tensor, ""]:
    """Return the mean negative log-probability of the target tokens, in nats per token; computed in float32.

    Guessing uniformly costs ln V nats.

    label_smoothing: share of each target that is spread evenly over all tokens, so that being certain never pays.

    Source: Bengio et al. 2003, section 2; smoothing: Szegedy et al. 2015 (1512.00567), section 7.
    """
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), label_smoothing=label_smoothing)


@torch.no_grad()
def _evaluate_windows(
    forward: Forward,
    ids: Int[Tensor, " N"],
    starts: Int[Tensor, " W"],
    context_length: int,
    batch_size: int = 32,
) -> float:
    """Return the mean loss over the windows at `starts` (see `spaced_starts`), in nats per token.

    The context of a prediction never extends before its window. The batch size limits the memory, and hardly changes
    the result.
    """
    total = 0.0
    for some in starts.split(batch_size):
        inputs, targets = cut_windows(ids, some, context_length)
        total += float(next_token_loss(forward(inputs), targets)) * len(some)
    return total / len(starts)


VALIDATION_SEED = 2**32  # not a possible seed of a run, so that all runs are validated on the same gaps


@dataclass(frozen=True)
class FillGapsObjective:
    """Masked language modeling: predict the tokens at the chosen places, see `core.train.experiments.masking`.

    A window's length includes `<class>`. All ids below class_id are plain tokens. Seed and step determine the gaps.
    """

    context_length: int
    class_id: int
    mask_id: int
    seed: int
    label_smoothing: float = 0.0

    def loss(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int) -> Tensor:
        batch = self._batch(ids, starts, [self.seed, step])
        logits = forward(batch.inputs.to(ids.device))  # (B, T, V)
        chosen = batch.chosen.to(ids.device)
        asked = batch.targets.to(ids.device)[chosen]
        smoothing = self.label_smoothing
        total = F.cross_entropy(logits[chosen].float(), asked, reduction="sum", label_smoothing=smoothing)
        return total / max(1, len(asked))  # in a very small batch perhaps no token is chosen

    @torch.no_grad()
    def evaluate(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int) -> float:
        batch = self._batch(ids, starts, [VALIDATION_SEED])
        total = 0.0
        for inputs, targets, chosen in zip(
            *(part.split(batch_size) for part in (batch.inputs, batch.targets, batch.chosen)), strict=True
        ):
            logits = forward(inputs.to(ids.device))[chosen.to(ids.device)].float()
            total += float(F.cross_entropy(logits, targets[chosen].to(ids.device), reduction="sum"))
        return total / max(1, int(batch.chosen.sum()))

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        # The choice of places doesn't depend on the tokens.
        blank = torch.zeros(int(starts.max()) + self.context_length, dtype=torch.long)
        return int(self._batch(blank, starts.cpu(), [VALIDATION_SEED]).chosen.sum())

    def _batch(self, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], seed: list[int]) -> CorruptedBatch:
        """Cut windows with `<class>` before them and gaps in them, drawn on the CPU: the same on every device."""
        text = ids.unfold(0, self.context_length - 1, 1)[starts].cpu()  # (B, T - 1)
        text = F.pad(text, (1, 0), value=self.class_id)  # (B, T)
        eligible = torch.ones_like(text, dtype=torch.bool)
        eligible[:, 0] = False
        generator = torch.Generator().manual_seed(int(np.random.default_rng(seed).integers(2**32)))
        return corrupt_tokens(text, eligible, self.mask_id, self.class_id, generator)


def ngram_losses(
    train_ids: Int[Tensor, " N_train"],
    val_ids: Int[Tensor, " N_val"],
    vocab_size: int,
    orders: Sequence[int] = (2, 3, 5),
) -> dict[int, float]:
    """Return the validation losses of interpolated n-grams, in nats per token: the baselines of a transformer.

    An n-gram of order n sees the n - 1 tokens before the next one.
    """
    losses = {}
    for order in orders:
        model = NGram(order, vocab_size, smoothing="interpolated").fit(train_ids.cpu().numpy())
        losses[order] = float(np.log(model.perplexity(val_ids.cpu().numpy())))
    return losses
