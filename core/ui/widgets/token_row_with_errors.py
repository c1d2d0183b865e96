"""The output of an encoder-decoder next to the right answer, for two rooms that compare teacher forcing with use."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.inspect.teacher_forcing import wrong_positions
from core.ui.widgets import tensors


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
    seen: _WrittenSteps, truth: Sequence[int], tokens: Callable[[Sequence[int]], Sequence[str]], *, unit: str,
    title: str, key: str,
) -> None:  # fmt: skip
    """Draw the output token by token, with a mark on wrong tokens.

    Args:
        seen: the output.
        truth: the right tokens.
        tokens: one printable string for each id.
        unit: the word for a token here.
    """
    written = seen.written.tolist()
    right = [t < len(truth) and token == truth[t] for t, token in enumerate(written)]
    names, read = tokens(written), tokens(seen.fed.tolist())
    due = [tokens([truth[t]])[0] if t < len(truth) else "nothing" for t in range(len(written))]
    tensors.token_row(
        [name if good else f"✗{name}" for name, good in zip(names, right, strict=True)],
        values=[float(seen.probabilities[t, token]) for t, token in enumerate(written)],
        kind="probability",
        limits=(0, 1),
        value_title=f"probability of the {unit} written",
        details=[f"reads {r!r}, writes {n!r}, right is {d!r}" for r, n, d in zip(read, names, due, strict=True)],
        key=key,
        title=title,
        takeaway=f"{title}: {sum(right)} of {len(truth)} right.",
    )


def describe_token_errors(forced: _WrittenSteps, free: _WrittenSteps, truth: Sequence[int], advice: str) -> str:
    """Describe the mistakes in both rows; `advice` is added if there is none."""
    one, other = wrong_positions(forced.written, truth), wrong_positions(free.written, truth)
    if not one and not other:
        return f"There's no mistake in either row, so both are the same. {advice}"
    first = min(one + other)
    return (
        f"The first mistake is at position **{first + 1}** in both rows: until then both have read the same. Of the "
        f"{len(truth)} positions, **{len(one)}** {'is' if len(one) == 1 else 'are'} wrong with teacher forcing, "
        f"**{len(other)}** when it reads its own writing."
    )
