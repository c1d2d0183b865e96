"""Stories outside the models' training data, for a class that guesses the next word."""

from random import Random

from core.data.synthetic import write_stories

FIRST_SEED = 1000  # the models were trained on the stories of seed 0
N_CANDIDATE = 40
MIN_WORDS, MIN_WORDS_LEFT = 8, 12  # the least number of words that are given, and that are left


def _unseen_story(seed: int) -> str:
    """Return a new story on one line, without direct speech, because quotation marks aren't words."""
    written = write_stories(N_CANDIDATE, FIRST_SEED + seed).strip().split("\n\n")
    return " ".join(next(one for one in written if '"' not in one).split())


def unseen_story_beginning(seed: int) -> str:
    """Return the first words of a story; the seed also determines how many."""
    words = _unseen_story(seed).split()
    return " ".join(words[: Random(seed).randrange(MIN_WORDS, len(words) - MIN_WORDS_LEFT)])


def true_next_word_of_story(text: str, seed: int) -> str | None:
    """Return the story's next word or punctuation mark, or None if the text differs from the story."""
    rest = _unseen_story(seed).removeprefix(text)
    if rest == _unseen_story(seed) or not rest.strip():
        return None
    word = rest.split()[0]
    return word if not rest[0].isspace() else word.rstrip(".,!?") or word


def append_word(text: str, word: str) -> str:
    """Append a word to a text; a punctuation mark follows without a space."""
    return f"{text}{word}" if word[:1] in ".,!?" else f"{text} {word}"
