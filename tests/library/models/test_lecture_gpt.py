"""The lecture note's decoder: its size, its arithmetic against torch's own layers, its start and its first loss."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from core.inspect.costs import parameters
from core.models import registry
from core.models.configs.lecture_gpt import LECTURE_GPT, lecture_gpt
from core.nn.positions import sinusoidal
from core.rooms.decoder import first_loss


class Note(nn.Module):
    """As the note writes it, but with the sines and cosines of the paper, whose pairs share a frequency."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(512, 128, padding_idx=0)
        self.encoding_layer = nn.Linear(128, 144)
        layer = nn.TransformerEncoderLayer(144, nhead=6, batch_first=True)
        self.decoder = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
        self.out_layer = nn.Linear(144, 512)

    def forward(self, seq: Tensor) -> Tensor:
        n = seq.shape[1]
        x = self.encoding_layer(self.embedding(seq))
        x = x + sinusoidal(n, 144, dtype=x.dtype)
        mask = torch.tril(torch.ones(n, n)) == 0
        x = self.decoder(x, mask=mask, is_causal=True)
        return self.out_layer(x)


@pytest.fixture(scope="module")
def note() -> Note:
    state = torch.get_rng_state()
    torch.manual_seed(3)
    model = Note().eval().requires_grad_(False)
    torch.set_rng_state(state)
    return model


def as_ours(note: Note) -> dict[str, Tensor]:
    """The note's weights by our names."""
    renamed = {"embedding": "tok_emb", "encoding_layer": "tok_proj", "out_layer": "unembed"}
    inside = {"self_attn.out_proj": "attn.w_o", "linear1": "mlp.w_in", "linear2": "mlp.w_out", "norm1": "norm_1",
              "norm2": "norm_2"}  # fmt: skip
    found = {}
    for name, tensor in note.state_dict().items():
        module, kind = name.rsplit(".", 1)
        if module in renamed:
            found[f"{renamed[module]}.{kind}"] = tensor
            continue
        _, _, n, part = module.split(".", 3)
        if "in_proj" in kind:
            kind = kind.removeprefix("in_proj_")
            for letter, third in zip("qkv", tensor.chunk(3), strict=True):
                found[f"blocks.{n}.attn.w_{letter}.{kind}"] = third
        else:
            found[f"blocks.{n}.{inside[part]}.{kind}"] = tensor
    return found


def test_it_has_8_271_696_parameters(note: Note) -> None:
    count = parameters.count_config_parameters(LECTURE_GPT)
    assert count.total == 8_271_696 == sum(p.numel() for p in note.parameters())
    assert all(term.count == term.predicted for term in count.terms)
    assert count.term("token_embedding").count == 512 * 128 + 128 * 144 + 144
    assert count.term("output_layer").count == 144 * 512 + 512
    assert count.term("positions").count == 0 and count.sizes["E"][1] == 128


def test_logits_are_those_of_torchs_own_layers(note: Note) -> None:
    ours = registry.build_empty(LECTURE_GPT)
    registry.fill_weights(ours, as_ours(note))
    ids = torch.tensor([first_loss.NOTE_IDS[:-1]])
    with torch.no_grad():
        torch.testing.assert_close(ours(ids), note(ids), atol=2e-5, rtol=0)
        torch.testing.assert_close(ours.double()(ids), note.double()(ids), atol=1e-10, rtol=0)
    note.float()


def test_it_starts_as_torchs_own_layers_do(note: Note) -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    ours, theirs = dict(lecture_gpt(0).named_parameters()), as_ours(note)
    assert torch.equal(torch.get_rng_state(), before)
    assert ours.keys() == theirs.keys()
    for name, one in ours.items():
        other = theirs[name]
        assert one.shape == other.shape
        assert float(one.detach().std()) == pytest.approx(float(other.std()), rel=0.12, abs=1e-6), name
        assert float(one.detach().abs().max()) == pytest.approx(float(other.abs().max()), rel=0.15, abs=1e-6), name
    assert not ours["tok_emb.weight"][0].any()
    assert torch.equal(ours["blocks.0.mlp.w_in.weight"], ours["blocks.11.mlp.w_in.weight"])
    assert not torch.equal(ours["unembed.weight"], dict(lecture_gpt(1).named_parameters())["unembed.weight"])


def test_the_first_loss_is_ln_v_and_half_the_variance() -> None:
    found = first_loss.first_losses("torch", 6)
    assert ((math.log(512) - 0.15 < found.window) & (found.window < math.log(512) + 0.4)).all()
    assert found.every.mean() == pytest.approx(first_loss.theoretical_loss(144, 512), abs=0.015)
    assert np.allclose(found.every, math.log(512) + found.variance / 2, atol=0.01)
    assert first_loss.theoretical_loss(144, 512) == pytest.approx(math.log(512) + 1 / 6 + 1 / 864)
    zero = first_loss.first_losses("zero", 2)
    assert np.allclose(zero.window, math.log(512), atol=1e-12) and (zero.variance == 0).all()
    narrow = first_loss.first_losses("gpt2", 3)
    assert narrow.every.mean() == pytest.approx(math.log(512) + 144 * 0.02**2 / 2, abs=0.005)
    assert len(first_loss.NOTE_IDS) == 32 and max(first_loss.NOTE_IDS) < 512
