"""Set up a sweep: the fixed settings, the varying ones, the search, and one button. Every field has a good default."""

import json
import math
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import streamlit as st

from core import exhibit, ui
from core.data.localization.labels import module_labels
from core.exhibit import multi_select, segmented_control, select
from core.jobs import operating_system
from core.jobs.admission import MAX_SWEEP_RUNS, MAX_SWEEP_SECONDS
from core.jobs.sweeps.halving import halving_cost_fraction, halving_rungs
from core.rooms.sweeps.selected_sweep import SWEEP_PAGE
from core.rooms.sweeps.space import DIVISOR_LABELS, PART_AXES, SWEEP_AXES, SweepRequest, queue_sweep
from core.train.recipes import LIMITS, Recipe
from core.train.tasks import defaults
from core.ui.controls import controls, own_text
from core.ui.frame import errors
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.text_formatting import escape_markdown, format_duration
from core.ui.training.choices_to_recipe import (
    DEFAULT_TEXT,
    OPTIMIZER_LABELS,
    SIZE_LABELS,
    SIZES,
    VOCABULARIES,
    TrainingChoices,
    training_settings_for_corpus,
)
from core.ui.training.cost import estimate_training_cost
from core.ui.training.run_storage import is_training_off, run_store
from core.ui.training.task_choices import find_task_options, is_task, task_labels
from core.ui.training.text_facts import corpus_or_task_title
from core.ui.training.training_run_page import point_to_top

LABELS = module_labels(__name__)

LEAST, MOST = 2, 4  # settings that vary
N_STEP, BATCH = 320, 16
N_PRICED = 40  # runs whose cost is estimated, if there are very many


def _varies(name: str) -> Any:
    return lambda given: name in given.vary


def _values(name: str) -> Any:
    axis = SWEEP_AXES[name]
    return exhibit.text_input(axis.typed, when=_varies(name), label=axis.label)


def _offered(corpus: str) -> dict[str, str]:
    """Return the settings that can vary, with their labels; the many parts only at depth Numbers.

    A task sets the context, and most tasks have a length.
    """
    barred = set() if ui.depth_at_least("numbers") else set(PART_AXES)
    barred |= {"context_length"} if is_task(corpus) else set()
    barred |= set() if "length" in find_task_options(corpus) else {"length"}
    return {name: axis.label for name, axis in SWEEP_AXES.items() if name not in barred}


class SweepSettings(exhibit.Inputs):
    """All settings of a sweep."""

    corpus: str = select(lambda _: own_text.text_choices() | task_labels(), DEFAULT_TEXT)
    size: str = segmented_control({k: v for k, v in SIZE_LABELS.items() if k in SIZES}, "tiny")
    optimizer: str = segmented_control(OPTIMIZER_LABELS, "fast", when=lambda i: not _varies("optimizer")(i))
    steps: int = exhibit.number_input(
        20, LIMITS["n_step"][1],
        lambda i: training_settings_for_corpus(i.corpus).n_step if is_task(i.corpus) else N_STEP,
        step=20, reason=LIMITS["n_step"][2],
    )  # fmt: skip
    seed: int = exhibit.seed()
    vary: tuple[str, ...] = multi_select(lambda i: _offered(i.corpus), ("learning_rate", "d_model"))
    learning_rate_values: str = _values("learning_rate")
    d_model_values: str = _values("d_model")
    n_layer_values: str = _values("n_layer")
    n_head_values: str = _values("n_head")
    context_length_values: str = _values("context_length")
    length_values: str = _values("length")
    kind_values: str = _values("kind")
    batch_size_values: str = _values("batch_size")
    optimizer_values: str = _values("optimizer")
    positions_values: str = _values("positions")
    parts_values: str = _values("parts")
    seed_values: str = _values("seed")
    search: str = segmented_control(
        ("grid", "random"), "grid",
        )  # fmt: skip
    runs: int = exhibit.number_input(
        2, MAX_SWEEP_RUNS, 30, step=1, reason=LABELS["runs.reason"], when=lambda i: i.search == "random"
    )
    stop_early: str = segmented_control(
        {str(n): words for n, words in DIVISOR_LABELS.items()}, "1",
        )  # fmt: skip


_CONTROLS = dict(SweepSettings.controls())
_CONTROLS |= {f"{name}_values": replace(_values(name), name=f"{name}_values") for name in PART_AXES}


def sweep_panel() -> None:
    """Draw the panel, a fragment that reruns alone until the button is pressed."""
    with st.container(border=True, key="sweep-setup"):
        st.subheader(LABELS["new_sweep"])
        st.fragment(_draw)()


@errors.panel_guard()
def _draw() -> None:
    SWEEP_PAGE.follow()
    given = SimpleNamespace()
    columns = st.grid(3, min_column_width=230, gap="medium", key="sweep-columns")
    stays, varies, search = (columns.cell() for _ in range(3))
    with stays:
        st.markdown(LABELS["stays"])
        controls.render_controls(_CONTROLS, given, "corpus")
    with varies:
        st.markdown(LABELS["varies"])
        controls.render_controls(_CONTROLS, given, "vary", *(f"{name}_values" for name in SWEEP_AXES))
    with stays:
        controls.render_controls(_CONTROLS, given, "size", "optimizer", "steps", "seed")
        own_text.own_text_button()
    with search:
        st.markdown(LABELS["searched"])
        controls.render_controls(_CONTROLS, given, "search", "runs", "stop_early")
        try:
            request = _request(given)
            _go(request, _cost(request))
        except ValueError as refusal:
            _button(None)
            st.warning(escape_markdown(refusal), icon=":material/block:")


def _request(given: Any) -> SweepRequest:
    """Build the request. Raises ValueError with a message for the user if the settings do not allow it."""
    if is_training_off():
        raise ValueError(LABELS["off"])
    if not LEAST <= len(given.vary) <= MOST:
        raise ValueError(LABELS("varied", n=len(given.vary)))
    values = {name: SWEEP_AXES[name].read(getattr(given, f"{name}_values")) for name in given.vary}
    n_run = int(given.runs) if given.search == "random" else None
    if (n := math.prod(map(len, values.values()))) > MAX_SWEEP_RUNS and n_run is None:
        raise ValueError(LABELS("too_many", n=n, most=MAX_SWEEP_RUNS))
    size = SIZES[given.size]
    base = TrainingChoices(
        corpus=given.corpus,
        tokenizer=(tokenizer := training_settings_for_corpus(given.corpus).tokenizer),
        vocab=VOCABULARIES.get(tokenizer),
        optimizer=given.optimizer,
        n_step=int(given.steps),
        batch_size=training_settings_for_corpus(given.corpus).batch_size if is_task(given.corpus) else BATCH,
        positions=defaults.POSITIONS if is_task(given.corpus) else TrainingChoices.positions,
        **asdict(size),
    )
    return SweepRequest(base=base, values=values, n_run=n_run, divisor=int(given.stop_early), seed=int(given.seed))


@dataclass(frozen=True)
class SweepCost:
    """The cost of a sweep: rungs (steps and runs of each), vocabulary size, seconds of one core."""

    rungs: list[tuple[int, int]]
    vocab_size: int
    seconds: float


def _identity(request: SweepRequest) -> str:
    return json.dumps([request.about(), request.divisor])


@st.cache_data(max_entries=200, show_spinner=False, hash_funcs={SweepRequest: _identity})
def _cost(request: SweepRequest) -> SweepCost:
    """Estimate the cost. Raises ValueError with a message for the user if the sweep is impossible or too large."""
    runs = request.runs("")
    if len(runs) < 2:
        raise ValueError(LABELS["no_model"])
    costs = [estimate_training_cost(recipe) for recipe, _ in runs[:: math.ceil(len(runs) / N_PRICED)]]
    if refused := next((cost.refused for cost in costs if cost.refused), None):
        raise ValueError(refused)
    levels = halving_rungs(request.base.n_step, Recipe.from_dict(runs[0][0]).eval_every, len(runs), request.divisor)
    seconds = fmean(cost.seconds for cost in costs) * len(runs) * halving_cost_fraction(levels)
    return SweepCost(levels, costs[0].vocab_size, seconds)


def _go(request: SweepRequest, cost: SweepCost) -> None:
    too_long = cost.seconds > MAX_SWEEP_SECONDS
    _button(None if too_long else request, cost.vocab_size)
    slots = run_store().cluster().get("n_slot") or max(1, operating_system.n_slot() - 1)
    place = "cluster" if run_store().cluster().get("n_slot") else "here"
    st.caption(LABELS(place, time=format_duration(cost.seconds / slots), n=slots), text_alignment="center")
    if too_long:
        hours = MAX_SWEEP_SECONDS // 3600
        st.warning(LABELS("too_long", hours=hours))
    if len(cost.rungs) > 1:
        (first, n_first), *others = cost.rungs
        rest = ", ".join(LABELS("rung", n=n, steps=steps) for steps, n in others)
        st.caption(LABELS("halving", n_first=n_first, first=first, rest=rest))
    if request.n_impossible:
        key = "left_out_by_length" if "length" in request.values else "left_out"
        st.caption(LABELS(key, n=request.n_impossible))


def _button(request: SweepRequest | None, vocab_size: int = 0) -> None:
    st.button(
        LABELS["start"] if request is None else LABELS("start_runs", n=len(request.points)),
        icon=":material/play_arrow:",
        type="secondary" if request is None else "primary",  # a disabled primary button is unreadable
        width="stretch",
        key="sweep-start",
        disabled=request is None,
        on_click=_start,
        args=(request, vocab_size),
    )


def _start(request: SweepRequest | None, vocab_size: int) -> None:
    if request is None:
        return
    title, wish = corpus_or_task_title(request.base.corpus), _identity(request)
    if SWEEP_PAGE.create(wish, lambda: queue_sweep(run_store(), owner_id(), request, title, vocab_size)):
        point_to_top()
    else:
        SWEEP_PAGE.redraw()
