"""Any tensor of a run, by name, as it trains: maps, histograms, or one statistic of each over the steps."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Column, NothingToShow, Result, Table, ViewChoice, segmented_control, select, text_input
from core.jobs.runs import RunInfo, RunNotFound
from core.rooms.studio import facts, recorded_example as example, watched_tensors
from core.rooms.studio.selected_run import SelectedRun, is_mine
from core.rooms.studio.watched_tensors import MEASURES, STATISTICS, TensorSeries, WatchPreset
from core.train.watch.watched_tensor_patterns import MOST_CHARACTERS, WatchQueryRefused, find_tensors_by_query
from core.train.watch.watcher import Watcher
from core.ui.controls import controls
from core.ui.text_formatting import escape_markdown
from core.ui.training.run_storage import run_store

LABELS = module_labels(__name__)

FOLLOWS = True
CODE = (find_tensors_by_query, Watcher.advance, Watcher.take)
VIEWS = {
    "time": LABELS["watched_as.time"],
    "map": LABELS["watched_as.map"],
    "histogram": LABELS["watched_as.histogram"],
}
_MEASURE_WORDS = {
    **MEASURES,
    "mean": LABELS["measure.mean"],
    "deviation": LABELS["measure.deviation"],
    "low": LABELS["measure.low"],
    "high": LABELS["measure.high"],
}
_EACH = {
    "weights": LABELS["each.head"],
    "scores": LABELS["each.head"],
    "q": LABELS["each.head"],
    "k": LABELS["each.head"],
    "v": LABELS["each.head"],
    "heads": LABELS["each.head"],
    "gate": LABELS["each.head"],
}


def _begun(given: "Inputs") -> str:
    """Return the tensors that the run already watches; for the example, which only has its end, attention weights."""
    if given.run_id == example.EXAMPLE_ID:
        return watched_tensors.EXAMPLE_QUERY
    try:
        run = SelectedRun(run_id=given.run_id).run
    except NothingToShow:
        return watched_tensors.DEFAULT_QUERY
    if run.watch:
        return run.watch
    tensors = watched_tensors.recipe_tensors(run.recipe)
    return (
        watched_tensors.DEFAULT_QUERY
        if tensors is None
        else watched_tensors.fitting_patterns(watched_tensors.DEFAULT_QUERY, tensors)
    )


def _view(given: "Inputs") -> str:
    return "map" if given.run_id == example.EXAMPLE_ID else "time"


def _measure(given: "Inputs") -> str:
    return "ratio" if given.watch.startswith("update:") else "norm"


class Inputs(SelectedRun):
    """The run, and the tensors to show."""

    watch: str = text_input(
        _begun,
        max_chars=MOST_CHARACTERS,
        notes=lambda name, query, given: _say_what_fits(query, given),
    )
    watched_as: str = segmented_control(VIEWS, _view, view=ViewChoice())
    watched_measure: str = select(
        MEASURES,
        _measure,
        view=ViewChoice(),
    )


class WatchResult(Result):
    """The requested tensors, as recorded."""

    run: RunInfo
    steps: list[int]  # (N,)
    series: Mapping[str, TensorSeries]  # of those, or of all recorded ones if none of them was recorded
    fits: bool  # True if some of the requested ones were recorded
    has_updates: bool
    tokens: tuple[str, ...]  # of the probe sentence

    def table(self) -> Table:
        """Return one row per tensor and step."""
        rows = [(name, n) for n in range(len(self.steps)) for name in self.series]
        told: dict[str, Column] = {
            LABELS["table.step"]: [self.steps[n] for _, n in rows],
            LABELS["table.tensor"]: [name for name, _ in rows],
        }
        names = LABELS.options("number", "norm", "mean", "deviation", "low", "high", "ratio", "silent")
        for number, title in names.items():
            told[title] = [float(self.series[name].numbers[number][n]) for name, n in rows]
        return told

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the steps, and the numbers of each tensor's maps."""
        return {"step": np.array(self.steps)} | {name: one.values for name, one in self.series.items()}


def compute(inputs: Inputs) -> WatchResult:
    """Collect the tensors watched in a run so far."""
    run = inputs.run
    steps, kept = watched_tensors.watched_series(run, inputs.watch)
    names = watched_tensors.matching_tensors(inputs.watch, kept)
    frame = facts.latest_frame(run)
    tokens = () if frame is None else tuple(frame["tokens"])
    series = {name: kept[name] for name in names or kept}
    has_updates = any(name.startswith("update:") for name in series)
    return WatchResult(run=run, steps=steps, series=series, fits=bool(names), has_updates=has_updates, tokens=tokens)


def draw(result: WatchResult, inputs: Inputs) -> None:
    _ask_for(result.run, inputs.watch)
    if result.series:
        _picture(result, inputs)


def _picture(result: WatchResult, inputs: Inputs) -> None:
    """Draw what was watched, to play, step and scrub: `assets/widgets/studio/watch.js`."""
    rows, steps = list(result.series.values()), result.steps
    starts = np.cumsum([0, *(one.map.size for one in rows)])
    tensors = [
        _about(name, one, int(at), result.tokens)
        for (name, one), at in zip(result.series.items(), starts, strict=False)
    ]
    numbers: dict[str, Any] = {name: np.stack([one.numbers[name] for one in rows], 1) for name in STATISTICS}  # (N, K)
    ui.mount_widget(
        "watch",
        key=f"studio-watch-{inputs.run_id}",
        height=420,
        is_compressed=True,
        levels=np.concatenate([one.map.ravel() for one in rows]),
        histogram=np.stack([one.histogram for one in rows], 1),  # (N, K, 41)
        **numbers,
        steps=[int(step) for step in steps],
        tensors=tensors,
        tokens=list(result.tokens),
        view=inputs.watched_as,
        measure=inputs.watched_measure,
        measures=_MEASURE_WORDS,
        together=inputs.run_id,
        label=LABELS["watched"],
        takeaway=LABELS(
            "one_tensor" if len(rows) == 1 else "several_tensors",
            n_tensor=len(rows),
            n=len(steps),
            first=steps[0],
            last=steps[-1],
        ),
    )


def _about(name: str, one: TensorSeries, at: int, tokens: Sequence[str]) -> dict[str, object]:
    last, plain = one.last, name.rpartition(":")[2].rpartition(".")[2]
    is_attention = name.endswith(".weights") and ":" not in name
    low, high = one.numbers["low"], one.numbers["high"]
    known = np.flatnonzero(np.isfinite(low))
    limits = one.numbers["limit"]
    most = 1.0 if is_attention else float(np.nanmax(limits, initial=0)) or 1.0
    square = last.shape[-2:] == (len(tokens), len(tokens))
    return {
        "name": name,
        "at": at,
        "maps": list(last.map.shape),
        "stride": list(last.stride),
        "signed": last.is_signed,
        "most": most,
        "shrinks": ":" in name,
        "each": _EACH.get(plain, LABELS["each.part"]),
        "tokens": bool(is_attention and square and len(tokens)),
        "range": [float(low[known].min()), float(high[known].max())] if len(known) else [0.0, 1.0],
        "first": int(known[0]) if len(known) else 0,
        "note": _note(one),
    }


def _note(one: TensorSeries) -> str:
    """Name the part of a tensor that its map shows."""
    _, row, column = one.last.stride
    n_map = math.prod(one.last.shape[:-2])
    parts = []
    if row > 1 and column > 1:
        parts.append(LABELS("every_row_and_column", row=_ordinal(row), column=_ordinal(column)))
    elif row > 1:
        parts.append(LABELS("every_row", row=_ordinal(row)))
    elif column > 1:
        parts.append(LABELS("every_column", column=_ordinal(column)))
    if n_map > one.last.map.shape[0]:
        parts.append(LABELS("first_maps", n_shown=one.last.map.shape[0], n_map=n_map))
    return ", ".join(parts)


def _ordinal(n: int) -> str:
    """Return "2nd" for 2."""
    keys = {1: "ordinal.1", 2: "ordinal.2", 3: "ordinal.3"}
    return LABELS(keys.get(n % 10 if n % 100 not in (11, 12, 13) else 0, "ordinal.other"), n=n)


def _ask_for(run: RunInfo, query: str) -> None:
    """Make one's own run record the requested tensors from its next frame on."""
    if run.id == example.EXAMPLE_ID or not run.active or not is_mine(run) or query == run.watch:
        return
    tensors = watched_tensors.recipe_tensors(run.recipe)
    try:
        if tensors is not None and find_tensors_by_query(query, tensors):
            run_store().watch(run.id, run.owner, query)
    except (WatchQueryRefused, RunNotFound):
        return  # the field shows the reason


def _say_what_fits(query: str, given: Inputs) -> None:
    """Show which tensors of the run these are, and common alternatives."""
    try:
        tensors = watched_tensors.recipe_tensors(SelectedRun(run_id=given.run_id).run.recipe)
    except NothingToShow:
        return
    if tensors is None:
        return
    try:
        found = find_tensors_by_query(query, tensors)
    except WatchQueryRefused as refused:
        st.warning(escape_markdown(refused), icon=":material/info:")
        found = ()
    if found:
        key = "found_names" if ui.depth_at_least("numbers") else "found"
        st.caption(LABELS(key, n=len(found), names=watched_tensors.names_and_shapes(found)))
    with st.container(horizontal=True, gap="xsmall", key="watch-presets"):
        for n, preset in enumerate(watched_tensors.fitting_presets(tensors)):
            controls.control_button(
                preset.title, Inputs.control("watch"), key=f"watch-preset-{n}", on_click=_take, args=(preset,)
            )


def _take(preset: WatchPreset) -> None:
    moved = {"watch": preset.query, "watched_as": preset.view, "watched_measure": preset.measure}
    for field, value in moved.items():
        controls.set_control(Inputs.control(field), value)
