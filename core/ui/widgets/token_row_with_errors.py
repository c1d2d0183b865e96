"""The output of an encoder-decoder next to the right answer, for two rooms that compare teacher forcing with use."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.inspect.teacher_forcing import wrong_positions
from core.ui.widgets import tensors

LABELS = module_labels(__name__)


class _WrittenSteps(Protocol):
    """The output of a model, step by step.

    Attributes:
        written: (T,) its most probable tokens.
        fed: (T,) the tokens that it read before each.
        probabilities: (T, V) its probability for every token.
    """

    @property
    def written(self) -> NDArray[np.int64]: ...

    @property
    def fed(self) -> NDArray[np.int64]: ...

    @property
    def probabilities(self) -> NDArray[np.float32]: ...


def token_row_with_errors(
    seen: _WrittenSteps,
    truth: Sequence[int],
    tokens: Callable[[Sequence[int]], Sequence[str]],
    *,
    unit: Literal["token", "word"],
    title: str,
    key: str,
) -> None:
    """Draw the output token by token, with a mark on wrong tokens.

    Args:
        seen: the output.
        truth: the right tokens.
        tokens: one printable string for each id.
        unit: what a token is here.
    """
    written = seen.written.tolist()
    right = [t < len(truth) and token == truth[t] for t, token in enumerate(written)]
    names, read = tokens(written), tokens(seen.fed.tolist())
    due = [tokens([truth[t]])[0] if t < len(truth) else LABELS["nothing"] for t in range(len(written))]
    tensors.token_row(
        [name if good else f"✗{name}" for name, good in zip(names, right, strict=True)],
        values=[float(seen.probabilities[t, token]) for t, token in enumerate(written)],
        kind="probability",
        limits=(0, 1),
        value_title=LABELS.options("probability")[unit],
        details=[
            LABELS("details", read=repr(r), written=repr(n), right=repr(d))
            for r, n, d in zip(read, names, due, strict=True)
        ],
        key=key,
        title=title,
        takeaway=LABELS("takeaway", title=title, n_right=sum(right), n=len(truth)),
    )


def describe_token_errors(forced: _WrittenSteps, free: _WrittenSteps, truth: Sequence[int], advice: str) -> str:
    """Describe the mistakes in both rows; `advice` is added if there is none."""
    one, other = wrong_positions(forced.written, truth), wrong_positions(free.written, truth)
    if not one and not other:
        return LABELS("no_mistake", advice=advice)
    first = min(one + other)
    return LABELS("mistakes", first=first + 1, n_position=len(truth), n=len(one), n_free=len(other))
