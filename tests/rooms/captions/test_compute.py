"""Captions: what is measured, the grammar, and a captioner whose picture is changed in mid-sentence."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from core.data import images
from core.generate.seq2seq import greedy_decode
from core.models import registry
from core.models.images.captioner import Captioner
from core.rooms.captions.compute import captioning, captions
from core.rooms.captions.compute.captions import (
    BOLD,
    END,
    INK,
    LEANING,
    MAX_WORDS,
    NAMES,
    SLANT,
    START,
    WORDS,
    measure_digits,
)
from core.rooms.captions.experiments import captions as task

DIGITS = arrays(np.uint8, (3, 8, 8), elements=st.integers(0, 16))


@given(DIGITS)
def test_slant_is_the_slope_of_the_line_of_least_squares(pixels: np.ndarray) -> None:
    found = measure_digits(pixels)
    assert np.allclose(found.ink, pixels.sum((1, 2)) / 16)
    rows, columns = np.mgrid[:8, :8]
    for one, slant in zip(pixels, found.slant, strict=True):
        inked = one.any(1).sum()
        if inked > 1:  # np.polyfit weighs residuals, so the square root of the ink
            slope = np.polyfit(-rows.ravel(), columns.ravel(), 1, w=np.sqrt(one.ravel().astype(float)))[0]
            assert slant == pytest.approx(slope, abs=1e-6)
        else:
            assert slant == pytest.approx(0, abs=1e-6)


@given(DIGITS)
def test_mirrored_moved_and_paler_digits(pixels: np.ndarray) -> None:
    found, mirrored = measure_digits(pixels), measure_digits(pixels[:, :, ::-1])
    assert np.allclose(mirrored.slant, -found.slant, atol=1e-9) and np.allclose(mirrored.ink, found.ink)
    inner = pixels.copy()
    inner[:, :, 0] = 0
    assert np.allclose(measure_digits(np.roll(inner, -1, 2)).slant, measure_digits(inner).slant, atol=1e-9)
    even = pixels // 2 * 2
    assert np.allclose(measure_digits(even // 2).ink * 2, measure_digits(even).ink)
    assert np.allclose(measure_digits(even // 2).slant, measure_digits(even).slant, atol=1e-9)


def test_thresholds_are_inclusive_and_an_empty_picture_has_a_caption() -> None:
    pixels = np.zeros((2, 8, 8), np.uint8)
    pixels[0].flat[:17], pixels[0].flat[17], pixels[0].flat[18] = 16, 8, 8
    assert measure_digits(pixels).ink.tolist() == [BOLD, 0] and measure_digits(pixels).is_bold.tolist() == [True, False]
    stroke = np.eye(8, dtype=np.uint8)[None] * 16  # falls to the right, so it leans left
    assert [measure_digits(one).leaning[0] for one in (stroke, pixels[:1] * 0, stroke[:, :, ::-1])] == [0, 1, 2]
    assert measure_digits(stroke).slant[0] == pytest.approx(-1)
    assert math.degrees(math.atan(LEANING)) == pytest.approx(11.31, abs=0.01)
    assert measure_digits(pixels).slant[1] == 0 and captions.encode_captions(pixels, np.array([3, 3])).shape == (
        2,
        MAX_WORDS,
    )


def test_every_caption_once_and_back() -> None:
    seen = set()
    for digit, bold, leaning in np.ndindex(10, 2, 3):
        words = captions.caption_words(digit, bool(bold), leaning)
        assert len(words) <= MAX_WORDS and words[-1] == "." and set(words) <= set(WORDS.words[: WORDS.n_plain])
        assert captions.caption_parts(words) == (NAMES[digit], INK[bold], SLANT[leaning])
        assert (words[0] == "an") == (digit == 8)
        seen.add(captions.caption_text(words))
    assert len(seen) == 60
    assert "a seven, written thin and leaning right." in seen and "an eight, written bold and upright." in seen
    assert max(len(captions.caption_words(d, True, 0)) for d in range(10)) == MAX_WORDS
    used = {word for d, b, s in np.ndindex(10, 2, 3) for word in captions.caption_words(d, bool(b), s)}
    assert used == set(WORDS.words[: WORDS.n_plain])
    assert captions.caption_parts(["a", ","]) == ("", "", "") and captions.decode_caption([2, 3]) == ["zero", "one"]


def test_encoding_is_the_sentence_of_what_is_measured() -> None:
    held = images.held_out_digits()
    ids = captions.encode_captions(held.pixels, held.labels)
    found = measure_digits(held.pixels)
    for row, label, bold, leaning in zip(ids.tolist(), held.labels, found.is_bold, found.leaning, strict=True):
        assert captions.decode_caption(row) == captions.caption_words(int(label), bool(bold), int(leaning))
        assert row[len(captions.decode_caption(row)) :] == [END] * (MAX_WORDS - len(captions.decode_caption(row)))


@pytest.fixture(scope="module")
def model() -> Captioner:
    built: Captioner = registry.build(task.config(), 3)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter += 0.25 * torch.randn(parameter.shape, generator=generator)
    return built


def shades(number: int) -> np.ndarray:
    return images.held_out_digits().some(np.array([number])).shades


def test_describing_is_greedy_and_its_weights_are_those_of_the_trace(model: Captioner) -> None:
    for number in (0, 7, 40):
        found = captioning.write_caption(model, shades(number))
        written = greedy_decode(
            model, torch.from_numpy(shades(number)), start_id=START, end_id=END, max_new_tokens=MAX_WORDS
        )
        assert found.ids.tolist() == written[0].tolist()
        logits = model(torch.from_numpy(shades(number)), torch.tensor([[START, *found.ids[:-1]]]))
        assert np.allclose(found.probabilities, logits[0].softmax(-1).detach().numpy(), atol=1e-5)
        assert found.weights.shape == (2, 4, len(found.ids), 16) and np.allclose(found.weights.sum(-1), 1, atol=1e-5)
        assert not found.reads.any() and np.allclose(found.sure, found.probabilities.max(1))


@pytest.mark.parametrize("keep", captioning.KEEP_MODES)
def test_changing_the_picture(model: Captioner, keep: str) -> None:
    first, second = shades(0), shades(7)
    before, after = captioning.write_caption(model, first), captioning.write_caption(model, second)
    whole = captioning.swap_picture(model, first, second, 0, keep)
    assert whole.ids.tolist() == after.ids.tolist() and np.allclose(whole.weights, after.weights, atol=1e-5)
    same = captioning.swap_picture(model, first, first, 3, keep)
    assert same.ids.tolist() == before.ids.tolist() and np.allclose(same.weights, before.weights, atol=1e-5)
    late = captioning.swap_picture(model, first, second, MAX_WORDS, keep)
    assert late.ids.tolist() == before.ids.tolist() and not late.reads.any()
    k = 2
    mixed = captioning.swap_picture(model, first, second, k, keep)
    assert mixed.ids[:k].tolist() == before.ids[:k].tolist() and mixed.reads.tolist()[:4] == [0, 0, 1, 1]
    assert np.allclose(mixed.weights[:, :, :k], before.weights[:, :, :k], atol=1e-5)
    assert np.allclose(mixed.probabilities[:k], before.probabilities[:k], atol=1e-5)
    logits = model(torch.from_numpy(second), torch.tensor([[START, *mixed.ids[:k]]]))  # the second, after these words
    anew = logits[0, -1].softmax(-1).detach().numpy()
    assert np.allclose(mixed.probabilities[k], anew, atol=1e-5) == (keep == "words")
    with pytest.raises(ValueError, match="word 99: from 0 to 9"):
        captioning.swap_picture(model, first, second, 99, keep)
    with pytest.raises(ValueError, match="is not one of vectors, words"):
        captioning.swap_picture(model, first, second, 1, "nothing")


def test_faults_and_baselines() -> None:
    held = images.held_out_digits()
    true = captions.encode_captions(held.pixels, held.labels)
    written = true.copy()
    written[5, 1] = WORDS.words.index("zero" if held.labels[5] else "one")
    written[9, 3] = WORDS.words.index("and")  # nothing that is said is wrong, but the sentence is
    found = captioning.find_errors(written, true, held.pixels)
    assert found.which.tolist() == [5, 9] and found.wrong.tolist() == [[True, False, False], [False] * 3]
    assert found.odd.tolist() == [False, True] and found.distance.shape == (2, 2)
    none = captioning.find_errors(true, true, held.pixels)
    assert not len(none.which) and none.wrong.shape == (0, 3) and none.distance.shape == (0, 2)
    words, share = captioning.most_frequent_caption(task.true_captions(images.training_digits()), true)
    assert words[-1] == "." and 1 / 60 < share < 0.12
    assert captioning.threshold_distances(held.pixels).min() >= 0


def test_what_the_experiment_measures() -> None:
    held = images.held_out_digits()
    true = captions.encode_captions(held.pixels, held.labels)
    assert task.caption_accuracy(true, true) == {"exact": 1, "digit": 1, "ink": 1, "slant": 1}
    other = true[::-1]
    found = task.caption_accuracy(other, true)
    assert found["exact"] < min(found[one] for one in captions.PARTS) < 1
    assert np.array_equal(task.round_to_levels(torch.from_numpy(held.shades)), held.pixels)


def test_what_fills_a_caption_up_costs_nothing(model: Captioner) -> None:
    pictures = torch.from_numpy(shades(0))
    target = torch.from_numpy(
        captions.encode_captions(images.held_out_digits().pixels[:1], images.held_out_digits().labels[:1])
    )
    n = len(captions.decode_caption(target[0].tolist()))
    logits = model(pictures, torch.cat([torch.tensor([[START]]), target[:, :-1]], 1))[0, :n]
    expected = torch.nn.functional.cross_entropy(logits, target[0, :n])
    assert task.caption_loss(model, pictures, target).item() == pytest.approx(expected.item(), abs=1e-5)
