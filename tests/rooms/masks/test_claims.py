"""What the room of masks promises happens on the shipped model, with the room's own text."""

from typing import Any

import numpy as np
import pytest

from core.data.localization.numbers import format_power_of_ten
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.nn import masks
from core.rooms.masks import batch, cheating, draw, kinds, lowest, places
from core.rooms.masks.draw import DrawnMask, mask_to_address, receptive_field
from core.rooms.masks.inputs import DEFAULT_SENTENCE, MAX_TOKENS
from core.ui.training.live_experiments import example_run

HEADS = [(layer, head) for layer in range(2) for head in range(4)]


def under(*names: str, **inputs: Any) -> Any:
    return kinds.compute(kinds.Inputs(kinds=names, **inputs)).mask


def drawn(mask: np.ndarray, **inputs: Any) -> Any:
    return draw.compute(draw.Inputs(drawn=mask_to_address(DrawnMask(mask, 2)), **inputs))


def test_the_model_knows_every_word_of_the_room() -> None:
    for text in (DEFAULT_SENTENCE, kinds.Inputs(reads="cross").memory, *batch.DEFAULT_TEXTS.splitlines()):
        assert load_model_and_text("stories", text).encoded.notes == ()
    assert load_model_and_text("stories", DEFAULT_SENTENCE, MAX_TOKENS).n_token == 14
    assert all(
        load_model_and_text("stories", text).n_token <= batch.MAX_TOKENS for text in batch.DEFAULT_TEXTS.splitlines()
    )


def test_or_opens_the_future_again() -> None:
    mask = under("causal", "padding", how="or")
    assert mask[:14, :14].all() and mask[15:, 14:16].any()  # the future; padding by padding
    assert (int(mask.sum()), mask.size) == (244, 289)
    assert under("causal", "padding").sum() == 147


def test_only_full_none_and_or_of_all_open_every_cell() -> None:
    for how in ("and", "or"):
        assert under(how=how).all() and under("full", how=how).all()
        assert not any(under(kind, how=how).all() for kind in kinds.MASK_KINDS if kind != "full")
    assert under(*kinds.MASK_KINDS, how="or").all() and not under(*kinds.MASK_KINDS).all()


def test_a_prefix_grows_from_causal_to_an_encoder() -> None:
    first, last = (under("prefix", "padding", prefix=n) for n in (0, 14))
    assert (first == under("causal", "padding")).all()
    assert last[:, :14].all() and not last[:, 14:].any()


@pytest.mark.parametrize(("layer", "head"), HEADS)
def test_the_four_places_do_what_is_said_in_every_head(layer: int, head: int) -> None:
    found = places.compute(places.Inputs(layer=layer, head=head))
    np.testing.assert_allclose(found.row_sums[[0, 1, 3]], 1, atol=1e-6)
    assert found.difference < 3e-7 and found.difference_64 < 1e-15
    assert not found.leaks[[0, 2, 3]].any()
    assert found.leaks[1, 0] > 0.4 and found.leaks[1].max() > 0.8  # zero before: most of a row goes to the future
    assert found.row_sums[2].min() < 0.25 and found.swayed[2] > 0.07  # zero after: a fraction, and it depends
    assert found.swayed[0] == 0 and found.swayed[3] < 3e-7


def test_more_than_nine_tenths_of_the_first_row_leak_in_the_head_that_opens() -> None:
    found = places.compute(places.Inputs())
    assert found.leaks[1, 0] == pytest.approx(0.920, abs=0.001)
    assert found.row_sums[2][0] < 0.1  # early rows keep a fraction


def test_a_billion_is_too_much_for_float16_alone() -> None:
    for row in range(14):
        found = lowest.compute(lowest.Inputs(row=row))
        assert found.worst == 0
        assert dict(found.lines)["−1e9"] == ["all 0.071", "all 0.071", "is −∞: **nan**"]
        assert dict(found.lines)["**this app**"] == ["all 0"] * 3


def test_the_window_of_the_start_reaches_two_further_with_each_layer() -> None:
    assert draw.INITIAL_WINDOW == 3
    for n_layer in range(1, 5):
        reached = receptive_field(masks.sliding_window(14, 3).numpy(), n_layer)
        assert (reached == masks.sliding_window(14, 2 * n_layer + 1).numpy()).all()


@pytest.mark.parametrize("kind", ["window", "causal", "full", "none", "hole"])
def test_the_model_does_what_the_power_says(kind: str) -> None:
    mask = {"full": masks.full(14), "none": ~masks.full(14)}.get(kind, masks.causal(14)).clone()
    mask = masks.sliding_window(14, 3) if kind == "window" else mask
    if kind == "hole":
        mask[3, 9] = True
    found, expected = drawn(mask.numpy()), receptive_field(mask.numpy(), 2)
    np.testing.assert_array_equal(found.moved, expected)
    assert found.n_agree == 196
    assert np.isfinite(found.head.scores).all() and np.isfinite(found.head.weights).all()
    assert kind != "none" or not found.head.weights.any()
    if kind == "hole":  # the row reads the future, and so does every later row that reads it
        new = expected & ~masks.causal(14).numpy()
        assert new[3, 4:10].all() and new[4:9, 9].all() and not new[:3].any()


@pytest.mark.parametrize("more", [0, 2, 8])
@pytest.mark.parametrize(("name", "moves"), [("stories", True), ("stories-alibi", False)])
def test_padding_matters_without_its_mask_or_before_counted_positions(name: str, moves: bool, more: int) -> None:
    found = batch.compute(batch.Inputs(given=load_model_and_text(name, DEFAULT_SENTENCE), more=more)).changes
    for one in found:
        is_moved = not (one.causal or one.masked) or (one.left and moves)
        assert one.largest > 1 if is_moved else one.largest < 1e-5


def test_the_unmasked_encoder_drifts_further_with_more_padding() -> None:
    sizes = [batch.compute(batch.Inputs(more=more)).changes[2].largest for more in range(9)]
    assert (np.diff(sizes) > 0.1).all()


def test_the_guess_is_judged_by_the_losses_and_small_numbers_are_powers_of_ten() -> None:
    said = [cheating.compare_losses(*losses) for losses in ((1.53, 0.06), (1.53, 1.5), (1.0, 1.6))]
    assert said == ["lower", "same", "higher"]
    assert [format_power_of_ten(value) for value in (0.0, 6.4e-8, 2.2e-16)] == ["0", "6·10⁻⁸", "2·10⁻¹⁶"]


def test_the_stairs_of_the_first_picture_lie_below_the_diagonal_with_the_mask_and_above_it_without() -> None:
    run = example_run("cheating")
    assert run is not None
    found = cheating.compute(cheating.Inputs(), run)
    weights = {variant: record.weights for variant, record in found.seen.items()}
    n = len(found.tokens)
    assert "".join(found.tokens) == "A statement"
    for layer, head in HEADS:
        before = np.mean([weights["masked"][layer, head, t, t - 1] for t in range(1, n)])
        after = np.mean([weights["unmasked"][layer, head, t, t + 1] for t in range(n - 1)])
        assert found.before[layer, head] == pytest.approx(before, abs=1e-6)
        assert found.after[layer, head] == pytest.approx(after, abs=1e-6)
    assert found.before[1, 1] == found.before.max() > 0.75  # the head that is shown is the clearest one
    assert found.after.min() > 0.9
    assert found.is_copying  # else the sentence below the picture isn't shown
    assert found.val_loss_unmasked == run.record["curve.unmasked.val_loss"][-1]  # it names the loss that is shown
    e = found.row
    assert min(weights["masked"][1, 1, e, e - 1], weights["unmasked"][1, 1, e, e + 1]) > 0.95


@pytest.mark.parametrize("text", ["", "A", "at", "a b"])
def test_the_first_picture_stands_texts_that_are_nearly_empty(text: str) -> None:
    run = example_run("cheating")
    assert run is not None
    found = cheating.compute(cheating.Inputs(text=text), run)
    assert found.row == 0 and len(found.tokens) == len(text)
    assert np.isnan(found.after).all() == (len(text) < 2)
