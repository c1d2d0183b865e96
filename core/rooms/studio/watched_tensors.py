"""The tensors that the studio watches: presets, the default of a new run, and the available tensors."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.exhibit import text_input
from core.jobs.runs import RunInfo
from core.rooms.studio import facts, recorded_example as example
from core.train.watch.tensor_summary import EMPTY, LEVELS, N_BIN, TensorSummary, WatchFrame
from core.train.watch.watched_tensor_patterns import (
    WatchableTensors,
    WatchedTensor,
    WatchQueryRefused,
    find_tensors_by_query,
    match_available_tensors,
    parse_tensor_query,
)
from core.ui.controls import controls
from core.ui.frame.errors import log_fault
from core.ui.training.run_storage import data_folder, run_store

LABELS = module_labels(__name__)

WATCH_FIELD = text_input("", name="watch")  # that of `watch.Inputs`, which imports this module
MEASURES: Mapping[str, str] = {
    "norm": LABELS["watched_measure.norm"],
    "deviation": LABELS["watched_measure.deviation"],
    "ratio": LABELS["watched_measure.ratio"],
    "silent": LABELS["watched_measure.silent"],
}


@dataclass(frozen=True)
class WatchPreset:
    """Patterns that belong together, some of them for each kind of model, with the best view of them."""

    title: str
    query: str
    view: str
    measure: str = "norm"


WATCH_PRESETS = (
    WatchPreset(LABELS["preset.attention"], "*.attn.weights, *.self_attn.weights, *.cross_attn.weights", "map"),
    WatchPreset(LABELS["preset.gates"], "blocks.*.[rzifogch]", "map"),
    WatchPreset(LABELS["preset.gradients"], "grad:*.w_o, grad:*.w_out, grad:*.weight_hh", "time"),
    WatchPreset(
        LABELS["preset.updates"],
        "update:*.w_q, update:*.w_o, update:*.w_in, update:*.w_out, update:*.weight_?h",
        "time",
        "ratio",
    ),
    WatchPreset(LABELS["preset.silent"], "*.mlp.act", "time", "silent"),
)
DEFAULT_QUERY = WATCH_PRESETS[3].query
EXAMPLE_QUERY = "blocks.*.attn.weights"  # a new run starts with a more informative default


def fitting_patterns(query: str, tensors: WatchableTensors) -> str:
    """Return the patterns of a query that match a tensor of the model."""
    return ", ".join(str(one) for one in parse_tensor_query(query) if match_available_tensors(str(one), tensors))


def fitting_presets(tensors: WatchableTensors) -> list[WatchPreset]:
    """Return the presets that fit a model."""
    found = ((one, fitting_patterns(one.query, tensors)) for one in WATCH_PRESETS)
    return [
        WatchPreset(one.title, query, one.view, one.measure)
        for one, query in found
        if query and _is_fine(query, tensors)
    ]


def _is_fine(query: str, tensors: WatchableTensors) -> bool:
    try:
        return bool(find_tensors_by_query(query, tensors))
    except WatchQueryRefused:
        return False


def initial_query(recipe: Mapping[str, object]) -> str:
    """Return the query of a new run: the one in the field, or else the relative size of each weight update."""
    tensors = recipe_tensors(recipe)
    if tensors is None:
        return ""
    asked = controls.current_value(WATCH_FIELD, "")
    if isinstance(asked, str) and asked not in ("", EXAMPLE_QUERY) and _is_fine(asked, tensors):
        return asked
    return fitting_patterns(DEFAULT_QUERY, tensors)


def recipe_tensors(recipe: Mapping[str, object]) -> WatchableTensors | None:
    """Return the tensors that a model of this recipe has; None if that is unknown."""
    n_vocab = facts.vocabulary_size(recipe)
    return None if n_vocab is None else _tensors(json.dumps(recipe, sort_keys=True), n_vocab)


@st.cache_data(max_entries=64, show_spinner=False)
def _tensors(recipe: str, n_vocab: int) -> WatchableTensors | None:
    from core.train.recipes import Recipe
    from core.train.watch import watcher

    try:
        return watcher.watchable_tensors(Recipe.from_dict(json.loads(recipe)), n_vocab)
    except Exception as error:  # its names come with its first frame
        log_fault(error)
        return None


@dataclass(frozen=True, eq=False)
class TensorSeries:
    """One tensor over a run; nan, or the level for an empty cell, where it was not watched."""

    last: TensorSummary  # the last recording
    numbers: Mapping[str, NDArray[np.float32]]  # (N,) by name: norm, deviation, ratio, silent, mean, low, high, limit
    map: NDArray[np.uint8]  # (N, M, R, C) levels
    histogram: NDArray[np.float16]  # (N, 41) shares

    @property
    def values(self) -> NDArray[np.float64]:
        """(N, M, R, C) the numbers of its maps."""
        middle = LEVELS / 2 if self.last.is_signed else 0
        limits = self.numbers["limit"].astype(float)[:, None, None, None]
        return np.where(self.map == EMPTY, np.nan, (self.map - middle) / (LEVELS - middle) * limits)


STATISTICS = ("norm", "deviation", "ratio", "silent", "mean", "low", "high", "limit")


def watched_series(run: RunInfo, query: str) -> tuple[list[int], dict[str, TensorSeries]]:
    """Return the steps at which a run was watched, and each tensor that was ever watched, by its name.

    The example has no recordings, so its tensors are computed at its end.
    """
    if run.id == example.EXAMPLE_ID:
        return _of_example(query)
    n = run_store().n_watched(run.id)
    return _kept(data_folder(), run.id, n, run.state) if n else ([], {})


@st.cache_data(max_entries=8, show_spinner=False)
def _of_example(query: str) -> tuple[list[int], dict[str, TensorSeries]]:
    return _by_tensor([example.example_tensors(query)])


@st.cache_data(max_entries=8, show_spinner=False)
def _kept(folder: str, run_id: str, n: int, state: str) -> tuple[list[int], dict[str, TensorSeries]]:
    moments = []
    for data in run_store().watched(run_id):
        try:
            moments.append(WatchFrame.from_bytes(data))
        except ValueError as error:
            log_fault(error)
    return _by_tensor(moments)


def _by_tensor(moments: list[WatchFrame]) -> tuple[list[int], dict[str, TensorSeries]]:
    by_name: dict[str, list[TensorSummary | None]] = {}
    for at, moment in enumerate(moments):
        for one in moment.tensors:
            by_name.setdefault(one.name, [None] * len(moments))[at] = one
    return [one.step for one in moments], {name: _series(row) for name, row in by_name.items()}


def _series(row: list[TensorSummary | None]) -> TensorSeries:
    last = next(one for one in reversed(row) if one is not None)
    # A tensor that is sometimes negative counts as signed in every frame, so that its levels have one meaning.
    is_signed = any(one.is_signed for one in row if one is not None)
    shape = last.map.shape
    maps = np.full((len(row), *shape), EMPTY, np.uint8)
    bins = np.zeros((len(row), N_BIN), np.float16)
    numbers = {name: np.full(len(row), np.nan, np.float32) for name in STATISTICS}
    for n, one in enumerate(row):
        if one is None:
            continue
        for name in STATISTICS:
            value = getattr(one, name)
            numbers[name][n] = np.nan if value is None else value
        bins[n] = one.histogram / 65_535
        if one.map.shape == shape:  # otherwise it was watched together with more or fewer others
            maps[n] = one.map if one.is_signed == is_signed else _as_signed(one.map)
    return TensorSeries(_signed(last, is_signed), numbers, maps, bins)


def _as_signed(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.where(levels == EMPTY, EMPTY, LEVELS // 2 + np.rint(levels / 2)).astype(np.uint8)


def _signed(one: TensorSummary, is_signed: bool) -> TensorSummary:
    return one if one.is_signed == is_signed else replace(one, is_signed=is_signed, map=_as_signed(one.map))


def matching_tensors(query: str, names: Mapping[str, TensorSeries]) -> list[str]:
    """Return the recorded tensors that match a query, in its order."""
    try:
        patterns = parse_tensor_query(query)
    except WatchQueryRefused:
        return []
    parts = [(name, name.rpartition(":")) for name in names]
    return list(dict.fromkeys(name for p in patterns for name, (of, _, plain) in parts if of == p.of and p.fits(plain)))


def names_and_shapes(watched: list[WatchedTensor] | tuple[WatchedTensor, ...]) -> str:
    """Return the names and shapes of these tensors as Markdown."""
    most = 3
    rows = [f"`{one}` {' × '.join(map(str, one.shape))}" for one in watched[:most]]
    names = ", ".join(rows)
    return LABELS("n_more", names=names, n=len(watched) - most) if len(watched) > most else names
