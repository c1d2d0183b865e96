"""The attention of "it" and the model's answer, against the plain forward pass."""

import numpy as np
import torch

from core.data.synthetic import BottleAndCup, referents
from core.inspect.attention_record import attention
from core.models import registry
from core.rooms.heads_at_work.compute import naming
from core.train.experiments import referent as task
from core.train.experiments.fast_trainers import EMBEDDING_STD, adamw_trainer

MODEL = registry.build(task.config(), 3)
SENTENCE = BottleAndCup("bowl", "cup", "full")


def test_the_answer_is_the_softmax_at_it() -> None:
    ids = torch.from_numpy(referents.encode_referent_sentences([SENTENCE])[0])
    with torch.no_grad():
        expected = task.referent_logits(MODEL, ids)[0].softmax(-1)[list(referents.NOUN_IDS)]
    found = naming.resolve_it(MODEL, SENTENCE)
    np.testing.assert_allclose(found.nouns, expected, atol=1e-6)
    assert found.said == referents.WORDS[referents.NOUN_IDS[int(expected.argmax())]]
    np.testing.assert_allclose(found.rows.sum(-1), 1, atol=1e-5)
    assert found.mask.all()


def test_pointing_is_the_mean_over_sentences() -> None:
    sentences = [SENTENCE, BottleAndCup("bowl", "cup", "empty"), BottleAndCup("pot", "jug", "full")]
    looks = naming.measure_noun_attention(MODEL, sentences)
    right, other = np.zeros((2, 2)), np.zeros((2, 2))
    for one in sentences:
        weights = attention(MODEL, referents.encode_referent_sentences([one])[0][0].tolist()).weights[
            :, :, referents.IT_POSITION
        ]
        place = referents.referent_position(one)
        right += weights[..., place] / 3
        other += weights[..., referents.FIRST_POSITION + referents.SECOND_POSITION - place] / 3
    np.testing.assert_allclose(looks.right, right, atol=1e-6)
    np.testing.assert_allclose(looks.other, other, atol=1e-6)
    assert (looks.right - looks.other)[looks.best] == (looks.right - looks.other).max()


def test_a_causal_model_may_not_look_behind_it() -> None:
    model = registry.build(task.config(causal=True), 3)
    found = naming.resolve_it(model, SENTENCE)
    assert found.mask.tolist() == [True] * 11 + [False] * 3
    assert not found.rows[..., 11:].any()


def test_one_layer_keeps_the_balance_between_the_nouns() -> None:
    """The room's reason: the first layer looks before "it" knows the ending, so the nouns' ratio cannot change."""
    full, empty = (naming.resolve_it(MODEL, BottleAndCup("bowl", "cup", ending)) for ending in referents.ENDINGS)
    ratio = [
        one.rows[0, :, referents.FIRST_POSITION] / one.rows[0, :, referents.SECOND_POSITION] for one in (full, empty)
    ]
    np.testing.assert_allclose(*ratio, rtol=1e-4)


def test_the_racer_starts_with_larger_embeddings_and_copies_its_weights() -> None:
    trainer = adamw_trainer(task.config(), 5, 0.01, 4)
    embedding = trainer.model.tok_emb.weight
    assert abs(float(embedding.detach().std()) - EMBEDDING_STD) < 0.03
    kept = trainer.weights("v")
    before = kept["model.v.tok_emb.weight"].copy()
    for _ in range(4):
        trainer.learn(embedding.square().sum())
    assert trainer.step == 4
    np.testing.assert_array_equal(kept["model.v.tok_emb.weight"], before)
    assert not np.array_equal(trainer.weights("v")["model.v.tok_emb.weight"], before)
