"""Gaps, beside a decoder and beside counts, and fine-tuning: against closed forms and slow ways."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.data.synthetic import masked_stories
from core.inspect import gaps
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.models.gpt import GPT, GPTConfig
from core.rooms.encoder import directions, gaps as room
from core.rooms.encoder.class_attention import read_class_attention
from core.rooms.encoder.compute import finetune
from core.rooms.encoder.compute.finetune import class_probabilities, word_label_probabilities
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.gaps import parse_positions
from core.rooms.encoder.pretrain import count_triples
from core.train.experiments.masking import masked_token_loss
from core.train.optimizers import AdamW

WORDS = masked_stories.masked_story_vocabulary()
TEXT = [WORDS.class_id, *WORDS.encode("Mia hid under the tree. Tom ran away.")]
SMALL = BERTConfig(vocab_size=11, context_length=8, n_layer=2, n_head=2, d_model=8, d_ff=8, n_segment=0)


def lively(config: BERTConfig | GPTConfig, seed: int) -> Any:
    model = registry.build(config, seed)
    for w in model.parameters():
        w.data.mul_(4)
    return model.eval()


@pytest.fixture(scope="module")
def bert() -> BERT:
    return lively(task.bert_config(WORDS.vocab_size), 1)


@pytest.fixture(scope="module")
def twin() -> GPT:
    return lively(task.twin_config(WORDS.vocab_size), 2)


@pytest.fixture
def body() -> BERT:
    return finetune.rescale_weights(registry.build(SMALL, 3), 0.3)


def test_two_gaps_at_once_and_in_turn(bert: BERT) -> None:
    found = gaps.fill_two_gaps(bert, TEXT, (3, 5), WORDS.mask_id, 4, WORDS.n_plain)
    both = gaps.fill_gaps(bert, TEXT, (3, 5), WORDS.mask_id)
    assert found.first[0] == both[3, : WORDS.n_plain].argmax() and found.second[0] == both[5, : WORDS.n_plain].argmax()
    for i, a in enumerate(found.first):
        filled = [*TEXT[:3], int(a), *TEXT[4:]]
        given_a = gaps.fill_gaps(bert, filled, (5,), WORDS.mask_id)[5]
        assert found.apart[i] == pytest.approx(both[3, a] * both[5, found.second], rel=1e-5)
        assert found.in_turn[i] == pytest.approx(both[3, a] * given_a[found.second], rel=1e-4)


def test_a_causal_mask_hides_what_comes_after(bert: BERT, twin: GPT) -> None:
    """With its right side hidden, the encoder's answer does not change when the right side does; without, it does."""
    before = gaps.fill_gaps(bert, TEXT, (3,), WORDS.mask_id)
    changed = [*TEXT[:4], *reversed(TEXT[4:])]
    one, other = (directions.make_gap(ids, 3) for ids in (TEXT, changed))
    for is_causal in (True, False):
        said = [directions.encoder_probabilities(bert, asked, WORDS.mask_id, is_causal) for asked in (one, other)]
        assert np.array_equal(*said) == is_causal
    assert np.array_equal(directions.decoder_probabilities(twin, one), directions.decoder_probabilities(twin, other))
    n = len(TEXT)
    for weights in directions.attention_maps(bert, twin, TEXT, 3, WORDS.mask_id, is_causal=True):
        assert weights.shape == (2, 2, n, n) and np.allclose(weights.sum(-1), 1, atol=1e-5)
        assert (np.triu(weights, 1) == 0).all()
    assert (np.triu(directions.attention_maps(bert, twin, TEXT, 3, WORDS.mask_id)[0], 1) > 0).any()
    assert np.array_equal(before, gaps.fill_gaps(bert, TEXT, (3,), WORDS.mask_id))  # the model is as it was


def test_padding_is_not_read(bert: BERT) -> None:
    padded = np.array([[*TEXT, *[WORDS.pad_id] * 5]])
    asked = directions.GapQuestions(padded, padded != WORDS.pad_id, np.array([3]))
    alone = directions.encoder_probabilities(bert, directions.make_gap(TEXT, 3), WORDS.mask_id)
    assert np.allclose(directions.encoder_probabilities(bert, asked, WORDS.mask_id), alone, atol=1e-6)


def test_trying_every_word_is_bayes(twin: GPT) -> None:
    """The chance of each word is that of the whole text with it, over the sum of these."""
    chances = directions.decoder_trial_probabilities(twin, TEXT, 3, WORDS.n_plain)
    assert chances.sum() == pytest.approx(1)
    texts = torch.tensor([[*TEXT[:3], w, *TEXT[4:]] for w in (0, 7)])
    told = twin(texts).log_softmax(-1)[:, :-1].gather(-1, texts[:, 1:, None]).sum((1, 2)).tolist()
    assert np.log(chances[0] / chances[7]) == pytest.approx(told[0] - told[1], abs=1e-3)


def test_the_questions_are_of_their_kind() -> None:
    asked = directions.find_gap_questions(masked_stories.story_texts()[1][:150], WORDS, task.LENGTH)
    for name, allowed in (("place", directions.HIDING_PREPOSITIONS), ("article", ("a", "an"))):
        found = set(WORDS.labels(asked[name].truth))
        assert found <= set(allowed) and len(found) > 1, name
    animal = asked["animal"]
    assert (animal.place == 3).all() and len(set(animal.truth.tolist())) > 3
    for row, place in zip(animal.ids, animal.place, strict=True):  # it is named again: the clue lies to the right
        assert row[place] in row[place + 1 :] and row[place] not in row[:place]
    shares = np.array([(animal.truth == one).mean() for one in set(animal.truth.tolist())])
    assert animal.from_the_left == pytest.approx((shares**2).sum())


def test_neighbors_count() -> None:
    ids = np.array([0, 1, 2, 0, 1, 2, 0, 3, 2])
    counted = count_triples(ids, 4)
    assert counted.between[0, 2, 1] == 2 and counted.between[0, 2, 3] == 1 and counted.between.sum() == len(ids) - 2
    told = counted.probabilities(np.array([0, 3, 9, 0]), np.array([2, 3, 9, 9]))
    assert np.allclose(told.sum(1), 1) and (told > 0).all()
    overall = (counted.between.sum((0, 1)) + 1) / (counted.between.sum() + 4)
    sides = [(one + overall) / (one.sum() + 1) for one in (counted.between.sum(1)[0], counted.between.sum(0)[2])]
    assert told[0].argmax() == 1 and told[0, 1] == pytest.approx((2 + sum(sides)[1] / 2) / 4)
    assert np.allclose(told[2], overall)  # no neighbor is a word: by frequency


def test_the_head_at_the_chosen_places_is_the_whole_head_there(bert: BERT) -> None:
    held = task.held_out_batch(WORDS)
    readable = held.targets != WORDS.pad_id
    with torch.no_grad():
        loss, right = task.gap_loss_and_accuracy(bert, held, readable)
        logits = bert(held.inputs, readable)
    assert float(loss) == pytest.approx(float(masked_token_loss(logits, held)), rel=1e-5)
    assert float(right) == pytest.approx(float((logits.argmax(-1) == held.targets)[held.chosen].float().mean()))


@settings(max_examples=60)
@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(), st.lists, max_leaves=9)
)
def test_gaps_from_a_browser_may_be_anything(value: object) -> None:
    found = parse_positions(value, 8, [0])
    assert found is None or (found == sorted(set(found)) and all(0 < one < 8 for one in found))
    assert parse_positions([3, 1, 3, 0, 99, -1, True, "2"], 8, [0]) == [1, 3]


def test_the_tables_of_gaps(bert: BERT, twin: GPT) -> None:
    chances = gaps.fill_gaps(bert, TEXT, (3,), WORDS.mask_id)
    table = room.make_gaps(np.array(TEXT), np.array([3]), chances).table()
    assert table["word"] == WORDS.labels(TEXT) and table["hidden"] == [i == 3 for i in range(len(TEXT))]
    assert table["most probable"][3] == WORDS.labels([int(chances[3, : WORDS.n_plain].argmax())])[0]
    assert table["probability of the word"][3] == pytest.approx(chances[3, TEXT[3]])

    two = gaps.fill_two_gaps(bert, TEXT, (3, 5), WORDS.mask_id, 2, WORDS.n_plain)
    pairs, (first, second) = two.table(), two.labels
    assert list(zip(pairs["first gap"], pairs["second gap"], strict=True)) == [(a, b) for a in first for b in second]
    assert pairs["in turn"][2] == two.in_turn[1, 0]

    stories = masked_stories.story_texts()[1][:40]
    found = directions.measure_gaps(bert, twin, WORDS, stories, task.LENGTH)
    asked = directions.find_gap_questions(stories, WORDS, task.LENGTH)["place"]
    said = directions.decoder_probabilities(twin, asked)[np.arange(len(asked.truth)), asked.truth]
    assert found["place"].n == len(said) and found["place"].chances[2] == pytest.approx(said.mean())


# --- fine-tuning -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("head", "n_label", "shape"), [("sequence", 3, (2, 3)), ("tokens", 5, (2, 4, 5))])
def test_the_body_is_copied_and_the_head_is_new(body: BERT, head: str, n_label: int, shape: tuple[int, ...]) -> None:
    model, again = (finetune.from_pretrained(body, head, n_label, 1) for _ in range(2))
    ids = torch.tensor([[1, 2, 3, 4], [4, 3, 2, 1]])
    assert torch.equal(model.body(ids), body.body(ids)) and model(ids).shape == shape
    with torch.no_grad():
        model.tok_emb.weight.zero_()
    assert body.tok_emb.weight.abs().sum() > 0
    assert torch.equal(model.get_parameter("head.classify.weight"), again.get_parameter("head.classify.weight"))


@pytest.mark.parametrize("frozen", [True, False])
def test_only_what_may_move_moves(body: BERT, frozen: bool) -> None:
    model = finetune.from_pretrained(body, "sequence", 2, 1)
    before = {name: w.detach().clone() for name, w in model.named_parameters()}
    loss = finetune.classification_loss(model(torch.tensor([[1, 2, 3], [3, 4, 5]])), torch.tensor([0, 1]))
    loss.backward()
    AdamW(finetune.trainable_parameters(model, frozen=frozen), learning_rate=0.01).step()
    moved = {name for name, w in model.named_parameters() if not torch.equal(w, before[name])}
    assert all(name.startswith("head.") for name in moved) == frozen and "head.classify.weight" in moved


def test_losses() -> None:
    even = finetune.classification_loss(torch.zeros(4, 3), torch.tensor([0, 1, 2, 0]))
    assert float(even) == pytest.approx(math.log(3))
    logits = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([[1, 2, -100], [-100, -100, 4]])
    by_hand = -(logits.log_softmax(-1)[[0, 0, 1], [0, 1, 2], [1, 2, 4]]).mean()
    assert torch.allclose(finetune.token_label_loss(logits, labels), by_hand)


def test_weights_on_the_grid_come_back_exactly(body: BERT) -> None:
    before = body.tok_emb.weight.detach().clone()
    finetune.round_to_record(body)
    step = before.abs().max() / 127
    assert (body.tok_emb.weight - before).abs().max() <= step / 2 * 1.001
    parameters = dict(body.named_parameters())
    packed = finetune.pack_parameters(parameters, "a")
    found = finetune.unpack_parameters(packed, "a", parameters)
    assert set(found) == set(parameters)
    assert all(torch.allclose(found[name], w, atol=1e-7) for name, w in parameters.items())
    assert sum(array.nbytes for array in packed.values()) < 1.3 * sum(w.numel() for w in parameters.values())


def test_what_class_looks_at_and_what_is_lost(body: BERT) -> None:
    model = finetune.from_pretrained(body, "sequence", 2, 1)
    seen = read_class_attention(model, [9, 1, 2, 3])
    assert seen.whole[:, :, 0].shape == (2, 2, 4) and np.allclose(seen.whole[:, :, 0].sum(-1), 1, atol=1e-6)
    assert np.allclose(seen.without[2], model(torch.tensor([[9, 1, 3]])).softmax(-1).detach()[0])
    assert np.allclose(seen.without[0], seen.probabilities)
    assert np.allclose(class_probabilities([model, model], [9, 1, 2, 3]), seen.probabilities)
    with pytest.raises(ValueError, match="no word"):
        read_class_attention(model, [9])
    tokens = finetune.from_pretrained(body, "tokens", 4, 1)
    assert word_label_probabilities(tokens, [9, 1, 2]).shape == (2, 4)
