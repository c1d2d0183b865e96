"""What the classroom's page promises of what is kept is what its code does."""

from core.classroom import registry
from core.ui.exhibit.words import words_of


def test_a_class_is_kept_a_day_at_most() -> None:
    assert registry.DAY == 24 * 60 * 60
    assert "at most a day" in words_of("classroom", "page").sections["kept"].text
