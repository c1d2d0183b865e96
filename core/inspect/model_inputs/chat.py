"""A text as the user's turn of a chat, formatted with the special tokens of the model's chat template.

given = _load_model_and_chat("path/to/SmolLM2", "Who are you?")
given.tokens                    # ("<|im_start|>", "user", ...)
"""

from pathlib import Path

from core.data.localization.labels import module_labels
from core.data.tokenizers.chat import ChatRefused, read_chat_template, render_chat, special_tokens_of
from core.exhibit import MAX_TRACES, memoize
from core.inspect.model_inputs.model_and_text import MAX_TOKENS, EncodedText, ModelAndText, load_text_model
from core.inspect.model_inputs.model_key import ModelKey

LABELS = module_labels(__name__)

__all__ = ["ChatRefused", "encode_chat", "has_chat_template"]


def _load_model_and_chat(model: Path | str, text: str, most: int | None = None) -> ModelAndText:
    """Return a model with a text as a user's turn of its chat. Raises ModelUnreadable or ChatRefused."""
    key = ModelKey.at(model)
    return ModelAndText(key, encode_chat(key, text, most))


@memoize(MAX_TRACES)
def has_chat_template(key: ModelKey) -> bool:
    """Return whether a model has a chat template that can be parsed; running it may still fail."""
    try:
        return hasattr(load_text_model(key).tokenizer, "encode_bare") and read_chat_template(key.folder) is not None
    except ChatRefused:
        return False


@memoize(MAX_TRACES)
def encode_chat(key: ModelKey, text: str, most: int | None = None) -> EncodedText:
    """Format the text as a user's turn with the model's chat template, up to the beginning of the model's turn.

    Raises ChatRefused if there is no template or it can't be run.
    """
    from core.generate.cache import reading_limit

    template = read_chat_template(key.folder)
    found = load_text_model(key)
    tokenizer = found.text_tokenizer
    if template is None or not hasattr(tokenizer, "encode_bare"):
        raise ChatRefused(LABELS["no_template"])
    written = render_chat(template, [{"role": "user", "content": text}], special=special_tokens_of(key.folder))
    ids = tokenizer.encode_bare(written)
    reads = reading_limit(found.model)
    limit = min(filter(None, (reads or MAX_TOKENS, most)))
    notes: tuple[str, ...] = ()
    if len(ids) > limit:
        notes = (LABELS("too_long", n_ids=len(ids), limit=limit),)
        ids = ids[-limit:]
    return EncodedText(text, tuple(ids), tuple(tokenizer.tokens(ids)), notes, (), most, is_chat=True)
