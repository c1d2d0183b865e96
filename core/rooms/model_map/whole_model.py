"""The whole model on one screen: a text on its way through all parts, computed in the browser if possible."""

from core import exhibit, ui
from core.data.localization.labels import module_labels
from core.exhibit import NothingToShow, Result, Table, ViewChoice, custom_control, text_input
from core.inspect import attention_record
from core.inspect.attention_record import AttentionRecord
from core.inspect.model_inputs.model_and_text import ModelAndText, encode_text, load_text_model
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelKey
from core.models.gpt import GPT
from core.rooms.model_map.compute.whole_pass import compute_pass, max_pass_tokens
from core.ui.widgets.model_map import MOST_TOKENS, initial_model_map_text, mount_model_map

LABELS = module_labels(__name__)

CODE = (GPT.forward, attention_record.attention, compute_pass)


class Inputs(exhibit.Inputs):
    key: ModelKey = custom_control("core.ui.models.pick_inputs:pick_model", lambda _: ModelKey.at(DEFAULT_MODEL))
    text: str = text_input(
        lambda given: initial_model_map_text(given.key),
        max_chars=exhibit.PROMPT_CHARS,
        keep_end=True,
        view=ViewChoice(scope=lambda given: str(given.key)),
    )


class NextTokenResult(Result):
    """A text through the model."""

    given: ModelAndText
    record: AttentionRecord

    def table(self) -> Table:
        return self.record.next_table(self.given.vocabulary)


def compute(inputs: Inputs) -> NextTokenResult:
    """Run the text through the model once."""
    most = max_pass_tokens(load_text_model(inputs.key).config, MOST_TOKENS)
    given = ModelAndText(inputs.key, encode_text(inputs.key, inputs.text, most))
    if not given.ids:
        raise NothingToShow(LABELS["no_text"])
    return NextTokenResult(given=given, record=given.attention)


def draw(result: NextTokenResult, inputs: Inputs) -> None:
    """Draw the map; the browser computes every change with the same model if it can, otherwise the server does."""
    given = result.given
    offered = ui.offer_weights(given.key)
    is_here = offered is not None and offered["tokenizer"] is not None
    ui.add_template_values(about=ui.describe_model(given.key).in_words, is_here=is_here)
    if is_here:
        mount_model_map(given.key, inputs.text, key="model-map")
    else:
        from core.rooms.model_map.server_map import draw_server_map  # these need Streamlit, which `compute` doesn't
        from core.ui.controls import browser_side_controls
        from core.ui.models.text_notes import model_spinner

        browser_side_controls.rerun_on_choice_change([inputs.text])
        with model_spinner(given.key, LABELS["reading"]):
            draw_server_map(given, ui.choice_ref(inputs.text), max_pass_tokens(given.config, MOST_TOKENS))
