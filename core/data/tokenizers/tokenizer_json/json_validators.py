"""The allowed shapes of values in an untrusted tokenizer.json."""

from collections.abc import Callable

# Gemma's vocabulary is the largest that is read: 262,144 tokens.
MAX_TOKENS = 500_000
MAX_PIECE = 1_000  # characters; the longest of GPT-2's has 128

Shape = Callable[[object], bool] | tuple["Shape", ...] | dict[str, "Shape"]
Fields = dict[str, Shape]


def matches_json_shape(value: object, shape: Shape) -> bool:
    """Return whether a value fits a shape: a check, a tuple of checks for a list, or an object with these names."""
    if isinstance(shape, tuple):
        return isinstance(value, list) and len(value) == len(shape) and all(map(matches_json_shape, value, shape))
    if isinstance(shape, dict):
        return (
            isinstance(value, dict)
            and value.keys() == shape.keys()
            and all(matches_json_shape(value[n], shape[n]) for n in shape)
        )
    return shape(value)


def is_short_string(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_PIECE


def is_token_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_TOKENS


def text_length_validator(most: int, least: int = 0) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and least <= len(value) <= most
