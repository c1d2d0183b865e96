"""Soft, sampled and arg-max attention against closed forms, autograd and enumeration; and the lecture's class: what it
does as written, what each repair does, and that the lines shown are run.
"""

import ast
import inspect
import math
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.nn.recurrent import AdditiveAttention
from core.rooms.hard_attention import gradients
from core.rooms.hard_attention.compute import card_model as ways, lecture as at_work, score_gradients as look
from core.rooms.hard_attention.compute.lecture import lines_to_text, resolve_switches
from core.rooms.hard_attention.compute.lecture_attention import PRINTED_CODE, LectureAttention, LectureWidths, Repairs
from core.rooms.hard_attention.experiments import choosing, lecture
from tests.library.learning.once import ran


def rows(seed: int, n: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Weights and losses of some places."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(n)), rng.exponential(size=n)


def test_the_ways_of_reading() -> None:
    keys = torch.arange(12.0).reshape(1, 4, 3)
    weights = torch.tensor([[0.1, 0.2, 0.3, 0.4]])
    assert torch.allclose(ways.mix_positions(weights, keys), torch.tensor([[6.0, 7.0, 8.0]]))
    assert ways.argmax_positions(weights.log()).tolist() == [3]
    assert ways.select_positions(keys, torch.tensor([2])).tolist() == [[6.0, 7.0, 8.0]]
    certain = torch.eye(4)
    assert ways.sample_positions(certain, torch.Generator().manual_seed(0)).tolist() == [0, 1, 2, 3]


def test_draws_come_from_their_generator_and_follow_the_weights() -> None:
    weights = torch.tensor([0.5, 0.3, 0.15, 0.05]).expand(20_000, -1)
    torch.manual_seed(1)
    one = ways.sample_positions(weights, torch.Generator().manual_seed(3))
    torch.manual_seed(2)
    assert torch.equal(one, ways.sample_positions(weights, torch.Generator().manual_seed(3)))
    expected = weights[0].double().numpy() * 20_000
    chi_square = float(((np.bincount(one, minlength=4) - expected) ** 2 / expected).sum())
    assert chi_square < 16.3  # 99.9 % of all draws with 3 degrees of freedom


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.floats(-3, 3))
def test_the_mean_over_all_draws_is_the_exact_gradient_for_any_baseline(seed: int, baseline: float) -> None:
    weights, losses = rows(seed)
    mean = weights @ look.single_draw_estimates(weights, losses, baseline)
    assert mean == pytest.approx(weights * (losses - weights @ losses), abs=1e-12)


def test_the_surrogate_has_the_gradient_of_one_draw() -> None:
    scores = torch.randn(1, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64, requires_grad=True)
    losses = torch.rand(5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    weights = scores.detach().softmax(-1)[0].numpy()
    for place in range(5):
        loss = ways.score_function_loss(losses[[place]], scores.log_softmax(-1)[:, place], 0.4)
        (gradient,) = torch.autograd.grad(loss, scores)
        assert gradient[0].numpy() == pytest.approx(
            look.single_draw_estimates(weights, losses.numpy(), 0.4)[place], abs=1e-12
        )


@pytest.mark.parametrize("seed", range(4))
def test_three_gradients_of_one_question(seed: int) -> None:
    model, table = ways.build_card_model(seed), choosing.probe_table(seed, 8)
    found = look.score_gradients(model, table.letters[0], table.digits[0], int(table.question[2]), int(table.answer[2]))
    exact = found.weights * (found.losses - found.expected_loss)
    assert found.expected == pytest.approx(exact, abs=1e-12)
    assert not found.argmax.any() and found.bump == 0  # exactly
    assert np.abs(found.soft - found.expected).max() > 1e-3  # another loss, another gradient
    assert found.soft_loss <= found.expected_loss  # Jensen: the layer that reads is linear
    for gradient in (found.soft, found.expected):
        assert gradient.sum() == pytest.approx(0, abs=1e-12)  # moving all scores together changes nothing
    # by finite differences of the mixture
    keys = model.double().keys(table.letters[:1], table.digits[:1])
    scores = model.scores(table.question[2:3], keys).detach()
    losses = []
    for shift in (1e-5, -1e-5):
        moved = scores + shift * torch.eye(8, dtype=torch.float64)[3]
        logits = model.answer(ways.mix_positions(moved.softmax(-1), keys))
        losses.append(float(torch.nn.functional.cross_entropy(logits, table.answer[2:3]).detach()))
    assert (losses[0] - losses[1]) / 2e-5 == pytest.approx(found.soft[3], abs=1e-6)


def test_estimates_come_near_with_the_root_of_the_draws() -> None:
    weights, losses = rows(3)
    exact = weights * (losses - weights @ losses)
    found = look.estimate_gradient(weights, losses, 100_000, float(weights @ losses), 5)
    assert np.abs((found.mean - exact) / found.error).max() < 4
    one = look.single_draw_error(weights, losses, 0.0)
    measured = look.measure_errors(weights, losses, 0.0, (16, 256), 1)
    assert measured == pytest.approx([one / 4, one / 16], rel=0.15)
    with pytest.raises(ValueError, match="at least 2"):
        look.estimate_gradient(weights, losses, 1, 0.0, 0)
    assert look.estimate_gradient(np.array([1.0, 0.0]), np.array([0.5, 2.0]), 10, 0.0, 0).mean.tolist() == [0, 0]


def test_a_drawn_card_saves_the_sum_alone() -> None:
    cost = look.reading_cost(8)
    assert cost == {"scoring": 16 * 16 + 8 * (32 * 16 + 16), "mixing": 8 * 32}


def test_the_tables() -> None:
    table = choosing.draw_tables(200, 8, torch.Generator().manual_seed(0))
    line = torch.arange(200)
    assert torch.equal(table.letters[line, table.place], table.question)
    assert torch.equal(table.digits[line, table.place], table.answer)
    assert all(len(set(row)) == 8 for row in table.letters.tolist())


def test_the_exact_accuracy_of_drawing_is_the_mean_over_draws() -> None:
    model, table = ways.build_card_model(1), choosing.held_out_tables(1, 8)
    shares, _ = choosing.measure_accuracies(model, table)
    keys = model.keys(table.letters, table.digits)
    answered = model(table.letters, table.digits, table.question).argmax(-1)  # with soft attention
    assert float((answered == table.answer).float().mean()) == shares["soft"]
    weights, generator = model.scores(table.question, keys).softmax(-1), torch.Generator().manual_seed(0)
    drawn = [
        model.answer(ways.select_positions(keys, ways.sample_positions(weights, generator))).argmax(-1)
        for _ in range(60)
    ]
    assert float((torch.stack(drawn) == table.answer).float().mean()) == pytest.approx(shares["sampled"], abs=0.01)


def test_every_variant_starts_alike_and_is_rebuilt() -> None:
    record = ran("choosing", 7, n_step=6)
    assert record["moment"].tolist() == [0, 1, 2, 3, 6]
    for name in ("unembed.weight", "attn.w_q.weight"):
        first = record[f"frames.soft.{name}"][0]
        assert all(np.array_equal(first, record[f"frames.{variant}.{name}"][0]) for variant in choosing.READING_WAYS)
    for moment in (0, -1):
        for name, weights in choosing.rebuild_at_moment(record, "bare", moment).named_parameters():
            assert np.array_equal(weights.numpy(), record[f"frames.bare.{name}"][moment])


def test_the_baseline_is_the_moving_mean_of_the_losses() -> None:
    chooser, table = choosing.VariantTrainer("sampled", 0, 10), choosing.held_out_tables(0, 8)
    chooser.learn(table)
    first = chooser.baseline
    assert math.log(8) * 0.5 < first < math.log(8) * 2
    chooser.learn(table)
    assert chooser.baseline != first and abs(chooser.baseline - first) < 0.2 * first
    bare = choosing.VariantTrainer("bare", 0, 10)
    bare.learn(table)
    assert bare.baseline == 0


@pytest.mark.parametrize("way", ["soft", "argmax"])
def test_a_loss_is_that_of_what_was_read(way: str) -> None:
    """Fault: a way of reading learns from what another one reads."""
    chooser, table = choosing.VariantTrainer(way, 0, 10), choosing.held_out_tables(0, 8)
    keys = chooser.model.keys(table.letters, table.digits)
    scores = chooser.model.scores(table.question, keys)
    weights = scores.softmax(-1) if way == "soft" else torch.nn.functional.one_hot(scores.argmax(-1), 8).float()
    read = torch.einsum("bs,bsd->bd", weights, keys)
    wrong = -chooser.model.answer(read).log_softmax(-1)[torch.arange(len(read)), table.answer]
    assert chooser.loss(table).item() == pytest.approx(wrong.mean().item(), rel=1e-5)


def test_the_charts_hold_what_was_computed() -> None:
    guess = look.GradientEstimate(np.array([0.1, -0.2]), np.array([0.05, 0.01]))
    exact = {"soft": np.array([0.3, 0.1]), "arg-max": np.zeros(2)}
    dots, intervals, _ = gradients._gradient_layers(exact, guess)
    assert dots.columns["value"] == [0.3, 0.1, 0.0, 0.0, 0.1, -0.2] and {*dots.columns["card"]} == {0, 1}
    assert intervals.columns["low"] == pytest.approx([0.05, -0.21])
    errors = [1.0, 0.5, *[0.0] * (len(gradients.DRAW_COUNTS) - 2)]
    assert gradients._by_draws({"a": errors})["error"] == [1.0, 0.5], "there is no 0 on an axis by factors"


NAMES = ("encoder", "axis", "mask", "sizes")
SETS = [Repairs(**dict(zip(NAMES, map(bool, bits), strict=True))) for bits in product((0, 1), repeat=4)]
SAME = LectureWidths(enc_emb=6, enc_hidden=6, dec_emb=6, dec_hidden=6)


def made(repairs: Repairs, widths: LectureWidths = SAME) -> LectureAttention:
    attention = LectureAttention(widths, repairs).double()
    attention.init_weights(torch.Generator().manual_seed(0))
    return attention


def inputs(widths: LectureWidths = SAME, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
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
    widths = LectureWidths(enc_emb=3, enc_hidden=4, dec_emb=5, dec_hidden=6)
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
    variant = lecture.trained_version(repairs)
    complaint = at_work.try_forward(repairs, lecture.WIDTHS)
    assert (variant is None) == bool(complaint)
    assert (variant is None) == (repairs.encoder and not repairs.axis)
    assert bool(at_work.try_forward(repairs, at_work.UNEQUAL_WIDTHS)) == (not repairs.sizes or variant is None)
    if variant is not None:
        trained = lecture.VERSION_REPAIRS[variant]
        assert trained is not None
        query, keys, mask = inputs()
        for one, other in zip(made(repairs)(query, keys, mask), made(trained)(query, keys, mask), strict=True):
            assert torch.equal(one, other)  # so the shipped variant stands for this set


def test_the_encoder_is_asked_only_once_it_is_repaired() -> None:
    strings = lecture.reverse_strings(torch.tensor([[0, 1, 2, 3, 4, 0, 0]]), torch.tensor([[5]]))
    for variant, repairs in lecture.VERSION_REPAIRS.items():
        if repairs is None:
            continue
        found = at_work.record_lecture_attention(
            lecture.build_lecture_model(repairs, 0), strings.source[0], strings.target_in[0, :5], strings.mask[0]
        )
        assert (found.asked > 0) == repairs.encoder, variant
        assert found.row_sums == pytest.approx(7 if variant == "written" else 1)
        assert (found.unevenness > 0.01) == repairs.encoder
        assert found.on_padding == pytest.approx({"written": 2, "axis": 2 / 7}.get(variant, found.on_padding))
        assert (found.on_padding == 0) == repairs.mask


def test_padding_changes_nothing_with_the_mask_and_something_without() -> None:
    def logits(variant: str, n_padding: int) -> np.ndarray:
        strings = lecture.reverse_strings(torch.tensor([[3, 1, 2, 6] + [0] * n_padding]), torch.tensor([[4]]))
        model = lecture.build_lecture_model(lecture.VERSION_REPAIRS[variant], 1)
        return at_work.record_lecture_attention(
            model, strings.source[0], strings.target_in[0, :4], strings.mask[0]
        ).logits

    for variant in ("axis-mask", "all"):
        assert logits(variant, 0) == pytest.approx(logits(variant, 3), abs=1e-6)
    for variant in ("written", "axis", "encoder-axis"):
        assert np.abs(logits(variant, 0) - logits(variant, 3)).max() > 1e-3


def test_strings_backwards() -> None:
    strings = lecture.reverse_strings(torch.tensor([[0, 1, 2, 7, 7]]), torch.tensor([[3]]))
    assert strings.source.tolist() == [[0, 1, 2, 8, 8]] and strings.target.tolist() == [[2, 1, 0, 8, 8]]
    assert strings.target_in.tolist() == [[8, 2, 1, 0, 8]] and strings.mask.tolist() == [[True] * 3 + [False] * 2]
    drawn = lecture.draw_strings(50, 8, torch.Generator().manual_seed(0))
    lengths = drawn.mask.sum(1)
    assert lengths.min() >= lecture.MIN_LENGTH and lengths.max() <= 8
    for row, length in enumerate(lengths.tolist()):
        assert drawn.target[row, :length].tolist() == drawn.source[row, :length].flip(0).tolist()


def test_versions_differ_in_the_class_alone() -> None:
    models = {name: lecture.build_lecture_model(repairs, 3) for name, repairs in lecture.VERSION_REPAIRS.items()}
    for name in ("encoder.tok_emb.weight", "encoder.forward_cell.weight_ih"):
        first = models["written"].get_parameter(name)
        assert all(torch.equal(first, model.get_parameter(name)) for model in models.values())
    for name, weights in models["written"].named_parameters():
        assert torch.equal(weights, models["all"].get_parameter(name)), name


def test_the_models_are_rebuilt_from_the_record() -> None:
    record = ran("lecture", 5, n_step=2, longest=8)
    held = lecture.held_out_strings(5, 8)
    for variant in lecture.VERSION_REPAIRS:
        model = lecture.model_of(record, variant)
        assert lecture.letter_accuracy(model, held) == pytest.approx(
            float(record[f"curve.{variant}.accuracy"][-1]), abs=1e-6
        )
        wrong = (lecture.write_strings(model, held) != held.target) & held.mask
        assert float(record[f"whole.{variant}"]) == pytest.approx(1 - float(wrong.any(1).float().mean()))


@pytest.mark.parametrize("repairs", SETS, ids=lambda one: "+".join(one.on) or "written")
def test_the_lines_shown_are_the_lines_that_run(repairs: Repairs) -> None:
    lines = resolve_switches(LectureAttention, repairs.on)
    source = inspect.getsource(LectureAttention)
    for line in lines:
        assert line.text.strip() in source
        assert (line.mark == " ") == (line.switch == "")
        if line.switch:
            assert line.mark in ("+-" if getattr(repairs, line.switch) else "!")
    text = lines_to_text(lines)
    assert '"""' not in text and "if self.repairs" not in text and "else:" not in text
    # what remains after the crossed-out lines is a function that Python can read
    ast.parse("\n".join(line.text for line in lines if line.mark != "-"))


def test_the_wrong_lines_are_the_note_s() -> None:
    lines = resolve_switches(LectureAttention.forward, ())
    wrong = [line.text.split("#")[0].replace(" ", "").replace(".unsqueeze(1)", "") for line in lines if line.switch]
    printed = PRINTED_CODE.replace(" ", "").replace("[-1]", "")
    assert wrong[0] in printed  # dec_att twice
    assert wrong[1].split("=")[1] in printed  # u @ self.V
    with pytest.raises(ValueError, match="no switches"):
        resolve_switches(LectureAttention.forward, ["sizes"])


def test_building_and_calling_leave_the_global_generator_alone() -> None:
    state = torch.get_rng_state()
    at_work.try_forward(Repairs(), lecture.WIDTHS)
    lecture.build_lecture_model(Repairs(), 0)
    assert torch.equal(state, torch.get_rng_state())
