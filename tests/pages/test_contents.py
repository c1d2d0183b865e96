"""The line of links at the top of a room names the exhibits that stand below, in their order."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ("home", "studio", "next_token", "lessons", "glossary")
ROOMS = sorted(path for path in (ROOT / "pages").glob("*/*.py") if path.stem not in OTHERS)


@pytest.mark.parametrize("page", ROOMS, ids=lambda page: page.stem)
def test_the_links_lead_to_the_exhibits(page: Path) -> None:
    test = AppTest.from_file(str(page), default_timeout=60).run()
    assert not test.exception
    line = next(one.value for one in test.markdown if "On this page" in one.value)
    linked = re.findall(r"\]\(#([a-z0-9-]+)\)", line)
    assert linked == [heading.anchor for heading in test.subheader]
