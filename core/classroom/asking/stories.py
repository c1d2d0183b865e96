"""Stories outside the models' training data, for a class that guesses the next word."""

from random import Random

from core.data.synthetic import stories

FIRST_SEED = 1000  # the models were trained on the stories of seed 0
N_TRIED = 40
FEWEST, LEFT = 8, 12  # the least number of words that are given, and that are left


def story(seed: int) -> str:
    """Return a new story on one line, without direct speech, because quotation marks aren't words."""
    written = stories(N_TRIED, FIRST_SEED + seed).strip().split("\n\n")
    return " ".join(next(one for one in written if '"' not in one).split())


def beginning(seed: int) -> str:
    """Return the first words of a story; the seed also determines how many."""
    words = story(seed).split()
    return " ".join(words[: Random(seed).randrange(FEWEST, len(words) - LEFT)])


def next_word(text: str, seed: int) -> str | None:
    """Return the story's next word or punctuation mark, or None if the text differs from the story."""
    rest = story(seed).removeprefix(text)
    if rest == story(seed) or not rest.strip():
        return None
    word = rest.split()[0]
    return word if not rest[0].isspace() else word.rstrip(".,!?") or word


def append_word(text: str, word: str) -> str:
    """Append a word to a text; a punctuation mark follows without a space."""
    return f"{text}{word}" if word[:1] in ".,!?" else f"{text} {word}"
