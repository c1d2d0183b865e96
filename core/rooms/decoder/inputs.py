"""The inputs that all exhibits of the room share: a decoder, and a window of at most fourteen tokens."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, content_key, custom_control
from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text
from core.inspect.model_inputs.model_key import DEFAULT_MODEL

LABELS = module_labels(__name__)

# Few enough to read every prediction of the window at once; the stories model knows these words.
MAX_TOKENS = 14
SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."
# A copy to train has 64-bit weights, gradients and two optimizer states: 32 bytes per weight, 320 MB in total.
MAX_WEIGHTS = 10_000_000


class DecoderInputs(Inputs):
    given: ModelAndText = custom_control("core.rooms.decoder.inputs:pick_window", lambda _: read_window(SENTENCE))

    @property
    def content(self) -> str:
        """A key for the model and the text, used in the keys of pictures."""
        return content_key(self.given.key, self.given.encoded.ids_key)[:12]


def read_window(text: str) -> ModelAndText:
    return load_model_and_text(DEFAULT_MODEL, text, MAX_TOKENS)


def pick_window() -> ModelAndText | None:
    """Draw the bar of the room and return model and text, two to fourteen tokens of it."""
    from core.ui.models.pick_inputs import pick_model_and_text

    given = pick_model_and_text(MAX_TOKENS, text=SENTENCE)
    if given is not None and given.n_token < 2:
        ui.st.info(LABELS["too_short"])
        return None
    return given


def count_weights(given: ModelAndText) -> int:
    return sum(parameter.numel() for parameter in given.model.parameters())


def is_small_model(inputs: DecoderInputs) -> bool:
    return count_weights(inputs.given) <= MAX_WEIGHTS
