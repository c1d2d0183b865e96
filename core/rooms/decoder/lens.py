"""The logit lens: each layer is read out as if it were the last one."""

from typing import NamedTuple

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.inspect.logit_lens import LogitLens, layer_states, logit_lens, logit_lens_row_names, readout_logits
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.rooms.decoder.inputs import DecoderInputs
from core.rooms.decoder.lens_picture import lens_picture

LABELS = module_labels(__name__)

CODE = (logit_lens, readout_logits, layer_states)


class Inputs(DecoderInputs):
    """A decoder and a text."""


class Favorite(NamedTuple):
    layer: str
    word: str
    probability: float


class LensOnText(LogitLens):
    """Each layer's predictions, with words."""

    tokens: tuple[str, ...]  # (T,) tokens of the text
    words: tuple[str, ...]  # (V,) all tokens, printable
    rows: list[str]
    n_right: int  # the number of positions where the output ranks the true token first
    softcap: float | None  # the bound of the logits

    def favorites(self, token: str) -> list[Favorite]:
        """Return the top prediction of each layer after the first occurrence of a token.

        Raises:
            ValueError: if the token is not in the text.
        """
        at = [one.strip() for one in self.tokens].index(token)
        said = [self.words[int(i)].strip() for i in self.top[:, at, 0]]
        return list(map(Favorite, self.rows, said, self.probabilities[:, at, 0].tolist()))

    def table(self) -> Table:
        n_row, n_token = self.rank.shape
        return {
            LABELS["layer"]: [name for name in self.rows for _ in range(n_token)],
            LABELS["position"]: list(range(n_token)) * n_row,
            LABELS["has_read"]: list(self.tokens) * n_row,
            LABELS["favorite"]: [self.words[int(i)] for i in self.top[..., 0].ravel()],
            LABELS["favorite_probability"]: self.probabilities[..., 0].ravel().tolist(),
            LABELS["rank"]: self.rank.ravel().tolist(),
            LABELS["truth_probability"]: np.round(self.truth.ravel(), 5).tolist(),
        }


def compute(inputs: Inputs) -> LensOnText:
    """Apply the final norm and the output layer to the stream after each block."""
    given = inputs.given
    found = logit_lens(given.model, given.ids)
    return LensOnText(
        **vars(found),
        tokens=given.tokens,
        words=model_vocabulary(given.key),
        rows=logit_lens_row_names(len(found.rank) - 1),
        n_right=int((found.rank[-1, :-1] == 1).sum()),
        softcap=given.config.modern.logit_softcap,
    )


def draw(result: LensOnText, inputs: Inputs) -> None:
    """Draw each layer's top prediction at each position."""
    lens_picture(
        {name: getattr(result, name)[None] for name in ("top", "probabilities", "rank", "truth")},
        tokens=result.tokens,
        vocabulary=result.words,
        key=f"lens.{inputs.content}",
        label=LABELS["favorites"],
        takeaway=ui.section_text("takeaway"),
    )
