"""The map of a model as one HTML file that works without the app, for the command line and for web servers."""

from core.browser.choice_indexed_values import ChoiceRef
from core.browser.markdown_html import markdown_message, sentence_to_html
from core.browser.message_capture import MessageToWidget, choice_control_message
from core.browser.page import PageContent, web_page
from core.browser.weights import offer_weights, training_film_url
from core.data.localization.labels import module_labels
from core.exhibit import PROMPT_CHARS
from core.inspect.model_inputs.model_and_text import model_prediction_kind
from core.inspect.model_inputs.model_key import ModelKey
from core.ui.exhibit.exhibit_text import load_exhibit_markdown
from core.ui.models.model_description import describe_model
from core.ui.widgets.model_map import MOST_TOKENS, initial_model_map_text, model_map_widget_message

LABELS = module_labels(__name__)

_SOURCE = (
    f"# {LABELS['source_note']}\n"
    + """\
from core.inspect.model_inputs.model_and_text import load_model_and_text

given = load_model_and_text({folder!r}, {text!r}, {most})
print(given.attention.next_table(given.vocabulary))
"""
)


def model_page_html(model: ModelKey, title: str, text: str = "") -> str:
    """Return the file: the model itself, its map, and its training if that was recorded.

    Raises:
        ModelUnreadable: if there is no such model.
        ValueError: if a browser cannot run it.
    """
    offered = offer_weights(model)
    if offered is None or model_prediction_kind(model) != "next":
        raise ValueError(
            "a browser runs GPTs of at most five million parameters and of the usual parts; this model is another one"
        )
    first = text or initial_model_map_text(model)
    sent = [
        choice_control_message("text", LABELS["own_text"], first, most=PROMPT_CHARS),
        MessageToWidget(
            "model_map", model_map_widget_message(offered, ChoiceRef("text"), training_film_url(model)), own_style=True
        ),
        MessageToWidget("sentence", markdown_message(describe_model(model).in_words, "caption"), own_style=False),
    ]
    source = _SOURCE.format(folder=model.name, text=first, most=MOST_TOKENS)
    return web_page(
        PageContent(title, sentence_to_html(load_exhibit_markdown("model_map", "whole_model").look_for), sent, source)
    )
