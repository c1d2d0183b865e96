"""Fifty lines of one's own: what they are split into, what stays frozen, and what a batch holds."""

from typing import Any

import pytest
import torch

from core.models import lora, pretrained
from core.rooms.adapters.experiments.adapters import MODEL, N_LINE, Adapters, Options, split_lines, upside_down_lines


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
