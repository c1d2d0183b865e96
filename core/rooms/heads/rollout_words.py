"""What the rollout's exhibit says about a row: in words, as a table, as a formula with its numbers."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.inspect import rollout as rolling
from core.inspect.model_and_text import ModelAndText
from core.rooms.heads.open_head import quoted
from core.ui.frame import depth
from core.ui.models import models
from core.ui.numbers import signed

if TYPE_CHECKING:
    from core.inspect.rollout import Hidden


def row_in_words(looked: ModelAndText, matrices: dict[str, NDArray[np.float64]], measured: "Hidden", row: int) -> str:
    """What the model expects at the row, which token the rollout puts first there, and which one it needs."""
    tokens, change = looked.encoded.tokens, measured.change[row]
    expected = models.vocabulary(looked.key)[measured.expected[row]]
    told = (
        f"After token {row} {quoted(tokens[row])} the model expects {quoted(expected)} "
        f"({np.exp(measured.log_probability[row]):.1%})."
    )
    if not np.isfinite(change).any():
        return f"{told} It can read no other token there."
    share = np.where(np.isfinite(change), matrices["rollout"][row], -1)
    first, needed = int(share.argmax()), int(np.nanargmax(np.abs(change)))
    told += f" Of the other tokens, rollout puts {first} {quoted(tokens[first])} first ({share[first]:.2f})."
    if abs(change[needed]) < rolling.LEAST_CHANGE:
        return f"{told} But it needs no single token: whichever you hide, that guess hardly changes."
    effect = f"the log-probability of that guess changes by {signed(-change[needed], plus=True)} nats"
    if not depth.at_least("numbers"):
        after = np.exp(measured.log_probability[row] - change[needed])
        effect = f"that guess {'falls' if change[needed] > 0 else 'rises'} to {after:.1%}"
    return f"{told} It depends most on {needed} {quoted(tokens[needed])}: with that hidden, {effect}."


def comparison(matrices: dict[str, NDArray[np.float64]], measured: "Hidden", row: int) -> str:
    """How well each picture tells which tokens matter; and how well one does who knows no model."""
    size = np.abs(measured.change[row])
    guesses = {
        "Rollout": matrices["rollout"],
        "Last layer only": matrices["last"],
        "Nearest token": rolling.nearness(len(size)),
    }
    rows = []
    for name, guess in guesses.items():
        here, (mean, _) = rolling.rank_correlation(guess[row], size), rolling.mean_correlation(guess, measured)
        right, n_row = rolling.same_first(guess, measured)
        rows.append(f"| {name} | {signed(here)} | {signed(mean)} | {right} of {n_row} |")
    least = f" (by less than {rolling.LEAST_CHANGE} nats)" if depth.at_least("numbers") else ""
    return (
        "**Does a picture name the tokens that matter?** Rank correlation with the measured changes: 1 is the same "
        "order, 0 no relation. First choice: how often the token it ranks first matters most. Rows where hiding any "
        f"token hardly changes the guess{least} are left out.\n\n"
        "| guess by | this row | all rows | first choice |\n|:--|--:|--:|--:|\n" + "\n".join(rows)
    )


def with_numbers(layers: NDArray[np.float64], last: NDArray[np.float64], residual: float, row: int) -> str:
    """The formula for the row's strongest other token, in its own numbers; of the sum its largest term."""
    n_layer, n_token = len(layers), layers.shape[-1]
    others = np.where(np.arange(n_token) == row, -1, layers[-1][row]) if n_token > 1 else layers[-1][row]
    key = int(others.argmax())
    before = layers[-2] if n_layer > 1 else np.eye(n_token)
    mixed = (1 - residual) * last[row] + residual * (np.arange(n_token) == row)
    middle = int((mixed * before[:, key]).argmax())
    stays = residual if middle == row else 0.0
    return (
        r"\begin{aligned}"
        rf"A_{{{n_layer}}}[{row},{middle}] &= {1 - residual:.2f}\cdot {last[row, middle]:.3f} "
        rf"+ {stays:.2f} = {mixed[middle]:.3f} \\"
        rf"\text{{rollout}}[{row},{key}] &= \textstyle\sum_u A_{{{n_layer}}}[{row},u]\; R_{{{n_layer - 1}}}[u,{key}] \\"
        rf"&= {mixed[middle]:.3f}\cdot {before[middle, key]:.3f} + \dots = {layers[-1][row, key]:.3f}"
        r"\end{aligned}"
    )
