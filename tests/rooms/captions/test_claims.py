"""What the texts of the captions room say is true of the examples that ship."""

import numpy as np
import pytest
import torch

from core.data import images
from core.data.images import to_digit
from core.inspect.pictures import Picture
from core.inspect.pictures import held_out_digit as held
from core.rooms.captions import look, swap, training
from core.rooms.captions.common import OWN_INK, captioner, changed, described
from core.rooms.captions.compute import captioning, captions
from core.rooms.captions.compute.captions import LONGEST
from core.rooms.captions.experiments import captions as task
from core.train import experiment
from core.train.experiment import EXAMPLES, unpack
from core.ui.training.trained_models import Trained
from core.ui.widgets.picture import SEVEN


@pytest.fixture(scope="module")
def models() -> Trained:
    return Trained("captions", unpack((EXAMPLES / "captions.safetensors").read_bytes())[0])


def parts(models: Trained, number: int) -> tuple[str, str, str]:
    return captions.parts(described(models, "patches", held(number)).words)


def test_the_example_is_what_the_code_makes_now(models: Trained) -> None:
    running = experiment.start("captions", {}, 0)
    while running.step < 20:
        running.advance()
    now = running.record()
    for key in ("curve.loss", "curve.exact"):
        assert np.allclose(now[key], models.record[key][: len(now[key])], atol=0.02) and len(now[key]) == 2
    model = captioner(models, "patches")
    again = task.write(model, torch.from_numpy(images.held_out().shades))
    assert (again == models.record["written"]).all(1).mean() > 0.99  # weights are kept in half precision


def test_wrong_captions_lie_close_to_a_threshold(models: Trained) -> None:
    found = training.found_faults(models.record)
    everywhere = captioning.distances(images.held_out().pixels).mean(0)
    for i in (1, 2):
        near = found.distance[found.wrong[:, i], i - 1]
        assert not len(near) or near.mean() < everywhere[i - 1] / 3
    assert found.wrong[:, 1:].sum() > found.wrong[:, 0].sum()  # most are wrong about what is measured
    assert training.rival_share(models.record) > 0.98
    assert 1 / 60 < training.baseline()[1] < 0.12


def test_first_the_same_for_every_picture(models: Trained) -> None:
    film = models.record["frames.written"]
    assert len(np.unique(film[0], axis=0)) == 1 and len(np.unique(film[2], axis=0)) < len(np.unique(film[-1], axis=0))
    digit, slant = models.record["curve.digit"], models.record["curve.slant"]
    assert digit[2] < 0.6 < slant[2]  # they do not rise together


def test_the_caption_that_is_looked_at(models: Trained) -> None:
    seen = described(models, "patches", held(look.DEFAULT_DIGIT))
    assert captions.text(seen.words) == "a seven, written thin and leaning right."
    for word in (",", "written", "and", "."):
        assert seen.sure[seen.words.index(word)] > 0.99
    assert (seen.weights.max(-1) > 0.5).mean() > 0.3  # many heads put more than half on one patch


def test_what_is_said_before_the_cut_is_the_firsts_and_after_it_the_seconds(models: Trained) -> None:
    first, second = held(swap.FIRST), held(swap.SECOND)
    one, two = (parts(models, number) for number in (swap.FIRST, swap.SECOND))
    assert all(a != b for a, b in zip(one, two, strict=True))
    for keep in captioning.KEEPS:
        for cut, whose in ((0, (1, 1, 1)), (2, (0, 1, 1)), (4, (0, 1, 1)), (5, (0, 0, 1)), (LONGEST - 1, (0, 0, 0))):
            found = captions.parts(changed(models, first, second, cut, keep).words)
            assert found == tuple((one, two)[side][i] for i, side in enumerate(whose)), (keep, cut)


def test_grammar_wins_after_an(models: Trained) -> None:
    mixed = changed(models, held(30), held(swap.SECOND), 1, "vectors")
    assert mixed.words[:2] == ["an", "eight"] and mixed.sure[1] > 0.95
    assert captions.parts(mixed.words)[1:] == parts(models, swap.SECOND)[1:]


def test_where_it_matters_what_stays(models: Trained) -> None:
    apart = [swap.apart(models, held(swap.FIRST), held(swap.SECOND), cut) for cut in range(LONGEST)]
    assert 0.02 < apart[6] < 0.4 and max(apart[:6] + apart[7:]) < 0.02


def test_page_numbers() -> None:
    found = captions.measure(images.to_learn().pixels)
    assert captions.BOLD == 18 and captions.LEANING == 0.2
    assert 0.24 < 1 - found.is_bold.mean() < 0.27 and round(np.degrees(np.arctan(captions.LEANING))) == 11
    assert task.config().encoder.n_patch == 16 and task.config().d_model == 48


def test_one_vector_is_behind_in_each_part(models: Trained) -> None:
    other = unpack((EXAMPLES / "captions-class.safetensors").read_bytes())[0]
    for part in ("exact", *captions.PARTS):
        assert 0 < float(models.record[f"curve.{part}"][-1]) - float(other[f"curve.{part}"][-1]) < 0.1


def test_the_drawing_begins_right_above_the_threshold_and_the_caption_follows(models: Trained) -> None:
    cells = to_digit.from_symbols(SEVEN)
    assert 0 < float(captions.measure(cells[None]).ink[0]) - captions.BOLD < 0.2
    assert f"{to_digit.LEAST_INK / 16:.1f}" == "18.1" and "18.1 full pixels" in OWN_INK
    for by in (-1, 1):  # a level less or more in every gray pixel
        other = np.where((cells > 0) & (cells < 16), cells.astype(int) + by, cells).astype(np.uint8)
        seen = described(models, "patches", Picture(f"own-{by}", "your drawing", other))
        assert captions.parts(seen.words)[1] == captions.INK[by > 0]
