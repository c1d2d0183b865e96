"""The contracts of T5, the transformer of 2017, a recurrent pair and a captioner beyond `test_models.py`."""

from typing import Any

import pytest
import torch

from core.generate.beam import beam_search
from core.generate.seq2seq import greedy_decode, make_next_log_probs
from core.models import registry
from core.models.images.captioner import MEMORIES, CaptionerConfig
from core.models.images.vit import ViT
from core.models.recurrent_seq2seq import RecurrentSeq2SeqConfig
from core.nn.tap import Trace
from tests.library.contracts.promises import (
    CAPTIONERS,
    SEQ2SEQS,
    T5S,
    TRANSFORMERS,
    B,
    S,
    T,
    V,
    differs,
    each,
    inputs,
    lively,
    with_next,
)

BLOCKS = T5S | TRANSFORMERS


@each(BLOCKS | SEQ2SEQS)
def test_padding_changes_nothing_and_the_source_does(config: Any) -> None:
    model, (source, target, mask) = lively(config), inputs(config).values()
    n_known = getattr(config, "source_vocab", V)
    with torch.no_grad():
        logits = model(source, target, mask)
        assert torch.equal(model(source.where(mask, (source + 1) % n_known), target, mask), logits)
        for row, n in enumerate((S, 3, 1)):
            alone = model(source[row : row + 1, :n], target[row : row + 1])
            torch.testing.assert_close(logits[row : row + 1], alone, atol=1e-12, rtol=0)
        assert not torch.equal(model((source + 1) % n_known, target, mask), logits)


@each(BLOCKS)
def test_the_encoder_reads_both_ways_and_every_target_position_reads_it(config: Any) -> None:
    model, (source, target, mask) = lively(config), inputs(config).values()
    with torch.no_grad():
        for s in (0, S - 1):
            other = with_next(source, s, V)
            assert bool(differs(model.encode(other), model.encode(source)).all())
            assert bool(differs(model(other, target), model(source, target)).all())
        apart = model.decode(target, model.encode(source, mask), mask)
        assert torch.equal(apart, model(source, target, mask))
    for side, stack in (("n_layer", model.encoder), ("n_decoder_layer", model.decoder)):
        assert len(stack.blocks) == (getattr(config, side, None) or config.n_layer)


@each(SEQ2SEQS)
def test_step_by_step_equals_all_at_once(config: RecurrentSeq2SeqConfig) -> None:
    model, (source, target, mask) = lively(config), inputs(config).values()
    states, state = model.encode(source, mask)
    with Trace(model) as trace:
        expected = model(source, target, mask)
    assert ("decoder.attn.weights" in trace) == (config.attention != "none")
    for t in range(T):
        logits, state = model.step(target[:, t], state, states, mask)
        torch.testing.assert_close(logits, expected[:, t], atol=1e-12, rtol=0)


# --- the captioner -------------------------------------------------------------------------------------------------


@each(CAPTIONERS)
def test_every_word_reads_every_patch_through_a_vit(config: CaptionerConfig) -> None:
    model, (images, target) = lively(config), inputs(config).values()
    with torch.no_grad(), Trace(model) as trace:
        logits = model(images, target)
        for pixel in ((0, 0), (5, 5)):
            drawn = images.clone()
            drawn[:, 0, pixel[0], pixel[1]] += 1.0
            assert bool(differs(model(drawn, target), logits).all())
    alone = ViT(config.encoder).double()
    alone.load_state_dict(model.encoder.state_dict())
    final = alone.encode(images)
    assert torch.equal(alone(images), final[:, 0]) and torch.equal(trace.steps("encoder.final")[0], final)
    assert config.n_memory == (config.encoder.n_patch if config.reads == "patches" else 1)
    memory = final[:, 1:] if config.reads == "patches" else final[:, :1]
    assert torch.equal(model.encode(images), memory) and torch.equal(model.decode(target, memory), logits)
    assert set(MEMORIES) == {one.reads for one in CAPTIONERS.values()}


def test_a_hidden_patch_is_not_read() -> None:
    config = CAPTIONERS["all patches"]
    model, (images, target) = lively(config), inputs(config).values()
    memory, mask = model.encode(images), torch.ones(B, config.n_memory, dtype=torch.bool)
    mask[:, 4] = False
    with Trace(model) as trace:
        without = model.decode(target, memory, mask)
    assert not trace["decoder.blocks.0.cross_attn.weights"][..., 4].any()
    changed = memory.clone()
    changed[:, 4] += 1.0
    assert torch.equal(model.decode(target, changed, mask), without)
    assert torch.equal(model(images, target, mask), without)


@each(CAPTIONERS)
def test_greedy_is_one_beam_and_a_row_ends(config: CaptionerConfig) -> None:
    model, images = lively(config), inputs(config)["images"]
    written = greedy_decode(model, images, start_id=0, end_id=1, max_new_tokens=6)
    assert written.dtype == torch.long and written.shape[1] <= 6
    for image, row in zip(images, written.tolist(), strict=True):
        said = list(beam_search(make_next_log_probs(model, image[None]), [0], 1, len(row), eos_id=1).hypotheses[0].ids)[
            1:
        ]
        assert said == row[: len(said)] and (len(said) == len(row) or said[-1] == 1)
        if 1 in row:
            assert set(row[row.index(1) :]) == {1}
    with pytest.raises(ValueError, match="max_new_tokens=0"):
        greedy_decode(model, images, start_id=0, end_id=1, max_new_tokens=0)
    with pytest.raises(ValueError, match="9 tokens do not fit context_length=8"):
        registry.build(config)(images.float(), torch.zeros(B, 9, dtype=torch.long))
