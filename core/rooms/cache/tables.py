"""The tables of keys and values, row by row, while a text is written."""

import streamlit as st

from core.cache import MAX_FIGURES, content_key, memoize
from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues
from core.inspect.model_and_text import ModelAndText
from core.rooms.cache.cache_tables_widget import cache_tables
from core.rooms.cache.compute.cache_rows import KeptRows, kept_rows
from core.rooms.cache.inputs import Prompt, prompt_of
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.opening_head import far_reader


@memoize(MAX_FIGURES)
def tables_of(key: ModelKey, packed: str, n_new: int) -> KeptRows:
    """What the cache holds when n_new tokens have been written."""
    return kept_rows(models.load(key).model, models.unpack(packed), n_new)


@exhibit(
    title="The tables that grow",
    look_for="the framed row. Only that one is new: the rows above stay as they were, and the newest query reads them "
    "all.",
    try_this=[
        (
            "Step on with › or the arrow keys.",
            "Each step adds a key and a value, for the token that was written last. No earlier row changes, because no "
            "earlier token can read the new one.",
        ),
        (
            "Look at the weights beside the rows.",
            "They belong to the newest query only. Earlier queries aren't kept, since they're never used again.",
        ),
        (
            "Choose another layer or head.",
            "Every head of every layer has its own two tables. All together, they are the memory that a cache takes.",
        ),
    ],
    code=(KeyValues.read, KeyValues.attention, CachedModel.next_logits),
    formula=r"\text{out}_t = \text{softmax}\!\left(\frac{q_t\,[k_0 \dots k_t]^\top}{\sqrt{d_k}}\right)"
    r"[v_0 \dots v_t]",
)
def tables_that_grow(looked: ModelAndText) -> Shown:
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
        f"In the end, each of the {n_layer * n_head} heads holds {n} keys and {n} values of {width} numbers each: "
        f"{2 * n * width * n_layer * n_head:,} numbers in all."
    )
    return Shown(
        numbers=lambda: found.table(names, layer, head),
        arrays={"keys": found.keys, "values": found.values, "weights": found.weights},
        script=lambda: _script(prompt, layer, head),
    )


def _script(prompt: Prompt, layer: int, head: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.cache.compute.cache_rows import kept_rows
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        prompt = $ids

        # Write with the cache, the likeliest token each time; then look at the rows that have been kept.
        rows = kept_rows(found.model, prompt, n_new=$n_new)
        print_table(rows.table(found.vocabulary, layer=$layer, head=$head))
        """,
        folder=scripts.folder(prompt.key),
        ids=scripts.ids(prompt.looked),
        n_new=prompt.n_new,
        layer=layer,
        head=head,
    )
