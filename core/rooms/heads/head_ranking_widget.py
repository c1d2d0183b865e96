"""The heads of a model by how much a text misses each; see `assets/widgets/heads/head_ranking.js`."""

from collections.abc import Sequence
from typing import Any

from core.browser.linked import Chosen
from core.browser.message import pack
from core.ui.widgets.mount import mount


def head_ranking(heads: Sequence[str], rises: Any, off: Chosen, *, most: int, value_title: str, key: str) -> None:
    """One bar for each head, the one that is missed most on top. A click switches it off, another on again.

    Args:
        heads: their names.
        rises: of the loss without each alone; it may depend on choices, see `core.browser.linked`.
        off: the choice of the page that says which are off.
        most: so many bars at most.
        value_title: what the numbers are.
        key: names the instance.
    """
    header: dict[str, Any] = {"widget": "head_ranking", "heads": heads, "rises": rises, "off": off, "most": most}
    header |= {"label": "Each head off alone: how much worse?", "value_title": value_title}
    mount("head_ranking", key, pack(header | {"chooses": {"off": off.name}}, {}))
