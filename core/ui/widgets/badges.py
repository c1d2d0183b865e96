"""Badges for the rooms: for a model in the list of models, or for one that an exhibit trained."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.browser.weights import offer_weights
from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.inspect.model_inputs.model_and_text import load_text_model, load_text_reader, parse_ids_key, text_attention
from core.inspect.model_inputs.model_key import _WEIGHTS_FILE, ModelKey, read_model_provenance
from core.inspect.tap_lines import TapLine, find_tap_line
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.models.model_description import describe_model
from core.ui.widgets.provenance_badge import ProvenanceBadge, TensorIndex

if TYPE_CHECKING:
    from torch import nn

LABELS = module_labels(__name__)

_Tensors = Mapping[str, NDArray[Any]]
NO_PASS = LABELS["no_pass"]


@dataclass(frozen=True)
class TensorDerivation:
    """Numbers that the app derives from a model's tensors, such as a rollout, a mean, or a measurement."""

    source: TapLine  # the line that computes them, see `core.inspect.tap_lines.find_source_line`
    # recomputes them from the second pass's tensors, named as in the reading model; None if they are not a function of
    # these, as when the model was changed to measure something
    recompute: Callable[[_Tensors], NDArray[np.float64]] | None = None
    why_unchecked: str = ""  # a message on why `again` is None
    option: str = ""  # an option that the numbers depend on, too


def model_tensor_badge(
    key: ModelKey,
    ids_key: str,
    tensor: str,
    index: tuple[TensorIndex, ...],
    whole: NDArray[np.generic],
    rows: tuple[int, ...] | None = None,
    derived: TensorDerivation | None = None,
) -> ProvenanceBadge:
    """Make the badge of a tensor that a model in the list of models computed from a text.

    Args:
        key: the model.
        ids_key: the ids, see `Encoded.ids_key`.
        tensor: its name, "blocks.0.attn.weights"; for an encoder-decoder, whose encoder reads the text, without the
            prefix "encoder.".
        index: the matrix's index in the tensor.
        whole: the tensor as the model computed it, without the batch.
        rows: the tensor's indices of the matrix's rows; None: all.
        derived: set if the numbers are derived from the model's tensors; `tensor` is then their own name, such as
            "rollout".
    """
    again: Callable[[], NDArray[np.float64]] | None
    if derived is None:
        if load_text_reader(key) is not load_text_model(key).model:
            tensor = f"encoder.{tensor}"
        source, again = find_tap_line(load_text_model(key).model, tensor), partial(_again, key, ids_key, tensor)
    else:
        source, again = derived.source, partial(_derived_again, key, ids_key, derived) if derived.recompute else None
    named, has_pass = _facts(key)
    return ProvenanceBadge(
        tensor=tensor,
        index=index,
        shape=whole.shape,
        source=source,
        identity=f"{key} {ids_key} {derived.option if derived else ''}",
        recompute=again if has_pass else None,
        rows=rows,
        whole=whole,
        why_unchecked=(derived.why_unchecked if derived else "") or NO_PASS,
        browser_inputs=partial(_in_browser, key, ids_key) if derived is None else lambda: None,
        **named,
    )


def attention_provenance_badge(key: ModelKey, ids_key: str, what: str, layer: int, head: int) -> ProvenanceBadge:
    """Make the badge of one head of `text_attention(key, ids_key)`: its "weights", or its "scores" before the mask."""
    record = text_attention(key, ids_key)
    whole = (record.weights if what == "weights" else record.scores)[layer]
    return model_tensor_badge(key, ids_key, f"blocks.{layer}.attn.{what}", (head, "row", "column"), whole)


def custom_mask_attention_badge(
    key: ModelKey, ids: Sequence[int], mask: NDArray[np.bool_], what: str, layer: int, head: int
) -> ProvenanceBadge | None:
    """Make the badge of one head of a model that runs with the visitor's mask; None for an encoder-decoder.

    Args:
        ids: (T,) including padding.
        mask: (T, T), replaces the model's own in every layer.
        what: "weights" or "scores".
    """
    model = load_text_model(key).model
    if load_text_reader(key) is not model:
        return None
    named, has_pass = _facts(key)
    ids_key, tensor = ",".join(map(str, ids)), f"blocks.{layer}.attn.{what}"
    under = (len(ids), np.packbits(mask).tobytes())
    return ProvenanceBadge(
        tensor=tensor,
        index=(head, "row", "column"),
        shape=(int(load_text_model(key).config.n_head), len(ids), len(ids)),
        source=find_tap_line(model, tensor),
        identity=f"{key} {ids_key} {under[1].hex()}",
        recompute=partial(_again, key, ids_key, tensor, under) if has_pass else None,
        why_unchecked=NO_PASS,
        browser_inputs=partial(_in_browser, key, ids_key, tuple(mask.ravel().tolist())),
        **named | {"model": LABELS("under_mask", model=named["model"])},
    )


def run_tensor_badge(
    shown: ExperimentRun,
    model: "nn.Module",
    tensor: str,
    index: tuple[TensorIndex, ...],
    whole: NDArray[np.generic],
    name: str,
    **given: Any,
) -> ProvenanceBadge:
    """Make the badge of a tensor of a model that was trained in the room, see `_trained_model_tensor_badge`."""
    return _trained_model_tensor_badge(
        model, tensor, index, whole, name=name, step=shown.step, seed=shown.seed, **given
    )


def _trained_model_tensor_badge(
    model: "nn.Module",
    tensor: str,
    index: tuple[TensorIndex, ...],
    whole: NDArray[np.generic],
    *,
    name: str,
    step: int | None = None,
    seed: int | None = None,
    derived: TensorDerivation | None = None,
    **given: object,
) -> ProvenanceBadge:
    """Make the badge of a tensor of a model that an exhibit has just trained or rebuilt, using its weights.

    Args:
        model: one of `core.models.registry`.
        tensor, index, whole, derived: as in `model_tensor_badge`.
        name: the model's name.
        step, seed: of its training.
        given: its inputs as for `numpy_forward.numpy_forward`: `ids`, or `source` and `target_in`, …
    """

    def again() -> NDArray[np.float64]:
        from core.inspect.attention_record import WeightArrays
        from core.inspect.numpy_reference.numpy_forward import numpy_forward
        from core.models.registry import to_dict

        taps = numpy_forward(to_dict(model.config), WeightArrays(model), **given)
        return taps[tensor] if derived is None or derived.recompute is None else derived.recompute(taps)

    said = "".join(f"{one}={np.asarray(value).tolist()}" for one, value in given.items())
    return ProvenanceBadge(
        tensor=tensor,
        index=index,
        shape=whole.shape,
        model=name,
        step=step,
        seed=seed,
        source=find_tap_line(model, tensor) if derived is None else derived.source,
        identity=f"{name} {step} {seed} {said}{'' if derived is None else derived.option}",
        recompute=again if derived is None or derived.recompute is not None else None,
        whole=whole,
        why_unchecked=(derived.why_unchecked if derived else "") or NO_PASS,
    )


def _in_browser(key: ModelKey, ids_key: str, mask: tuple[bool, ...] | None = None) -> dict[str, object] | None:
    """Return the browser's inputs to run the model on the text; None if it cannot, as for an encoder-decoder.

    Args:
        mask: (T T), replaces the model's own, row by row.
    """
    told = offer_weights(key)
    if told is None:
        return None
    return {"url": told["url"], "config": told["config"], "ids": parse_ids_key(ids_key), "mask": mask}


@memoize(64)
def _facts(key: ModelKey) -> tuple[dict[str, Any], bool]:
    """Return title, step and seed from the model's folder, and whether there is a second pass for its kind."""
    from core.inspect.numpy_reference.numpy_forward import SUPPORTED_KINDS
    from core.models.registry import to_dict

    told = read_model_provenance(key.folder)
    found = {name: told.get(name) if isinstance(told.get(name), int) else None for name in ("step", "seed")}
    return found | {"model": describe_model(key).title}, to_dict(load_text_model(key).config)["kind"] in SUPPORTED_KINDS


def _derived_again(key: ModelKey, ids_key: str, derived: TensorDerivation) -> NDArray[np.float64]:
    """Derive the app's numbers from the tensors of the second pass."""
    assert derived.recompute is not None, "asked only where there is a way"
    front = "" if load_text_reader(key) is load_text_model(key).model else "encoder."
    return derived.recompute({name.removeprefix(front): one for name, one in _taps(key, ids_key, bool(front)).items()})


@memoize(16, max_bytes=50_000_000)
def _again(key: ModelKey, ids_key: str, tensor: str, under: tuple[int, bytes] | None = None) -> NDArray[np.float64]:
    """Return a tensor computed by the second pass."""
    found: NDArray[np.float64] = _taps(key, ids_key, tensor.startswith("encoder."), under)[tensor]
    return found


def _taps(key: ModelKey, ids_key: str, is_source: bool, under: tuple[int, bytes] | None = None) -> _Tensors:
    """Return all tensors computed by the second pass, from the weights file if it has our own layout."""
    from core.inspect.attention_record import WeightArrays
    from core.inspect.numpy_reference.numpy_forward import numpy_forward
    from core.inspect.numpy_reference.numpy_weights import read_safetensors_as_numpy
    from core.models.registry import to_dict

    folder, found = key.folder, load_text_model(key)
    is_ours = "kind" in json.loads((folder / "config.json").read_bytes())
    if is_ours:
        weights: _Tensors = read_safetensors_as_numpy(folder / _WEIGHTS_FILE)
    else:  # a foreign layout of names and shapes: the converted weights
        weights = WeightArrays(found.model)
    ids = parse_ids_key(ids_key)
    given: dict[str, object] = {"source": ids} if is_source else {"ids": ids}
    if under is not None:
        n_token, bits = under
        given["mask"] = np.unpackbits(np.frombuffer(bits, np.uint8), count=n_token**2).reshape(n_token, n_token) > 0
    return numpy_forward(to_dict(found.config), weights, **given)
