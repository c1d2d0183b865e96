"""The lecture's attention class: what it does as written, what each repair does, and that the lines shown are run."""

import ast
import inspect
from itertools import product

import numpy as np
import pytest
import torch

from core.nn.recurrent import AdditiveAttention
from core.nn.tap import Trace
from core.rooms.hard_attention.compute import lecture as look
from core.rooms.hard_attention.compute.code_switches import as_text, resolved
from core.rooms.hard_attention.compute.lecture_attention import AS_PRINTED, LectureAttention, Repairs, Widths
from core.rooms.hard_attention.experiments import lecture as task
from tests.library.learning.once import ran

NAMES = ("encoder", "axis", "mask", "sizes")
SETS = [Repairs(**dict(zip(NAMES, map(bool, bits), strict=True))) for bits in product((0, 1), repeat=4)]
SAME = Widths(enc_emb=6, enc_hidden=6, dec_emb=6, dec_hidden=6)


def made(repairs: Repairs, widths: Widths = SAME) -> LectureAttention:
    attention = LectureAttention(widths, repairs).double()
    attention.init_weights(torch.Generator().manual_seed(0))
    return attention


def inputs(widths: Widths = SAME, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two queries; five keys each, of which the second has two of padding."""
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(2, widths.dec_hidden, generator=generator, dtype=torch.float64)
    keys = torch.randn(2, 5, 2 * widths.enc_hidden, generator=generator, dtype=torch.float64)
    return query, keys, torch.tensor([[True] * 5, [True] * 3 + [False] * 2])


def test_as_written_every_weight_is_one_and_the_context_the_plain_sum() -> None:
    query, keys, mask = inputs()
    context, weights = made(Repairs())(query, keys, mask)
    assert torch.equal(weights, torch.ones(2, 5, dtype=torch.float64))
    assert torch.allclose(context, keys.sum(1), atol=1e-12)
    other = made(Repairs())(torch.randn(2, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(9)), keys)
    assert torch.equal(other[0], context)  # whatever the decoder asks


def test_one_weight_per_token_is_uniform_until_the_encoder_is_asked() -> None:
    query, keys, mask = inputs()
    context, weights = made(Repairs(axis=True))(query, keys, mask)
    assert torch.allclose(weights, torch.full((2, 5), 0.2, dtype=torch.float64))
    assert torch.allclose(context, keys.mean(1))
    _, weights = made(Repairs(axis=True, mask=True))(query, keys, mask)
    assert torch.allclose(weights[1], torch.tensor([1, 1, 1, 0, 0], dtype=torch.float64) / 3)
    alone = made(Repairs(mask=True))(query, keys, mask)  # the mask brings the missing dimension with it
    assert torch.equal(alone[1], weights)
    _, weights = made(Repairs(encoder=True, axis=True))(query, keys, mask)
    assert torch.allclose(weights.sum(-1), torch.ones(2, dtype=torch.float64)) and float(weights.detach().std()) > 1e-3


def test_repaired_it_is_additive_attention() -> None:
    widths = Widths(enc_emb=3, enc_hidden=4, dec_emb=5, dec_hidden=6)
    query, keys, mask = inputs(widths)
    ours = made(Repairs(encoder=True, axis=True, mask=True, sizes=True), widths)
    truth = AdditiveAttention(6, 8, 6).double()
    with torch.no_grad():
        truth.w_q.weight.copy_(ours.dec_att.weight)
        truth.w_k.weight.copy_(ours.enc_att.weight)
        truth.v.weight.copy_(ours.V.T)
        ours.dec_att.bias.zero_()  # the one thing that Bahdanau's equation does not have
    for one, other in zip(ours(query, keys, mask), truth(query, keys, mask), strict=True):
        assert torch.allclose(one, other, atol=1e-12)
    assert torch.equal(ours(query, keys)[1], ours(query, keys, torch.ones(2, 5, dtype=torch.bool))[1])


@pytest.mark.parametrize("repairs", SETS, ids=lambda one: "+".join(one.on) or "written")
def test_every_set_of_repairs_runs_as_its_variant_says(repairs: Repairs) -> None:
    variant = task.variant_of(repairs)
    complaint = look.run_once(repairs, task.widths())
    assert (variant is None) == bool(complaint)
    assert (variant is None) == (repairs.encoder and not repairs.axis)
    assert bool(look.run_once(repairs, look.OTHER_WIDTHS)) == (not repairs.sizes or variant is None)
    if variant is not None:
        trained = task.VARIANTS[variant]
        assert trained is not None
        query, keys, mask = inputs()
        for one, other in zip(made(repairs)(query, keys, mask), made(trained)(query, keys, mask), strict=True):
            assert torch.equal(one, other)  # so the shipped variant stands for this set


def test_the_encoder_is_asked_only_once_it_is_repaired() -> None:
    strings = task.reversal(torch.tensor([[0, 1, 2, 3, 4, 0, 0]]), torch.tensor([[5]]))
    for variant, repairs in task.VARIANTS.items():
        if repairs is None:
            continue
        found = look.read(task.build(repairs, 0), strings.source[0], strings.target_in[0, :5], strings.mask[0])
        assert (found.asked > 0) == repairs.encoder, variant
        assert found.row_sums == pytest.approx(7 if variant == "written" else 1)
        assert (found.unevenness > 0.01) == repairs.encoder
        assert found.on_padding == pytest.approx({"written": 2, "axis": 2 / 7}.get(variant, found.on_padding))
        assert (found.on_padding == 0) == repairs.mask


def test_padding_changes_nothing_with_the_mask_and_something_without() -> None:
    def logits(variant: str, n_padding: int) -> np.ndarray:
        strings = task.reversal(torch.tensor([[3, 1, 2, 6] + [0] * n_padding]), torch.tensor([[4]]))
        model = task.build(task.VARIANTS[variant], 1)
        return look.read(model, strings.source[0], strings.target_in[0, :4], strings.mask[0]).logits

    for variant in ("axis-mask", "all"):
        assert logits(variant, 0) == pytest.approx(logits(variant, 3), abs=1e-6)
    for variant in ("written", "axis", "encoder-axis"):
        assert np.abs(logits(variant, 0) - logits(variant, 3)).max() > 1e-3


def test_strings_backwards() -> None:
    strings = task.reversal(torch.tensor([[0, 1, 2, 7, 7]]), torch.tensor([[3]]))
    assert strings.source.tolist() == [[0, 1, 2, 8, 8]] and strings.target.tolist() == [[2, 1, 0, 8, 8]]
    assert strings.target_in.tolist() == [[8, 2, 1, 0, 8]] and strings.mask.tolist() == [[True] * 3 + [False] * 2]
    drawn = task.draw(50, 8, torch.Generator().manual_seed(0))
    lengths = drawn.mask.sum(1)
    assert lengths.min() >= task.SHORTEST and lengths.max() <= 8
    for row, length in enumerate(lengths.tolist()):
        assert drawn.target[row, :length].tolist() == drawn.source[row, :length].flip(0).tolist()


def test_versions_differ_in_the_class_alone() -> None:
    models = {name: task.build(repairs, 3) for name, repairs in task.VARIANTS.items()}
    for name in ("encoder.tok_emb.weight", "encoder.forward_cell.weight_ih"):
        first = models["written"].get_parameter(name)
        assert all(torch.equal(first, model.get_parameter(name)) for model in models.values())
    for name, weights in models["written"].named_parameters():
        assert torch.equal(weights, models["all"].get_parameter(name)), name


def test_the_models_are_rebuilt_from_the_record() -> None:
    record = ran("lecture", 5, n_step=2, longest=8)
    assert sum(array.nbytes for array in record.values()) < 600_000
    held = task.held_out(5, 8)
    for variant in task.VARIANTS:
        model = task.model_of(record, variant)
        assert task.accuracy(model, held) == pytest.approx(float(record[f"curve.{variant}.accuracy"][-1]), abs=1e-6)
        wrong = (task.write(model, held) != held.target) & held.mask
        assert float(record[f"whole.{variant}"]) == pytest.approx(1 - float(wrong.any(1).float().mean()))


@pytest.mark.parametrize("repairs", SETS, ids=lambda one: "+".join(one.on) or "written")
def test_the_lines_shown_are_the_lines_that_run(repairs: Repairs) -> None:
    lines = resolved(LectureAttention, repairs.on)
    source = inspect.getsource(LectureAttention)
    for line in lines:
        assert line.text.strip() in source
        assert (line.mark == " ") == (line.switch == "")
        if line.switch:
            assert line.mark in ("+-" if getattr(repairs, line.switch) else "!")
    text = as_text(lines)
    assert '"""' not in text and "if self.repairs" not in text and "else:" not in text
    # what remains after the crossed-out lines is a function that Python can read
    ast.parse("\n".join(line.text for line in lines if line.mark != "-"))


def test_the_wrong_lines_are_the_note_s() -> None:
    def squeezed(text: str) -> str:
        return text.split("#")[0].replace(" ", "").replace("[-1]", "").replace(".unsqueeze(1)", "")

    wrong = [squeezed(line.text) for line in resolved(LectureAttention.forward, ()) if line.mark == "!"]
    printed = squeezed(AS_PRINTED)
    assert wrong[0] in printed  # dec_att twice
    assert wrong[1].split("=")[1] in printed  # u @ self.V
    with pytest.raises(ValueError, match="no switches"):
        resolved(LectureAttention.forward, ["sizes"])


def test_an_edit_of_the_weights_changes_what_is_read_and_the_global_generator_stays() -> None:
    strings = task.reversal(torch.tensor([[3, 1, 2, 6]]), torch.tensor([[4]]))
    model = task.build(task.VARIANTS["all"], 1)
    before = model(*strings[:2], strings.mask)
    with Trace(model, {"decoder.attn.weights": lambda weights: weights.flip(-1)}) as trace:
        after = model(*strings[:2], strings.mask)
    assert not torch.equal(before, after)
    assert float(trace["decoder.attn.weights"].sum().detach()) == pytest.approx(1)
    state = torch.get_rng_state()
    look.run_once(Repairs(), task.widths())
    task.build(Repairs(), 0)
    assert torch.equal(state, torch.get_rng_state())
