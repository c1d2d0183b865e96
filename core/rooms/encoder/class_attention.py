"""What `<class>` looks at in a review, beside what the answer loses without each word."""

import numpy as np
import streamlit as st

from core.cache import content_key, memoize
from core.data.synthetic import reviews
from core.data.synthetic.reviews import LABELS, NEGATIONS, WORDS
from core.nn.attention import MultiHeadAttention
from core.rooms.encoder.compute.class_attention import ClassAttention, look
from core.rooms.encoder.experiments.finetune import NAMES, SIZES, WAYS
from core.rooms.encoder.reading import LABELS_OF, ask_review, judge
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.numbers import signed
from core.ui.text import escape_markdown, percent
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained
from core.ui.widgets import badges, widgets

MEAN = "mean of all"


@memoize(MAX_RESULTS)
def looked(models: Trained, way: str, n_label: int, ids: tuple[int, ...]) -> ClassAttention:
    """One review in one of the models."""
    return look(judge(models, way, n_label), ids)


@exhibit(
    title="What <class> looks at",
    look_for="two rows of the same words. The verdict is read from <class>, the token that opens every review. The "
    "first row shows where it looks, the second what each word adds to the probability of praise: what is lost without "
    "it.",
    try_this=[
        (
            "Point at “not” in both rows.",
            "Taking it out flips the verdict, yet its weight, averaged over all heads, is small: “good” may have read "
            "“not” in the layer below and passed the news on. (Taking out “soup” flips the verdict too. No review says "
            "“not good.” of nothing, and what a model makes of a kind of text it never met explains nothing either.)",
        ),
        (
            "Go through the rows of the two matrices, layer by layer.",
            "The heads differ. In layer 0 <class> reads plain words; in layer 1 it reads words that have already read "
            "their neighbors.",
        ),
        (
            "Choose “from scratch” with 20 labels.",
            "It looks somewhere and has an answer as well. The map alone can't tell a good judge from a bad one.",
        ),
    ],
    code=(look, MultiHeadAttention.forward),
)
def class_attention() -> Shown | None:
    """Model, review, the weights of `<class>`, and the answer without each word."""
    shown = live.current("finetune")
    if shown is None or "fine.step" not in shown.record:
        st.info("There's no fine-tuned model yet: it comes after the pretraining in “Fine-tuning: a judge of reviews”.")
        return None
    way = controls.segmented("class_way", "Model", list(WAYS), "full", labels=dict(NAMES))
    n_label = controls.segmented("class_labels", "Labeled reviews", list(SIZES), 1_000, labels=LABELS_OF)
    left, right = st.columns(2, gap="medium")
    with left:
        words = ask_review("class", "soup not good.")
    if not words:
        return None
    ids = tuple(WORDS.encode(words))
    seen = looked(trained(shown), way, n_label, ids)
    tokens = ["<class>", *words]
    n_head = seen.weights.shape[1]
    heads = {f"{layer}.{head}": (layer, head) for layer in range(len(seen.weights)) for head in range(n_head)}
    with right:
        chosen = controls.select("class_head", "Layer and head", [MEAN, *heads], MEAN)
    head = heads.get(chosen)
    weights = seen.weights_of(head)
    praise = seen.without[:, reviews.PRAISE]
    moved = praise - praise[0]
    key = content_key(way, n_label, *ids)[:12]
    st.markdown(
        f"Its verdict is **{LABELS[int(seen.probabilities.argmax())]}**, with a probability of "
        f"{percent(float(seen.probabilities.max()))}."
    )
    widgets.token_row(
        [f"{token}={weight:.2f}" for token, weight in zip(tokens, weights.tolist(), strict=True)],
        values=weights,
        kind="probability",
        value_title="attention weight",
        key=f"class-weights-{key}",
        title=f"Where <class> looks: {chosen}",
        takeaway=f"Most weight is on {tokens[int(weights.argmax())]!r}: {weights.max():.2f}.",
    )
    widgets.token_row(
        ["<class>", *(f"{token}={signed(-change, plus=True)}" for token, change in zip(words, moved[1:], strict=True))],
        values=np.where(np.arange(len(tokens)) == 0, np.nan, -moved),
        kind="signed",
        limits=(-1, 1),
        value_title="what it adds to the probability of praise",
        details=["is always there", *(f"without it: praise {percent(float(p))}" for p in praise[1:])],
        key=f"class-without-{key}",
        title="What the answer loses without each word",
        takeaway=f"Taking out {tokens[1 + int(np.abs(moved[1:]).argmax())]!r} changes the answer most.",
    )
    st.markdown(_in_words(tokens, weights, moved, praise))
    model = judge(trained(shown), way, n_label)
    for layer, place in enumerate(layout.pair("class-heads")):
        with place:
            widgets.matrix(
                seen.weights[layer],
                rows=[f"{layer}.{head}" for head in range(n_head)],
                columns=tokens,
                row_title="layer.head (asking: <class>)",
                column_title="word that it reads",
                key=f"class-heads-{layer}-{key}",
                label=f"Where <class> looks, every head of layer {layer}",
                height=220,
                badge=badges.of_live(
                    shown, model, f"blocks.{layer}.attn.weights", ("row", 0, "column"), seen.whole[layer],
                    f"the judge trained in this room: {NAMES[way]}, {n_label:,} labels", ids=list(ids),
                ),
            )  # fmt: skip
    st.caption(
        "Attention shows where a head looks, not what it takes from there or whether that matters: in the room “Heads "
        "at work”, models with other maps give the same answers. Taking a word out does test the answer, but on a "
        "shorter review that a guest might never write."
    )
    return Shown(
        numbers=lambda: seen.review_table(words, head),
        arrays={"weights": seen.weights, "without": seen.without, "probabilities": seen.probabilities},
        script=lambda: _script(shown, way, n_label, words, head),
    )


def _script(shown: Live, way: str, n_label: int, words: list[str], head: tuple[int, int] | None) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.data.synthetic.reviews import WORDS
        from core.rooms.encoder.compute import class_attention
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import finetune

        record = $record
        model = finetune.judge(record, $way, n_label=$n_label)
        words = $words  # `reviews.read` makes them from a text

        # The review is read once whole, and once without each of its words.
        seen = class_attention.look(model, WORDS.encode(words))
        print_table(seen.review_table(words, head=$head))
        """,
        record=scripts.record("finetune", shown),
        way=way,
        n_label=n_label,
        words=words,
        head=head,
    )


def _in_words(tokens: list[str], weights: np.ndarray, moved: np.ndarray, praise: np.ndarray) -> str:
    most, matters = 1 + int(weights[1:].argmax()), 1 + int(np.abs(moved[1:]).argmax())
    told = (
        f"Of the words, **{escape_markdown(tokens[most])}** has the most weight ({weights[most]:.2f}). The answer "
        f"changes most without **{escape_markdown(tokens[matters])}**: praise goes from {percent(float(praise[0]))} to "
        f"{percent(float(praise[matters]))}."
    )
    for i, token in enumerate(tokens):
        if token in NEGATIONS and i != matters:
            told += f" Without “{token}” it would be {percent(float(praise[i]))}."
            break
    return told
