"""The inputs that the room's exhibits share: a prompt, shortened if it leaves no room for new tokens."""

from dataclasses import replace

from core import ui
from core.data.localization.labels import module_labels
from core.data.sentences import SENTENCES
from core.exhibit import Inputs, custom_control
from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text
from core.inspect.model_inputs.model_key import DEFAULT_MODEL

LABELS = module_labels(__name__)
MAX_PROMPT = 40  # together with the new tokens, this many rows of a table still fit on a screen
N_NEW = 16  # tokens that the tables exhibit generates


def pick_prompt() -> ModelAndText | None:
    """Draw the bar at the top and return its choice.

    Returns None, after a message, if the model isn't causal, because a cache is useless for it.
    """
    from core.ui.models.pick_inputs import pick_model_and_text

    given = pick_model_and_text(MAX_PROMPT)
    if given is not None and not given.config.causal:
        ui.st.info(LABELS["not_causal"])
        return None
    return given


class CacheInputs(Inputs):
    """A decoder and a prompt."""

    given: ModelAndText = custom_control(
        "core.rooms.cache.inputs:pick_prompt",
        lambda _: load_model_and_text(DEFAULT_MODEL, SENTENCES[DEFAULT_MODEL], MAX_PROMPT),
    )


def fit_prompt(given: ModelAndText) -> tuple[ModelAndText, int]:
    """Return the end of a text that leaves room in the model's context, and the number of tokens to generate."""
    context = int(given.config.context_length)
    n_new = min(N_NEW, max(1, context // 2))
    n_prompt = max(1, min(given.n_token, context - n_new))
    cut = replace(given.encoded, ids=given.ids[-n_prompt:], tokens=given.tokens[-n_prompt:])
    return ModelAndText(given.key, cut), n_new


def note_cut(given: ModelAndText) -> None:
    """Draw a note if the beginning of the text was cut off."""
    prompt, n_new = fit_prompt(given)
    if prompt.n_token < given.n_token:
        ui.st.caption(
            LABELS(
                "only_the_end",
                used=prompt.n_token,
                n_token=given.n_token,
                n_new=n_new,
                context=given.config.context_length,
            )
        )
