"""Text of four topics in the same characters, so that topic and kind of token can be told apart."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from core.data import corpora
from core.data.tokenizers import CharTokenizer

TOPICS = ("stories", "manual", "code", "sums")
NAMES: Mapping[str, str] = {"stories": "Stories", "manual": "A manual", "code": "Program code", "sums": "Sums"}
N_CHARACTER = 150_000  # of each topic
SUMS_SEED = 0
KINDS = ("vowels", "consonants", "capitals", "digits", "spaces", "signs")


def texts() -> dict[str, str]:
    """Topic -> as many characters: little stories, Python's manual, its library's code, and sums of two numbers.

    Raises ValueError: in plain words, where this Python came without one of the texts.
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


def encoded(given: Mapping[str, str]) -> tuple[CharTokenizer, dict[str, Int[Tensor, " N"]]]:
    """A token for each character of all topics together, and the topics in tokens."""
    tokenizer = CharTokenizer.train("".join(given.values()))
    return tokenizer, {topic: torch.tensor(tokenizer.encode(text)) for topic, text in given.items()}


def kind_of(character: str) -> int:
    """The place of a character's kind in `KINDS`."""
    if character.isspace():
        return KINDS.index("spaces")
    if character.isdigit():
        return KINDS.index("digits")
    if character.isalpha():
        is_vowel = character in "aeiou"
        return KINDS.index("capitals" if character.isupper() else "vowels" if is_vowel else "consonants")
    return KINDS.index("signs")
