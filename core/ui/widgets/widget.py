"""Mounting of any browser widget by name, with its data: `ui.widget("ring", points=…, order=…)`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.browser.linked import Along, Chosen, Computed
from core.browser.message import pack
from core.ui.controls.references import Reference
from core.ui.widgets.mount import mount

_NARROW = {"f": np.float32, "i": np.int32, "u": np.int32, "b": np.uint8}
_SENT = {"uint8", "int32", "uint32", "float32", "float16"}


def widget(
    name: str,
    /,
    *,
    key: str,
    height: int = 240,
    chooses: object = None,
    state: Sequence[str] = (),
    is_compressed: bool = False,
    **shown: object,
) -> dict[str, Any]:
    """Mount `assets/widgets/<name>.js` and return what the browser committed under each name of `state`.

    Args:
        height: of the empty placeholder until it is drawn, in css pixels.
        chooses: the choices of the page that a click moves: `inputs.query`, or (`inputs.step`, its value for each
            element; None for elements that move nothing); a mapping gives them for each name that the script commits,
            by default "pick".
        is_compressed: whether the arrays are deflated, which pays off for the frames of a training run.
        shown: arrays (float64 and int64 are narrowed), also indexed by choices, go to the script's `arrays`; anything
            else, which must be JSON, to its `header`. A choice (`inputs.query`) becomes a reference.
    """
    arrays = {part: _narrow(value) for part, value in shown.items() if _is_array(value)}
    header = {part: followed(value) for part, value in shown.items() if part not in arrays}
    if chooses is not None:
        header["chooses"] = moved_by(chooses)
    committed: dict[str, Any] = dict.fromkeys(state)
    return mount(name, key, pack({"widget": name} | header, arrays, compress=is_compressed), height=height, **committed)


def moved_by(chooses: object) -> dict[str, object]:
    """Return the choices that a click moves, by the name that the script commits, for its header."""
    if not isinstance(chooses, Mapping):
        return {"pick": _moved(chooses)}
    return {part: _moved(one) for part, one in chooses.items()}


def _moved(choice: object) -> Any:
    if isinstance(choice, Mapping):
        return {part: _moved(one) for part, one in choice.items()}
    if isinstance(choice, tuple) and not isinstance(choice, Reference):
        return [_moved(choice[0]), [*choice[1]]]
    if isinstance(choice, Chosen):
        return choice.name
    from core.ui.controls import choices  # only here: notebooks draw without Streamlit

    return choices.chosen(choice).name


def followed(value: object) -> Any:
    if not isinstance(value, Reference):
        return value
    from core.ui.controls import choices

    return choices.chosen(value) if choices.find(value) else value


def _is_array(value: object) -> bool:
    value = value.instead if isinstance(value, Computed) else value
    return isinstance(value.values if isinstance(value, Along) else value, np.ndarray)


def _narrow(value: Any) -> Any:
    if isinstance(value, Computed):
        return replace(value, instead=_narrow(value.instead))
    if isinstance(value, Along):
        return replace(value, values=_narrow(value.values))
    array: NDArray[np.generic] = value
    return array if array.dtype.name in _SENT else array.astype(_NARROW[array.dtype.kind])
