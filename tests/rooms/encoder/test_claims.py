"""What the room says about its examples is so, computed from the records that ship."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.data.synthetic import entities, masked_stories, reviews
from core.data.synthetic.reviews import PRAISE
from core.exhibit import MAX_SEED
from core.models.bert import BERT
from core.rooms.encoder import directions, finetune as finetune_room, gaps, lab, next_sentence, pretrain, together
from core.rooms.encoder.class_attention import read_class_attention
from core.rooms.encoder.compute.finetune import class_probabilities, word_label_probabilities
from core.rooms.encoder.directions import MODEL_NAMES
from core.rooms.encoder.experiments import entities as entity_task, finetune, masked, next_sentence as next_task
from core.rooms.encoder.experiments.finetune import SIZES, START_MODES
from core.train import experiment
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.masking import KEPT
from tests.library.learning.once import ran, remade, trained

WORDS = masked_stories.masked_story_vocabulary()


@pytest.fixture(scope="module")
def run() -> ExperimentRun:
    return run_experiment("masked")


def best(chances: np.ndarray) -> str:
    return WORDS.labels([int(chances.argmax())])[0]


@pytest.mark.parametrize("name", ["masked", "finetune", "entities", "next-sentence"])
def test_the_example_is_small_and_what_the_code_makes_now(name: str) -> None:
    remade(name, 20)
    assert sum(array.nbytes for array in trained(name, 0).values()) < 500_000


def test_the_masking_lab() -> None:
    for seed in range(8):
        assert 150 < lab.compute(lab.Inputs(seed=seed)).n <= 184  # some eight words at 5 %
    found = lab.compute(lab.Inputs())
    assert np.abs(found.added[-1] / found.added[-1].sum() - [0.85, 0.12, 0.015, 0.015]).max() < 0.005
    assert (found.fate == KEPT).any() and found.counts.all()  # every kind is there to be looked for
    assert not np.array_equal(lab.compute(lab.Inputs(seed=1)).fate, found.fate)
    last, first = (lab.compute(lab.Inputs(seed=seed)).counts for seed in (MAX_SEED, 0))
    assert lab.tally_fates(MAX_SEED, 0.15)[:2].tolist() == [last.tolist(), (last + first).tolist()]


def test_every_word_has_one_fate_and_the_table_says_how_many() -> None:
    found = lab.compute(lab.Inputs(seed=3, share=40))
    assert found.counts.sum() == found.n == (found.truth < WORDS.n_plain).sum()
    assert found.counts[1] == (found.read == WORDS.mask_id).sum()
    assert np.array_equal(found.added[0], found.counts)
    table = found.table()
    assert table["fate"] == ["not chosen", "masked", "replaced", "unchanged"]
    assert table["expected"] == pytest.approx(np.array([0.6, 0.32, 0.04, 0.04]) * found.n)
    fate = masked.held_out_batch(WORDS).fate
    assert float((fate[fate != KEPT] > 1).float().mean()) == pytest.approx(0.2, abs=0.03)  # a fifth of gaps is shown


def test_pre_training(run: ExperimentRun) -> None:
    line, loss = pretrain.baselines(), run.record["curve.loss"]
    assert loss[-1] < line.neighbors < line.frequency < line.uniform
    frames = run.record["frames.probe"].astype(np.float64)
    words = [[best(one) for one in frame] for frame in frames]
    assert set(words[1] + words[2]) <= {"the", ".", ",", "a", "and"}  # first the most frequent signs
    assert words[-1][1:] == ["hungry", "an"] and any(w[1] == "hungry" and w[2] != "an" for w in words)
    animals = WORDS.encode("dog cat bird duck fox frog")
    assert frames[-1][0, animals].sum() > 0.9 and frames[-1][0, animals].max() < 0.35


def test_what_a_click_does(run: ExperimentRun) -> None:
    def says(hidden: str, text: str = masked.PROBE) -> Any:
        return gaps.compute(gaps.Inputs(text=text, places=hidden), run)

    first = gaps.compute(gaps.Inputs(), run)
    assert [first.tokens[i] for i in first.gaps] == ["hungry", "an"]
    an, a = (WORDS.encode(word)[0] for word in ("an", "a"))
    both = says("18.19").probabilities[18]
    assert first.probabilities[18, an] > 0.8 and min(both[an], both[a]) > 0.2
    assert says("14.18", masked.PROBE.replace("apple", "bun")).probabilities[18, a] > 0.8
    whole = says("none")
    assert 0.7 < np.mean([one == other for one, other in zip(whole.best[1:], whole.tokens[1:], strict=True)]) < 1
    assert whole.probabilities[[3, 12, 26], whole.ids[3]].max() < 0.5  # the animal is in doubt


@pytest.mark.measured("11-bert", "Which pair")
def test_two_gaps(run: ExperimentRun) -> None:
    found = together.compute(together.Inputs(), run)
    first, second = found.labels
    assert (first[0], second[0]) == ("a", "apple") and found.apart.argmax() == 0
    assert found.in_turn[0, 0] < 0.05 < found.apart[0, 0]
    assert {second[i] for i in np.argsort(-found.in_turn[0])[:3]} == {"bun", "cake", "pear"}
    assert " a apple" not in " ".join(masked_stories.story_texts()[1])
    apart = together.compute(together.Inputs(second=found.tokens.index("sad")), run)
    assert np.abs(apart.apart - apart.in_turn).max() < 0.05


@pytest.mark.measured("11-bert", "The encoder is almost sure")
def test_both_directions(run: ExperimentRun) -> None:
    encoder, _, decoder = MODEL_NAMES
    said = directions.compute(directions.Inputs(), run)
    assert said.of_truth(encoder) > 0.5 > 0.3 > said.of_truth(decoder)
    assert said.of_truth("decoder, every word tried") > 0.9
    assert said.of_truth("encoder, causal mask") < said.of_truth(decoder)
    assert {word for word, _ in said.top(decoder, 4)} == {"under", "behind", "in", "near"}  # a lesson says so
    row = said.encoder[1, 1, said.gap]
    assert said.tokens[int(row.argmax())] == "tree"  # the head that opens first reads to the right
    for gap in (13, len(said.ids) - 1):
        late = directions.compute(directions.Inputs(gap=gap), run)
        assert late.of_truth(decoder) > late.of_truth(encoder) - 0.02 > 0.9
    found = said.many
    assert set(found) == set(directions.KINDS)
    for one in found.values():
        assert one.chances[1] < one.chances[2] + 0.02  # the causal mask: no better than the decoder
    assert found["article"].chances[1] < found["article"].chances[2] - 0.1  # and mostly worse
    assert found["animal"].chances[1] < found["animal"].chances[2] - 0.05
    assert abs(found["animal"].chances[0] - found["animal"].from_the_left) < 0.05  # nobody knows which animal


@pytest.mark.slow
@pytest.mark.full
def test_masks_alone_and_a_larger_share(run: ExperimentRun) -> None:
    alone, more = (ran("masked", 0, **options) for options in ({"rule": "100/0/0"}, {"share": 40}))
    places, without = (pretrain.compute(pretrain.Inputs(), one).believed for one in (run, replace(run, record=alone)))
    assert without < places - 0.1
    middle = slice(2, 8)
    assert (more["curve.loss"][middle] < run.record["curve.loss"][middle]).all()
    assert more["curve.loss"][-1] < run.record["curve.loss"][-1] + 0.1


# --- fine-tuning -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judges() -> dict[tuple[str, int], BERT]:
    return {
        (way, n): finetune.recorded_classifier(trained("finetune", 0), way, n) for way in START_MODES for n in SIZES
    }


def praise(judges: dict[tuple[str, int], BERT], text: str) -> dict[str, np.ndarray]:
    ids = reviews.WORDS.encode(reviews.tokenize_review(text))
    return {way: class_probabilities([judges[way, n] for n in SIZES], ids)[:, PRAISE] for way in START_MODES}


@pytest.mark.measured("11-bert", "Which of the three judges")
def test_few_labels_and_the_models_that_were_measured(judges: dict[tuple[str, int], BERT]) -> None:
    record, held = trained("finetune", 0), finetune.review_batch(finetune.held_out_reviews(0))
    for (way, n), model in judges.items():
        said = model(held.ids, held.mask).argmax(-1)
        counts = record[f"confusion.{way}"][SIZES.index(n)]
        assert counts.sum() == finetune.N_HELD and int((said == held.labels).sum()) == np.trace(counts)
        assert record[f"fine.{way}.held"][-1, SIZES.index(n)] == pytest.approx(np.trace(counts) / finetune.N_HELD)
    own = {word for one in finetune.labeled_reviews(0)[:20] for word in one.words}
    assert not {*reviews.GOOD, *reviews.BAD} <= own  # twenty labels do not show every word
    n_step = finetune.Options().n_pretrain
    assert finetune.BATCH * n_step == 64_000 and finetune_room.N_PRETRAIN[-1] == n_step
    at = SIZES.index(20)
    assert all(record[f"fine.{way}.own"][-1, at] == 1 for way in ("scratch", "full"))
    new = {way: record[f"fine.{way}.held"][-1, at] for way in START_MODES}
    assert new["scratch"] < 0.65 and min(new["frozen"], new["full"]) > 0.8


def test_the_reviews_that_are_told_of(judges: dict[tuple[str, int], BERT]) -> None:
    never = praise(judges, "waiter never disappointing.")
    assert (never["full"] > 0.5).all() and (never["scratch"][:-1] < 0.5).all() and 0.5 < never["scratch"][-1] < 0.65
    assert praise(judges, "soup not good but waiter great.")["full"][-1] < 0.1
    wrong = {"soup not good.": 0, "soup good.": 1, "music dull but wine superb.": 1}
    wrong["soup not awful. waiter never rude. music hardly dull."] = 1
    for text, label in wrong.items():
        assert (praise(judges, text)["full"][1:].round() == label).all(), text


def test_what_class_looks_at(judges: dict[tuple[str, int], BERT]) -> None:
    words = reviews.tokenize_review("soup not good.")
    ids = reviews.WORDS.encode(words)
    seen = read_class_attention(judges["full", 1_000], ids)
    gone = {word: seen.without[1 + i, PRAISE] for i, word in enumerate(words)}
    assert seen.without[0, PRAISE] < 0.1 < 0.9 < min(gone["not"], gone["soup"])
    mean = seen.whole[:, :, 0].mean((0, 1))
    assert mean[2] < 0.2 < mean[3] == mean[1:].max()
    assert np.abs(seen.whole[0, :, 0] - seen.whole[0, :, 0].mean(0)).max() > 0.3  # the heads differ
    assert read_class_attention(judges["scratch", 20], ids).whole[:, :, 0].max() > 0.3


def test_entities() -> None:
    model = experiment.rebuild_model(trained("entities", 0), "entities", entity_task.config(2)).float()

    def kinds(text: str) -> list[str]:
        words = entities.tokenize_sentence(text)
        said = word_label_probabilities(model, entities.WORDS.encode(words)).argmax(-1).tolist()
        found = sorted(entities.entity_spans(said))
        return [f"{' '.join(words[start:end])}: {entities.KINDS[kind]}" for start, end, kind in found]

    assert kinds("Paris ate soup in Jordan.") == ["paris: person", "jordan: place"]
    assert kinds("In Paris Paris met Paris.") == ["paris: place", "paris: person", "paris: person"]
    assert kinds("Yesterday Glassformer flew to Rome.") == ["glassformer: person", "rome: place"]
    assert kinds("Jordan works for Paris Bank in Sydney.")[1] == "paris bank: organization"
    assert "glassformer" not in entities.WORDS.words
    assert ran("entities", 0, n_layer=1)["curve.f1"][-1] > 0.97


def test_next_sentence_goes_by_the_kind_of_sentence_and_by_segments() -> None:
    """What the exhibit and lesson 11 claim: the toy does not matter, the order and the segments do."""
    run, usual = run_experiment("next-sentence"), next_sentence.Inputs()

    def asked(**inputs: str) -> Any:
        return next_sentence.compute(next_sentence.Inputs(**inputs), run)

    found = asked()
    assert min(one.p_next for one in (found, asked(second=usual.second.replace("drum", "kite")))) > 0.5
    assert asked(first=usual.second, second=usual.first).p_next < 0.5
    right, blind, turned = (round(found.now[name], 2) for name in ("accuracy", "one_segment", "turned"))
    assert right == pytest.approx(0.97, abs=0.006) and blind == pytest.approx(0.68, abs=0.006)
    assert turned == pytest.approx(0.1, abs=0.006)
    pooler = next_task.recorded_model(run.record).head.pooler
    by_hand = np.tanh(pooler.weight.numpy() @ found.class_vector + pooler.bias.numpy())
    np.testing.assert_allclose(found.pooled, by_hand, atol=1e-6)
