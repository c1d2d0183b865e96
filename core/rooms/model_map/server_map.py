"""The map of a model that the browser cannot run: the server computes each view on request."""

from collections.abc import Mapping

import streamlit as st

from core.browser.choice_indexed_values import ChoiceRef
from core.browser.message_packing import pack_message
from core.exhibit import content_key
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.rooms.model_map.compute.map_response import build_response
from core.rooms.model_map.compute.whole_pass import MapRequest, parse_request
from core.ui.widgets.mount import mount

PICTURE_KEY = "model-map-asked"


def draw_server_map(given: ModelAndText, text: ChoiceRef, most: int) -> None:
    """Draw the map.

    Args:
        given: the model, and the part of the text that is read.
        text: the page's choice that the text comes from.
        most: the most tokens of the text and of generated text together.
    """
    config = given.config
    held = st.session_state.get(PICTURE_KEY)
    said = held.get("asked") if isinstance(held, Mapping) else None
    is_of_now = isinstance(said, Mapping) and said.get("of") == given.content  # not for a different text or model
    question = parse_request(said, config.n_layer, config.n_head, given.n_token) if is_of_now else MapRequest()
    mount("model_map", PICTURE_KEY, build_message(given, question, text, most), height=640, asked=None)


def build_message(given: ModelAndText, question: MapRequest, text: ChoiceRef, most: int) -> bytes:
    """Return the message to the widget."""
    told, arrays = build_response(given.key, given.ids, question, most)
    config = given.config
    server = told | {
        "of": given.content,
        "model": content_key(given.key)[:8],
        "notes": list(given.encoded.notes),
        "config": {
            **{name: getattr(config, name) for name in ("n_layer", "n_head", "d_model", "positions", "causal")},
            "vocab_size": config.vocab_size,
            "context_length": config.context_length,
            "block": {"activation": config.block.activation, "norm_first": config.block.norm_first},
        },
    }
    header = {"widget": "model_map", "label": "", "model": None, "film": None, "most": most, "text": text}
    return pack_message(header | {"server": server, "read": given.encoded.text}, arrays)
