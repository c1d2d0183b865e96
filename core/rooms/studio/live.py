"""A run as it happens: the loss falls, the text that the model writes gets better, its heads find their work."""

import math
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import inputs, ui
from core.charts import curves
from core.jobs.runs import RunInfo
from core.rooms.studio import facts
from core.rooms.studio import recorded_example as example
from core.rooms.studio.chosen_run import (
    Chosen,
    ask,
    badge,
    follow,
    is_mine,
    look_at,
    phase_of,
    rebuild,
    say_problem,
    seconds_left,
    start,
)
from core.train.objectives import next_token_loss
from core.train.run import TrainRun
from core.train.snapshots import capture
from core.ui.controls import controls
from core.ui.models.about import nats_per
from core.ui.text import duration, escape_markdown
from core.ui.training import choices
from core.ui.training.runs import store
from core.ui.training.text_facts import title_of

FOLLOWS = True
CURVE = 340  # pixels: what it writes stands whole below
CODE = (TrainRun._update, next_token_loss, capture)


class Inputs(Chosen):
    """The run."""


@dataclass(frozen=True)
class Learning:
    """A run so far.

    Attributes:
        points: in order of steps.
        n_vocab: tokens that the model chooses from; None if the text is gone.
        counting: the loss of a 3-gram, nats per token; None where it does not apply.
    """

    run: RunInfo
    points: list[dict[str, Any]]
    n_vocab: int | None
    counting: float | None

    @property
    def fills_gaps(self) -> bool:
        return choices.fills_gaps(self.run.recipe)

    @property
    def recipe_in_words(self) -> str:
        title = title_of(str(self.run.recipe.get("corpus", "")))
        return choices.in_words(self.run.recipe, title, by_what=ui.at_least("numbers"))

    @property
    def references(self) -> list[curves.Reference]:
        """The lines that its loss is held against."""
        if self.n_vocab is None:
            return []
        blind = math.log(self.n_vocab)
        how = f"ln {self.n_vocab:,} = " if ui.at_least("formula") else ""
        found = [curves.Reference(blind, f"guessing blindly: {how}{blind:.2f}")]
        if self.counting is not None:
            found.append(curves.Reference(self.counting, f"counting triples (3-gram): {self.counting:.2f}"))
        return found

    def table(self) -> dict[str, list[Any]]:
        """One line for each point."""
        names = ("step", "loss", "val_loss", "grad_norm", "learning_rate")
        return {name: [point[name] for point in self.points] for name in names}


def compute(inputs: Inputs) -> Learning:
    """What a run has come to; the counting only once it is on its way."""
    run, counting = inputs.run, None
    n_vocab, recipe = facts.vocabulary_size(run.recipe), run.recipe
    if n_vocab is not None and run.step > 1 and not choices.fills_gaps(recipe):
        cut = str(recipe.get("corpus")), str(recipe.get("tokenizer")), recipe.get("tokenizer_vocab")
        counting = facts.counting_loss(*cut, int(recipe.get("model", {}).get("context_length", 64)))
    return Learning(run, facts.points_of(run), n_vocab, counting)


def draw(result: Learning, inputs: Inputs) -> None:
    """Everything about one run, drawn again a few times a second while it goes on."""
    run = result.run
    follow()
    if (now := phase_of(run)) != inputs.phase and not {now, inputs.phase} <= {"running", "next"}:
        rebuild()  # the page sets whether this is looked at again and again
        follow()
    say_problem()
    _heading(run)
    if run.state == "failed":
        st.error(escape_markdown(run.message or "The training ended unexpectedly."), icon=":material/error:")
    elif run.message:
        st.info(escape_markdown(run.message), icon=":material/info:")
    if result.points:
        _picture(result)
    else:
        _nothing_yet(run)


def _heading(run: RunInfo) -> None:
    key = "studio-heading" if run.active else "studio-over"  # what goes on can be paused on a slide, too
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=key):
        st.markdown(f"**{escape_markdown(run.name)}**", width="content")
        badge(run)
        st.space("stretch")
        if run.id == example.ID:
            st.caption("Trained before. Press Train for your own.", width="content")
        elif run.sweep:
            to = {"sweep": run.sweep}
            st.page_link("pages/train/sweeps.py", label="Its sweep", icon=":material/arrow_back:", query_params=to)
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
            for why in store().cluster().get("refused", ()):
                st.caption(f"The cluster doesn't help: {escape_markdown(why)}.")
        elif run.state == "running":
            st.info("Reading the text and building the model …", icon=":material/construction:")
        else:
            st.caption("There's no curve: this run ended before its first step.")
        if run.active:
            st.skeleton(height=300)


def _picture(result: Learning) -> None:
    run, points = result.run, result.points
    _progress(run)
    shown, mode = curves.thin(points), ui.color_mode()
    place = st.container()
    rail = ui.beside()
    with nullcontext() if rail is None else rail.place_for_a_control():
        # The example is over: what happened is in its beginning. A running curve should move evenly.
        log_steps = controls.ask(
            inputs.toggle(
                "Open up the beginning",
                run.id == example.ID,
                help="Each doubling of the steps gets the same room (a logarithmic axis).",
                name="example.log" if run.id == example.ID else "log",
            )
        )
    y_title = ui.measured("loss", "nats per token")
    spec = curves.loss_curves(
        shown, result.references, n_step=run.n_step, y_title=y_title, mode=mode, log_steps=log_steps, height=CURVE
    )
    lines = "; ".join(one.label for one in result.references)
    last = f"At step {points[-1]['step']:,} of {run.n_step:,} it is {points[-1]['loss']:.2f} nats per token."
    with place:
        ui.chart(spec, key="studio-loss", alt=f"Loss by step. {last} {lines}.")
    _writing(result)
    with ui.reading():
        _numbers(result)
    if ui.at_least("numbers"):
        st.caption("**How hard each step pulls** (gradient norm)")
        norms = curves.gradient_norms(shown, n_step=run.n_step, mode=mode)
        st.vega_lite_chart(norms, key="studio-norm", alt="Gradient norm by step, on a logarithmic scale.")
    if run.active:
        _attention(run)  # afterwards the film shows it
    else:
        _ways_on(result)
    ui.say("about")


def _progress(run: RunInfo) -> None:
    parts = [f"Step {run.step:,} of {run.n_step:,}"]
    left = seconds_left(run)
    if run.seconds:
        parts.append(f"{duration(run.seconds)} of training")
    if run.tokens_per_second:
        parts.append(f"{run.tokens_per_second:,.0f} tokens per second")
    if run.state == "running" and left is not None:
        parts.append(f"about {duration(left)} left")
    if run.state == "finished":
        with st.container(key="studio-over-steps"):
            st.caption(" · ".join(parts))
    else:
        st.progress(min(1.0, run.step / max(1, run.n_step)), text=" · ".join(parts))


def _numbers(result: Learning) -> None:
    unit = nats_per(str(result.run.recipe.get("tokenizer", "char")))
    measured = [point["val_loss"] for point in result.points if point["val_loss"] is not None]
    with st.container(horizontal=True, gap="medium", key="studio-numbers"):
        help = f"In {unit}, on what it is learning from right now."
        st.metric("Training loss", f"{result.points[-1]['loss']:.3f}", help=help, width="content")
        help = (
            f"In {unit}, on the last tenth of the text, which it never learns from: during training on the same few "
            "pieces of it, at the end on all of it. The other rooms quote that last value."
        )
        st.metric("Validation loss", f"{measured[-1]:.3f}" if measured else "–", help=help, width="content")


def _writing(result: Learning) -> None:
    if result.fills_gaps:
        st.caption("**What it puts into gaps now**", help="Each ⟨word⟩ was hidden; this is its best guess.")
    else:
        help = "It's given the first tokens; the rest is drawn from its own predictions."
        st.caption("**What it writes now**", help=help)
    with st.container(height=140, border=False, key="studio-sample"):
        st.code(result.run.sample or "…", language=None, wrap_lines=True)


def _attention(run: RunInfo) -> None:
    frame = facts.latest_frame(run)
    if frame is None or not frame["attention"].size:  # a recurrent net has no attention
        return
    ui.say("heads", step=frame["step"])
    label = f"All heads at step {frame['step']:,}"
    ui.head_grid(frame["attention"], tokens=frame["tokens"], key=f"studio-heads-{run.id}", label=label)


def _ways_on(result: Learning) -> None:
    run = result.run
    is_recurrent = run.recipe.get("model", {}).get("kind") == "rnn"
    with st.container(horizontal=True, gap="medium", key="studio-ways"):
        to = {"model": example.MODEL if run.id == example.ID else run.id}
        st.page_link(
            "pages/before/recurrent.py" if is_recurrent else "pages/attention/heads.py",
            label="Look at its gates and states" if is_recurrent else "Look at its attention heads",
            icon=":material/autorenew:" if is_recurrent else ":material/grid_view:",
            query_params=to,
        )
        if not result.fills_gaps:
            if not is_recurrent:
                st.page_link(
                    "pages/attention/model_map.py",
                    label="See the whole model",
                    icon=":material/map:",
                    query_params=to,
                )
            st.page_link(
                "pages/generate/next_token.py",
                label="Sample from it",
                icon=":material/text_select_start:",
                query_params=to,
            )
