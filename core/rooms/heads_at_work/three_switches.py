"""Three switches on one sentence: what a causal mask costs, what positions and a second layer are for, by training."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.before_after import before_after
from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.rooms.heads_at_work.asking import ask_sentence
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.compute.naming import Naming, Pointing
from core.rooms.heads_at_work.experiments import three_switches as switches
from core.rooms.heads_at_work.experiments.three_switches import NAMES, VARIANTS, ThreeSwitches
from core.rooms.heads_at_work.origin import Part, of_it
from core.train.experiment import rebuild
from core.train.experiments import naming as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.text import percent
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained
from core.ui.widgets import widgets

NAME = "three-switches"
GUESSES = {"all": "about 100%", "half": "about 50%", "noun": "one in eight, as by guessing"}
HALF = Reference(0.5, "half: cannot tell the two nouns apart")
STEPS = {200: "200", 400: "400", 600: "600"}


@memoize(MAX_RESULTS)
def named(models: Trained, variant: str, first: str, second: str, ending: str) -> Naming:
    """One sentence through one of the trained models."""
    return naming.name_it(rebuild(models.record, variant, VARIANTS[variant]), BottleAndCup(first, second, ending))


@memoize(MAX_RESULTS)
def pointing_of(models: Trained, variant: str, seed: int) -> Pointing:
    """Where each head of a trained model looks from "it", on average over the sentences held out."""
    return naming.pointing(rebuild(models.record, variant, VARIANTS[variant]), referents.split(seed)[1])


@exhibit(
    title="Three switches on one sentence",
    look_for="which models learn what “it” is. The first reads the whole sentence; each of the others differs in one "
    "thing.",
    try_this=[
        (
            "Under the curves, switch from “full” to “empty” and back.",
            "The answer changes from cup to bottle, and the row of weights with it: the starred head reads the noun "
            "that “it” stands for.",
        ),
        (
            "Look at the model with the causal mask, and switch again.",
            "Nothing moves, not by a digit: the deciding word comes after “it”, and “it” may not look there.",
        ),
        (
            "Train with other seeds, and give the single layer 600 steps.",
            "The first three curves end where they always do. The single layer depends on luck: with some seeds it "
            "gets there, with others it doesn't.",
        ),
    ],
    code=(ThreeSwitches, task.Namer, task.answer_logits, naming.name_it),
)
def three_switches() -> Shown | None:
    """A guess, the race of four variants, and each of them asked about a sentence."""
    answer = guess("switch_guess", "Before you look: how often will the model with a causal mask be right?", GUESSES)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="switch_seed")
    with right:
        n_step = controls.segmented("switch_steps", "Training steps", list(STEPS), 200, labels=STEPS)
    shown = live.train(
        NAME, {"n_step": n_step}, seed, label="Train all four", about="200 steps take some seven seconds."
    )
    if shown is None:
        return None
    hidden = tuple(variant for variant in VARIANTS if variant != "full") if answer == NOT_YET else ()
    spec = _curves(shown, hidden)
    st.vega_lite_chart(spec, alt=_in_words(shown, hidden), key="switch-curves")
    _verdict(shown, answer)
    st.markdown("**Ask one of the models**")
    sentence = ask_sentence("switch")
    variant = controls.segmented("switch_model", "Model", list(VARIANTS), "full", labels=NAMES)
    models = trained(shown)
    both = {ending: named(models, variant, sentence.first, sentence.second, ending) for ending in referents.ENDINGS}
    best = pointing_of(models, variant, shown.seed).best
    _answer(sentence, both, best, variant, shown, models)
    return Shown(
        numbers=lambda: switches.table(shown.record, shown.step, shown.seed, hidden),
        arrays=None if hidden else lambda: _arrays(shown, both),
        figure=spec,
        script=lambda: _script(shown, hidden),
    )


def _script(shown: Live, hidden: tuple[str, ...]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.heads_at_work.experiments import three_switches

        # Four models on the same sentences, three of them with one thing changed. With the settings that ship, the
        # record that ships is read; with others they are trained now, which takes some seconds.
        record = $record
        print_table(three_switches.table(record, step=$step, seed=$seed$without))
        """,
        record=scripts.record(NAME, shown),
        step=shown.step,
        seed=shown.seed,
        without=scripts.Code(f", without={hidden}" if hidden else ""),
    )


def _final(shown: Live, variant: str) -> float:
    return float(shown.record[f"curve.{variant}.accuracy"][-1])


def _curves(shown: Live, hidden: tuple[str, ...]) -> dict[str, Any]:
    curves = {
        name: (shown.record[f"curve.{variant}.step"], shown.record[f"curve.{variant}.accuracy"])
        for variant, name in NAMES.items()
    }
    return race(
        curves,
        [HALF],
        y_title="share of right answers",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        hidden=[NAMES[variant] for variant in hidden],
        height=320,
    )


def _in_words(shown: Live, hidden: tuple[str, ...]) -> str:
    now = ", ".join(f"{name}: {percent(_final(shown, one))}" for one, name in NAMES.items() if one not in hidden)
    return f"Curves of accuracy by training step. After step {shown.step}: {now}."


def _verdict(shown: Live, answer: str) -> None:
    """What came of each variant, and why."""
    n_held = len(referents.split(shown.seed)[1])
    got = {variant: percent(_final(shown, variant)) for variant in VARIANTS}
    full = (
        f"After step {shown.step}, on {n_held} sentences whose two nouns never met in training:\n"
        f"- **Nothing switched**: **{got['full']}**."
    )
    if answer == NOT_YET:
        is_asked = not controls.is_hidden("switch_guess")  # a lesson that hides the question asks it later
        st.markdown(full + "\n\nThe other three appear once you've made your guess above." * is_asked)
        return
    if _final(shown, "one_layer") > 0.99:
        luck = "This seed got there"
    else:
        luck = "This seed didn't get there" if shown.is_done else "It isn't there yet"
    st.markdown(
        f"{full}\n"
        f"- **Causal mask on**: **{got['causal']}**.{told(answer, GUESSES, got['causal'])} “It” may not read what "
        "comes after it, and that's where full or empty is. Both readings get the same answer, so half right is the "
        "best possible.\n"
        f"- **Positions off**: **{got['no_positions']}**. The sentence becomes a bag of words: bottle into cup and cup "
        "into bottle look the same, so again half is the best possible.\n"
        f"- **One layer only**: **{got['one_layer']}**. {luck}; others may differ. “It” chooses where to look before "
        "it knows how the sentence ends, so it can't turn from one noun to the other. It has to collect both nouns and "
        "the ending at once, and sort them out afterwards in the **feed-forward part**, which works on each word "
        "separately."
    )


def _answer(
    sentence: BottleAndCup, both: dict[str, Naming], best: tuple[int, int], variant: str, shown: Live, models: Trained
) -> None:
    """What the model says, and where its heads look, in both readings."""
    said = both[sentence.ending]
    chance = float(said.nouns.max())
    verdict = "Right" if said.said == sentence.referent else f"Wrong: it's the {sentence.referent}"
    words = referents.tokens(sentence)
    reads = np.where(said.mask, said.rows[best], np.nan)
    strongest = int(np.nanargmax(reads))
    text_side, bars_side = layout.pair("switch-answer")
    with text_side:
        widgets.token_row(
            words,
            key="switch-row",
            values=reads,
            kind="probability",
            value_title="weight",
            selected=referents.IT,
            title=f"Where “it” looks: layer {best[0]}, head {best[1]}",
            takeaway=f"“it” looks most at “{words[strongest]}”, weight {reads[strongest]:.2f}.",
        )
        st.markdown(f"The model says it's the **{said.said}**, with {chance:.1%}. {verdict}.")
        st.caption(_flip(sentence, both, best))
    with bars_side:
        order = [NOUNS.index(sentence.first), NOUNS.index(sentence.second)]
        order += [i for i in range(len(NOUNS)) if i not in order]
        st.vega_lite_chart(
            before_after(
                [NOUNS[i] for i in order],
                both["full"].nouns[order].tolist(),
                both["empty"].nouns[order].tolist(),
                names=("full", "empty"),
                mode=layout.color_mode(),
            ),
            alt=" ".join(
                f"Until it was {ending}: {one.said} with {one.nouns.max():.2f}." for ending, one in both.items()
            ),
            key="switch-bars",
        )
    _all_heads(sentence, both, best, variant, shown, models)


def _flip(sentence: BottleAndCup, both: dict[str, Naming], best: tuple[int, int]) -> str:
    """The weights of the best head on the two nouns, in both readings."""
    parts = [
        f"{ending}: {sentence.first} {one.rows[best][referents.FIRST]:.2f}, "
        f"{sentence.second} {one.rows[best][referents.SECOND]:.2f}"
        for ending, one in both.items()
    ]
    same = float(np.abs(both["full"].rows - both["empty"].rows).max())
    end = " All rows of all heads are the same in both readings." if same == 0 else ""
    return f"Its weight on the nouns, until it was {'; until it was '.join(parts)}.{end}"


def _all_heads(
    sentence: BottleAndCup, both: dict[str, Naming], best: tuple[int, int], variant: str, shown: Live, models: Trained
) -> None:
    """The row of "it" in every head, in both readings side by side."""
    n_layer, n_head = both["full"].rows.shape[:2]
    heads = [(layer, head) for layer in range(n_layer) for head in range(n_head)]
    model = rebuild(models.record, variant, VARIANTS[variant])
    parts = [Part(model, layer) for layer in range(n_layer)]
    for place, (ending, found) in zip(layout.pair("switch-heads"), both.items(), strict=True):
        here = BottleAndCup(sentence.first, sentence.second, ending)
        with place:
            widgets.matrix(
                np.stack([found.rows[head] for head in heads]),
                rows=[f"{'★' if head == best else ''}{head[0]}.{head[1]}" for head in heads],
                columns=referents.tokens(here),
                key=f"switch-heads-{variant}-{ending}",
                mask=np.tile(found.mask, (len(heads), 1)),
                row_title="head",
                column_title="word that “it” looks at",
                selected=(heads.index(best), referents.right_place(here)),
                label=f"All heads, until it was {ending}",
                height=180,
                badge=of_it(parts, here, shown, f"the model “{NAMES[variant]}”"),
            )
    st.caption("★ marks the head that most prefers the right noun, on average over sentences never seen in training.")


def _arrays(shown: Live, both: dict[str, Naming]) -> dict[str, NDArray[Any]]:
    rows: dict[str, NDArray[Any]] = {f"rows.{ending}": one.rows for ending, one in both.items()}
    rows |= {f"nouns.{ending}": one.nouns for ending, one in both.items()}
    return dict(shown.record) | rows
