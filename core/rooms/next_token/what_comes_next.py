"""The distribution of a model at one position of a text, and how temperature, top-k and top-p change it."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.generate import filters
from core.generate.filter_settings import FilterSettings
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.inspect.model_inputs.predicted_position import text_before, text_logits
from core.rooms.next_token.inputs import (
    PICTURE_CHOICE,
    PositionInputs,
    sampling_settings,
    temperature_input,
    top_k_input,
    top_p_input,
)

LABELS = module_labels(__name__)

CODE = (filters.temperature, filters.top_k, filters.top_p)


class Inputs(PositionInputs):
    temperature: float = temperature_input(PICTURE_CHOICE)
    top_k: int = top_k_input()
    top_p: float = top_p_input()


class NextTokenDistribution(Result):
    """The model's logits at the position."""

    logits: NDArray[np.float32]  # (V,)
    vocabulary: tuple[str, ...]  # (V,) printable
    settings: FilterSettings  # how to sample from them
    likeliest: list[tuple[str, float]]  # the ten most probable tokens, whatever the settings
    formula: str  # for the most probable token, in its own numbers

    def table(self) -> Table:
        """Return all tokens with their probabilities before and after filtering, most probable first."""
        return self.settings.table(self.vocabulary, self.logits)


def compute(inputs: Inputs) -> NextTokenDistribution:
    """Compute the logit of each token of the vocabulary, from the tokens before this position only."""
    given, settings, names = inputs.given, sampling_settings(inputs), model_vocabulary(inputs.given.key)
    logits = text_logits(given.key, given.encoded.ids_key)[inputs.place - 1]
    below = logits.astype(np.float64) - logits.max()
    p = np.exp(below) / np.exp(below).sum()
    t = settings.temperature or 1.0
    total = float(np.exp(below / t).sum())
    # Both sides are divided by the largest term, so that the numbers stay readable for any logits.
    formula = (
        rf"\begin{{aligned}}z_\text{{max}} &= {logits.max():.3f}, \quad T = {t:g} \\"
        rf"p_\text{{max}} &= \frac{{1}}{{\sum_v e^{{(z_v - z_\text{{max}})/T}}}} = \frac{{1}}{{{total:.3f}}} "
        rf"= {1 / total:.4f}\end{{aligned}}"
    )
    return NextTokenDistribution(
        logits=logits,
        vocabulary=names,
        settings=settings,
        likeliest=[(names[i].strip(), float(p[i])) for i in p.argsort()[::-1][:10].tolist()],
        formula=formula,
    )


def draw(result: NextTokenDistribution, inputs: Inputs) -> None:
    """Draw the distribution, with live temperature, top-k and top-p."""
    given, place, places = inputs.given, inputs.place, range(1, inputs.given.n_token + 1)
    ui.add_template_values(
        before=ui.select_by_choice([text_before(given, at) for at in places], place),
        token=ui.select_by_choice([token.strip() or token for token in (*given.tokens[1:], "")], place),
        is_last=ui.select_by_choice([at == given.n_token for at in places], place),
    )
    takeaways = [LABELS("takeaway", at=at) for at in places[:-1]]
    ui.distribution(
        ui.select_by_choice(text_logits(given.key, given.encoded.ids_key), place),
        tokens=result.vocabulary,
        key="next.distribution",
        temperature=ui.choice_ref(inputs.temperature),
        top_k=ui.choice_ref(inputs.top_k),
        top_p=ui.choice_ref(inputs.top_p),
        chosen=ui.select_by_choice([*given.ids[1:], None], place),
        n_shown=12,
        takeaway=ui.select_by_choice([*takeaways, LABELS["takeaway.next"]], place),
    )
