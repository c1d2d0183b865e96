"""Timings of a layer on this machine while a visitor waits: a progress bar, and one measurement at a time."""

import time
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from filelock import FileLock, Timeout

from core.data.localization.labels import module_labels
from core.inspect.costs import layer_cost as costs
from core.inspect.costs.layer_cost import LayerTiming
from core.ui.training.run_storage import data_folder

LABELS = module_labels(__name__)

TIMING_SECONDS = 4.0  # for one measurement, because a visitor waits and others share the machine


def _one_at_a_time() -> FileLock:
    """Return a lock across processes, because two simultaneous measurements would disturb each other."""
    return FileLock(Path(data_folder()) / "measuring.lock")


def time_layer_with_bar(d_model: int, n_head: int, lengths: Sequence[int], *, whole_block: bool) -> list[LayerTiming]:
    """Time forward passes at these lengths for `TIMING_SECONDS`, with a progress bar; return nothing if others measure.

    Args:
        d_model, n_head, lengths, whole_block: see `core.inspect.costs.layer_cost.time_layer_by_length`.
    """
    try:
        with _one_at_a_time().acquire(timeout=2 * TIMING_SECONDS):
            bar, begun = st.progress(0.0, LABELS["measuring"]), time.perf_counter()
            found: list[LayerTiming] = []
            for found in costs.time_layer_by_length(
                d_model, n_head, lengths, whole_block=whole_block, seconds=TIMING_SECONDS
            ):
                share = min(1.0, (time.perf_counter() - begun) / TIMING_SECONDS)
                bar.progress(share, LABELS("round", round=found[0].n_repeat, n=len(found)))
            bar.empty()
            return found
    except Timeout:
        st.info(LABELS["others_measure"])
        return []
