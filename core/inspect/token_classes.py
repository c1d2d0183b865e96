"""What kind of token a token is: by the grammar that wrote the text, or by how it is spelled."""

from collections.abc import Sequence

from core.data.synthetic import story_grammar as stories
from core.data.tokenizers.vocabulary import UNKNOWN, UNKNOWN_NAME

OTHER = "other"
# The order of the legend. Words of the grammar first, most telling first.
STORY_CLASSES = (
    "names",
    "toys",
    "colors",
    "animals",
    "foods",
    "places",
    "pronouns",
    "signs",
    OTHER,
)
SPELLINGS = ("starts a word", "goes on in a word", "digits", "signs", "spaces", "bytes and marks")
_PRONOUNS = "i it he she they you him her his them my your"
_LITTLE = "the a on so very of full little old big"  # words that also stand in phrases such as "the old house"


def story_classes(tokens: Sequence[str]) -> tuple[str, ...]:
    """The class of each token in the stories grammar, one of `STORY_CLASSES`.

    The words come from the lists that the grammar draws from (`core.data.synthetic.story_grammar`), so a class is what
    the story means, not what a model has learned.
    """
    little = set(_LITTLE.split())

    def words(*phrases: str) -> set[str]:
        return {word for phrase in phrases for word in phrase.lower().split() if word not in little}

    of_word: dict[str, str] = {}
    # Later lines win: "house" is a place, "stone" a spot, both are one class here.
    for name, members in (
        ("places", words(*stories.PLACES, *stories.SPOTS) - words("under behind in near")),
        ("foods", words(*stories.FOODS)),
        ("animals", words(*stories.ANIMALS)),
        ("colors", words(*stories.COLORS)),
        ("toys", words(*stories.TOYS)),
        ("names", {person.name.lower() for person in stories.PEOPLE}),
        ("pronouns", set(_PRONOUNS.split())),
    ):
        of_word |= dict.fromkeys(members, name)
    return tuple(of_word.get(token.strip().lower()) or _sign_or_other(token) for token in tokens)


def _sign_or_other(token: str) -> str:
    is_sign = bool(token.strip()) and not any(character.isalnum() for character in token) and token != UNKNOWN
    return "signs" if is_sign or token == "\n" else OTHER


def spellings(tokens: Sequence[str]) -> tuple[str, ...]:
    """How each token is written, one of `SPELLINGS`: what can be said of the tokens of any model."""
    return tuple(map(_spelling, tokens))


def _spelling(token: str) -> str:
    bare = token.strip()
    if not bare:
        return "spaces"
    if "⟨" in token or token in (UNKNOWN, UNKNOWN_NAME):
        return "bytes and marks"
    if bare[0].isalpha():
        return "starts a word" if token[0].isspace() else "goes on in a word"
    return "digits" if bare[0].isdigit() else "signs"
