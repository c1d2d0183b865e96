"""The family table as a learner goes through it: a guess, a walk of one's own, a training on its way."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms import rooms
from core.rooms.families import family_table
from tests.pages.rooms import linked

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "families" / "table.py"), open="all", depth="numbers")


def test_every_link_of_the_table_leads_to_a_page() -> None:
    pages = {room.page for room in rooms()}
    for family in family_table.FAMILY_ROWS.values():
        assert {*family.uses.values(), *family.rooms.values(), *family_table.SHARED_PAGES.values()} <= pages
