"""The trained models of an experiment's record, as the key of what is computed from them."""

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from core.train.experiments.live import Live
from core.ui.training import live

if TYPE_CHECKING:
    from core.train.experiment import Record

MAX_RESULTS = 64  # of some kilobytes, but each holds on to its record of some hundred


@dataclass(frozen=True)
class Trained:
    """A record that can be the key of a result: two are equal where their weights are.

    Attributes:
        digest: of all trained weights, and of the tokenizer if there is one.
        record: of the experiment.
    """

    digest: str
    record: "Record" = field(compare=False, repr=False)


def trained(shown: Live) -> Trained:
    """The models of what is shown now."""
    digest = hashlib.sha256()
    for name in sorted(name for name in shown.record if name.startswith("model.") or name == "tokenizer"):
        digest.update(name.encode() + shown.record[name].tobytes())
    return Trained(digest.hexdigest(), shown.record)


def latest(name: str) -> Live | None:
    """The training of an experiment as it stands, for an exhibit below it that looks into its models.

    None, after plain words, if there is none. Where the training still goes on, it says how far it is.
    """
    shown = live.current(name)
    if shown is None:
        st.info("There is no trained model yet: its training hasn't been run.")
    elif not shown.is_done:
        st.caption(f"The training isn't finished: the model is shown as of step {shown.step:,} of {shown.n_step:,}.")
    return shown
