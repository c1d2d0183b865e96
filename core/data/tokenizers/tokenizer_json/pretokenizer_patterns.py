"""The regular expressions by which published tokenizers split a text into words: only these are run.

A bad expression can take hours for one line of text, and it isn't possible to recognize one by inspection. So an
untrusted file may only contain one of these, letter by letter. The time of each is linear in the length of the text; a
test measures that on the inputs that are worst for them.
"""

from core.data.tokenizers.tokenizer_json.json_validators import MAX_PIECE, matches_json_shape, text_length_validator

# English endings, which are split from their word: "it's" is "it" and "'s".
_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"


def _words(digits: str, letters: str = r"\p{L}+", no_sign: str = r"\s\p{L}\p{N}") -> str:
    """Return a pattern like tiktoken's cl100k: words with a sign before them, numbers, signs with line ends, spaces."""
    return rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?{letters}|{digits}| ?[^{no_sign}]+[\r\n]*|{_SPACES}"


def _capitals(digits: str, endings: str) -> str:
    """Return a pattern like tiktoken's o200k, which also splits where capital letters begin."""
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


def is_safe_split_pattern(value: object) -> bool:
    """Return whether a text may be split at this pattern: a plain string, or one of `PATTERNS`."""
    return _is_plain(value) or matches_json_shape(
        value, {"Regex": lambda given: isinstance(given, str) and given in PATTERNS}
    )


def is_replaceable_pattern(value: object) -> bool:
    """Return whether a pattern may be replaced: a plain string, or the expression of SentencePiece's converter."""
    return _is_plain(value) or value == {"Regex": RUN_OF_SPACES}


def min_match_length(value: dict[str, str]) -> int:
    """Return the least number of letters that a replaceable pattern matches."""
    return 2 if "Regex" in value else len(value.get("String", ""))


def _is_plain(value: object) -> bool:
    return matches_json_shape(value, {"String": text_length_validator(MAX_PIECE, 1)})
