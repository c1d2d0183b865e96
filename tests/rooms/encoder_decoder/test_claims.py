"""What the room of the encoder-decoder says about its examples is so, computed from the records that ship."""

from typing import Any

import numpy as np
import pytest

from core.inspect.teacher_forcing import wrong_positions
from core.rooms.encoder_decoder import applications, beams, caveats, forcing, looks_back, maps, roles, swap
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import bleu
from core.rooms.encoder_decoder.experiments import translation as task
from core.train.experiment import run_experiment
from tests.library.learning.once import remade

RUN = run_experiment("translation")


def answer(english: str) -> str:
    return task.translate(task.model_of(RUN), [english])[0]


@pytest.mark.parametrize("name", ["translation", "applications"])
def test_the_example_is_what_the_code_makes_now(name: str) -> None:
    remade(name, 8, n_eval=1, atol=0.05)


def test_words_first_and_hardly_any_sentence_was_met() -> None:
    record = RUN.record
    assert (record["curve.words"] >= record["curve.exact"]).all() and record["curve.exact"][-1] > 0.95
    early = record["step"] < 100
    assert (record["curve.words"] - record["curve.exact"])[early].max() > 0.2
    assert 450 * task.BATCH / languages.count_sentences() < 0.005
    for english, ending in (("the cats see a dog", "n"), ("a dog sees the cats", "s")):
        assert answer(english) == languages.to_tamari(english)
        assert answer(english)[-1] == ending


def test_the_film_of_head_1_0() -> None:
    frames = RUN.record["frames.weights"][:, 1, 0] / 255  # (looks, T, S)
    assert frames[0].max() < 0.35
    sentence = languages.parse_english(task.PROBE)
    assert sentence is not None
    places = sentence.alignment()
    assert (frames[-1][: len(places)].argmax(-1) == places).all()
    assert frames[-1][np.arange(len(places)), places].min() > 0.7


def test_the_last_layer_reads_what_it_translates() -> None:
    for inputs in (maps.Inputs(), maps.Inputs(text="the small red dog sees some white cats now")):
        found = maps.compute(inputs)
        assert found.seen.answer == found.source.truth
        on = found.on_rings
        assert min(on["1.0"], on["1.1"]) > 0.75 and max(on["0.0"], on["0.1"]) < 0.6
    order = roles.compute(roles.Inputs()).seen.cross[1, 0].argmax(-1)
    assert (np.diff(order) < 0).sum() >= 2  # the lines jump to and fro


@pytest.mark.parametrize("text", ["", "a king sees the white birds here"])
def test_each_word_looks_back_at_the_word_that_it_translates(text: str) -> None:
    found = looks_back.compute(looks_back.Inputs(**({"text": text} if text else {})))
    sentence = languages.parse_english(found.source.english)
    assert sentence is not None and found.seen.answer == found.source.truth
    weights = found.seen.cross[-1, 0, : len(found.written)]
    assert weights.argmax(-1).tolist() == list(sentence.alignment())
    assert weights.max(-1).min() > 0.8
    assert weights[0].argmax() == len(found.source.words) - 1  # the first line goes to the last English word
    assert found.table()[looks_back.LABELS["reads"]] == [found.source.words[at] for at in sentence.alignment()]


@pytest.mark.measured("12-t5", "Which ending")
def test_the_exchange() -> None:
    def found(at: int, **inputs: Any) -> swap.SourceSwap:
        return swap.compute(swap.Inputs(run=RUN, at=at, **inputs))

    alone = [found(0).alone.answer.split(), found(0).other.answer.split()]
    assert found(0).mixed.answer == found(0).other.answer
    four = found(4)
    assert four.mixed.answer == "li kani pici una fira blana amas ne" and four.new == ["blana"]
    assert "fira" in alone[1] and alone[0][3] == "una"
    two = found(2).mixed.answer.split()
    assert two[:2] == ["li", "kani"] and two[-2:] == ["amas", "ne"]
    assert found(7).mixed.answer == found(7).alone.answer + " ne"
    assert found(7).meaning == "the small dogs do not see a red cat"
    same = found(4, second=swap.Inputs(run=RUN).first)
    assert same.mixed.answer == same.alone.answer


def test_teacher_forcing() -> None:
    found = forcing.compute(forcing.Inputs(run=RUN))
    truth, forced, free = found.truth, found.forced, found.free
    one, other = wrong_positions(forced.written, truth), wrong_positions(free.written, truth)
    assert one[0] == other[0] and len(other) == len(truth) - other[0] > len(one)  # all that follows is wrong, freely
    assert one[-1] < len(truth) - 1 and free.written[-1] == languages.END and len(free.written) == len(truth) - 1
    shorter = forcing.compute(forcing.Inputs(run=RUN, text="the white king sees a white duck again", sentences="usual"))
    assert shorter.forced.written.tolist() == shorter.free.written.tolist() == shorter.truth
    assert min(shorter.shares.forced.min(), shorter.shares.free.min()) > 0.95
    longer = found.shares
    assert longer.whole_forced == longer.whole_free < 0.6 and longer.free.min() < longer.forced.min() - 0.1


def test_beams() -> None:
    english = "some small cats do not follow some white young horses again"
    found = {n: beams.compute(beams.Inputs(run=RUN, text=english, n=n)) for n in (1, 2, 4, 8)}
    right = languages.to_tamari(english)
    assert found[1].texts[0] == found[8].texts[0] != right
    assert right in found[8].texts
    assert np.ptp([one.counted.exact for one in found.values()]) < 0.1
    assert all(found[n].counted.surer > 0.8 * (1 - found[n].counted.exact) for n in (2, 4, 8))
    shorter = beams.compute(beams.Inputs(run=RUN, text=english.replace("white ", ""), n=8))
    assert shorter.texts[0] == shorter.source.truth and np.exp(shorter.found[0].log_prob) > 0.9
    assert shorter.scores[0] == "1.00"
    other = beams.compute(beams.Inputs(run=RUN, text="king the not dog"))
    assert set(other.scores) == {"–"} and other.of_truth is None


def test_bleu() -> None:
    inputs = caveats.Inputs(run=RUN)
    found = caveats.compute(inputs)
    assert found.found is not None and round(found.found.score, 2) == 0.87
    assert languages.to_english(inputs.reference) == "the small dog does not see the big cat"
    assert languages.to_english(inputs.written) == "the small dog sees the big cat"
    right, short = ["the", "dog", "does", "not", "see", "the", "cat"], ["the", "dog", "doesn't", "see", "the", "cat"]
    assert bleu([[right]], [short]).score < 0.5 and bleu([[right, short]], [short]).score == 1
    three = ["a", "dog", "sleeps"]
    assert bleu([[three]], [three]).score == 0
    wrong, fine = ([one.score for one in found.changes if one.is_wrong is is_wrong] for is_wrong in (True, False))
    assert max(wrong) > max(fine) and min(fine) < 0.5


STORY = applications.Inputs().summarize


@pytest.mark.parametrize(
    ("asked", "text", "begin"),
    [
        ("summarize", None, "ben lost a drum at the river"),
        ("question", None, "the river"),
        ("question", f"{STORY} who was tired?", "mia"),
        ("question", f"{STORY} how was the sun?", "warm"),
        ("sentiment", None, "blame"),
        ("sentiment", "The waiter was rude but the soup was lovely.", "praise"),
        ("sentiment", "The food was never dull. The service was not rude.", "praise"),
        ("sentiment", "The food was dull. The service was rude.", "blame"),
        ("entities", None, "person paris place jordan"),
        ("entities", "jordan flew to paris with john austin.", "person jordan place paris"),
    ],
)
@pytest.mark.measured("12-t5", "“The soup was lovely")
def test_the_applications(asked: str, text: str | None, begin: str) -> None:
    inputs = applications.Inputs(task=asked, **({} if text is None else {asked: text}))
    said = applications.compute(inputs, run_experiment("applications")).said
    assert said.startswith(begin) if asked == "entities" else said == begin
