"""BLEU: how it is counted, and what it does not see."""

import streamlit as st

from core.cache import memoize
from core.rooms.encoder_decoder.common import Translator, translator
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import Bleu, bleu, groups
from core.rooms.encoder_decoder.compute.bleu_blind import Change, changes, table
from core.rooms.encoder_decoder.experiments.translation import shares, translate
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import plural
from core.ui.training.trained_models import MAX_RESULTS, Trained

N = 200
SETS = {"as in training, up to 2 adjectives": languages.USUAL, "longer, 3 or 4 adjectives": languages.LONGER}
MOST = 200  # signs of an own sentence
REFERENCE = "lo kano pico la mila granda vides ne"
WRITTEN = "lo kano pico la mila granda vides"


@exhibit(
    title="BLEU, and what it does not see",
    look_for="the table of changes. **BLEU**, from 0 to 1, rates a translation by the groups of words it shares with "
    "a right one, the reference. A high BLEU doesn't mean that the meaning agrees; a low one doesn't mean that the "
    "words are wrong.",
    try_this=[
        (
            "Read the two sentences in the fields.",
            "One word is missing: “ne”, which means “not”. It says the opposite, with a BLEU of 0.87.",
        ),
        (
            "Compare “the dog doesn't see the cat” with “the dog does not see the cat”.",
            "The same meaning, yet BLEU is below a half. With a second reference that says “doesn't” it would be 1, "
            "which is why several are used where they exist.",
        ),
        (
            "Leave the switch off, and type the same three words into both fields.",
            "BLEU is 0 although they agree: there are no four words in a row. It's made for whole sets of sentences.",
        ),
    ],
    code=(bleu, groups, changes),
    formula=r"\text{BLEU} = \min\!\big(1,\, e^{1 - r/c}\big) \cdot \Big(\prod_{n=1}^{4} p_n\Big)^{1/4}",
)
def bleu_caveats() -> Shown | None:
    """A sentence of one's own, the changes, and the model's own BLEU."""
    left, right = st.columns(2, gap="medium")
    with left:
        reference = controls.text_input("bleu_reference", "Reference, the right translation", REFERENCE, max_chars=MOST)
    with right:
        written = controls.text_input("bleu_written", "What was written", WRITTEN, max_chars=MOST)
    smooth = controls.toggle("bleu_smooth", "Add 1 to the counts of pairs and longer groups", False)
    found = None
    if reference.split() and written.split():
        found = bleu([[reference.lower().split()]], [written.lower().split()], add_one=smooth)
        _count(found)
    else:
        st.info("Type at least one word into each field.")
    every = all_changes()
    st.markdown(f"**{N} sentences, each changed in one way**")
    st.markdown(_table(every))
    st.caption(
        "The first four changes break the meaning or the grammar (in Tamari); the last three keep the meaning (in "
        "English). BLEU is that of all sentences in which the change can be made."
    )
    model = translator()
    if model is not None:
        _of_model(model)
    return Shown(
        numbers=lambda: table(every),
        formula=None if found is None else _with_numbers(found),
        script=_script,
    )


def _script() -> str:
    return scripts.script(
        """
        from core.rooms.encoder_decoder.compute import languages
        from core.data.csv_table import print_table
        from core.rooms.encoder_decoder.compute import bleu_blind

        # Each sentence is changed in one way; BLEU compares the changed ones with the right ones.
        sentences = languages.sample($n, seed=0)
        print_table(bleu_blind.table(bleu_blind.changes(sentences)))
        """,
        n=N,
    )


@memoize(4)
def all_changes() -> list[Change]:
    """The changes of 200 random sentences."""
    return changes(languages.sample(N, 0))


@memoize(MAX_RESULTS)
def of_model(models: Trained, n_layer: int, n_head: int) -> dict[str, tuple[float, float, float]]:
    """Exact share, share of words at their position, and BLEU of the model on both kinds of sentences."""
    model, found = Translator(models, n_layer, n_head).model, {}
    for name, n_adjective in SETS.items():
        sentences = languages.sample(N, 0, n_adjective)
        written = translate(model, [one.english() for one in sentences])
        truth = [one.tamari() for one in sentences]
        counted = shares(written, truth)
        score = bleu([[one.split()] for one in truth], [one.split() for one in written]).score
        found[name] = counted["exact"], counted["words"], score
    return found


def _count(found: Bleu) -> None:
    rows = "\n".join(
        f"| {n} | {match} of {total} | {p:.3f} |"
        for n, (match, total, p) in enumerate(zip(found.matches, found.totals, found.precisions, strict=True), start=1)
    )
    one, two = st.columns([1, 1], gap="medium")
    with one:
        share = "p" if depth.at_least("formula") else "share"
        st.markdown(f"| words in a row | in the reference | {share} |\n|--:|--:|--:|\n{rows}")
    with two:
        st.metric("BLEU", f"{found.score:.3f}")
        st.caption(
            f"{plural(found.n_written, 'word')} written, {found.n_reference} in the reference: brevity penalty "
            f"{found.brevity:.3f}. Often quoted times 100: {100 * found.score:.1f}."
        )


def _table(every: list[Change]) -> str:
    rows = [
        f"| {one.name} | {'✗' if one.is_wrong else '✓'} {one.outcome} | **{one.score:.2f}** | "
        f"{one.right} → {one.changed} |"
        for one in every
    ]
    return "\n".join(["| change | meaning | BLEU | for example |", "|---|---|--:|---|", *rows])


def _of_model(model: Translator) -> None:
    rows = "\n".join(
        f"| {name} | {exact:.1%} | {words:.1%} | {score:.3f} |"
        for name, (exact, words, score) in of_model(model.trained, model.n_layer, model.n_head).items()
    )
    st.markdown(
        f"**The model of this room, {N} sentences of each kind**\n\n"
        f"| sentences | exactly right | words at their position | BLEU |\n|---|--:|--:|--:|\n{rows}"
    )
    st.caption(
        "These aren't the sentences in the fields: the model wrote one text for each, freely. When the truth is "
        "known, you can count what's exactly right, and should."
    )


def _with_numbers(found: Bleu) -> str:
    product = r" \cdot ".join(f"{p:.3f}" for p in found.precisions)
    return rf"\text{{BLEU}} = {found.brevity:.3f} \cdot ({product})^{{1/4}} = {found.score:.3f}"
