"""Linear probes read what the model holds; N squared on pixels in exact numbers, and how charts say what is told."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from core.charts.axis import Axis
from core.charts.bars import grouped_bars
from core.charts.curves import curves
from core.charts.trend import fitted_curve_chart
from core.inspect.costs.layer_cost import layer_cost
from core.models import registry
from core.models.images.image_gpt import ImageGPTConfig
from core.models.images.vit import ViTConfig
from core.nn.tap import Trace
from core.rooms.pixels import probe, quadratic
from core.rooms.pixels.probe import ProbeAccuracy
from core.rooms.pixels.quadratic import patch_tokens, picture_cost, pixel_tokens


def test_features_are_the_models_own_vectors_at_every_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "BATCH_PICTURES", 4)  # the last chunk is a smaller one
    model = registry.build(ImageGPTConfig(vocab_size=9, context_length=12, n_layer=2, n_head=2, d_model=8), 0).eval()
    ids = torch.randint(9, (10, 12), generator=torch.Generator().manual_seed(1))
    found = probe.layer_features(model, ids, ("mean", "last", "first"))
    with torch.no_grad(), Trace(model) as trace:
        model(ids)
    assert list(found["mean"]) == ["embed", "blocks.0.resid_out", "blocks.1.resid_out", "final"]
    assert list(probe.layer_names(model)) == list(found["mean"])
    for tap, vectors in found["mean"].items():
        expected = trace[tap].numpy()
        np.testing.assert_allclose(vectors, expected.mean(1), atol=1e-5)
        np.testing.assert_allclose(found["last"][tap], expected[:, -1], atol=1e-5)
        np.testing.assert_allclose(found["first"][tap], expected[:, 0], atol=1e-5)
    assert next(iter(probe.layer_features(registry.build(ViTConfig(), 0), torch.zeros(2, 1, 8, 8))["mean"])) == "embed"
    with pytest.raises(ValueError, match="there are mean, last and first"):
        probe.pool_tokens(torch.zeros(1, 2, 3), "best")  # type: ignore[arg-type]


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
    assert probe.linear_probe(x[:, 1:], labels, z[:, 1:], others).held_out < 0.45
    with pytest.raises(ValueError, match="do not match 299 and 200 labels"):
        probe.linear_probe(x, labels[1:], z, others)


@pytest.mark.parametrize(
    ("shares", "place", "n_near"),
    [
        ((0.5, 0.5, 0.4, 0.3), "start", 1),
        ((0.1, 0.9, 0.4, 0.3), "middle", 0),
        ((0.1, 0.90, 0.91, 0.90), "near", 2),
        ((0.1, 0.8, 0.9, 0.3), "end", 0),
        ((0, 0, 0.1, 0.3), "end", 0),
    ],
)
def test_where_it_is_best(shares: tuple[float, ...], place: str, n_near: int) -> None:
    some = dict(zip(("embed", "a", "b", "final"), (ProbeAccuracy(8, 1.0, share) for share in shares), strict=True))
    assert probe.best_layer(some)[1:] == (n_near, place)


def test_the_numbers_of_224() -> None:
    pixels, patches = picture_cost(pixel_tokens(224), 64, 4), picture_cost(patch_tokens(224, 16), 64, 4)
    assert pixels.pairs == 2_517_630_976 == 50_176**2 and patches.pairs == 38_809 == 197**2
    assert pixels.matrix_bytes == 4 * 4 * 2_517_630_976 and pixels.layer == layer_cost(50_176, 64, 4)
    with pytest.raises(ValueError, match="patches of 16 pixels do not fill a picture of 40"):
        patch_tokens(40, 16)


@given(st.integers(1, 64), st.sampled_from([1, 2, 4, 8, 16]))
def test_twice_the_side_is_sixteen_times_the_pairs(n: int, patch_size: int) -> None:
    side = n * patch_size
    assert picture_cost(pixel_tokens(2 * side), 8, 2).pairs == 16 * picture_cost(pixel_tokens(side), 8, 2).pairs
    assert patch_tokens(2 * side, patch_size) - 1 == 4 * (patch_tokens(side, patch_size) - 1)
    assert patch_tokens(side, 1) == pixel_tokens(side) + 1


def test_the_curve_is_carried_on_from_the_long_rows() -> None:
    def of(*lengths: int) -> quadratic.QuadraticCost:
        timed = tuple((n, 1e-4 + 1e-6 * n + 1e-8 * n**2, 3) for n in lengths)
        return quadratic.compute(quadratic.Inputs(measured=timed))

    fitted, used = of(64, 197, 256, 400, 900, 1_600, 1_936).fitted
    assert [one.n_token for one in used] == [400, 900, 1_600, 1_936]
    assert fitted.seconds(50_176) == pytest.approx(1e-4 + 0.050176 + 1e-8 * 50_176**2, rel=1e-3)
    few, used = of(64, 197, 256, 400).fitted
    assert len(used) == 4 and few.per_pair > 0


def test_charts_say_what_was_not_measured_and_where_numbers_stand() -> None:
    log = Axis("length", is_log=True)
    spec = fitted_curve_chart(
        ([64, 256], [1, 2]), ([64, 4_096], [1, 1000]), x=log, y="ms", beyond=[(4_096, 1000, "far")]
    )
    [hollow] = [layer for layer in spec["layer"] if layer["mark"].get("shape") == "diamond"]
    low, high = hollow["encoding"]["x"]["scale"]["domain"]
    assert hollow["mark"]["filled"] is False and low <= 64 and high >= 4_096
    beyond = {"x": 4_096, "y": 1000, "what": "extrapolated, not measured", "name": "far"}
    assert spec["datasets"][hollow["data"]["name"]] == [beyond]
    bare = fitted_curve_chart(([64], [1]), ([], []), x=log, y="ms")
    assert not [layer for layer in bare["layer"] if layer["mark"].get("shape") == "diamond"]
    spec = curves({"a": ([16, 512], [1, 2])}, x=replace(log, title="side"), y="y", at={"here": 224})
    assert spec["layer"][0]["encoding"]["x"]["title"] == "side" and spec["datasets"]["at"][0]["label"] == "here"
    [here] = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert here["mark"]["align"] == "right"  # no room on its right
    spec = grouped_bars({"one": [1, 0.03]}, labels=["a", "b"], x="x", strokes=[1, 0.95])
    assert [row["text"] for row in spec["datasets"]["rows"]] == ["100%", "3%"]
    bars, numbers = spec["layer"][:2]  # numbers where no bar and no stroke can be
    assert numbers["mark"]["x"] == "width" and numbers["mark"]["align"] == "right"
    assert bars["encoding"]["x"]["scale"]["domain"][1] >= 1.3
