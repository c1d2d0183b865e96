"""What the parts write sums up to the model's own logit difference; and what is lost without them is another thing.

What this catches: a bias that is counted twice or not at all, heads that are mixed up, a norm whose scale is not the
model's own, and sentences about the models that ship which no longer hold.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch

from core.data.synthetic import referents
from core.inspect.patch import component_sites, run_traced
from core.models import registry
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.rooms.circuits import attribution
from core.rooms.circuits.attribution import AnswerContrast
from core.rooms.circuits.compute.pronoun_patching import MODELS
from core.ui.training.live_experiments import example_run
from tests.counts import SEEDS
from tests.rooms.circuits.test_patching import lively, run_of

CONFIG = GPTConfig(
    vocab_size=12, context_length=11, n_layer=2, n_head=4, d_model=16, tied=False, modern=Modern(output_bias=True)
)
ASKED = AnswerContrast(torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]]), 2, torch.tensor([7, 8]), torch.tensor([0, 11]))


def test_the_parts_sum_up_to_the_stream_and_to_the_models_own_logit_difference() -> None:
    model = lively(CONFIG)
    trace = run_traced(model, ASKED.ids)
    parts = attribution.part_outputs(model, trace, 2)
    assert len(parts) == 1 + 2 * (1 + 4 + 1), "an embedding; in each layer a bias, four heads and a feed-forward"
    torch.testing.assert_close(sum(parts.values()), trace["blocks.1.resid_out"][:, 2], atol=1e-12, rtol=0)
    effects = attribution.direct_effects(model, ASKED)
    torch.testing.assert_close(sum(effects.values()), ASKED.difference(model(ASKED.ids)), atol=1e-10, rtol=0)


def test_with_the_scale_held_the_last_heads_loss_is_what_it_wrote() -> None:
    """Without a feed-forward above it nothing else can change."""
    model: Any = lively(CONFIG)
    model.blocks[1].mlp.w_out.weight.zero_()
    effects = attribution.direct_effects(model, ASKED)
    for site in component_sites(model):
        if attribution.part_key(site).startswith("head 1"):
            really, held = attribution.ablation_effect(model, ASKED, site)
            torch.testing.assert_close(held, effects[attribution.part_key(site)], atol=1e-10, rtol=0)
            assert not torch.allclose(really, held, atol=1e-3)


def test_a_norm_that_is_none_of_ours_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a LayerNorm"):
        attribution.direct_effects(registry.build(replace(CONFIG, block=BlockStyle(norm="rms")), 0), ASKED)


def check(found: attribution.Result) -> None:
    assert found.error < 1e-4 and abs(found.direct.sum() - found.whole) < 1e-4
    missed, repaired = found.most_missed, found.most_repaired
    assert found.names[missed] in ("head 0.0", "head 0.1", "head 0.2", "head 0.3", "feed-forward 0")
    assert abs(found.direct[missed]) < 0.05 * found.whole, "it writes nothing, and without it most is lost"
    above = [i for i, name in enumerate(found.names) if name.startswith("head 1")]
    assert found.direct[above].sum() > 0.85 * found.whole, "layer 1 writes the answer"
    assert found.lost[above].sum() < 0.25 * found.whole, "and misses none of its heads much"
    assert found.held[above].sum() > 0.85 * found.whole, "for the norm makes up for it"
    assert repaired in above


@pytest.mark.measured("today/8-circuits", "In model a, the right noun's logit")
@pytest.mark.measured("today/8-circuits", "Head 0.3 writes almost nothing")
def test_what_is_said_of_the_models_that_ship() -> None:
    run = example_run("explanation")
    assert run is not None and len(attribution.held_out_sentences(0).ids) == 28
    assert attribution.held_out_sentences(0).at == referents.IT_POSITION
    for name in MODELS:
        found = attribution.compute(attribution.Inputs(model=name), run)
        check(found)
        assert found.names[found.most_missed].startswith("head 0") and found.lost[found.most_missed] > 0.6 * found.whole
    first = attribution.compute(attribution.Inputs(), run)
    assert first.names[first.most_repaired] == "head 1.0" and first.lost[first.most_repaired] < 0.05
    assert first.names[first.most_missed] == "head 0.3"
    repaired = first.effects["head 1.0"]
    assert repaired["held"] > 0.8 * repaired["direct"] > 1, "with the norm's scale held, what it wrote is lost"


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_from_every_seed(seed: int) -> None:
    for name in MODELS:
        check(attribution.compute(attribution.Inputs(model=name), run_of("explanation", seed)))
