"""The tables of keys and values, row by row, while a text is written."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.exhibits.cache.room import Prompt, prompt_of
from core.exhibits.telling import far_reader
from core.generate.cache import CachedModel
from core.generate.decode import generate
from core.generate.keys_values import KeyValues
from core.ui import controls, models
from core.ui.cache import MAX_FIGURES, content_key, kept
from core.ui.cache_tables import cache_tables
from core.ui.frame import Shown, exhibit
from core.ui.looking import Looked
from core.ui.models import ModelKey


@dataclass(frozen=True)
class Kept:
    """What is in the cache after the last step, and how it was read.

    Args:
        ids: (T + 1,) the prompt and what was written; the last token has not been read.
        keys, values: (L, H, T, K).
        weights: (L, H, T, T), of the same text read in one pass.
    """

    ids: NDArray[np.int64]
    keys: NDArray[np.float32]
    values: NDArray[np.float32]
    weights: NDArray[np.float32]


@kept(MAX_FIGURES)
def tables_of(key: ModelKey, packed: str, n_new: int) -> Kept:
    """Write n_new tokens, the likeliest each time, and look into the cache afterwards."""
    model, prompt = models.load(key).model, models.unpack(packed)
    ids = [*prompt, *(int(step.token) for step in generate(model, prompt, n_new, greedy=True))]
    record = models.attention(key, ",".join(map(str, ids[:-1])))
    cached = CachedModel(model)
    for n in range(len(prompt), len(ids)):
        cached.next_logits([ids[:n]])
    in_use = cached.memory
    assert isinstance(in_use, KeyValues)
    n_token = len(ids) - 1
    keys = in_use.keys[:, 0, :, :, :n_token].mT.float().cpu().numpy()
    values = in_use.values[:, 0, :, :n_token].float().cpu().numpy()
    return Kept(np.array(ids), keys, values, np.asarray(record.weights, dtype=np.float32))


@exhibit(
    title="The tables that grow",
    look_for="the framed row. Only it is new; all rows above stand as they were, and the newest query reads them all.",
    try_this=[
        (
            "Step on with › or the arrow keys.",
            "Each step adds one row of keys and one of values, for the token that was written last. No earlier row "
            "changes, because no earlier token can read the new one.",
        ),
        (
            "Look at the weights beside the rows.",
            "They belong to the newest query alone. Earlier queries are not kept: nobody will ask with them again.",
        ),
        (
            "Choose another layer or head.",
            "Every head of every layer has its own two tables. That is what the memory further below is made of.",
        ),
    ],
    code=(KeyValues.read, KeyValues.attention, CachedModel.next_logits),
    formula=r"\text{out}_t = \text{softmax}\!\left(\frac{q_t\,[k_0 \dots k_t]^\top}{\sqrt{d_{head}}}\right)"
    r"[v_0 \dots v_t]",
)
def tables_that_grow(looked: Looked) -> Shown:
    """Layer and head, then the picture."""
    prompt: Prompt = prompt_of(looked)
    with models.patience(prompt.key, "Writing …"):
        found = tables_of(prompt.key, prompt.packed, prompt.n_new)
    n_layer, n_head = found.keys.shape[:2]
    first = far_reader(found.weights)
    left, right = st.columns(2, gap="medium")
    with left:
        layer = int(controls.slider("table_layer", "Layer", 0, n_layer - 1, first[0], step=1))
    with right:
        head = int(controls.slider("table_head", "Head", 0, n_head - 1, first[1], step=1))
    names = models.vocabulary(prompt.key)
    tokens = [names[token] for token in found.ids]
    at = layer, head
    cache_tables(
        found.keys[at],
        found.values[at],
        found.weights[at],
        tokens=tokens,
        n_prompt=len(prompt.ids),
        key=f"tables-{content_key(prompt.key, prompt.packed)[:12]}",
        label=f"Keys and values of layer {layer}, head {head}",
    )
    n, width = found.keys.shape[2:]
    st.caption(
        f"At the end {n} rows of {width} keys and {width} values, in each of {n_layer * n_head} heads: "
        f"{2 * n * width * n_layer * n_head:,} numbers."
    )
    columns = {f"{part} {c}": table[at][:, c] for part, table in (("key", found.keys), ("value", found.values))
               for c in range(width)}  # fmt: skip
    arrays = {"keys": found.keys, "values": found.values, "weights": found.weights}
    return Shown(numbers=lambda: {"token": tokens[:-1], **columns}, arrays=arrays)
