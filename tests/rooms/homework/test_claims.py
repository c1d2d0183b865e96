"""What the page of homework promises of what is kept is what its code does."""

from core.lessons.homework import answer_store
from core.ui.exhibit.exhibit_text import load_exhibit_markdown


def test_answers_are_kept_for_sixty_days_after_the_deadline() -> None:
    assert answer_store.KEPT_DAYS == 60
    assert "sixty days after the" in load_exhibit_markdown("homework", "page").sections["kept"].text
