"""What the exhibits of the room share: the translator as it is trained by now, and a sentence of the learner's own."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.cache import content_key, memoize
from core.models.transformer import Transformer
from core.rooms.encoder_decoder.compute import cross_attention, languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord
from core.rooms.encoder_decoder.experiments import translation
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.models.own_words import tell_words
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, latest, trained
from core.ui.widgets import badges
from core.ui.widgets.badge import Badge

NAME = "translation"
MOST = 100  # signs of a sentence; the longest of the grammar has 72
MOST_WORDS = 20


@dataclass(frozen=True)
class Translator:
    """The model of the room.

    Attributes:
        trained: its weights, as a key.
        n_layer, n_head: its sizes.
    """

    trained: Trained
    n_layer: int
    n_head: int

    @property
    def model(self) -> Transformer:
        return _model(self.trained, self.n_layer, self.n_head)

    def write(self, ids: tuple[int, ...], forced: tuple[int, ...] | None = None) -> CrossAttentionRecord:
        """The translation of a source, and all attention on the way; `forced`: the truth, read in place of it."""
        return _write(self.trained, self.n_layer, self.n_head, ids, forced)

    def in_script(self) -> dict[str, Any]:
        """How a script gets the model: `model = translation.rebuilt($record, n_layer=$n_layer, n_head=$n_head)`."""
        shown = live.current(NAME)
        assert shown is not None  # its model is open
        return {"record": scripts.record(NAME, shown), "n_layer": self.n_layer, "n_head": self.n_head}


@dataclass(frozen=True)
class Sentence:
    """What the model is given.

    Attributes:
        ids: the source; words: its words.
        truth: the right translation; None where the grammar has no such sentence.
    """

    ids: tuple[int, ...]
    words: tuple[str, ...]
    truth: str | None

    @property
    def english(self) -> str:
        return " ".join(self.words)

    @property
    def key(self) -> str:
        return content_key(self.english)[:12]


@memoize(16)
def _model(models: Trained, n_layer: int, n_head: int) -> Transformer:
    return translation.rebuilt(models.record, n_layer, n_head)


@memoize(MAX_RESULTS)
def _write(
    models: Trained, n_layer: int, n_head: int, ids: tuple[int, ...], forced: tuple[int, ...] | None
) -> CrossAttentionRecord:
    return cross_attention.record(
        _model(models, n_layer, n_head), ids, start_id=languages.START, end_id=languages.END,
        max_new_tokens=most_written(len(ids)), forced=forced,
    )  # fmt: skip


def most_written(n_source: int) -> int:
    """So many tokens a translation may have; the right one never has more than its source and an end."""
    return n_source + 4


def translator() -> Translator | None:
    """The model as it is trained by now; None, after plain words, if there is none."""
    shown = latest(NAME)
    if shown is None:
        return None
    options = translation.Options(**shown.options)
    return Translator(trained(shown), options.n_layer, options.n_head)


def ask(name: str, default: str, label: str = "Your sentence, in English") -> Sentence | None:
    """Ask for a sentence; None, after plain words, where no word of it is known."""
    text = controls.text_input(name, label, default, max_chars=MOST)
    words, strange = languages.read(text)
    then = f"It has {languages.N_ENGLISH} English words; all others are left out."
    tell_words(strange, name, text, languages.WORDS[: languages.N_ENGLISH], then)
    if len(words) > MOST_WORDS:
        st.caption(
            f"Only the first {MOST_WORDS} of {len(words)} words are used: a picture of more would be unreadable."
        )
        words = words[:MOST_WORDS]
    if not words:
        st.info("Type at least one English word the model knows, as in “the dog sees a cat”.")
        return None
    english = " ".join(words)
    return Sentence(tuple(languages.encode(english)), words, languages.to_tamari(english))


def tell(seen: CrossAttentionRecord, sentence: Sentence, before: str = "It writes") -> None:
    """What came out, and whether it is right."""
    answer = languages.decode(seen.written.tolist())
    told = (
        " (no sentence of the grammar, so there's no right answer)"
        if sentence.truth is None
        else " ✓ right"
        if answer == sentence.truth
        else f" ✗ right: **{sentence.truth}**"
    )
    st.markdown(f"{before} **{answer or '(nothing)'}**{told}")


def heads(n_layer: int, n_head: int) -> dict[tuple[int, int], str]:
    """(layer, head) -> how it is called."""
    return {(one, two): f"{one}.{two}" for one in range(n_layer) for two in range(n_head)}


def badge(model: Translator, part: str, at: tuple[int, int], seen: CrossAttentionRecord) -> Badge | None:
    """Which tensor of the translator a map is."""
    shown = live.current(NAME)
    if shown is None:
        return None
    side, name = ("decoder", "cross_attn") if part == "cross" else (part, "attn")
    layer, head = at
    return badges.of_live(
        shown, model.model, f"{side}.blocks.{layer}.{name}.weights", (head, "row", "column"),
        getattr(seen, part)[layer], "the translator trained in this room", source=seen.source.tolist(),
        target_in=seen.fed.tolist(),
    )  # fmt: skip
