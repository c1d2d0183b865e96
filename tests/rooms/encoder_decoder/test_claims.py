"""What the room of the encoder-decoder says about its examples is so, computed from the records that ship."""

from types import MappingProxyType

import numpy as np
import pytest

from core.generate.beam import Hypothesis
from core.inspect.forcing import wrong_places
from core.rooms.encoder_decoder import beams, caveats, forcing, maps, swap
from core.rooms.encoder_decoder.common import Translator
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import bleu
from core.rooms.encoder_decoder.compute.cross_attention import record, share_on
from core.rooms.encoder_decoder.compute.cross_attention import swap as exchange
from core.rooms.encoder_decoder.experiments import translation as task
from core.rooms.encoder_decoder.experiments import translation_rivals as rival_task
from core.train import experiment
from core.train.live import Live
from core.ui.training.trained_models import trained

HOW = {"start_id": languages.START, "end_id": languages.END}


def example(name: str) -> Live:
    record, about = experiment.unpack((experiment.EXAMPLES / f"{name}.safetensors").read_bytes())
    assert about["options"] == vars(experiment.options_of(name, {}))
    return Live(record, MappingProxyType(about["options"]), 0, about["step"], about["n_step"], False, True)


@pytest.fixture(scope="module")
def model() -> Translator:
    return Translator(trained(example("translation")), 2, 2)


@pytest.fixture(scope="module")
def rivals() -> Live:
    return example("translation-rivals")


def answer(model: Translator, english: str) -> str:
    return task.translate(model.model, [english])[0]


@pytest.mark.parametrize("name", ["translation", "translation-rivals"])
def test_the_example_is_what_the_code_makes_now(name: str) -> None:
    then = example(name).record
    running = experiment.start(name, {}, 0)
    while len(running.record()["step"]) < 2:
        running.advance()
    now = running.record()
    for key in (key for key in now if key.startswith("curve") and "loss" not in key):
        n = len(now[key])
        assert n >= 2 and np.allclose(now[key], then[key][:n], atol=0.05), key


def test_words_first_and_hardly_any_sentence_was_met(model: Translator) -> None:
    record = model.trained.record
    assert (record["curve.words"] >= record["curve.exact"]).all() and record["curve.exact"][-1] > 0.95
    early = record["step"] < 100
    assert (record["curve.words"] - record["curve.exact"])[early].max() > 0.2
    assert 450 * task.BATCH / languages.n_sentence() < 0.005
    for english in ("the cats see a dog", "a dog sees the cats"):
        assert answer(model, english) == languages.to_tamari(english)
    assert [answer(model, one)[-1] for one in ("the cats see a dog", "a dog sees the cats")] == ["n", "s"]


def test_the_film_of_head_1_0(model: Translator) -> None:
    frames = model.trained.record["frames.weights"][:, 1, 0] / 255  # (looks, T, S)
    assert frames[0].max() < 0.35
    sentence = languages.read_english(task.PROBE)
    assert sentence is not None
    places = sentence.alignment()
    assert (frames[-1][: len(places)].argmax(-1) == places).all() and frames[-1][
        np.arange(len(places)), places
    ].min() > 0.7


def test_the_last_layer_reads_what_it_translates(model: Translator) -> None:
    for english in (
        "the young king does not follow some red horses here",
        "the small red dog sees some white cats now",
    ):
        sentence = languages.read_english(english)
        assert sentence is not None
        seen = model.write(tuple(languages.encode(english)))
        assert languages.decode(seen.written.tolist()) == sentence.tamari()
        mean = share_on(seen.cross, sentence.alignment())
        assert mean[1].min() > 0.75 and mean[0].max() < 0.6
        order = seen.cross[1, 0].argmax(-1)
        assert (np.diff(order) < 0).sum() >= 2  # the lines jump to and fro
    assert maps.PARTS["cross"]


def test_the_exchange(model: Translator) -> None:
    ids = [languages.encode(one) for one in (swap.FIRST, swap.SECOND)]

    def written(at: int) -> str:
        _, mixed = exchange(model.model, *ids, at, **HOW, most=13)
        return languages.decode(mixed.written.tolist())

    alone = [languages.to_tamari(one) or "" for one in (swap.FIRST, swap.SECOND)]
    assert written(0) == alone[1]
    assert written(4) == "li kani pici una fira blana amas ne"
    assert "blana" not in " ".join(alone).split() and "fira" in alone[1].split() and alone[0].split()[3] == "una"
    assert written(2).split()[:2] == ["li", "kani"] and written(2).split()[-2:] == ["amas", "ne"]
    assert written(7) == alone[0] + " ne"
    assert languages.to_english(written(7)) == "the small dogs do not see a red cat"


def test_teacher_forcing(model: Translator) -> None:
    truth = languages.encode_target(languages.to_tamari(forcing.DEFAULT) or "")
    ids = tuple(languages.encode(forcing.DEFAULT))
    forced, free = model.write(ids, tuple(truth)), model.write(ids)
    one, other = wrong_places(forced.written, truth), wrong_places(free.written, truth)
    assert one[0] == other[0] and len(other) == len(truth) - other[0] > len(one)  # all that follows is wrong, freely
    assert one[-1] < len(truth) - 1 and free.written[-1] == languages.END and len(free.written) == len(truth) - 1
    shorter = forcing.DEFAULT.replace("big ", "").replace("red ", "")
    assert answer(model, shorter) == languages.to_tamari(shorter)
    usual = forcing.shares(model.trained, 2, 2, "usual")
    assert min(usual.forced.min(), usual.free.min()) > 0.95
    longer = forcing.shares(model.trained, 2, 2, "longer")
    assert longer.whole_forced == longer.whole_free < 0.6 and longer.free.min() < longer.forced.min() - 0.1


def test_the_rivals(rivals: Live) -> None:
    record = rivals.record
    one, other = (record[f"curve.{name}.exact"] for name in rival_task.VARIANTS)
    two = rival_task.ADJECTIVES.index(2)
    seconds = [record[f"seconds.{name}"] for name in rival_task.VARIANTS]
    grid = np.linspace(0.2, min(s[-1] for s in seconds), 40)
    ahead = np.interp(grid, seconds[0], one[:, two]) - np.interp(grid, seconds[1], other[:, two])
    assert ahead[:12].max() > 0.05 and ahead[20:].min() < -0.1 and (ahead[24:] <= 0.02).all()
    assert min(one[-1, : two + 1].min(), other[-1, : two + 1].min()) > 0.95
    assert one[-1, -1] < 0.3 and other[-1, -1] > 0.8


def test_beams(model: Translator) -> None:
    english = "some small cats do not follow some white young horses again"
    right = languages.to_tamari(english)

    def search(english: str, n: int) -> tuple[Hypothesis, ...]:
        return beams._searched(model.trained, 2, 2, tuple(languages.encode(english)), n, 1.0)

    best = {n: languages.decode(search(english, n)[0].ids) for n in (1, 8)}
    assert best[1] == best[8] != right
    assert right in [languages.decode(one.ids) for one in search(english, 8)]
    counts = [beams.count(model.trained, 2, 2, n, 1.0) for n in (1, 2, 4, 8)]
    assert np.ptp([one.exact for one in counts]) < 0.1
    assert all(one.surer > 0.8 * (1 - one.exact) for one in counts[1:])
    found = search(english.replace("white ", ""), 8)
    assert languages.decode(found[0].ids) == languages.to_tamari(english.replace("white ", ""))
    assert np.exp(found[0].log_prob) > 0.9


def test_bleu() -> None:
    score = bleu([[caveats.REFERENCE.split()]], [caveats.WRITTEN.split()]).score
    assert round(score, 2) == 0.87
    assert languages.to_english(caveats.REFERENCE) == "the small dog does not see the big cat"
    assert languages.to_english(caveats.WRITTEN) == "the small dog sees the big cat"
    right, short = ["the", "dog", "does", "not", "see", "the", "cat"], ["the", "dog", "doesn't", "see", "the", "cat"]
    assert bleu([[right]], [short]).score < 0.5 and bleu([[right, short]], [short]).score == 1
    three = ["a", "dog", "sleeps"]
    assert bleu([[three]], [three]).score == 0
    every = caveats.all_changes()
    assert max(one.score for one in every if one.is_wrong) > max(one.score for one in every if not one.is_wrong)
    assert min(one.score for one in every if not one.is_wrong) < 0.5


def test_forced_and_free_agree_up_to_the_first_mistake(model: Translator) -> None:
    ids = languages.encode("the small dog sees a cat")
    truth = languages.encode_target(languages.to_tamari("the small dog sees a cat") or "")
    one, other = record(model.model, ids, **HOW, forced=truth), record(model.model, ids, **HOW)
    assert one.written.tolist() == other.written.tolist() == truth
