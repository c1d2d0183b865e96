"""The pictures: all heads, one head, the next token, the whole model.

Each takes a model and a text, see `core.notebook.reading`, and gives a widget whose `values` say what is chosen.
"""

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from core.browser.capture import Sent, capture, choice
from core.browser.linked import Along, Chosen
from core.browser.page import Content, web_page
from core.browser.weights import offer, offer_film, offer_model
from core.exhibit import PROMPT_CHARS
from core.inspect.readers import predicts
from core.inspect.trace import AttentionRecord
from core.models.registry import CONFIGS
from core.notebook import hugging_face
from core.notebook.reading import Expectation, Reading, expectation, key_of, parts_of, reading
from core.rooms.heads.lines_widget import MOST_TOKENS, lines
from core.ui.widgets import model_map as whole
from core.ui.widgets.tensors import distribution, head_grid, matrix as draw_matrix

MOST_SENT = 2_000_000  # numbers of one picture: of more, it holds the one head or place that is asked for
LAYER, HEAD, QUERY, KEY = (Chosen(name) for name in ("layer", "head", "query", "key"))
SCRIPT = Path(__file__).resolve().parents[2] / "assets" / "widgets" / "page" / "notebook.js"


class Shown(anywidget.AnyWidget):
    """A picture with its page, in a frame: so neither the notebook's styles nor its scripts meet ours.

    The same file is shown where no kernel runs.

    Attributes:
        page: the HTML file; `Path("heads.html").write_text(shown.page)` keeps it.
        values: what is chosen in it, by name; set some to choose: `shown.values = {"head": 2}`.
        height: of its frame where no kernel runs, in css pixels.
    """

    _esm = SCRIPT.read_text(encoding="utf-8")
    page = traitlets.Unicode().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)

    def __init__(self, title: str, sent: list[Sent], *, look_for: str = "", height: int = 640, **values: object):
        super().__init__(page=web_page(Content(title, look_for, sent)), values=values)
        self.height = height

    def _repr_html_(self) -> str:
        """The page itself, which works without a kernel."""
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="Glassformer" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def _repr_mimebundle_(self, **options: Any) -> Any:
        data, *rest = super()._repr_mimebundle_(**options) or ({},)
        return ({**data, "text/html": self._repr_html_()}, *rest)


def heads(model: object, text: str, *, tokenizer: object = None, layer: int = 0, head: int = 0) -> Shown:
    """Every head of every layer at once, and the chosen one as lines from each token to those that it reads.

    Args:
        layer, head: chosen at first; a click chooses another.

    Raises:
        ModelUnreadable, ValueError, TypeError: in plain words.
    """
    given = reading(model, text, tokenizer, MOST_TOKENS)
    sent = _places(given, layer, head, is_drawn=False)
    with capture(sent, is_drawn=False):
        head_grid(given.weights, tokens=given.tokens, key="grid", selected=(LAYER, HEAD), label="All heads")
        label = "Who reads whom"
        lines(given.weights, tokens=given.tokens, key="lines", open_head=(LAYER, HEAD), row=QUERY, label=label)
    return Shown("Attention heads", sent, look_for=_said(given, "Click a head."), height=900, layer=layer, head=head)


def matrix(model: object, text: str, *, tokenizer: object = None, layer: int = 0, head: int = 0) -> Shown:
    """One head as a matrix: row t is what token t reads; of a model of ours each weight shows how it was computed.

    Args:
        layer, head: chosen at first. Of a large model (more than two million weights) only this head is sent.

    Raises:
        ModelUnreadable, ValueError, TypeError: in plain words.
    """
    given = reading(model, text, tokenizer, MOST_TOKENS)
    is_small = given.weights.size <= MOST_SENT
    names = ("layer", "head") if is_small else ()

    def part(values: NDArray[np.generic]) -> Any:
        return Along(values, names) if is_small else values[layer, head]

    operands = None if given.record is None else _operands(given.record, part)
    label = part(np.array([[f"Layer {i}, head {j}" for j in range(given.weights.shape[1])]
                           for i in range(given.weights.shape[0])], dtype=object))  # fmt: skip
    sent = _places(given, layer, head, is_drawn=is_small)
    with capture(sent, is_drawn=False):
        draw_matrix(
            part(given.weights),
            rows=given.tokens,
            columns=given.tokens,
            key="matrix",
            mask=_mask(given, layer, is_small),
            operands=operands,
            selected=(QUERY, KEY),
            label=label,
            chooses={"row": QUERY, "column": KEY},
        )
    return Shown("One head", sent, look_for=_said(given, "Point at a weight."), height=760, layer=layer, head=head)


def _operands(record: AttentionRecord, part: Callable[[NDArray[np.generic]], object]) -> dict[str, object]:
    """The operands of a weight's formula; the scores only where they are not the scaled products."""
    is_plain = record.bias is None and record.softcap is None
    arrays = {"q": record.q, "k": record.k} | ({} if is_plain else {"scores": record.scores})
    return {name: part(one) for name, one in arrays.items()} | {
        "scale": record.scale, "softcap": record.softcap, "sink": None if record.sinks is None else part(record.sinks)
    }  # fmt: skip


def _mask(given: Reading, layer: int, is_small: bool) -> NDArray[np.bool_] | Along:
    """The mask of the layer, or of all layers where they differ."""
    if given.record is None or not given.record.layers_differ:
        return given.mask
    return Along(given.record.masks, ("layer",)) if is_small else given.record.mask_of(layer)


def next_token(model: object, text: str, *, tokenizer: object = None, position: int = -1) -> Shown:
    """A model's predictions after each token, and how temperature, top-k and top-p change them.

    Args:
        position: of the token after which one looks at first; of a large vocabulary only this place is sent.

    Raises:
        ModelUnreadable, ValueError, TypeError: in plain words; a model that foresees no token is refused.
    """
    given = expectation(model, text, tokenizer)
    at = range(len(given.tokens))[position]
    logits, context = given.logits, given.tokens
    if logits.size > MOST_SENT:
        logits, context, at = logits[at : at + 1], context[at : at + 1], 0
    sent: list[Sent] = []
    with capture(sent, is_drawn=False):
        distribution(logits, tokens=given.vocabulary, key="next", context_tokens=context, position=at, n_shown=12)
    return Shown("The next token", sent, look_for=_said(given, "Move the temperature."), height=720)


def model_map(model: object, text: str = "", *, tokenizer: Any = None) -> Shown:
    """The whole model on one screen: it runs in the browser, where one can play, open, and change it.

    Args:
        text: that it begins with; "" for one that the model can read.

    Raises:
        ModelUnreadable, ValueError, TypeError: in plain words; a model that no browser runs is refused.
    """
    film = None
    if isinstance(model, str | Path):
        key = key_of(model)
        text, film = text or whole.first_text(key), offer_film(key)
        offered, (network, tokenizer) = offer(key), parts_of(model)
    else:
        network, tokenizer = parts_of(model, tokenizer)
        if type(getattr(network, "config", None)) not in CONFIGS.values():
            hugging_face.refuse_map(network)
        text, offered = text or tokenizer.decode([0]), offer_model(network, tokenizer)
    if offered is None or offered["tokenizer"] is None or predicts(network) != "next":
        raise ValueError(
            "a browser runs GPTs of at most five million parameters and of the usual parts; this model is another one"
        )
    said = choice("text", "Your own text", text, most=PROMPT_CHARS)
    sent = [said, Sent("model_map", whole.message(offered, Chosen("text"), film), own_style=True)]
    return Shown("The whole model", sent, height=820, text=text)


def _places(given: Reading, layer: int, head: int, *, is_drawn: bool) -> list[Sent]:
    """The choices of a layer, a head, a query and a key. Raises ValueError."""
    n_layer, n_head, n_token, _ = given.weights.shape
    if not (0 <= layer < n_layer and 0 <= head < n_head):
        raise ValueError(f"there is no layer {layer}, head {head}: {n_layer} layers of {n_head} heads count from 0")
    last = n_token - 1
    return [
        choice("layer", "Layer", layer, low=0, high=n_layer - 1, step=1, is_drawn=is_drawn and n_layer > 1),
        choice("head", "Head", head, low=0, high=n_head - 1, step=1, is_drawn=is_drawn and n_head > 1),
        choice("query", "Query", last, low=0, high=last, step=1, is_drawn=False),
        choice("key", "Key", 0, low=0, high=last, step=1, is_drawn=False),
    ]


def _said(given: Reading | Expectation, look_for: str) -> str:
    return html.escape(" ".join([look_for, *given.notes]))
