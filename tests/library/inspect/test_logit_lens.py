"""The logit lens against the model's own output layer."""

import numpy as np
import torch

from core.inspect.logit_lens import logit_lens
from tests.rooms.decoder.test_compute import IDS, every, lively


@every
def test_the_last_row_of_the_lens_is_the_models_answer(name: str) -> None:
    model = lively(name)
    found = logit_lens(model, IDS, 3)
    assert found.top.shape == (4, 8, 3) and found.rank.shape == found.truth.shape == (4, 8)
    p = model(torch.tensor([IDS]))[0].softmax(-1)
    share, top = p.topk(3)
    assert np.array_equal(found.top[-1], top.numpy()) and np.allclose(found.probabilities[-1], share.numpy(), atol=1e-6)
    for layer in range(4):
        assert (found.rank[layer, :-1] >= 1).all() and found.rank[layer, -1] == 0
        hits = found.top[layer, :-1, 0] == IDS[1:]
        assert np.array_equal(found.rank[layer, :-1] == 1, hits)
    assert np.isnan(found.truth[:, -1]).all() and np.isfinite(found.truth[:, :-1]).all()
    first = model.unembed(model.norm(model.embed_norm(model.embed(torch.tensor([IDS])))))[0].softmax(-1)
    assert np.allclose(found.probabilities[0], first.topk(3)[0].numpy(), atol=1e-6)
