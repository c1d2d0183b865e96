"""The two tasks of the room: how a text becomes tokens and back, and the model that has learned it."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from core import ui
from core.data.synthetic import reversal
from core.exhibit import NothingToShow, content_key
from core.models.seq2seq import Seq2Seq
from core.rooms.seq2seq.compute import dates
from core.rooms.seq2seq.compute.alignment import Alignment, align
from core.rooms.seq2seq.experiments import bottleneck, dates as date_training
from core.train.experiments.live import Live

NAMES = {"reversal": "a string backwards", "dates": "a date"}
MOST = 40  # tokens of a source
NO_ATTENTION = (
    "Your model of dates was trained without attention, so there's no alignment. Train it with attention in “Dates, a "
    "small translation”."
)


class Task(NamedTuple):
    """One of the two tasks."""

    experiment: str  # that trains it
    model: Callable[..., Seq2Seq]  # of a run of that
    data: ModuleType  # the module of its tokens: `START`, `END`, `encode`, `decode`, `tokens`
    truth: Callable[[str], str | None]  # the right answer to a source; None where there is none
    signs: str  # of the source, in the order of their ids; `named`: in words
    named: str
    offered: tuple[str, ...]  # texts that it can read
    label: str  # label, default: of the field for a text
    default: str
    empty: str  # what to do where a text has none of the signs

    @property
    def field(self) -> dict[str, Any]:
        """What `core.exhibit.text_input` takes."""
        return {"label": self.label, "default": self.default, "max_chars": MOST, "notes": self.tell}

    def tell(self, name: str, typed: str, _: object = None) -> None:
        """Say which signs it does not know."""
        ui.tell_letters(name, typed, self.signs, self.named, self.offered)

    def ids(self, text: str) -> tuple[int, ...]:
        """The source. Raises NothingToShow."""
        if not (ids := tuple(self.data.encode(text))):
            raise NothingToShow(self.empty)
        return ids

    def write(self, model: Seq2Seq, ids: Sequence[int], **how: Any) -> Alignment:
        """The model's answer; `how`: true tokens to read, or rows set by hand."""
        most = len(ids) + 6
        return align(model, ids, start_id=self.data.START, end_id=self.data.END, max_new_tokens=most, **how)

    def source(self, seen: Alignment) -> list[str]:
        """The signs that were read."""
        return [self.signs[i] for i in seen.source]

    def tokens(self, seen: Alignment) -> list[str]:
        """The tokens that were written."""
        return list(self.data.tokens(seen.written.tolist()))

    def verdict(self, seen: Alignment) -> dict[str, str | None]:
        """What was written, as a text, and what would be right."""
        return {"answer": self.data.decode(seen.written.tolist()), "right": self.truth("".join(self.source(seen)))}


TASKS = {
    "reversal": Task(
        "bottleneck", bottleneck.model_of, reversal, lambda text: text[::-1],
        reversal.LETTERS, "the letters a to z", ("hello", "stressed", "transformer"),
        "Your string, letters a to z", "attention", "Type at least one letter from a to z.",
    ),
    "dates": Task(
        "dates", date_training.model_of, dates, dates.read,
        dates.SIGNS, "letters a to z, digits, spaces and , . - / '", ("4 July 1976", "April 12, 1961", "31/12/1999"),
        "Your date, as you would write it", "Wednesday, 12 April 1961", "Type at least one letter or digit.",
    ),
}  # fmt: skip


def source(inputs: Any) -> list[str]:
    """The signs of the text that is chosen; each task has a field of its own."""
    task = TASKS[inputs.task]
    return [task.signs[i] for i in task.data.encode(getattr(inputs, inputs.task))]


def content(inputs: Any) -> str:
    """What a picture shows, in short."""
    return content_key(inputs.task, *source(inputs))[:12]


def opened(inputs: Any, run: Live) -> tuple[Task, tuple[int, ...], Seq2Seq]:
    """The task that is chosen, the source, and the model as it is trained by now. Raises NothingToShow."""
    task = TASKS[inputs.task]
    ids, model = task.ids("".join(source(inputs))), task.model(run)
    if model.decoder.attn is None:
        raise NothingToShow(NO_ATTENTION)
    return task, ids, model
