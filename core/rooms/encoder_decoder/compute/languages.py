"""English and Tamari, an invented language: every sentence of either has exactly one translation in the other.

    the small dog does not see some white cats now     nu lo kano pico une mile blane vides ne

Tamari differs from English where real languages differ:

- the verb comes last, after the object; "now", "here" and "again" come first, "not" comes last;
- adjectives follow their noun, in reverse order: "small red dog" is "dog red small";
- nouns have a gender (words in -o and words in -a); article and adjectives agree with them in gender and in number;
- verbs end in -s with a singular subject, in -n with a plural one, so the last word depends on the first noun.

A sentence has a subject, a verb, perhaps an object, perhaps "not", perhaps one of the three adverbs, and up to two
adjectives with each noun. `draw_translations` makes sentences with at most two adjectives in total: seven million.
Sentences with three or four follow the same rules, and the longest of them are longer than any of those.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb, factorial

import numpy as np

from core.data.synthetic import draw_option
from core.data.tokenizers.tokenizer_base import ids_before_end
from core.data.tokenizers.word_vocabulary import bare_words

# English singular -> (stem in Tamari, gender).
NOUNS = {
    "dog": ("kan", "o"), "horse": ("kaval", "o"), "boy": ("rag", "o"), "king": ("rek", "o"), "bird": ("av", "o"),
    "cat": ("mil", "a"), "girl": ("tin", "a"), "cow": ("vak", "a"), "queen": ("fir", "a"), "duck": ("pat", "a"),
}  # fmt: skip
ADJECTIVES = {"small": "pic", "big": "grand", "red": "roj", "white": "blan", "young": "jov", "good": "bon"}
TRANSITIVE = {"see": "vide", "love": "ama", "follow": "segi", "find": "trova", "hear": "audi"}
INTRANSITIVE = {"sleep": "dormi", "sing": "kanta", "run": "kore"}
VERBS = {**TRANSITIVE, **INTRANSITIVE}
ADVERBS = {"now": "nu", "here": "aki", "again": "denu"}
NEGATION = "ne"
ENDINGS = {("o", False): "o", ("a", False): "a", ("o", True): "i", ("a", True): "e"}  # (gender, plural) -> ending
ARTICLES = {True: "l", False: "un"}  # definite or not -> article without its ending

MAX_ADJECTIVES = 2  # per noun


@dataclass(frozen=True)
class Phrase:
    """A noun with its article and adjectives."""

    noun: str  # in English, singular
    plural: bool
    definite: bool  # True: "the"; False: "a" or "some"
    adjectives: tuple[str, ...] = ()  # in English, in their English order

    def english(self) -> list[str]:
        article = "the" if self.definite else "some" if self.plural else "a"
        return [article, *self.adjectives, self.noun + "s" * self.plural]

    def tamari(self) -> list[str]:
        stem, gender = NOUNS[self.noun]
        ending = ENDINGS[gender, self.plural]
        turned = [ADJECTIVES[one] for one in reversed(self.adjectives)]
        return [part + ending for part in (ARTICLES[self.definite], stem, *turned)]


@dataclass(frozen=True)
class Sentence:
    """The meaning of a sentence, independent of either language."""

    subject: Phrase  # subject, verb: the verb in its base form, as in "they see"
    verb: str
    target: Phrase | None = None  # the object; None if the verb takes none
    negated: bool = False  # "does not"
    adverb: str = ""  # in English; "" if there is none

    def english(self) -> str:
        """Return the English sentence: subject, verb, object, adverb."""
        is_plural = self.subject.plural
        if self.negated:
            verb = ["do" if is_plural else "does", "not", self.verb]
        else:
            verb = [self.verb + "s" * (not is_plural)]
        return " ".join(
            [*self.subject.english(), *verb, *self._object("english"), *([self.adverb] * bool(self.adverb))]
        )

    def tamari(self) -> str:
        """Return the Tamari sentence: adverb, subject, object, verb, "ne"."""
        first = [ADVERBS[self.adverb]] if self.adverb else []
        verb = VERBS[self.verb] + ("n" if self.subject.plural else "s")
        return " ".join([*first, *self.subject.tamari(), *self._object("tamari"), verb, *([NEGATION] * self.negated)])

    def alignment(self) -> list[int]:
        """Return, for each Tamari word, the index of the English word that it translates ("does" has none)."""
        n_subject = 2 + len(self.subject.adjectives)
        n_target = 2 + len(self.target.adjectives) if self.target else 0
        verb = n_subject + 2 * self.negated
        first = [verb + 1 + n_target] if self.adverb else []
        # Article, noun, then the adjectives, the last one first.
        phrases = [[at, *range(at + n - 1, at, -1)] for at, n in ((0, n_subject), (verb + 1, n_target)) if n]
        return [*first, *(place for phrase in phrases for place in phrase), verb, *[verb - 1] * self.negated]

    @property
    def n_adjective(self) -> int:
        """The number of adjectives in the sentence."""
        return len(self.subject.adjectives) + (len(self.target.adjectives) if self.target else 0)

    def _object(self, language: str) -> list[str]:
        words: list[str] = getattr(self.target, language)() if self.target else []
        return words


USUAL_ADJECTIVES, MANY_ADJECTIVES = (0, 1, 2), (3, 4)  # adjectives per sentence: in training; in longer sentences

PAD, START, END = 0, 1, 2
SPECIAL = ("padding", "start", "end")


def generate_sentences(rng: np.random.Generator, n_adjective: Sequence[int] = USUAL_ADJECTIVES) -> Iterator[Sentence]:
    """Yield sentences without end: four of five short ones have an object, half an adverb, a third "not".

    Args:
        n_adjective: numbers of adjectives per sentence, equally likely; at most 4.

    Raises:
        ValueError: if a number of adjectives isn't possible.
    """
    if not n_adjective or not all(0 <= n <= 2 * MAX_ADJECTIVES for n in n_adjective):
        raise ValueError(f"a sentence can have 0 to {2 * MAX_ADJECTIVES} adjectives, not {n_adjective}")

    def phrase(n: int) -> Phrase:
        chosen = rng.permutation(len(ADJECTIVES))[:n]
        adjectives = tuple(list(ADJECTIVES)[i] for i in chosen)
        return Phrase(draw_option(list(NOUNS), rng), bool(rng.integers(2)), bool(rng.integers(2)), adjectives)

    while True:
        n = int(draw_option(n_adjective, rng))
        has_object = n > MAX_ADJECTIVES or rng.random() < 0.8
        fewest = max(0, n - MAX_ADJECTIVES)
        first = int(rng.integers(fewest, n - fewest + 1)) if has_object else n
        yield Sentence(
            phrase(first),
            draw_option(list(TRANSITIVE if has_object else INTRANSITIVE), rng),
            phrase(n - first) if has_object else None,
            rng.random() < 1 / 3,
            draw_option(list(ADVERBS), rng) if rng.random() < 0.5 else "",
        )


def draw_translations(
    n: int, rng: np.random.Generator, without: Collection[str] = (), n_adjective: Sequence[int] = USUAL_ADJECTIVES
) -> list[tuple[str, str]]:
    """Draw pairs of an English sentence and its Tamari translation.

    Args:
        without: English sentences to exclude, such as those that a model will be tested on.
        n_adjective: see `generate_sentences`.
    """
    pairs: list[tuple[str, str]] = []
    for sentence in generate_sentences(rng, n_adjective):
        if len(pairs) == n:
            break
        english = sentence.english()
        if english not in without:
            pairs.append((english, sentence.tamari()))
    return pairs


def sample_sentences(n: int, seed: int, n_adjective: Sequence[int] = USUAL_ADJECTIVES) -> list[Sentence]:
    """Return the first n sentences of a seed, for measuring or showing; training uses a different generator."""
    return list(islice(generate_sentences(np.random.default_rng([seed, 2]), n_adjective), n))


def count_sentences(n_adjective: Sequence[int] = USUAL_ADJECTIVES) -> int:
    """Return how many different sentences have one of these numbers of adjectives."""
    bare = len(NOUNS) * 2 * 2  # number, definite or not
    orders = [comb(len(ADJECTIVES), k) * factorial(k) for k in range(MAX_ADJECTIVES + 1)]
    around = 2 * (len(ADVERBS) + 1)  # "not" or without; one of the adverbs or none
    alone = sum(bare * orders[k] for k in n_adjective if k <= MAX_ADJECTIVES)
    both = sum(
        bare * orders[i] * bare * orders[k - i]
        for k in n_adjective
        for i in range(MAX_ADJECTIVES + 1)
        if 0 <= k - i <= MAX_ADJECTIVES
    )
    return around * (len(INTRANSITIVE) * alone + len(TRANSITIVE) * both)


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


# These patterns check the words and their order; agreement is checked by writing the sentence again.
_STEMS = {stem: noun for noun, (stem, _) in NOUNS.items()}
_OF_TAMARI = {word: name for words in (ADJECTIVES, ADVERBS, VERBS) for name, word in words.items()}
_ENGLISH_PHRASE = rf"(the|a|some)((?: {_any(ADJECTIVES)})*) ({_any(NOUNS)})(s?)"
_TAMARI_PHRASE = rf"(un|l)[oaie] ({_any(_STEMS)})([oaie])((?: {_any(ADJECTIVES.values())}[oaie])*)"
_ENGLISH = re.compile(
    rf"{_ENGLISH_PHRASE} ((?:does|do) not )?({_any(VERBS)})s?(?: {_ENGLISH_PHRASE})?(?: ({_any(ADVERBS)}))?"
)
_TAMARI = re.compile(
    rf"(?:({_any(ADVERBS.values())}) )?{_TAMARI_PHRASE}(?: {_TAMARI_PHRASE})? "
    rf"({_any(VERBS.values())})[sn]( {NEGATION})?"
)


def parse_english(text: str) -> Sentence | None:
    """Parse an English sentence; None if it isn't in the grammar."""
    text = " ".join(text.lower().split())

    def phrase(article: str, adjectives: str, noun: str, plural: str) -> Phrase:
        return Phrase(noun, bool(plural), article == "the", tuple(adjectives.split()))

    if (found := _ENGLISH.fullmatch(text)) is None:
        return None
    parts = found.groups()
    target = phrase(*parts[6:10]) if parts[6] else None
    return _valid_sentence(Sentence(phrase(*parts[:4]), parts[5], target, bool(parts[4]), parts[10] or ""), text)


def parse_tamari(text: str) -> Sentence | None:
    """Parse a Tamari sentence; None if it isn't in the grammar."""
    text = " ".join(text.lower().split())

    def phrase(article: str, stem: str, ending: str, adjectives: str) -> Phrase:
        turned = tuple(_OF_TAMARI[word[:-1]] for word in reversed(adjectives.split()))
        return Phrase(_STEMS[stem], ending in "ie", article == ARTICLES[True], turned)

    if (found := _TAMARI.fullmatch(text)) is None:
        return None
    parts = found.groups()
    target, adverb = phrase(*parts[5:9]) if parts[5] else None, _OF_TAMARI.get(parts[0], "")
    return _valid_sentence(Sentence(phrase(*parts[1:5]), _OF_TAMARI[parts[9]], target, bool(parts[10]), adverb), text)


def to_tamari(english: str) -> str | None:
    """Translate into Tamari; None if the sentence isn't in the grammar."""
    sentence = parse_english(english)
    return None if sentence is None else sentence.tamari()


def to_english(tamari: str) -> str | None:
    """Translate into English; None if the sentence isn't in the grammar."""
    sentence = parse_tamari(tamari)
    return None if sentence is None else sentence.english()


def _valid_sentence(sentence: Sentence, text: str) -> Sentence | None:
    """Return the sentence if it is grammatical, else None: the verb has an object exactly if it takes one, no noun has
    too many or repeated adjectives, and the sentence is written as in `text`."""
    each = [phrase.adjectives for phrase in (sentence.subject, sentence.target) if phrase]
    fits = all(len(one) <= MAX_ADJECTIVES and len(set(one)) == len(one) for one in each)
    has_object = (sentence.target is not None) == (sentence.verb in TRANSITIVE)
    return sentence if fits and has_object and text in (sentence.english(), sentence.tamari()) else None


def _words() -> tuple[str, ...]:
    """Return every word of both languages, English first."""
    phrases = [Phrase(noun, plural, True) for noun in NOUNS for plural in (False, True)]
    english = ["the", "a", "some", *(one.english()[-1] for one in phrases), *ADJECTIVES]
    english += [*(verb + ending for verb in VERBS for ending in ("s", "")), "does", "do", "not", *ADVERBS]
    endings = list(ENDINGS.values())
    tamari = [article + ending for article in ARTICLES.values() for ending in endings]
    tamari += [*(one.tamari()[-1] for one in phrases), *(stem + e for stem in ADJECTIVES.values() for e in endings)]
    return (*english, *tamari, *(stem + e for stem in VERBS.values() for e in "sn"), NEGATION, *ADVERBS.values())


WORDS = _words()
VOCABULARY = (*SPECIAL, *WORDS)  # the token of each id
N_ENGLISH = WORDS.index(ARTICLES[True] + "o")  # the number of English words
VOCAB_SIZE = len(VOCABULARY)


def encode(text: str) -> list[int]:
    """Return the ids of the words, in lower case; words that neither language has are left out."""
    return [len(SPECIAL) + WORDS.index(word) for word in text.lower().split() if word in WORDS]


def encode_target(text: str) -> list[int]:
    """Return the ids of the words, then the end token."""
    return [*encode(text), END]


def decode(ids: Sequence[int]) -> str:
    """Return the words before the end token."""
    return " ".join(VOCABULARY[i] for i in ids_before_end(ids, END) if i >= len(SPECIAL))


def ids_to_tokens(ids: Sequence[int]) -> list[str]:
    """Return the name of each token."""
    return [VOCABULARY[i] for i in ids]


def split_known_words(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a text into words that are English words here, and words that aren't."""
    words, known = bare_words(text), WORDS[:N_ENGLISH]
    return tuple(w for w in words if w in known), tuple(w for w in words if w not in known)
