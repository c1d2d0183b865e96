"""Attention only against recurrent nets with attention, in the same time."""

from typing import Any

import streamlit as st

from core.cache import memoize
from core.charts.curves import Curve
from core.charts.lines import lines
from core.charts.race import race
from core.models.seq2seq import Decoder, Encoder
from core.models.transformer import Stack, Transformer
from core.rooms.encoder_decoder.common import ask
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments import translation_rivals as task
from core.rooms.encoder_decoder.experiments.translation import translate
from core.rooms.encoder_decoder.experiments.translation_rivals import NAMES
from core.train.experiment import rebuild
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained

NAME = "translation-rivals"
GUESSES = {"transformer": "attention only", "recurrent": "the recurrent one", "same": "both alike"}
KINDS = {n: f"{n} adjective{'s' * (n != 1)}{' (longer than in training)' * (n > 2)}" for n in task.ADJECTIVES}


@exhibit(
    title="Against the recurrent translator",
    look_for="the two curves over the same processor time. Both models have attention; the **recurrent net** also "
    "reads and writes token by token. Then see how each does with more than two adjectives, which no training sentence "
    "had.",
    try_this=[
        (
            "Make your guess first. Then compare the curves at 2 adjectives.",
            "At first attention alone is ahead, then the recurrent translator overtakes it. In the end both get almost "
            "every sentence right.",
        ),
        (
            "Choose 4 adjectives.",
            "Now the recurrent one is right most of the time and the transformer hardly ever. One likely reason: the "
            "transformer knows positions by number, and here known words are at new positions; the recurrent net knows "
            "only what came before.",
        ),
        (
            "Choose “training steps” for the horizontal axis.",
            "In the same time the transformer makes one and a half times as many steps: a recurrent step, token after "
            "token, takes longer, even with sentences of at most ten words.",
        ),
    ],
    code=(Transformer.forward, Stack.forward, Encoder.forward, Decoder.step, task.TranslationRivals.advance),
)
def rivals() -> Shown | None:
    """A guess, the race, and a sentence for both."""
    answer = guess("rivals_guess", "Small data, a few seconds: who will translate better?", GUESSES)
    seed = controls.seed(name="rivals_seed")
    shown = live.train(
        NAME, {}, seed, label="Train both", about="Both together take about twelve seconds, half for each."
    )
    if shown is None:
        return None
    one, two = st.columns([2, 3], gap="medium")
    with one:
        kind = controls.select("rivals_kind", "Sentences with", list(KINDS), 2, labels=KINDS)
    with two:
        axis = controls.segmented(
            "rivals_axis", "Horizontal axis", ["processor seconds", "training steps"], "processor seconds"
        )
    hidden = ["recurrent"] if answer == NOT_YET else []
    left, right = layout.pair("rivals-curves")
    over_time, by_kind = _over_time(shown, kind, axis, hidden), _by_kind(shown, hidden)
    with left:
        st.markdown(
            "**Over the training**" if not hidden else f"**{NAMES['transformer'].capitalize()}, over the training**"
        )
        st.vega_lite_chart(over_time, width="stretch", alt=_alt(shown, kind, hidden), key="rivals-time")
    with right:
        st.markdown("**By number of adjectives, now**")
        st.vega_lite_chart(by_kind, width="stretch", alt=_alt(shown, None, hidden), key="rivals-kinds")
    if answer == NOT_YET:
        st.caption("The recurrent translator appears once you've made your guess.")
    else:
        _verdict(shown, answer)
        _own(shown)
    return Shown(
        numbers=lambda: task.table(shown.record, with_recurrent=not hidden),
        arrays=lambda: {key: values for key, values in shown.record.items() if not hidden or "recurrent" not in key},
        figure=over_time,
        script=lambda: _script(shown, is_open=not hidden),
    )


def _script(shown: Live, *, is_open: bool) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.encoder_decoder.experiments import translation_rivals

        # Trained anew, all shares come out the same; the seconds are those of your own machine.
        record = $record
        print_table(translation_rivals.table(record$which))
        """,
        record=scripts.record(NAME, shown),
        which=scripts.Code("" if is_open else ", with_recurrent=False"),
    )


def _exact(shown: Live, name: str) -> Any:
    return shown.record[f"curve.{name}.exact"]  # (looks, numbers of adjectives)


def _over_time(shown: Live, kind: int, axis: str, hidden: list[str]) -> dict[str, Any]:
    place = task.ADJECTIVES.index(kind)
    is_time = axis == "processor seconds"
    curves = {
        label: (
            shown.record[f"seconds.{name}"] if is_time else shown.record["step"] * task.VARIANTS[name],
            _exact(shown, name)[:, place],
        )
        for name, label in NAMES.items()
    }
    furthest = max(float(x[-1]) for x, _ in curves.values())
    n_step = shown.n_step * max(task.VARIANTS.values())
    return race(
        curves,
        y_title="whole sentences right",
        x_title="processor seconds of training" if is_time else "training step",
        x_format=".1f" if is_time else ",d",
        n_step=max(furthest, 0.1) if is_time else n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        hidden=[NAMES[name] for name in hidden],
    )


def _by_kind(shown: Live, hidden: list[str]) -> dict[str, Any]:
    kinds = shown.record["adjectives"].tolist()
    return lines(
        [Curve(label, kinds, _exact(shown, name)[-1].tolist()) for name, label in NAMES.items() if name not in hidden],
        x_title="adjectives in the sentence",
        y_title="whole sentences right",
        mode=layout.color_mode(),
        height=280,
        y_range=(0, 1.05),
        marked=float(languages.USUAL[-1]),
    )


def _alt(shown: Live, kind: int | None, hidden: list[str]) -> str:
    kinds = task.ADJECTIVES if kind is None else (kind,)
    listed = "; ".join(
        f"{label}: " + ", ".join(f"{_exact(shown, name)[-1][task.ADJECTIVES.index(n)]:.0%} at {n}" for n in kinds)
        for name, label in NAMES.items()
        if name not in hidden
    )
    return f"Share of whole sentences right, by number of adjectives. {listed}."


def _verdict(shown: Live, answer: str) -> None:
    """The same numbers in a table, and what they do not say."""
    n = {v: sum(a.size for k, a in shown.record.items() if k.startswith(f"model.{v}.")) for v in NAMES}
    known = {v: float(_exact(shown, v)[-1][: len(languages.USUAL)].mean()) for v in NAMES}
    longer = {v: float(_exact(shown, v)[-1][len(languages.USUAL) :].mean()) for v in NAMES}
    ahead = max(NAMES, key=lambda v: known[v] + longer[v])
    rows = [
        ("processor seconds of training", {v: f"{shown.record[f'seconds.{v}'][-1]:.1f}" for v in NAMES}),
        ("training steps", {v: f"{int(shown.record['step'][-1]) * task.VARIANTS[v]:,}" for v in NAMES}),
        ("parameters", {v: f"{n[v]:,}" for v in NAMES}),
        ("right, as long as in training", {v: f"{known[v]:.1%}" for v in NAMES}),
        ("right, longer than in training", {v: f"{longer[v]:.1%}" for v in NAMES}),
    ]
    table = "\n".join(f"| {what} | " + " | ".join(values[v] for v in NAMES) + " |" for what, values in rows)
    st.markdown(
        f"Over all sentences, **{NAMES[ahead]}** is ahead.{told(answer, GUESSES, NAMES[ahead])}\n\n"
        f"| | {' | '.join(NAMES.values())} |\n|---|---|---|\n{table}"
    )
    st.caption(
        f"{task.N_HELD} sentences of each kind, none of them trained on. The transformer makes three steps while the "
        "other makes two: on one core that takes about as long, and the result doesn't depend on how fast a machine "
        "is. One task with short sentences is no verdict. Transformers won because a graphics processor reads all "
        "tokens of a long text at once, and because they keep gaining from more layers and more text."
    )


def _own(shown: Live) -> None:
    """One sentence, translated by both."""
    given = ask("rivals_text", "the young good girl finds some big red horses", "Your sentence, in English")
    if given is None:
        return
    answers = both(trained(shown), given.english)
    for name, label in NAMES.items():
        right = "" if given.truth is None else " ✓ right" if answers[name] == given.truth else " ✗ wrong"
        st.markdown(f"{label}: **{answers[name] or '(nothing)'}**{right}")
    st.markdown("" if given.truth is None else f"The right translation: {given.truth}")


@memoize(MAX_RESULTS)
def both(models: Trained, english: str) -> dict[str, str]:
    """The sentence in the words of either model."""
    found = {}
    for name in NAMES:
        model = rebuild(models.record, name, task.config(name)).float()
        found[name] = translate(model, [english])[0]
    return found
