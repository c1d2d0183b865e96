"""What the room and its lesson say in words is true of the shipped models and of the example that ships."""

import pytest

from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.fewer_bits import dial, outliers, training, where
from core.rooms.fewer_bits.compute.evaluation import evaluate_rounded
from core.train.experiment import run_experiment

MODELS = [*where.MODELS]


@pytest.mark.measured("today/4-fewer-bits", "At how many bits does its text fall apart?")
@pytest.mark.measured("today/4-fewer-bits", "Again 3 bits, but now with one scale")
@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_bits_and_scales(model: str) -> None:
    """4 bits do no harm, 3 are enough with a scale for each row and not with one for all, 2 never are."""
    found = where.compute(where.Inputs(model=model))
    rise = {
        (bits, scales): found.loss(bits, scales) - found.before for bits in (2, 3, 4, 8) for scales in where.SCALE_NAMES
    }
    assert all(rise[8, scales] < 0.005 for scales in where.SCALE_NAMES)
    assert rise[4, "row"] < 0.02 and rise[3, "row"] < 0.3
    assert rise[3, "matrix"] > 1.2 and all(rise[2, scales] > 3 for scales in where.SCALE_NAMES)
    for i, bits in enumerate(where.BIT_COUNTS):
        apart = [found.divergences[scales][i] for scales in ("matrix", "row", "group")]
        if bits > 2:
            assert apart == sorted(apart, reverse=True), bits


@pytest.mark.measured("today/4-fewer-bits", "Which of these parts tolerates it best?")
@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_queries_hardly_matter_and_errors_build_on_errors(model: str) -> None:
    found = where.compute(where.Inputs(model=model, bits=2))
    assert found.rises["w_q"] < 0.06 < 0.5 < found.rises[found.worst]
    assert found.worst == "w_in" and found.rises["w_o"] < found.rises["w_in"] / 3, "no rule of the stream fits this"
    asked = {part: found.rises[part] for part in ("w_q", "w_o", "w_in", "unembed")}
    assert min(asked, key=asked.__getitem__) == "w_q"
    assert found.loss(2, "row") - found.before > sum(found.rises.values())
    assert max(where.compute(where.Inputs(model=model, bits=3)).rises.values()) < 0.05


@pytest.mark.measured("today/4-fewer-bits", "We make the channel 32 times larger")
@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_one_outlier(model: str) -> None:
    key = ModelKey.at(model)
    before = evaluate_rounded(key, "", 32, "row").loss
    loss = {
        (what, way, times): outliers.evaluate_outlier(key, "", times, what, way).loss - before
        for what, ways in outliers.SCALE_METHODS.items()
        for way in ways
        for times in (1, 32, 128)
    }
    assert all(one < 0.01 for (_, _, times), one in loss.items() if times == 1)
    assert loss["weights", "matrix", 32] > 2 and loss["flow", "all", 128] > 0.4
    for what, way in (("weights", "row"), ("weights", "group"), ("flow", "apart")):
        assert loss[what, way, 128] < 0.01
    assert loss["flow", "token", 128] < 0.1


@pytest.mark.measured("today/4-fewer-bits", "A model is rounded to three values per weight")
def test_the_example_tells_what_the_lesson_says() -> None:
    found = training.compute(training.Inputs(guess="yes"), run_experiment("fewer-bits"))
    assert found.losses["during"] < 0.65 < 4 < found.losses["after"]
    assert found.outcome is not None and found.outcome.answer == "between"
    assert found.perplexity_rise == pytest.approx(0.19, abs=0.02), "twice what separates 3 bits from 32"


def test_the_first_screen() -> None:
    found = dial.compute(dial.Inputs(guess="show"))
    assert found.first is None and found.outcome is not None and found.outcome.answer == "2"
    assert found.smaller == pytest.approx(6.2, abs=0.1)
    told = outliers.compute(outliers.Inputs(times=32))
    assert told.zeros["matrix"] > 0.5, "most of the other weights become 0"
    assert told.moved == 0 and told.before == pytest.approx(0.33, abs=0.005)
