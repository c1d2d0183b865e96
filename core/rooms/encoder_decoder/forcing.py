"""Teacher forcing against writing by oneself, with a transformer that translates."""

import numpy as np
import streamlit as st

from core.cache import memoize
from core.charts.curves import Curve
from core.charts.lines import lines
from core.inspect.forcing import ByPlace, compare
from core.models.seq2seq import shift_right
from core.models.transformer import Transformer
from core.rooms.encoder_decoder.common import Translator, ask, translator
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import record
from core.rooms.encoder_decoder.experiments.translation import batch
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training.trained_models import MAX_RESULTS, Trained
from core.ui.widgets.written_row import mistakes, written_row

N = 200  # sentences of the curve
SETS = {"usual": "as in training: up to 2 adjectives", "longer": "longer: 3 or 4 adjectives"}
KINDS = {"usual": languages.USUAL, "longer": languages.LONGER}  # adjectives in all
DEFAULT = "the big white king sees a red white duck again"


@exhibit(
    title="Teacher forcing against writing freely",
    look_for="the first wrong word in each row, and what comes after it. With **teacher forcing** the decoder reads "
    "the true word next, whatever it wrote; writing freely, it reads its own.",
    try_this=[
        (
            "Compare the two rows of this sentence.",
            "With four adjectives it's longer than any in training, and one adjective gets skipped. Writing freely, "
            "all that follows is a position too early and counts as wrong, even the end. Forced, the true words lead "
            "it back on track.",
        ),
        (
            "Choose the sentences as in training.",
            "Both curves are close to 1 and to each other: without mistakes there's no difference to notice.",
        ),
        (
            "Take out “big” and “red”.",
            "Both rows are right, and identical.",
        ),
    ],
    code=(shift_right, Transformer.forward, record, compare),
)
def forced_or_free() -> Shown | None:
    """One sentence both ways; and the share of right words at each place over many sentences."""
    model = translator()
    given = ask("force_text", DEFAULT)
    if model is None or given is None:
        return None
    if given.truth is None:
        st.info("The grammar has no such sentence, so there's no true translation to read.")
        return None
    truth = languages.encode_target(given.truth)
    forced, free = model.write(given.ids, tuple(truth)), model.write(given.ids)
    for seen, name, title in (
        (forced, "forced", "With teacher forcing: it reads the true word before each one"),
        (free, "free", "Writing freely: it reads what it wrote"),
    ):
        written_row(seen, truth, languages.tokens, unit="word", title=title, key=f"force-{name}:{given.key}")
    st.markdown(mistakes(forced, free, truth, "Try a sentence with three or four adjectives."))
    which = controls.segmented("force_set", "Sentences of the curve", list(SETS), "longer", labels=SETS)
    found = shares(model.trained, model.n_layer, model.n_head, which)
    places = np.arange(1, len(found.forced) + 1)
    spec = lines(
        [
            Curve("teacher forcing", places.tolist(), found.forced.tolist()),
            Curve("freely", places.tolist(), found.free.tolist()),
        ],
        x_title="position in the translation",
        y_title="share that is right",
        mode=layout.color_mode(),
        height=280,
        y_range=(0, 1.05),
    )
    st.markdown(f"**{N} random sentences ({SETS[which]}): share right at each position**")
    st.vega_lite_chart(
        spec,
        width="stretch",
        alt=f"Share right by position. Lowest: {found.forced.min():.0%} with teacher forcing, {found.free.min():.0%} "
        "freely.",
        key="force-places",
    )
    st.caption(
        f"Each position counts the sentences that reach it; the end counts as a word. Whole sentences right: "
        f"{found.whole_forced:.0%} with teacher forcing, {found.whole_free:.0%} freely. A sentence is entirely right "
        "both ways or neither: up to the first mistake, both have read the same."
    )
    return Shown(
        numbers=lambda: found.table(free="writing freely"),
        arrays={"forced": forced.probabilities, "free": free.probabilities},
        figure=spec,
        script=lambda: _script(model, which),
    )


def _script(model: Translator, which: str) -> str:
    return scripts.script(
        """
        from core.rooms.encoder_decoder.compute import languages
        from core.data.csv_table import print_table
        from core.inspect.forcing import compare
        from core.train.experiment import record_of
        from core.rooms.encoder_decoder.experiments import translation

        model = translation.rebuilt($record, n_layer=$n_layer, n_head=$n_head)
        sentences = languages.sample($n, seed=0, n_adjective=$n_adjective)
        source, target, mask = translation.batch([(one.english(), one.tamari()) for one in sentences])

        # Once the decoder reads the true words, once its own.
        found = compare(model, source, target, mask, start_id=languages.START, end_id=languages.END)
        print_table(found.table(free="writing freely"))
        """,
        **model.in_script(),
        n=N,
        n_adjective=KINDS[which],
    )


@memoize(MAX_RESULTS)
def shares(models: Trained, n_layer: int, n_head: int, which: str) -> ByPlace:
    """Right at each place, over 200 sentences of either kind."""
    pairs = [(one.english(), one.tamari()) for one in languages.sample(N, 0, KINDS[which])]
    source, target, mask = batch(pairs)
    model = Translator(models, n_layer, n_head).model
    return compare(model, source, target, mask, start_id=languages.START, end_id=languages.END)
