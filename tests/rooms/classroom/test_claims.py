"""What the classroom's page promises of what is kept is what its code does."""

from core.classroom import registry
from core.ui.exhibit.exhibit_text import load_exhibit_markdown


def test_a_class_is_kept_a_day_at_most() -> None:
    assert registry.DAY == 24 * 60 * 60
    assert "at most a day" in load_exhibit_markdown("classroom", "page").sections["kept"].text
