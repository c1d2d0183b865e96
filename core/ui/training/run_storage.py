"""The store of runs that all pages share, and this server's data folder."""

import os
from functools import lru_cache
from pathlib import Path

import streamlit as st

from core.data.files import data_dir
from core.jobs.sweeps.sweep_store import SweepStore
from core.ui.server.identity.visitor import visitor_address_digest


def run_store() -> SweepStore:
    """Return the store of this machine's runs and sweeps."""
    return _store(data_folder())


def data_folder() -> str:
    """Return the data folder, cached so that it isn't created at every rerun."""
    return _data_folder(os.environ.get("GLASSFORMER_DATA"))


def is_training_off() -> bool:
    """Return whether the operator of this server has switched training off."""
    return os.environ.get("GLASSFORMER_TRAINING", "on") == "off"


@st.cache_resource(max_entries=4, show_spinner=False)
def _store(folder: str) -> SweepStore:
    return SweepStore(Path(folder) / "runs", sender=visitor_address_digest)


@lru_cache(maxsize=8)
def _data_folder(chosen: str | None) -> str:
    return str(data_dir())
