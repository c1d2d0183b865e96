"""The parts of a model."""

from collections.abc import Mapping

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


def _shared_heads(value: str, sizes: Values) -> Mapping[str, object]:
    n_head = int(sizes["n_head"])
    group = n_head if value == "all" else int(value)
    if n_head % group:
        raise ValueError(f"{n_head} heads can't share keys in groups of {group}")
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
        name="kv_heads", label="Heads that share keys", group=ATTENTION_GROUP, paths=("model.n_kv_head",),
        sentence="Several heads ask, and read the same keys and values: less to keep while writing.",
        paper="Shazeer 2019 (1911.02150); in groups: Ainslie et al. 2023 (2305.13245)",
        options={"1": "none", "2": "two", "4": "four", "all": "all (multi-query)"},
        plain="1", typical="2", sets=_shared_heads,
    ),
    RecipePart(
        name="d_head", label="Width of a head", group=ATTENTION_GROUP, paths=("model.d_head",),
        sentence="How many numbers a query has; 0 means the width, divided among the heads.",
        paper="Vaswani et al. 2017 (1706.03762), section 3.2.2; wider than that: Qwen3 (2505.09388)",
        none="width ÷ heads", low=0, high=128, step=2, reason="wider heads need hours on one core",
        plain=0, typical=64, sets=recipe_value_or_none_setter("model.d_head"),
    ),
    RecipePart(
        name="qk_norm", kinds=WITH_BLOCKS, label="Normalized queries and keys", group=ATTENTION_GROUP,
        paths=("model.block.qk_norm",),
        sentence="No score can grow without bound, so higher learning rates stay safe.",
        paper="Henry et al. 2020 (2010.04245); with gains: Qwen3 (2505.09388); across heads: OLMo 2 (2501.00656)",
        options={"no": "no", "yes": "yes", "gain": "with gains", "width": "all heads at once"},
        plain="no", typical="gain",
        sets=recipe_lookup_setter("model.block.qk_norm", no=(False,), yes=(True,), gain=("gain",), width=("width",)),
    ),
    RecipePart(
        name="scale", label="Scores scaled down", group=ATTENTION_GROUP, paths=("model.scale",),
        sentence="By the root of the head's width, so that the weights start soft; T5 leaves that to its start.",
        paper="Vaswani et al. 2017 (1706.03762), section 3.2.1; undivided: Raffel et al. 2019 (1910.10683)",
        options=YES_NO, plain=True, typical=False, sets=lambda value, _: {"model.scale": None if value else 1.0},
    ),
    RecipePart(
        name="softcap", kinds=WITH_BLOCKS, label="Most that a score can be", group=ATTENTION_GROUP,
        paths=("model.block.softcap",),
        sentence="Larger scores are bent down to it by tanh; 0 means no bound.",
        paper="Gemma 2 (2408.00118), section 2",
        none="no bound", low=0, high=100, reason="scores beyond it don't occur", plain=0, typical=50,
        sets=lambda value, _: {"model.block.softcap": float(value) or None},
    ),
    RecipePart(
        name="sink", kinds=WITH_BLOCKS, label="Attention sink", group=ATTENTION_GROUP, paths=("model.block.sink",),
        sentence="One more score in each row, which no token has: a head that looks for nothing can read nothing.",
        paper="learned: gpt-oss (2508.10925); fixed at 0: Xiao et al. 2023 (2309.17453), section 3.3",
        options={"no": "no", "yes": "learned", "zero": "fixed at 0"}, plain="no", typical="yes",
        sets=recipe_lookup_setter("model.block.sink", no=(False,), yes=(True,), zero=("zero",)),
    ),
    RecipePart(
        name="gate", kinds=WITH_BLOCKS, label="Gates behind the heads", group=ATTENTION_GROUP,
        paths=("model.block.gate",),
        sentence="The token that reads decides how much of what its heads have read passes.",
        paper="Qiu et al. 2025 (2505.06708)",
        options={"no": "no", "head": "one for each head", "yes": "one for each number"}, plain="no", typical="yes",
        sets=recipe_lookup_setter("model.block.gate", no=(False,), head=("head",), yes=(True,)),
    ),
    RecipePart(
        name="window", kinds=("gpt", "bert"), label="Window", group=ATTENTION_GROUP, paths=("model.window",),
        sentence="A token reads only so many tokens back, itself included; 0 means all.",
        paper="Beltagy et al. 2020 (2004.05150); Mistral 7B (2310.06825)",
        none="all", low=0, high=512, reason="no context here is longer", plain=0, typical=16,
        sets=recipe_value_or_none_setter("model.window"),
    ),
    RecipePart(
        name="windowed", kinds=("gpt", "bert"), label="Layers with the window", group=ATTENTION_GROUP,
        paths=("model.windowed",), sentence="If only every second layer has it, the others still read all.",
        paper="Gemma 2 (2408.00118), section 2",
        options={"all": "all", "half": "every second"}, plain="all", typical="half",
        sets=_windowed, when=lambda values: values["window"] > 0,
    ),
    RecipePart(
        name="slopes", label="ALiBi's slopes", group=EMBEDDING_GROUP, paths=("model.slopes",),
        sentence="How fast far tokens fade, head by head; steeper ones suit a short context.",
        paper="Press et al. 2021 (2108.12409), section 3",
        options={"paper": "the paper's", "steep": "steeper"}, plain="paper", typical="steep",
        sets=_sloped, when=lambda values: values["positions"] == "alibi" and values["n_head"] in STEEP,
    ),
    RecipePart(
        name="rotary_base", label="RoPE's base", group=EMBEDDING_GROUP, paths=("model.rotary.base", "model.rotary"),
        sentence="The larger, the slower the slowest pair of numbers turns, and the further it can tell places apart.",
        paper="Su et al. 2021 (2104.09864), section 3.2.2; larger: Xiong et al. 2023 (2309.16039)",
        low=10, high=10_000_000, step=1000, reason="no context here is long enough for more",
        plain=10_000, typical=500_000, sets=lambda value, _: {"model.rotary.base": float(value)},
        when=part_value_condition("positions", "rotary"),
    ),
    RecipePart(
        name="rotary_share", label="Share of a head that turns", group=EMBEDDING_GROUP, paths=("model.rotary.share",),
        sentence="What doesn't turn sees what a token is, wherever it stands.",
        paper="GPT-NeoX-20B (2204.06745), section 2.1",
        options={1.0: "all", 0.5: "half", 0.25: "a quarter"}, plain=1.0, typical=0.5,
        sets=recipe_value_setter("model.rotary.share"), when=part_value_condition("positions", "rotary"),
    ),
    RecipePart(
        name="unrotated", label="Layers with RoPE", group=EMBEDDING_GROUP, paths=("model.unrotated",),
        sentence="If only every second layer has it, the others compare tokens by what they are alone.",
        paper="Kazemnejad et al. 2023 (NoPE, 2305.19466); every few layers: Yang et al. 2025 (2501.18795); SmolLM3",
        options={"all": "all", "half": "every second"}, plain="all", typical="half",
        sets=_unrotated, when=lambda values: values["positions"] == "rotary" and values["n_layer"] > 1,
    ),
    RecipePart(
        name="embed_norm", label="Normalized embeddings", group=EMBEDDING_GROUP, paths=("model.embed_norm",),
        sentence="The first block gets vectors of one size, however often a token was seen.",
        paper="BLOOM (2211.05100), section 3.2",
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.embed_norm"),
    ),
    RecipePart(
        name="embed_scale", label="Embeddings times √width", group=EMBEDDING_GROUP, paths=("model.embed_scale",),
        sentence="Makes small embeddings as loud as the positions that are added to them.",
        paper="Vaswani et al. 2017 (1706.03762), section 3.4; Gemma (2403.08295)",
        options=YES_NO, plain=False, typical=True,
        sets=lambda value, sizes: {"model.embed_scale": float(sizes["d_model"]) ** 0.5 if value else 1.0},
    ),
    RecipePart(
        name="tied", kinds=("gpt", "rnn"), label="Output tied to embeddings", group=EMBEDDING_GROUP,
        paths=("model.tied",),
        sentence="One matrix reads tokens in and scores them at the end.",
        paper="Press and Wolf 2016 (1608.05859)",
        options=YES_NO, plain=True, by_kind={"rnn": False}, typical=False, sets=recipe_value_setter("model.tied"),
    ),
    RecipePart(
        name="output_bias", label="Bias of the output", group=EMBEDDING_GROUP, paths=("model.output_bias",),
        sentence="A number for each token, which soon knows how frequent it is.",
        paper="Bengio et al. 2003, equation 1",
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.output_bias"),
    ),
    RecipePart(
        name="logit_softcap", label="Most that a logit can be", group=EMBEDDING_GROUP, paths=("model.logit_softcap",),
        sentence="Larger logits are bent down to it by tanh, so it can't be too certain; 0 means no bound.",
        paper="Gemma 2 (2408.00118), section 2",
        none="no bound", low=0, high=100, reason="logits beyond it don't occur", plain=0, typical=30,
        sets=lambda value, _: {"model.logit_softcap": float(value) or None},
    ),
    RecipePart(
        name="norm", kinds=WITH_BLOCKS, label="Norm", group=BLOCK_GROUP, paths=("model.block.norm",),
        sentence="Brings each token's vector to one size before it is read.",
        paper="LayerNorm: Ba et al. 2016 (1607.06450); RMSNorm: Zhang and Sennrich 2019 (1910.07467)",
        options={"layer": "LayerNorm", "rms": "RMSNorm", "rms_plain": "RMSNorm, no gains"},
        plain="layer", typical="rms", sets=recipe_value_setter("model.block.norm"),
    ),
    RecipePart(
        name="norm_place", kinds=WITH_BLOCKS, label="Where the norms are", group=BLOCK_GROUP,
        paths=("model.block.norm_first", "model.block.norm_out"),
        sentence="Before a part, the residual path stays free and training is steady; after it, warm-up is needed.",
        paper="Xiong et al. 2020 (2002.04745); both: Gemma 2 (2408.00118); after the part: OLMo 2 (2501.00656)",
        options={"pre": "before each part", "post": "after each sum (2017)", "both": "before and after",
                 "out": "after each part"},
        plain="pre", typical="both",
        sets=recipe_lookup_setter("model.block.norm_first", "model.block.norm_out",
                    pre=(True, False), post=(False, False), both=(True, True), out=(False, True)),
    ),
    RecipePart(
        name="residual", kinds=WITH_BLOCKS, label="Residual path", group=BLOCK_GROUP, paths=("model.block.residual",),
        sentence="Each part adds to what came in. Without it, deep models hardly learn.",
        paper="He et al. 2015 (1512.03385)",
        options=YES_NO, plain=True, typical=False, sets=recipe_value_setter("model.block.residual"),
    ),
    RecipePart(
        name="feed_forward", kinds=WITH_BLOCKS, label="Feed-forward", group=BLOCK_GROUP,
        paths=("model.block.feed_forward",),
        sentence="Works on each token by itself; without it, a block only moves what is there.",
        paper="Vaswani et al. 2017 (1706.03762), section 3.3; without: Elhage et al. 2021",
        options=YES_NO, plain=True, typical=False, sets=recipe_value_setter("model.block.feed_forward"),
    ),
    RecipePart(
        name="parallel", kinds=WITH_BLOCKS, label="Attention and feed-forward", group=BLOCK_GROUP,
        paths=("model.block.parallel",),
        sentence="Side by side both can be computed at once; one after the other, the second sees more.",
        paper="GPT-NeoX-20B (2204.06745), section 2.1; one norm: Phi-1.5 (2309.05463)",
        options={"no": "one after the other", "yes": "side by side", "one norm": "side by side, one norm"},
        plain="no", typical="one norm",
        sets=recipe_lookup_setter("model.block.parallel", no=(False,), yes=(True,), **{"one norm": ("one norm",)}),
        when=_may_be_parallel,
    ),
    RecipePart(
        name="bias", kinds=WITH_BLOCKS, label="Biases", group=BLOCK_GROUP, paths=("model.block.bias",),
        sentence="A number is added to each output of a layer; today's models do without.",
        paper="without: PaLM (2204.02311), section 2; queries, keys, values only: Qwen2 (2407.10671)",
        options={"yes": "yes", "qkv": "queries, keys, values", "no": "no"}, plain="yes", typical="no",
        sets=recipe_lookup_setter("model.block.bias", yes=(True,), qkv=("qkv",), no=(False,)),
    ),
    RecipePart(
        name="shared", kinds=("bert",), label="All layers are the same one", group=BLOCK_GROUP, paths=("model.shared",),
        sentence="Each layer has the same weights: as deep, and far smaller.",
        paper="ALBERT (1909.11942), section 3.1",
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.shared"),
    ),
    RecipePart(
        name="activation", kinds=WITH_BLOCKS, label="Activation", group=FEED_FORWARD_GROUP,
        paths=("model.block.activation",),
        sentence="The bend between the two layers; in gated ones a third layer decides how much passes.",
        paper="GELU: 1606.08415; squared ReLU: 2109.08668; SwiGLU, GEGLU: Shazeer 2020 (2002.05202)",
        options={"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (GPT-2's)", "quick_gelu": "GELU (quick)",
                 "relu2": "squared ReLU", "swiglu": "SwiGLU (gated)", "geglu": "GEGLU (gated)",
                 "geglu_exact": "GEGLU (gated, exact)"},
        plain="gelu_tanh", typical="swiglu", sets=recipe_value_setter("model.block.activation"), when=has_feed_forward,
    ),
    RecipePart(
        name="d_ff", kinds=WITH_BLOCKS, label="Feed-forward, times as wide", group=FEED_FORWARD_GROUP,
        paths=("model.d_ff",), sentence="How many numbers there are between its two layers.",
        paper="4: Vaswani et al. 2017 (1706.03762), section 3.3; 8/3 where gated: Llama (2302.13971)",
        low=0.25, high=8, step=0.25, reason="wider ones need hours on one core", plain=4.0, typical=2.0,
        sets=_widened, reads=lambda raw, sizes: 4.0 if raw is None else raw / sizes["d_model"], when=has_feed_forward,
    ),
    RecipePart(
        name="token_shift", label="Feed-forward reads the token before", group=FEED_FORWARD_GROUP,
        paths=("model.token_shift",), sentence="It then knows two tokens without any attention.",
        paper="RWKV (2305.13048), section 3.1.1",
        options=YES_NO, plain=False, typical=True, sets=recipe_value_setter("model.token_shift"), when=has_feed_forward,
    ),
    RecipePart(
        name="n_expert", label="Experts", group=FEED_FORWARD_GROUP, paths=("model.experts.n_expert", "model.experts"),
        sentence="Several feed-forward parts, of which a router chooses a few for each token; 0 means a plain one.",
        paper="Shazeer et al. 2017 (1701.06538); Mixtral (2401.04088)",
        none="none", low=0, high=16, reason="each is a feed-forward of its own", plain=0, typical=4,
        sets=_chosen,
        when=has_feed_forward,
    ),
    RecipePart(
        name="n_active", label="Experts for each token", group=FEED_FORWARD_GROUP, paths=("model.experts.n_active",),
        sentence="Each token passes so many of them.",
        paper="one: Switch Transformer (2101.03961); two: Mixtral (2401.04088)",
        low=1, high=16, reason="each is a feed-forward of its own", plain=1, typical=2,
        sets=lambda value, _: {"model.experts.n_active": value},
        when=lambda values: values["n_expert"] > 0,
    ),
)  # fmt: skip
