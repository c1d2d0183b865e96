"""The bar at the top of the room: a text to cut, and what the vocabularies are learned from."""

from dataclasses import dataclass

import streamlit as st

from core.cache import MAX_MODELS, MAX_TRACES, memoize
from core.data import corpora
from core.data.tokenizers import BPETokenizer, Tokenizer, train
from core.rooms.tokens.compute import tokenization
from core.rooms.tokens.compute.vocabulary_size import first_merges
from core.ui.controls import controls
from core.ui.controls.own_text import offered
from core.ui.frame import scripts
from core.ui.text import escape_markdown
from core.ui.training.text_facts import OWN_KEY, text_facts

# Two spaces, a number, a rare word, an emoji and a word in another script: what tokenizers differ in.
EXAMPLE = "The method returns 12345 axolotls 🦎,  and the exception says Привет."
THIS_TEXT = "this-text"  # learn from the text itself
TYPED = "typed:"  # before such a text, in place of a corpus' name
SIZES = (256, 512, 1024, 2048, 4096, 8192)
DEFAULT_SIZE = 1024
NAMES = {"char": "Characters", "word": "Words", "bpe": "Our BPE"}


@dataclass(frozen=True)
class Chosen:
    """What the room looks at.

    Attributes:
        text: at least one character.
        source: what the vocabularies are learned from: a corpus' name, or `TYPED` and the text itself.
        vocab_size: asked of BPE, the 256 bytes included.
    """

    text: str
    source: str
    vocab_size: int

    @property
    def source_title(self) -> str:
        """What to call it inside of a sentence, not escaped."""
        return "your text" if self.source.startswith(TYPED) else f"“{corpora.title(self.source)}”"


def choose() -> Chosen | None:
    """Ask for the text, the corpus and the size. None, after plain words, where there is nothing to cut."""
    with st.container(key="tokens-choice"):
        left, right = st.columns(2, gap="medium")
        with left:
            text = controls.text_area(
                "tokens_text",
                "Your text",
                EXAMPLE,
                height=122,
                help="Write your own. Ctrl+Enter, or a click elsewhere, cuts it.",
            )
        with right:
            source = _ask_source(text)
            vocab_size = controls.segmented(
                "vocab",
                "Vocabulary size of our BPE",
                SIZES,
                DEFAULT_SIZE,
                labels={size: f"{size:,}" for size in SIZES},
                help="How many tokens byte-pair encoding (BPE) may have, the 256 single bytes included. “BPE is "
                "born” shows how it finds them. A short or monotonous text yields fewer: nothing is left to merge.",
            )
    if not text:
        st.info("The text is empty. Type at least one letter.")
        return None
    problem = _problem(source)
    if problem:
        st.warning(f"{escape_markdown(problem)} Choose another text to learn from.", icon=":material/menu_book:")
        return None
    return Chosen(text, source, vocab_size)


def _ask_source(text: str) -> str:
    names, labels = offered()
    linked = OWN_KEY.search(st.query_params.get("learned_from", "")[-60:])
    if linked is not None and linked[0] not in names and not (facts := text_facts(linked[0])).problem:
        names, labels = [*names, linked[0]], labels | {linked[0]: f"{facts.title} ({linked[0]})"}
    chosen = controls.select(
        "learned_from",
        "Vocabularies learned from",
        [*names, THIS_TEXT],
        names[0],
        labels=labels | {THIS_TEXT: "Only the text on the left"},
        help="A vocabulary knows what was in the text it was learned from. Texts you gave to the training studio "
        "are listed too.",
    )
    return TYPED + text if chosen == THIS_TEXT else chosen


def _problem(source: str) -> str | None:
    try:
        tokenizer_of("char", source, 0)
    except (corpora.CorpusRefused, ValueError) as problem:
        return f"Nothing can be learned here: {problem}."
    return None


@memoize(MAX_MODELS)
def learning_text(source: str) -> str:
    """The text that vocabularies are learned from. Raises CorpusRefused."""
    return source[len(TYPED) :] if source.startswith(TYPED) else corpora.load(source).text


@memoize(MAX_MODELS)
def largest_bpe(source: str) -> BPETokenizer:
    """The largest vocabulary to choose; every smaller one is its beginning. Raises CorpusRefused."""
    return BPETokenizer.train(learning_text(source), SIZES[-1])


@memoize(MAX_TRACES)
def tokenizer_of(kind: str, source: str, vocab_size: int) -> Tokenizer:
    """A trained tokenizer; characters and words are all kept (`vocab_size` 0). Raises CorpusRefused, ValueError."""
    if kind == "bpe":
        return first_merges(largest_bpe(source), vocab_size)
    return train(kind, learning_text(source))


@memoize(MAX_TRACES)
def cut_by(kind: str, source: str, vocab_size: int, text: str) -> tokenization.Tokenization:
    """The text as one tokenizer cuts it."""
    return tokenization.tokenize(tokenizer_of(kind, source, vocab_size), text)


def source_import(source: str) -> scripts.Code:
    """What a script imports to get the text that vocabularies are learned from."""
    if source.startswith(TYPED):
        return scripts.Code("# Learned from the text itself.")
    return scripts.Code("from pathlib import Path" if OWN_KEY.fullmatch(source) else "from core.data import corpora")


def source_code(source: str) -> scripts.Code:
    """How a script gets that text."""
    if source.startswith(TYPED):
        return scripts.Code(f"learned = {scripts.literal(learning_text(source))}")
    if OWN_KEY.fullmatch(source):
        return scripts.Code(
            '# A text of your own: name its file here.\nlearned = Path("my text.txt").read_text(encoding="utf-8")'
        )
    return scripts.Code(f"learned = corpora.load({scripts.literal(source)}).text")
