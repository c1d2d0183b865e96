"""Shared parts of the contract tests of all kinds of models: variants of each kind, and inputs for a model."""

import inspect
from typing import Any

import pytest
import torch
from torch import Tensor

from core.models import registry
from core.models.bert import OUTPUT_HEADS, BERTConfig
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.models.images.captioner import CaptionerConfig
from core.models.images.image_gpt import ImageGPTConfig
from core.models.images.multiscale_vit import MultiScaleViTConfig
from core.models.images.vit import ViTConfig
from core.models.original_transformer import TransformerConfig
from core.models.recurrent_seq2seq import RecurrentSeq2SeqConfig
from core.models.rnn import RNNConfig
from core.models.t5 import T5Config
from core.nn import feed_forward
from core.nn.block import BlockStyle
from core.nn.output_heads import OutputHeadOptions
from core.nn.positions import POSITION_SCHEMES, RotarySettings
from core.nn.recurrent import RECURRENT_CELLS

B, S, T, V, D, H = 3, 5, 6, 11, 8, 2  # texts, tokens of a source and of a text, known tokens, width, heads
BLOCKS: dict[str, Any] = {"n_layer": 2, "n_head": H, "d_model": D}
TEXT = BLOCKS | {"vocab_size": V, "context_length": 8}
BOTH = BLOCKS | {"vocab_size": V}
BUCKETS = {"n_bucket": 8, "max_distance": 6}
CAPTION = TEXT | {"image_size": 6, "n_channel": 2}
FINE = {"image_size": 16, "patch_size": 2, "d_model": 8, "n_layer": (2, 1), "n_head": (2, 4)}
POST_NORM = BlockStyle(norm_first=False)
STYLES = {
    "post-norm": POST_NORM,
    "no residual": BlockStyle(residual=False),
    "post-norm, no residual": BlockStyle(norm_first=False, residual=False),
    "rms": BlockStyle(norm="rms"),
    "rms_plain": BlockStyle(norm="rms_plain", bias=False),
    "layer without bias": BlockStyle(bias=False),
    "qk_norm": BlockStyle(qk_norm=True),
    "biases of q, k, v alone, learned gains": BlockStyle(bias="qkv", qk_norm="gain"),
    "learned sinks, gates": BlockStyle(sink=True, gate=True),
    "sinks of 0, one gate for each head": BlockStyle(sink="zero", gate="head"),
    "attention only": BlockStyle(feed_forward=False),
    "attention only, post-norm": BlockStyle(feed_forward=False, norm_first=False),
} | {activation: BlockStyle(activation=activation) for activation in feed_forward.ACTIVATIONS}

GPTS: dict[str, GPTConfig] = (
    {f"positions {name}": GPTConfig(**TEXT, positions=name) for name in POSITION_SCHEMES}
    | {name: GPTConfig(**TEXT, block=style) for name, style in STYLES.items()}
    | {
        "untied": GPTConfig(**TEXT, tied=False),
        "embed_norm": GPTConfig(**TEXT, modern=Modern(embed_norm=True)),
        "narrow embeddings, output bias": GPTConfig(**TEXT, modern=Modern(d_embed=5, output_bias=True), tied=False),
        "labels": GPTConfig(**TEXT, tied=False, modern=Modern(n_label=3)),
        "NoPE in one layer": GPTConfig(**TEXT, positions="rotary", modern=Modern(unrotated=(1,))),
        "tied, output bias": GPTConfig(**TEXT, modern=Modern(output_bias=True)),
        "own slopes": GPTConfig(**TEXT, positions="alibi", modern=Modern(slopes=(0.5, 0.0))),
        "token shift": GPTConfig(**TEXT, modern=Modern(token_shift=True)),
        "token shift, post-norm": GPTConfig(**TEXT, modern=Modern(token_shift=True), block=POST_NORM),
        "narrow feed-forward": GPTConfig(**TEXT, d_ff=3),
        "shared keys, wide heads, scaled rotary": GPTConfig(
            **TEXT, positions="rotary",
            modern=Modern(n_kv_head=1, d_head=6, rotary=RotarySettings(base=500.0, factor=2.0, trained_length=8)),
        ),
        "all at once": GPTConfig(**TEXT, positions="rotary", tied=False, modern=Modern(embed_norm=True),
                                 block=BlockStyle(norm="rms", norm_first=False, activation="swiglu", qk_norm=True)),
    }
)  # fmt: skip
RNNS = {
    f"{cell}, {n_layer} layers, tied={tied}": RNNConfig(vocab_size=V, cell=cell, n_layer=n_layer, d_model=D, tied=tied)
    for cell, n_layer, tied in (*((cell, 1, False) for cell in RECURRENT_CELLS), ("gru", 3, True))
}
IMAGE_GPTS = {
    "as published": ImageGPTConfig(**TEXT),
    "narrow, post-norm": ImageGPTConfig(**TEXT, d_ff=5, block=BlockStyle(norm="rms", norm_first=False)),
}
BERTS = {head: BERTConfig(**TEXT, n_label=4, head=head) for head in OUTPUT_HEADS} | {
    "without segments": BERTConfig(**TEXT, n_segment=0),
    "ReLU in the pooler": BERTConfig(**TEXT, head="sequence", pool="relu"),
    "pre-norm, narrow": BERTConfig(**TEXT, d_ff=5, block=BlockStyle(activation="gelu")),
    "by tanh, larger eps": BERTConfig(**TEXT, block=BlockStyle(norm_first=False, eps=1e-3)),
    "narrow embeddings": BERTConfig(**TEXT, d_embed=5),
    "positions that count no padding": BERTConfig(**TEXT, pad_id=1),
    "masked, untied": BERTConfig(**TEXT, head_style=OutputHeadOptions(tied=False)),
    "narrow embeddings, shared blocks": BERTConfig(
        **TEXT, d_embed=5, shared=True, head_style=OutputHeadOptions(activation="gelu_tanh")
    ),
    "rotary, windows, no first norm": BERTConfig(
        **TEXT,
        positions="rotary",
        rotary=RotarySettings(base=500.0),
        window=3,
        windowed=(0,),
        window_rotary=RotarySettings(base=50.0),
        n_segment=0,
        first_norm=False,
        head_style=OutputHeadOptions(bias=False),
        block=BlockStyle(activation="geglu_exact", bias=False),
    ),
    "the mean, normed": BERTConfig(
        **TEXT, head="sequence", pool="gelu", head_style=OutputHeadOptions(norm=True, pooling="mean")
    ),
    "a span, normed": BERTConfig(**TEXT, head="span", head_style=OutputHeadOptions(activation="relu", norm=True)),
    "each token, normed": BERTConfig(**TEXT, head="tokens", head_style=OutputHeadOptions(activation="relu", norm=True)),
}
VITS = {
    "with colors": ViTConfig(**BLOCKS, image_size=6, patch_size=3, n_channel=2, n_class=5),
    "without a head": ViTConfig(**BLOCKS, image_size=6, patch_size=2, n_class=0),
    "post-norm": ViTConfig(**BLOCKS, image_size=4, patch_size=2, block=POST_NORM),
}
MULTISCALES = {
    "windows of two": MultiScaleViTConfig(**FINE, window=2),
    "windows of four, colors": MultiScaleViTConfig(**FINE, window=4, n_channel=3, n_class=5),
    "one window": MultiScaleViTConfig(**FINE, window=99),
    "never shifted": MultiScaleViTConfig(**FINE, window=2, shifted=False),
    "without a head": MultiScaleViTConfig(**FINE, window=4, n_class=0),
    "post-norm": MultiScaleViTConfig(**FINE, window=2, block=POST_NORM),
    "one stage, odd windows": MultiScaleViTConfig(
        image_size=9, patch_size=1, d_model=4, n_layer=(3,), n_head=(1,), window=3
    ),
}
T5S = {
    "tied": T5Config(**BOTH, **BUCKETS),
    "untied": T5Config(**BOTH, **BUCKETS, tied=False),
    "v1.1, gated": T5Config(**BOTH, **BUCKETS, tied=False, activation="geglu", d_ff=5),
    "asymmetric, wide heads": T5Config(**BOTH, **BUCKETS, n_decoder_layer=3, d_head=5),
    "as large as ever": T5Config(**BOTH),
}
TRANSFORMERS = {
    "2017": TransformerConfig(**BOTH),
    "pre-norm": TransformerConfig(**BOTH, block=BlockStyle(activation="gelu")),
    "untied, narrow": TransformerConfig(**BOTH, tied=False, d_ff=5),
}
SEQ2SEQS = {
    f"{cell}, {attention}, both ways={both}": RecurrentSeq2SeqConfig(
        source_vocab=7, vocab_size=V, d_model=D, cell=cell, attention=attention, bidirectional=both
    )
    for cell in RECURRENT_CELLS
    for attention, both in (("additive", True), ("additive", False), ("none", True))
}
CAPTIONERS = {
    "all patches": CaptionerConfig(**CAPTION),
    "the class vector": CaptionerConfig(**CAPTION, reads="class"),
    "deeper decoder, narrow": CaptionerConfig(**CAPTION, n_decoder_layer=3, d_ff=5, patch_size=3),
    "post-norm": CaptionerConfig(**CAPTION, block=BlockStyle(norm_first=False, activation="relu")),
}
EVERY: dict[str, Any] = {
    f"{registry.family_of(config).kind}: {name}": config
    for table in (GPTS, RNNS, IMAGE_GPTS, BERTS, VITS, MULTISCALES, T5S, TRANSFORMERS, SEQ2SEQS, CAPTIONERS)
    for name, config in table.items()
}
for kind, cls in registry.CONFIGS.items():  # a kind without variants of its own is asked as small as it can be
    if not any(name.startswith(f"{kind}:") for name in EVERY):
        EVERY[kind] = cls(**{name: size for name, size in TEXT.items() if name in inspect.signature(cls).parameters})


def each(table: dict[str, Any]) -> pytest.MarkDecorator:
    """A test for each variant of a table."""
    return pytest.mark.parametrize("config", table.values(), ids=table)


def lively(config: Any) -> Any:
    """Return the model with larger random weights, because initially nearly all heads are similar and biases are 0."""
    model = registry.build(config).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return model


def inputs(config: Any, seed: int = 0, batch: int = B, dtype: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """Return inputs for the model by argument name; sources are padded, each third one to a single token."""
    generator = torch.Generator().manual_seed(seed)
    asked = inspect.signature(registry.family_of(config).model.forward).parameters
    found: dict[str, Tensor] = {}
    if "images" in asked:
        size = (batch, config.n_channel, config.image_size, config.image_size)
        found["images"] = torch.randn(size, generator=generator, dtype=dtype)
    for name, n_token in (("ids", T), ("source", S), ("target_in", T)):
        if name in asked:
            n_known = getattr(config, "source_vocab", V) if name == "source" else config.vocab_size
            found[name] = torch.randint(n_known, (batch, n_token), generator=generator)
    if "source" in found:
        found["mask"] = torch.arange(S) < torch.tensor([S, 3, 1]).repeat(batch)[:batch, None]
    return found


def with_next(ids: Tensor, t: int, n_known: int) -> Tensor:
    """The texts with another token at position t."""
    other = ids.clone()
    other[:, t] = (other[:, t] + 1) % n_known
    return other


def differs(one: Tensor, other: Tensor) -> Tensor:
    """(B, T) at which positions two answers are not the same."""
    return (one - other).abs().amax(-1) > 1e-9
