"""A learner's answers in class: they count as the learner's own predictions on the lesson's page.

    note("3f…", "masks/1/2", 21.0)   # by the class, once everybody may know the answer
    of("3f…", "masks.1.2")           # 21.0, for the question on the page

Kept in memory: it is a convenience for the lesson at hand, and a browser stays with its server process.
"""

from collections import OrderedDict

MOST_OWNERS = 2_000
_said: OrderedDict[str, dict[str, object]] = OrderedDict()


def note_answer(owner: str, source: str, value: object) -> None:
    """Note a class answer of a browser to a question of a lesson, "masks/1/2"."""
    _said.setdefault(owner, {})[source.replace("/", ".")] = value
    _said.move_to_end(owner)
    if len(_said) > MOST_OWNERS:
        _said.popitem(last=False)


def class_answer(owner: str, place: str) -> object:
    """Return the class answer of a browser to the question at a place, "masks.1.2"; None if there is none."""
    return _said.get(owner, {}).get(place)


def forget(owner: str) -> None:
    """Forget the answers of a browser: its class has ended."""
    _said.pop(owner, None)
