"""Fix the lecture's code: a class with mistakes, its repairs as switches, and what each version learns."""

from typing import Any

import streamlit as st

from core.charts.curves import Reference
from core.charts.race import race
from core.rooms.hard_attention import one_string
from core.rooms.hard_attention.common import VERSIONS
from core.rooms.hard_attention.compute import lecture as look
from core.rooms.hard_attention.compute.code_switches import Line, as_text, resolved
from core.rooms.hard_attention.compute.lecture_attention import AS_PRINTED, TO_RUN_AT_ALL, LectureAttention, Repairs
from core.rooms.hard_attention.experiments import lecture as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told, without
from core.ui.training import live

NAME = "lecture"
REPAIRS = {
    "encoder": "Ask the encoder",
    "axis": "One weight per source token",
    "mask": "No weight for padding",
    "sizes": "Widths that fit",
}
HELP = {
    "encoder": "The scores add in what the encoder says, instead of the decoder twice.",
    "axis": "The softmax runs over the source tokens, not over a single number.",
    "mask": "Padding gets a score of minus infinity.",
    "sizes": "Each layer is as wide as what goes into it.",
}
GUESSES = {"blind": "no better than guessing", "some": "in between", "same": "as much as the repaired one"}
CLOSE = 0.05  # accuracies this close count as the same


@exhibit(
    title="Fix the lecture's code",
    look_for="the sum of each row of weights, and whether the weights within a row differ. The task is to write a "
    "string of letters backwards, so attention should find each letter. As written, every weight is 1, for every "
    "token, at every step.",
    try_this=[
        (
            "Repair only the weights (“One weight per source token”).",
            "Now each row adds up to 1, but every token has the same weight: the scores still don't ask the encoder, "
            "so they can't prefer any of its tokens.",
        ),
        (
            "Turn on only “Ask the encoder”.",
            "It doesn't run: two mistakes had hidden each other. Repair the weights too, and in the shipped example a "
            "stripe appears: the string is read from its end.",
        ),
        (
            "Add padding, with the encoder asked and the weights repaired, and switch the mask on and off.",
            "Without the mask, padding (filler after the string) gets weight and changes what the model says about the "
            "same string. With the mask, nothing changes.",
        ),
    ],
    code=(LectureAttention, look.read, task.variant_of, task.Lecture.advance),
)
def fix_the_code() -> Shown | None:
    """The class, the training of all its versions, the switches, and the weights of the version chosen."""
    with st.expander("The class as the note prints it", icon=":material/description:"):
        st.code(AS_PRINTED, language="python", wrap_lines=True)
        if depth.at_least("numbers"):
            st.markdown("Changed only to make it run at all:\n" + "\n".join(f"- {change}" for change in TO_RUN_AT_ALL))
    left, right = st.columns([1, 1], gap="medium")
    with left:
        longest = int(controls.segmented("lecture_longest", "Letters of the longest strings", [8, 12], task.LONGEST))
    with right:
        seed = controls.seed(name="lecture_seed")
    answer = guess("lecture_guess", "Before you look: how much can the class as written learn?", GUESSES)
    shown = live.train(
        NAME,
        {"longest": longest},
        seed,
        label="Train all versions",
        about="Six models, about fifteen seconds on one free core.",
    )
    if shown is None:
        return None
    hidden = [variant for variant in VERSIONS if variant not in ("none", "all")] if answer == NOT_YET else []
    spec = _curves(shown, hidden)
    st.vega_lite_chart(spec, alt=_in_words(shown, hidden), key="lecture-curves")
    st.markdown("**Turn the repairs on**")
    with st.container(horizontal=True, gap="medium"):
        repairs = Repairs(
            **{name: controls.toggle(f"fix_{name}", label, help=HELP[name]) for name, label in REPAIRS.items()}
        )
    st.code(_code(repairs), language="diff", wrap_lines=True)  # a phone cannot scroll it by keyboard
    st.caption("! as written, in force · − as written, taken out · + the repair. These are the lines that run.")
    readings = one_string.reading(shown, repairs, is_open=not hidden)
    if answer != NOT_YET:
        _verdict(shown, repairs, answer)
    elif not controls.is_hidden("lecture_guess"):  # a lesson that hides the question asks it later
        st.caption("How much each version has learned appears once you've made your guess above.")
    return Shown(
        numbers=lambda: task.table(shown.record, hidden),
        script=lambda: _script(shown, hidden),
        arrays=lambda: without(shown.record, hidden) | ({} if readings is None else {"weights": readings.weights}),
        figure=spec,
    )


def _script(shown: Live, hidden: list[str]) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "The lecture's class as written, and repaired step by step. With the settings that ship the record "
        "that ships is read; with others all versions are trained now, which takes some fifteen seconds.",
        hidden,
    )


def _code(repairs: Repairs) -> str:
    """The lines of the class from the first that matters, in both of its functions, with these repairs."""
    made = resolved(LectureAttention.__init__, [name for name in repairs.on if name == "sizes"])
    ran = resolved(LectureAttention.forward, [name for name in repairs.on if name != "sizes"])
    return f"  def __init__(self, …):\n{_from('enc_hidden', made)}\n\n  def forward(self, …):\n{_from('enc_attn', ran)}"


def _from(first: str, lines: list[Line]) -> str:
    start = next(i for i, line in enumerate(lines) if line.text.lstrip().startswith(first))
    return as_text(lines[start:])


def _curves(shown: Live, hidden: list[str]) -> dict[str, Any]:
    return race(
        {name: (shown.record["step"], shown.record[f"curve.{v}.accuracy"]) for v, name in VERSIONS.items()},
        [Reference(task.BLIND, "a blind guess")],
        y_title="letters that are right (share)",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        hidden=[VERSIONS[variant] for variant in hidden],
        height=330,
    )


def outcome(shown: Live) -> str:
    """Which guess came true: how far the class as written has got."""
    written, best = _final(shown, "written"), max(_final(shown, "all"), _final(shown, "encoder-axis"))
    return "same" if written > best - CLOSE else "blind" if written < task.BLIND + CLOSE else "some"


def _final(shown: Live, variant: str) -> float:
    return float(shown.record[f"curve.{variant}.accuracy"][-1])


def _verdict(shown: Live, repairs: Repairs, answer: str) -> None:
    """What every version has learned, the chosen one in bold."""
    chosen = task.variant_of(repairs)
    rows = []
    for variant, name in VERSIONS.items():
        mark = "**" if variant == chosen else ""
        whole = shown.record.get(f"whole.{variant}")
        cells = [name, f"{_final(shown, variant):.3f}", "–" if whole is None else f"{float(whole):.3f}"]
        rows.append("| " + " | ".join(f"{mark}{cell}{mark}" for cell in cells) + " |")
    beside = told(answer, GUESSES, f"{_final(shown, 'written'):.2f}") if shown.is_done else ""
    if _final(shown, "written") < _final(shown, "none"):
        beside += " As written, the class is even worse than no attention at all."
    st.markdown(
        f"After {shown.step} steps, measured on {task.N_HELD} strings that weren't trained on. A blind guess gets "
        f"{task.BLIND:.3f} of the letters right.{beside}\n\n"
        f"| version | letters right | whole strings right |\n|---|---|---|\n" + "\n".join(rows)
    )
    st.caption(
        "Letters: given the right letters before. Whole strings: the model's own writing, without a mistake. Every "
        "version, even the one without attention, starts the decoder from the encoder's last state, so a broken class "
        "still learns a good deal; what it adds is the same vector at every step. “Widths that fit” changes no number "
        "here, where all widths are the same, and the mask on its own also makes one weight per token."
    )


def _in_words(shown: Live, hidden: list[str]) -> str:
    told_of = {variant: name for variant, name in VERSIONS.items() if variant not in hidden}
    now = ", ".join(f"{name} {_final(shown, variant):.2f}" for variant, name in told_of.items())
    return f"Share of right letters by training step. After step {shown.step}: {now}; a blind guess {task.BLIND:.3f}."
