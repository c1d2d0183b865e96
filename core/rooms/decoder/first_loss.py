"""The lecture note's model before its first step: is its loss ln 512? Nearly; and why not quite."""

import math

import streamlit as st

from core.cache import memoize
from core.models.lecture_gpt import LECTURE_GPT, lecture_gpt, start_linear
from core.rooms.decoder.compute import first_loss as measured
from core.rooms.decoder.dots_chart import starts
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit

NAMES = dict(measured.START_NAMES)
N_SEED = 20
BLIND = math.log(LECTURE_GPT.vocab_size)


@memoize(len(NAMES))
def losses(start: measured.Start, n_seed: int) -> measured.FirstLosses:
    """The losses of so many untrained models on the note's 31 tokens."""
    return measured.first_losses(start, n_seed)


@memoize(1)
def n_parameter() -> int:
    """Counted from the model."""
    return sum(parameter.numel() for parameter in lecture_gpt(0).parameters())


def warm_up() -> None:
    """Twenty models of eight million parameters take half a second, for each start."""
    for start in NAMES:
        losses(start, N_SEED)


@exhibit(
    title="The loss of a model that knows nothing",
    look_for="where the dots lie: each is an untrained model, which can only guess. A blind guess among 512 tokens has "
    f"a loss of {BLIND:.2f}, and most of these models have more.",
    try_this=[
        (
            "Compare the three starts.",
            "With weights as torch draws them, the logits have a variance of about 1/3, and unequal guesses add half "
            "of that to the loss: 1/6. GPT-2's narrower start adds about 0.03 to ln 512, zeros add exactly nothing.",
            "numbers",
        ),
        (
            "Look for the loss that a lecture note prints, 6.5316.",
            "It's one throw of the dice, and an ordinary one: its mark is among our dots. It says nothing about "
            "training, only about the start.",
        ),
    ],
    code=(lecture_gpt, start_linear, measured.first_losses, measured.expected),
    formula=r"\text{loss} \approx \ln V + \tfrac12 \operatorname{Var}(\text{logit})",
)
def first_loss() -> Shown:
    """The losses of sixty untrained models beside ln 512, the theory and the number that the note prints."""
    start = controls.segmented("first_start", "Weights", list(NAMES), "torch", labels=NAMES)
    found = {name: losses(name, N_SEED) for name in NAMES}
    expected = measured.expected(LECTURE_GPT.d_model, LECTURE_GPT.vocab_size)
    blind = "ln 512" if depth.at_least("numbers") else "a blind guess"
    spec = starts(
        {NAMES[name]: one.window.tolist() for name, one in found.items()},
        marks={blind: BLIND, "theory for the first": expected, "the note's": measured.NOTE_LOSS},
        chosen=NAMES[start],
        x_title=depth.measured("untrained loss", "nats per token"),
        mode=layout.color_mode(),
    )
    one = found[start]
    st.vega_lite_chart(
        spec,
        width="stretch",
        alt=f"Untrained losses of {N_SEED} seeds for each start; ln 512 is {BLIND:.3f}.",
        key="first-starts",
    )
    why = ""
    if depth.at_least("numbers"):
        why = (
            f" = ln 512 + {one.every.mean() - BLIND:.3f}. The logits' variance is {one.variance.mean():.3f}, half of "
            f"it {one.variance.mean() / 2:.3f}"
        )
    st.markdown(
        f"**{NAMES[start].capitalize()}**, {N_SEED} seeds: the loss on the note's targets is {one.window.mean():.3f} "
        f"on average, from {one.window.min():.2f} to {one.window.max():.2f}. Averaged over all 512 possible targets, "
        f"so that no luck is left: **{one.every.mean():.3f}**{why}."
    )
    st.markdown(
        f"The model is one from a lecture note, in exactly its sizes and on its own 31 tokens: {LECTURE_GPT.n_layer} "
        f"layers of {LECTURE_GPT.n_head} heads, {n_parameter():,} parameters."
    )
    depth.note(
        f"Its embeddings of {LECTURE_GPT.d_embed} numbers are brought to {LECTURE_GPT.d_model}, and it is post-norm. "
        f"Theory for torch's own start: the last norm leaves {LECTURE_GPT.d_model} numbers of mean square 1, each "
        f"weight has the variance 1/(3 · {LECTURE_GPT.d_model}), so a logit has 1/3, plus a little for the bias: ln "
        f"512 + 1/6 + 0.001 = {expected:.3f}. Losses in nats, without dropout. The note calls its model GPT-2, but "
        "GPT-2 is pre-norm, with a GELU of four times its width, a final norm, learned positions and a tied output "
        "layer."
    )
    return Shown(
        numbers=lambda: measured.loss_table(found),
        arrays={f"{name}.{part}": getattr(some, part) for name, some in found.items()
                for part in ("window", "every", "variance")},
        figure=spec,
        formula=rf"{BLIND:.4f} + \tfrac12 \cdot {one.variance.mean():.4f} = {BLIND + one.variance.mean() / 2:.4f}",
        script=_script,
    )  # fmt: skip


def _script() -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.decoder.compute import first_loss

        # The lecture note's model, built anew for each seed and never trained, reads the note's 31 tokens; about a
        # second and a half for all three ways to start.
        losses = {start: first_loss.first_losses(start, n_seed=$n_seed) for start in first_loss.START_NAMES}
        print_table(first_loss.loss_table(losses))
        """,
        n_seed=N_SEED,
    )
