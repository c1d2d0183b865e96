"""The masking lab: which tokens of a batch are chosen, what becomes of them, and what the model is asked."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core import inputs
from core.cache import memoize
from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import gap_stories
from core.rooms.encoder.compute import masking_outcomes
from core.rooms.encoder.compute.masking_outcomes import NAMES, batch, shares
from core.rooms.encoder.masking_widget import masking
from core.train.experiments import masking as rule
from core.train.experiments.masking import corrupt, masked_loss, spread
from core.ui import state
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit

N_BATCH = 200  # of the tally: about 5,000 chosen tokens at 15%, which shows 1% of the text to a tenth


@memoize(32)
def tally(seed: int, share: float) -> NDArray[np.int64]:
    """(N, 4) the fates in the batches of this seed and of those after it, added up from batch to batch."""
    return masking_outcomes.tally(seed, share, N_BATCH)


@exhibit(
    title="The masking lab",
    look_for="which words are chosen, what becomes of them, and how few they are: the model learns only from the words "
    "marked M, R or U.",
    try_this=[
        (
            "Press “Roll again” a few times and compare the counts with those expected.",
            "They jump around: of some 170 words about 25 are chosen, give or take 5. Over 200 batches the shares "
            "settle at 15%, and 12, 1.5 and 1.5% of all words.",
        ),
        (
            "Find an R, and read its row as if it weren't marked.",
            "You often notice at once that the word is wrong. The model has to notice too: it isn't told which words "
            "were replaced.",
        ),
        (
            "Raise the share to 60%.",
            "Hardly any sentence can be guessed now: too little is left to read. At 5% everything could be guessed, "
            "but the model is asked for only some eight words a batch and learns slowly.",
        ),
    ],
    code=(corrupt, masked_loss, spread),
    formula=r"\begin{aligned} n_{\text{chosen}} &\approx n\,p \pm \sqrt{n\,p\,(1-p)} \\ "
    r"\text{loss} &= -\tfrac{1}{n_{\text{chosen}}} \textstyle\sum_{\text{chosen } i} \log P(x_i \mid \tilde x) "
    r"\end{aligned}",
)
def masking_lab() -> Shown:
    """A batch, its counts, and the counts over many batches."""
    left, middle, right = st.columns([3, 2, 2], gap="medium", vertical_alignment="bottom")
    with middle:  # before the seed is drawn, so that it can move it
        look: dict[str, Any] = {"icon": ":material/casino:", "type": "primary", "width": "stretch"}
        if controls.button("Roll again", "lab_seed", key="lab-roll", **look):
            controls.put("lab_seed", (state.slot("lab.seed", int) + 1) % (inputs.MAX_SEED + 1))
    with left:
        percent = int(controls.slider("lab_share", "Chosen, % of the words", 5, 60, 15, step=5))
    with right:
        seed = controls.seed(name="lab_seed")
    state.put("lab.seed", seed)
    share = percent / 100
    now, words = batch(seed, share), gap_stories.words()
    read, truth = now.corrupted.inputs.tolist(), now.corrupted.targets.tolist()
    n = int(now.eligible.sum())
    chosen = n - int(now.counts[0])
    masking(
        [words.labels(row) for row in read],
        [words.labels(row) for row in truth],
        now.corrupted.fate.numpy(),
        ~now.eligible,
        key="lab-batch",
        label=f"Eight rows as the model reads them, seed {seed}",
        takeaway=f"{n} words, {chosen} of them chosen: {now.counts[1]} masked, {now.counts[2]} replaced, "
        f"{now.counts[3]} left unchanged.",
    )
    added = tally(seed, share)
    _table(now.counts, added[-1], share)
    spec = _chart(added, share)
    st.markdown(f"**Batch after batch: seeds {seed} to {seed + N_BATCH - 1}**")
    st.vega_lite_chart(spec, width="stretch", alt=_in_words(added[-1]), key="lab-tally")
    return Shown(
        numbers=lambda: masking_outcomes.table(now, added, share),
        arrays={
            "read": now.corrupted.inputs.numpy(), "truth": now.corrupted.targets.numpy(),
            "fate": now.corrupted.fate.numpy(), "eligible": now.eligible, "tally": added,
        },
        figure=spec,
        formula=rf"n_{{\text{{chosen}}}} = {chosen}, \quad {n} \cdot {share:.2f} \pm "
        rf"\sqrt{{{n} \cdot {share:.2f} \cdot {1 - share:.2f}}} = {spread(n, share)[0]:.1f} \pm "
        rf"{spread(n, share)[1]:.1f}",
        script=lambda: _script(seed, share),
    )  # fmt: skip


def _script(seed: int, share: float) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.encoder.compute import masking_outcomes

        # Words of eight rows of stories, chosen by lot; then the same for many batches, one seed after the other.
        now = masking_outcomes.batch(seed=$seed, share=$share)
        added = masking_outcomes.tally(seed=$seed, share=$share, n_batch=$n_batch)
        print_table(masking_outcomes.table(now, added, share=$share))
        """,
        seed=seed,
        share=share,
        n_batch=N_BATCH,
    )


def _table(counts: NDArray[np.int64], all_counts: NDArray[np.int64], share: float) -> None:
    """The counts of this batch and of many, beside what is expected."""
    n, total = int(counts.sum()), int(all_counts.sum())
    lines = [
        f"| | this batch | expected | {N_BATCH} batches (expected) |",
        "|---|---:|---:|---:|",
    ]
    rows = [("**chosen**", n - int(counts[0]), total - int(all_counts[0]), share)]
    rows += [
        (NAMES[fate], int(counts[fate]), int(all_counts[fate]), shares(share)[fate])
        for fate in (rule.MASKED, rule.REPLACED, rule.UNCHANGED)
    ]
    for name, here, everywhere, part in rows:
        mean, deviation = spread(n, part)
        lines.append(
            f"| {name} | {here} | {mean:.1f} ± {deviation:.1f} | {100 * everywhere / total:.2f}% ({100 * part:.3g}%) |"
        )
    st.markdown("\n".join(lines))
    st.caption(
        f"Shares are of the {n} words that can be chosen, {total:,} in all batches. **`<class>`**, the token that "
        "opens every row, and `<pad>`, which fills up short ones, never are. About two rolls in three fall within the "
        "±, one standard deviation."
    )


def _chart(added: NDArray[np.int64], share: float) -> dict[str, Any]:
    """Shares so far, from the first batch to the last."""
    totals = added.sum(1)
    steps = np.arange(1, len(added) + 1)
    expected = shares(share)
    curves = {
        NAMES[fate]: (steps, 100 * added[:, fate] / totals) for fate in (rule.MASKED, rule.REPLACED, rule.UNCHANGED)
    }
    return race(
        curves,
        [
            Reference(100 * expected[rule.MASKED], f"{100 * expected[rule.MASKED]:.3g}%"),
            Reference(100 * expected[rule.REPLACED], f"{100 * expected[rule.REPLACED]:.3g}% each"),
        ],
        y_title="% of all words so far",
        x_title="batches",
        n_step=len(added),
        mode=layout.color_mode(),
        y_limits=(0, 100 * share),
        height=220,
    )


def _in_words(added: NDArray[np.int64]) -> str:
    total = added.sum()
    told = ", ".join(f"{NAMES[i]} {added[i] / total:.2%}" for i in (rule.MASKED, rule.REPLACED, rule.UNCHANGED))
    return f"Shares of all words after {N_BATCH} batches: {told}."
