"""A model's whole forward pass once more, in plain NumPy: an independent check of every number that it shows.

    taps = forward(config, weights, ids=[3, 1, 4])
    taps["blocks.0.attn.weights"]        # (H, T, S), under the name that the model itself uses

The config is the plain JSON of `core.models.registry.to_dict`, the weights are arrays by their names in the file; torch
takes no part (see `numpy_parts`). Numbers are float64, so what remains as difference is the rounding of the model's own
float32.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.inspect.second_pass.numpy_parts import Array, Run, Style, Weights, alibi, bend, earlier, relative, waves
from core.inspect.second_pass.numpy_recurrent import rnn, seq2seq

Config = Mapping[str, Any]
Ids = Sequence[int]
Open = NDArray[np.bool_] | None


def forward(config: Config, weights: Weights, **given: Any) -> dict[str, Array]:
    """Every tapped tensor of one text (or pair of texts, or picture), without the batch axis.

    Args:
        config: with its "kind", see `KINDS`.
        weights: by name, as in the weights file.
        given: `ids`; of an encoder-decoder `source` and `target_in` (without it, the encoder alone); of a model that
            reads pictures `image` (C, Y, X). `mask` is True where may be read, in place of what the model itself would
            mask: (T, T), or (S,) where some of the source is padding.

    Returns:
        The tensors by their names. Of a recurrent net each holds all steps, stacked in front.

    Raises ValueError if there is no such pass for the kind.
    """
    kind = config.get("kind")
    if kind not in KINDS:
        raise ValueError(f"there is no second pass for a model of kind {kind!r}; there are {', '.join(KINDS)}")
    run = Run(weights)
    KINDS[kind](run, config, **given)
    return run.taps


def _gpt(run: Run, config: Config, ids: Ids, mask: Open = None) -> None:
    style, n_token, positions = config["block"], len(ids), config.get("positions", "learned")
    x = run.need("tok_emb.weight")[list(ids)]
    if config.get("d_embed") is not None:
        x = run.linear("tok_proj", x)
    bias = None
    if positions == "learned":
        x = x + run.need("pos_emb.weight")[:n_token]
    elif positions == "sinusoidal":
        x = x + waves(n_token, config["d_model"])
    elif positions == "alibi":
        bias = alibi(config["n_head"], n_token, config.get("slopes"))
    elif positions == "relative":
        bias = relative(run.need("pos_emb.table.weight"), n_token, not config.get("causal", True))
    if config.get("embed_norm"):
        x = run.norm("embed_norm", x, style)
    if mask is None and config.get("causal", True):
        mask = earlier(n_token)
    rotary = (config.get("rotary") or {}) if positions == "rotary" else None
    asks = {"rotary": rotary, "n_kv_head": config.get("n_kv_head"), "shifted": config.get("token_shift", False)}
    x = _stack(run, "", config, x, config["n_layer"], mask=mask, bias=bias, **asks)
    _scores(run, "unembed", x, config.get("tied", True))


def _image_gpt(run: Run, config: Config, ids: Ids) -> None:
    x = run.need("tok_emb.weight")[list(ids)] + run.need("pos_emb.weight")[: len(ids)]
    _scores(run, "unembed", _stack(run, "", config, x, config["n_layer"], mask=earlier(len(ids))), False)


def _bert(run: Run, config: Config, ids: Ids, segments: Ids | None = None, mask: Open = None) -> None:
    style = config["block"]
    x = run.need("tok_emb.weight")[list(ids)] + run.need("pos_emb.weight")[: len(ids)]
    if config.get("n_segment"):
        x = x + run.need("seg_emb.weight")[list(segments or [0] * len(ids))]
    x = _stack(run, "", config, run.norm("embed_norm", x, style), config["n_layer"], mask=mask)
    if config["head"] == "masked":
        x = run.norm("head.norm", bend(run.linear("head.dense", x), "gelu"), style)
        _scores(run, "head.unembed", x, True)
    elif config["head"] == "sequence":
        pooled = run.linear("head.pooler", x[0])
        pooled = np.maximum(pooled, 0) if config.get("pool") == "relu" else np.tanh(pooled)
        run.tap("logits", run.linear("head.classify", run.tap("head.pooled", pooled)))
    elif config["head"] == "tokens":
        run.tap("logits", run.linear("head.classify", x))
    else:
        run.tap("logits", x)


def _vit(run: Run, config: Config, image: ArrayLike, path: str = "") -> Array:
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


def _transformer(run: Run, config: Config, source: Ids, target_in: Ids | None = None, mask: Open = None) -> None:
    def embed(ids: Ids) -> Array:
        vectors = run.need("tok_emb.weight")[list(ids)] * math.sqrt(config["d_model"])
        return vectors + waves(len(ids), config["d_model"])

    memory = _stack(run, "encoder.", config, embed(source), config["n_layer"], mask=mask)
    if target_in is None:
        return
    x = _write(run, config, embed(target_in), config["n_layer"], memory, mask)
    _scores(run, "unembed", x, config.get("tied", True))


def _t5(run: Run, config: Config, source: Ids, target_in: Ids | None = None, mask: Open = None) -> None:
    style = {"norm": "rms", "norm_first": True, "activation": config.get("activation", "relu"), "eps": 1e-6}
    config = {**config, "block": style}
    embeddings, far = run.need("tok_emb.weight"), config.get("max_distance", 128)
    bias = relative(run.need("encoder.pos_emb.table.weight"), len(source), True, far)
    n_layer = config["n_layer"]
    memory = _stack(run, "encoder.", config, embeddings[list(source)], n_layer, mask=mask, bias=bias, scale=1.0)
    if target_in is None:
        return
    bias = relative(run.need("decoder.pos_emb.table.weight"), len(target_in), False, far)
    n_layer = config.get("n_decoder_layer") or n_layer
    x = _write(run, config, embeddings[list(target_in)], n_layer, memory, mask, bias=bias, scale=1.0)
    tied = config.get("tied", True)
    _scores(run, "unembed", x / math.sqrt(config["d_model"]) if tied else x, tied)


def _captioner(run: Run, config: Config, image: ArrayLike, target_in: Ids | None = None) -> None:
    seen = _vit(run, {**config, "n_class": 0}, image, "encoder.")
    if target_in is None:
        return
    memory = seen[1:] if config.get("reads", "patches") == "patches" else seen[:1]
    x = run.need("tok_emb.weight")[list(target_in)] + run.need("pos_emb.weight")[: len(target_in)]
    n_layer = config.get("n_decoder_layer") or config["n_layer"]
    _scores(run, "unembed", _write(run, config, x, n_layer, memory, None), False)


def _write(run: Run, config: Config, x: Array, n_layer: int, memory: Array, memory_mask: Open, **asks: Any) -> Array:
    """A decoder that reads a memory."""
    mask = earlier(len(x))
    return _stack(run, "decoder.", config, x, n_layer, mask=mask, memory=memory, memory_mask=memory_mask, **asks)


def _stack(run: Run, path: str, config: Config, x: Array, n_layer: int, **asks: Any) -> Array:
    """Blocks one above the other; those that are normed first are followed by one more norm."""
    style: Style = config["block"]
    run.tap(f"{path}embed", x)
    for layer in range(n_layer):
        x = run.block(f"{path}blocks.{layer}", x, config["n_head"], style, **asks)
    return run.tap(f"{path}final", run.norm(f"{path}norm", x, style) if style["norm_first"] else x)


def _scores(run: Run, path: str, x: Array, tied: bool) -> None:
    """The output layer; a tied one is the table of embeddings, which the file may hold under that name alone."""
    table = run.get(f"{path}.weight")
    table = run.need("tok_emb.weight") if table is None or tied else table
    bias = run.get(f"{path}.bias")
    run.tap("logits", x @ table.T + (0 if bias is None else bias))


KINDS: dict[str, Callable[..., Any]] = {
    "gpt": _gpt,
    "image_gpt": _image_gpt,
    "bert": _bert,
    "vit": _vit,
    "transformer": _transformer,
    "t5": _t5,
    "captioner": _captioner,
    "rnn": rnn,
    "seq2seq": seq2seq,
}
