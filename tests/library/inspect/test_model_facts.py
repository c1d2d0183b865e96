"""Facts about a model without training it: its differences from the taught block, its readers and its vectors."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from core.inspect import attention_record, block_differences, position_properties
from core.inspect.head_scores import head_attending_to_prediction
from core.inspect.numpy_reference import numpy_parts
from core.models import registry
from core.models.bert import BERTConfig
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.models.images.multiscale_vit import MultiScaleViTConfig
from core.models.original_transformer import TransformerConfig
from core.models.rnn import RNNConfig
from core.models.t5 import T5Config
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.feed_forward import ACTIVATIONS, GATED_ACTIVATIONS
from core.nn.positions import RotarySettings
from tests.configs import gpt

STYLES: dict[str, dict[str, Any]] = {
    "": {"activation": "gelu"},
    "norms after the addition (post-norm)": {"norm_first": False},
    "RMSNorm": {"norm": "rms"},
    "RMSNorm without gain": {"norm": "rms_plain"},
    "no residual path": {"residual": False},
    "no feed-forward": {"feed_forward": False, "activation": "relu"},
    "ReLU": {"activation": "relu"},
    "SwiGLU": {"activation": "swiglu"},
    "no biases": {"bias": False},
    "biases of queries, keys and values alone": {"bias": "qkv"},
    "normalized queries and keys": {"qk_norm": True},
    "queries and keys normalized over all heads together": {"qk_norm": "width"},
    "norms before and after each part": {"norm_out": True},
    "norms after each part and none before": {"norm_out": True, "norm_first": False},
    "attention and feed-forward side by side": {"parallel": True},
    "attention and feed-forward side by side behind one norm": {"parallel": "one norm"},
    "scores bounded to ±50": {"softcap": 50.0},
    "heads with a learned sink": {"sink": True},
    "heads with a sink of 0": {"sink": "zero"},
    "gates on all that heads have read": {"gate": True},
    "one gate on what each head has read": {"gate": "head"},
    "GEGLU": {"activation": "geglu_exact"},
}
OPTIONS: dict[str, dict[str, Any]] = {
    "": {"positions": "sinusoidal"},
    "keys and values shared by several heads": {"n_kv_head": 1},
    "heads that are not d_model / n_head wide": {"d_head": 6},
    "no positions": {"positions": "none"},
    "rotary positions": {"positions": "rotary"},
    "ALiBi for positions": {"positions": "alibi"},
    "relative positions": {"positions": "relative"},
    "a norm after the embedding": {"embed_norm": True},
    "a feed-forward that also reads the token before": {"token_shift": True},
    "no causal mask": {"causal": False},
    "rotary positions for 50% of each head": {"positions": "rotary", "rotary": RotarySettings(share=0.5)},
    "rotary positions with base 500,000": {"positions": "rotary", "rotary": RotarySettings(base=500_000.0)},
    "rotary positions slowed for longer texts": {"positions": "rotary", "rotary": RotarySettings(factor=8.0)},
    "a window of 4,096 tokens in each layer": {"window": 4_096},
    "a window of 512 tokens in 1 of 2 layers": {"window": 512, "windowed": (1,)},
    "scores that are not divided by √d_head": {"scale": 1 / 16},
    "8 experts in place of a feed-forward (2 for each token)": {"experts": ExpertSettings(n_expert=8, n_active=2)},
    "8 experts in place of a feed-forward (2 and a shared one for each token)": {
        "experts": ExpertSettings(n_expert=8, n_active=2, d_shared=4)
    },
    "embeddings times 2.828": {"embed_scale": 8**0.5},
    "logits bounded to ±30": {"logit_softcap": 30.0},
    "rotary positions (none in 1 of 2 layers)": {"positions": "rotary", "unrotated": (1,)},
}
# What is no matter of the block, or told in other words.
UNTOLD = {"norm", "eps", "vocab_size", "context_length", "n_layer", "n_head", "d_model", "d_ff", "d_embed", "slopes",
          "window_rotary", "tied", "output_bias", "n_label", "block", "modern"}  # fmt: skip


@pytest.mark.parametrize(("words", "style"), STYLES.items())
def test_a_style_differs_in_what_it_says(words: str, style: dict[str, Any]) -> None:
    config = GPTConfig(vocab_size=9, n_head=2, d_model=8, block=BlockStyle(**style))
    assert block_differences.differences_from_lesson_block(registry.build(config)) == tuple(filter(None, [words]))


@pytest.mark.parametrize(("words", "options"), OPTIONS.items())
def test_a_model_differs_in_what_it_says(words: str, options: dict[str, Any]) -> None:
    config = gpt(vocab_size=9, n_head=2, d_model=8, **options)
    assert block_differences.differences_from_lesson_block(registry.build(config)) == tuple(filter(None, [words]))


def test_every_option_has_its_words() -> None:
    fields = {field.name for kind in (GPTConfig, Modern, BlockStyle) for field in dataclasses.fields(kind)}
    assert fields - UNTOLD == {name for one in (*STYLES.values(), *OPTIONS.values()) for name in one} - UNTOLD


def test_a_scale_that_is_the_usual_one_and_a_window_with_speeds_of_its_own() -> None:
    turned = {"positions": "rotary", "window": 8, "windowed": (0,), "window_rotary": RotarySettings(base=100.0)}
    config = gpt(vocab_size=9, n_head=2, d_model=8, scale=4**-0.5, **turned)
    assert block_differences.differences_from_lesson_block(registry.build(config)) == (
        "rotary positions", "a window of 8 tokens in 1 of 2 layers", "positions that turn at other speeds there"
    )  # fmt: skip


def test_other_families_differ_in_several_things() -> None:
    def of(config: Any) -> tuple[str, ...] | None:
        return block_differences.differences_from_lesson_block(registry.build(config))

    crosses = "no causal mask in the encoder, and cross-attention in the decoder"
    assert of(TransformerConfig(vocab_size=9)) == ("norms after the addition (post-norm)", "ReLU", crosses)
    assert of(T5Config(vocab_size=9)) == (
        "RMSNorm", "ReLU", "no biases", "scores that are not divided by √d_head", "relative positions", crosses
    )  # fmt: skip
    assert of(BERTConfig(vocab_size=9)) == (
        "norms after the addition (post-norm)", "a norm after the embedding", "no causal mask"
    )  # fmt: skip
    assert of(MultiScaleViTConfig()) == ("relative positions", "no causal mask")
    assert of(RNNConfig(vocab_size=9)) is None


def test_cosines_are_torchs_and_a_row_of_zeros_has_none() -> None:
    table = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    table[2] = 0
    expected = F.cosine_similarity(torch.tensor(table)[:, None].double(), torch.tensor(table)[None].double(), -1)
    np.testing.assert_allclose(position_properties.cosine_similarities(table), expected, atol=1e-12)
    found = position_properties.learned_position_similarities(table)
    np.testing.assert_allclose(found.length, np.linalg.norm(table.astype(float), axis=1))
    assert found.by_distance == pytest.approx([np.diagonal(expected, k).mean() for k in range(5)])


def test_one_text_may_stand_in_a_batch_of_one() -> None:
    model = registry.build(GPTConfig(vocab_size=9, context_length=4, n_head=2, d_model=8))
    for ids in ([1, 2], np.array([[1, 2]]), torch.tensor([[1, 2]]), np.array([1, 2])):
        assert attention_record.as_batch(model, ids).tolist() == [[1, 2]]
    for ids, words in ((np.array([[1], [2]]), "one text is"), ([], "no tokens"), ([9], "0..8, the text has 9..9"),
                       ([0, -1], "has -1..0"), ([1] * 5, "has 5 tokens, the model has positions for 4")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            attention_record.as_batch(model, ids)
    assert attention_record.as_batch(model, [1] * 4).shape == (1, 4)


def test_the_head_to_open_reads_the_expected_word_or_else_far_back() -> None:
    model = registry.build(GPTConfig(vocab_size=9, n_head=2, d_model=8, tied=False))
    record = attention_record.attention(model, [1, 2, 3, 4, 5, 6])
    weights = np.zeros_like(record.weights)
    weights[..., -1, -1] = 1
    # The first word counts for nobody.
    weights[1, 0, -1, 2], weights[0, 1, -1, 0], weights[0, 0, -1, 4] = 0.4, 0.9, 0.8
    probabilities = np.eye(9)[[0, 0, 0, 0, 0, 5]]
    given = {**vars(record), "weights": weights, "probabilities": probabilities}
    assert head_attending_to_prediction(attention_record.AttentionRecord(**given)) == (0, 0)
    for nothing in (probabilities[:, :0], np.eye(9)[[0] * 6]):  # no word is expected, or one that is not in the text
        assert head_attending_to_prediction(attention_record.AttentionRecord(**given | {"probabilities": nothing})) == (
            1,
            0,
        )


@pytest.mark.parametrize("name", [*(one for one in ACTIVATIONS if one not in GATED_ACTIVATIONS), "silu"])
def test_nonlinearities_of_the_second_pass_are_torchs(name: str) -> None:
    x = torch.linspace(-6, 6, 101, dtype=torch.float64)
    torchs = {"relu": F.relu(x), "relu2": F.relu(x) ** 2, "gelu": F.gelu(x), "silu": F.silu(x),
              "gelu_tanh": F.gelu(x, approximate="tanh"), "quick_gelu": x * (1.702 * x).sigmoid()}  # fmt: skip
    np.testing.assert_allclose(numpy_parts.apply_activation(x.numpy(), name), torchs[name], atol=1e-12)
    with pytest.raises(ValueError, match="no nonlinearity 'mish'"):
        numpy_parts.apply_activation(x.numpy(), "mish")
