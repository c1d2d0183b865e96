"""The tables of keys and values, row by row, while a text is generated."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, Result, Table, ViewChoice, memoize, slider
from core.generate.cache import CachedModel
from core.generate.decode import generate
from core.generate.keys_values import KeyValues
from core.inspect import attention_record
from core.inspect.block_differences import describe_windows
from core.inspect.head_scores import strongest_far_head
from core.inspect.model_inputs.model_and_text import ModelAndText, model_vocabulary
from core.rooms.cache.inputs import CacheInputs, fit_prompt, note_cut

LABELS = module_labels(__name__)
CODE = (KeyValues.read, KeyValues.attention, CachedModel.next_logits)


class CachedRows(Result):
    """The content of the cache after a text has been generated, and the attention weights on it."""

    tokens: tuple[str, ...]  # (T + 1,) the prompt and the new tokens; the last one has not been read
    n_prompt: int
    keys: NDArray[np.float32]  # keys, values: (L, G, T, K) for each head of keys
    values: NDArray[np.float32]
    weights: NDArray[np.float32]  # (L, H, T, T), computed for the same text in one pass
    n_shared: int  # H / G, query heads per head of keys and values
    windows: str
    layer: int = 0  # layer, head: the head shown in `table`
    head: int = 0

    def table(self) -> Table:
        """Return the rows of one head, with one row for each token."""
        own = self.head // self.n_shared
        parts = {"table.key": self.keys[self.layer, own], "table.value": self.values[self.layer, own]}
        columns = {LABELS(part, c=c): rows[:, c] for part, rows in parts.items() for c in range(rows.shape[-1])}
        return {LABELS["table.token"]: self.tokens[:-1], **columns}


@memoize(MAX_FIGURES)
def cached_rows(given: ModelAndText) -> CachedRows:
    """Generate greedily with the cache, and return the rows it stored."""
    prompt, n_new = fit_prompt(given)
    model = given.model
    ids = [*prompt.ids, *(int(step.token) for step in generate(model, prompt.ids, n_new, greedy=True))]
    cached = CachedModel(model)
    for n in range(prompt.n_token, len(ids)):
        cached.next_logits([ids[:n]])
    memory, n_row, names = cached.memory, len(ids) - 1, model_vocabulary(given.key)
    assert isinstance(memory, KeyValues)
    keys = memory.keys[:, 0, :, :, :n_row].mT.float().cpu().numpy()
    weights = np.asarray(attention_record.attention(model, ids[:-1]).weights, dtype=np.float32)
    return CachedRows(
        tokens=tuple(names[token] for token in ids),
        n_prompt=prompt.n_token,
        keys=keys,
        values=memory.values[:, 0, :, :n_row].float().cpu().numpy(),
        weights=weights,
        n_shared=weights.shape[1] // keys.shape[1],
        windows=describe_windows(model.config),
    )


def _size(inputs: "Inputs") -> int:
    """Return the number of attention weights of all heads."""
    return cached_rows(inputs.given).weights.size


class Inputs(CacheInputs, prefix="table_"):
    layer: int = slider(0, lambda i: i.given.config.n_layer - 1, lambda i: _far(i)[0], view=ViewChoice(n_number=_size))
    head: int = slider(0, lambda i: i.given.config.n_head - 1, lambda i: _far(i)[1], view=ViewChoice(n_number=_size))


def _far(inputs: Inputs) -> tuple[int, int]:
    """Return the layer and head that attend farthest back."""
    return strongest_far_head(cached_rows(inputs.given).weights)


def compute(inputs: Inputs) -> CachedRows:
    """Return the stored rows of a prompt and its continuation."""
    return replace(cached_rows(inputs.given), layer=inputs.layer, head=inputs.head)


def draw(result: CachedRows, inputs: Inputs) -> None:
    """Draw one head's tables of keys and values; each step highlights its new row and the weights on all rows."""
    note_cut(inputs.given)
    keys, values = (
        ui.select_by_choice(one.repeat(result.n_shared, axis=1), inputs.layer, inputs.head)
        for one in (result.keys, result.values)
    )
    n_written = len(result.tokens) - 1 - result.n_prompt
    steps = {"n": result.n_prompt, "n_written": n_written}
    ui.mount_widget(
        "cache_tables",
        key=f"tables-{inputs.given.content}",
        tokens=list(result.tokens),
        n_prompt=result.n_prompt,
        limits=[ui.map_choices(lambda one: float(np.abs(one).max()) or 1.0, table) for table in (keys, values)],
        label=ui.for_each_option(lambda *at: LABELS("label", layer=at[0], head=at[1]), inputs.layer, inputs.head),
        takeaway=ui.for_each_option(
            lambda *at: LABELS("takeaway", layer=at[0], head=at[1], **steps), inputs.layer, inputs.head
        ),
        keys=keys,
        values=values,
        weights=ui.select_by_choice(result.weights, inputs.layer, inputs.head),
    )
