"""Homework: lessons with a deadline, and the verification of receipts."""

from core.rooms.homework import ROOM

ROOM.header()

from core.lessons.lesson_ui.teacher_homework import assignment_form, receipts  # noqa: E402  (the title first)

assignment_form.show_assignment_form()
receipts.show_receipt_checker()
ROOM.show_text("kept")
