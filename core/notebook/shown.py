"""A picture in a notebook: the page of `core.browser` in a frame of its own, whose choices one can read and set.

A frame, so that neither the notebook's styles nor its scripts meet ours; and so that the same file stands there where
no kernel runs.
"""

import html
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from core.browser.capture import Sent
from core.browser.page import Content, web_page

SCRIPT = Path(__file__).resolve().parents[2] / "assets" / "widgets" / "page" / "notebook.js"


class Shown(anywidget.AnyWidget):
    """A picture with its page.

    Attributes:
        page: the HTML file; `Path("heads.html").write_text(shown.page)` keeps it.
        values: what is chosen in it, by name; set some to choose: `shown.values = {"head": 2}`.
        height: of its frame where no kernel runs, in css pixels.
    """

    _esm = SCRIPT.read_text(encoding="utf-8")
    page = traitlets.Unicode().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)

    def __init__(self, title: str, sent: list[Sent], *, look_for: str = "", height: int = 640, **values: Any):
        super().__init__(page=web_page(Content(title, look_for, sent)), values=values)
        self.height = height

    def _repr_html_(self) -> str:
        """Where no kernel runs: the page itself, which needs none."""
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="Glassformer" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def _repr_mimebundle_(self, **options: Any) -> Any:
        data, *rest = super()._repr_mimebundle_(**options) or ({},)
        return ({**data, "text/html": self._repr_html_()}, *rest)
