"""app.py as a script: every page of the navigation table opens."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
PAGES = re.findall(r'st\.Page\("([^"]+)"', (ROOT / "app.py").read_text(encoding="utf-8"))


def test_no_page_stands_flat_in_pages() -> None:
    """Flat files would wake Streamlit's old router, which runs them without app.py."""
    assert not list((ROOT / "pages").glob("*.py"))


def test_every_page_file_is_in_the_navigation() -> None:
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").rglob("*.py")}
    assert files == set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_page_opens(page: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    app.switch_page(page).run()
    assert not app.exception
    assert not [error for error in app.error if "Something went wrong" in str(error)]
    assert app.title
