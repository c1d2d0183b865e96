"""What the decoder room shows, against the model itself, closed forms and torch's own optimizer."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch.nn import functional as F

from core.browser.message_packing import unpack_message
from core.models import registry
from core.models.gpt import GPT
from core.nn.block import BlockStyle
from core.rooms.decoder import leak, one_step
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.compute.readout import embedding_similarity, last_row
from core.rooms.decoder.lens_picture import lens_picture
from core.ui.widgets import widget
from tests.configs import gpt

V = 11
IDS = [3, 1, 4, 1, 5, 9, 2, 6]
CONFIGS = {
    "pre-norm": {},
    "post-norm, untied": {"block": BlockStyle(norm_first=False), "tied": False},
    "narrow embeddings": {"d_embed": 5, "tied": False, "output_bias": True, "positions": "sinusoidal"},
    "alibi, rms": {"positions": "alibi", "block": BlockStyle(norm="rms", bias=False), "embed_norm": True},
    "relative": {"positions": "relative"},
}
every = pytest.mark.parametrize("name", CONFIGS)


def lively(name: str, causal: bool = True) -> GPT:
    config = gpt(vocab_size=V, context_length=16, n_layer=3, n_head=2, d_model=8, causal=causal, **CONFIGS[name])
    model: GPT = registry.build(config).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return model.eval().requires_grad_(False)


@every
def test_teaching_is_cross_entropy_of_the_shifted_window(name: str) -> None:
    model = lively(name)
    found = training_window.predict_window(model, IDS)
    assert found.inputs.tolist() == IDS[:-1] and found.targets.tolist() == IDS[1:]
    loss = F.cross_entropy(model(torch.tensor([IDS[:-1]]))[0], torch.tensor(IDS[1:]))
    assert found.mean == pytest.approx(float(loss), abs=1e-12) == pytest.approx(found.loss.mean())
    assert np.allclose(np.exp(-found.loss), found.probability) and (np.diff(found.top_probabilities, axis=1) <= 0).all()
    with pytest.raises(ValueError, match="1 tokens: at least two"):
        training_window.predict_window(model, [3])


@every
def test_a_logit_is_the_dot_product_that_is_shown(name: str) -> None:
    model = lively(name)
    found = last_row(model, IDS, asked=10, n_shown=3)
    logits = model(torch.tensor([IDS]))[0, -1].numpy()
    assert np.allclose(found.logits, logits, atol=1e-10) and found.probabilities.sum() == pytest.approx(1)
    assert np.allclose(found.rows @ found.hidden + found.biases, logits[found.shown], atol=1e-10)
    assert 10 in found.shown and (np.diff(found.logits[found.shown[:3]]) <= 0).all()
    assert bool(found.biases.any()) == model.config.modern.output_bias


@every
def test_kinship_is_one_only_where_the_matrices_are_one(name: str) -> None:
    model = lively(name)
    found = embedding_similarity(model)
    assert found.tied == model.config.tied
    assert np.allclose(found.own, 1) == found.tied
    entering, leaving = (F.normalize(x) for x in (model.tok_proj(model.tok_emb.weight), model.unembed.weight))
    table = (entering @ leaving.T).numpy()
    assert found.others == pytest.approx(table[~np.eye(V, dtype=bool)].mean())


@every
def test_nothing_leaks_with_the_mask_and_something_without(name: str) -> None:
    for dtype in (torch.float32, torch.float64):
        model = lively(name).to(dtype)
        table = leak.logit_changes(model, IDS, 7)
        assert not table[np.tril_indices(8, -1)].any()
        assert (table.diagonal() > 0).all()
        other = leak.set_mask(model, causal=False)
        assert not other.config.causal and model.config.causal and leak.set_mask(model, causal=True) is model
        again = leak.set_mask(other, causal=True)
        assert torch.equal(again(torch.tensor([IDS])), model(torch.tensor([IDS])))
        assert other.unembed.weight.data_ptr() == model.unembed.weight.data_ptr()  # no second copy
        assert np.tril(leak.logit_changes(other, IDS, 7), -1).max() > 1e-3
    changed = [7 if i == 2 else token for i, token in enumerate(IDS)]
    gap = (model(torch.tensor([changed])) - model(torch.tensor([IDS])))[0].abs().amax(-1).numpy()
    assert np.array_equal(table[2], gap)
    assert leak.logit_changes(model, [V - 1, 2], V - 1)[0, 0] > 0  # what already stands there is replaced by another


@settings(max_examples=12)
@given(st.sampled_from(sorted(CONFIGS)), st.integers(0, 10**6))
def test_any_weights_gradient_is_its_finite_difference(name: str, draw: int) -> None:
    model = lively(name)
    parameters = list(model.named_parameters())
    key, weights = parameters[draw % len(parameters)]
    place = np.unravel_index(draw % weights.numel(), weights.shape)
    found = one_step.check_gradient(model, IDS, key, [int(i) for i in place])
    assert found.errors.min() < 1e-8 and found.weight == float(weights[tuple(map(int, place))])
    assert found.errors[-1] > found.errors.min() or abs(found.gradient) < 1e-12  # rounding takes over


@pytest.mark.parametrize("decay", [0.0, 0.3])
@pytest.mark.parametrize(("name", "place"), [("blocks.1.attn.w_v.weight", (2, 3)), ("blocks.0.mlp.w_in.bias", (4,))])
def test_adamws_arithmetic_is_torchs(name: str, place: tuple[int, ...], decay: float) -> None:
    model = lively("pre-norm")
    before = {key: w.clone() for key, w in model.named_parameters()}
    way = one_step.follow_weight(model, IDS, name, place, n_step=6, learning_rate=0.01, weight_decay=decay)
    assert all(torch.equal(w, before[key]) for key, w in model.named_parameters())  # a copy was trained
    theirs = one_step.to_double(model)
    groups = [
        {"params": [w for w in theirs.parameters() if w.ndim >= 2], "weight_decay": decay},
        {"params": [w for w in theirs.parameters() if w.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=0.01, betas=(0.9, 0.99), eps=1e-8)
    weights, ids = theirs.get_parameter(name), torch.tensor(IDS)
    for one in way:
        assert one.before == pytest.approx(float(weights[place].detach()), abs=1e-10)
        optimizer.zero_grad()
        loss = one_step.window_loss(theirs, ids)
        loss.backward()
        optimizer.step()
        state = optimizer.state[weights]
        assert weights.grad is not None
        ours = (one.loss, one.gradient, one.m, one.v, one.after)
        true = (loss, weights.grad[place], state["exp_avg"][place], state["exp_avg_sq"][place], weights[place])
        assert ours == pytest.approx([float(number.detach()) for number in true], abs=1e-10)
        assert one.before - one.decay - one.move == pytest.approx(one.after, abs=1e-10)
        assert (one.decay != 0) == (decay > 0 and len(place) == 2)
    assert abs(way[0].move) == pytest.approx(0.01, rel=1e-4)
    assert way[-1].loss < way[0].loss


def test_the_lens_sends_only_the_words_that_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    monkeypatch.setattr(widget, "mount", lambda name, key, message, **_: sent.append(message))
    top = np.array([[[[7, 2], [2, 7]], [[7, 5], [5, 2]]]])  # (1, 2, 2, 2)
    words = [f"w{i}" for i in range(50_000)]
    frames = {
        "top": top,
        "probabilities": np.full(top.shape, 0.5),
        "rank": np.array([[[1, 0], [2, 0]]]),
        "truth": np.array([[[0.5, np.nan], [0.25, np.nan]]]),
    }
    lens_picture(frames, tokens=["x", "y"], vocabulary=words, key="k")
    header, arrays = unpack_message(sent[0])
    assert header["words"] == ["w2", "w5", "w7"]
    assert [header["words"][i] for i in arrays["top"].ravel()] == [f"w{i}" for i in top.ravel()]
    assert not np.isnan(arrays["truth"]).any()
    with pytest.raises(ValueError, match="does not match"):
        lens_picture(frames, tokens=["x"], vocabulary=words, key="k")
