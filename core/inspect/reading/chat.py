"""A text as the user's turn of a chat, formatted with the special tokens of the model's chat template.

given = read_chat("path/to/SmolLM2", "Who are you?")
given.tokens                    # ("<|im_start|>", "user", ...)
"""

from pathlib import Path

from core.data.tokenizers.chat import ChatRefused, render, special_of, template_of
from core.exhibit import MAX_TRACES, memoize
from core.inspect.reading.model_and_text import MAX_TOKENS, Encoded, ModelAndText, load_text_model
from core.inspect.reading.model_key import ModelKey

__all__ = ["ChatRefused", "as_chat", "can_chat", "read_chat"]


def read_chat(model: Path | str, text: str, most: int | None = None) -> ModelAndText:
    """Return a model with a text as a user's turn of its chat. Raises ModelUnreadable or ChatRefused."""
    key = ModelKey.at(model)
    return ModelAndText(key, as_chat(key, text, most))


@memoize(MAX_TRACES)
def can_chat(key: ModelKey) -> bool:
    """Return whether a model has a chat template that can be parsed; running it may still fail."""
    try:
        return hasattr(load_text_model(key).tokenizer, "encode_bare") and template_of(key.folder) is not None
    except ChatRefused:
        return False


@memoize(MAX_TRACES)
def as_chat(key: ModelKey, text: str, most: int | None = None) -> Encoded:
    """Format the text as a user's turn with the model's chat template, up to the beginning of the model's turn.

    Raises ChatRefused if there is no template or it can't be run.
    """
    from core.generate.cache import reading_limit

    template = template_of(key.folder)
    found = load_text_model(key)
    tokenizer = found.text_tokenizer
    if template is None or not hasattr(tokenizer, "encode_bare"):
        raise ChatRefused("this model has no chat template")
    written = render(template, [{"role": "user", "content": text}], special=special_of(key.folder))
    ids = tokenizer.encode_bare(written)
    reads = reading_limit(found.model)
    limit = min(filter(None, (reads or MAX_TOKENS, most)))
    notes: tuple[str, ...] = ()
    if len(ids) > limit:
        notes = (f"With its marks the text has {len(ids):,} tokens. The last {limit} are used.",)
        ids = ids[-limit:]
    return Encoded(text, tuple(ids), tuple(tokenizer.tokens(ids)), notes, (), most, is_chat=True)
