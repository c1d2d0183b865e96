"""A run as it happens: the loss falls, the text that the model writes gets better, its heads find their work."""

import functools
import importlib
import math
from typing import Any

import streamlit as st

from core.charts import curves
from core.jobs.runs import RunInfo, RunNotFound
from core.rooms.studio import recorded_example as example
from core.rooms.studio.choices import fills_gaps, in_words
from core.rooms.studio.chosen_run import (
    Phase,
    ask,
    badge,
    duration,
    follow,
    is_mine,
    look_at,
    phase_of,
    rebuild,
    say_problem,
    seconds_left,
    start,
)
from core.rooms.studio.facts import count_tokens, counting_loss, latest_frame, points_of, run_of
from core.ui.controls import controls
from core.ui.frame import depth
from core.ui.frame.errors import report
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models.about import nats_per
from core.ui.text import escape_markdown
from core.ui.training.runs import store
from core.ui.training.text_facts import title_of
from core.ui.widgets import widgets


class _Later:
    """A function for the Code panel that is imported when the panel opens: `inspect` looks behind `__wrapped__`."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self) -> None:
        """Never called: only its source is shown."""

    @property
    def __wrapped__(self) -> Any:
        return functools.reduce(getattr, self._name.split("."), importlib.import_module(self._module))


@exhibit(
    title="Watch it learn",
    look_for="the **loss** (how surprised the model is, on average, by the right answers). It falls from the line of "
    "blind guessing to below the line of counting.",
    try_this=[
        (
            "Press Train and keep reading what it writes.",
            "First random letters, soon the frequent ones, then words, then almost sentences.",
        ),
        (
            "Under All settings, make the learning rate ten times higher, and train again.",
            "The loss jumps far above blind guessing, comes back, and ends higher. The **learning rate** is how far "
            "each step moves the weights, and steps this long overshoot.",
        ),
        (
            "Set “How it knows the order” to “None at all”, keep the seed, and compare both runs under My runs.",
            "It ends clearly worse, but it does learn: no token may look ahead, and that alone tells the model a "
            "little about what comes before what.",
        ),
    ],
    code=(
        _Later("core.train.run", "TrainRun._update"),
        _Later("core.train.objectives", "next_token_loss"),
        _Later("core.train.snapshots", "capture"),
    ),
)
def live(run_id: str, phase: Phase) -> Shown | None:
    """Everything about one run, drawn again a few times a second while it goes on."""
    follow()
    try:
        run = run_of(run_id)
    except RunNotFound:
        st.info("This run has been deleted.", icon=":material/delete:")
        return None
    if (now := phase_of(run)) != phase and not {now, phase} <= {"running", "next"}:
        rebuild()  # the page sets whether this is looked at again and again
        follow()
    say_problem()
    _heading(run)
    if run.state == "failed":
        st.error(escape_markdown(run.message or "The training ended unexpectedly."), icon=":material/error:")
    elif run.message:
        st.info(escape_markdown(run.message), icon=":material/info:")
    points = points_of(run)
    if not points:
        _nothing_yet(run)
        return Shown(numbers=lambda: _table(points))
    return _picture(run, points)


def _heading(run: RunInfo) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{escape_markdown(run.name)}**", width="content")
        badge(run)
        st.space("stretch")
        if run.id == example.ID:
            st.caption("This example was already there. Press Train for your own.", width="content")
        elif is_mine(run):
            _buttons(run)
        else:
            st.caption("Somebody else's run: you can look, but not change it.", width="content")


def _buttons(run: RunInfo) -> None:
    def button(label: str, icon: str, action: str) -> None:
        st.button(label, icon=icon, key=f"studio-{action}", on_click=ask, args=(run.id, action))

    if run.active and run.request != "stop":
        if run.request == "pause":
            button("Go on", ":material/play_arrow:", "resume")
        else:
            button("Pause", ":material/pause:", "pause")
        button("Stop", ":material/stop:", "stop")
    elif run.can_resume:
        button("Resume", ":material/play_arrow:", "resume")
        if run.state == "paused":
            button("Stop", ":material/stop:", "stop")
    if not run.active:
        st.button(
            "New run",
            icon=":material/add:",
            key="studio-new",
            help="Back to the settings.",
            on_click=look_at,
            args=(None,),
        )
        st.button(
            "Another seed",
            icon=":material/casino:",
            key="studio-reseed",
            help="Same settings, next seed: how much was luck?",
            on_click=start,
            args=(run.recipe, run.seed + 1, run.name),
        )


def _nothing_yet(run: RunInfo) -> None:
    """A run without a point: what is it waiting for? The room of the picture is kept, so that nothing jumps."""
    with st.container(height=420, border=False):
        if run.state == "queued":
            place = store().queue_position(run.id) or 1
            words = "It starts next." if place == 1 else f"It is number {place} in line."
            st.info(
                f"{words} Each person trains one run at a time, so that everyone gets a turn.",
                icon=":material/hourglass_top:",
            )
        elif run.state == "running":
            st.info("Reading the text and building the model …", icon=":material/construction:")
        else:
            st.caption("There's no curve: this run ended before its first step.")
        if run.active:
            st.skeleton(height=300)


def _picture(run: RunInfo, points: list[dict[str, Any]]) -> Shown:
    _progress(run)
    measured = [point for point in points if point["val_loss"] is not None]
    references = _references(run)
    shown = curves.thin(points)
    halves = st.grid(2, min_column_width=400, gap="medium", key="studio-halves")
    left, right = halves.cell(), halves.cell()
    with left:
        chart = st.container()
        # The example is over: what happened is in its beginning. A running curve should move evenly.
        log_steps = controls.toggle(
            "example.log" if run.id == example.ID else "log",
            "Open up the beginning",
            run.id == example.ID,
            help="Each doubling of the steps gets the same room (a logarithmic axis).",
        )
        spec = curves.loss_curves(
            shown,
            references,
            n_step=run.n_step,
            y_title=depth.measured("loss", "nats per token"),
            mode=color_mode(),
            log_steps=log_steps,
        )
        chart.vega_lite_chart(spec, key="studio-loss", alt=_in_words(run, points[-1], references))
    with right:
        _numbers(run, points[-1], measured[-1] if measured else None)
        _writing(run)
        st.caption(f"**How hard each step pulls**{' (gradient norm)' if depth.at_least('numbers') else ''}")
        norms = curves.gradient_norms(shown, n_step=run.n_step, mode=color_mode())
        st.vega_lite_chart(norms, key="studio-norm", alt="Gradient norm by step, on a logarithmic scale.")
    if run.active:
        _attention(run)  # afterwards the film shows it
    else:
        _ways_on(run)
    corpus = title_of(str(run.recipe.get("corpus", "")))
    st.caption(
        f"{escape_markdown(in_words(run.recipe, corpus, by_what=depth.at_least('numbers')))} · seed {run.seed}. "
        "The **validation loss** is measured on the last tenth of the text, which the model never learns from. "
        f"Guessing blindly gives every token the same chance. {_ASKED[fills_gaps(run.recipe)]}"
    )
    return Shown(numbers=lambda: _table(points), figure=spec)


_ASKED = {
    False: "Counting triples looks at the last two tokens and what followed them in the text, and is measured on the "
    "same tenth.",
    True: "The loss counts only the tokens that the model is asked for, 15 in 100: most are hidden, some replaced, "
    "some left as they were.",
}


def _progress(run: RunInfo) -> None:
    parts = [f"Step {run.step:,} of {run.n_step:,}"]
    left = seconds_left(run)
    if run.seconds:
        parts.append(f"{duration(run.seconds)} of training")
    if run.tokens_per_second:
        parts.append(f"{run.tokens_per_second:,.0f} tokens per second")
    if run.state == "running" and left is not None:
        parts.append(f"about {duration(left)} left")
    st.progress(min(1.0, run.step / max(1, run.n_step)), text=" · ".join(parts))


def _numbers(run: RunInfo, last: dict[str, Any], measured: dict[str, Any] | None) -> None:
    unit = nats_per(str(run.recipe.get("tokenizer", "char")))
    with st.container(horizontal=True, gap="large", key="studio-numbers"):
        _metric("Training loss", f"{last['loss']:.3f}", f"In {unit}, on what it is learning from right now.")
        _metric(
            "Validation loss",
            "–" if measured is None else f"{measured['val_loss']:.3f}",
            f"In {unit}, on the last tenth of the text, which it never learns from: during training on the same few "
            "pieces of it, at the end on all of it. The other rooms quote that last value.",
        )


def _metric(label: str, value: str, help: str) -> None:
    st.metric(label, value, help=help, width="content")


def _references(run: RunInfo) -> list[curves.Reference]:
    """What a blind guess costs, and what counting triples reaches; the second only once the run is on its way."""
    recipe = run.recipe
    asked: tuple[str, str, int | None] = (
        str(recipe.get("corpus")),
        str(recipe.get("tokenizer")),
        recipe.get("tokenizer_vocab"),
    )
    try:
        vocab_size, _ = count_tokens(*asked, fills_gaps(recipe))
    except Exception as error:  # the text may be gone: the run can still be looked at
        report(error)
        return []
    blind = math.log(vocab_size)
    how = f"ln {vocab_size:,} = " if depth.at_least("formula") else ""
    found = [curves.Reference(blind, f"guessing blindly: {how}{blind:.2f}")]
    if run.step > 1 and not fills_gaps(recipe):
        loss = counting_loss(*asked, int(recipe.get("model", {}).get("context_length", 64)))
        if loss is not None:
            found.append(curves.Reference(loss, f"counting triples (3-gram): {loss:.2f}"))
    return found


def _writing(run: RunInfo) -> None:
    if fills_gaps(run.recipe):
        st.caption("**What it puts into gaps now**", help="Each ⟨word⟩ was hidden; this is its best guess.")
    else:
        help = "It's given the first tokens; the rest is drawn from its own predictions."
        st.caption("**What it writes now**", help=help)
    with st.container(height=150, border=False, key="studio-sample"):
        st.code(run.sample or "…", language=None, wrap_lines=True)


def _attention(run: RunInfo) -> None:
    frame = latest_frame(run)
    if frame is None or not frame["attention"].size:  # a recurrent net has no attention
        return
    st.caption(
        f"**Who reads from whom**, after {frame['step']:,} steps. Each square is one attention head on a sentence that "
        "the model never learns from. A row is a token that reads; the marks show where it looks back to."
    )
    widgets.head_grid(
        frame["attention"],
        tokens=frame["tokens"],
        key=f"studio-heads-{run.id}",
        label=f"All heads at step {frame['step']:,}",
    )


def _ways_on(run: RunInfo) -> None:
    is_recurrent = run.recipe.get("model", {}).get("kind") == "rnn"
    with st.container(horizontal=True, gap="medium"):
        to = {"model": example.MODEL if run.id == example.ID else run.id}
        st.page_link(
            "pages/before/recurrent.py" if is_recurrent else "pages/attention/heads.py",
            label="Look at its gates and states" if is_recurrent else "Look at its attention heads",
            icon=":material/autorenew:" if is_recurrent else ":material/grid_view:",
            query_params=to,
        )
        if not fills_gaps(run.recipe):
            st.page_link(
                "pages/generate/next_token.py",
                label="Sample from it",
                icon=":material/text_select_start:",
                query_params=to,
            )


def _table(points: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = ("step", "loss", "val_loss", "grad_norm", "learning_rate")
    return {name: [point[name] for point in points] for name in names}


def _in_words(run: RunInfo, last: dict[str, Any], references: list[curves.Reference]) -> str:
    lines = "; ".join(one.label for one in references)
    return f"Loss by step. At step {last['step']:,} of {run.n_step:,} it is {last['loss']:.2f} nats per token. {lines}."
