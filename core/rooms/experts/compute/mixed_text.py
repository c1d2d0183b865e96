"""Text on four topics in one character set, so that the effect of topic and of kind of character can be separated."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.tokenizers import CharTokenizer

LABELS = module_labels(__name__)

TOPICS = ("stories", "manual", "code", "sums")
TOPIC_NAMES: Mapping[str, str] = LABELS.options("topic", *TOPICS)
TOPIC_NAMES_IN_TEXT: Mapping[str, str] = LABELS.options("topic_in_text", *TOPICS)
N_CHARACTER = 150_000  # per topic
SUMS_SEED = 0
CHARACTER_KINDS = ("vowels", "consonants", "capitals", "digits", "spaces", "signs")


def load_topic_texts() -> dict[str, str]:
    """Return the same number of characters for each topic: stories, Python's manual, its library's code, and sums.

    Raises ValueError: if this Python was installed without one of the texts.
    """
    rng = np.random.default_rng(SUMS_SEED)
    sums = "".join(f"{a} + {b} = {a + b}\n" for a, b in rng.integers(0, 100, (N_CHARACTER // 10, 2)))
    found = {
        "stories": corpora.load("stories").text,
        "manual": corpora.load("python-topics").text,
        "code": corpora.load("python-library").text,
        "sums": sums,
    }
    return {topic: found[topic][:N_CHARACTER] for topic in TOPICS}


def encode_topics(given: Mapping[str, str]) -> tuple[CharTokenizer, dict[str, Int[Tensor, " N"]]]:
    """Return a character tokenizer trained on all topics together, and each topic as token ids."""
    tokenizer = CharTokenizer.train("".join(given.values()))
    return tokenizer, {topic: torch.tensor(tokenizer.encode(text)) for topic, text in given.items()}


def character_kind(character: str) -> int:
    """Return the index of a character's kind in `CHARACTER_KINDS`."""
    if character.isspace():
        return CHARACTER_KINDS.index("spaces")
    if character.isdigit():
        return CHARACTER_KINDS.index("digits")
    if character.isalpha():
        is_vowel = character in "aeiou"
        return CHARACTER_KINDS.index("capitals" if character.isupper() else "vowels" if is_vowel else "consonants")
    return CHARACTER_KINDS.index("signs")
