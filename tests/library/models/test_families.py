"""The families of models: what people call them, and that each says the same of itself everywhere."""

import pytest

from core.models.registry import FAMILIES
from core.ui.training.task_choices import PAIR_LABELS


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_has_its_names(kind: str) -> None:
    """Catches a kind that a list of models cannot name, and a title that doesn't read after “This is …”."""
    family = FAMILIES[kind]
    assert family.label[:1].isupper() and family.plural and family.title.split()[0] in ("a", "an")
    assert family.role in family.title, "the list of kinds and the sentence call it by different words"


def test_the_studio_says_the_same() -> None:
    """Catches a label that was changed in the family alone: the studio has its own copy, as it loads no torch."""
    assert {kind: FAMILIES[kind].label for kind in PAIR_LABELS} == PAIR_LABELS
