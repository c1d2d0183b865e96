"""What the exhibits of the room share: the trained model of either task, and a text of the learner's own for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.data.synthetic import reversal
from core.models.seq2seq import Seq2Seq
from core.rooms.seq2seq.compute import dates
from core.rooms.seq2seq.compute.alignment import Alignment, align
from core.rooms.seq2seq.experiments import bottleneck
from core.rooms.seq2seq.experiments import dates as date_task
from core.train.experiment import rebuild
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.models.own_words import tell_letters
from core.ui.training import live

TASKS = {"reversal": "a string backwards", "dates": "a date"}
TRAINED_IN = {"reversal": "The bottleneck race", "dates": "Dates, a small translation"}
VARIANTS = bottleneck.NAMES
MOST = 40  # tokens of a source


@dataclass(frozen=True)
class Task:
    """How texts of one task become tokens and back.

    Attributes:
        live: the experiment that trains it.
        start_id, end_id: of the target.
        encode, decode, tokens: text to ids; target ids to text, and to labels.
        truth: the right answer to a text; None where there is none.
        default: a text to begin with.
        signs: of the source, in the order of their ids.
        named: the signs, in words.
        offered: texts that it can read.
    """

    live: str
    start_id: int
    end_id: int
    encode: Callable[[str], list[int]]
    decode: Callable[[Sequence[int]], str]
    tokens: Callable[[Sequence[int]], list[str]]
    truth: Callable[[str], str | None]
    default: str
    signs: str
    named: str
    offered: tuple[str, ...]


HOW = MappingProxyType(
    {
        "reversal": Task(
            "bottleneck", reversal.START, reversal.END, reversal.encode, reversal.decode, reversal.tokens,
            lambda text: reversal.decode(reversal.encode(text)[::-1]), "attention",
            reversal.LETTERS, "the letters a to z", ("hello", "stressed", "transformer"),
        ),
        "dates": Task(
            "dates", dates.START, dates.END, dates.encode, dates.decode, dates.tokens, dates.read,
            "Wednesday, 12 April 1961", dates.SIGNS, "letters a to z, digits, spaces and , . - / '",
            ("4 July 1976", "April 12, 1961", "31/12/1999"),
        ),
    }
)  # fmt: skip


@dataclass(frozen=True)
class Opened:
    """A model and the text that it is given.

    Attributes:
        task: how texts become tokens.
        model: as it is trained by now.
        ids: the source.
        source: its tokens as they are shown.
        truth: the right answer, if there is one.
    """

    task: Task
    model: Seq2Seq
    ids: tuple[int, ...]
    source: tuple[str, ...]
    truth: str | None

    def model_in_script(self, variant: str = "with") -> dict[str, scripts.Code]:
        """How a script gets the model: its imports, and the lines that make `model`."""
        name = self.task.live
        shown = live.current(name)
        assert shown is not None  # its model is open
        options = shown.options
        made = (
            f'"{variant}", task.config("{variant}", {int(options["d_model"])})'
            if name == "bottleneck"
            else f'"dates", task.config("{options["attention"]}")'
        )
        return {
            "imports": scripts.Code(
                "from core.train.experiment import rebuild, record_of\n"
                f"from core.rooms.seq2seq.experiments import {name} as task"
            ),
            "model": scripts.Code(
                f"# As it was trained: with the settings that ship, the record that ships.\n"
                f"record = {scripts.record(name, shown)}\n"
                f"model = rebuild(record, {made}).float()"
            ),
        }

    def text_in_script(self) -> dict[str, Any]:
        """What a script needs to read this text: the module of its signs, the signs, and how much may be written."""
        is_reversal = self.task.live == "bottleneck"
        package, data = ("core.data.synthetic", "reversal") if is_reversal else ("core.rooms.seq2seq.compute", "dates")
        return {
            "package": scripts.Code(package),
            "data": scripts.Code(data),
            "source": list(self.source),
            "most": len(self.ids) + 6,
        }

    def write(self, forced: Sequence[int] | None = None, row: tuple[int, Sequence[float]] | None = None) -> Alignment:
        """The model's answer; `forced`: true tokens to read; `row`: (step, weights) set by hand."""
        return align(
            self.model, self.ids, start_id=self.task.start_id, end_id=self.task.end_id,
            max_new_tokens=len(self.ids) + 6, forced=forced, rows=None if row is None else {row[0]: row[1]},
        )  # fmt: skip


def model_of(shown: Live, name: str, variant: str = "with") -> Seq2Seq | None:
    """The trained model of a record; None if it has no attention where attention is asked for."""
    if name == "bottleneck":
        config = bottleneck.config(variant, bottleneck.Options(**shown.options).d_model)
    else:
        variant, config = "dates", date_task.config(date_task.Options(**shown.options).attention)
    model: Seq2Seq | None = None
    if variant == "without" or config.attention != "none":
        model = rebuild(shown.record, variant, config).float()
    return model


def open_text(name: str, prefix: str, default: str | None = None, variant: str = "with") -> Opened | None:
    """Ask for a text and open the task's model; None, after plain words, where there is nothing to show.

    Args:
        name: of the task.
        prefix: of the control's name; each task has a text of its own.
        default: the text to begin with; None: the task's.
        variant: of the bottleneck race.
    """
    task = HOW[name]
    label = "Your string, letters a to z" if name == "reversal" else "Your date, as you would write it"
    text = controls.text_input(f"{prefix}_{name}", label, task.default if default is None else default, max_chars=MOST)
    tell_letters(f"{prefix}_{name}", text, task.signs, task.named, task.offered)
    ids = tuple(task.encode(text))
    if not ids:
        st.info("Type at least one letter from a to z." if name == "reversal" else "Type at least one letter or digit.")
        return None
    shown = live.current(task.live)
    model = None if shown is None else model_of(shown, task.live, variant)
    if model is None:
        st.info(
            f"There is no trained model yet: train one in “{TRAINED_IN[name]}”."
            if shown is None
            else "Your model of dates was trained without attention, so there's no alignment. Train it with attention "
            f"in “{TRAINED_IN[name]}”."
        )
        return None
    source = tuple(task.signs[i] for i in ids)
    return Opened(task, model, ids, source, task.truth("".join(source)))
