"""What the room of masks promises happens on the shipped model, with the room's own text."""

from typing import Any

import numpy as np
import pytest

from core.nn import masks
from core.rooms.masks import batch, cheating, draw, kinds, lowest, places
from core.rooms.masks.compute.reach import reach
from core.rooms.masks.inputs import SENTENCE
from core.rooms.masks.mask_editor_widget import MAX_TOKENS, to_hex
from core.ui.models import models
from core.ui.models.models import SHIPPED
from core.ui.numbers import power_of_ten

pytestmark = pytest.mark.skipif(
    not (SHIPPED / "stories" / models.WEIGHTS).exists(), reason="the shipped model is not in this checkout"
)
HEADS = [(layer, head) for layer in range(2) for head in range(4)]


@pytest.fixture(scope="module")
def key() -> Any:
    return models.shipped_key("stories")


@pytest.fixture(scope="module")
def packed(key: Any) -> str:
    return models.encode(key, SENTENCE, MAX_TOKENS).packed


def under(key: Any, packed: str, names: tuple[str, ...], how: str = "and", n_prefix: int = 4) -> Any:
    return kinds.self_attention(key, packed, tuple(kinds.KINDS[n][0] for n in names), how, 3, n_prefix, 3, 0, 3)


def test_the_model_knows_every_word_of_the_room(key: Any) -> None:
    for text in (SENTENCE, kinds.OTHER_TEXT, *batch.TEXTS.splitlines()):
        assert models.encode(key, text).notes == ()
    assert len(models.encode(key, SENTENCE).ids) == 14
    assert all(len(models.encode(key, text).ids) <= batch.MOST_TOKENS for text in batch.TEXTS.splitlines())


def test_or_opens_the_future_again(key: Any, packed: str) -> None:
    mask = under(key, packed, ("Causal", "Padding"), "or").mask
    assert mask[:14, :14].all() and mask[15:, 14:16].any()  # the future; padding by padding
    assert (int(mask.sum()), mask.size) == (244, 289)
    assert under(key, packed, ("Causal", "Padding")).mask.sum() == 147


def test_a_prefix_grows_from_causal_to_an_encoder(key: Any, packed: str) -> None:
    first, last = (under(key, packed, ("Prefix", "Padding"), n_prefix=n).mask for n in (0, 14))
    assert (first == under(key, packed, ("Causal", "Padding")).mask).all()
    assert last[:, :14].all() and not last[:, 14:].any()


@pytest.mark.parametrize(("layer", "head"), HEADS)
def test_the_four_places_do_what_is_said_in_every_head(key: Any, packed: str, layer: int, head: int) -> None:
    found = places.four_ways(key, packed, layer, head)
    np.testing.assert_allclose(found.row_sums[[0, 1, 3]], 1, atol=1e-6)
    assert found.difference < 3e-7 and found.difference_64 < 1e-15
    assert not found.leaks[[0, 2, 3]].any()
    assert found.leaks[1, 0] > 0.4 and found.leaks[1].max() > 0.8  # zero before: most of a row goes to the future
    assert found.row_sums[2].min() < 0.25 and found.swayed[2] > 0.07  # zero after: a fraction, and it depends
    assert found.swayed[0] == 0 and found.swayed[3] < 3e-7


def test_more_than_nine_tenths_of_the_first_row_leak_in_the_head_that_opens(key: Any, packed: str) -> None:
    found = places.four_ways(key, packed, 0, 3)
    assert found.leaks[1, 0] == pytest.approx(0.920, abs=0.001)
    assert found.row_sums[2][0] < 0.1  # early rows keep a fraction


def test_a_billion_is_too_much_for_float16_alone(key: Any, packed: str) -> None:
    for query in range(14):
        found = {(one.number, one.kind): one for one in lowest.lowest_numbers(key, packed, 0, 3, query)}
        assert all(one.leak == 0 for one in found.values())
        assert lowest._outcome(found["−1e9", "float32"]) == "all 0.071"
        assert lowest._outcome(found["−1e9", "float16"]) == "is −∞: **nan**"
        assert lowest._outcome(found["masked_softmax", "float16"]) == "all 0"


def test_the_window_of_the_start_reaches_two_further_with_each_layer() -> None:
    assert draw.WINDOW == 3
    for n_layer in range(1, 5):
        reached = reach(masks.sliding_window(14, 3).numpy(), n_layer)
        assert (reached == masks.sliding_window(14, 2 * n_layer + 1).numpy()).all()


@pytest.mark.parametrize("kind", ["window", "causal", "full", "none", "hole"])
def test_the_model_does_what_the_power_says(key: Any, packed: str, kind: str) -> None:
    mask = {"full": masks.full(14), "none": ~masks.full(14)}.get(kind, masks.causal(14)).clone()
    mask = masks.sliding_window(14, 3) if kind == "window" else mask
    if kind == "hole":
        mask[3, 9] = True
    changes = draw.arrived(key, packed, to_hex(mask.numpy()))
    expected = reach(mask.numpy(), 2)
    np.testing.assert_array_equal(changes > 0, expected)
    if kind == "hole":  # the row reads the future, and so does every later row that reads it
        new = expected & ~masks.causal(14).numpy()
        assert new[3, 4:10].all() and new[4:9, 9].all() and not new[:3].any()


def test_no_row_is_nan_under_an_empty_mask(key: Any, packed: str) -> None:
    shown = draw.head_under(key, packed, to_hex(np.zeros((14, 14), bool)), 1, 0)
    assert not shown.weights.any() and np.isfinite(shown.scores).all()


@pytest.mark.parametrize("more", [0, 2, 8])
@pytest.mark.parametrize(
    ("name", "told", "moves"),
    [("stories", "counts positions from the start", True), ("stories-alibi", "only sees distances", False)],
)
def test_padding_matters_without_its_mask_or_before_counted_positions(
    name: str, told: str, moves: bool, more: int
) -> None:
    key = models.shipped_key(name)
    packed = tuple(models.encode(key, text).packed for text in batch.TEXTS.splitlines())
    found = batch.changes(key, packed, 9 + more)
    for one in found:
        is_moved = not (one.causal or one.masked) or (one.left and moves)
        assert one.largest > 1 if is_moved else one.largest < 1e-5
    assert ": rounding |" in batch._table(found)
    assert told in batch._left(found[-1])


def test_the_unmasked_encoder_drifts_further_with_more_padding(key: Any) -> None:
    packed = tuple(models.encode(key, text).packed for text in batch.TEXTS.splitlines())
    sizes = [batch.changes(key, packed, n_token)[2].largest for n_token in range(9, 18)]
    assert (np.diff(sizes) > 0.1).all()


def test_the_guess_is_judged_by_the_losses() -> None:
    assert cheating.outcome(1.53, 0.06) == "lower"
    assert cheating.outcome(1.53, 1.5) == "same"
    assert cheating.outcome(1.0, 1.6) == "higher"


def test_small_numbers_are_said_as_powers_of_ten() -> None:
    assert [power_of_ten(value) for value in (0.0, 6.4e-8, 2.2e-16)] == ["0", "6·10⁻⁸", "2·10⁻¹⁶"]
