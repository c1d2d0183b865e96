"""What a model that turns one sequence into another promises, in every variant that its config allows."""

import pytest
import torch
from torch import Tensor

from core.models.seq2seq import Seq2SeqConfig
from core.nn.recurrent import CELLS
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

B, S, T, V = 3, 6, 5, 11
EVERY = {
    f"{cell}, {attention}, both ways={both}": Seq2SeqConfig(
        source_vocab=7, vocab_size=V, d_model=8, cell=cell, attention=attention, bidirectional=both
    )
    for cell in CELLS
    for attention, both in (("additive", True), ("additive", False), ("none", True))
}
every_variant = pytest.mark.parametrize("config", EVERY.values(), ids=EVERY)


def batch(seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Sources of unequal lengths, targets, and the mask."""
    generator = torch.Generator().manual_seed(seed)
    source, target = torch.randint(7, (B, S), generator=generator), torch.randint(V, (B, T), generator=generator)
    return source, target, torch.arange(S) < torch.tensor([[6], [4], [1]])


@every_variant
def test_logits_have_their_shape_and_a_later_token_changes_nothing_before(config: Seq2SeqConfig) -> None:
    source, target, mask = batch()
    model = lively(config)
    logits = model(source, target, mask)
    assert logits.shape == (B, T, V)
    for t in range(1, T):
        other = target.clone()
        other[:, t] = (other[:, t] + 1) % V
        changed = model(source, other, mask)
        assert torch.equal(changed[:, :t], logits[:, :t]) and not torch.equal(changed[:, t:], logits[:, t:])


@every_variant
def test_padding_changes_nothing_and_the_source_does(config: Seq2SeqConfig) -> None:
    source, target, mask = batch()
    model = lively(config)
    logits = model(source, target, mask)
    torch.testing.assert_close(model(source.where(mask, (source + 1) % 7), target, mask), logits, atol=0, rtol=0)
    alone = model(source[2:, :1], target[2:])
    torch.testing.assert_close(logits[2:], alone, atol=1e-12, rtol=0)
    assert not torch.equal(model((source + 1) % 7, target, mask), logits)


@every_variant
def test_step_by_step_equals_all_at_once(config: Seq2SeqConfig) -> None:
    source, target, mask = batch()
    model = lively(config)
    states, state = model.encode(source, mask)
    for t in range(T):
        logits, state = model.step(target[:, t], state, states, mask)
        torch.testing.assert_close(logits, model(source, target, mask)[:, t], atol=1e-12, rtol=0)


@every_variant
def test_tracing_changes_nothing_and_sees_every_row_of_weights(config: Seq2SeqConfig) -> None:
    source, target, mask = batch()
    model = lively(config).float()
    plain = model(source, target, mask)
    with Trace(model) as trace:
        assert torch.equal(model(source, target, mask), plain)
    if config.attention == "none":
        assert "decoder.attn.weights" not in trace
        return
    weights = torch.stack(trace.steps("decoder.attn.weights"), 1)  # (B, T, S)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, T), atol=1e-6, rtol=0)
    assert not weights.masked_select(~mask[:, None]).any()


@pytest.mark.parametrize(
    ("change", "words"),
    [({"cell": "elman"}, "cell='elman' is none of"), ({"attention": "hard"}, "none of none, additive"),
     ({"d_model": 0}, "d_model=0 must be at least 1")],
)  # fmt: skip
def test_impossible_configs_are_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Seq2SeqConfig(**{"source_vocab": 3, "vocab_size": 4} | change)  # type: ignore[arg-type]
