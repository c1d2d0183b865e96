"""The families of models: what people call them, and that each says the same of itself everywhere."""

import pytest

from core.models import registry
from core.models.registry import FAMILIES
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block
from core.ui.training.task_choices import PAIR_LABELS
from tests.library.contracts.promises import EVERY


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_has_its_names(kind: str) -> None:
    """Catches a kind that a list of models cannot name, and a title that doesn't read after “This is …”."""
    family = FAMILIES[kind]
    assert family.label[:1].isupper() and family.plural and family.title.split()[0] in ("a", "an")
    assert family.role in family.title, "the list of kinds and the sentence call it by different words"


def test_the_studio_says_the_same() -> None:
    """Catches a label that was changed in the family alone: the studio has its own copy, as it loads no torch."""
    assert {kind: FAMILIES[kind].label for kind in PAIR_LABELS} == PAIR_LABELS


@pytest.mark.parametrize("name", EVERY)
def test_a_family_says_what_its_models_have(name: str) -> None:
    """Catches a property of a family that isn't what a model of it is made of."""
    config = EVERY[name]
    family, model = registry.family_of(config), registry.build_empty(config)
    parts = list(model.modules())
    blocks = [part for part in parts if isinstance(part, Block)]
    assert family.has_attention == any(isinstance(part, MultiHeadAttention) for part in parts)
    assert not blocks or family.n_layer(config) == len(blocks)
    assert (family.vocab_size(config) is None) == (family.kind in ("vit", "multiscale"))
    assert family.context_length(config) == getattr(config, "context_length", None)
    assert family.head(config) == getattr(config, "head", "")
    assert registry.find_registered_family(model) is family and registry.find_registered_family(object()) is None
