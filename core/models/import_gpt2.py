"""A Hugging Face GPT-2, renamed: which of its tensors goes where in our GPT.

Theirs keeps the three projections of attention side by side in `c_attn`, stores linear layers transposed (the "Conv1D"
of the first GPT), and carries its causal masks along as tensors. All else is a matter of names.

Source: huggingface/transformers, models/gpt2/modeling_gpt2.py.
"""

import re
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from core.models.gpt import GPTConfig
from core.models.weights_file import Entry, ImportRefused, Shape

_ACTIVATIONS = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "gelu": "gelu", "relu": "relu"}
_MASK = re.compile(r"h\.\d+\.attn\.(bias|masked_bias)")
# What would change the arithmetic, and the only value that ours computes.
_FIXED = {
    "layer_norm_epsilon": 1e-5,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}


def config_fields(theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Our config's JSON for theirs. The values themselves are checked where all configs are.

    Raises:
        ImportRefused: if the model computes something that our GPT does not.
    """
    for name, value in _FIXED.items():
        if theirs.get(name, value) != value:
            raise ImportRefused(f"{name}={theirs[name]!r} is not supported; here it is always {value!r}")
    activation = theirs.get("activation_function", "gelu_new")
    if not isinstance(activation, str) or activation not in _ACTIVATIONS:
        raise ImportRefused(f"activation_function={activation!r} is none of {', '.join(_ACTIVATIONS)}")
    return {
        "kind": "gpt",
        "vocab_size": theirs.get("vocab_size", 50257),
        "context_length": theirs.get("n_positions", 1024),
        "n_layer": theirs.get("n_layer", 12),
        "n_head": theirs.get("n_head", 12),
        "d_model": theirs.get("n_embd", 768),
        "d_ff": theirs.get("n_inner"),
        "tied": theirs.get("tie_word_embeddings", True),
        "block": {"activation": _ACTIVATIONS[activation]},
    }


def without_prefix(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Plain name -> name in the file; the "transformer." of a GPT2LMHeadModel goes, and so do the causal masks.

    Raises:
        ImportRefused: if a tensor is there both with and without the prefix.
    """
    names: dict[str, str] = {}
    for name in entries:
        plain = name.removeprefix("transformer.")
        if _MASK.fullmatch(plain):
            continue
        if plain in names:
            raise ImportRefused(f"the file has both {names[plain]} and {name}")
        names[plain] = name
    return names


def shapes(config: GPTConfig) -> tuple[dict[str, Shape], dict[str, Shape]]:
    """Plain names and shapes of the tensors that must be in the file, and of those that may."""
    d, f = config.d_model, config.d_ff or 4 * config.d_model
    required: dict[str, Shape] = {"wte.weight": (config.vocab_size, d), "wpe.weight": (config.context_length, d)}
    for n in range(config.n_layer):
        block: dict[str, Shape] = {
            "ln_1.weight": (d,), "ln_1.bias": (d,), "ln_2.weight": (d,), "ln_2.bias": (d,),
            "attn.c_attn.weight": (d, 3 * d), "attn.c_attn.bias": (3 * d,),
            "attn.c_proj.weight": (d, d), "attn.c_proj.bias": (d,),
            "mlp.c_fc.weight": (d, f), "mlp.c_fc.bias": (f,),
            "mlp.c_proj.weight": (f, d), "mlp.c_proj.bias": (d,),
        }  # fmt: skip
        required |= {f"h.{n}.{name}": shape for name, shape in block.items()}
    required |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
    head: dict[str, Shape] = {"lm_head.weight": (config.vocab_size, d)}
    return (required, head) if config.tied else (required | head, {})


def rename(name: str, tensor: Tensor) -> dict[str, Tensor]:
    """One of their tensors, by its plain name, as ours: three for `c_attn`, else one."""
    outside = {"wte": "tok_emb", "wpe": "pos_emb", "ln_f": "norm", "lm_head": "unembed"}
    module, kind = name.rsplit(".", 1)
    if module in outside:
        return {f"{outside[module]}.{kind}": tensor}
    _, n, part = module.split(".", 2)
    if kind == "weight" and tensor.ndim == 2:
        tensor = tensor.T  # (in, out) -> (out, in)
    if part == "attn.c_attn":
        thirds = zip("qkv", tensor.chunk(3), strict=True)
        return {f"blocks.{n}.attn.w_{letter}.{kind}": third.clone() for letter, third in thirds}
    ours = {
        "ln_1": "norm_1",
        "ln_2": "norm_2",
        "attn.c_proj": "attn.w_o",
        "mlp.c_fc": "mlp.w_in",
        "mlp.c_proj": "mlp.w_out",
    }
    return {f"blocks.{n}.{ours[part]}.{kind}": tensor.contiguous()}


def from_state_dict(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """All weights of a Hugging Face GPT-2 that is in memory already, under our names."""
    ours: dict[str, Tensor] = {}
    for name, tensor in state.items():
        plain = name.removeprefix("transformer.")
        if not _MASK.fullmatch(plain):
            ours |= rename(plain, tensor)
    return ours
