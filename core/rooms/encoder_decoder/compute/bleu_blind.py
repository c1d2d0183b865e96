"""What BLEU does not see: small mistakes that turn the meaning, and other words for the same meaning.

Every sentence is changed in one way. Mistakes are made in Tamari, where the grammar says what is right; other words for
the same are taken in English, which every reader can judge.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.rooms.encoder_decoder.compute.bleu import bleu
from core.rooms.encoder_decoder.compute.languages import Sentence

Rewrite = Callable[[Sentence], tuple[str, str] | None]  # -> (right, changed); None where it does not apply


@dataclass(frozen=True)
class Change:
    """One way to change a sentence, over all sentences in which it can be made."""

    name: str  # what is done
    is_wrong: bool  # whether the meaning is another one then, or the grammar broken
    outcome: str  # which of these, in words
    score: float  # corpus BLEU of the changed sentences against the right ones
    n: int  # how many sentences
    right: str  # right, changed: of the first of them
    changed: str


def turned_round(sentence: Sentence) -> tuple[str, str] | None:
    """Who does it and to whom is exchanged, with everything that agrees."""
    if sentence.target is None or sentence.target == sentence.subject:
        return None
    return sentence.tamari(), replace(sentence, subject=sentence.target, target=sentence.subject).tamari()


def denied(sentence: Sentence) -> tuple[str, str] | None:
    """The word for "not" is left out, or put in."""
    return sentence.tamari(), replace(sentence, negated=not sentence.negated).tamari()


def wrong_ending(sentence: Sentence) -> tuple[str, str] | None:
    """The verb does not agree with its subject."""
    words = sentence.tamari().split()
    at = len(words) - 1 - sentence.negated
    turned = [*words[:at], words[at][:-1] + ("n" if words[at][-1] == "s" else "s"), *words[at + 1 :]]
    return " ".join(words), " ".join(turned)


def wrong_gender(sentence: Sentence) -> tuple[str, str] | None:
    """The first article has the other gender."""
    words = sentence.tamari().split()
    at = int(bool(sentence.adverb))
    words[at] = words[at][:-1] + {"o": "a", "a": "o", "i": "e", "e": "i"}[words[at][-1]]
    return sentence.tamari(), " ".join(words)


def adverb_first(sentence: Sentence) -> tuple[str, str] | None:
    """English: the adverb to the front, where it may stand just as well."""
    if not sentence.adverb:
        return None
    right = sentence.english()
    return right, " ".join([right.split()[-1], *right.split()[:-1]])


def short_form(sentence: Sentence) -> tuple[str, str] | None:
    """English: one word for two."""
    if not sentence.negated:
        return None
    right = sentence.english()
    return right, right.replace("does not", "doesn’t").replace("do not", "don’t")


def other_words(sentence: Sentence) -> tuple[str, str] | None:
    """English: little for small, large for big."""
    right = sentence.english()
    changed = right.replace("small", "little").replace("big", "large")
    return None if changed == right else (right, changed)


WRONG: dict[str, Rewrite] = {
    "“not” left out, or put in": denied,
    "subject and object swapped": turned_round,
    "wrong verb ending": wrong_ending,
    "wrong gender of an article": wrong_gender,
}
BROKEN = ("wrong verb ending", "wrong gender of an article")
FINE: dict[str, Rewrite] = {
    "adverb first": adverb_first,
    "doesn’t for does not": short_form,
    "little for small, large for big": other_words,
}


def changes(sentences: Sequence[Sentence]) -> list[Change]:
    """Corpus BLEU of each change, over the sentences in which it can be made."""
    found = []
    for rewrites, is_wrong in ((WRONG, True), (FINE, False)):
        for name, rewrite in rewrites.items():
            made = [pair for one in sentences if (pair := rewrite(one)) is not None]
            score = bleu([[right.split()] for right, _ in made], [changed.split() for _, changed in made]).score
            outcome = "the same" if not is_wrong else "grammar broken" if name in BROKEN else "different"
            found.append(Change(name, is_wrong, outcome, score, len(made), *made[0]))
    return found
