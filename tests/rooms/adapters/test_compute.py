"""LoRA against its formula: what stands still, what is added, what is merged; and the lines that it learns."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from core.models import pretrained
from core.nn.tap import Trace
from core.rooms.adapters.compute import lora
from core.rooms.adapters.experiments.adapters import MODEL, N_LINE, Adapters, Options, split_lines, upside_down_lines

IDS = torch.randint(3, 400, (2, 17), generator=torch.Generator().manual_seed(3))


def adapted(rank: int = 3) -> tuple[torch.nn.Module, dict[str, lora.LoRA]]:
    """The stories model with updates that are not 0."""
    generator = torch.Generator().manual_seed(1)
    model = pretrained.load(MODEL).model
    placed = lora.add_lora(model, rank, generator)
    for one in placed.values():
        one.up.data.normal_(0, 0.1, generator=generator)
    return model, placed


def test_an_update_beside_is_the_formula_and_merging_it_gives_the_same() -> None:
    model, placed = adapted()
    with torch.no_grad(), Trace(model) as trace:
        beside = model(IDS)
    one, x = placed["blocks.0.attn.w_q"], trace["blocks.0.attn.q"]
    assert set(placed) == {name for name, _ in lora.target_matrices(pretrained.load(MODEL).model)} and len(placed) == 12
    by_hand = lora.ALPHA / 3 * one.up.detach().double() @ one.down.detach().double()
    np.testing.assert_allclose(lora.lora_update(one.up, one.down).detach(), by_hand, atol=1e-6)
    assert np.linalg.matrix_rank(by_hand.numpy()) == 3 and x.isfinite().all()
    merged = pretrained.load(MODEL).model
    lora.merge_updates(merged, {name: (one.up, one.down) for name, one in placed.items()})
    with torch.no_grad():
        np.testing.assert_allclose(merged(IDS), beside, atol=5e-5)
        lora.merge_updates(
            plain := pretrained.load(MODEL).model, {n: (one.up, one.down) for n, one in placed.items()}, 0.0
        )
        assert torch.equal(plain(IDS), pretrained.load(MODEL).model(IDS)), "at strength 0 it is the model as it was"


def test_only_the_updates_learn_and_at_first_they_change_nothing() -> None:
    plain, model = pretrained.load(MODEL).model, pretrained.load(MODEL).model
    placed = lora.add_lora(model, 2, torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert torch.equal(model(IDS), plain(IDS))
    F.cross_entropy(model(IDS).mT, IDS).backward()
    moved = {name for name, weight in model.named_parameters() if weight.grad is not None}
    assert moved == {f"{name}.{part}" for name in placed for part in ("up", "down")}


def test_no_line_that_measures_was_learned() -> None:
    lines = upside_down_lines(seed=4)
    learned, held = split_lines("\n".join(lines))
    assert (len(learned), len(held)) == (50, 10) and not set(learned) & set(held) and len(set(lines)) == N_LINE
    tokenizer: Any = pretrained.load(MODEL).tokenizer
    spelled = {one for one in tokenizer.tokens(tokenizer.encode("\n\n".join(lines))) if len(one.strip()) == 1}
    assert spelled <= {"A", "I", "!", ".", '"', ' "'}, "every word is known, and none is spelled letter by letter"
    with pytest.raises(ValueError, match="3 lines are too few: it takes 12"):
        Options(text="a\nb\n\nc")


@pytest.mark.slow
def test_the_frozen_model_and_the_story_loss_are_what_they_were() -> None:
    running = Adapters(Options(n_step=2), 0)
    before = pretrained.load(MODEL).model.state_dict()
    running.advance()
    running.advance()
    for name, weight in running.trainers["rank_4"].model.named_parameters():
        plain = name.replace(".base", "")
        if plain in before:
            assert torch.equal(weight, before[plain]), name
    record = running.record()
    assert record["curve.rank_1.old"][0] == record["curve.full.old"][0]
    assert all(record[f"singular.full.{name}"][0] > 0 for name, _ in lora.target_matrices(pretrained.load(MODEL).model))


def test_each_next_token_of_a_batch_is_the_texts() -> None:
    """Fault: the text is read backwards, or a target isn't the token after."""
    run = Adapters(Options(n_step=1), 0)
    text = run._text.tolist()
    for read, targets in zip(*(part.tolist() for part in run.batch()), strict=True):
        window = [*read, targets[-1]]
        assert targets == window[1:]
        assert any(text[i : i + len(window)] == window for i in range(len(text)))
