"""What the fine-tuning exhibits say about their examples is so, computed from the records that ship."""

from typing import Any

import numpy as np
import pytest

from core.data.synthetic import entities, reviews
from core.data.synthetic.reviews import PRAISE, WORDS
from core.models.bert import BERT
from core.rooms.encoder import finetune as room
from core.rooms.encoder import next_sentence as next_room
from core.rooms.encoder.compute.class_attention import answers, label_words, look
from core.rooms.encoder.experiments import entities as entity_task
from core.rooms.encoder.experiments import finetune as task
from core.rooms.encoder.experiments import next_sentence as next_task
from core.rooms.encoder.experiments.finetune import SIZES, WAYS
from core.train import experiment
from core.train.experiment import run_of


def example(name: str) -> experiment.Record:
    record, about = experiment.unpack((experiment.EXAMPLES / f"{name}.safetensors").read_bytes())
    assert about["options"] == vars(experiment.options_of(name, {})) and about["seed"] == 0
    return record


@pytest.fixture(scope="module")
def judges() -> dict[tuple[str, int], BERT]:
    record = example("finetune")
    return {(way, n): task.judge(record, way, n) for way in WAYS for n in SIZES}


def praise(judges: dict[tuple[str, int], BERT], text: str) -> dict[str, np.ndarray]:
    ids = WORDS.encode(reviews.tokenize(text))
    return {way: answers([judges[way, n] for n in SIZES], ids)[:, PRAISE] for way in WAYS}


@pytest.mark.parametrize(("name", "n"), [("finetune", 20), ("entities", 20), ("next-sentence", 20)])
def test_the_example_is_what_the_code_makes_now(name: str, n: int) -> None:
    running = experiment.start(name, {}, 0)
    while running.step < n:
        running.advance()
    now, then = running.record(), example(name)
    for key in (key for key in now if key.startswith("curve")):
        assert len(now[key]) >= 2 and np.allclose(now[key], then[key][: len(now[key])], atol=0.02), key


def test_the_record_holds_the_models_that_were_measured(judges: dict[tuple[str, int], BERT]) -> None:
    record, held = example("finetune"), task.batch(task.held_out(0))
    for (way, n), model in judges.items():
        said = model(held.ids, held.mask).argmax(-1)
        counts = record[f"confusion.{way}"][SIZES.index(n)]
        assert counts.sum() == task.N_HELD and int((said == held.labels).sum()) == np.trace(counts)
        assert record[f"fine.{way}.held"][-1, SIZES.index(n)] == pytest.approx(np.trace(counts) / task.N_HELD)
    own = {word for one in task.labelled(0)[:20] for word in one.words}
    assert not {*reviews.GOOD, *reviews.BAD} <= own  # twenty labels do not show every word
    assert task.BATCH * (task.Options().n_pretrain) == 64_000 and room.N_PRETRAIN[-1] == task.Options().n_pretrain


def test_few_labels(judges: dict[tuple[str, int], BERT]) -> None:
    record, at = example("finetune"), SIZES.index(20)
    assert all(record[f"fine.{way}.own"][-1, at] == 1 for way in ("scratch", "full"))
    new = {way: record[f"fine.{way}.held"][-1, at] for way in WAYS}
    assert new["scratch"] < 0.65 and min(new["frozen"], new["full"]) > 0.8


def test_the_reviews_that_are_told_of(judges: dict[tuple[str, int], BERT]) -> None:
    never = praise(judges, "waiter never disappointing.")
    assert (never["full"] > 0.5).all() and (never["scratch"][:-1] < 0.5).all() and 0.5 < never["scratch"][-1] < 0.65
    both = praise(judges, "soup not good but waiter great.")
    assert both["full"][-1] < 0.1
    wrong = {"soup not good.": 0, "soup good.": 1, "music dull but wine superb.": 1}
    wrong["soup not awful. waiter never rude. music hardly dull."] = 1
    for text, label in wrong.items():
        assert (praise(judges, text)["full"][1:].round() == label).all(), text


def test_what_class_looks_at(judges: dict[tuple[str, int], BERT]) -> None:
    words = reviews.tokenize("soup not good.")
    seen = look(judges["full", 1_000], WORDS.encode(words))
    gone = {word: seen.without[1 + i, PRAISE] for i, word in enumerate(words)}
    assert seen.without[0, PRAISE] < 0.1 < 0.9 < min(gone["not"], gone["soup"])
    mean = seen.whole[:, :, 0].mean((0, 1))
    assert mean[2] < 0.2 < mean[3] == mean[1:].max()
    assert np.abs(seen.whole[0, :, 0] - seen.whole[0, :, 0].mean(0)).max() > 0.3  # the heads differ
    few = look(judges["scratch", 20], WORDS.encode(words))
    assert few.whole[:, :, 0].max() > 0.3


def test_entities() -> None:
    record = example("entities")
    model = experiment.rebuild(record, "entities", entity_task.config(2)).float()

    def kinds(text: str) -> list[str]:
        words = entities.tokenize(text)
        said = label_words(model, entities.WORDS.encode(words)).argmax(-1).tolist()
        found = sorted(entities.spans(said))
        return [f"{' '.join(words[start:end])}: {entities.KINDS[kind]}" for start, end, kind in found]

    assert kinds("Paris ate soup in Jordan.") == ["paris: person", "jordan: place"]
    assert kinds("In Paris Paris met Paris.") == ["paris: place", "paris: person", "paris: person"]
    assert kinds("Yesterday Glassformer flew to Rome.") == ["glassformer: person", "rome: place"]
    assert kinds("Jordan works for Paris Bank in Sydney.")[1] == "paris bank: organization"
    assert "glassformer" not in entities.WORDS.words
    running = experiment.start("entities", {"n_layer": 1}, 0)
    while running.step < running.n_step:
        running.advance()
    assert running.record()["curve.f1"][-1] > 0.97


def test_next_sentence_goes_by_the_kind_of_sentence_and_by_segments() -> None:
    """What the exhibit and lesson 11 claim: the toy does not matter, the order and the segments do."""
    run, usual = run_of("next-sentence"), next_room.Inputs()

    def asked(**inputs: str) -> Any:
        return next_room.compute(next_room.Inputs(**inputs), run)

    found = asked()
    assert min(one.p_next for one in (found, asked(second=usual.second.replace("drum", "kite")))) > 0.5
    assert asked(first=usual.second, second=usual.first).p_next < 0.5
    right, blind, turned = (round(found.now(name), 2) for name in ("accuracy", "one_segment", "turned"))
    assert right == pytest.approx(0.97, abs=0.006) and blind == pytest.approx(0.68, abs=0.006)
    assert turned == pytest.approx(0.1, abs=0.006)
    pooler = next_task.rebuilt(run.record).head.pooler  # by hand
    by_hand = np.tanh(pooler.weight.numpy() @ found.class_vector + pooler.bias.numpy())
    np.testing.assert_allclose(found.pooled, by_hand, atol=1e-6)
