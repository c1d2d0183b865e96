"""The navigation table and the files of pages are one list. (That each page opens, `test_story.py` and others see.)"""

from pathlib import Path

from core.rooms import rooms

ROOT = Path(__file__).resolve().parents[2]
PAGES = [room.page for room in rooms()]


def test_no_page_stands_flat_in_pages() -> None:
    """Flat files would wake Streamlit's old router, which runs them without app.py."""
    assert not list((ROOT / "pages").glob("*.py"))


def test_every_page_file_is_in_the_navigation() -> None:
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").rglob("*.py")}
    assert files == set(PAGES)
