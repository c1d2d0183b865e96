"""What the texts of training, completing and the two orders say is true of the example that ships."""

import numpy as np
import pytest

from core.inspect.pictures import held_out_digit as held
from core.rooms.pixels import complete, orders
from core.rooms.pixels.common import Writer, bits, writer_of
from core.rooms.pixels.compute import pixel_bits, pixel_text
from core.rooms.pixels.experiments import pixels as task
from core.train.live import Live
from core.ui.training import live
from core.ui.training.digit_reader import Reader, reader_of

DEFAULTS = {"seed": complete.SEED, "temperature": complete.TEMPERATURE, "top_k": complete.TOP_K}
HALF = complete.ROWS * pixel_text.SIDE


def example(name: str) -> Live:
    found = live.example(name)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def models() -> tuple[Writer, Reader]:
    found, by = writer_of(example("pixels")), example("digits")
    return found, reader_of(by)


def test_imagegpt_pays_less_than_counting_and_the_table_less_than_any_ngram(models: tuple[Writer, Reader]) -> None:
    n_level = models[0].n_level
    own = [float(bits(models[0], order).mean()) for order in task.VARIANTS]
    grams = min(float(pixel_bits.ngrams(n_level, order).min()) for order in task.VARIANTS)
    table = float(pixel_bits.of_table(n_level).mean())
    assert max(own) < 0.75 * min(grams, table)
    record = example("pixels").record
    for order, value in zip(task.VARIANTS, own, strict=True):
        assert value == pytest.approx(float(record[f"curve.{order}.bits"][-1]), abs=2e-3)  # weights in half precision
    assert table < grams  # "a table that knows only where"


def test_the_order_matters_to_the_2_gram(models: tuple[Writer, Reader]) -> None:
    found = models[0]
    own = [float(bits(found, order).mean()) for order in task.VARIANTS]
    raster, column = (pixel_bits.ngrams(found.n_level, order).min(0) for order in task.VARIANTS)
    assert raster[1] - column[1] > 0.1
    assert orders.who_depends(abs(own[0] - own[1]), abs(raster[1] - column[1])) == "ngram"
    assert abs(raster[8] - raster[6]) < 0.05  # "longer ones help little", although the pixel above is reached
    assert [orders.who_depends(*two) for two in ((0.01, 0.02), (0.3, 0.1), (0.1, 0.1))] == ["none", "model", "both"]


def test_what_is_written_first_costs_more(models: tuple[Writer, Reader]) -> None:
    by_row, by_column = orders.maps(models[0])
    assert by_row[0].sum() > 1.05 * by_column[0].sum() and by_column[:, 1].sum() > 1.05 * by_row[:, 1].sum()
    assert max(one[:, [0, 7]].max() for one in (by_row, by_column)) < 0.5  # next to none at the edges


def test_completions_are_recognised_in_more_than_four_fifths(models: tuple[Writer, Reader]) -> None:
    measured = complete.share(*models, complete.ORDER, HALF, **DEFAULTS)
    assert measured.right.mean() > 0.8 and measured.whole.mean() > 0.97


def test_most_pixels_are_nearly_decided_and_few_are_open(models: tuple[Writer, Reader]) -> None:
    made, _ = complete.written(models[0], complete.ORDER, held(complete.DIGIT), HALF, **DEFAULTS)
    two = np.sort(made.used, -1)[..., -2:].sum(-1)
    assert (two > 0.9).mean() > 0.5
    said = complete.recognised(*models, complete.ORDER, held(complete.DIGIT), HALF, **DEFAULTS).said
    assert len(set(said.tolist())) >= 2  # the pictures part


def test_at_temperature_0_all_are_the_same_and_with_few_rows_they_differ(models: tuple[Writer, Reader]) -> None:
    def digits(rows: int, temperature: float) -> int:
        how = {"seed": 0, "temperature": temperature, "top_k": 0}
        said = complete.recognised(*models, complete.ORDER, held(complete.DIGIT), 8 * rows, **how).said
        return len(set(said.tolist()))

    made, _ = complete.written(models[0], complete.ORDER, held(complete.DIGIT), HALF, 0, 0.0, 0)
    assert (made.ids == made.ids[0]).all()
    assert digits(1, complete.TEMPERATURE) >= 3 and digits(6, complete.TEMPERATURE) <= 2
