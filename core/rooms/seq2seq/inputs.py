"""The two tasks of the room: their tokens, and the model trained for each."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import reversal
from core.exhibit import NothingToShow, content_key
from core.models.recurrent_seq2seq import RecurrentSeq2Seq
from core.rooms.seq2seq.compute import dates
from core.rooms.seq2seq.compute.alignment import Alignment, align
from core.rooms.seq2seq.experiments import bottleneck, dates as date_training
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

NAMES = {"reversal": LABELS["task.reversal"], "dates": LABELS["task.dates"]}
MAX_SOURCE_TOKENS = 40  # tokens of a source
NO_ATTENTION = LABELS["no_attention"]


class TextTask(NamedTuple):
    """One of the two tasks."""

    experiment: str  # name of its training experiment
    model: Callable[..., RecurrentSeq2Seq]  # takes a run of that experiment
    data: ModuleType  # the module of its tokens: `START`, `END`, `encode`, `decode`, `tokens`
    truth: Callable[[str], str | None]  # the right answer to a source; None if there is none
    signs: str  # source characters in the order of their ids; `named`: their description
    named: str
    offered: tuple[str, ...]  # example texts
    label: str  # label, default: of the field for a text
    default: str
    empty: str  # hint for a text without any of these characters

    @property
    def field(self) -> dict[str, Any]:
        """Return the arguments of `core.exhibit.text_input`."""
        return {"label": self.label, "default": self.default, "max_chars": MAX_SOURCE_TOKENS, "notes": self.tell}

    def tell(self, name: str, typed: str, _: object = None) -> None:
        """Show which characters the task does not know."""
        ui.warn_unknown_letters(name, typed, self.signs, self.named, self.offered)

    def ids(self, text: str) -> tuple[int, ...]:
        """Encode the source. Raises NothingToShow if it is empty."""
        if not (ids := tuple(self.data.encode(text))):
            raise NothingToShow(self.empty)
        return ids

    def write(self, model: RecurrentSeq2Seq, ids: Sequence[int], **how: Any) -> Alignment:
        """Return the model's answer; `how` may contain true tokens to read, or rows set by hand."""
        most = len(ids) + 6
        return align(model, ids, start_id=self.data.START, end_id=self.data.END, max_new_tokens=most, **how)

    def source(self, seen: Alignment) -> list[str]:
        """Return the characters that were read."""
        return [self.signs[i] for i in seen.source]

    def tokens(self, seen: Alignment) -> list[str]:
        """Return the tokens that were written."""
        return list(self.data.tokens(seen.written.tolist()))

    def verdict(self, seen: Alignment) -> dict[str, str | None]:
        """Return the written text and the right answer."""
        return {"answer": self.data.decode(seen.written.tolist()), "right": self.truth("".join(self.source(seen)))}


TASKS = {
    "reversal": TextTask(
        "bottleneck", bottleneck.trained_reversal_model, reversal, lambda text: text[::-1],
        reversal.LETTERS, LABELS["reversal_signs"], ("hello", "stressed", "transformer"),
        LABELS["reversal_label"], "attention", LABELS["reversal_empty"],
    ),
    "dates": TextTask(
        "dates", date_training.trained_date_model, dates, dates.parse_date,
        dates.CHARACTERS, LABELS["dates_signs"],
        ("4 July 1976", "April 12, 1961", "31/12/1999"),
        LABELS["dates_label"], "Wednesday, 12 April 1961", LABELS["dates_empty"],
    ),
}  # fmt: skip


def source_characters(inputs: Any) -> list[str]:
    """Return the characters of the selected task's text; each task has its own field."""
    task = TASKS[inputs.task]
    return [task.signs[i] for i in task.data.encode(getattr(inputs, inputs.task))]


def picture_key(inputs: Any) -> str:
    """Return a short key for the content of a picture."""
    return content_key(inputs.task, *source_characters(inputs))[:12]


def open_task(inputs: Any, run: ExperimentRun) -> tuple[TextTask, tuple[int, ...], RecurrentSeq2Seq]:
    """Return the selected task, the source, and the model in its current state. Raises NothingToShow."""
    task = TASKS[inputs.task]
    ids, model = task.ids("".join(source_characters(inputs))), task.model(run)
    if model.decoder.attn is None:
        raise NothingToShow(NO_ATTENTION)
    return task, ids, model
