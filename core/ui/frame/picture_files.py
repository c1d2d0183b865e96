"""The pictures of an exhibit as SVG and PNG files: found and made by the browser, which is where they were drawn."""

from core.ui.widgets.message import pack
from core.ui.widgets.mount import renderer


def saving(key: str) -> None:
    """A list of the pictures of the exhibit that this is drawn in, with a button for each kind of file.

    It finds the app's own widgets, charts of Vega-Lite and Plotly, and images; what is folded away is not listed.
    """
    renderer("saving", height=40)(key=key, data=pack({}, {}))
