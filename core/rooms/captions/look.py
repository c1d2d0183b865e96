"""From image to sentence: which patches each word was read from."""

import numpy as np
import streamlit as st

from core.inspect.pictures import Picture
from core.models.captioner import Captioner
from core.nn.attention import MultiHeadAttention
from core.rooms.captions.caption_film_widget import caption_film
from core.rooms.captions.common import current, described, in_script, measured, quoted, truth_of, verdict
from core.rooms.captions.compute.captioning import Described, describe
from core.rooms.captions.compute.captions import WORDS
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets.picture import ask_digit

DEFAULT_DIGIT = 79


@exhibit(
    title="Which patches each word came from",
    look_for="how the frames move from word to word: the thicker a patch's frame, the more the word took from it. "
    "Each word asks with its own query; keys and values are those of the patches, the same for every word.",
    try_this=[
        (
            "Point at one word after another.",
            "Each has its own map, and the bars show what else could have come. Where grammar leaves only one word, "
            "the model is sure whatever it reads.",
        ),
        (
            "Choose “drawing” and give single pixels of the seven more or less ink.",
            "It starts just above the threshold. The caption changes there, or a little beside it: the model has "
            "never seen the number.",
        ),
        (
            "Open single heads under the picture.",
            "The mean hides a lot: many single heads put more than half of their weight on one patch.",
        ),
    ],
    code=(describe, Captioner.decode, Captioner.encode, MultiHeadAttention.forward),
    formula=r"\begin{aligned} w_{t,s} &= \mathrm{softmax}_s\!\left(\frac{q_t \cdot k_s}{\sqrt{d_k}}\right) \\ "
    r"q_t &= W_Q\, x^{\text{decoder}}_t, \quad k_s = W_K\, x^{\text{encoder}}_s \end{aligned}",
)
def look() -> Shown | None:
    """One picture, its caption, and a map for each word."""
    models = current()
    if models is None:
        return None
    picture = ask_digit("look", DEFAULT_DIGIT)
    if picture is None:
        return None
    seen = described(models, "patches", picture)
    st.markdown(f"It writes **{quoted(seen.words)}** {verdict(picture, seen.words)}")
    caption_film(
        seen.words,
        seen.probabilities,
        seen.weights,
        picture.pixels[None],
        vocabulary=WORDS.words,
        key="look-film",
        label=f"A caption of {picture.name}, word by word",
        takeaway="The words of the caption; each shows the patches it was read from.",
    )
    st.caption(measured(picture))
    st.caption(
        "A map shows where a step takes something from, not what it takes. And a patch's last vector has itself read "
        "other patches in the encoder: what is read at the left edge needn't be about the left edge."
    )
    return Shown(
        numbers=seen.table,
        arrays={"weights": seen.weights, "probabilities": seen.probabilities, "pixels": picture.pixels},
        formula=with_numbers(picture, seen),
        script=lambda: _script(picture),
    )


def _script(picture: Picture) -> str:
    return scripts.script(
        """
        from core.data import images
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.captions.compute.captioning import describe
        from core.train.experiment import rebuild, record_of
        from core.rooms.captions.experiments import captions

        model = $model
        picture = $picture

        # Word by word, always the most probable one; at each step the decoder reads the patches anew.
        seen = describe(model, images.shades(picture))
        print_table(seen.table())
        """,
        model=in_script(),
        picture=scripts.pixels(picture),
    )


def with_numbers(picture: Picture, seen: Described) -> str:
    """How sure the whole caption is: the product of its words' probabilities."""
    true = truth_of(picture)
    p = seen.sure.astype(np.float64)
    shown = [f"{one:.2f}" for one in p]
    lines = [r" \cdot ".join(shown[at : at + 4]) for at in range(0, len(shown), 4)]  # short ones, for a phone
    product = r" \\ &\quad \cdot ".join(lines)
    told = "" if true is None else rf" \quad (\text{{{'right' if true == seen.words else 'wrong'}}})"
    return rf"\begin{{aligned}} P(\text{{caption}}) &= {product} \\ &= {p.prod():.3f}{told} \end{{aligned}}"
