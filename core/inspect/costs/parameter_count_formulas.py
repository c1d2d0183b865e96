"""Formulas for the number of parameters of each part of a model, in the letters of its sizes.

A formula is a text such as "L · (4·D² + 4·D)". Its value is computed from that text, and the tests compare it with the
actual module.
"""

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from core.data.localization.labels import module_labels
from core.models.bert import BERTConfig
from core.models.configs.family import block_dimensions
from core.models.gpt import GPTConfig
from core.models.images.vit import ViTConfig
from core.models.original_transformer import TransformerConfig
from core.models.registry import modern_options_of_model
from core.models.t5 import T5Config
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings

LABELS = module_labels(__name__)

_Sizes = dict[str, tuple[str, int]]
PARAMETER_TERMS = (
    "token_embedding",
    "positions",
    "segments",
    "attention",
    "cross-attention",
    "feed-forward",
    "norms",
    "output_layer",
    "head",
)
_GATED = ("swiglu", "geglu", "geglu_exact")


def size_letters(config: object) -> _Sizes:
    """Return letter -> (meaning, value); empty for an architecture without formulas."""
    return _FAMILIES[type(config)][0](config) if type(config) in _FAMILIES else {}


def parameter_formulas(config: object) -> dict[str, str]:
    """Return term -> formula, in the order of the forward pass; "0" for a part without parameters of its own."""
    return _FAMILIES[type(config)][1](config) if type(config) in _FAMILIES else {}


def _common(config: Any) -> _Sizes:
    return {
        "V": (LABELS["letter.vocabulary"], config.vocab_size),
        "D": (LABELS["letter.vector"], config.d_model),
        "L": (LABELS["letter.layers"], config.n_layer),
        "F": (LABELS["letter.feed_forward"], config.d_ff or 4 * config.d_model),
        "H": (LABELS["letter.heads"], config.n_head),
    } | _gains(config)


def _gains(config: Any) -> _Sizes:
    blocks = block_dimensions(config, modern=modern_options_of_model(config))
    return {"N": (LABELS["letter.head"], blocks.d_inner // blocks.n_head)} if config.block.qk_norm == "gain" else {}


def _gpt_sizes(config: GPTConfig) -> _Sizes:
    modern = config.modern
    embedding = {} if modern.d_embed is None else {"E": (LABELS["letter.embedding"], modern.d_embed)}
    letters = embedding | _common(config) | {"C": (LABELS["letter.context"], config.context_length)}
    if modern.n_label is not None:
        letters["K"] = (LABELS["letter.labels"], modern.n_label)
    blocks = block_dimensions(config, modern=modern)
    if blocks.d_inner != blocks.d_model or blocks.d_kv != blocks.d_inner or config.block.qk_norm == "width":
        letters["A"] = (LABELS["letter.all_heads"], blocks.d_inner)
        letters["G"] = (LABELS["letter.key_heads"], blocks.d_kv)
    if modern.experts is not None:
        letters |= {"F": (LABELS["letter.expert"], config.d_ff or 4 * config.d_model),
                    "X": (LABELS["letter.experts"], modern.experts.n_expert)}  # fmt: skip
        if modern.experts.d_shared is not None:
            letters["U"] = (LABELS["letter.shared_expert"], modern.experts.d_shared)
    return letters


def _bert_sizes(config: BERTConfig) -> _Sizes:
    labels = {"K": (LABELS["letter.labels"], config.n_label)} if config.head in ("sequence", "tokens") else {}
    context = {
        "C": (LABELS["letter.context"], config.context_length),
        "S": (LABELS["letter.segments"], config.n_segment),
    }
    embedding = {} if config.d_embed is None else {"E": (LABELS["letter.embedding"], config.d_embed)}
    return embedding | _common(config) | context | labels


def _t5_sizes(config: T5Config) -> _Sizes:
    d_head = config.d_head or config.d_model // config.n_head
    return _common(config) | {
        "L": (LABELS["letter.encoder_layers"], config.n_layer),
        "M": (LABELS["letter.decoder_layers"], config.n_decoder_layer or config.n_layer),
        "A": (LABELS["letter.all_heads"], config.n_head * d_head),
        "B": (LABELS["letter.buckets"], config.n_bucket),
    }


def _transformer_sizes(config: TransformerConfig) -> _Sizes:
    return _common(config) | {"L": (LABELS["letter.layers_on_each_side"], config.n_layer)}


def _vit_sizes(config: ViTConfig) -> _Sizes:
    return {
        "Q": (LABELS["letter.patch"], config.n_channel * config.patch_size**2),
        "P": (LABELS["letter.patches"], config.n_patch),
        "D": (LABELS["letter.patch_vector"], config.d_model),
        "L": (LABELS["letter.layers"], config.n_layer),
        "F": (LABELS["letter.feed_forward"], config.d_ff or 4 * config.d_model),
        "H": (LABELS["letter.heads"], config.n_head),
        "K": (LABELS["letter.classes"], config.n_class),
    } | _gains(config)


def _gpt(config: GPTConfig) -> dict[str, str]:
    style, modern = config.block, config.modern
    positions = {"learned": "C · D", "relative": "32 · H"}.get(config.positions, "0")
    answers = "V" if modern.n_label is None else "K"
    output = [] if config.tied else [f"{answers} · D"]
    return {
        "token_embedding": "V · D" if modern.d_embed is None else "V · E + E · D + D",
        "positions": positions,
        "attention": _times("L", _attention(style, shared="A" in _gpt_sizes(config))),
        "feed-forward": _times("L", _feed_forward(style, modern.experts)),
        "norms": _norms(style, "L", (not style.post_norm) + modern.embed_norm),
        "output_layer": " + ".join(output + [answers] * modern.output_bias) or "0",
    }


def _bert(config: BERTConfig) -> dict[str, str]:
    style, is_narrow = config.block, config.d_embed is not None
    e, layers = "E" if is_narrow else "D", "1" if config.shared else "L"
    beside = (not style.post_norm) + (not is_narrow) - (not config.first_norm)
    of_embedding = f"{_gains_of_a_norm(style, 'E')} + " if is_narrow and _of_a_norm(style) else ""
    return {
        "token_embedding": "V · E + E · D + D" if is_narrow else "V · D",
        "positions": f"{'C' if config.pad_id is None else '(C + 1)'} · {e}" if config.positions == "learned" else "0",
        "segments": f"S · {e}" if config.n_segment else "0",
        "attention": _times(layers, _attention(style)),
        "feed-forward": _times(layers, _feed_forward(style)),
        "norms": of_embedding + _norms(style, layers, beside),
        "head": _bert_head(config, e),
    }


def _bert_head(config: BERTConfig, e: str) -> str:
    """Return the formula of the output head: the output layer, and if there is one, a dense layer with a norm."""
    has_norm, bias = config.head == "masked" or config.head_style.norm, config.head_style.bias
    width = e if config.head == "masked" else "D"
    layer = ["D²" if width == "D" else "D·E", *[width] * bias]
    norm = [_gains_of_a_norm(config.block, width)] if has_norm and _of_a_norm(config.block) else []
    return {
        "masked": " + ".join([*layer, *norm, *[f"V · {width}"] * (not config.head_style.tied), "V"]),
        "replaced": " + ".join([*layer, "D + 1"]),
        "sequence": " + ".join([*layer, *norm, "D·K + K"]),
        "tokens": " + ".join([*layer, *norm, "D·K + K"] if has_norm else ["D·K + K"]),
        "span": " + ".join([*layer, *norm, "2·D + 2"] if has_norm else ["2·D + 2"]),
        "none": "0",
    }[config.head]


def _t5(config: T5Config) -> dict[str, str]:
    style = config.block
    return {
        "token_embedding": "V · D",
        "positions": "2 · B · H",
        "attention": "(L + M) · 4·D·A",
        "cross-attention": "M · 4·D·A",
        "feed-forward": _times("(L + M)", _feed_forward(style)),
        "norms": "(2·L + 3·M + 2) · D",
        "output_layer": "0" if config.tied else "V · D",
    }


def _transformer(config: TransformerConfig) -> dict[str, str]:
    style = config.block
    each = _of_a_norm(style)
    of_both = _each_norm(style) * (5 if style.feed_forward else 3) - 2 * (style.parallel == "one norm")
    n_norm = f"{of_both}·L{'' if style.post_norm else ' + 2'}"
    return {
        "token_embedding": "V · D",
        "positions": "0",
        "attention": _times("2·L", _attention(style)),
        "cross-attention": _times("L", _attention(style)),
        "feed-forward": _times("2·L", _feed_forward(style)),
        "norms": f"({n_norm}) · {'2·' if each == 2 else ''}D" if each else "0",
        "output_layer": "0" if config.tied else "V · D",
    }


def _vit(config: ViTConfig) -> dict[str, str]:
    style = config.block
    return {
        "token_embedding": "Q · D + 2·D",
        "positions": "(P + 1) · D",
        "attention": _times("L", _attention(style)),
        "feed-forward": _times("L", _feed_forward(style)),
        "norms": _norms(style, "L", int(not style.post_norm)),
        "output_layer": "D·K + K" if config.n_class else "0",
    }


def _attention(style: BlockStyle, shared: bool = False) -> str:
    """Return the formula of an attention layer: four matrices, biases, norms, sinks and gates.

    The matrices are as wide as the residual stream, unless heads share keys or have a different width.
    """
    parts = ["2·D·A + 2·D·G" if shared else "4·D²"]
    if style.bias:
        parts.append("A + 2·G" if shared else "3·D")
    if style.bias is True:
        parts = [*parts, "D"] if shared else [parts[0], "4·D"]
    if style.qk_norm == "gain":
        parts.append("2·N")
    if style.qk_norm == "width":
        parts.append("A + G" if shared else "2·D")
    if style.gate:
        width = "H" if style.gate == "head" else "A" if shared else "D"
        parts += ["D²" if width == "D" else f"D·{width}", *[width] * (style.bias is True)]
    if style.sink is True:
        parts.append("H")
    together = " + ".join(parts)
    return f"({together})" if "+" in together else together


def _feed_forward(style: BlockStyle, experts: ExpertSettings | None = None) -> str:
    """Return the formula of a feed-forward layer: two matrices, or three in a gated unit.

    In a mixture of experts, it counts the matrices of all experts and the router.
    """
    if not style.feed_forward:
        return "0"
    n_matrix = 3 if style.activation in _GATED else 2
    if experts is not None:
        shared = "" if experts.d_shared is None else f" + {n_matrix}·D·U + D"
        return f"({n_matrix}·D·F·X + D·X{shared})"
    return f"({n_matrix}·D·F + {'2·F' if n_matrix == 3 else 'F'} + D)" if style.bias is True else f"{n_matrix}·D·F"


def _norms(style: BlockStyle, layers: str, beside: int) -> str:
    """Return the formula of all norms: those of each sublayer, and `beside` norms outside the blocks."""
    each = _of_a_norm(style)
    of_a_block = _each_norm(style) * (2 if style.feed_forward else 1) - (style.parallel == "one norm")
    n_norm = f"{'' if of_a_block == 1 else f'{of_a_block}·'}{layers}{f' + {beside}' if beside else ''}"
    return f"({n_norm}) · {'2·' if each == 2 else ''}D" if each else "0"


def _each_norm(style: BlockStyle) -> int:
    """Return the number of norms of each sublayer: before it, after it, or both."""
    return (style.norm_first or style.post_norm) + style.norm_out


def _gains_of_a_norm(style: BlockStyle, width: str) -> str:
    """Return the formula of a single norm: gain and bias, or the gain alone."""
    return f"2·{width}" if _of_a_norm(style) == 2 else width


def _of_a_norm(style: BlockStyle) -> int:
    """Return the number of parameters per element of the vector: gain and bias (2), gain alone (1), or none (0)."""
    return {"layer": 2 if style.bias is True else 1, "rms": 1, "rms_plain": 0}[style.norm]


def _times(layers: str, each: str) -> str:
    return "0" if each == "0" else f"{layers} · {each}"


_FAMILIES: dict[type, tuple[Callable[[Any], _Sizes], Callable[[Any], dict[str, str]]]] = {
    GPTConfig: (_gpt_sizes, _gpt),
    BERTConfig: (_bert_sizes, _bert),
    T5Config: (_t5_sizes, _t5),
    TransformerConfig: (_transformer_sizes, _transformer),
    ViTConfig: (_vit_sizes, _vit),
}


def substitute_sizes(formula: str, sizes: Mapping[str, int]) -> str:
    """Replace each letter of a formula by its size: "L · 4·D²" with L = 12, D = 768 becomes "12 · 4·768²"."""
    return re.sub(r"[A-Z]", lambda letter: f"{sizes[letter[0]]:,}", formula)


def evaluate_formula(formula: str, sizes: Mapping[str, int]) -> int:
    """Evaluate a formula such as "(2·L + 1) · 2·D": sums, products, squares and brackets of numbers and letters.

    Raises ValueError if it is not such a formula, or a letter has no size.
    """
    if not re.fullmatch(r"[\dA-Z·+()² ]*", formula):
        raise ValueError(f"{formula!r} has other signs than letters, numbers, ·, +, ² and brackets")
    try:
        tree = ast.parse(formula.replace("·", "*").replace("²", "**2").strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{formula!r} is no formula: {error.msg}") from error
    return _value(tree, sizes)


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(int(number)):
            return number
        case ast.Name(letter) if letter in sizes:
            return sizes[letter]
        case ast.BinOp(left, ast.Add(), right):
            return _value(left, sizes) + _value(right, sizes)
        case ast.BinOp(left, ast.Mult(), right):
            return _value(left, sizes) * _value(right, sizes)
        case ast.BinOp(left, ast.Pow(), ast.Constant(2)):
            return _value(left, sizes) ** 2
    raise ValueError(f"{ast.unparse(node)!r} has no size; there are {', '.join(sizes)}")
