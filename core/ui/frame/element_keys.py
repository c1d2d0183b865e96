"""Keys of the frame's own elements. Only this module makes them, so that no exhibit can get one by accident.

Streamlit gives an element with the key "gf-pane-one-head" the class `st-key-gf-pane-one-head`. The style sheets and the
page's scripts find elements by it, and some rules hide what they find, so an exhibit whose own key began like one of
the frame's would vanish without an error. So all keys of the frame begin with a prefix that is refused to all other
elements.
"""

import re

PREFIX = "gf-"
# The first part of each key; a name may follow. No kind followed by a dash may be the beginning of another kind.
KINDS = frozenset(
    {
        *("above", "alone", "exhibit", "file", "head", "more", "open", "pane", "panel", "rail", "read"),  # an exhibit
        *("choice", "computation", "saving", "sentence", "tell", "try", "unseen"),  # its messengers
        *("about", "chat", "controls", "looking", "offer", "offered", "own", "stays"),  # its inputs
        *("contents", "depth", "go-on", "here", "keys", "menu", "navigation", "onward", "page-header", "remember"),
        *("section", "share", "shared-note", "terms", "tools", "top"),  # around the page
        *("alike", "off-slide", "pair", "room", "rooms", "wide-table"),  # layout
        *("home-opening", "home-picture", "home-sentence", "home-words", "studio-empty"),  # pages
        *("check", "do", "glossary", "homework", "lessons-start", "predict", "receipts", "way"),  # lessons
        *("lesson-back", "lesson-done", "lesson-head", "lesson-next", "lesson-open", "lesson-step", "lesson-steps"),
        *("lesson-top", "lesson-way"),
    }
)


class _FrameKey(str):
    """A key made by `page_element_key`."""


def page_element_key(kind: str, name: str = "") -> _FrameKey:
    """Return the key of an element of the frame, "gf-pane-one-head".

    Args:
        kind: one of `KINDS`.
        name: distinguishes several elements of one kind, such as an exhibit's name.

    Raises:
        KeyError: if the kind is not listed.
    """
    if kind not in KINDS:
        raise KeyError(f"{kind!r} is not listed in core.ui.frame.element_keys.KINDS")
    return _FrameKey(f"{PREFIX}{kind}-{name}" if name else PREFIX + kind)


def refuse_reserved_key(key: str) -> None:
    """Reject a key of an exhibit, room or widget that would get the class of one of the frame's elements.

    Raises:
        ValueError: if the key, as Streamlit writes it into the page, begins with the frame's prefix.
    """
    if not isinstance(key, _FrameKey) and re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip()).startswith(PREFIX):
        raise ValueError(f"the key {key!r} begins with {PREFIX!r}, which only the frame's own elements may")
