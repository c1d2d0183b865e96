"""A second implementation of the models' forward passes in plain NumPy, which independently checks every number.

    taps = forward(config, weights, ids=[3, 1, 4])
    taps["blocks.0.attn.weights"]        # (H, T, S), under the same name as in the model

The config is the plain JSON of `core.models.registry.to_dict`, and the weights are arrays by their names in the file;
torch is not used (see `numpy_parts`). Numbers are float64, so the only remaining difference is the rounding of the
model's own float32.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.inspect.numpy_reference.numpy_parts import (
    FloatArray,
    NumpyRun,
    StyleMapping,
    WeightMapping,
    apply_activation,
    numpy_alibi_bias,
    numpy_causal_mask,
    numpy_relative_bias,
    numpy_window_mask,
    sinusoidal_positions,
    soft_cap,
)
from core.inspect.numpy_reference.numpy_recurrent import rnn_forward, seq2seq_forward

_Config = Mapping[str, Any]
_Ids = Sequence[int]
_OpenMask = NDArray[np.bool_] | None


def numpy_forward(config: _Config, weights: WeightMapping, **given: object) -> dict[str, FloatArray]:
    """Compute every tapped tensor for a single text (or pair of texts, or picture), without the batch axis.

    Args:
        config: with its "kind", see `SUPPORTED_KINDS`.
        weights: by name, as in the weights file.
        given: `ids`; for an encoder-decoder `source` and `target_in` (without it, only the encoder runs); for a model
            of pictures `image` (C, Y, X). `mask` replaces the model's own mask and is True where attention is allowed:
            (T, T), or (S,) if part of the source is padding.

    Returns:
        The tensors by their names. In a recurrent network each holds all steps, stacked along the first axis.

    Raises ValueError if there is no second implementation for the kind.
    """
    kind = config.get("kind")
    if kind not in SUPPORTED_KINDS:
        raise ValueError(
            f"there is no second pass for a model of kind {kind!r}; there are {', '.join(SUPPORTED_KINDS)}"
        )
    run = NumpyRun(weights)
    SUPPORTED_KINDS[kind](run, {**config, **config.get("modern", {})}, **given)
    return run.taps


def _gpt(run: NumpyRun, config: _Config, ids: _Ids, mask: _OpenMask = None) -> None:
    style, n_token, positions = config["block"], len(ids), config.get("positions", "learned")
    x = run.rows("tok_emb.weight", ids)
    if config.get("d_embed") is not None:
        x = run.linear("tok_proj", x)
    x = x * config.get("embed_scale", 1)
    bias = None
    if positions == "learned":
        x = x + run.need("pos_emb.weight")[:n_token]
    elif positions == "sinusoidal":
        x = x + sinusoidal_positions(n_token, config["d_model"])
    elif positions == "alibi":
        bias = numpy_alibi_bias(config["n_head"], n_token, config.get("slopes"))
    elif positions == "relative":
        bias = numpy_relative_bias(run.need("pos_emb.table.weight"), n_token, not config.get("causal", True))
    if config.get("embed_norm"):
        x = run.norm("embed_norm", x, style)
    is_given = mask is not None
    if not is_given and config.get("causal", True):
        mask = numpy_causal_mask(n_token)
    asks = {
        "n_kv_head": config.get("n_kv_head"), "shifted": config.get("token_shift", False),
        "scale": config.get("scale"), "experts": config.get("experts"), "bias": bias,
    }  # fmt: skip
    x = _stack(run, "", config, x, config["n_layer"], _windows(config, n_token, mask, is_given), **asks)
    _scores(run, "unembed", x, config.get("tied", True), config.get("logit_softcap"))


def _image_gpt(run: NumpyRun, config: _Config, ids: _Ids) -> None:
    x = run.rows("tok_emb.weight", ids) + run.need("pos_emb.weight")[: len(ids)]
    _scores(run, "unembed", _stack(run, "", config, x, config["n_layer"], mask=numpy_causal_mask(len(ids))), False)


def _bert(run: NumpyRun, config: _Config, ids: _Ids, segments: _Ids | None = None, mask: _OpenMask = None) -> None:
    style, n_layer = config["block"], config["n_layer"]
    if config.get("shared"):  # Lan et al. 2019, section 3.1: the file has only the first block's weights
        first = {name: one for name, one in run.weights.items() if name.startswith("blocks.0.")}
        of_all = {name.replace(".0.", f".{n}.", 1): one for n in range(n_layer) for name, one in first.items()}
        run.weights = {**run.weights, **of_all}
    x = run.rows("tok_emb.weight", ids)
    if config.get("positions", "learned") == "learned":
        pad_id, counted = config.get("pad_id"), np.asarray(ids)
        is_token = np.ones(len(ids), bool) if pad_id is None else counted != pad_id
        x = x + run.need("pos_emb.weight")[np.where(is_token, is_token.cumsum() - 1, -1)]  # padding uses the last row
    if config.get("n_segment"):
        x = x + run.need("seg_emb.weight")[list(segments or [0] * len(ids))]
    x = run.norm("embed_norm", x, style)
    if config.get("d_embed") is not None:
        x = run.linear("tok_proj", x)
    of_layer = _windows(config, len(ids), mask, mask is not None and mask.ndim == 2)

    def asks(layer: int) -> dict[str, object]:
        return of_layer(layer) | {"is_normed": layer > 0 or config.get("first_norm", True)}

    _bert_head(run, config, _stack(run, "", config, x, n_layer, asks), mask)


def _bert_head(run: NumpyRun, config: _Config, x: FloatArray, mask: _OpenMask) -> None:
    head, style = config["head"], config["block"]
    told = config.get("head_style") or {}
    act, has_norm = told.get("activation", "gelu"), told.get("norm", False)
    if head == "masked":
        read = run.norm("head.norm", apply_activation(run.linear("head.dense", x), act), style)
        _scores(run, "head.unembed", read, told.get("tied", True))
    elif head == "replaced":
        run.tap("logits", run.linear("head.classify", apply_activation(run.linear("head.dense", x), act))[:, 0])
    elif head == "sequence":
        # With a mask (T,), the mean is over the tokens that are not padding.
        there = mask if mask is not None and mask.ndim == 1 else np.ones(len(x), bool)
        pooled = run.linear("head.pooler", x[there].mean(0) if told.get("pooling") == "mean" else x[0])
        pool = config.get("pool", "tanh")
        pooled = np.tanh(pooled) if pool == "tanh" else apply_activation(pooled, pool)
        pooled = run.norm("head.norm", pooled, style) if has_norm else pooled
        run.tap("logits", run.linear("head.classify", run.tap("head.pooled", pooled)))
    elif head in ("tokens", "span"):
        x = run.norm("head.norm", apply_activation(run.linear("head.dense", x), act), style) if has_norm else x
        run.tap("logits", run.linear("head.classify", x))
    else:
        run.tap("logits", x)


def _vit(run: NumpyRun, config: _Config, image: ArrayLike, path: str = "") -> FloatArray:
    picture, p = np.asarray(image, dtype=np.float64), config["patch_size"]
    squares = [
        picture[:, y : y + p, x : x + p].ravel()
        for y in range(0, picture.shape[1], p)
        for x in range(0, picture.shape[2], p)
    ]
    x = run.linear(f"{path}patch_emb", run.tap(f"{path}patches", np.stack(squares)))
    x = np.concatenate([run.need(f"{path}class_emb.weight"), x]) + run.need(f"{path}pos_emb.weight")
    x = _stack(run, path, config, x, config["n_layer"])
    if config.get("n_class"):
        run.tap(f"{path}logits", run.linear(f"{path}unembed", x[0]))
    return x


def _transformer(
    run: NumpyRun, config: _Config, source: _Ids, target_in: _Ids | None = None, mask: _OpenMask = None
) -> None:
    def embed(ids: _Ids) -> FloatArray:
        vectors = run.rows("tok_emb.weight", ids) * math.sqrt(config["d_model"])
        return vectors + sinusoidal_positions(len(ids), config["d_model"])

    memory = _stack(run, "encoder.", config, embed(source), config["n_layer"], mask=mask)
    if target_in is None:
        return
    x = _write(run, config, embed(target_in), config["n_layer"], memory, mask)
    _scores(run, "unembed", x, config.get("tied", True))


def _t5(run: NumpyRun, config: _Config, source: _Ids, target_in: _Ids | None = None, mask: _OpenMask = None) -> None:
    style = {"norm": "rms", "norm_first": True, "activation": config.get("activation", "relu"), "eps": 1e-6}
    config = {**config, "block": style}
    embeddings, far = run.need("tok_emb.weight"), config.get("max_distance", 128)
    bias = numpy_relative_bias(run.need("encoder.pos_emb.table.weight"), len(source), True, far)
    n_layer = config["n_layer"]
    memory = _stack(run, "encoder.", config, embeddings[list(source)], n_layer, mask=mask, bias=bias, scale=1.0)
    if target_in is None:
        return
    bias = numpy_relative_bias(run.need("decoder.pos_emb.table.weight"), len(target_in), False, far)
    n_layer = config.get("n_decoder_layer") or n_layer
    x = _write(run, config, embeddings[list(target_in)], n_layer, memory, mask, bias=bias, scale=1.0)
    tied = config.get("tied", True)
    _scores(run, "unembed", x / math.sqrt(config["d_model"]) if tied else x, tied)


def _captioner(run: NumpyRun, config: _Config, image: ArrayLike, target_in: _Ids | None = None) -> None:
    seen = _vit(run, {**config, "n_class": 0}, image, "encoder.")
    if target_in is None:
        return
    memory = seen[1:] if config.get("reads", "patches") == "patches" else seen[:1]
    x = run.rows("tok_emb.weight", target_in) + run.need("pos_emb.weight")[: len(target_in)]
    n_layer = config.get("n_decoder_layer") or config["n_layer"]
    _scores(run, "unembed", _write(run, config, x, n_layer, memory, None), False)


def _write(
    run: NumpyRun, config: _Config, x: FloatArray, n_layer: int, memory: FloatArray, memory_mask: _OpenMask, **asks: Any
) -> FloatArray:
    """Run a decoder that reads a memory."""
    mask = numpy_causal_mask(len(x))
    return _stack(run, "decoder.", config, x, n_layer, mask=mask, memory=(memory, memory_mask), **asks)


def _stack(
    run: NumpyRun,
    path: str,
    config: _Config,
    x: FloatArray,
    n_layer: int,
    of_layer: Callable[[int], dict[str, Any]] = lambda layer: {},
    **asks: Any,
) -> FloatArray:
    """Run a stack of blocks, and a final norm if the blocks don't normalize their output.

    of_layer: the arguments that differ between layers.
    """
    style: StyleMapping = config["block"]
    run.tap(f"{path}embed", x)
    for layer in range(n_layer):
        x = run.block(f"{path}blocks.{layer}", x, config["n_head"], style, **asks, **of_layer(layer))
    normed = not style["norm_first"] and not style.get("norm_out")
    return run.tap(f"{path}final", x if normed else run.norm(f"{path}norm", x, style))


def _windows(config: _Config, n_token: int, mask: _OpenMask, is_whole: bool) -> Callable[[int], dict[str, Any]]:
    """Return each layer's own arguments: its mask, its window if it has one, and its rotary frequencies.

    is_whole: whether the mask replaces the windows, too.
    """
    rotary = (config.get("rotary") or {}) if config.get("positions") == "rotary" else None
    window, windowed, unrotated = (config.get(name) for name in ("window", "windowed", "unrotated"))

    def of_layer(layer: int) -> dict[str, Any]:
        still = layer in (unrotated or ())  # Kazemnejad et al. 2023: these layers get no positions
        if window is None or (windowed is not None and layer not in windowed):
            return {"mask": mask, "rotary": None if still else rotary}
        inside = numpy_window_mask(n_token, window)
        allowed = mask if is_whole else inside if mask is None else mask & inside
        return {"mask": allowed, "rotary": None if still else config.get("window_rotary") or rotary}

    return of_layer


def _scores(run: NumpyRun, path: str, x: FloatArray, tied: bool, most: float | None = None) -> None:
    """Apply the output layer; a tied one is the embedding table, and the file may hold only that name."""
    table = run.get(f"{path}.weight")
    table = run.need("tok_emb.weight") if table is None or tied else table
    bias = run.get(f"{path}.bias")
    run.tap("logits", soft_cap(x @ table.T + (0 if bias is None else bias), most))


SUPPORTED_KINDS: dict[str, Callable[..., object]] = {
    "gpt": _gpt,
    "image_gpt": _image_gpt,
    "bert": _bert,
    "vit": _vit,
    "transformer": _transformer,
    "t5": _t5,
    "captioner": _captioner,
    "rnn": rnn_forward,
    "seq2seq": seq2seq_forward,
}
