"""The encoder-decoder: torch's GRU, the closed form, what passes without attention, alignments and energies."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from core.data.synthetic import reversal
from core.generate.seq2seq import greedy_decode
from core.inspect.teacher_forcing import string_reversal_accuracy
from core.models import registry
from core.models.recurrent_seq2seq import RecurrentSeq2Seq, RecurrentSeq2SeqConfig, shift_right
from core.nn.tap import Trace
from core.rooms.seq2seq.compute.alignment import align, alignment_energies, weight_by_offset
from core.rooms.seq2seq.experiments import bottleneck
from core.rooms.seq2seq.experiments.bottleneck import LENGTHS
from core.train.experiment import run_experiment

START, END = 7, 8


def model(seed: int = 0, **options: object) -> RecurrentSeq2Seq:
    made: RecurrentSeq2Seq = registry.build(
        RecurrentSeq2SeqConfig(source_vocab=6, vocab_size=9, d_model=8, **options), seed
    )  # type: ignore[arg-type]
    with torch.no_grad():
        made.decoder.unembed.weight.mul_(50)  # so that an untrained model has opinions
    return made.double().eval()


def ids(*shape: int, high: int = 6, seed: int = 0) -> Tensor:
    return torch.randint(high, shape, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def test_the_encoder_is_torchs_bidirectional_gru() -> None:
    made = model()
    theirs = nn.GRU(8, 8, batch_first=True, bidirectional=True).double()
    for suffix, cell in (("", made.encoder.forward_cell), ("_reverse", made.encoder.backward_cell)):
        assert cell is not None
        for name, value in cell.named_parameters():
            getattr(theirs, f"{name}_l0{suffix}").copy_(value)
    source = ids(2, 6)
    want, last = theirs(made.encoder.tok_emb(source))
    states, first = made.encode(source)
    assert torch.allclose(states, want, atol=1e-10)
    bridge = made.encoder.bridges[0]
    assert torch.allclose(first, torch.tanh(bridge(torch.cat([last[0], last[1]], -1))), atol=1e-10)


@torch.no_grad()
def test_a_step_in_closed_form() -> None:
    """Bahdanau's equations 5 and 6 with torch's own GRU cell."""
    made = model()
    states, first = made.encode(ids(2, 5))
    attn = made.decoder.attn
    assert attn is not None
    energy = torch.tanh(first @ attn.w_q.weight.T + (states @ attn.w_k.weight.T).transpose(0, 1)).transpose(0, 1)
    weights = (energy @ attn.v.weight[0]).softmax(-1)
    context = torch.einsum("bs,bsd->bd", weights, states)
    theirs = nn.GRUCell(8 + 16, 8).double()
    theirs.load_state_dict(made.decoder.cell.state_dict())
    want = theirs(torch.cat([made.decoder.tok_emb(torch.tensor([START, START])), context], -1), first)
    logits, state = made.step(torch.tensor([START, START]), first, states)
    assert torch.allclose(state, want, atol=1e-10)
    assert torch.allclose(logits, want @ made.decoder.unembed.weight.T, atol=1e-10)


@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
@torch.no_grad()
def test_steps_equal_the_forward_pass_and_padding_changes_nothing(cell: str) -> None:
    """Without attention and in one direction; all other kinds: `tests/library/contracts`."""
    made = model(attention="none", cell=cell, bidirectional=False)
    source, target = ids(3, 5), ids(3, 4, high=9)
    logits = made(source, shift_right(target, START))
    states, state = made.encode(source)
    for t, previous in enumerate(shift_right(target, START).T):
        one, state = made.step(previous, state, states)
        assert torch.allclose(one, logits[:, t], atol=1e-12)
    padded, mask = torch.cat([source, ids(3, 3, seed=1)], 1), torch.arange(8).expand(3, 8) < 5
    assert torch.allclose(made(padded, shift_right(target, START), mask), logits, atol=1e-12)


@torch.no_grad()
def test_without_attention_the_first_state_is_all_that_passes() -> None:
    source, other = ids(1, 5), ids(1, 5, seed=3)
    for attention, same in (("none", True), ("additive", False)):
        made = model(attention=attention)
        states, state = made.encode(source)
        exchanged, _ = made.encode(other)
        one, _ = made.step(torch.tensor([START]), state, states)
        two, _ = made.step(torch.tensor([START]), state, exchanged)
        assert torch.equal(one, two) is same


@torch.no_grad()
def test_attention_is_tapped_at_every_step() -> None:
    made = model()
    with Trace(made) as trace:
        made(ids(2, 5), ids(2, 4, high=9))
    for name, width in (("scores", 5), ("weights", 5), ("out", 16)):
        assert [tuple(x.shape) for x in trace.steps(f"decoder.attn.{name}")] == [(2, width)] * 4


@torch.no_grad()
def test_the_attention_can_be_replaced_on_an_instance() -> None:
    class Mean(nn.Module):
        def forward(self, query: Tensor, keys: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
            return keys.mean(1), torch.full(keys.shape[:2], 1 / keys.shape[1])

    made = model()
    before = made(ids(2, 5), ids(2, 3, high=9))
    made.decoder.attn = Mean()
    assert not torch.allclose(made(ids(2, 5), ids(2, 3, high=9)), before)


@torch.no_grad()
def test_greedy_writes_what_align_writes_in_a_batch_too() -> None:
    made = model(seed=3)
    source = ids(4, 5)
    together = greedy_decode(made, source, start_id=START, end_id=END, max_new_tokens=9)
    for row, one in zip(together.tolist(), source.tolist(), strict=True):
        alone = align(made, one, start_id=START, end_id=END, max_new_tokens=9)
        wanted = alone.written.tolist()
        assert row[: len(wanted)] == wanted and set(row[len(wanted) :]) <= {END}
        assert alone.fed.tolist() == [START, *wanted[:-1]]
    with pytest.raises(ValueError, match="max_new_tokens=0"):
        greedy_decode(made, source, start_id=START, end_id=END, max_new_tokens=0)


def test_energies_add_up_to_what_was_recorded() -> None:
    made = model().float()
    seen = align(made, [0, 1, 2, 3], start_id=START, end_id=END, forced=[3, 2, 1, 0, END])
    parts = alignment_energies(made, seen)
    assert np.allclose(parts.terms.sum(-1), seen.scores, atol=1e-5)
    assert np.allclose(torch.from_numpy(parts.terms.sum(-1)).softmax(-1), seen.weights, atol=1e-6)
    assert np.allclose(seen.weights @ seen.states, seen.contexts, atol=1e-6)
    assert np.allclose(parts.v * np.tanh(parts.asked[:, None] + parts.read), parts.terms, atol=1e-6)
    with pytest.raises(ValueError, match="no additive attention"):
        alignment_energies(model(attention="none"), seen)


def test_a_row_set_by_hand_is_used_at_its_step_alone() -> None:
    made, source = model().float(), [0, 1, 2, 3]
    forced = [3, 2, 1, 0, END]
    plain = align(made, source, start_id=START, end_id=END, forced=forced)
    set_by_hand = align(made, source, start_id=START, end_id=END, forced=forced, rows={2: [0.0, 0.0, 1.0, 0.0]})
    assert np.array_equal(plain.weights[:2], set_by_hand.weights[:2])
    assert set_by_hand.weights[2].tolist() == [0, 0, 1, 0]
    assert np.allclose(set_by_hand.contexts[2], set_by_hand.states[2])
    assert not np.allclose(plain.weights[3], set_by_hand.weights[3])
    own = align(made, source, start_id=START, end_id=END, forced=forced, rows={2: plain.weights[2].tolist()})
    assert np.allclose(own.probabilities, plain.probabilities, atol=1e-6)


@pytest.mark.parametrize(
    ("source", "rows", "says"),
    [
        ([], None, "1 to 64 tokens"), ([0] * 65, None, "this one 65"), ([6], None, "0..5"), ([-1], None, "0..5"),
        *(([0, 1], {0: row}, "2 shares of 1") for row in ([1.0], [0.5, 0.6], [2.0, -1.0], [float("nan"), 1.0])),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_plain_words(source: list[int], rows: dict | None, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        align(model(), source, start_id=START, end_id=END, rows=rows)


def test_a_vocabulary_has_tokens() -> None:
    with pytest.raises(ValueError, match="vocab_size"):
        RecurrentSeq2SeqConfig(source_vocab=5, vocab_size=0)


def test_a_stripe_is_measured_beside_the_anti_diagonal() -> None:
    weights = np.zeros((5, 4))
    for t in range(4):
        weights[t, min(4 - t, 3)] += 0.75
        weights[t, 3 - t] += 0.25
    assert weight_by_offset(weights[:4])[0] == pytest.approx(0.25 + 0.75 / 4)
    assert weight_by_offset(weights[:4])[1] == pytest.approx(0.75 * 3 / 4)


def test_by_place_counts_what_a_perfect_and_a_blind_model_get() -> None:
    config = RecurrentSeq2SeqConfig(source_vocab=reversal.SOURCE_VOCAB, vocab_size=reversal.TARGET_VOCAB, d_model=4)
    made = registry.build(config, 0)
    with torch.no_grad():
        made.decoder.unembed.weight.zero_()  # always the first letter
    found = string_reversal_accuracy(made, 5, 200, seed=0)
    assert found.forced.shape == found.free.shape == (6,)
    assert found.forced[:5].mean() == pytest.approx(1 / 26, abs=0.03) and found.forced[5] == 0
    assert found.whole_free == 0
    with pytest.raises(ValueError, match="0 letters"):
        string_reversal_accuracy(made, 0, 3, seed=0)


def test_the_held_out_strings_are_those_of_each_length() -> None:
    source, mask, target = bottleneck.held_out_strings(0)
    assert mask.sum(1).view(len(LENGTHS), -1).float().mean(1).tolist() == list(LENGTHS)
    for row, kept, due in zip(source.tolist(), mask.sum(1).tolist(), target.tolist(), strict=True):
        assert due[: kept + 1] == [*row[:kept][::-1], reversal.END]
    assert len(bottleneck.PROBE) == reversal.LONGEST and reversal.encode(bottleneck.PROBE)
    assert not np.array_equal(source, bottleneck.held_out_strings(1)[0])


def test_the_models_of_the_widest_record_are_there_in_half_precision() -> None:
    run = run_experiment("bottleneck", seed=7, n_step=2, d_model=64)
    assert sum(array.nbytes for array in run.record.values()) < 600_000
    assert run.record["curve.with.forced"].shape == (3, len(LENGTHS))
    for variant in bottleneck.VARIANTS:
        assert not bottleneck.trained_reversal_model(run, variant).decoder.unembed.weight.requires_grad
