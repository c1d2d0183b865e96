"""The parts of a model."""

from collections.abc import Mapping

from core.data.localization.labels import module_labels
from core.train.recipe_parts.recipe_part import (
    ATTENTION_GROUP,
    BLOCK_GROUP,
    EMBEDDING_GROUP,
    FEED_FORWARD_GROUP,
    WITH_BLOCKS,
    YES_NO,
    RecipePart,
    Values,
    has_feed_forward,
    part_value_condition,
    recipe_lookup_setter,
    recipe_value_or_none_setter,
    recipe_value_setter,
)

LABELS = module_labels(__name__)


def _shared_heads(value: str, sizes: Values) -> Mapping[str, object]:
    n_head = int(sizes["n_head"])
    group = n_head if value == "all" else int(value)
    if n_head % group:
        raise ValueError(LABELS("kv_heads.refused", n_head=n_head, group=group))
    return {"model.n_kv_head": None if group == 1 else n_head // group}


def _may_be_parallel(values: Values) -> bool:
    return values["norm_place"] in ("pre", "both") and values["residual"] and values["feed_forward"]


def _widened(value: float, sizes: Values) -> Mapping[str, object]:
    return {"model.d_ff": None if value == 4 else max(4, round(value * int(sizes["d_model"])))}


def _windowed(value: str, sizes: Values) -> Mapping[str, object]:
    return {"model.windowed": None if value == "all" else list(range(0, int(sizes["n_layer"]), 2))}


def _unrotated(value: str, sizes: Values) -> Mapping[str, object]:
    return {"model.unrotated": None if value == "all" else list(range(1, int(sizes["n_layer"]), 2))}


def _chosen(value: int, _: Values) -> Mapping[str, object]:
    return {"model.experts.n_expert": value, "model.experts.n_active": 1} if value else {"model.experts": None}


def _sloped(value: str, sizes: Values) -> Mapping[str, object]:
    return {"model.slopes": STEEP.get(int(sizes["n_head"])) if value == "steep" else None}


# Steeper than the paper's, because the context is short.
STEEP: Mapping[int, list[float]] = {2: [1.0, 0.0], 4: [1.0, 0.3, 0.1, 0.0]}


MODEL_PARTS = (
    RecipePart(
        name="kv_heads", label=LABELS["kv_heads"], group=ATTENTION_GROUP, paths=("model.n_kv_head",),
        sentence=LABELS["kv_heads.sentence"],
        paper="Shazeer 2019 (1911.02150); in groups: Ainslie et al. 2023 (2305.13245)",
        options=LABELS.options("kv_heads", "1", "2", "4", "all"),
        plain="1", typical="2", sets=_shared_heads,
    ),
    RecipePart(
        name="d_head", label=LABELS["d_head"], group=ATTENTION_GROUP, paths=("model.d_head",),
        sentence=LABELS["d_head.sentence"],
        paper=LABELS["d_head.source"],
        none=LABELS["d_head.none"], low=0, high=128, step=2, reason=LABELS["d_head.reason"],
        plain=0, typical=64, sets=recipe_value_or_none_setter("model.d_head"),
    ),
    RecipePart(
        name="qk_norm", kinds=WITH_BLOCKS, label=LABELS["qk_norm"], group=ATTENTION_GROUP,
        paths=("model.block.qk_norm",),
        sentence=LABELS["qk_norm.sentence"],
        paper="Henry et al. 2020 (2010.04245); with gains: Qwen3 (2505.09388); across heads: OLMo 2 (2501.00656)",
        options=LABELS.options("qk_norm", "no", "yes", "gain", "width"),
        plain="no", typical="gain",
        sets=recipe_lookup_setter("model.block.qk_norm", no=(False,), yes=(True,), gain=("gain",), width=("width",)),
    ),
    RecipePart(
        name="scale", label=LABELS["scale"], group=ATTENTION_GROUP, paths=("model.scale",),
        sentence=LABELS["scale.sentence"],
        paper=LABELS["scale.source"],
        options=YES_NO, plain=True, typical=False, sets=lambda value, _: {"model.scale": None if value else 1.0},
    ),
    RecipePart(
        name="softcap", kinds=WITH_BLOCKS, label=LABELS["softcap"], group=ATTENTION_GROUP,
        paths=("model.block.softcap",),
        sentence=LABELS["softcap.sentence"],
        paper=LABELS["softcap.source"],
        none=LABELS["softcap.none"], low=0, high=100, reason=LABELS["softcap.reason"], plain=0, typical=50,
        sets=lambda value, _: {"model.block.softcap": float(value) or None},
    ),
    RecipePart(
        name="sink", kinds=WITH_BLOCKS, label=LABELS["sink"], group=ATTENTION_GROUP, paths=("model.block.sink",),
        sentence=LABELS["sink.sentence"],
        paper=LABELS["sink.source"],
        options=LABELS.options("sink", "no", "yes", "zero"), plain="no", typical="yes",
        sets=recipe_lookup_setter("model.block.sink", no=(False,), yes=(True,), zero=("zero",)),
    ),
    RecipePart(
        name="gate", kinds=WITH_BLOCKS, label=LABELS["gate"], group=ATTENTION_GROUP,
        paths=("model.block.gate",),
        sentence=LABELS["gate.sentence"],
        paper="Qiu et al. 2025 (2505.06708)",
        options=LABELS.options("gate", "no", "head", "yes"), plain="no", typical="yes",
        sets=recipe_lookup_setter("model.block.gate", no=(False,), head=("head",), yes=(True,)),
    ),
    RecipePart(
        name="window", kinds=("gpt", "bert"), label=LABELS["window"], group=ATTENTION_GROUP, paths=("model.window",),
        sentence=LABELS["window.sentence"],
        paper="Beltagy et al. 2020 (2004.05150); Mistral 7B (2310.06825)",
        none=LABELS["window.none"], low=0, high=512, reason=LABELS["window.reason"], plain=0, typical=16,
        sets=recipe_value_or_none_setter("model.window"),
    ),
    RecipePart(
        name="windowed", kinds=("gpt", "bert"), label=LABELS["windowed"], group=ATTENTION_GROUP,
        paths=("model.windowed",), sentence=LABELS["windowed.sentence"],
        paper=LABELS["windowed.source"],
        options=LABELS.options("windowed", "all", "half"), plain="all", typical="half",
        sets=_windowed, when=lambda values: values["window"] > 0,
    ),
    RecipePart(
        name="slopes", label=LABELS["slopes"], group=EMBEDDING_GROUP, paths=("model.slopes",),
        sentence=LABELS["slopes.sentence"],
        paper=LABELS["slopes.source"],
        options=LABELS.options("slopes", "paper", "steep"), plain="paper", typical="steep",
        sets=_sloped, when=lambda values: values["positions"] == "alibi" and values["n_head"] in STEEP,
    ),
    RecipePart(
        name="rotary_base", label=LABELS["rotary_base"], group=EMBEDDING_GROUP,
        paths=("model.rotary.base", "model.rotary"),
        sentence=LABELS["rotary_base.sentence"],
        paper=LABELS["rotary_base.source"],
        low=10, high=10_000_000, step=1000, reason=LABELS["rotary_base.reason"],
        plain=10_000, typical=500_000, sets=lambda value, _: {"model.rotary.base": float(value)},
        when=part_value_condition("positions", "rotary"),
    ),
    RecipePart(
        name="rotary_share", label=LABELS["rotary_share"], group=EMBEDDING_GROUP, paths=("model.rotary.share",),
        sentence=LABELS["rotary_share.sentence"],
        paper=LABELS["rotary_share.source"],
        options=LABELS.options("rotary_share", 1.0, 0.5, 0.25), plain=1.0, typical=0.5,
        sets=recipe_value_setter("model.rotary.share"), when=part_value_condition("positions", "rotary"),
    ),
    RecipePart(
        name="unrotated", label=LABELS["unrotated"], group=EMBEDDING_GROUP, paths=("model.unrotated",),
        sentence=LABELS["unrotated.sentence"],
        paper="Kazemnejad et al. 2023 (NoPE, 2305.19466); every few layers: Yang et al. 2025 (2501.18795); SmolLM3",
        options=LABELS.options("unrotated", "all", "half"), plain="all", typical="half",
        sets=_unrotated, when=lambda values: values["positions"] == "rotary" and values["n_layer"] > 1,
    ),
    RecipePart(
        name="embed_norm", label=LABELS["embed_norm"], group=EMBEDDING_GROUP, paths=("model.embed_norm",),
        sentence=LABELS["embed_norm.sentence"],
        paper=LABELS["embed_norm.source"],
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.embed_norm"),
    ),
    RecipePart(
        name="embed_scale", label=LABELS["embed_scale"], group=EMBEDDING_GROUP, paths=("model.embed_scale",),
        sentence=LABELS["embed_scale.sentence"],
        paper=LABELS["embed_scale.source"],
        options=YES_NO, plain=False, typical=True,
        sets=lambda value, sizes: {"model.embed_scale": float(sizes["d_model"]) ** 0.5 if value else 1.0},
    ),
    RecipePart(
        name="tied", kinds=("gpt", "rnn"), label=LABELS["tied"], group=EMBEDDING_GROUP,
        paths=("model.tied",),
        sentence=LABELS["tied.sentence"],
        paper="Press and Wolf 2016 (1608.05859)",
        options=YES_NO, plain=True, by_kind={"rnn": False}, typical=False, sets=recipe_value_setter("model.tied"),
    ),
    RecipePart(
        name="output_bias", label=LABELS["output_bias"], group=EMBEDDING_GROUP, paths=("model.output_bias",),
        sentence=LABELS["output_bias.sentence"],
        paper=LABELS["output_bias.source"],
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.output_bias"),
    ),
    RecipePart(
        name="logit_softcap", label=LABELS["logit_softcap"], group=EMBEDDING_GROUP, paths=("model.logit_softcap",),
        sentence=LABELS["logit_softcap.sentence"],
        paper=LABELS["logit_softcap.source"],
        none=LABELS["logit_softcap.none"], low=0, high=100, reason=LABELS["logit_softcap.reason"], plain=0, typical=30,
        sets=lambda value, _: {"model.logit_softcap": float(value) or None},
    ),
    RecipePart(
        name="norm", kinds=WITH_BLOCKS, label=LABELS["norm"], group=BLOCK_GROUP, paths=("model.block.norm",),
        sentence=LABELS["norm.sentence"],
        paper="LayerNorm: Ba et al. 2016 (1607.06450); RMSNorm: Zhang and Sennrich 2019 (1910.07467)",
        options=LABELS.options("norm", "layer", "rms", "rms_plain"),
        plain="layer", typical="rms", sets=recipe_value_setter("model.block.norm"),
    ),
    RecipePart(
        name="norm_place", kinds=WITH_BLOCKS, label=LABELS["norm_place"], group=BLOCK_GROUP,
        paths=("model.block.norm_first", "model.block.norm_out"),
        sentence=LABELS["norm_place.sentence"],
        paper=LABELS["norm_place.source"],
        options=LABELS.options("norm_place", "pre", "post", "both", "out"),
        plain="pre", typical="both",
        sets=recipe_lookup_setter("model.block.norm_first", "model.block.norm_out",
                    pre=(True, False), post=(False, False), both=(True, True), out=(False, True)),
    ),
    RecipePart(
        name="residual", kinds=WITH_BLOCKS, label=LABELS["residual"], group=BLOCK_GROUP,
        paths=("model.block.residual",),
        sentence=LABELS["residual.sentence"],
        paper="He et al. 2015 (1512.03385)",
        options=YES_NO, plain=True, typical=False, sets=recipe_value_setter("model.block.residual"),
    ),
    RecipePart(
        name="feed_forward", kinds=WITH_BLOCKS, label=LABELS["feed_forward"], group=BLOCK_GROUP,
        paths=("model.block.feed_forward",),
        sentence=LABELS["feed_forward.sentence"],
        paper=LABELS["feed_forward.source"],
        options=YES_NO, plain=True, typical=False, sets=recipe_value_setter("model.block.feed_forward"),
    ),
    RecipePart(
        name="parallel", kinds=WITH_BLOCKS, label=LABELS["parallel"], group=BLOCK_GROUP,
        paths=("model.block.parallel",),
        sentence=LABELS["parallel.sentence"],
        paper=LABELS["parallel.source"],
        options={"no": LABELS["parallel.no"], "yes": LABELS["parallel.yes"], "one norm": LABELS["parallel.one_norm"]},
        plain="no", typical="one norm",
        sets=recipe_lookup_setter("model.block.parallel", no=(False,), yes=(True,), **{"one norm": ("one norm",)}),
        when=_may_be_parallel,
    ),
    RecipePart(
        name="bias", kinds=WITH_BLOCKS, label=LABELS["bias"], group=BLOCK_GROUP, paths=("model.block.bias",),
        sentence=LABELS["bias.sentence"],
        paper=LABELS["bias.source"],
        options=LABELS.options("bias", "yes", "qkv", "no"), plain="yes", typical="no",
        sets=recipe_lookup_setter("model.block.bias", yes=(True,), qkv=("qkv",), no=(False,)),
    ),
    RecipePart(
        name="shared", kinds=("bert",), label=LABELS["shared"], group=BLOCK_GROUP, paths=("model.shared",),
        sentence=LABELS["shared.sentence"],
        paper=LABELS["shared.source"],
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.shared"),
    ),
    RecipePart(
        name="activation", kinds=WITH_BLOCKS, label=LABELS["activation"], group=FEED_FORWARD_GROUP,
        paths=("model.block.activation",),
        sentence=LABELS["activation.sentence"],
        paper="GELU: 1606.08415; squared ReLU: 2109.08668; SwiGLU, GEGLU: Shazeer 2020 (2002.05202)",
        options=LABELS.options("activation", "relu", "gelu", "gelu_tanh", "quick_gelu",
                               "relu2", "swiglu", "geglu", "geglu_exact"),
        plain="gelu_tanh", typical="swiglu", sets=recipe_value_setter("model.block.activation"), when=has_feed_forward,
    ),
    RecipePart(
        name="d_ff", kinds=WITH_BLOCKS, label=LABELS["d_ff"], group=FEED_FORWARD_GROUP,
        paths=("model.d_ff",), sentence=LABELS["d_ff.sentence"],
        paper=LABELS["d_ff.source"],
        low=0.25, high=8, step=0.25, reason=LABELS["d_ff.reason"], plain=4.0, typical=2.0,
        sets=_widened, reads=lambda raw, sizes: 4.0 if raw is None else raw / sizes["d_model"], when=has_feed_forward,
    ),
    RecipePart(
        name="token_shift", label=LABELS["token_shift"], group=FEED_FORWARD_GROUP,
        paths=("model.token_shift",), sentence=LABELS["token_shift.sentence"],
        paper=LABELS["token_shift.source"],
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.token_shift"), when=has_feed_forward,
    ),
    RecipePart(
        name="n_expert", label=LABELS["n_expert"], group=FEED_FORWARD_GROUP,
        paths=("model.experts.n_expert", "model.experts"),
        sentence=LABELS["n_expert.sentence"],
        paper="Shazeer et al. 2017 (1701.06538); Mixtral (2401.04088)",
        none=LABELS["n_expert.none"], low=0, high=16, reason=LABELS["n_expert.reason"], plain=0, typical=4,
        sets=_chosen,
        when=has_feed_forward,
    ),
    RecipePart(
        name="n_active", label=LABELS["n_active"], group=FEED_FORWARD_GROUP, paths=("model.experts.n_active",),
        sentence=LABELS["n_active.sentence"],
        paper="one: Switch Transformer (2101.03961); two: Mixtral (2401.04088)",
        low=1, high=16, reason=LABELS["n_active.reason"], plain=1, typical=2,
        sets=lambda value, _: {"model.experts.n_active": value},
        when=lambda values: values["n_expert"] > 0,
    ),
)  # fmt: skip
