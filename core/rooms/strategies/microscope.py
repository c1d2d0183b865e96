"""One step under a microscope: what each knob does to the logits of one place, and how a number picks the token."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.browser.message import names_of
from core.exhibit import Result, picked, seed
from core.generate import decode, filters
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import KNOBS, Strategy
from core.rooms.strategies.inputs import Place
from core.rooms.strategies.spelling import LETTER_OF

N_DRAW = 100
N_SHOWN = 10
MAX_TEXT = 200  # characters of knobs that a browser may send back
DEFAULT = "t2p0.9"
PICTURE = "strategies.step"
CODE = (columns.filter_rows, filters.temperature, filters.top_k, filters.top_p, decode.inverse_cdf)


def _check(text: str, _: Any) -> None:
    try:
        if spelling.parse_column(text[: spelling.MAX_CHARS]).strategy.kind != "sample":
            raise ValueError("only a strategy that draws has these steps.")
    except ValueError as refused:
        raise ValueError(f"Knobs: {refused} The default is used.") from None


class Inputs(Place):
    """The knobs, which are set in the picture, and what is drawn with."""

    knobs: str = picked(
        PICTURE,
        DEFAULT,
        part="knobs",
        text=lambda sent, _: spelling.sent(sent, MAX_TEXT, "softmax"),
        check=_check,
    )
    seed: int = seed(name="step_seed", label="Seed of the draws")


class Stages(Result):
    """One step of generation."""

    logits: NDArray[np.float32]  # (V,)
    draws: NDArray[np.float64]  # (N,) the numbers that a column with this seed draws, one after the other
    strategy: Strategy
    ids: tuple[int, ...]  # the tokens so far
    vocabulary: tuple[str, ...]  # (V,) printable

    def table(self) -> dict[str, Any]:
        """All tokens, the likeliest first: their logits after each knob in turn, and what is drawn from at the end."""
        order = np.argsort(-self.logits, kind="stable")

        def after(n_knob: int) -> torch.Tensor:
            some = Strategy(knobs=self.strategy.knobs[:n_knob])
            return columns.filter_rows(torch.tensor(self.logits)[None], [some], [self.ids])[0]

        table: dict[str, Any] = {"id": order, "token": [self.vocabulary[i] for i in order]}
        table["logit"] = self.logits[order]
        for n, (name, value) in enumerate(self.strategy.knobs, start=1):
            table[f"{KNOBS[name].title} {value:g}"] = after(n).numpy()[order]
        return table | {"drawn from": after(len(KNOBS)).softmax(-1).numpy()[order]}


def compute(inputs: Inputs) -> Stages:
    """What the model gives each token, the knobs, and the numbers that will be drawn."""
    draws = decode.Draws([inputs.seed])
    uniform = np.array([float(draws.next()) for _ in range(N_DRAW)])
    strategy = spelling.parse_column(inputs.knobs).strategy
    return Stages(logits=inputs.logits, draws=uniform, strategy=strategy, ids=inputs.ids, vocabulary=inputs.vocabulary)


def draw(result: Stages, inputs: Inputs) -> None:
    """The stages of one place as a table, and the line on which the number falls."""
    microscope(
        result.logits,
        tokens=result.vocabulary,
        ids=result.ids,
        knobs={LETTER_OF[name]: value for name, value in result.strategy.knobs},
        draws=result.draws.tolist(),
        seed=inputs.seed,
        key=ui.picks.key(PICTURE, ""),
        label=f"After “…{inputs.before}”",
    )


def microscope(
    logits: ArrayLike,
    *,
    tokens: Sequence[str],
    ids: Sequence[int],
    knobs: Mapping[str, float],
    draws: Sequence[float],
    seed: int,
    key: str,
    label: str,
) -> None:
    """Draw one step whose knobs follow the finger. The browser computes with the rules of `core.generate.filters`.

    Args:
        logits: (V,) of the model.
        tokens: the V strings of the vocabulary.
        ids: the tokens so far, for the knobs that look at them.
        knobs: by letter (`core.rooms.strategies.spelling`), to begin with; changed ones are taken over.
        draws: uniform numbers, one after the other for each press of “Draw again”.
        seed: that they come from.
    """
    told, names = names_of(tokens)
    shown: dict[str, Any] = {**told, **names}
    ui.widget(
        "microscope",
        key=key,
        state=("knobs",),
        ids=[int(one) for one in ids],
        knobs=dict(knobs),
        text=repr(sorted(knobs.items())),
        draws=[float(one) for one in draws],
        seed=seed,
        n_shown=min(N_SHOWN, len(tokens)),
        label=label,
        takeaway=f"{label}: {len(tokens)} tokens, the knobs, and the draw.",
        logits=np.asarray(logits, dtype=np.float32),
        **shown,
    )
