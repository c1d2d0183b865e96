"""The logit lens: each layer is read as if it were the last one."""

from typing import TYPE_CHECKING

import streamlit as st

from core.cache import MAX_TRACES, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.decoder import predictions_widget
from core.rooms.decoder.compute import lens as lenses
from core.rooms.decoder.compute.readout import read_layers, read_out, row_names, stream
from core.rooms.decoder.inputs import content, model_of
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey

if TYPE_CHECKING:
    from core.rooms.decoder.compute.readout import Lens


@memoize(MAX_TRACES)
def seen(key: ModelKey, packed: str) -> "Lens":
    """All layers of a text, read."""
    return lenses.lens(model_of(key), models.unpack(packed))


@exhibit(
    title="The logit lens: what each layer would say",
    look_for="a column from top to bottom: the guess at one position, layer by layer, until it is the model's answer. "
    "The **logit lens** reads each layer as if it were the last. In a framed cell (see the key) the token that "
    "really came is in front.",
    try_this=[
        (
            "In the stories model, follow the column of “near” down.",
            "The output says “the” with almost 1, and so does the row above. But the first row would say “strong”: "
            "only the last was ever trained to be read by the output layer. What the lens can't read isn't lost.",
        ),
        (
            "Color by the rank of the true token.",
            "The number in a cell is its place among all tokens; 1 is first. It needn't climb with every block.",
        ),
        (
            "Choose a deeper model, such as one of your own.",
            "The more layers, the finer the film. In post-norm models each block ends with its own norm, so the rows "
            "are read as they are; in pre-norm ones the final norm is part of the reading.",
            "numbers",
        ),
    ],
    code=(read_layers, read_out, stream),
    formula=r"p_\ell = \operatorname{softmax}\big(W_U \operatorname{norm}(x_\ell)\big)",
)
def lens(looked: ModelAndText) -> Shown:
    """Layers by positions, on the visitor's model and text."""
    key, tokens = looked.key, looked.encoded.tokens
    one = seen(key, looked.encoded.packed)
    rows = row_names(model_of(key).config.n_layer)
    first = int((one.rank[-1, :-1] == 1).sum())
    predictions_widget.lens(
        top=one.top[None],
        probabilities=one.probabilities[None],
        rank=one.rank[None],
        truth=one.truth[None],
        rows=rows,
        tokens=tokens,
        vocabulary=models.vocabulary(key),
        key=f"lens.{content(looked)}",
        label="Each layer's favorite at each position",
        takeaway=f"{len(rows)} rows. The output has the true token in front at {first} of {len(tokens) - 1} places.",
    )
    caution()
    return Shown(
        numbers=lambda: one.table(tokens, models.vocabulary(key)),
        arrays={"top": one.top, "probabilities": one.probabilities, "rank": one.rank, "truth": one.truth},
        script=lambda: _script(looked),
    )


def _script(looked: ModelAndText) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.decoder.compute import lens
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        ids = $ids

        # The stream after each block goes through the final norm and the output layer, as if it were the last one.
        seen = lens.lens(found.model, ids)
        print_table(seen.table(tokenizer.tokens(ids), found.vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
    )


def caution() -> None:
    """What the lens is not."""
    st.caption(
        "Don't trust the lens too far: only the last row was ever trained to be read this way. The rows above it speak "
        "to the next block, not to the output layer. Where they seem to say a word, part of what they hold happens to "
        "lie along that word's vector; where they seem to know nothing, they may know it in another form."
    )
