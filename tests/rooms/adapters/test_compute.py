"""Fifty lines of one's own: what they are split into, what stays frozen, and what a batch holds."""

from typing import Any

import numpy as np
import pytest
import torch

from core.models import lora, pretrained
from core.rooms.adapters import fifty_lines, on_and_off, thin_update
from core.rooms.adapters.compute.merged_model import merged_model
from core.rooms.adapters.experiments.adapters import MODEL, N_LINE, Adapters, Options, split_lines, upside_down_lines
from core.train.experiment import run_experiment


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


def test_the_drawn_column_times_the_drawn_row_is_what_merging_adds() -> None:
    run = run_experiment("adapters")
    found = thin_update.compute(thin_update.Inputs(), run)
    merged: Any = merged_model(run, 1).model.get_submodule(thin_update.MATRIX)
    added = merged.weight.numpy() - found.frozen
    cells = [[float(c) * float(r) for r in found.row] for c in found.column]
    np.testing.assert_allclose(added, cells, atol=1e-6)
    assert np.ravel(cells)[found.largest] == max(map(max, cells))


def test_the_counted_numbers_are_those_of_all_pairs() -> None:
    run = run_experiment("adapters")
    found, whole = thin_update.compute(thin_update.Inputs(), run), fifty_lines.compute(fifty_lines.Inputs(), run)
    assert found.n_update == whole.n_update[1] == 8 * (96 + 96) + 4 * (96 + 384)
    assert (found.n_matrix, found.n_all, found.n_line) == (12, whole.n_all, 50)


def test_without_the_update_it_writes_what_the_old_model_writes() -> None:
    run = run_experiment("adapters")
    beginning = on_and_off.Inputs().beginning
    found, both = thin_update.compute(thin_update.Inputs(), run), on_and_off.compute(on_and_off.Inputs(rank=1), run)
    assert [beginning + text for text in found.texts] == [*both.texts[: len(found.texts)]]


def test_the_line_with_the_most_words_of_the_beginning() -> None:
    lines = ["A park went to Max.", "A bun was hungry.", "A bun was sad."]
    assert thin_update.most_similar_line(lines, "A cake was hungry. It") == lines[1]
    assert thin_update.most_similar_line(lines, "") == lines[0]
