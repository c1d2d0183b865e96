"""What a captioner promises, reading all patches or one vector, in every variant that its config allows."""

from typing import Any

import pytest
import torch
from torch import Tensor

from core.generate.beam import beam_search
from core.generate.seq2seq import greedy, next_log_probs
from core.models import registry
from core.models.captioner import READS, CaptionerConfig
from core.models.vit import ViT
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

B, T, V, D, H = 3, 5, 11, 8, 2
SIZES: dict[str, Any] = {
    "vocab_size": V, "context_length": 7, "n_layer": 2, "n_head": H, "d_model": D, "image_size": 6, "n_channel": 2,
}  # fmt: skip
EVERY = {
    "all patches": CaptionerConfig(**SIZES),
    "the class vector": CaptionerConfig(**SIZES, reads="class"),
    "deeper decoder, narrow": CaptionerConfig(**SIZES, n_decoder_layer=3, d_ff=5, patch_size=3),
    "post-norm": CaptionerConfig(**SIZES, block=BlockStyle(norm_first=False, activation="relu")),
}
every = pytest.mark.parametrize("config", EVERY.values(), ids=EVERY)


def batch(seed: int = 0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    images = torch.randn(B, 2, 6, 6, generator=generator, dtype=torch.float64)
    return images, torch.randint(V, (B, T), generator=generator)


@every
def test_shapes_and_taps(config: CaptionerConfig) -> None:
    images, target = batch()
    model = lively(config)
    with Trace(model) as trace:
        logits = model(images, target)
    n, s = 1 + config.encoder.n_patch, config.n_memory
    assert s == (n - 1 if config.reads == "patches" else 1)
    assert logits.shape == (B, T, V) and trace["logits"] is logits
    for layer in range(config.n_decoder_layer or config.n_layer):
        at = f"decoder.blocks.{layer}"
        assert trace[f"{at}.cross_attn.weights"].shape == (B, H, T, s)
        assert trace[f"{at}.cross_attn.q"].shape == (B, H, T, D // H)
        assert trace[f"{at}.cross_attn.k"].shape == trace[f"{at}.cross_attn.v"].shape == (B, H, s, D // H)
        assert trace[f"{at}.resid_cross"].shape == (B, T, D)
        assert not trace[f"{at}.attn.weights"].triu(1).any()
        rows = trace[f"{at}.cross_attn.weights"].sum(-1)
        torch.testing.assert_close(rows, torch.ones_like(rows), atol=1e-12, rtol=0)
    assert trace["encoder.blocks.1.attn.weights"].shape == (B, H, n, n)
    assert torch.equal(model.encode(images), trace["encoder.final"][:, 1:] if s > 1 else trace["encoder.final"][:, :1])
    assert torch.equal(model.decode(target, model.encode(images)), logits)
    for key in trace:
        with Trace(model, {key: lambda x: x * torch.linspace(0.5, 2.0, x.shape[-1], dtype=x.dtype)}):
            changed = model(images, target)
        # One vector to read is read with weight 1, whatever the question and the key.
        is_idle = s == 1 and key.endswith(("cross_attn.q", "cross_attn.k", "cross_attn.scores"))
        assert torch.equal(changed, logits) == is_idle, key


@every
def test_a_later_word_changes_nothing_before_it_and_every_word_reads_every_patch(config: CaptionerConfig) -> None:
    images, target = batch()
    model = lively(config)
    with torch.no_grad():
        logits = model(images, target)
        for t in range(1, T):
            other = target.clone()
            other[:, t] = (other[:, t] + 1) % V
            changed = model(images, other)
            assert torch.equal(changed[:, :t], logits[:, :t]) and not torch.equal(changed[:, t:], logits[:, t:])
        for pixel in ((0, 0), (5, 5)):
            drawn = images.clone()
            drawn[:, 0, pixel[0], pixel[1]] += 1.0
            assert bool(((model(drawn, target) - logits).abs().amax(-1) > 1e-9).all())


def test_a_hidden_patch_is_not_read() -> None:
    config = EVERY["all patches"]
    images, target = batch()
    model, mask = lively(config), torch.ones(B, config.n_memory, dtype=torch.bool)
    mask[:, 4] = False
    memory = model.encode(images)
    with Trace(model) as trace:
        without = model.decode(target, memory, mask)
    assert not trace["decoder.blocks.0.cross_attn.weights"][..., 4].any()
    changed = memory.clone()
    changed[:, 4] += 1.0
    assert torch.equal(model.decode(target, changed, mask), without)
    assert torch.equal(model(images, target, mask), without)


@every
def test_the_encoder_is_a_vit(config: CaptionerConfig) -> None:
    images, _ = batch()
    model = lively(config)
    alone = ViT(config.encoder).double()
    alone.load_state_dict(model.encoder.state_dict())
    assert torch.equal(alone(images), alone.encode(images)[:, 0])
    assert torch.equal(alone.encode(images), model.encoder.encode(images))


@every
def test_greedy_is_one_beam_and_a_row_ends(config: CaptionerConfig) -> None:
    images, _ = batch()
    model = lively(config)
    written = greedy(model, images, start_id=0, end_id=1, max_new_tokens=6)
    assert written.dtype == torch.long and written.shape[1] <= 6
    for image, row in zip(images, written.tolist(), strict=True):
        ask = next_log_probs(model, image[None])
        said = list(beam_search(ask, [0], 1, len(row), eos_id=1).hypotheses[0].ids)[1:]
        assert said == row[: len(said)] and (len(said) == len(row) or said[-1] == 1)
        if 1 in row:
            assert set(row[row.index(1) :]) == {1}
    with pytest.raises(ValueError, match="max_new_tokens=0"):
        greedy(model, images, start_id=0, end_id=1, max_new_tokens=0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reads": "everything"}, "reads='everything' is none of patches, class"),
        ({"vocab_size": 0}, "vocab_size=0"),
        ({"context_length": 0}, "context_length=0"),
        ({"n_decoder_layer": 0}, "n_decoder_layer=0"),
        ({"n_head": 3}, "not divisible by n_head=3"),
        ({"patch_size": 4}, "image_size=6 is not divisible by patch_size=4"),
        ({"d_ff": 0}, "d_ff=0"),
    ],
)
def test_impossible_configs_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CaptionerConfig(**SIZES | change)
    assert set(READS) == {config.reads for config in EVERY.values()}


def test_a_caption_that_is_too_long_and_a_picture_of_another_size_are_refused() -> None:
    model = registry.build(EVERY["all patches"])
    with pytest.raises(ValueError, match="8 tokens do not fit context_length=7"):
        model(torch.zeros(1, 2, 6, 6), torch.zeros(1, 8, dtype=torch.long))
    with pytest.raises(ValueError, match="do not fit the model's"):
        model.encode(torch.zeros(1, 1, 8, 8))
