"""What a run learns from its text: a loss over windows of it. Predict the next token everywhere, or fill gaps.
(An encoder-decoder fills spans: `core.train.tasks.spans`.)

The text is one long row of ids, the first nine tenths to train on, the last tenth to validate on. A batch is a handful
of windows cut out of it: the inputs of a window are its first T tokens, the targets the same window moved by one.
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
from core.models.ngram import NGram
from core.train.experiments.masking import Corrupted, corrupt
from core.train.recipes import LIMITS

Forward = Callable[[Tensor], Tensor]


class Objective(Protocol):
    """What a run asks of its model about windows of the text that begin at `starts`."""

    def loss(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int) -> Tensor:
        """Of the batch of a step, nats per token that is asked for; the graph for its gradient hangs on it."""
        ...

    def evaluate(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int) -> float:
        """Mean loss over the windows, nats per token; no chance in it."""
        ...

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        """Tokens that an evaluation of these windows asks for."""
        ...


@dataclass(frozen=True)
class NextToken:
    """The language model: at every position, which token comes next?

    label_smoothing: of the loss that is trained on; the evaluation knows none.
    """

    context_length: int
    label_smoothing: float = 0.0

    def loss(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int) -> Tensor:
        inputs, targets = windows(ids, starts, self.context_length)
        return next_token_loss(forward(inputs), targets, self.label_smoothing)

    def evaluate(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int) -> float:
        return evaluate(forward, ids, starts, self.context_length, batch_size)

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        return len(starts) * self.context_length


def split(
    ids: Int[Tensor, " N"], context_length: int, n_train: int | None = None
) -> tuple[Int[Tensor, " N_train"], Int[Tensor, " N_val"]]:
    """The training part, of `n_train` tokens or the first nine tenths, and the validation part.

    Raises ValueError if a part is too short for one window of `context_length` tokens and the token after it.
    """
    if n_train is None:
        train_ids, val_ids = corpora.split(ids)  # type: ignore[type-var]  # a tensor is cut like a list
    else:
        train_ids, val_ids = ids[:n_train], ids[n_train:]
    if (shorter := min(len(train_ids), len(val_ids))) < context_length + 1:
        fits = f", or choose a context of {shorter - 1} or less" if shorter > LIMITS["context_length"][0] else ""
        raise ValueError(
            f"the text has {len(ids)} token{'s' * (len(ids) != 1)}; a context of {context_length} needs at least "
            f"{10 * (context_length + 1)}, because a tenth of the text is kept for validation. "
            f"Take a longer text{fits}"
        )
    return train_ids, val_ids


def draw_starts(
    n_step: int, batch_size: int, n_token: int, context_length: int, generator: torch.Generator
) -> Int[Tensor, "n_step B"]:
    """Where the windows of every batch of the run begin, drawn at once, each place equally likely."""
    return torch.randint(n_token - context_length, (n_step, batch_size), generator=generator)


def spread_starts(n_token: int, context_length: int, n_window: int) -> Int[Tensor, " W"]:
    """Where windows lying side by side begin: all that fit, or `n_window` of them, evenly spaced. No chance in it."""
    n_fit = (n_token - 1) // context_length
    n_window = min(n_window, n_fit)
    return torch.arange(n_window) * n_fit // n_window * context_length


def windows(
    ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], context_length: int
) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
    """Inputs and targets that begin at `starts`: the target of each position is the token after it."""
    cut = ids.unfold(0, context_length + 1, 1)[starts]  # (B, T + 1)
    return cut[:, :-1], cut[:, 1:]


def next_token_loss(
    logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"], label_smoothing: float = 0.0
) -> Float[Tensor, ""]:
    """Mean negative log-probability of the target tokens, in nats per token; computed in float32.

    Guessing blindly costs ln V nats.

    label_smoothing: share of each target that is spread over all tokens alike: certainty never pays.

    Source: Bengio et al. 2003, section 2; smoothing: Szegedy et al. 2015 (1512.00567), section 7.
    """
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), label_smoothing=label_smoothing)


@torch.no_grad()
def evaluate(
    forward: Forward,
    ids: Int[Tensor, " N"],
    starts: Int[Tensor, " W"],
    context_length: int,
    batch_size: int = 32,
) -> float:
    """Mean loss over the windows at `starts` (see `spread_starts`), in nats per token.

    The first token of a window is predicted from nothing before it in the window; how many windows are computed at once
    bounds the memory, and hardly changes the number.
    """
    total = 0.0
    for some in starts.split(batch_size):
        inputs, targets = windows(ids, some, context_length)
        total += float(next_token_loss(forward(inputs), targets)) * len(some)
    return total / len(starts)


VALIDATION = 2**32  # no run's seed: all runs are validated on the same gaps


@dataclass(frozen=True)
class FillGaps:
    """Which tokens stood at the chosen places? See `core.train.experiments.masking`.

    Windows count `<class>` among their tokens; all ids below class_id are plain; with the step, the seed draws the
    gaps.
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
        return total / max(1, len(asked))  # of a very small batch none may be chosen

    @torch.no_grad()
    def evaluate(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int) -> float:
        batch = self._batch(ids, starts, [VALIDATION])
        total = 0.0
        for inputs, targets, chosen in zip(
            *(part.split(batch_size) for part in (batch.inputs, batch.targets, batch.chosen)), strict=True
        ):
            logits = forward(inputs.to(ids.device))[chosen.to(ids.device)].float()
            total += float(F.cross_entropy(logits, targets[chosen].to(ids.device), reduction="sum"))
        return total / max(1, int(batch.chosen.sum()))

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        # Which places are chosen does not depend on what stands there.
        blank = torch.zeros(int(starts.max()) + self.context_length, dtype=torch.long)
        return int(self._batch(blank, starts.cpu(), [VALIDATION]).chosen.sum())

    def _batch(self, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], seed: list[int]) -> Corrupted:
        """Windows with `<class>` before them and gaps in them, drawn on the CPU: the same on every device."""
        text = ids.unfold(0, self.context_length - 1, 1)[starts].cpu()  # (B, T - 1)
        text = F.pad(text, (1, 0), value=self.class_id)  # (B, T)
        eligible = torch.ones_like(text, dtype=torch.bool)
        eligible[:, 0] = False
        generator = torch.Generator().manual_seed(int(np.random.default_rng(seed).integers(2**32)))
        return corrupt(text, eligible, self.mask_id, self.class_id, generator)


def ngram_losses(
    train_ids: Int[Tensor, " N_train"],
    val_ids: Int[Tensor, " N_val"],
    vocab_size: int,
    orders: Sequence[int] = (2, 3, 5),
) -> dict[int, float]:
    """Validation loss of interpolated n-grams, in nats per token: the lines that a transformer has to get under.

    An n-gram of order n sees the n - 1 tokens before the next one.
    """
    losses = {}
    for order in orders:
        model = NGram(order, vocab_size, smoothing="interpolated").fit(train_ids.cpu().numpy())
        losses[order] = float(np.log(model.perplexity(val_ids.cpu().numpy())))
    return losses
