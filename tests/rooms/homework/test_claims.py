"""What the page of homework promises of what is kept is what its code does."""

from core.lessons.homework import answers
from core.ui.exhibit.words import words_of


def test_answers_are_kept_for_sixty_days_after_the_deadline() -> None:
    assert answers.KEPT_DAYS == 60
    assert "sixty days after the" in words_of("homework", "page").sections["kept"].text
