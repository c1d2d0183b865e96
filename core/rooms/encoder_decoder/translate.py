"""Two languages: a transformer learns to translate, and a sentence of one's own."""

import numpy as np
import streamlit as st

from core.charts.race import race
from core.models.transformer import Transformer
from core.rooms.encoder_decoder.common import NAME, ask, heads, tell, translator
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments import translation as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live
from core.ui.widgets.film import film


@exhibit(
    title="Two languages, a translation",
    look_for="how many whole sentences are right, among those never trained on. A sentence counts only if every word "
    "and every ending is right.",
    try_this=[
        (
            "Press Train and watch the two curves.",
            "Single words come first, while order and endings still go wrong here and there. Whole sentences follow, "
            "until almost all are right.",
        ),
        (
            "Type “the cats see a dog”, then “a dog sees the cats”.",
            "The same words, but the verb changes its ending: it agrees with the first noun, whichever that is.",
        ),
        (
            "Scrub through the film, with head 1.0.",
            "At first every output word reads all source words alike. In the end each reads the word it translates "
            "(the rings), in an order it was never told.",
        ),
    ],
    code=(languages.Sentence.tamari, languages.Phrase.tamari, task.Translation.advance, task.translate, Transformer),
)
def translate() -> Shown | None:
    """The training, a sentence of the learner's own, and the film of the cross-attention."""
    one, two, three = st.columns(3, gap="medium")
    with one:
        seed = controls.seed(name="trans_seed")
    with two:
        n_layer = controls.segmented("trans_layers", "Layers on each side", [1, 2], 2)
    with three:
        n_head = controls.segmented("trans_heads", "Heads", [1, 2, 4], 2)
    shown = live.train(NAME, {"n_layer": n_layer, "n_head": n_head}, seed, about="450 steps take about twelve seconds.")
    if shown is None:
        return None
    record = shown.record
    exact, words = record["curve.exact"], record["curve.words"]
    spec = race(
        {"whole sentences": (record["step"], exact), "single words": (record["step"], words)},
        y_title="share that is right",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
    )
    chart_side, text_side = layout.pair("trans-sides")
    with chart_side:
        st.vega_lite_chart(
            spec,
            width="stretch",
            alt=f"By training step. Now: {exact[-1]:.1%} of the sentences and {words[-1]:.1%} of the words are right.",
            key="trans-curve",
        )
    with text_side:
        _tell(shown)
        given = ask("trans_text", "the small dog does not see some white cats now", "Your sentence, in English")
        model = translator()
        if given is not None and model is not None:
            tell(model.write(given.ids), given)
        _words()
    _film(shown)
    return Shown(
        numbers=lambda: task.table(record),
        arrays=lambda: dict(record),
        figure=spec,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "The record that ships, if these are its settings; else some twelve seconds of training.",
    )


def _tell(shown: Live) -> None:
    looked = int(shown.record["step"][-1])  # the shares are those of the newest measurement
    n_seen = looked * task.BATCH
    st.markdown(
        f"After step {looked}: **{shown.record['curve.exact'][-1]:.1%}** of {task.N_HELD} sentences, none of them "
        f"trained on, are entirely right. By then the model had met {n_seen:,} sentences, at most "
        f"{n_seen / languages.n_sentence():.2%} of the {languages.n_sentence():,} in the grammar: it can't have "
        "learned them by heart."
    )


def _words() -> None:
    """All words that one may use."""
    with st.popover("The words, and the grammar"):
        st.markdown(
            f"**Nouns** {', '.join(languages.NOUNS)} (or with -s). **Adjectives** {', '.join(languages.ADJECTIVES)}, "
            f"up to two with a noun. **Verbs** {', '.join(languages.TRANSITIVE)} (someone); "
            f"{', '.join(languages.INTRANSITIVE)}. **Adverbs** {', '.join(languages.ADVERBS)}, at the end. the, a, "
            "some; does not, do not."
        )
        st.markdown(
            "**Tamari** puts the adverb first, the object before the verb, and “ne” (not) last. Adjectives follow "
            "their noun in reverse order. Nouns have a gender; article and adjectives end like the noun: -o and -a for "
            "one, -i and -e for several. The verb ends in -s if one does it, in -n if several do."
        )


def _film(shown: Live) -> None:
    """The cross-attention of one sentence while it is learned."""
    frames = shown.record["frames.weights"]  # (looks, L, H, T, S)
    names = heads(*frames.shape[1:3])
    last = list(names)[-frames.shape[2]]
    at = controls.select("trans_film_head", "Layer and head of the film", list(names), last, labels=names)
    sentence = languages.read_english(task.PROBE)
    truth = np.zeros(frames.shape[3:], bool)
    if sentence is not None:
        truth[np.arange(len(truth) - 1), sentence.alignment()] = True
    film(
        frames[:, at[0], at[1]],
        steps=shown.record["step"].tolist(),
        rows=languages.tokens(languages.encode_target(languages.to_tamari(task.PROBE) or "")),
        columns=task.PROBE.split(),
        notes=[f"{share:.0%} of the sentences right" for share in shown.record["curve.exact"]],
        truth=truth,
        truth_title="the word being translated",
        key="trans-film",
        label=f"Cross-attention of head {names[at]} during training",
        takeaway="The weights from each output word to the source words, step by step in training. The film keeps one "
        "sentence, not yours.",
    )
