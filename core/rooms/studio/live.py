"""A run as it happens: the loss falls, the generated text improves, and the heads specialize."""

import math
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import streamlit as st

from core import exhibit, ui
from core.charts.curves import curves
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.inspect.model_inputs.model_key import READER_KINDS, WRITER_KINDS
from core.jobs.runs import RunInfo
from core.rooms.studio import facts, recorded_example as example
from core.rooms.studio.selected_run import (
    RUN_PAGE,
    SelectedRun,
    draw_badge,
    is_mine,
    phase_of,
    run_seconds_left,
    start_run,
)
from core.train.curve_point import CurvePoint
from core.train.objectives import next_token_loss
from core.train.run import TrainRun
from core.train.tasks.answer_objective import answer_format_of_model_kind
from core.train.tasks.defaults import WINDOW
from core.train.watch.behavior_snapshots import capture_frame
from core.ui.controls import controls
from core.ui.models.model_description import loss_unit
from core.ui.models.model_folders import find_run
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.text_formatting import escape_markdown, format_duration
from core.ui.training import choices_to_recipe
from core.ui.training.run_storage import run_store
from core.ui.training.task_choices import is_task
from core.ui.training.text_facts import corpus_or_task_title

LABELS = module_labels(__name__)

FOLLOWS = True
CURVE_HEIGHT = 340  # pixels: leaves room for the whole sample below
SHARES, BELOW_SHARES = 165, 225  # of a task: the accuracy, and the loss below it
CODE = (TrainRun._update, next_token_loss, capture_frame)


class Inputs(SelectedRun):
    """The run."""


class RunProgress(Result):
    """A run so far."""

    run: RunInfo
    points: list[CurvePoint]  # in order of steps
    n_vocab: int | None  # vocabulary size; None if the text is gone
    counting: float | None  # loss of a 3-gram, nats per token; None if it does not apply
    task: facts.TaskFacts | None  # baselines of a task; None for a text
    right_share: float | None  # of the held-out questions, at the last evaluation
    fills_gaps: bool
    fills_spans: bool
    n_window: int  # tokens of a text that an encoder-decoder gets at once
    holds_back: bool  # True if the training loss is measured under harder conditions than the validation loss

    @property
    def recipe_in_words(self) -> str:
        title = corpus_or_task_title(str(self.run.recipe.get("corpus", "")))
        return choices_to_recipe.recipe_in_words(self.run.recipe, title, by_what=ui.depth_at_least("numbers"))

    @property
    def references(self) -> dict[str, float]:
        """The baselines in the chart of its loss."""
        if self.n_vocab is None:
            return {}
        blind = math.log(self.n_vocab)
        key = "blind_logarithm" if ui.depth_at_least("numbers") else "blind"
        found = {LABELS(key, n_vocab=self.n_vocab, loss=blind): blind}
        if self.counting is not None:
            found[LABELS("counting", loss=self.counting)] = self.counting
        if self.task is not None and self.task.exact:
            found[LABELS("grammar", loss=self.task.exact)] = self.task.exact
        return found

    def table(self) -> Table:
        """Return one row per point."""
        names = [name for name in CurvePoint._fields if self.task or name != "right_share"]
        titles = LABELS.options("column")
        return {titles.get(name, name): [getattr(point, name) for point in self.points] for name in names}


def compute(inputs: Inputs) -> RunProgress:
    """Collect the state of a run; the 3-gram is only counted once the run has started."""
    run, counting = inputs.run, None
    recipe, points = run.recipe, facts.points_of(run)
    n_vocab, task = facts.vocabulary_size(recipe), facts.task_facts(recipe)
    fills_gaps, fills_spans = choices_to_recipe.fills_gaps(recipe), choices_to_recipe.fills_spans(recipe)
    if n_vocab is not None and run.step > 1 and task is None and not (fills_gaps or fills_spans):
        cut = str(recipe.get("corpus")), str(recipe.get("tokenizer")), recipe.get("tokenizer_vocab")
        counting = facts.counting_loss(*cut, int(recipe.get("model", {}).get("context_length", 64)))
    return RunProgress(
        run=run,
        points=points,
        n_vocab=n_vocab,
        counting=counting,
        task=task,
        right_share=next((one.right_share for one in reversed(points) if one.right_share is not None), None),
        fills_gaps=fills_gaps,
        fills_spans=fills_spans,
        n_window=recipe.get("context_length") or WINDOW,
        holds_back=bool(recipe.get("label_smoothing") or recipe.get("dropout")),
    )


def draw(result: RunProgress, inputs: Inputs) -> None:
    """Draw everything about one run; redrawn a few times a second while it is running."""
    run = result.run
    RUN_PAGE.follow()
    if (now := phase_of(run)) != inputs.phase and not {now, inputs.phase} <= {"running", "next"}:
        st.rerun()  # the page sets whether this is polled
    RUN_PAGE.show_problem()
    _heading(run)
    if run.active:
        _cluster()
    if run.state == "failed":
        st.error(escape_markdown(run.message or LABELS["ended"]), icon=":material/error:")
    elif run.message:
        st.info(escape_markdown(run.message), icon=":material/info:")
    if result.points:
        _picture(result)
    else:
        _nothing_yet(run)


def _cluster() -> None:
    """Show the faults of the cluster, if there is one, and the command to fix them; this machine trains meanwhile."""
    state = run_store().cluster()
    for why in state.get("refused", ()):
        words, _, command = why.partition("`")
        typed = f"`{command.replace('`', '')}`" if command else ""
        said = LABELS("fault_command" if typed else "fault", fault=escape_markdown(words), command=typed)
        st.caption(said if state.get("n_slot") else said + " " + LABELS["own_machine"])


def _heading(run: RunInfo) -> None:
    place = (
        st.container if run.active else partial(ui.hidden_on_slides, "run")
    )  # a running one can be paused on a slide, too
    with place(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{escape_markdown(run.name)}**", width="content")
        draw_badge(run)
        st.space("stretch")
        if run.id == example.EXAMPLE_ID:
            st.caption(LABELS["example"], width="content")
        elif run.sweep:
            to = {"sweep": run.sweep}
            st.page_link("pages/train/sweeps.py", label=LABELS["sweep"], icon=":material/arrow_back:", query_params=to)
        elif is_mine(run):
            _buttons(run)
        else:
            st.caption(LABELS["not_yours"], width="content")


def _buttons(run: RunInfo) -> None:
    def button(label: str, icon: str, action: str) -> None:
        request = (run_store().request, run.id, owner_id(), action)
        st.button(label, icon=icon, key=f"studio-{action}", on_click=RUN_PAGE.attempt, args=request)

    if run.active and run.request != "stop":
        if run.request == "pause":
            button(LABELS["go_on"], ":material/play_arrow:", "resume")
        else:
            button(LABELS["pause"], ":material/pause:", "pause")
        button(LABELS["stop"], ":material/stop:", "stop")
    elif run.can_resume:
        button(LABELS["resume"], ":material/play_arrow:", "resume")
        if run.state == "paused":
            button(LABELS["stop"], ":material/stop:", "stop")
    if not run.active:
        st.button(
            LABELS["new_run"],
            icon=":material/add:",
            key="studio-new",
            help=LABELS["new_run.help"],
            on_click=RUN_PAGE.show,
            args=(None,),
        )
        st.button(
            LABELS["reseed"],
            icon=":material/casino:",
            key="studio-reseed",
            help=LABELS["reseed.help"],
            on_click=start_run,
            args=(run.recipe, run.seed + 1, run.name),
        )


def _nothing_yet(run: RunInfo) -> None:
    """Show what a run without points is waiting for. The picture's room is reserved, so that nothing jumps."""
    with st.container(height=420, border=False):
        if run.state == "queued":
            place = run_store().queue_position(run.id) or 1
            st.info(LABELS("next" if place == 1 else "in_line", place=place), icon=":material/hourglass_top:")
        elif run.state == "running":
            st.info(LABELS["reading"], icon=":material/construction:")
        else:
            st.caption(LABELS["no_curve"])
        if run.active:
            st.skeleton(height=300)


def _picture(result: RunProgress) -> None:
    run, points = result.run, result.points
    _progress(run)
    place = st.container()
    rail = ui.current_exhibit_containers()
    with nullcontext() if rail is None else rail.next_control_slot():
        # The example is over, and most of it happens at the beginning. A running curve should move evenly.
        log_steps = controls.render_control(
            exhibit.toggle(
                run.id == example.EXAMPLE_ID,
                help=LABELS["log.help"],
                name="example.log" if run.id == example.EXAMPLE_ID else "log",
                label=LABELS["log"],
            )
        )
    steps, every = ui.Axis(LABELS["step_axis"], is_log=log_steps), [point.step for point in points]
    lines = "; ".join(result.references)
    with place:
        if result.task is not None:
            _right_answers(result, replace(steps, title=""))
        ui.curves(
            {
                LABELS["training"]: (every, [point.loss for point in points]),
                LABELS["validation"]: (every, [point.val_loss for point in points]),
            },
            x=steps,
            y=ui.quantity_label(LABELS["loss"], LABELS["nats"]),
            n_step=run.n_step,
            references=result.references,
            height=CURVE_HEIGHT if result.task is None else BELOW_SHARES,
            alt=LABELS("curve_alt", step=points[-1].step, n_step=run.n_step, loss=points[-1].loss, lines=lines),
        )
    _writing(result)
    with ui.exhibit_text_container():
        _numbers(result)
    if ui.depth_at_least("numbers"):
        with ui.hidden_on_slides("norm"):
            st.caption(LABELS["gradient_norm"])
            norms = {"": (every, [point.grad_norm for point in points])}
            norm = ui.Axis(LABELS["norm_axis"], is_log=True)
            spec = curves(norms, x="", y=norm, n_step=run.n_step, has_dots=False, height=170, mode=ui.color_mode())
            st.vega_lite_chart({**spec, "background": "transparent"}, key="studio-norm", alt=spec["description"])
    if run.active:
        _attention(run)  # afterwards the film shows it
    else:
        _ways_on(result)


def _right_answers(result: RunProgress, steps: ui.Axis) -> None:
    """Draw the accuracy above the loss: the same steps on a different scale."""
    assert result.task is not None
    share = result.task.same
    same = {} if share is None else {LABELS("same_answer", share=share): share}
    asked = [point.step for point in result.points], [point.right_share for point in result.points]
    key = "right_alt" if result.right_share is not None else "none_right_alt"
    ui.curves(
        {"": asked},
        x=steps,
        y=ui.Axis(LABELS["right_axis"], (0, 1), unit="%", ticks=(0, 0.5, 1)),
        n_step=result.run.n_step,
        references=same,
        height=SHARES,
        alt=" ".join([LABELS(key, share=result.right_share), *(f"{label}." for label in same)]),
    )


def _progress(run: RunInfo) -> None:
    parts = [LABELS("progress.step", step=run.step, n_step=run.n_step)]
    left = run_seconds_left(run)
    if run.seconds:
        parts.append(LABELS("progress.training", time=format_duration(run.seconds)))
    if run.tokens_per_second:
        parts.append(LABELS("progress.speed", speed=run.tokens_per_second))
    if run.state == "running" and left is not None:
        parts.append(LABELS("progress.left", time=format_duration(left)))
    if run.state == "finished":
        with ui.hidden_on_slides("steps"):
            st.caption(" · ".join(parts))
    else:
        st.progress(min(1.0, run.step / max(1, run.n_step)), text=" · ".join(parts))


def _numbers(result: RunProgress) -> None:
    unit = loss_unit(str(result.run.recipe.get("tokenizer", "char")))
    measured = [point.val_loss for point in result.points if point.val_loss is not None]
    with st.container(horizontal=True, gap="medium", key="studio-numbers"):
        if result.task is not None:
            share = "–" if result.right_share is None else f"{result.right_share:.0%}"
            help = (
                LABELS("right_questions.help", n_held=result.task.n_held)
                if result.task.same is not None
                else LABELS("right_sentences.help", n_held=result.task.n_held)
            )
            st.metric(LABELS["right"], share, help=help, width="content")
        help = LABELS("training_loss.help", unit=unit)
        st.metric(LABELS["training_loss"], f"{result.points[-1].loss:.3f}", help=help, width="content")
        help = (
            LABELS("validation_loss.help", unit=unit) if result.task is None else LABELS("answers_loss.help", unit=unit)
        )
        st.metric(LABELS["validation_loss"], f"{measured[-1]:.3f}" if measured else "–", help=help, width="content")


def _writing(result: RunProgress) -> None:
    if result.task is not None:
        help = LABELS["answers.help"]
        st.caption(LABELS["answers"], help=help)
    elif result.fills_spans:
        help = LABELS["spans.help"]
        st.caption(LABELS["spans"], help=help)
    elif result.fills_gaps:
        st.caption(LABELS["gaps"], help=LABELS["gaps.help"])
    else:
        help = LABELS["writes.help"]
        st.caption(LABELS["writes"], help=help)
    height = 170 if result.fills_spans else 140 if result.task is None else 150
    with st.container(height=height, border=False, key="studio-sample"):
        st.code(result.run.sample or "…", language=None, wrap_lines=True)


def _attention(run: RunInfo) -> None:
    frame = facts.latest_frame(run)
    if frame is None or not frame["attention"].size:  # a recurrent net has no attention
        return
    is_pair = answer_format_of_model_kind(str(run.recipe.get("model", {}).get("kind"))) == "pair"
    ui.show_text_section("heads", step=frame["step"], is_pair=is_pair, is_task=is_task(str(run.recipe.get("corpus"))))
    label = LABELS("heads_at_step", step=frame["step"])
    n_row, n_column = frame["attention"].shape[2:]  # in an encoder-decoder the last tokens read the first ones
    ui.head_grid(
        frame["attention"],
        tokens=frame["tokens"][-n_row:],
        columns=frame["tokens"][:n_column],
        key=f"studio-heads-{run.id}",
        label=label,
    )


def _ways_on(result: RunProgress) -> None:
    run = result.run
    kind = str(run.recipe.get("model", {}).get("kind", "gpt"))
    is_example = run.id == example.EXAMPLE_ID
    if not is_example and find_run(run.id) is None:  # the rooms would show a different model
        st.caption(LABELS["no_model"])
        return
    to = {"model": example.EXAMPLE_MODEL if is_example else run.id}
    with ui.hidden_on_slides("ways", horizontal=True, gap="medium"):
        for page, label, icon, kinds in _WAYS_ON:
            if kind in kinds:
                st.page_link(page, label=label, icon=icon, query_params=to)


# Page, label, icon, and the kinds of model that it takes; no room takes a recurrent encoder-decoder.
_WAYS_ON = (
    ("pages/before/recurrent.py", LABELS["way.gates"], ":material/autorenew:", ("rnn",)),
    ("pages/attention/heads.py", LABELS["way.heads"], ":material/grid_view:", READER_KINDS),
    ("pages/families/pretrained.py", LABELS["way.text"], ":material/edit_note:", ("t5", "transformer")),
    ("pages/attention/model_map.py", LABELS["way.map"], ":material/map:", ("gpt",)),
    ("pages/generate/next_token.py", LABELS["way.sample"], ":material/text_select_start:", WRITER_KINDS),
)
