"""The regular expressions by which published tokenizers cut a text into words: only these are run.

A bad expression can take hours for one line of text, and whether one is bad cannot be told by looking at it. So a
stranger's file may only name one of these, letter by letter. Each takes a time that grows with the text and no faster,
as a test measures on the letters that are worst for them.
"""

from core.data.tokenizers.published.shapes import MAX_PIECE, fits, short_text

# English endings, as they are told apart from their word: "it's" is "it" and "'s".
_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"


def _words(digits: str, letters: str = r"\p{L}+", no_sign: str = r"\s\p{L}\p{N}") -> str:
    """Words with the sign before them, numbers, signs with their line ends, spaces: as tiktoken's cl100k does."""
    return rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?{letters}|{digits}| ?[^{no_sign}]+[\r\n]*|{_SPACES}"


def _capitals(digits: str, endings: str) -> str:
    """The same, which also cut where capital letters begin: as tiktoken's o200k does."""
    before = r"[^\r\n\p{L}\p{N}]?"
    return (
        rf"{before}[{_UPPER}]*[{_LOWER}]+{endings}|{before}[{_UPPER}]+[{_LOWER}]*{endings}"
        rf"|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
    )


PATTERNS = frozenset(
    {
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",  # GPT-2
        _words(r"\p{N}{1,3}"),  # Llama 3, OLMo 2, Phi-4, SmolLM3
        _words(r"\p{N}"),  # Qwen2, Qwen2.5, Qwen3
        _words(r"\p{N}", r"[\p{L}\p{M}]+", r"\s\p{L}\p{M}\p{N}"),  # Qwen3.5
        _capitals(r"\p{N}{1,3}", f"{_ENDINGS}?"),  # o200k: gpt-oss, Phi-4-mini
        _capitals(r"\p{N}", ""),  # Mistral Nemo
        r"\p{N}",  # each digit by itself
        r"\d",
    }
)
RUN_OF_SPACES = " {2,}"


def can_cut(value: object) -> bool:
    """A pattern at which a text may be cut: a plain string, or one of `PATTERNS`."""
    return _is_plain(value) or fits(value, {"Regex": lambda given: isinstance(given, str) and given in PATTERNS})


def can_be_replaced(value: object) -> bool:
    """A pattern that may be replaced: a plain string, or the one expression that SentencePiece's converter writes."""
    return _is_plain(value) or value == {"Regex": RUN_OF_SPACES}


def shortest_match(value: dict[str, str]) -> int:
    """How many letters a pattern that may be replaced finds, at least."""
    return 2 if "Regex" in value else len(value.get("String", ""))


def _is_plain(value: object) -> bool:
    return fits(value, {"String": short_text(MAX_PIECE, 1)})
