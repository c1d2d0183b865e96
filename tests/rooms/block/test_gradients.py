"""Gradients by depth: what the stacks are, what arrives, and a chart on which 0 has no place."""

import json

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from core.charts.decades import BEYOND, ZERO, DecadeCurve, decades, told
from core.nn.start import start_wide
from core.rooms.block.compute import gradients


@pytest.mark.parametrize("norm", gradients.NORMS)
@pytest.mark.parametrize("residual", [True, False])
def test_the_first_gradient_is_that_of_the_embeddings(norm: str, residual: bool) -> None:
    model = gradients.stack(3, norm, residual, "narrow", 0)
    found = gradients.arriving(model, 0)
    assert found.shape == (4,)
    ids = torch.randint(
        gradients.N_WORD, (gradients.N_SENTENCE, gradients.N_TOKEN + 1), generator=torch.Generator().manual_seed(0)
    )
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    assert model.pos_emb is not None
    (by_position,) = torch.autograd.grad(loss, model.pos_emb.weight)
    embedded = model.embed(ids[:, :-1]).detach().requires_grad_()
    x = embedded
    for block in model.blocks:
        x = block(x, mask=model.mask(gradients.N_TOKEN))
    again = F.cross_entropy(model.unembed(model.norm(x)).flatten(0, 1), ids[:, 1:].flatten())
    (direct,) = torch.autograd.grad(again, embedded)
    assert found[0] == pytest.approx(float(direct.double().norm()), rel=1e-4)
    torch.testing.assert_close(direct.sum(0), by_position, rtol=1e-3, atol=1e-9)


def test_the_same_seed_gives_the_same_gradients_and_the_global_generator_rests() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, again, other = (gradients.arriving(gradients.stack(2, "pre", True, "wide", s), s) for s in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    gradients.against_itself(0.5, 2)
    assert torch.equal(before, torch.get_rng_state())


def test_without_norm_there_is_none_and_the_wide_start_is_wide() -> None:
    names = [name for name, _ in gradients.stack(2, "none", True, "narrow", 0).named_parameters()]
    assert not [name for name in names if "norm" in name]
    model = gradients.stack(2, "pre", True, "wide", 0)
    assert model.tok_emb.weight.std().item() == pytest.approx(1, abs=0.1)
    assert model.blocks[0].mlp.w_out.weight.std().item() == pytest.approx(128**-0.5, rel=0.1)
    embedding = model.tok_emb.weight.detach().clone()
    start_wide(model, 3)
    assert torch.equal(embedding, model.tok_emb.weight)


def test_a_small_gradient_is_told_from_none() -> None:
    found = gradients.arriving(gradients.stack(8, "none", False, "narrow", 0), 0)
    assert 0 < found[0] < 1e-30  # its square is 0 in float32


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_blocks_that_write_against_their_input(share: float) -> None:
    for n_layer in (1, 4, 16):
        assert gradients.against_itself(share, n_layer) == pytest.approx((1 - share) ** n_layer, rel=1e-4)


def test_zero_and_infinity_are_marked_and_no_line_leads_there() -> None:
    curves = [DecadeCurve("a", [1, 2, 4], [1.0, 1e-9, 0.0]), DecadeCurve("b", [1, 2], [float("nan"), 3.0], dashed=True)]
    spec = decades(curves, title="t", x_title="x", y_title="y", doubling=True)
    json.dumps(spec, allow_nan=False)
    low, high = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    rows = {(row["name"], row["x"]): row for row in spec["datasets"]["rows"]}
    assert (rows["a", 4]["kind"], rows["a", 4]["y"]) == (ZERO, low) and low < 1e-9
    assert (rows["b", 1]["kind"], rows["b", 1]["y"]) == (BEYOND, high) and high > 3
    for drawn in spec["layer"][:2]:
        assert drawn["transform"] == [{"filter": "datum.kind === 'value'"}]
    words = [layer["encoding"]["text"]["value"] for layer in spec["layer"] if "text" in layer["encoding"]]
    assert words == [ZERO, BEYOND]
    assert json.loads(spec["layer"][0]["encoding"]["color"]["legend"]["labelExpr"].removesuffix("[datum.label]")) == {
        "a": "● a",
        "b": "● b",
    }


def test_a_chart_with_nothing_on_an_edge_names_none() -> None:
    spec = decades([DecadeCurve("a", [0, 1], [1.0, 2.0])], title="t", x_title="x", y_title="y")
    assert not [layer for layer in spec["layer"] if "text" in layer["encoding"]]
    with pytest.raises(ValueError, match="2 places and 1 values"):
        decades([DecadeCurve("a", [0, 1], [1.0])], title="t", x_title="x", y_title="y")
    with pytest.raises(ValueError, match="must differ"):
        decades([DecadeCurve("a", [0], [1.0])] * 2, title="t", x_title="x", y_title="y")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, ZERO),
        (float("inf"), BEYOND),
        (0.8, "0.8"),
        (5.73e-6, "5.7·10⁻⁶"),
        (2.8e-42, "2.8·10⁻⁴²"),
        (1.1e8, "1.1·10⁸"),
        (256.2, "256"),
    ],
)
def test_sizes_in_words(value: float, words: str) -> None:
    assert told(value) == words
