"""Models with some weights replaced: they share the others with a model that many sessions read."""

from copy import deepcopy

import pytest
import torch
from torch.func import functional_call  # noqa: TID251 (the reference, on a copy)

from core.models import registry
from core.models.gpt import GPTConfig


@pytest.mark.parametrize("tied", [True, False])
def test_the_original_stays_as_it_is_while_the_other_computes(tied: bool) -> None:
    """Catches a replacement that other sessions can see: their numbers were wrong while it lasted."""
    config = GPTConfig(vocab_size=11, d_model=16, n_head=4, tied=tied)
    model = registry.build(config).eval()
    ids, seen = torch.arange(10)[None], []
    own = {name: weight.clone() for name, weight in model.named_parameters()}
    weights = {name: -own[name] for name in ("tok_emb.weight", "blocks.0.attn.w_v.weight")}
    wanted = functional_call(deepcopy(model), weights, (ids,))
    model.blocks[0].register_forward_pre_hook(
        lambda *_: seen.append(all(torch.equal(own[name], weight) for name, weight in model.named_parameters()))
    )
    changed = registry.with_weights(model, weights)
    assert torch.equal(changed(ids), wanted) and not torch.equal(model(ids), wanted)
    assert seen == [True, True]
    assert changed.get_parameter("norm.weight") is model.norm.weight, "copied, although it is the same"
    assert all(weight.requires_grad for weight in model.parameters()), "who trains it can't go on"


def test_a_misspelled_name_is_refused() -> None:
    """Catches a replacement that goes nowhere, so that the original is shown as the changed model."""
    model = registry.build(GPTConfig(vocab_size=11, d_model=16, n_head=4))
    with pytest.raises(KeyError, match="tok_emb"):
        registry.with_weights(model, {"tok_emb.wieght": torch.zeros(11, 16)})
