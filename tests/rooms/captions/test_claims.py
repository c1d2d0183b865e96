"""What the texts of the captions room say is true of the examples that ship."""

from typing import Any

import numpy as np
import pytest
import torch

from core.data import images
from core.data.images import digit_pixels
from core.inspect.model_inputs.input_pictures import InputPicture, held_out_digit as held
from core.rooms.captions import look, swap, training
from core.rooms.captions.compute import captioning, captions
from core.rooms.captions.compute.captions import MAX_WORDS
from core.rooms.captions.experiments import captions as task
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.widgets.picture_inputs import SEVEN


@pytest.fixture(scope="module")
def run() -> ExperimentRun:
    return experiment.run_experiment("captions")


def looked(run: ExperimentRun, picture: InputPicture) -> look.CaptionedPicture:
    return look.compute(look.Inputs(picture=picture), run)


def swapped(run: ExperimentRun, **inputs: Any) -> swap.SwappedCaption:
    return swap.compute(swap.Inputs(**inputs), run)


def parts(run: ExperimentRun, number: int) -> tuple[str, str, str]:
    return captions.caption_parts(looked(run, held(number)).caption.words)


def test_the_example_is_what_the_code_makes_now(run: ExperimentRun) -> None:
    running = experiment.make_experiment("captions", {}, 0)
    while running.step < 20:
        running.advance()
    now = running.record()
    for key in ("curve.loss", "curve.exact"):
        assert np.allclose(now[key], run.record[key][: len(now[key])], atol=0.02) and len(now[key]) == 2
    again = task.write_captions(task.trained_captioner(run), torch.from_numpy(images.held_out_digits().shades))
    assert (again == run.record["written"]).all(1).mean() > 0.99  # weights are kept in half precision


def test_wrong_captions_lie_close_to_a_threshold(run: ExperimentRun) -> None:
    result = training.compute(training.Inputs(), run)
    found = result.found
    for i in (1, 2):
        assert not found.wrong[:, i].any() or found.off(i) < result.everywhere[i - 1] / 3
    assert found.wrong[:, 1:].sum() > found.wrong[:, 0].sum()  # most are wrong about what is measured
    assert result.rival > 0.98 and 1 / 60 < result.share < 0.12


def test_first_the_same_for_every_picture(run: ExperimentRun) -> None:
    film = run.record["frames.written"]
    assert len(np.unique(film[0], axis=0)) == 1 and len(np.unique(film[2], axis=0)) < len(np.unique(film[-1], axis=0))
    digit, slant = run.record["curve.digit"], run.record["curve.slant"]
    assert digit[2] < 0.6 < slant[2]  # they do not rise together


def test_the_caption_that_is_looked_at(run: ExperimentRun) -> None:
    result = look.compute(look.Inputs(), run)
    seen = result.caption
    assert not result.faults and "right" in result.formula
    assert seen.text == "a six, written thin and leaning left."
    for word in (",", "written", "and", "."):
        assert seen.sure[seen.words.index(word)] > 0.99
    assert (seen.weights.max(-1) > 0.5).mean() > 0.3  # many heads put more than half on one patch


def test_what_is_said_before_the_cut_is_the_firsts_and_after_it_the_seconds(run: ExperimentRun) -> None:
    one, two = (parts(run, number) for number in (swap.FIRST, swap.SECOND))
    assert all(a != b for a, b in zip(one, two, strict=True))
    for keep in captioning.KEEP_MODES:
        for cut, whose in ((0, (1, 1, 1)), (2, (0, 1, 1)), (4, (0, 1, 1)), (5, (0, 0, 1)), (MAX_WORDS - 1, (0, 0, 0))):
            result = swapped(run, word=cut, keep=keep)
            assert captions.caption_parts(result.mixed.words) == tuple(
                (one, two)[side][i] for i, side in enumerate(whose)
            )
            assert [side for _, _, side in result.whose] == [("first", "second")[side] for side in whose], (keep, cut)


@pytest.mark.measured("14-pixels-and-captions", "What does it write next?")
def test_grammar_wins_after_an(run: ExperimentRun) -> None:
    mixed = swapped(run, first=held(30), word=1).mixed
    assert mixed.words[:2] == ["an", "eight"] and mixed.sure[1] > 0.95
    assert captions.caption_parts(mixed.words)[1:] == parts(run, swap.SECOND)[1:]


def test_where_it_matters_what_stays(run: ExperimentRun) -> None:
    apart = [swapped(run, word=cut).difference for cut in range(MAX_WORDS)]
    assert 0.02 < apart[6] < 0.4 and max(apart[:6] + apart[7:]) < 0.02


def test_page_numbers() -> None:
    found = captions.measure_digits(images.training_digits().pixels)
    assert captions.BOLD == 18 and captions.LEANING == 0.2
    assert [round(float((found.leaning == one).mean()), 2) for one in range(3)] == [0.10, 0.87, 0.03]
    assert 0.24 < 1 - found.is_bold.mean() < 0.27 and round(np.degrees(np.arctan(captions.LEANING))) == 11
    assert task.config().encoder.n_patch == 16 and task.config().d_model == 48


@pytest.mark.measured("14-pixels-and-captions", "And the one")
def test_one_vector_is_behind_in_each_part(run: ExperimentRun) -> None:
    other = experiment.run_experiment("captions-class").record
    for part in ("exact", *captions.PARTS):
        assert 0 < float(run.record[f"curve.{part}"][-1]) - float(other[f"curve.{part}"][-1]) < 0.1


def test_the_drawing_begins_right_above_the_threshold_and_the_caption_follows(run: ExperimentRun) -> None:
    cells = digit_pixels.decode_digit(SEVEN)
    assert 0 < float(captions.measure_digits(cells[None]).ink[0]) - captions.BOLD < 0.2
    assert f"{digit_pixels.LEAST_INK / 16:.1f}" == "18.1"
    for by in (-1, 1):  # a level less or more in every gray pixel
        other = np.where((cells > 0) & (cells < 16), cells.astype(int) + by, cells).astype(np.uint8)
        seen = looked(run, InputPicture(f"own-{by}", "your drawing", other)).caption
        assert captions.caption_parts(seen.words)[1] == captions.INK[by > 0]
