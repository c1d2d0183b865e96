"""Homework: lessons with a deadline, and the verification of receipts."""

from core.rooms.homework import ROOM

ROOM.header()

from core.lessons.page.teaching import give, receipts  # noqa: E402  (the title first)

give.panel()
receipts.panel()
ROOM.say("kept")
