"""Linear probes: pooled vectors are those of the model, and the probe reads what is there and nothing else."""

import numpy as np
import pytest
import torch

from core.models import registry
from core.models.image_gpt import ImageGPTConfig
from core.models.vit import ViTConfig
from core.nn.tap import Trace
from core.rooms.pixels.compute import probe


def test_features_are_the_models_own_vectors_at_every_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "CHUNK", 4)  # the last chunk is a smaller one
    model = registry.build(ImageGPTConfig(vocab_size=9, context_length=12, n_layer=2, n_head=2, d_model=8), 0).eval()
    ids = torch.randint(9, (10, 12), generator=torch.Generator().manual_seed(1))
    told: list[float] = []
    found = probe.features(model, ids, ("mean", "last", "first"), told.append)
    with torch.no_grad(), Trace(model) as trace:
        model(ids)
    assert list(found["mean"]) == ["embed", "blocks.0.resid_out", "blocks.1.resid_out", "final"]
    assert list(probe.layer_names(model)) == list(found["mean"])
    for tap in found["mean"]:
        np.testing.assert_allclose(found["mean"][tap], trace[tap].numpy().mean(1), atol=1e-5)
        np.testing.assert_allclose(found["last"][tap], trace[tap].numpy()[:, -1], atol=1e-5)
        np.testing.assert_allclose(found["first"][tap], trace[tap].numpy()[:, 0], atol=1e-5)
    assert told[-1] == 1 and told == sorted(told)
    assert next(iter(probe.features(registry.build(ViTConfig(), 0), torch.zeros(2, 1, 8, 8))["mean"])) == "embed"


def test_a_probe_reads_what_lies_open_whatever_its_size_and_place() -> None:
    rng = np.random.default_rng(0)
    labels, others = rng.integers(0, 3, 300), rng.integers(0, 3, 200)

    def written(y: np.ndarray) -> np.ndarray:
        noise = rng.normal(size=(len(y), 5))
        noise[:, 0] = 1e-4 * (np.eye(3)[y] @ [0.0, 1.0, 2.0]) + 50  # small, and far from 0
        noise[:, 1] = 7  # a constant
        return noise.astype(np.float64).astype(np.float32)

    x, z = written(labels), written(others)
    found = probe.linear_probe(x, labels, z, others)
    assert found.n_feature == 5 and found.learned > 0.98 and found.held_out > 0.97
    blind = probe.linear_probe(x[:, 1:], labels, z[:, 1:], others)
    assert blind.held_out < 0.45


def test_labels_that_do_not_match_are_refused() -> None:
    x, y = np.zeros((4, 2), np.float32), np.zeros(4, np.int64)
    with pytest.raises(ValueError, match="do not match 3 and 4 labels"):
        probe.linear_probe(x, y[:3], x, y)
    with pytest.raises(ValueError, match="there are mean, last and first"):
        probe.pooled(torch.zeros(1, 2, 3), "best")  # type: ignore[arg-type]
