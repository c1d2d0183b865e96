"""Inputs shared by the room's exhibits: a text to tokenize, and the training text of the vocabularies."""

from dataclasses import dataclass

from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.tokenizers import BPETokenizer, Tokenizer, train_tokenizer
from core.exhibit import MAX_MODELS, MAX_TRACES, Inputs, custom_control, memoize
from core.rooms.tokens.compute import tokenization
from core.rooms.tokens.compute.tokenization import Tokenization, first_merges

LABELS = module_labels(__name__)

# Two spaces, a number, a rare word, an emoji and a word in another script, where tokenizers differ.
EXAMPLE_TEXT = "The method returns 12345 axolotls 🦎,  and the exception says Привет."
THIS_TEXT = "this-text"  # learn from the text itself
VOCABULARY_SIZES = (256, 512, 1024, 2048, 4096, 8192)
NO_VOCABULARY = "none"
PUBLIC_VOCABULARIES = {
    NO_VOCABULARY: LABELS["vocabulary.none"],
    "gpt2": "GPT-2",
    "r50k_base": "GPT-3 (r50k)",
    "cl100k_base": "GPT-4 (cl100k)",
    "o200k_base": "GPT-4o (o200k)",
}
KIND_NAMES = {"char": LABELS["kind.char"], "word": LABELS["kind.word"], "bpe": LABELS["kind.bpe"]}


@dataclass(frozen=True)
class TextToCut:
    """A text, and the vocabularies that tokenize it."""

    text: str = EXAMPLE_TEXT  # at least one character
    source: str = "python-topics"  # training text of the vocabularies: a corpus' name, or `THIS_TEXT`
    vocab_size: int = 1024  # requested of BPE, including the 256 bytes

    @property
    def title(self) -> str:
        """Name of the source within a sentence."""
        return LABELS["your_text"] if self.source == THIS_TEXT else f"“{corpora.corpus_title(self.source)}”"

    @property
    def learned(self) -> str:
        """The training text of the vocabularies. Raises CorpusRefused."""
        return self.text if self.source == THIS_TEXT else corpora.load(self.source).text

    def tokenizer(self, kind: str) -> Tokenizer:
        """Return a trained tokenizer; characters and words are never limited. Raises CorpusRefused, ValueError."""
        learned = (self.source, self.text if self.source == THIS_TEXT else "")
        return first_merges(largest_bpe(*learned), self.vocab_size) if kind == "bpe" else _trained(kind, *learned)

    def cut(self, kind: str) -> Tokenization:
        """Tokenize the text with one tokenizer."""
        return _cut(self, kind)


@memoize(MAX_MODELS)
def largest_bpe(source: str, text: str = "") -> BPETokenizer:
    """Return the largest vocabulary on offer; every smaller one is a prefix of it. Raises CorpusRefused."""
    return BPETokenizer.train(TextToCut(text, source).learned, VOCABULARY_SIZES[-1])


@memoize(MAX_TRACES)
def _trained(kind: str, source: str, text: str) -> Tokenizer:
    return train_tokenizer(kind, TextToCut(text, source).learned)


@memoize(MAX_TRACES)
def _cut(given: TextToCut, kind: str) -> Tokenization:
    return tokenization.tokenize_text(given.tokenizer(kind), given.text)


class TextInputs(Inputs):
    """A text to tokenize."""

    given: TextToCut = custom_control("core.rooms.tokens.pick_text:pick_text_to_cut", TextToCut())
