"""BLEU: how it is computed, and what it misses."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.exhibit import Inputs as Base, Result, Table, memoize, text_input, toggle
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import Bleu, bleu, groups
from core.rooms.encoder_decoder.compute.languages import Sentence
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.inputs import translator
from core.train.experiments.live import Live

N = 200
SETS = {"as in training, up to 2 adjectives": languages.USUAL, "longer, 3 or 4 adjectives": languages.LONGER}
MOST = 200  # characters of the learner's sentence


class Change(NamedTuple):
    """One way to change a sentence, applied to all sentences that it can change."""

    name: str  # the change
    is_wrong: bool  # True if the change alters the meaning or breaks the grammar
    outcome: str  # which of these, as a text
    score: float  # corpus BLEU of the changed sentences against the right ones
    n: int  # number of sentences
    right: str  # right, changed: the first sentence before and after the change
    changed: str


def turned_round(sentence: Sentence) -> str:
    """Swap subject and object, with all agreement."""
    subject = sentence.target or sentence.subject
    return replace(sentence, subject=subject, target=sentence.target and sentence.subject).tamari()


def denied(sentence: Sentence) -> str:
    """Remove the word for "not", or insert it."""
    return replace(sentence, negated=not sentence.negated).tamari()


def wrong_ending(sentence: Sentence) -> str:
    """Make the verb disagree with its subject."""
    words = sentence.tamari().split()
    at = len(words) - 1 - sentence.negated
    words[at] = words[at][:-1] + ("n" if words[at][-1] == "s" else "s")
    return " ".join(words)


def wrong_gender(sentence: Sentence) -> str:
    """Give the first article the wrong gender."""
    words = sentence.tamari().split()
    at = int(bool(sentence.adverb))
    words[at] = words[at][:-1] + {"o": "a", "a": "o", "i": "e", "e": "i"}[words[at][-1]]
    return " ".join(words)


def adverb_first(sentence: Sentence) -> str:
    """Move the adverb to the front of the English sentence, where it is just as correct."""
    words = sentence.english().split()
    return " ".join([words[-1], *words[:-1]] if sentence.adverb else words)


def short_form(sentence: Sentence) -> str:
    """Contract "does not" and "do not" in the English sentence."""
    return sentence.english().replace("does not", "doesn’t").replace("do not", "don’t")


def other_words(sentence: Sentence) -> str:
    """Replace words of the English sentence with synonyms: "little" for "small", "large" for "big"."""
    return sentence.english().replace("small", "little").replace("big", "large")


WRONG: dict[str, Callable[[Sentence], str]] = {  # in Tamari
    "“not” left out, or put in": denied,
    "subject and object swapped": turned_round,
    "wrong verb ending": wrong_ending,
    "wrong gender of an article": wrong_gender,
}
BROKEN = ("wrong verb ending", "wrong gender of an article")
FINE: dict[str, Callable[[Sentence], str]] = {  # in English
    "adverb first": adverb_first,
    "doesn’t for does not": short_form,
    "little for small, large for big": other_words,
}


def changes(sentences: Sequence[Sentence]) -> list[Change]:
    """Compute the corpus BLEU of each change, over the sentences that it changes."""
    found = []
    for rewrites, write in ((WRONG, Sentence.tamari), (FINE, Sentence.english)):
        for name, rewrite in rewrites.items():
            made = [(right, changed) for one in sentences if (right := write(one)) != (changed := rewrite(one))]
            score = bleu([[right.split()] for right, _ in made], [changed.split() for _, changed in made]).score
            outcome = "the same" if name in FINE else "grammar broken" if name in BROKEN else "different"
            found.append(Change(name, name in WRONG, outcome, score, len(made), *made[0]))
    return found


CODE = (bleu, groups, changes)


class Inputs(Base, prefix="bleu_"):
    run: Live = translator()
    reference: str = text_input(
        "Reference, the right translation", "lo kano pico la mila granda vides ne", max_chars=MOST
    )
    written: str = text_input("What was written", "lo kano pico la mila granda vides", max_chars=MOST)
    smooth: bool = toggle("Add 1 to the counts of pairs and longer groups")


class Scores(Result):
    """BLEU of one text, of deliberately changed sentences, and of the translator."""

    found: Bleu | None  # of the text; None if a field is empty
    changes: list[Change]  # of 200 random sentences
    # kind of sentences -> exact-match rate, fraction of words that are right at their position, and BLEU
    of_model: dict[str, tuple[float, float, float]]

    formula: str | None  # of the text
    n_sentence: int = N

    def table(self) -> Table:
        """Return one row per change."""
        return {
            "change": [one.name for one in self.changes],
            "meaning kept": [not one.is_wrong for one in self.changes],
            "sentences": [one.n for one in self.changes],
            "BLEU": [one.score for one in self.changes],
        }


def compute(inputs: Inputs) -> Scores:
    """Compute BLEU of the text, the changes and the translator."""
    reference, written = inputs.reference.lower().split(), inputs.written.lower().split()
    found = bleu([[reference]], [written], add_one=inputs.smooth) if reference and written else None
    formula = None
    if found is not None:
        product = r" \cdot ".join(f"{p:.3f}" for p in found.precisions)
        formula = rf"\text{{BLEU}} = {found.brevity:.3f} \cdot ({product})^{{1/4}} = {found.score:.3f}"
    return Scores(found=found, changes=all_changes(), of_model=of_model(inputs.run), formula=formula)


@memoize(1)
def all_changes() -> list[Change]:
    """Return the changes of 200 random sentences."""
    return changes(languages.sample(N, 0))


@memoize(64)
def of_model(run: Live) -> dict[str, tuple[float, float, float]]:
    """Score the model's translations of both kinds of sentences."""
    model, found = translation.model_of(run), {}
    for name, n_adjective in SETS.items():
        sentences = languages.sample(N, 0, n_adjective)
        written, truth = translation.translate(model, [s.english() for s in sentences]), [s.tamari() for s in sentences]
        shares = translation.shares(written, truth)
        score = bleu([[one.split()] for one in truth], [one.split() for one in written]).score
        found[name] = shares["exact"], shares["words"], score
    return found


def draw(result: Scores, inputs: Inputs) -> None:
    """Draw nothing: the tables are in the text."""
