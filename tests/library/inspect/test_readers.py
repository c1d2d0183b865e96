"""Every family read by the same eyes: an encoder-decoder by its encoder, a T5 without the root, a BERT in both ways."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from core.inspect import head_scores as heads
from core.inspect.attention_record import attention
from core.inspect.single_text_models import _EncoderAlone, encoder_or_model, prediction_kind
from core.models import pretrained, registry
from core.models.bert import BERTConfig
from core.models.gpt import GPTConfig
from core.models.original_transformer import TransformerConfig
from core.models.t5 import T5Config
from core.nn.tap import Trace
from core.rooms.block.compute import residual_stream
from core.rooms.embeddings import word_path
from core.rooms.embeddings.compute import embeddings
from core.rooms.heads.compute import ablation
from core.rooms.masks import batch, draw
from core.rooms.masks.compute import masks
from core.rooms.pretrained import check
from core.rooms.pretrained.facts import list_renamed_tensors

IDS = [3, 14, 15, 9, 2, 6]
CONFIGS = {
    "gpt": GPTConfig(vocab_size=20, d_model=16, n_head=2),
    "cheating gpt": GPTConfig(vocab_size=20, d_model=16, n_head=2, causal=False),
    "bert": BERTConfig(vocab_size=20, d_model=16, n_head=2),
    "bert for texts": BERTConfig(vocab_size=20, d_model=16, n_head=2, head="sequence"),
    "bert for tokens": BERTConfig(vocab_size=20, d_model=16, n_head=2, head="tokens"),
    "t5": T5Config(vocab_size=20, d_model=16, n_head=2, d_head=5),
    "t5 v1.1": T5Config(vocab_size=20, d_model=16, n_head=2, activation="geglu", tied=False),
    "transformer": TransformerConfig(vocab_size=20, d_model=16, n_head=2),
}
PREDICTS = {"gpt": "next", "cheating gpt": "here", "bert": "here"}
every = pytest.mark.parametrize("name", list(CONFIGS))


def reader(name: str) -> nn.Module:
    return encoder_or_model(registry.build(CONFIGS[name], seed=1).eval())


@every
def test_scores_are_the_products_of_what_is_shown(name: str) -> None:
    record = attention(reader(name), IDS)
    again = (record.q @ record.k.swapaxes(-1, -2)) * record.scale + (0 if record.bias is None else record.bias)
    np.testing.assert_allclose(record.scores, again, atol=2e-6)
    exps = np.exp(record.scores - record.scores.max(-1, keepdims=True)) * record.mask
    np.testing.assert_allclose(record.weights, exps / exps.sum(-1, keepdims=True), atol=1e-6)
    assert record.is_scaled == (not name.startswith("t5"))
    assert record.mask.all() == (name != "gpt")


@every
def test_scores_of_tokens_are_there_where_a_model_gives_some(name: str) -> None:
    model = reader(name)
    assert prediction_kind(model) == PREDICTS.get(name, "nothing")
    record = attention(model, IDS)
    assert record.logits.shape == (len(IDS), 20 if name in PREDICTS else 0)
    if name in PREDICTS:
        np.testing.assert_allclose(record.logits, model(torch.tensor([IDS]))[0].detach(), atol=1e-6)


@pytest.mark.parametrize("name", ["t5", "t5 v1.1", "transformer"])
def test_an_encoder_alone_is_the_models_own(name: str) -> None:
    model = registry.build(CONFIGS[name], seed=1).eval()
    alone, ids = _EncoderAlone(model), torch.tensor([IDS])
    with torch.no_grad(), Trace(model) as whole:
        memory = model.encode(ids)
    with torch.no_grad(), Trace(alone) as trace:
        assert torch.equal(alone(ids), memory)
    assert all(torch.equal(trace[key], whole[f"encoder.{key}"]) for key in trace if key.startswith("blocks."))
    assert torch.equal(trace["final"], memory)


@every
def test_what_stands_on_the_trace_takes_every_family(name: str) -> None:
    model = reader(name)
    record = residual_stream.record_block(model, IDS, 1)
    assert record.stages[0].kind == "stream" and record.pre is not None
    scores = heads.score_heads(model, IDS)
    assert np.isfinite(scores.previous_token).all() and np.isfinite(scores.focus).all()
    full = torch.ones(len(IDS), len(IDS), dtype=torch.bool)
    np.testing.assert_allclose(masks.heads_with_mask(model, IDS, full, 0, 1).weights.sum(-1), 1, atol=1e-6)
    assert (draw.measure_receptive_field(model, IDS, full) > 0).all()
    for change in batch.measure_padding_changes(model, [IDS, IDS[:3]], 8, 0)[1:4:2]:  # decoder and encoder, both masked
        assert change.largest < 1e-5
    path = word_path.hidden_trajectory(model, IDS, [*IDS[:4], 1, 6], 3, 3)
    assert path.probabilities.shape[1] == (20 if name in PREDICTS else 0)
    assert math.isclose(path.cosines[0], 1, abs_tol=1e-6)
    if name == "gpt":
        assert path.distances.max() < 1e-6  # what comes later cannot be seen
    else:
        assert path.distances[-1] > 1e-4  # in both directions


@pytest.mark.parametrize("name", ["t5", "transformer"])
def test_cross_attention_by_hand_has_the_models_own_scale(name: str) -> None:
    model = reader(name)
    found, record = masks.cross_attention_heads(model, IDS, IDS, len(IDS), 0, 0), attention(model, IDS)
    np.testing.assert_allclose(found.scores, record.q[0, 0] @ record.k[0, 0].T * record.scale, atol=2e-6)


@pytest.mark.parametrize("mode", ["zero", "mean"])
def test_each_head_alone_as_one_by_one(mode: str) -> None:
    model = reader("gpt")
    rises = ablation.text_loss_rises(model, IDS, mode)
    alone = [[ablation.knock_out(model, IDS, [(a, b)], mode).loss_change for b in range(2)] for a in range(2)]
    np.testing.assert_allclose(rises, alone, atol=1e-6)


def test_neighbors_of_a_large_table_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    table = torch.randn(50, 8, generator=torch.Generator().manual_seed(0)).numpy()
    whole = embeddings.nearest_tokens(table, 7, 9)
    monkeypatch.setattr(embeddings, "ROWS_AT_ONCE", 11)
    parts = embeddings.nearest_tokens(table, 7, 9)
    assert parts.by_cosine.tolist() == whole.by_cosine.tolist() and parts.by_dot.tolist() == whole.by_dot.tolist()
    np.testing.assert_allclose(parts.cosines, whole.cosines, atol=1e-12)


def test_a_hidden_token_is_asked_for_at_its_place() -> None:
    model, mask_id = reader("bert"), 19
    guess = check.predict_gap(model, IDS, mask_id, 2, [1, 2])
    hidden = torch.tensor([[*IDS[:2], mask_id, *IDS[3:]]])
    with torch.no_grad():
        np.testing.assert_allclose(guess.probabilities, model(hidden)[0, 2].softmax(-1), atol=1e-6)
        losses = []
        for at in (1, 2):
            row = torch.tensor([IDS])
            row[0, at] = mask_id
            losses.append(float(nn.functional.cross_entropy(model(row)[0, at][None], torch.tensor([IDS[at]]))))
    assert guess.true == IDS[2] and guess.n_token == 2
    assert guess.loss == pytest.approx(np.mean(losses), abs=1e-5) and guess.blind == pytest.approx(math.log(20))


def test_what_follows_a_text_and_what_an_encoder_decoder_writes() -> None:
    model = reader("gpt")
    guess = check.predict_next_token(model, IDS)
    logits = model(torch.tensor([IDS]))[0].detach()
    np.testing.assert_allclose(guess.probabilities, logits[-1].softmax(-1), atol=1e-6)
    assert guess.loss == pytest.approx(float(nn.functional.cross_entropy(logits[:-1], torch.tensor(IDS[1:]))), abs=1e-5)
    ids = check.generate_greedily(registry.build(CONFIGS["t5"], 1).eval(), IDS, start_id=0, end_id=1)
    assert 1 not in ids and len(ids) <= check.MOST_WRITTEN


def test_the_table_of_names_is_what_the_import_does(tmp_path: Path) -> None:
    theirs = {"model_type": "gpt2", "vocab_size": 20, "n_positions": 8, "n_embd": 8, "n_layer": 2, "n_head": 2}
    shapes = {"wte.weight": (20, 8), "wpe.weight": (8, 8), "ln_f.weight": (8,), "ln_f.bias": (8,)}
    for n in range(2):
        shapes |= {f"h.{n}.{part}.{p}": (8,) for part in ("ln_1", "ln_2") for p in ("weight", "bias")}
        for part, n_in, n_out in (
            ("attn.c_attn", 8, 24),
            ("attn.c_proj", 8, 8),
            ("mlp.c_fc", 8, 32),
            ("mlp.c_proj", 32, 8),
        ):
            shapes |= {f"h.{n}.{part}.weight": (n_in, n_out), f"h.{n}.{part}.bias": (n_out,)}
        shapes[f"h.{n}.attn.bias"] = (1, 1, 8, 8)
    generator = torch.Generator().manual_seed(0)
    tensors = {f"transformer.{name}": torch.randn(shape, generator=generator) for name, shape in shapes.items()}
    save_file(tensors, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(theirs))
    rows = {row.theirs: row for row in list_renamed_tensors(tmp_path)}
    own = dict(pretrained.load(tmp_path).model.named_parameters())
    assert {name for row in rows.values() for name in row.ours} == set(own)
    assert rows["transformer.h.1.attn.bias"].ours == ()
    for row in rows.values():
        if row.ours and not row.is_turned:
            assert torch.equal(own[row.ours[0]], tensors[row.theirs])
    parts = tensors["transformer.h.0.attn.c_attn.weight"].T.chunk(3)
    row = rows["transformer.h.0.attn.c_attn.weight"]
    assert row.is_turned and all(torch.equal(own[name], part) for name, part in zip(row.ours, parts, strict=True))
