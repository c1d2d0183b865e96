"""What a model expects at one place of a text, and how temperature, top-k and top-p change it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.generate import filters
from core.generate.settings import Settings
from core.inspect.reading.model_and_text import vocabulary
from core.inspect.reading.place_in_text import every_logits, words_before
from core.rooms.next_token.inputs import IN_PICTURE, Place, settings_of, temperature, top_k, top_p

CODE = (filters.temperature, filters.top_k, filters.top_p)


class Inputs(Place):
    """How to sample: all of it is set in the picture."""

    temperature: float = temperature(IN_PICTURE)
    top_k: int = top_k()
    top_p: float = top_p()


@dataclass(frozen=True)
class Result:
    """The model's scores at the place."""

    logits: NDArray[np.float32]  # (V,)
    vocabulary: tuple[str, ...]  # (V,) printable
    settings: Settings  # how to sample from them

    @property
    def likeliest(self) -> list[tuple[str, float]]:
        """The ten likeliest tokens and their probabilities, whatever the settings."""
        p = np.exp(self.logits.astype(np.float64) - self.logits.max())
        return [(self.vocabulary[i].strip(), float(p[i] / p.sum())) for i in p.argsort()[::-1][:10].tolist()]

    def table(self) -> dict[str, Any]:
        """All tokens before and after, the likeliest first."""
        return self.settings.table(self.vocabulary, self.logits)

    @property
    def formula(self) -> str:
        """For the likeliest token, in its own numbers."""
        t, highest = self.settings.temperature or 1.0, float(self.logits.max())
        total = float(np.exp((self.logits.astype(np.float64) - highest) / t).sum())
        # Both sides divided by the largest term, so that the numbers stay readable whatever the logits are.
        return (
            rf"\begin{{aligned}}z_\text{{max}} &= {highest:.3f}, \quad T = {t:g} \\"
            rf"p_\text{{max}} &= \frac{{1}}{{\sum_v e^{{(z_v - z_\text{{max}})/T}}}} = \frac{{1}}{{{total:.3f}}} "
            rf"= {1 / total:.4f}\end{{aligned}}"
        )


def compute(inputs: Inputs) -> Result:
    """What the model gives each token of its vocabulary, from the tokens before this place alone."""
    given = inputs.given
    logits = every_logits(given.key, given.encoded.ids_key)[inputs.place - 1]
    return Result(logits, vocabulary(given.key), settings_of(inputs))


def draw(result: Result, inputs: Inputs) -> None:
    """The distribution, with live temperature, top-k and top-p."""
    given, places = inputs.given, range(1, inputs.given.n_token + 1)
    came = [*given.tokens[1:], ""]
    ui.say(
        ui.along([*["came"] * (given.n_token - 1), "after"], "place"),
        before=ui.along([words_before(given, place) for place in places], "place"),
        token=ui.along([token.strip() or token for token in came], "place"),
    )
    takeaways = [f"Token {place}: its probabilities." for place in places[:-1]]
    ui.distribution(
        ui.along(every_logits(given.key, given.encoded.ids_key), "place"),
        tokens=result.vocabulary,
        key="next.distribution",
        temperature=ui.chosen("temperature"),
        top_k=ui.chosen("top_k"),
        top_p=ui.chosen("top_p"),
        chosen=ui.along([*given.ids[1:], None], "place"),
        n_shown=12,
        takeaway=ui.along([*takeaways, "The next token: its probabilities."], "place"),
    )
