"""The reading of a text by any model in a notebook: ours by name, folder or object, or one of Hugging Face's."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import nn

from core.data.checks import describe_value
from core.data.localization.labels import module_labels
from core.data.tokenizers.published_tokenizer import display_piece
from core.data.tokenizers.tokenizer_base import Tokenizer, unused_id_label
from core.inspect.attention_record import AttentionRecord, attention
from core.inspect.model_inputs import model_and_text
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.inspect.model_inputs.model_key import SHIPPED_MODELS, ModelKey
from core.inspect.single_text_models import encoder_or_model, prediction_kind
from core.models.pretrained import Pretrained
from core.models.registry import CONFIGS
from core.notebook import hugging_face

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class ModelReading:
    """A model's attention and predictions on a text of T tokens."""

    tokens: tuple[str, ...]  # for display
    weights: Float[NDArray[np.floating], "L H T T"]  # of all heads of all layers; row t belongs to query t
    mask: Bool[NDArray[np.bool_], "T T"]  # True where a query may attend
    # scores of all tokens of the vocabulary at each position; None for a model without them
    logits: Float[NDArray[np.floating], "T V"] | None
    foresees: bool  # whether the logits predict the next token
    vocabulary: tuple[str, ...]  # its tokens for display
    record: AttentionRecord | None = None  # all operands of attention, for one of our models
    notes: tuple[str, ...] = ()  # notes for the reader, such as that the text was cut


def run_model_on_text(model: Any, text: str, tokenizer: Any = None, most: int | None = None) -> ModelReading:
    """Let a model read a text.

    Args:
        model: the name of one that ships, a folder, one of ours, an object with a `model` and a `tokenizer` (the result
            of `pretrained.load`, or a `TrainRun`), or a model of Hugging Face's that can return its attentions.
        tokenizer: for a model that comes without one.
        most: tokens; only the last ones of a longer text are read.

    Raises:
        ModelUnreadable, ValueError, TypeError: if the model or its tokenizer can't be used.
    """
    if isinstance(model, str | Path):
        given = load_model_and_text(model_key(model).folder, text, most)
        return _of_ours(given.model, given.ids, given.tokens, given.vocabulary, given.encoded.notes)
    network, tokenizer = model_and_tokenizer(model, tokenizer)
    if type(getattr(network, "config", None)) not in CONFIGS.values():
        return _of_another(network, text, tokenizer, most)
    ids = list(tokenizer.encode(text))
    notes = (LABELS("cut", n=len(ids), most=most),) if most and len(ids) > most else ()
    ids = ids[-most:] if most else ids
    names = _names(tokenizer, range(network.config.vocab_size))
    return _of_ours(encoder_or_model(network), ids, tuple(names[i] for i in ids), names, notes)


def load_model(model: str | Path) -> Pretrained:
    """Load the model and the tokenizer of a folder, or of the name of a model that ships.

    Raises ModelUnreadable, ValueError: if there is no such model, or it can't be read.
    """
    return model_and_text.load_text_model(model_key(model))


def model_key(model: str | Path) -> ModelKey:
    """Return the key of a model by its folder or its name. Raises ModelUnreadable, ValueError."""
    if not Path(model).is_dir() and not (SHIPPED_MODELS / model).is_dir():
        ships = ", ".join(sorted(one.name for one in SHIPPED_MODELS.iterdir()))
        raise ValueError(LABELS("no_model", model=repr(str(model)), ships=ships))
    return ModelKey.at(model)


def model_and_tokenizer(model: object, tokenizer: object = None) -> tuple[Any, Any]:
    """Return the network and its tokenizer. Raises TypeError, ValueError."""
    if isinstance(model, str | Path):
        found = load_model(model)
        return found.model, found.tokenizer
    if not isinstance(model, nn.Module) and hasattr(model, "model"):
        model, tokenizer = model.model, tokenizer or getattr(model, "tokenizer", None)
    if not isinstance(model, nn.Module):
        raise TypeError(LABELS("not_a_model", given=describe_value(model)))
    if tokenizer is None:
        raise ValueError(LABELS["needs_tokenizer"])
    return model, tokenizer


def _of_ours(
    model: nn.Module, ids: Sequence[int], tokens: Sequence[str], names: Sequence[str], notes: Sequence[str]
) -> ModelReading:
    record, about = attention(model, ids), prediction_kind(model)
    logits = None if about == "nothing" else record.logits
    return ModelReading(
        tuple(tokens), record.weights, record.mask, logits, about == "next", tuple(names), record, tuple(notes)
    )


def _of_another(model: nn.Module, text: str, tokenizer: Tokenizer, most: int | None) -> ModelReading:
    """Let a Hugging Face model of any architecture read a text; only its own outputs are used."""
    given = hugging_face.encode_inputs(model, text, tokenizer, most)
    weights, output = hugging_face.attentions(model, given)
    logits = output.get("logits")
    has_scores = logits is not None and logits.shape[:2] == given["input_ids"].shape
    return ModelReading(
        tokens=_names(tokenizer, given["input_ids"][0].tolist()),
        weights=weights,
        mask=np.logical_or.reduce(weights > 0, axis=(0, 1)),
        logits=logits[0].float().cpu().numpy() if has_scores else None,
        foresees=has_scores and hugging_face.is_causal(model, given, logits),
        vocabulary=_names(tokenizer, range(logits.shape[-1])) if has_scores else (),
    )


@dataclass(frozen=True)
class LogitsByPosition:
    """The logits of a model for the token after each position, and the tokens for display."""

    tokens: tuple[str, ...]
    logits: Float[NDArray[np.floating], "T V"]
    vocabulary: tuple[str, ...]
    notes: tuple[str, ...] = ()


def predict_next_token(model: object, text: str, tokenizer: object = None) -> LogitsByPosition:
    """Let a model predict the token after each position of a text; Hugging Face's models don't need attention here.

    Raises ModelUnreadable, ValueError, TypeError: if the model can't be used, or doesn't predict the next token.
    """
    if not isinstance(model, str | Path):
        network, own = model_and_tokenizer(model, tokenizer)
        if type(getattr(network, "config", None)) not in CONFIGS.values():
            given = hugging_face.encode_inputs(network, text, own, None)
            logits = hugging_face.causal_lm_logits(network, given)
            tokens = _names(own, given["input_ids"][0].tolist())
            return LogitsByPosition(tokens, logits, _names(own, range(logits.shape[-1])))
    found = run_model_on_text(model, text, tokenizer)
    if found.logits is None or not found.foresees:
        raise ValueError(LABELS["no_next_token"])
    return LogitsByPosition(found.tokens, found.logits, found.vocabulary, found.notes)


def _names(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[str, ...]:
    """Return tokens for display; a model may have more ids than its tokenizer."""
    if hasattr(tokenizer, "tokens"):
        return tuple(tokenizer.tokens([i])[0] if i < tokenizer.vocab_size else unused_id_label(i) for i in ids)
    if not hasattr(tokenizer, "convert_ids_to_tokens"):
        return tuple(tokenizer.decode([i]) for i in ids)
    backend = getattr(tokenizer, "backend_tokenizer", None)
    kind = {"WordPiece": "wordpiece", "BPE": "letter-bpe", "Unigram": "unigram"}.get(
        type(getattr(backend, "model", None)).__name__
    )
    kind = "byte-bpe" if "ByteLevel" in repr(getattr(backend, "pre_tokenizer", None)) else kind
    marks = set(getattr(tokenizer, "added_tokens_decoder", ())) if kind == "byte-bpe" else set()
    pieces = tokenizer.convert_ids_to_tokens(list(ids))
    return tuple(
        unused_id_label(i) if piece is None else display_piece(piece, None if i in marks else kind)
        for i, piece in zip(ids, pieces, strict=True)
    )
