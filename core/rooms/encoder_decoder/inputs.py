"""What the exhibits of the room share: the translator as it is trained by now, and a sentence of the learner's own."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import NothingToShow, content_key, custom
from core.rooms.encoder_decoder.compute import cross_attention, languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord
from core.rooms.encoder_decoder.experiments import translation
from core.train.experiment import run_of
from core.train.experiments.live import Live

MOST = 100  # signs of a sentence; the longest of the grammar has 72
MOST_WORDS = 20  # a picture of more would be unreadable


def translator() -> Live:
    """An input: the newest training of the translator."""
    return custom("core.ui.training.experiments:latest_run", lambda _: run_of("translation"), name="translation")


def tell(name: str, typed: str, _: object) -> None:
    """Say which words are not known, and how many are read."""
    words, strange = languages.read(typed)
    then = f"It has {languages.N_ENGLISH} English words; all others are left out."
    ui.tell_words(strange, name, typed, languages.WORDS[: languages.N_ENGLISH], then)
    if len(words) > MOST_WORDS:
        many = f"Only the first {MOST_WORDS} of {len(words)} words are used"
        ui.st.caption(f"{many}: a picture of more would be unreadable.")


SENTENCE: dict[str, Any] = {"label": "Your sentence, in English", "max_chars": MOST, "notes": tell}


@dataclass(frozen=True)
class Source:
    """What the model is given."""

    words: tuple[str, ...]

    @property
    def english(self) -> str:
        return " ".join(self.words)

    @property
    def ids(self) -> list[int]:
        return languages.encode(self.english)

    @property
    def truth(self) -> str | None:
        """The right translation; None where the grammar has no such sentence."""
        return languages.to_tamari(self.english)

    @property
    def key(self) -> str:
        """A short name, for pictures."""
        return content_key(self.english)[:12]

    def write(self, run: Live, **how: Any) -> CrossAttentionRecord:
        """Its translation, and all attention on the way; `how`: what is read or written already, see `record`."""
        ends = {"start_id": languages.START, "end_id": languages.END, "max_new_tokens": most_written(len(self.ids))}
        return cross_attention.record(translation.model_of(run), self.ids, **(ends | how))


def read(text: str) -> Source:
    """The known words of a text. Raises NothingToShow."""
    words = languages.read(text)[0][:MOST_WORDS]
    if not words:
        raise NothingToShow("Type at least one English word the model knows, as in “the dog sees a cat”.")
    return Source(words)


def most_written(n_source: int) -> int:
    """So many tokens a translation may have; the right one never has more than its source and an end."""
    return n_source + 4


def heads(n_layer: int, n_head: int) -> dict[tuple[int, int], str]:
    """(layer, head) -> how it is called."""
    return {(one, two): f"{one}.{two}" for one in range(n_layer) for two in range(n_head)}


def badge(run: Live, part: str, at: tuple[int, int], seen: CrossAttentionRecord) -> "ui.Badge":
    """Which tensor of the translator a map is."""
    side, name = ("decoder", "cross_attn") if part == "cross" else (part, "attn")
    layer, head = at
    return ui.badges.of_live(
        run, translation.model_of(run), f"{side}.blocks.{layer}.{name}.weights", (head, "row", "column"),
        getattr(seen, part)[layer], "the translator trained in this room", source=seen.source.tolist(),
        target_in=seen.fed.tolist(),
    )  # fmt: skip
