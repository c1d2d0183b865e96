"""The block of each family, read from the modules: parts, order, parameters, and what differs."""

import pytest
from torch import nn

from core.models import registry
from core.models.transformer import TransformerConfig
from core.rooms.families.block_plans_widget import block_plans as draw
from core.rooms.families.compute.block_parts import block_plans


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


def test_no_blocks_and_too_many_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="0 blocks"):
        draw([], key="x")
    with pytest.raises(ValueError, match="parts"):
        draw([{"parts": [{}] * 13}], key="x")
