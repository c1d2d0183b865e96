"""The pictures for notebooks: all heads, one head, the next token, the whole model.

Each takes a model and a text, see `core.notebook.reading`, and returns a widget whose `values` are the user's choices.
"""

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from core.browser.choice_indexed_values import ByChoice, ChoiceRef
from core.browser.message_capture import MessageToWidget, capture_widget_messages, choice_control_message
from core.browser.page import PageContent, web_page
from core.browser.weights import export_model_for_browser, offer_weights, training_film_url
from core.data.localization.labels import module_labels
from core.exhibit import PROMPT_CHARS
from core.inspect.attention_record import AttentionRecord
from core.inspect.single_text_models import prediction_kind
from core.models.registry import CONFIGS
from core.notebook import hugging_face
from core.notebook.reading import (
    LogitsByPosition,
    ModelReading,
    model_and_tokenizer,
    model_key,
    predict_next_token,
    run_model_on_text,
)
from core.rooms.heads.lines_widget import MAX_LINE_TOKENS, draw_attention_lines
from core.ui.widgets import model_map as whole
from core.ui.widgets.tensors import distribution, head_grid, matrix as draw_matrix

LABELS = module_labels(__name__)

MOST_SENT = 2_000_000  # numbers of one picture; a larger one holds only the requested head or position
LAYER, HEAD, QUERY, KEY = (ChoiceRef(name) for name in ("layer", "head", "query", "key"))
SCRIPT = Path(__file__).resolve().parents[2] / "assets" / "widgets" / "page" / "notebook.js"


class _NotebookView(anywidget.AnyWidget):
    """A picture with its page, in a frame, so that the notebook's styles and scripts don't interfere with ours.

    The same file is shown when no kernel runs.

    Attributes:
        page: the HTML file; `Path("heads.html").write_text(shown.page)` saves it.
        values: what is chosen in it, by name; set some to choose: `shown.values = {"head": 2}`.
        height: of its frame when no kernel runs, in CSS pixels.
    """

    _esm = SCRIPT.read_text(encoding="utf-8")
    page = traitlets.Unicode().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)

    def __init__(
        self, title: str, sent: list[MessageToWidget], *, look_for: str = "", height: int = 640, **values: object
    ):
        super().__init__(page=web_page(PageContent(title, look_for, sent)), values=values)
        self.height = height

    def _repr_html_(self) -> str:
        """Return the page itself, which works without a kernel."""
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="Glassformer" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def _repr_mimebundle_(self, **options: Any) -> Any:
        data, *rest = super()._repr_mimebundle_(**options) or ({},)
        return ({**data, "text/html": self._repr_html_()}, *rest)


def heads(model: object, text: str, *, tokenizer: object = None, layer: int = 0, head: int = 0) -> _NotebookView:
    """Show all heads of all layers at once, and the chosen one as lines from each token to the tokens that it reads.

    Args:
        layer, head: the initial choice; a click changes it.

    Raises:
        ModelUnreadable, ValueError, TypeError: if the model or an argument can't be used.
    """
    given = run_model_on_text(model, text, tokenizer, MAX_LINE_TOKENS)
    sent = _places(given, layer, head, is_drawn=False)
    with capture_widget_messages(sent, is_drawn=False):
        head_grid(given.weights, tokens=given.tokens, key="grid", selected=(LAYER, HEAD), label=LABELS["all_heads"])
        label = LABELS["who_reads_whom"]
        draw_attention_lines(
            given.weights, tokens=given.tokens, key="lines", open_head=(LAYER, HEAD), row=QUERY, label=label
        )
    return _NotebookView(
        LABELS["heads"], sent, look_for=_said(given, LABELS["heads.look_for"]), height=900, layer=layer, head=head
    )


def matrix(model: object, text: str, *, tokenizer: object = None, layer: int = 0, head: int = 0) -> _NotebookView:
    """Show one head as a matrix: row t has the weights of token t. For our models each weight shows its computation.

    Args:
        layer, head: the initial choice. For a large model (more than two million weights) only this head is sent.

    Raises:
        ModelUnreadable, ValueError, TypeError: if the model or an argument can't be used.
    """
    given = run_model_on_text(model, text, tokenizer, MAX_LINE_TOKENS)
    is_small = given.weights.size <= MOST_SENT
    names = ("layer", "head") if is_small else ()

    def part(values: NDArray[np.generic]) -> Any:
        return ByChoice(values, names) if is_small else values[layer, head]

    operands = None if given.record is None else _operands(given.record, part)
    label = part(np.array([[LABELS("layer_and_head", i=i, j=j) for j in range(given.weights.shape[1])]
                           for i in range(given.weights.shape[0])], dtype=object))  # fmt: skip
    sent = _places(given, layer, head, is_drawn=is_small)
    with capture_widget_messages(sent, is_drawn=False):
        draw_matrix(
            part(given.weights),
            rows=given.tokens,
            columns=given.tokens,
            key="matrix",
            mask=_mask(given, layer, is_small),
            operands=operands,
            selected=(QUERY, KEY),
            label=label,
            click_sets={"row": QUERY, "column": KEY},
        )
    return _NotebookView(
        LABELS["matrix"], sent, look_for=_said(given, LABELS["matrix.look_for"]), height=760, layer=layer, head=head
    )


def _operands(record: AttentionRecord, part: Callable[[NDArray[np.generic]], object]) -> dict[str, object]:
    """Return the operands of a weight's formula; the scores only if they aren't the scaled products."""
    is_plain = record.bias is None and record.softcap is None
    arrays = {"q": record.q, "k": record.k} | ({} if is_plain else {"scores": record.scores})
    return {name: part(one) for name, one in arrays.items()} | {
        "scale": record.scale, "softcap": record.softcap, "sink": None if record.sinks is None else part(record.sinks)
    }  # fmt: skip


def _mask(given: ModelReading, layer: int, is_small: bool) -> NDArray[np.bool_] | ByChoice:
    """Return the mask of the layer, or the masks of all layers if they differ."""
    if given.record is None or not given.record.layers_differ:
        return given.mask
    return ByChoice(given.record.masks, ("layer",)) if is_small else given.record.mask_of(layer)


def next_token(model: object, text: str, *, tokenizer: object = None, position: int = -1) -> _NotebookView:
    """Show a model's predictions after each token, and how temperature, top-k and top-p change them.

    Args:
        position: the initial position; for a large vocabulary only this one is sent.

    Raises:
        ModelUnreadable, ValueError, TypeError: if the model or an argument can't be used; a model that doesn't predict
            the next token is refused.
    """
    given = predict_next_token(model, text, tokenizer)
    at = range(len(given.tokens))[position]
    logits, context = given.logits, given.tokens
    if logits.size > MOST_SENT:
        logits, context, at = logits[at : at + 1], context[at : at + 1], 0
    sent: list[MessageToWidget] = []
    with capture_widget_messages(sent, is_drawn=False):
        distribution(logits, tokens=given.vocabulary, key="next", context_tokens=context, position=at, n_shown=12)
    return _NotebookView(LABELS["next_token"], sent, look_for=_said(given, LABELS["next_token.look_for"]), height=720)


def model_map(model: object, text: str = "", *, tokenizer: Any = None) -> _NotebookView:
    """Show the whole model on one screen; it runs in the browser, where you can play it, open its parts and change it.

    Args:
        text: the initial text; "" for one that the model can read.

    Raises:
        ModelUnreadable, ValueError, TypeError: if the model or an argument can't be used; a model that can't run in a
            browser is refused.
    """
    film = None
    if isinstance(model, str | Path):
        key = model_key(model)
        text, film = text or whole.initial_model_map_text(key), training_film_url(key)
        offered, (network, tokenizer) = offer_weights(key), model_and_tokenizer(model)
    else:
        network, tokenizer = model_and_tokenizer(model, tokenizer)
        if type(getattr(network, "config", None)) not in CONFIGS.values():
            hugging_face.raise_cannot_run_in_browser(network)
        text, offered = text or tokenizer.decode([0]), export_model_for_browser(network, tokenizer)
    if offered is None or offered["tokenizer"] is None or prediction_kind(network) != "next":
        raise ValueError(LABELS["not_in_browser"])
    said = choice_control_message("text", LABELS["own_text"], text, most=PROMPT_CHARS)
    sent = [
        said,
        MessageToWidget("model_map", whole.model_map_widget_message(offered, ChoiceRef("text"), film), own_style=True),
    ]
    return _NotebookView(LABELS["model_map"], sent, height=820, text=text)


def _places(given: ModelReading, layer: int, head: int, *, is_drawn: bool) -> list[MessageToWidget]:
    """Return the choices of a layer, a head, a query and a key. Raises ValueError if there is no such layer or head."""
    n_layer, n_head, n_token, _ = given.weights.shape
    if not (0 <= layer < n_layer and 0 <= head < n_head):
        raise ValueError(LABELS("no_head", layer=layer, head=head, n_layer=n_layer, n_head=n_head))
    last = n_token - 1
    return [
        choice_control_message(
            "layer", LABELS["layer"], layer, low=0, high=n_layer - 1, step=1, is_drawn=is_drawn and n_layer > 1
        ),
        choice_control_message(
            "head", LABELS["head"], head, low=0, high=n_head - 1, step=1, is_drawn=is_drawn and n_head > 1
        ),
        choice_control_message("query", LABELS["query"], last, low=0, high=last, step=1, is_drawn=False),
        choice_control_message("key", LABELS["key"], 0, low=0, high=last, step=1, is_drawn=False),
    ]


def _said(given: ModelReading | LogitsByPosition, look_for: str) -> str:
    return html.escape(" ".join([look_for, *given.notes]))
