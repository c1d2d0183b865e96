"""What an encoder puts into gaps, beside a decoder and beside counts: against closed forms and slow ways."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.synthetic import gap_stories
from core.inspect import gaps
from core.models import registry
from core.models.bert import BERT
from core.models.gpt import GPT
from core.nn.tap import Trace
from core.rooms.encoder import gaps as room
from core.rooms.encoder.compute import directions, neighbors
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.gap_row_widget import places
from core.train.experiments.masking import masked_loss

WORDS = gap_stories.words()
TEXT = [WORDS.class_id, *WORDS.encode("Mia hid under the tree. Tom ran away.")]


@pytest.fixture(scope="module")
def bert() -> BERT:
    model: BERT = registry.build(task.bert_config(WORDS.vocab_size), 1)
    for w in model.parameters():
        w.data.mul_(4)
    return model.eval()


@pytest.fixture(scope="module")
def twin() -> GPT:
    model: GPT = registry.build(task.twin_config(WORDS.vocab_size), 2)
    for w in model.parameters():
        w.data.mul_(4)
    return model.eval()


def test_two_gaps_at_once_and_in_turn(bert: BERT) -> None:
    found = gaps.fill_two(bert, TEXT, (3, 5), WORDS.mask_id, 4, WORDS.n_plain)
    both = gaps.fill(bert, TEXT, (3, 5), WORDS.mask_id)
    assert found.first[0] == both[3, : WORDS.n_plain].argmax() and found.second[0] == both[5, : WORDS.n_plain].argmax()
    for i, a in enumerate(found.first):
        filled = [*TEXT[:3], int(a), *TEXT[4:]]
        given_a = gaps.fill(bert, filled, (5,), WORDS.mask_id)[5]
        for j, b in enumerate(found.second):
            assert found.apart[i, j] == pytest.approx(both[3, a] * both[5, b], rel=1e-5)
            assert found.in_turn[i, j] == pytest.approx(both[3, a] * given_a[b], rel=1e-4)


def test_a_causal_mask_hides_what_comes_after(bert: BERT, twin: GPT) -> None:
    """With its right side hidden, the encoder's answer does not change when the right side does; without, it does."""
    changed = [*TEXT[:4], *reversed(TEXT[4:])]
    one, other = (directions.one(ids, 3) for ids in (TEXT, changed))
    for is_causal in (True, False):
        said = [directions.encoder_says(bert, asked, WORDS.mask_id, is_causal) for asked in (one, other)]
        assert np.array_equal(*said) == is_causal
    assert np.array_equal(directions.decoder_says(twin, one), directions.decoder_says(twin, other))
    n = len(TEXT)
    for weights in directions.maps(bert, twin, TEXT, 3, WORDS.mask_id, is_causal=True):
        assert weights.shape == (2, 2, n, n) and np.allclose(weights.sum(-1), 1, atol=1e-5)
        assert (np.triu(weights, 1) == 0).all()
    assert (np.triu(directions.maps(bert, twin, TEXT, 3, WORDS.mask_id)[0], 1) > 0).any()


def test_padding_is_not_read(bert: BERT) -> None:
    padded = np.array([[*TEXT, *[WORDS.pad_id] * 5]])
    asked = directions.Questions(padded, padded != WORDS.pad_id, np.array([3]))
    alone = directions.encoder_says(bert, directions.one(TEXT, 3), WORDS.mask_id)
    assert np.allclose(directions.encoder_says(bert, asked, WORDS.mask_id), alone, atol=1e-6)


def test_trying_every_word_is_bayes(twin: GPT) -> None:
    """The chance of each word is that of the whole text with it, over the sum of these."""
    chances = directions.decoder_tries(twin, TEXT, 3, WORDS.n_plain)
    assert chances.sum() == pytest.approx(1)
    log_p = []
    for w in (0, 7):
        row = torch.tensor([[*TEXT[:3], w, *TEXT[4:]]])
        told = twin(row).log_softmax(-1)[0]
        log_p.append(float(sum(told[t, row[0, t + 1]] for t in range(len(TEXT) - 1)).detach()))  # type: ignore[union-attr]
    assert np.log(chances[0] / chances[7]) == pytest.approx(log_p[0] - log_p[1], abs=1e-3)


def test_the_questions_are_of_their_kind() -> None:
    asked = directions.questions(gap_stories.texts()[1][:150], WORDS, task.LENGTH)
    for name, allowed in (("place", directions.PLACES_AFTER), ("article", ("a", "an"))):
        answers = set(WORDS.labels(asked[name].truth))
        assert answers <= set(allowed) and len(answers) > 1, name
    animal = asked["animal"]
    assert (animal.place == 3).all() and len(set(animal.truth.tolist())) > 3
    for row, place in zip(animal.ids, animal.place, strict=True):  # it is named again: the clue lies to the right
        assert row[place] in row[place + 1 :] and row[place] not in row[:place]
    shares = np.array([(animal.truth == one).mean() for one in set(animal.truth.tolist())])
    assert animal.from_the_left == pytest.approx((shares**2).sum())


def test_neighbors_count() -> None:
    ids = np.array([0, 1, 2, 0, 1, 2, 0, 3, 2])
    counted = neighbors.count(ids, 4)
    assert counted.between[0, 2, 1] == 2 and counted.between[0, 2, 3] == 1 and counted.between.sum() == len(ids) - 2
    told = counted.probabilities(np.array([0, 3, 9, 0]), np.array([2, 3, 9, 9]))
    assert np.allclose(told.sum(1), 1) and (told > 0).all()
    assert told[0].argmax() == 1 and told[0, 1] == pytest.approx((2 + told_back(counted, 0, 2)[1]) / 4)
    overall = (counted.between.sum((0, 1)) + 1) / (counted.between.sum() + 4)
    assert np.allclose(told[2], overall)  # no neighbor is a word: by frequency


def told_back(counted: neighbors.Neighbors, left: int, right: int) -> np.ndarray:
    overall = (counted.between.sum((0, 1)) + 1) / (counted.between.sum() + 4)
    by_left, by_right = counted.between.sum(1)[left], counted.between.sum(0)[right]
    sides = [(one + overall) / (one.sum() + 1) for one in (by_left, by_right)]
    return np.asarray(sum(sides) / 2)


def test_the_head_at_the_chosen_places_is_the_whole_head_there(bert: BERT) -> None:
    held = task.held_batch(WORDS)
    readable = held.targets != WORDS.pad_id
    with torch.no_grad():
        loss, right = task.loss_at(bert, held, readable)
        logits = bert(held.inputs, readable)
    assert float(loss) == pytest.approx(float(masked_loss(logits, held)), rel=1e-5)
    assert float(right) == pytest.approx(float((logits.argmax(-1) == held.targets)[held.chosen].float().mean()))


@settings(max_examples=60)
@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(), st.lists, max_leaves=9)
)
def test_gaps_from_a_browser_may_be_anything(value: object) -> None:
    found = places(value, 8, [0])
    assert found is None or (found == sorted(set(found)) and all(0 < one < 8 for one in found))
    assert places([3, 1, 3, 0, 99, -1, True, "2"], 8, [0]) == [1, 3]


def test_edits_leave_the_model_as_it_was(bert: BERT) -> None:
    before = gaps.fill(bert, TEXT, (3,), WORDS.mask_id)
    directions.encoder_says(bert, directions.one(TEXT, 3), WORDS.mask_id, is_causal=True)
    assert np.array_equal(before, gaps.fill(bert, TEXT, (3,), WORDS.mask_id))
    with Trace(bert, edits=directions.blinders(bert)), torch.no_grad():
        assert torch.isfinite(bert(torch.tensor([TEXT]))).all()


def test_the_tables_of_gaps(bert: BERT, twin: GPT) -> None:
    chances = gaps.fill(bert, TEXT, (3,), WORDS.mask_id)
    table = room.Gaps(np.array(TEXT), np.array([3]), chances).table()
    assert table["word"] == WORDS.labels(TEXT) and table["hidden"] == [i == 3 for i in range(len(TEXT))]
    assert table["most probable"][3] == WORDS.labels([int(chances[3, : WORDS.n_plain].argmax())])[0]
    assert table["probability of the word"][3] == pytest.approx(chances[3, TEXT[3]])

    two = gaps.fill_two(bert, TEXT, (3, 5), WORDS.mask_id, 2, WORDS.n_plain)
    pairs, (first, second) = two.table(), two.labels
    assert list(zip(pairs["first gap"], pairs["second gap"], strict=True)) == [(a, b) for a in first for b in second]
    assert pairs["in turn"][2] == two.in_turn[1, 0]

    stories = gap_stories.texts()[1][:40]
    found = directions.measure(bert, twin, WORDS, stories, task.LENGTH)
    asked = directions.questions(stories, WORDS, task.LENGTH)["place"]
    said = directions.decoder_says(twin, asked)[np.arange(len(asked.truth)), asked.truth]
    assert found["place"].n == len(said) and found["place"].chances[2] == pytest.approx(said.mean())
