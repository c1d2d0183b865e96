"""A learner's answers in class, which count as the learner's own predictions on the lesson's page.

    note_answer("3f…", "masks/1/2", 21.0)   # by the class, once everybody may know the answer
    class_answer("3f…", "masks.1.2")        # 21.0, for the question on the page

They are only kept in memory, because they are a convenience for the current lesson, and a browser stays with its server
process.
"""

from collections import OrderedDict

MOST_OWNERS = 2_000
_said: OrderedDict[str, dict[str, object]] = OrderedDict()


def store_class_answer(owner: str, source: str, value: object) -> None:
    """Store a browser's class answer to a question of a lesson, "masks/1/2"."""
    _said.setdefault(owner, {})[source.replace("/", ".")] = value
    _said.move_to_end(owner)
    if len(_said) > MOST_OWNERS:
        _said.popitem(last=False)


def class_answer(owner: str, place: str) -> object:
    """Return a browser's class answer to the question at a place, "masks.1.2", or None."""
    return _said.get(owner, {}).get(place)


def forget_class_answers(owner: str) -> None:
    """Delete the answers of a browser, whose class has ended."""
    _said.pop(owner, None)
