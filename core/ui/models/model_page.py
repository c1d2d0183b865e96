"""The map of a model as one HTML file that works without the app, for the command line and for web servers."""

from core.browser.capture import Sent, choice
from core.browser.linked import Chosen
from core.browser.page import Content, web_page
from core.browser.text import as_message, sentence
from core.browser.weights import offer, offer_film
from core.exhibit import PROMPT_CHARS
from core.inspect.reading.model_and_text import predicts
from core.inspect.reading.model_key import ModelKey
from core.ui.exhibit.words import words_of
from core.ui.models.about import about
from core.ui.widgets.model_map import MOST_TOKENS, first_text, message

_SOURCE = """# In Glassformer's folder; a model of your own by the folder that it lies in.
from core.inspect.reading.model_and_text import read

given = read({folder!r}, {text!r}, {most})
print(given.attention.next_table(given.vocabulary))
"""


def model_page(model: ModelKey, title: str, text: str = "") -> str:
    """Return the file: the model itself, its map, and its training if that was recorded.

    Raises:
        ModelUnreadable: if there is no such model.
        ValueError: if a browser cannot run it.
    """
    offered = offer(model)
    if offered is None or predicts(model) != "next":
        raise ValueError(
            "a browser runs GPTs of at most five million parameters and of the usual parts; this model is another one"
        )
    first = text or first_text(model)
    sent = [
        choice("text", "Your own text", first, most=PROMPT_CHARS),
        Sent("model_map", message(offered, Chosen("text"), offer_film(model)), own_style=True),
        Sent("sentence", as_message(about(model).in_words, "caption"), own_style=False),
    ]
    source = _SOURCE.format(folder=model.name, text=first, most=MOST_TOKENS)
    return web_page(Content(title, sentence(words_of("model_map", "whole_model").look_for), sent, source))
