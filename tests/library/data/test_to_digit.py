"""Pictures and drawings brought to 8 x 8: like the digits that models learn from, in Python as on the canvas."""

import json
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from core.data import images
from core.data.images import digit_pixels
from core.data.images.digit_pixels import _extract_ink, _NoDigit, _to_cells, decode_digit, encode_digit_as_text
from core.models.images.vit import ViT
from core.rooms.patches.experiments import digits
from core.train import experiment
from core.ui.widgets.picture_inputs import SEVEN

PARITY = Path(__file__).parents[1] / "widgets" / "canvas_parity.mjs"
FIELDS = arrays(np.uint8, st.tuples(st.integers(1, 24), st.integers(1, 24)), elements=st.integers(0, 255))


@cache
def vit() -> ViT:
    record, _ = experiment.unpack_record((experiment.EXAMPLE_FOLDER / "digits.safetensors").read_bytes())
    model: ViT = experiment.rebuild_model(record, "vit", digits.config())
    return model.float().eval()


def said(cells: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the ViT's predictions for digits (N, 8, 8)."""
    with torch.no_grad():
        shades = torch.from_numpy((cells[:, None] / 16).astype(np.float32))
        answers: NDArray[np.int64] = vit()(shades).argmax(-1).numpy()
    return answers


def enlarged(cells: NDArray[np.uint8], side: int, how: Image.Resampling) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray((cells * 255.0 / 16).round().astype(np.uint8)).resize((side, side), how))


@pytest.mark.parametrize(
    ("how", "side", "is_dark_on_light", "step"),
    [
        (Image.Resampling.BICUBIC, 160, True, 2),
        (Image.Resampling.BILINEAR, 160, False, 4),
        (Image.Resampling.NEAREST, 37, True, 4),
    ],
)
def test_enlarged_held_out_digits_come_back(
    how: Image.Resampling, side: int, is_dark_on_light: bool, step: int
) -> None:
    held = images.held_out_digits().pixels[::step]
    back = []
    for cells in held:
        large = np.pad(enlarged(cells, side, how), ((side // 5, side // 9), (side // 4, side // 3)))
        back.append(digit_pixels.extract_digit_pixels(255 - large if is_dark_on_light else large))
    same = said(np.array(back)) == said(held)
    assert same.mean() > 0.97  # of all 360: 355 to 358
    assert np.abs(np.array(back).astype(int) - held).mean() < 1.7  # of 16


def test_uneven_light_noise_and_dust_are_taken_out() -> None:
    rng = np.random.default_rng(0)
    held = images.held_out_digits().pixels[:60]
    back = []
    for cells in held:
        large = np.pad(enlarged(cells, 200, Image.Resampling.BICUBIC), 40).astype(float)
        light = 190 + np.linspace(-50, 40, 280) + np.linspace(20, -10, 280)[:, None]
        page = light - large / 255 * 110 + rng.normal(0, 6, large.shape)
        page[10:14, 10:14] = 40  # a crumb
        back.append(digit_pixels.extract_digit_pixels(np.repeat(page.clip(0, 255).astype(np.uint8)[..., None], 3, -1)))
    assert (said(np.array(back)) == said(held)).mean() > 0.95


@pytest.mark.parametrize(
    ("fading", "table", "turn"), [(1, 0, 0), (1, None, 7), (0, 55, 6), (0, 165, 6), (0, 230, -5), (1, 40, 8)]
)
@pytest.mark.parametrize("width", [5, 13])
def test_a_telephone_s_photograph_of_a_digit_is_read(fading: int, table: int | None, turn: int, width: int) -> None:
    """Light that fades to the corners, a table under the paper, a sheet that lies askew."""
    y, x = np.mgrid[:400, :300] / 200 - 1
    light = 205 - 10 * x - 6 * y - fading * 22 * (x**2 + y**2)
    paper = Image.fromarray(light.clip(0, 255).astype(np.uint8))
    three = [(108, 105), (155, 83), (200, 108), (195, 155), (150, 185), (203, 215), (207, 265), (160, 305), (100, 283)]
    ImageDraw.Draw(paper).line(three, fill=60, width=width, joint="curve")
    page = np.array(paper.rotate(turn, Image.Resampling.BICUBIC, fillcolor=180 if table is None else table), float)
    page += np.random.default_rng(0).normal(0, 5, page.shape)
    assert said(digit_pixels.extract_digit_pixels(page.clip(0, 255).astype(np.uint8))[None])[0] == 3


def test_thin_and_thick_strokes_become_about_as_bold_as_the_digits() -> None:
    drawn = []
    for width in (5, 14, 40, 70):
        page = np.full((400, 300), 250, np.uint8)
        y, x = np.mgrid[:400, :300]
        page[(np.abs(x - 150) < width / 2) & (y > 60) & (y < 340)] = 20
        drawn.append(int(digit_pixels.extract_digit_pixels(page).sum()))
    assert all(270 < total < 380 for total in drawn), drawn
    totals = images.load_digits().pixels.sum((1, 2), dtype=int)
    inside = (totals >= digit_pixels.LEAST_INK) & (totals <= digit_pixels.MOST_INK)
    assert 0.65 < inside.mean() < 0.68
    assert (images.load_digits().pixels[:, [0, -1]].max(2) > 0).all()  # every digit touches the first and the last row
    assert (images.load_digits().pixels[:, :, [0, -1]].max((1, 2)) <= 4).mean() > 0.9  # and few the outer columns


@pytest.mark.parametrize("shade", [0, 90, 255])
def test_a_blank_picture_is_reported(shade: int) -> None:
    with pytest.raises(_NoDigit, match=r"differ by [0-9]+ of 255 shades of gray, and it takes 24"):
        digit_pixels.extract_digit_pixels(np.full((50, 60, 3), shade, np.uint8))
    with pytest.raises(_NoDigit, match="nothing drawn"):
        _to_cells(np.zeros((128, 128), np.uint8))


@settings(max_examples=60)
@given(FIELDS)
def test_counts_do_not_depend_on_place_and_size(field: NDArray[np.uint8]) -> None:
    if not (field >= digit_pixels.IS_INK).any():
        with pytest.raises(_NoDigit):
            _to_cells(field)
        return
    cells = _to_cells(field)
    assert cells.shape == (8, 8) and cells.dtype == np.uint8 and cells.max() <= 16
    np.testing.assert_array_equal(cells, _to_cells(np.pad(field, ((3, 9), (7, 0)))))
    np.testing.assert_array_equal(cells, _to_cells(field.repeat(3, 0).repeat(3, 1)))


@settings(max_examples=60)
@given(arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3)), elements=st.integers(0, 255)))
@example(np.array([[[27, 0, 0], [0, 0, 0]]], np.uint8))  # no pixel is near to the fitted paper
def test_any_picture_gives_a_digit_or_plain_words(picture: NDArray[np.uint8]) -> None:
    with suppress(_NoDigit):
        assert digit_pixels.extract_digit_pixels(picture).max() <= 16


@pytest.mark.parametrize("shape", [(16, 1024), (1024, 1024)])
def test_ink_is_at_most_256_pixels_a_side(shape: tuple[int, int]) -> None:
    page = np.full(shape, 240, np.uint8)
    page[shape[0] // 4 : shape[0] // 2, shape[1] // 4 : shape[1] // 2] = 10
    field = _extract_ink(page)
    assert max(field.shape) <= 256 and field.max() == 255 and field.min() == 0


def test_a_bitmap_of_32_rows_is_only_counted() -> None:
    """As the digits were made: squares of 4 x 4 points of a 32 x 32 bitmap."""
    bitmap = np.zeros((32, 32), np.uint8)
    bitmap[:, 6:26] = 255 * (np.random.default_rng(0).random((32, 20)) < 0.5)
    bitmap[0, 6] = bitmap[31, 25] = 255
    counted = (bitmap > 0).reshape(8, 4, 8, 4).sum((1, 3))
    assert digit_pixels.LEAST_INK <= counted.sum() <= digit_pixels.MOST_INK
    np.testing.assert_array_equal(_to_cells(bitmap), counted)


def test_symbols() -> None:
    for cells in images.load_digits().pixels[:50]:
        np.testing.assert_array_equal(decode_digit(encode_digit_as_text(cells)), cells)
    for wrong in (None, 7, "", "0" * 64, "h" * 64, "0" * 63 + "G", "1" * 65, "1" * 63 + "\n", "١" * 64, ["1"] * 64):
        with pytest.raises(ValueError, match=r"64"):
            decode_digit(wrong)


def test_the_drawing_to_begin_with_is_read_as_a_seven() -> None:
    assert said(decode_digit(SEVEN)[None]).tolist() == [7]


def test_the_canvas_and_python_count_alike(node: str) -> None:
    rng = np.random.default_rng(0)
    sizes = ((1, 1), (5, 9), (32, 32), (40, 7), (7, 60), (128, 128))
    fields = [
        (rng.integers(0, 256, size) * (rng.random(size) < share)).astype(np.uint8)
        for size in sizes
        for share in (0.02, 0.3, 1)
    ]
    strokes = [rng.uniform(-10, 138, (rng.integers(2, 7), 2)).round(2).tolist() for _ in range(12)]
    cases = {
        "fields": [{"field": f.ravel().tolist(), "height": f.shape[0], "width": f.shape[1]} for f in fields],
        "strokes": strokes,
        "digits": [cells.ravel().tolist() for cells in images.load_digits().pixels[:10]],
    }
    done = subprocess.run([node, str(PARITY)], input=json.dumps(cases), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    pairs = list(zip(fields, answers["fields"], strict=True))
    for one in (*answers["drawn"], *answers["spread"]):
        pairs.append((np.array(one["field"], np.uint8).reshape(128, 128), one["cells"]))
    assert len(pairs) == 18 + 12 + 10
    for field, cells in pairs:
        if cells is None:
            assert not (field >= digit_pixels.IS_INK).any()
        else:
            np.testing.assert_array_equal(_to_cells(field).ravel(), cells)
    held = np.array([one["cells"] for one in answers["spread"]], np.uint8).reshape(-1, 8, 8)
    assert (said(held) == images.load_digits().labels[:10]).mean() >= 0.9
