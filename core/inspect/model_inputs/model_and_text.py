"""A model loaded by its key and shared by all users, a text encoded for it, and both together as an input.

given = read("stories", "Tom and Mia played near the park.")
given.tokens                    # ("Tom", " and", " Mia", ...)
given.attention.weights         # (L, H, T, S)
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.data.localization.labels import module_labels
from core.data.printable import printable_text, quote_briefly
from core.data.sentences import GENERAL, SENTENCES, recipe_sample_text
from core.data.tokenizers import known_word_normalization
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.exhibit import MAX_MODEL_BYTES, MAX_MODELS, MAX_TRACES, content_key, custom_control, freeze_model, memoize
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelKey, ModelUnreadable, read_model_provenance

LABELS = module_labels(__name__)

if TYPE_CHECKING:
    from torch import nn

    from core.data.tokenizers.known_word_normalization import RecasedText
    from core.inspect.attention_record import AttentionRecord
    from core.models.pretrained import Pretrained

OVERFLOW_MESSAGE = LABELS["overflow"]
MAX_TOKENS = 512  # of a text for a model that reads any length
PADDING_TOKEN = "[pad]"
_N_CHECKED_TOKEN = 8  # tokens that a large model reads to check that it computes finite numbers
_LARGE_MODEL_BYTES = 20_000_000  # bytes of weights above which loading takes a noticeable time


@dataclass(frozen=True)
class EncodedText:
    """A text as a model reads it: T ids, at most as many as the model was made for, and their printable tokens."""

    text: str  # the user's text, with words in the case that the model knows
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    notes: tuple[str, ...]  # messages about what was cut or is unknown; plain text, not escaped
    unknown: tuple[str, ...] = ()  # words of the text that the model has no token for, as typed
    most: int | None = None  # the limit of tokens that was asked for
    is_chat: bool = False  # whether it is formatted as a user's turn, see `core.inspect.model_inputs.chat`

    @property
    def ids_key(self) -> str:
        """The ids as a string, for the key of a cached result; `parse_ids_key` reads it."""
        return ",".join(map(str, self.ids))


@dataclass(frozen=True)
class ModelAndText:
    """A readable model, and a text of at least one token."""

    key: ModelKey
    encoded: EncodedText

    @property
    def ids(self) -> tuple[int, ...]:
        return self.encoded.ids

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.encoded.tokens

    @property
    def n_token(self) -> int:
        return len(self.encoded.ids)

    @property
    def model(self) -> "nn.Module":
        """The model as a reader of a single text, see `core.inspect.single_text_models`; shared, so never change it."""
        return load_text_reader(self.key)

    @property
    def config(self) -> Any:
        return load_text_model(self.key).config

    @property
    def tokenizer(self) -> Tokenizer:
        return load_text_model(self.key).text_tokenizer

    @property
    def end_ids(self) -> tuple[int, ...]:
        """The tokens that end a text; () if the model has none."""
        return load_text_model(self.key).end_ids

    @property
    def content(self) -> str:
        """A short key of the model and the text, for the keys of pictures."""
        return content_key(self.key, self.encoded.ids_key)[:12]

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All tokens of the model in printable form, (V,)."""
        return model_vocabulary(self.key)

    @property
    def attention(self) -> "AttentionRecord":
        return text_attention(self.key, self.encoded.ids_key)

    def other(self, text: str, most: int | None = None) -> "ModelAndText":
        """Return the same model with a different text, of which at most `most` tokens are read."""
        return ModelAndText(self.key, encode_text(self.key, text, most))


def load_model_and_text(model: Path | str, text: str, most: int | None = None) -> ModelAndText:
    """Encode a text for a model (a folder, or the name of one that ships), as an input for computations in a notebook.

    The last tokens are used, as many as the model reads, but at most `most`. Raises ModelUnreadable.
    """
    key = ModelKey.at(model)
    return ModelAndText(key, encode_text(key, text, most))


def model_and_text_input(
    text: str = SENTENCES[DEFAULT_MODEL],
    *,
    most: int | None = None,
    kinds: Sequence[str] = ("gpt",),
    model: str = DEFAULT_MODEL,
    chats: bool = False,
) -> Any:
    """Create an input of `core.exhibit`: the model and the text that all exhibits of a room use, with initial values.

    most: maximum number of tokens; kinds: the kinds of models that can be chosen; chats: whether the text can be a turn
    of a chat.
    """
    default = lambda _: load_model_and_text(model, text, most)  # noqa: E731
    return custom_control(
        "core.ui.models.pick_inputs:pick_model_and_text", default, most=most, kinds=kinds, text=text, chats=chats
    )


def load_text_model(key: ModelKey) -> "Pretrained":
    """Load a model and its tokenizer, shared by all users, in evaluation mode and without gradients.

    Raises ModelUnreadable if the files are damaged, missing or not of a supported model, or if there is no tokenizer,
    because then the model can't be given a text.
    """
    model = load_any_model(key)
    if model.tokenizer is None:
        raise ModelUnreadable(LABELS["no_tokenizer"])
    return model


@memoize(
    MAX_MODELS, max_bytes=MAX_MODEL_BYTES, n_byte=lambda made: sum(weight.nbytes for weight in made.model.parameters())
)
def load_any_model(key: ModelKey) -> "Pretrained":
    """Load a model with or without a tokenizer, like `load_text_model`. Raises ModelUnreadable."""
    from core.models import pretrained

    try:
        if not key.folder.is_dir():  # the message of `load_text_model` would reveal a path of this server
            raise ModelUnreadable(LABELS["gone"])
        loaded = pretrained.load(key.folder)
    except (pretrained.ImportRefused, OSError) as error:
        is_sentence = isinstance(error, pretrained.ImportRefused) and error.is_sentence
        raise ModelUnreadable(
            LABELS("unreadable_sentence" if is_sentence else "unreadable_model", error=error)
        ) from error
    freeze_model(loaded.model)
    return loaded


def load_text_reader(key: ModelKey) -> "nn.Module":
    """Load the model as a reader of a single text: itself, or an encoder-decoder's encoder."""
    from core.inspect.single_text_models import encoder_or_model

    return encoder_or_model(load_text_model(key).model)  # not cached: the cache would keep evicted models alive


def model_prediction_kind(key: ModelKey) -> str:
    """Return which token the model's logits predict: "next", "here" or "nothing"."""
    from core.inspect import single_text_models

    return single_text_models.prediction_kind(load_text_model(key).model)


_MAX_WORD_TOKENS = 32  # tokens to search for the beginning of a word; in any script, a letter may take several bytes


@memoize(MAX_TRACES)
def encode_text(key: ModelKey, text: str, most: int | None = None) -> EncodedText:
    """Tokenize a text for a model, with notes on what was cut or is unknown.

    If a text is too long, its last tokens are used, as in `core.generate`, because the next token depends on them. The
    first token used begins a word. Special tokens that the tokenizer puts around every text, such as [CLS] and [SEP],
    are always included, because no BERT has ever read a text without them. `most` limits the number of tokens below
    the model's own limit.
    """
    from core.generate.cache import reading_limit

    model = load_text_model(key)
    tokenizer = model.text_tokenizer
    normalized = known_word_normalization.recase_words_to_vocabulary(tokenizer, text)
    ids = tokenizer.encode(normalized.text)
    reads = reading_limit(model.model)
    limit = min(filter(None, (reads or MAX_TOKENS, most)))
    notes = []
    if len(ids) > limit:
        begin, end = (list(getattr(tokenizer, side, ())) for side in ("before", "after"))
        if len(begin) + len(end) >= limit:
            begin, end = [], []
        n_last = limit - len(begin) - len(end)
        inner = ids[len(begin) : len(ids) - len(end)] if begin or end else ids
        # At the model's own limit, the text is cut where generation would cut it, even inside a word.
        last = _last_words(tokenizer, inner, n_last) if limit == most else inner[len(inner) - n_last :]
        before, after = (" ".join(tokenizer.tokens(side)) for side in (begin, end))
        why = LABELS("too_long" if limit == reads else "unreadable", n_token=len(ids), limit=limit)
        which = "used_between" if begin and end else "used_with" if begin or end else "used"
        used = LABELS(which, n_last=len(last), before=before, after=after, mark=before or after)
        notes.append(f"{why} {used}")
        ids = begin + last + end
        normalized = known_word_normalization.restrict_normalization_report(
            tokenizer, normalized, tokenizer.decode(last)
        )
    tokens = tokenizer.tokens(ids)
    notes += _notes_on_words(tokenizer, normalized, ids)
    return EncodedText(normalized.text, tuple(ids), tuple(tokens), tuple(notes), normalized.unknown, most)


def _last_words(tokenizer: Tokenizer, ids: list[int], most: int) -> list[int]:
    """Return the last tokens, at most `most`, starting at the beginning of a word; if there is none, all `most` tokens.

    The browser's version: `assets/widgets/engine/last_words.js`.
    """
    last = ids[len(ids) - most :]
    whole = tokenizer.decode(ids)
    for k in range(min(most, _MAX_WORD_TOKENS)):
        end = tokenizer.decode(last[k:])
        before = len(whole) - len(end) - 1
        if not end or not whole.endswith(end):
            continue
        if before < 0 or not (_is_of_a_word(whole[before]) and _is_of_a_word(end[0])):
            return last[k:]
    return last


def _is_of_a_word(character: str) -> bool:
    return character in "_'’" or unicodedata.category(character)[0] in "LNM"


def parse_ids_key(ids_key: str) -> list[int]:
    """Convert an `EncodedText.ids_key` back to ids."""
    return [int(token) for token in ids_key.split(",")]


@memoize(MAX_TRACES)
def text_attention(key: ModelKey, ids_key: str) -> "AttentionRecord":
    """Record a model's attention on a text (`core.inspect.attention_record`); for an encoder-decoder, its encoder's."""
    from core.inspect import attention_record

    return attention_record.attention(load_text_reader(key), parse_ids_key(ids_key))


@memoize(MAX_TRACES)
def has_nonfinite_output(key: ModelKey, ids_key: str) -> bool:
    """Return whether the model computes infinity or NaN from a text, as after a training run that diverged.

    Its weights are finite, because otherwise it could not be opened. A large model reads only the first tokens: a
    second pass over the whole text would double the time until the pictures appear.
    """
    import torch

    from core.inspect import attention_record

    model, ids = load_text_reader(key), parse_ids_key(ids_key)
    with torch.no_grad():
        output = model(attention_record.as_batch(model, ids[:_N_CHECKED_TOKEN] if is_large_model(key) else ids))
    return attention_record.has_overflowed(output)


@memoize(MAX_MODELS)
def model_vocabulary(key: ModelKey) -> tuple[str, ...]:
    """Return the model's tokens as printable strings, in the order of their ids."""
    return load_text_model(key).vocabulary


def _notes_on_words(tokenizer: Tokenizer, text: "RecasedText", ids: Sequence[int]) -> list[str]:
    """Return notes on words that are read in a different case, and on words that the model does not know."""
    notes = letter_case_notes(text.changed)
    if _is_lowercased(tokenizer, text.text):
        notes.append(LABELS["lowercases"])
    unknown: int | None = getattr(tokenizer, "unknown_id", None)
    words = quote_first_words(text.unknown)
    if text.unknown and unknown is None:
        notes.append(LABELS("spelled", words=words, n=len(text.unknown)))
    elif unknown is not None and (text.unknown or unknown in ids):
        stand_in = tokenizer.tokens([unknown])[0]
        key = "unknown_words" if words else "unknown_tokens"
        notes.append(LABELS(key, words=words, n_unknown=ids.count(unknown), n_token=len(ids), stand_in=stand_in))
    return notes


def _is_lowercased(tokenizer: Tokenizer, text: str) -> bool:
    """Return whether the tokenizer reads a text with capitals like the lowercased text, apart from unknown tokens."""
    ids = list(tokenizer.encode(text))
    if text == text.lower() or getattr(tokenizer, "unknown_id", None) in ids:
        return False
    return ids == list(tokenizer.encode(text.lower()))


def sample_text_of(key: ModelKey) -> str:
    """Return a text like those that the model was trained on."""
    about = read_model_provenance(key.folder)
    return recipe_sample_text(about.get("recipe") or {}) or (
        SENTENCES[DEFAULT_MODEL] if about and not key.is_opened else GENERAL
    )


@memoize(4 * MAX_MODELS)
def is_large_model(key: ModelKey) -> bool:
    """Return whether the model's files are so large that loading takes a noticeable time."""
    try:
        return sum(file.stat().st_size for file in key.folder.glob("*.safetensors")) >= _LARGE_MODEL_BYTES
    except OSError:
        return False


def tokens_to_text_pieces(key: ModelKey, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return tokens that join to the text, also for vocabularies that mark continuing pieces, not word beginnings."""
    from core.inspect import vocabulary_facts

    return vocabulary_facts.add_word_start_spaces(load_text_model(key).text_tokenizer, tokens)


def letter_case_notes(changed: Mapping[str, str]) -> list[str]:
    """Return a note on words that are read in a different case than typed; plain text, not escaped."""
    pairs = [
        LABELS("read_as", typed=quote_briefly(typed, 16), known=quote_briefly(known, 16))
        for typed, known in changed.items()
    ]
    return [LABELS("recased", words=_first_five(pairs))] if pairs else []


def quote_first_words(words: Sequence[str]) -> str:
    """Return the first few words, quoted, for a message that still has to be escaped."""
    return _first_five([quote_briefly(printable_text(word), 16) for word in dict.fromkeys(words)])


def _first_five(quoted: Sequence[str]) -> str:
    first = ", ".join(quoted[:5])
    return LABELS("and_more", words=first, n_more=len(quoted) - 5) if len(quoted) > 5 else first


def pad_id(key: ModelKey) -> int:
    """Return the padding token: the model's own for padding or for unknown words, else its first. Any would do."""
    tokenizer = load_text_model(key).text_tokenizer
    candidates = (getattr(tokenizer, name, None) for name in ("pad_id", "unknown_id"))
    return next((int(i) for i in candidates if i is not None), 0)


def room_for_padding(key: ModelKey, n_token: int, most: int) -> int:
    """Return how many padding tokens fit after n_token real ones: `most`, or fewer if the model's context ends."""
    from core.generate.cache import reading_limit

    limit = reading_limit(load_text_model(key).model)
    return most if limit is None else max(0, min(most, limit - n_token))
