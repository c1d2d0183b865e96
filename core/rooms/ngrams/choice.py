"""The bar at the top of the room: a text, and what counts as a token. All exhibits look at these two."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.data import corpora, tokenizers
from core.data.tokenizers import Tokenizer
from core.rooms.ngrams.compute import ngram_tables
from core.rooms.ngrams.compute.ngram_counts import Counts
from core.rooms.ngrams.compute.ngram_orders import Searchable
from core.ui.controls import controls, own_text
from core.ui.frame import scripts
from core.ui.text import escape_markdown
from core.ui.training.text_facts import text_facts

if TYPE_CHECKING:
    from core.models.ngram import NGram, Smoothing

MAX_CHARACTERS = 300_000  # counting all orders, on a slow machine, then takes about a second
MAX_ORDER = 6
NO_K, USUAL_K = 1.0, 0.1  # what stands for k where a smoothing has none, and where nobody has chosen it
BPE_SIZE = 1024
MOST_WORDS = 20_000  # a row of so many probabilities, for each token that is written, takes some milliseconds
MAX_READINGS = 6  # the counts of one take up to 15 MB
MIN_TOKENS = 100  # below, nothing can be learned from nine tenths and tried on the rest
DEFAULT = "stories"
CUTS = {"char": "characters", "word": "words", "bpe": "word pieces"}
SMOOTHINGS: dict["Smoothing", str] = {
    "mle": "none",
    "lidstone": "add k",
    "interpolated": "interpolated",
    "kneser_ney": "Kneser-Ney",
}


@dataclass(frozen=True)
class Chosen:
    """What the room looks at: the key of a text, and "char", "word" or "bpe"."""

    source: str
    cut: str

    @property
    def plural(self) -> str:
        """What the tokens are."""
        return CUTS[self.cut]


@dataclass(frozen=True)
class Reading:
    """A text cut into tokens, in a part to count and a part to try.

    Attributes:
        tokenizer: that cut it; its list was made from both parts.
        train, val: ids, the first nine tenths and the rest.
        n_character: of the text used, and of the whole one.
        val_characters: of the second part.
    """

    tokenizer: Tokenizer
    train: NDArray[np.int64]
    val: NDArray[np.int64]
    n_character: tuple[int, int]
    val_characters: int

    def names(self, ids: object) -> list[str]:
        """One printable string for each id, cut where it is too long to draw."""
        return ngram_tables.names(self.tokenizer, ids)


def warm_up() -> None:
    """Count the text that is shown first, cut in each way."""
    for cut in CUTS:
        counts(DEFAULT, cut)


def choose() -> Chosen | None:
    """Ask for the text and the tokens. None, after plain words, where there is nothing to count."""
    names, labels = own_text.offered()
    left, right = st.columns([2, 3], gap="medium")
    with left:
        source = controls.select("corpus", "Text to count in", names, DEFAULT, labels=labels)
        place = st.container(horizontal=True, vertical_alignment="center")
    with right:
        cut = controls.segmented(
            "gram_cut",
            "Cut into",
            list(CUTS),
            "word",
            labels=CUTS,
            help="What counts as one token. In the pictures, · is a space and ⏎ the end of a line. Word pieces come "
            f"from byte-pair encoding (BPE) with {BPE_SIZE:,} tokens.",
        )
    with place:
        _about(source)
        own_text.offer()
    chosen = Chosen(source, cut)
    problem = _problem(chosen)
    if problem:
        st.warning(f"{escape_markdown(problem)} Choose another text, or cut it differently.", icon=":material/block:")
        return None
    _tell(chosen)
    return chosen


def _about(source: str) -> None:
    facts = text_facts(source)
    if not facts.problem:
        st.caption(
            f"{facts.n_character:,} characters",
            help=f"From {escape_markdown(facts.source)}. License: {escape_markdown(facts.licence)}.",
            width="content",
        )


def _problem(chosen: Chosen) -> str | None:
    try:
        with st.spinner("Cutting the text and counting …"):
            counts(chosen.source, chosen.cut)
    except (corpora.CorpusRefused, ValueError) as problem:
        return f"Nothing can be counted here: {problem}".rstrip(".") + "."
    return None


def _tell(chosen: Chosen) -> None:
    """What is counted, and what not, in one line."""
    read = reading(chosen.source, chosen.cut)
    used, whole = read.n_character
    limit = f"Only the first {used:,} characters are used, to keep counting quick. " if used < whole else ""
    unknown = "" if chosen.cut == "bpe" else ", with &lt;unknown&gt; for everything else"
    st.caption(
        f"{limit}The first {len(read.train):,} tokens are counted (the **training text**); the last "
        f"{len(read.val):,} are kept to test the model on (the **validation text**). "
        f"{read.tokenizer.vocab_size:,} different tokens{unknown}."
    )


@memoize(MAX_READINGS)
def reading(source: str, cut: str) -> Reading:
    """Read and cut a text.

    Raises:
        CorpusRefused: if there is no such text.
        ValueError: if too few tokens are left.
    """
    whole = corpora.load(source).text
    text = whole[:MAX_CHARACTERS]
    tokenizer = tokenizers.train(cut, text, BPE_SIZE if cut == "bpe" else MOST_WORDS)
    ids = np.array(tokenizer.encode(text), dtype=np.int64)
    if len(ids) < MIN_TOKENS:
        raise ValueError(f"this text has only {len(ids)} {CUTS[cut]}; at least {MIN_TOKENS} are needed")
    train, val = corpora.split(ids)  # type: ignore[type-var]
    return Reading(tokenizer, train, val, (len(text), len(whole)), len(tokenizer.decode(val.tolist())))


@memoize(MAX_READINGS)
def counts(source: str, cut: str) -> Counts:
    """All n-grams of the training text. Raises as `reading` does."""
    read = reading(source, cut)
    return Counts.of(read.train, read.tokenizer.vocab_size, MAX_ORDER)


@memoize(MAX_READINGS)
def searchable(source: str, cut: str) -> Searchable:
    """The training text, for finding pieces in it."""
    return Searchable(reading(source, cut).train)


def model(chosen: Chosen, order: int, smoothing: "Smoothing", k: float) -> "NGram":
    """The model of one order; makes no new counts."""
    return counts(chosen.source, chosen.cut).model(order, smoothing, **options(smoothing, k))


def options(smoothing: "Smoothing", k: float) -> dict[str, float]:
    """What this room asks of each smoothing: Kneser-Ney also gives tokens never seen a share (`uniform`)."""
    if smoothing == "kneser_ney":
        return {"uniform": True}
    return {"gamma": k} if smoothing == "lidstone" else {}


def ask_smoothing(prefix: str, default: "Smoothing") -> tuple["Smoothing", float]:
    """Ask for the smoothing and, where it has one, its k.

    Args:
        prefix: of the controls' names.
    """
    with st.container(horizontal=True):
        smoothing = controls.segmented(
            f"{prefix}_smoothing",
            "Smoothing",
            list(SMOOTHINGS),
            default,
            labels=SMOOTHINGS,
            help="What to do about n-grams never seen. None: they're impossible. Add k: pretend that each occurred k "
            "more times. Interpolated and Kneser-Ney: mix in what a shorter past says.",
        )
        if smoothing != "lidstone":
            return smoothing, NO_K
        k = controls.segmented(f"{prefix}_k", "k, added to every count", [0.001, 0.01, 0.1, 1.0, 10.0], USUAL_K)
        return smoothing, float(k)


def in_script(chosen: Chosen) -> dict[str, scripts.Code]:
    """How a script reads and counts the text: its imports, and the lines that make `tokenizer`, `train` and so on."""
    is_own = chosen.source not in corpora.names()
    text = (
        'open("my-text.txt", encoding="utf-8").read()  # a text of your own: put its file here'
        if is_own
        else f"corpora.load({scripts.literal(chosen.source)}).text"
    )
    size = BPE_SIZE if chosen.cut == "bpe" else MOST_WORDS
    return {
        "imports": scripts.Code(
            "import numpy as np\n\n"
            f"from core.data import {'' if is_own else 'corpora, '}tokenizers\n"
            "from core.data.corpora import split\n"
            "from core.data.csv_table import print_table\n"
            "from core.rooms.ngrams.compute.ngram_counts import Counts"
        ),
        "counted": scripts.Code(
            f"text = {text}\n"
            f"text = text[:{MAX_CHARACTERS}]\n"
            f'tokenizer = tokenizers.train("{chosen.cut}", text, {size})\n'
            "# The first nine tenths are counted, the rest is kept to try the model on.\n"
            "train, val = split(np.array(tokenizer.encode(text)))\n"
            f"counts = Counts.of(train, tokenizer.vocab_size, {MAX_ORDER})"
        ),
    }
