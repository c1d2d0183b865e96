"""The logit lens: each layer is read as if it were the last one."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from core import ui
from core.inspect.reading.model_and_text import vocabulary
from core.rooms.decoder import predictions_widget
from core.rooms.decoder.compute.readout import Lens, read_layers, read_out, row_names, stream
from core.rooms.decoder.inputs import Looked

CODE = (read_layers, read_out, stream)


class Inputs(Looked):
    """A decoder and a text."""


class Favorite(NamedTuple):
    layer: str
    word: str
    probability: float


@dataclass(frozen=True)
class LensOnText(Lens):
    """What each layer would say, in words."""

    tokens: tuple[str, ...]  # (T,) of the text
    words: tuple[str, ...]  # (V,) all tokens as they can be read

    @property
    def rows(self) -> list[str]:
        return row_names(len(self.rank) - 1)

    @property
    def n_right(self) -> int:
        """At how many places the output has the true token in front."""
        return int((self.rank[-1, :-1] == 1).sum())

    def favorites(self, token: str) -> list[Favorite]:
        """Of each layer, after the first place of a token. Raises ValueError if the text has no such token."""
        at = [one.strip() for one in self.tokens].index(token)
        said = [self.words[int(i)].strip() for i in self.top[:, at, 0]]
        return list(map(Favorite, self.rows, said, self.probabilities[:, at, 0].tolist()))

    def table(self) -> dict[str, list[Any]]:
        n_row, n_token = self.rank.shape
        return {
            "layer": [name for name in self.rows for _ in range(n_token)],
            "position": list(range(n_token)) * n_row,
            "has read": list(self.tokens) * n_row,
            "favorite": [self.words[int(i)] for i in self.top[..., 0].ravel()],
            "its probability": self.probabilities[..., 0].ravel().tolist(),
            "rank of the true token": self.rank.ravel().tolist(),
            "its probability there": np.round(self.truth.ravel(), 5).tolist(),
        }


def compute(inputs: Inputs) -> LensOnText:
    """The stream after each block, through the final norm and the output layer."""
    given = inputs.given
    return LensOnText(**vars(read_layers(given.model, given.ids)), tokens=given.tokens, words=vocabulary(given.key))


def draw(result: LensOnText, inputs: Inputs) -> None:
    predictions_widget.lens(
        top=result.top[None],
        probabilities=result.probabilities[None],
        rank=result.rank[None],
        truth=result.truth[None],
        rows=result.rows,
        tokens=result.tokens,
        vocabulary=result.words,
        key=f"lens.{inputs.content}",
        label="Each layer's favorite at each position",
        takeaway=ui.words("takeaway"),
    )
    ui.say("caution")
    if (most := inputs.given.config.logit_softcap) is not None:
        ui.say("bounded", most=most)
