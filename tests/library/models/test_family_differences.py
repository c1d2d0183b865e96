"""What each imported family says of itself: one bullet for each difference from its nearest relative."""

import pytest

from core.models.imports.importable_families import FAMILIES, differences_from_nearest_family


@pytest.mark.parametrize("model_type", FAMILIES)
def test_every_family_says_how_it_differs(model_type: str) -> None:
    """Catches a family without bullets in assets/labels/models.md, and bullets that aren't sentences."""
    found = differences_from_nearest_family(model_type)
    assert found is not None and found.name and found.relative and found.bullets
    assert all(bullet[0].isupper() and bullet.endswith((".", ")")) for bullet in found.bullets), found


def test_bullets_are_those_of_the_family_itself() -> None:
    """Catches bullets that are read under another family's name."""
    mistral, qwen = differences_from_nearest_family("mistral"), differences_from_nearest_family("qwen3")
    assert mistral is not None and (mistral.name, mistral.relative, len(mistral.bullets)) == ("Mistral", "Llama", 1)
    assert qwen is not None and qwen.relative == "Qwen2" and any("gains" in bullet for bullet in qwen.bullets)
    assert differences_from_nearest_family("camembert") == differences_from_nearest_family("xlm-roberta")
    assert differences_from_nearest_family("gpt5") is None
