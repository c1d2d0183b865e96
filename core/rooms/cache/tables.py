"""The tables of keys and values, row by row, while a text is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.browser.linked import Along, over
from core.browser.message import pack
from core.exhibit import MAX_FIGURES, Look, memoize, slider
from core.generate.cache import CachedModel
from core.generate.decode import generate
from core.generate.keys_values import KeyValues
from core.inspect import trace
from core.inspect.block_differences import windows_in_words
from core.inspect.opening_head import far_reader
from core.inspect.reading.model_and_text import ModelAndText, vocabulary
from core.rooms.cache.inputs import Looked, prompt_of, say_cut
from core.ui.text import plural
from core.ui.widgets.mount import mount

HEAD = ("table_layer", "table_head")
CODE = (KeyValues.read, KeyValues.attention, CachedModel.next_logits)


@dataclass(frozen=True)
class KeptRows:
    """What is in the cache after a text has been written, and how it was read.

    Attributes:
        tokens: (T + 1,) the prompt and what was written; the last token has not been read.
        n_prompt: how many of them are the prompt.
        keys, values: (L, G, T, K) of each head of keys, which H / G heads of queries read.
        weights: (L, H, T, T), of the same text read in one pass.
        layer, head: which tables are looked at.
    """

    tokens: tuple[str, ...]
    n_prompt: int
    keys: NDArray[np.float32]
    values: NDArray[np.float32]
    weights: NDArray[np.float32]
    layer: int = 0
    head: int = 0

    @property
    def n_shared(self) -> int:
        """Heads of queries that read the same keys and values."""
        return self.weights.shape[1] // self.keys.shape[1]

    def of_heads(self, kept: NDArray[np.float32]) -> NDArray[np.float32]:
        """(L, H, T, K) what each head of queries reads, of keys or values."""
        return kept.repeat(self.n_shared, axis=1)

    def table(self) -> dict[str, Any]:
        """The rows of one head, one line for each token."""
        own = self.head // self.n_shared
        parts = {"key": self.keys[self.layer, own], "value": self.values[self.layer, own]}
        columns = {f"{part} {c}": rows[:, c] for part, rows in parts.items() for c in range(rows.shape[-1])}
        return {"token": self.tokens[:-1], **columns}


@memoize(MAX_FIGURES)
def kept_rows(given: ModelAndText) -> KeptRows:
    """Write with the cache, the likeliest token each time; then look at the rows that have been kept."""
    prompt, n_new = prompt_of(given)
    model = given.model
    ids = [*prompt.ids, *(int(step.token) for step in generate(model, prompt.ids, n_new, greedy=True))]
    cached = CachedModel(model)
    for n in range(prompt.n_token, len(ids)):
        cached.next_logits([ids[:n]])
    memory, n_row, names = cached.memory, len(ids) - 1, vocabulary(given.key)
    assert isinstance(memory, KeyValues)
    return KeptRows(
        tokens=tuple(names[token] for token in ids),
        n_prompt=prompt.n_token,
        keys=memory.keys[:, 0, :, :, :n_row].mT.float().cpu().numpy(),
        values=memory.values[:, 0, :, :n_row].float().cpu().numpy(),
        weights=np.asarray(trace.attention(model, ids[:-1]).weights, dtype=np.float32),
    )


def _size(inputs: Any) -> int:
    """Weights of all heads."""
    return kept_rows(inputs.given).weights.size


class Inputs(Looked, prefix="table_"):
    """Whose tables."""

    layer: int = slider(
        "Layer", 0, lambda i: i.given.config.n_layer - 1, lambda i: _far(i)[0], look=Look(numbers=_size)
    )
    head: int = slider("Head", 0, lambda i: i.given.config.n_head - 1, lambda i: _far(i)[1], look=Look(numbers=_size))


def _far(inputs: Any) -> tuple[int, int]:
    """A head that reads far back."""
    return far_reader(kept_rows(inputs.given).weights)


def compute(inputs: Inputs) -> KeptRows:
    """The rows that have been kept of a prompt and what was written behind it."""
    return replace(kept_rows(inputs.given), layer=inputs.layer, head=inputs.head)


def draw(result: KeptRows, inputs: Inputs) -> None:
    """The picture."""
    say_cut(inputs.given)
    title = "Keys and values of layer {}, head {}"
    cache_tables(
        *(ui.along(one, *HEAD) for one in (*map(result.of_heads, (result.keys, result.values)), result.weights)),
        tokens=result.tokens,
        n_prompt=result.n_prompt,
        key=f"tables-{inputs.given.content}",
        label=ui.per_head(inputs.given.config, title.format, HEAD),
    )
    ui.say("about")
    ui.say("size")
    if windows := windows_in_words(inputs.given.config):
        ui.say("window", windows=windows)


def cache_tables(
    keys: Along,
    values: Along,
    weights: Along,
    *,
    tokens: Sequence[str],
    n_prompt: int,
    key: str,
    label: Along,
) -> None:
    """Draw a head's table of keys and of values; each step lights its new row and the weights that read them all.

    All heads are sent; the one that is chosen on the page is drawn.

    Args:
        keys, values: (T, K) a row for each token that is read.
        weights: (T, T) row t: how the query of token t mixes the values.
        tokens: (T + 1,) the tokens that are read, and the one that is written last.
        n_prompt: the first so many are read in one step.
    """
    n_row = len(tokens) - 1
    header = {
        "widget": "cache_tables",
        "tokens": list(tokens),
        "n_prompt": n_prompt,
        "limits": [over(lambda one: float(np.abs(one).max()) or 1.0, table) for table in (keys, values)],
        "label": label,
        "takeaway": over(
            lambda one: f"{one}: a prompt of {plural(n_prompt, 'token')}, then {n_row - n_prompt} more, one by one.",
            label,
        ),
    }
    mount("cache_tables", key, pack(header, {"keys": keys, "values": values, "weights": weights}))
