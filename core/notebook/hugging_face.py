"""Models of Hugging Face's transformers in a notebook, of any architecture; only their own outputs are used."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.models.imports.published import KIND_OF

LABELS = module_labels(__name__)

# The errors of a model that needs other inputs in addition to a text, or can't return its attentions.
_READING_ERRORS = (AttributeError, IndexError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError)


def _is_transformers_model(model: nn.Module) -> bool:
    """True if this is a model of transformers: its config has a type."""
    return hasattr(getattr(model, "config", None), "model_type")


def encode_inputs(model: nn.Module, text: str, tokenizer: Any, most: int | None) -> dict[str, Tensor]:
    """Return the text as the model's inputs (1, T).

    Args:
        most: tokens that a picture can show.

    Raises TypeError, ValueError: if the model doesn't read text, or the text is too long.
    """
    if not _is_transformers_model(model):
        raise TypeError(LABELS("not_a_model", model=_name(model)))
    if not callable(tokenizer):
        raise TypeError(LABELS("not_a_tokenizer", kind=type(tokenizer).__name__))
    if (reads := getattr(model, "main_input_name", "input_ids")) != "input_ids":
        raise ValueError(LABELS("reads_no_text", model=_name(model), inputs=reads.replace("_", " ")))
    given = dict(tokenizer(text, return_tensors="pt"))
    n_token, limit = given["input_ids"].shape[1], getattr(model.config, "max_position_embeddings", None)
    if n_token == 0:
        raise ValueError(LABELS["no_tokens"])
    if most and n_token > most:
        raise ValueError(LABELS("too_long_for_picture", n_token=n_token, most=most))
    if isinstance(limit, int) and 0 < limit < n_token:
        raise ValueError(LABELS("too_long_for_model", n_token=n_token, model=_name(model), limit=limit))
    return given


def attentions(model: nn.Module, given: dict[str, Tensor]) -> tuple[Float[NDArray[np.floating], "L H T T"], Any]:
    """Return the attention weights of all layers, and the model's whole output.

    Raises ValueError: if it has no attention, or none that can be shown as one grid.
    """
    with _eager(model):
        output = _run(model, given, output_attentions=True)
    n_token = given["input_ids"].shape[1]
    found = [one for one in output.get("attentions") or () if one is not None and one.shape[2:] == (n_token, n_token)]
    if not found and _has_heads(model):
        raise ValueError(LABELS("no_weights", model=_name(model)))
    if not found:
        raise ValueError(LABELS("no_attention", model=_name(model)))
    if len({one.shape for one in found}) > 1:
        raise ValueError(LABELS("unequal_layers", model=_name(model)))
    return torch.cat(found).float().cpu().numpy(), output


def causal_lm_logits(model: Any, given: dict[str, Tensor]) -> Float[NDArray[np.floating], "T V"]:
    """Return the logits of a model that predicts the token after each position; its attention isn't needed.

    Raises ValueError: if it predicts something else or nothing.
    """
    if model.config.is_encoder_decoder:
        raise ValueError(LABELS("own_decoder", model=_name(model)))
    logits = _run(model, given).get("logits")
    if logits is None:
        raise ValueError(LABELS("no_output_layer", model=_name(model)))
    if not is_causal(model, given, logits):
        raise ValueError(LABELS("not_causal", model=_name(model)))
    return logits[0].float().cpu().numpy()


def is_causal(model: nn.Module, given: dict[str, Tensor], logits: Tensor) -> bool:
    """True if these are next-token logits: over the vocabulary at each position, independent of the tokens after it.

    Only the influence of the last token is tested.
    """
    if logits.shape[:2] != given["input_ids"].shape or not _name(model).endswith(("ForCausalLM", "LMHeadModel")):
        return False
    other = given["input_ids"].clone()
    other[0, -1] = (other[0, -1] + 1) % logits.shape[-1]
    again = _run(model, given | {"input_ids": other})["logits"]
    change = (logits - again).abs().float()[0].amax(-1)  # (T,)
    return bool((change[:-1] <= 1e-5 * change[-1]).all())


def raise_cannot_run_in_browser(model: Any) -> NoReturn:
    """Raise ValueError: the browser can't run this model as it is; the message says what to do next."""
    if not _is_transformers_model(model):
        raise TypeError(LABELS("not_a_browser_model", model=_name(model)))
    if KIND_OF.get(model.config.model_type) == "gpt":
        raise ValueError(LABELS("save_first", model=_name(model)))
    raise ValueError(LABELS("not_in_browser", model=_name(model)))


def _run(model: Any, given: dict[str, Tensor], **options: bool) -> Any:
    """Return the output of the model or its encoder, in evaluation mode. Raises ValueError if it can't read a text."""
    whole, was_training = model, model.training
    reader = model.get_encoder() if model.config.is_encoder_decoder else model
    whole.eval()
    try:
        with torch.no_grad():
            return reader(**{name: one.to(whole.device) for name, one in given.items()}, return_dict=True, **options)
    except _READING_ERRORS as error:
        first = str(error).split("\n")[0][:200]
        raise ValueError(
            LABELS("cant_read_text", model=_name(model), error=type(error).__name__, reason=first)
        ) from error
    finally:
        whole.train(was_training)


@contextmanager
def _eager(model: Any) -> Iterator[None]:
    """Let the model compute attention eagerly meanwhile, because the fast implementations don't return the weights."""
    before = getattr(model.config, "_attn_implementation", None)
    if before in (None, "eager") or not hasattr(model, "set_attn_implementation"):
        yield
        return
    with suppress(*_READING_ERRORS):
        model.set_attn_implementation("eager")
    try:
        yield
    finally:
        with suppress(*_READING_ERRORS):
            model.set_attn_implementation(before)


def _has_heads(model: nn.Module) -> bool:
    names = ("num_attention_heads", "n_head", "num_heads", "encoder_attention_heads")
    return any(isinstance(getattr(model.config, name, None), int) for name in names)


def _name(model: object) -> str:
    return type(model).__name__
