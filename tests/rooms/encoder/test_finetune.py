"""Fine-tuning: the body is kept, the head is new, and only what may move does; weights in bytes come back."""

import math

import numpy as np
import pytest
import torch

from core.charts.label_counts import label_counts
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.rooms.encoder.compute import byte_weights, finetune
from core.rooms.encoder.compute.class_attention import answers, label_words, look
from core.train.optimizers import AdamW

CONFIG = BERTConfig(vocab_size=11, context_length=8, n_layer=2, n_head=2, d_model=8, d_ff=8, n_segment=0)


@pytest.fixture
def body() -> BERT:
    model: BERT = registry.build(CONFIG, 3)
    return finetune.scaled(model, 0.3)


@pytest.mark.parametrize(("head", "n_label", "shape"), [("sequence", 3, (2, 3)), ("tokens", 5, (2, 4, 5))])
def test_the_body_is_copied_and_the_head_is_new(body: BERT, head: str, n_label: int, shape: tuple[int, ...]) -> None:
    model = finetune.from_pretrained(body, head, n_label, 1)
    ids = torch.tensor([[1, 2, 3, 4], [4, 3, 2, 1]])
    assert torch.equal(model.body(ids), body.body(ids)) and model(ids).shape == shape
    with torch.no_grad():
        model.tok_emb.weight.zero_()
    assert body.tok_emb.weight.abs().sum() > 0
    assert torch.equal(
        model.get_parameter("head.classify.weight"),
        finetune.from_pretrained(body, head, n_label, 1).get_parameter("head.classify.weight"),
    )


@pytest.mark.parametrize("frozen", [True, False])
def test_only_what_may_move_moves(body: BERT, frozen: bool) -> None:
    model = finetune.from_pretrained(body, "sequence", 2, 1)
    before = {name: w.detach().clone() for name, w in model.named_parameters()}
    loss = finetune.classification_loss(model(torch.tensor([[1, 2, 3], [3, 4, 5]])), torch.tensor([0, 1]))
    loss.backward()
    AdamW(finetune.to_train(model, frozen=frozen), learning_rate=0.01).step()
    moved = {name for name, w in model.named_parameters() if not torch.equal(w, before[name])}
    assert all(name.startswith("head.") for name in moved) == frozen and "head.classify.weight" in moved


def test_losses() -> None:
    assert float(finetune.classification_loss(torch.zeros(4, 3), torch.tensor([0, 1, 2, 0]))) == pytest.approx(
        math.log(3)
    )
    logits = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([[1, 2, -100], [-100, -100, 4]])
    by_hand = -(logits.log_softmax(-1)[[0, 0, 1], [0, 1, 2], [1, 2, 4]]).mean()
    assert torch.allclose(finetune.token_loss(logits, labels), by_hand)


def test_weights_on_the_grid_come_back_exactly(body: BERT) -> None:
    before = body.tok_emb.weight.detach().clone()
    byte_weights.on_grid(body)
    step = before.abs().max() / 127
    assert (body.tok_emb.weight - before).abs().max() <= step / 2 * 1.001
    parameters = dict(body.named_parameters())
    packed = byte_weights.pack(parameters, "a")
    found = byte_weights.unpack(packed, "a", parameters)
    assert set(found) == set(parameters)
    assert all(torch.allclose(found[name], w, atol=1e-7) for name, w in parameters.items())
    assert sum(array.nbytes for array in packed.values()) < 1.3 * sum(w.numel() for w in parameters.values())


def test_what_class_looks_at_and_what_is_lost(body: BERT) -> None:
    model = finetune.from_pretrained(body, "sequence", 2, 1)
    seen = look(model, [9, 1, 2, 3])
    assert seen.whole[:, :, 0].shape == (2, 2, 4) and np.allclose(seen.whole[:, :, 0].sum(-1), 1, atol=1e-6)
    assert np.allclose(seen.without[2], model(torch.tensor([[9, 1, 3]])).softmax(-1).detach()[0])
    assert np.allclose(seen.without[0], seen.probabilities)
    assert np.allclose(answers([model, model], [9, 1, 2, 3]), seen.probabilities)
    with pytest.raises(ValueError, match="no word"):
        look(model, [9])
    tokens = finetune.from_pretrained(body, "tokens", 4, 1)
    assert label_words(tokens, [9, 1, 2]).shape == (2, 4)


def test_the_learning_curves() -> None:
    spec = label_counts({"a": [0.5, 1.0]}, [10, 20], marked=20, chance=0.5, x_title="x", y_title="y")
    assert spec["datasets"]["rows"][1] == {"size": 20, "share": 1.0, "name": "a"}
    with pytest.raises(ValueError, match="1 values for 2 sizes"):
        label_counts({"a": [0.5]}, [10, 20], marked=20, chance=0.5, x_title="x", y_title="y")
