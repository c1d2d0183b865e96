"""Inputs that the exhibits of the room share: the newest translator, and a sentence of the learner's own."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NothingToShow, content_key, custom_control
from core.rooms.encoder_decoder.compute import cross_attention, languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord
from core.rooms.encoder_decoder.experiments import translation
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

MAX_CHARACTERS = 100  # characters of a sentence; the longest of the grammar has 72
MAX_WORDS = 20  # a larger picture would be unreadable


def translator() -> ExperimentRun:
    """Return an input that holds the newest run of the translator."""
    return custom_control(
        "core.ui.training.live_experiments:shown_run_with_note",
        lambda _: run_experiment("translation"),
        name="translation",
    )


def _notify_unknown_words(name: str, typed: str, _: object) -> None:
    """Say which words are unknown, and how many are read."""
    words, strange = languages.split_known_words(typed)
    then = LABELS("unknown_words", n=languages.N_ENGLISH)
    ui.warn_unknown_words(strange, name, typed, languages.WORDS[: languages.N_ENGLISH], then)
    if len(words) > MAX_WORDS:
        ui.st.caption(LABELS("first_words", n_used=MAX_WORDS, n=len(words)))


SENTENCE_OPTIONS: dict[str, Any] = {
    "label": LABELS["your_sentence"],
    "max_chars": MAX_CHARACTERS,
    "notes": _notify_unknown_words,
}


@dataclass(frozen=True)
class SourceSentence:
    """The sentence that the model translates."""

    words: tuple[str, ...]

    @property
    def english(self) -> str:
        return " ".join(self.words)

    @property
    def ids(self) -> list[int]:
        return languages.encode(self.english)

    @property
    def truth(self) -> str | None:
        """The right translation; None if the grammar has no such sentence."""
        return languages.to_tamari(self.english)

    @property
    def key(self) -> str:
        """A short key for pictures."""
        return content_key(self.english)[:12]

    def write(self, run: ExperimentRun, **how: Any) -> CrossAttentionRecord:
        """Translate the source and record all attention; `how`: options of `record`, such as forced tokens."""
        ends = {
            "start_id": languages.START,
            "end_id": languages.END,
            "max_new_tokens": max_output_tokens(len(self.ids)),
        }
        return cross_attention.record_cross_attention(translation.model_of(run), self.ids, **(ends | how))


def parse_source(text: str) -> SourceSentence:
    """Return the known words of a text. Raises NothingToShow if there are none."""
    words = languages.split_known_words(text)[0][:MAX_WORDS]
    if not words:
        raise NothingToShow(LABELS["no_word"])
    return SourceSentence(words)


def max_output_tokens(n_source: int) -> int:
    """Return the token limit of a translation; the right one never has more than its source and an end token."""
    return n_source + 4


def head_names(n_layer: int, n_head: int) -> dict[tuple[int, int], str]:
    """Return the display name of each (layer, head)."""
    return {(one, two): f"{one}.{two}" for one in range(n_layer) for two in range(n_head)}


def translator_badge(
    run: ExperimentRun, part: str, at: tuple[int, int], seen: CrossAttentionRecord
) -> "ui.ProvenanceBadge":
    """Return a badge that names the tensor of the translator in a map."""
    side, name = ("decoder", "cross_attn") if part == "cross" else (part, "attn")
    layer, head = at
    return ui.badges.run_tensor_badge(
        run, translation.model_of(run), f"{side}.blocks.{layer}.{name}.weights", (head, "row", "column"),
        getattr(seen, part)[layer], LABELS["translator"], source=seen.source.tolist(),
        target_in=seen.fed.tolist(),
    )  # fmt: skip
