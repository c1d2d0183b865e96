"""The words and the grammar of a bit of English and of Tamari, an invented language; see `languages`."""

from dataclasses import dataclass

# English singular: its stem in Tamari, its gender.
NOUNS = {
    "dog": ("kan", "o"), "horse": ("kaval", "o"), "boy": ("rag", "o"), "king": ("rek", "o"), "bird": ("av", "o"),
    "cat": ("mil", "a"), "girl": ("tin", "a"), "cow": ("vak", "a"), "queen": ("fir", "a"), "duck": ("pat", "a"),
}  # fmt: skip
ADJECTIVES = {"small": "pic", "big": "grand", "red": "roj", "white": "blan", "young": "jov", "good": "bon"}
TRANSITIVE = {"see": "vide", "love": "ama", "follow": "segi", "find": "trova", "hear": "audi"}
INTRANSITIVE = {"sleep": "dormi", "sing": "kanta", "run": "kore"}
VERBS = {**TRANSITIVE, **INTRANSITIVE}
ADVERBS = {"now": "nu", "here": "aki", "again": "denu"}
NOT = "ne"
ENDINGS = {("o", False): "o", ("a", False): "a", ("o", True): "i", ("a", True): "e"}  # (gender, plural) -> ending
ARTICLES = {True: "l", False: "un"}  # definite or not, without its ending

MOST_ADJECTIVES = 2  # with one noun


@dataclass(frozen=True)
class Phrase:
    """A noun with what belongs to it."""

    noun: str  # in English, singular
    plural: bool  # several of them; definite: "the", else "a" or "some"
    definite: bool
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
    """What is said, in neither language."""

    subject: Phrase  # subject, verb: the verb as in "they see"
    verb: str
    target: Phrase | None = None  # the object; None where the verb takes none
    negated: bool = False  # "does not"
    adverb: str = ""  # in English; "" without

    def english(self) -> str:
        """Subject, verb, object, adverb."""
        is_plural = self.subject.plural
        if self.negated:
            verb = ["do" if is_plural else "does", "not", self.verb]
        else:
            verb = [self.verb + "s" * (not is_plural)]
        return " ".join(
            [*self.subject.english(), *verb, *self._object("english"), *([self.adverb] * bool(self.adverb))]
        )

    def tamari(self) -> str:
        """Adverb, subject, object, verb, "ne"."""
        first = [ADVERBS[self.adverb]] if self.adverb else []
        verb = VERBS[self.verb] + ("n" if self.subject.plural else "s")
        return " ".join([*first, *self.subject.tamari(), *self._object("tamari"), verb, *([NOT] * self.negated)])

    def alignment(self) -> list[int]:
        """For each Tamari word, the place of the English word that it translates ("does" is none)."""
        n_subject = 2 + len(self.subject.adjectives)
        n_target = 2 + len(self.target.adjectives) if self.target else 0
        verb = n_subject + 2 * self.negated
        first = [verb + 1 + n_target] if self.adverb else []
        # Article, noun, then the adjectives, the last one first.
        phrases = [[at, *range(at + n - 1, at, -1)] for at, n in ((0, n_subject), (verb + 1, n_target)) if n]
        return [*first, *(place for phrase in phrases for place in phrase), verb, *[verb - 1] * self.negated]

    @property
    def n_adjective(self) -> int:
        """In all."""
        return len(self.subject.adjectives) + (len(self.target.adjectives) if self.target else 0)

    def _object(self, language: str) -> list[str]:
        words: list[str] = getattr(self.target, language)() if self.target else []
        return words
