"""The pass in plain NumPy gives the same numbers as the models, for every kind; and it finds a weight that is wrong."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.inspect.numpy_reference import numpy_parts
from core.inspect.numpy_reference.numpy_forward import numpy_forward
from core.inspect.numpy_reference.numpy_weights import read_safetensors_as_numpy
from core.models.bert import BERTConfig
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.models.images.captioner import CaptionerConfig
from core.models.images.image_gpt import ImageGPTConfig
from core.models.images.vit import ViTConfig
from core.models.original_transformer import TransformerConfig
from core.models.pretrained import load
from core.models.recurrent_seq2seq import RecurrentSeq2SeqConfig
from core.models.registry import build, to_dict
from core.models.rnn import RNNConfig
from core.models.t5 import T5Config
from core.nn.block import BlockStyle
from core.nn.feed_forward import ACTIVATIONS
from core.nn.output_heads import HEAD_ACTIVATIONS, OUTPUT_HEADS, POOLER_ACTIVATIONS, OutputHeadOptions
from core.nn.positions import POSITION_SCHEMES, RotarySettings, alibi_slopes, relative_buckets, sinusoidal
from core.nn.tap import Trace
from core.rooms.masks.compute.masks import run_with_mask
from tests.configs import gpt

ROOT = Path(__file__).resolve().parents[3]
CLOSE = 2e-5  # of the largest number of a tensor, or of 1 where all are smaller

STYLES = st.builds(
    BlockStyle,
    norm=st.sampled_from(["layer", "rms", "rms_plain"]),
    norm_first=st.booleans(),
    residual=st.booleans(),
    activation=st.sampled_from(ACTIVATIONS),
    bias=st.sampled_from([True, False, "qkv"]),
    qk_norm=st.sampled_from([True, False, "gain"]),
    sink=st.sampled_from([False, False, True, "zero"]),
    gate=st.sampled_from([False, False, True, "head"]),
    feed_forward=st.booleans(),
    eps=st.sampled_from([None, 1e-3, 1e-12]),
)
ROTARY = st.none() | st.builds(
    RotarySettings,
    base=st.sampled_from([100.0, 5e5]),
    factor=st.sampled_from([1.0, 4.0]),
    trained_length=st.sampled_from([None, 3, 40]),
)


def weights_of(model: torch.nn.Module) -> dict[str, np.ndarray]:
    """Return the parameters as our files store them, with a shared one only once."""
    return {name: one.detach().numpy() for name, one in model.named_parameters()}


def shaken(config: Any) -> torch.nn.Module:
    """A model whose gains and biases are not all 1 and 0, so that each of them matters."""
    model = build(config, seed=1)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def compare(config: Any, inputs: tuple[torch.Tensor, ...], **given_: Any) -> None:
    """Every tensor that the model taps, against the second pass."""
    model = shaken(config)
    with torch.no_grad(), Trace(model) as trace:
        model(*inputs)
    again = numpy_forward(to_dict(config), weights_of(model), **given_)
    for name in trace:
        steps = [one[0].double().numpy() for one in trace.steps(name)]
        whole = steps[0] if again[name].shape == steps[0].shape else np.stack(steps)
        assert again[name].shape == whole.shape, name
        assert np.abs(again[name] - whole).max() <= CLOSE * max(1, np.abs(whole).max()), name


@settings(max_examples=60)
@given(style=STYLES, positions=st.sampled_from(POSITION_SCHEMES), tied=st.booleans(), causal=st.booleans(),
       embed_norm=st.booleans(), output_bias=st.booleans(), n_head=st.sampled_from([1, 2, 4]),
       n_kv_head=st.sampled_from([None, 1, 2]), d_head=st.sampled_from([None, 2, 6]), rotary=ROTARY,
       unrotated=st.sampled_from([None, (0,), (1,)]), n_label=st.sampled_from([None, 3]),
       ids=st.lists(st.integers(0, 10), min_size=1, max_size=9))  # fmt: skip
def test_gpt(style: BlockStyle, positions: str, tied: bool, causal: bool, embed_norm: bool, output_bias: bool,
             n_head: int, n_kv_head: int | None, d_head: int | None, rotary: RotarySettings | None,
             unrotated: tuple[int, ...] | None, n_label: int | None, ids: list[int]) -> None:  # fmt: skip
    config = GPTConfig(
        vocab_size=11, context_length=9, n_layer=2, n_head=n_head, d_model=4 * n_head, positions=positions, tied=tied,
        causal=causal, block=style,
        modern=Modern(
            embed_norm=embed_norm, output_bias=output_bias, d_embed=None if tied else 5, d_head=d_head,
            slopes=(0.5,) * n_head if positions == "alibi" and tied else None,
            n_kv_head=None if n_kv_head is None else min(n_kv_head, n_head),
            rotary=rotary if positions == "rotary" else None, unrotated=unrotated if positions == "rotary" else None,
            n_label=n_label if causal and not tied else None,
            token_shift=embed_norm and causal and style.feed_forward,
        ),
    )  # fmt: skip
    compare(config, (torch.tensor([ids]),), ids=ids)


@settings(max_examples=40)
@given(style=STYLES, head=st.sampled_from(OUTPUT_HEADS), n_segment=st.integers(0, 2),
       d_embed=st.sampled_from([None, 5]), positions=st.sampled_from(["learned", "rotary"]),
       windowed=st.sampled_from([None, (1,), (0, 2)]), shared=st.booleans(), first_norm=st.booleans(),
       pool=st.sampled_from(list(POOLER_ACTIVATIONS)), head_bias=st.booleans(),
       bend=st.sampled_from(list(HEAD_ACTIVATIONS)), head_norm=st.booleans(),
       pooling=st.sampled_from(["first", "mean"]), padded=st.booleans(), tied=st.booleans(),
       counted=st.sampled_from([None, 2, 8]))  # fmt: skip
def test_bert(style: BlockStyle, head: str, n_segment: int, d_embed: int | None, positions: str,
              windowed: tuple[int, ...] | None, shared: bool, first_norm: bool, pool: str, head_bias: bool, bend: str,
              head_norm: bool, pooling: str, padded: bool, tied: bool, counted: int | None) -> None:  # fmt: skip
    turns = positions == "rotary"
    config = BERTConfig(
        vocab_size=9, context_length=6, n_layer=3, n_head=2, d_model=8, head=head, n_segment=n_segment, block=style,
        d_embed=d_embed, positions=positions, rotary=RotarySettings(base=30.0) if turns else None,
        pad_id=None if turns else counted, window=2 if windowed else None, windowed=windowed, pool=pool, shared=shared,
        window_rotary=RotarySettings(base=5.0) if turns and windowed else None,
        first_norm=first_norm or shared or not style.norm_first or bool(style.parallel),
        head_style=OutputHeadOptions(activation=bend, bias=head_bias, norm=head_norm, pooling=pooling, tied=tied),
    )  # fmt: skip
    ids, there = [1, 2, 3, 8], [True, True, True, not padded]
    given_ = {"mask": np.array(there)} if padded else {}
    compare(config, (torch.tensor([ids]), torch.tensor([there])), ids=ids, **given_)


@pytest.mark.parametrize("activation", ["relu", "geglu"])
@pytest.mark.parametrize("tied", [True, False])
def test_t5(activation: str, tied: bool) -> None:
    config = T5Config(vocab_size=9, n_layer=2, n_decoder_layer=1, n_head=2, d_model=8, d_head=3, activation=activation,
                      tied=tied, n_bucket=8, max_distance=16)  # fmt: skip
    source, target = list(range(9)) * 3, [0, 3, 4]
    compare(config, (torch.tensor([source]), torch.tensor([target])), source=source, target_in=target)


@settings(max_examples=10)
@given(style=STYLES, tied=st.booleans())
def test_transformer(style: BlockStyle, tied: bool) -> None:
    config = TransformerConfig(vocab_size=9, n_layer=1, n_head=2, d_model=8, tied=tied, block=style)
    inputs = torch.tensor([[1, 2, 3, 0]]), torch.tensor([[0, 4]])
    open_ = [True, True, True, False]
    compare(config, (*inputs, torch.tensor([open_])), source=[1, 2, 3, 0], target_in=[0, 4], mask=np.array(open_))


def test_pictures() -> None:
    image = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(3))
    compare(ViTConfig(n_layer=2, n_head=2, d_model=8), (image,), image=image[0].numpy())
    ids = [9, 3, 2, 2]
    compare(ImageGPTConfig(vocab_size=10, context_length=4, d_model=8, n_head=2), (torch.tensor([ids]),), ids=ids)


@pytest.mark.parametrize("reads", ["patches", "class"])
def test_captioner(reads: str) -> None:
    image = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(3))
    config = CaptionerConfig(vocab_size=7, context_length=5, n_layer=1, n_head=2, d_model=8, reads=reads)
    compare(config, (image, torch.tensor([[0, 2, 5]])), image=image[0].numpy(), target_in=[0, 2, 5])


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
@pytest.mark.parametrize("flag", [True, False])
def test_recurrent(cell: str, flag: bool) -> None:
    ids = [1, 5, 2, 2]
    compare(RNNConfig(vocab_size=7, cell=cell, n_layer=2, d_model=6, tied=flag), (torch.tensor([ids]),), ids=ids)
    attention = "additive" if flag else "none"
    config = RecurrentSeq2SeqConfig(
        source_vocab=7, vocab_size=5, d_model=6, cell=cell, bidirectional=flag, attention=attention
    )
    compare(config, (torch.tensor([ids]), torch.tensor([[0, 3, 1]])), source=ids, target_in=[0, 3, 1])


@pytest.mark.parametrize("kind", [GPTConfig, BERTConfig])
def test_a_mask_of_the_visitors_stands_in_place_of_windows_too(kind: type) -> None:
    """As in the room “Masks”, whose own softmax takes the place of each layer's weights."""
    make: Any = gpt if kind is GPTConfig else kind
    config = make(vocab_size=9, n_layer=2, n_head=2, d_model=8, positions="rotary", window=2, windowed=(1,),
                  window_rotary=RotarySettings(base=5.0))  # fmt: skip
    model, ids = shaken(config), [1, 2, 3, 8, 4]
    mask = torch.rand(5, 5, generator=torch.Generator().manual_seed(1)) > 0.4
    trace = run_with_mask(model, torch.tensor([ids]), mask)
    again = numpy_forward(to_dict(config), weights_of(model), ids=ids, mask=mask.numpy())
    for name in ("blocks.1.attn.weights", "final"):
        assert np.abs(again[name] - trace[name][0].numpy()).max() < CLOSE, name


def test_positions_of_far_texts() -> None:
    """Long texts: the borders of the buckets, the slopes of any number of heads, the waves."""
    for both_ways in (True, False):
        table = np.arange(32.0)[:, None]
        place = torch.arange(600)
        theirs = relative_buckets(place - place[:, None], both_ways)
        assert np.array_equal(numpy_parts.numpy_relative_bias(table, 600, both_ways)[0], theirs.numpy())
    for n_head in range(1, 20):
        assert np.allclose(-numpy_parts.numpy_alibi_bias(n_head, 2)[:, 1, 0], alibi_slopes(n_head).numpy())
    assert np.abs(numpy_parts.sinusoidal_positions(500, 7) - sinusoidal(500, 7).numpy()).max() < 1e-6


def test_shipped_models() -> None:
    """The weights as the file holds them, read without torch."""
    for name in ("stories", "stories-learned", "stories-bert", "stories-gru"):
        folder = ROOT / "assets" / "models" / name
        found = load(folder)
        ids = [3, 7, 11, 7, 20]
        with torch.no_grad():
            logits = found.model(torch.tensor([ids]))[0].numpy()
        again = numpy_forward(to_dict(found.config), read_safetensors_as_numpy(folder / "model.safetensors"), ids=ids)[
            "logits"
        ]
        assert np.abs(again - logits).max() < CLOSE * np.abs(logits).max(), name


@pytest.mark.parametrize("spoiled", ["blocks.0.attn.w_q.weight", "blocks.1.mlp.w_out.weight", "tok_emb.weight"])
def test_finds_a_spoiled_weight(spoiled: str) -> None:
    """One number off by 0.5 in the model that is shown, and the second pass says so loudly."""
    config = GPTConfig(vocab_size=11, n_layer=2, n_head=2, d_model=8)
    model = shaken(config)
    weights = {name: one.copy() for name, one in weights_of(model).items()}
    weights[spoiled][2, 1] += 0.5
    ids = [2, 4, 2, 6]
    with torch.no_grad():
        logits = model(torch.tensor([ids]))[0].numpy()
    assert np.abs(numpy_forward(to_dict(config), weights, ids=ids)["logits"] - logits).max() > 100 * CLOSE


def test_takes_no_torch() -> None:
    """Nothing of the second pass, nor of reading its weights, imports torch."""
    code = (
        "import sys; import core.inspect.numpy_reference.numpy_forward, core.inspect.numpy_reference.numpy_weights; "
        "sys.exit('torch' in sys.modules or 'core.nn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
