"""Walks and their answers, how each family reads them and what it can write; and the blocks, read from the modules."""

import numpy as np
import pytest
import torch
from torch import nn

from core.models import registry
from core.models.original_transformer import TransformerConfig
from core.rooms.families import family_table, who_reads
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import FAMILIES, MAX_WORDS, build_families, rebuild_families
from core.rooms.families.compute.walks import FRENCH, Walk
from core.rooms.families.experiments import families as task
from core.rooms.families.three_blocks import block_plans
from tests.library.learning.once import ran


def test_the_answers_of_one_walk() -> None:
    walk = Walk(("crab", "fox", "starfish", "wave", "moss"))
    assert walk.answer("classify") == ("sea",) and walk.is_clear and walk.is_longer
    assert walk.answer("continue") == ("crab", "fox", "starfish")
    assert walk.answer("translate") == ("mousse", "vague", "étoile", "de", "mer", "renard", "crabe")
    short, half = Walk(("owl",)), Walk(("owl", "boat"))
    assert short.answer("continue") == ("owl",) * 3 and not short.is_longer and short.place == "wood"
    assert not half.is_clear


def test_walks_are_drawn_as_asked() -> None:
    drawn = walks.draw_walks(400, np.random.default_rng(0))
    assert {len(walk.things) for walk in drawn} == set(range(walks.MIN_THINGS, walks.MAX_THINGS + 1))
    assert all(walk.is_clear and len(set(walk.things)) == len(walk.things) for walk in drawn)
    assert 0.4 < np.mean([walk.place == "sea" for walk in drawn]) < 0.6
    for longer in (False, True):
        asked = walks.draw_walks(200, np.random.default_rng(2), longer=longer)
        assert all(walk.is_longer == longer for walk in asked)
    longest = max(len(walk.answer("translate")) for walk in asked)
    assert walks.MAX_THINGS < longest <= MAX_WORDS
    assert {len(walk.things) for walk in walks.draw_walks(5, np.random.default_rng(3), n_thing=8)} == {8}
    assert len(set(walks.WORDS)) == len(walks.WORDS) and set(walks.LONGER_THINGS) == {"starfish", "glowworm"}


def test_reading_somebodys_walk_and_blind_guessing() -> None:
    assert walks.parse_walk("Crab,  FOX unicorn.") == (Walk(("crab", "fox")), ("unicorn",))
    assert walks.random_guess_accuracy("classify", 1) == 0.5
    assert walks.random_guess_accuracy("continue", 3) == pytest.approx(12**-3)
    assert walks.random_guess_accuracy("translate", 2) == pytest.approx(len(walks.FRENCH_WORDS) ** -2)
    assert walks.word_accuracy(("a", "b"), ("a", "c", "d", "e")) == 0.25
    found = task.random_guess_accuracies(0)
    assert found.shape == (4,) and found[0] == 0.5 and (found[1:] < 0.001).all()


def test_nobody_reads_what_fills_up_the_rows() -> None:
    """Each family answers a walk alone as it does beside longer ones."""
    three = build_families(0)
    asked = [Walk(("crab", "fox", "wave", "moss")), Walk(tuple(FRENCH)[:8])]
    for family in FAMILIES:
        for name in walks.TASKS:
            together = three[family].answers(asked, name)
            assert together == [three[family].answers([walk], name)[0] for walk in asked]


def test_the_encoder_has_one_place_for_each_word() -> None:
    said = build_families(3).encoder.answers([Walk(("starfish", "glowworm", "owl"))], "translate")
    assert len(said[0]) == 3


def test_a_rebuilt_record_is_the_same_models() -> None:
    record = ran("families", 2, n_step=1)
    again = rebuild_families(record)
    for name, size in (("decoder", 59_520), ("encoder", 65_285), ("encoder_decoder", 67_968)):
        assert sum(w.numel() for w in again[name].weights.values()) == size
        for key, weights in again[name].weights.items():
            if name != "encoder" or key.startswith("blocks"):
                kept = record[f"model.{name}.{key}"]
                assert torch.equal(weights, torch.from_numpy(kept.astype(np.float32))), key
    heads = again.encoder.models
    assert torch.equal(heads["classify"].tok_emb.weight, heads["continue"].head.unembed.weight)


def test_the_readings_have_the_masks_and_the_rings_of_their_family() -> None:
    three, walk = build_families(0), Walk(("crab", "starfish", "owl"))
    one = who_reads.encoder_attention(three.encoder, walk, "translate")
    assert one.weights.shape == (2, 4, 4, 4) and one.mask.all()
    assert [tuple(place) for place in np.argwhere(one.truth)] == [(1, 3), (2, 2), (3, 2)]
    one = who_reads.encoder_attention(three.encoder, walk, "continue")
    assert one.rows[-1] == "<mask>" and len(one.rows) == 7
    assert [tuple(place) for place in np.argwhere(one.truth)] == [(4, 1), (5, 2), (6, 3)]
    one = who_reads.decoder_attention(three.decoder, walk, "translate")
    assert (one.weights[..., ~one.mask] == 0).all() and one.rows[3] == "<back?>" and one.truth[3, 2]
    np.testing.assert_allclose(one.weights.sum(-1), 1, atol=1e-5)
    both = who_reads.encoder_decoder_attention(three.encoder_decoder, walk, "continue")
    cross = both["cross"]
    assert both["source"].mask.all() and not both["target"].mask.all() and cross.mask.all()
    assert cross.weights.shape[1:] == (4, len(cross.rows), 4) and cross.rows[0] == "<start>"
    assert (cross.truth.argmax(1)[:1] == 1).all()
    none = who_reads.decoder_attention(three.decoder, walk, "classify")
    assert not none.truth.any() and (none.scores == 0).all()


def test_shapes_are_those_of_the_models() -> None:
    found = family_table.compute(family_table.Inputs()).comes_out
    assert found["decoder"].startswith("7 rows of 30") and found["encoder_decoder"].startswith("4 rows of 30")
    assert "2 scores for the text" in found["encoder"] and "7 rows of 2" in found["encoder"]


@pytest.mark.parametrize("norm_first", [True, False])
def test_parts_and_counts(norm_first: bool) -> None:
    decoder, encoder, both = block_plans(48, 4, norm_first).plans
    kinds = [part.kind for part in decoder.parts]
    own = ["norm", "self-attention", "norm", "feed-forward"]
    assert kinds == (own if norm_first else ["self-attention", "norm", "feed-forward", "norm"])
    assert [part.kind for part in encoder.parts] == kinds and encoder.total == decoder.total
    assert all(sum(part.count for part in plan.parts) == plan.total for plan in (decoder, encoder, both))
    attention = next(part for part in both.parts if part.name == "cross_attn")
    norm = next(part for part in both.parts if part.name == "norm_cross")
    assert both.total - decoder.total == attention.count + norm.count == 4 * (48 * 48 + 48) + 2 * 48
    real = registry.build(TransformerConfig(vocab_size=5, n_layer=1, n_head=4, d_model=48)).decoder.blocks[0]
    assert isinstance(real, nn.Module) and sum(p.numel() for p in real.parameters()) == both.total


def test_what_differs_is_the_mask_and_the_second_attention() -> None:
    for plan in block_plans(48, 4, True).plans:
        lit = {part.name for part in plan.parts if not part.is_shared}
        assert lit == {"attn"} | ({"norm_cross", "cross_attn"} if plan.family == "encoder_decoder" else set())
        mask = next(part.mask for part in plan.parts if part.name == "attn")
        assert mask is not None and mask.sum() == (25 if plan.family == "encoder" else 15)


def test_widths_of_published_models() -> None:
    decoder, encoder, _ = block_plans(768, 12, True).plans
    assert decoder.total == encoder.total == 7_087_872  # GPT-2 small and BERT-base: twelve of these each
