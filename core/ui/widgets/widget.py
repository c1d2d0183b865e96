"""Mounting of any browser widget by name, with its data: `ui.mount_widget("ring", points=…, order=…)`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.browser.choice_indexed_values import BrowserComputedValue, ByChoice, ChoiceRef
from core.browser.message_packing import pack_message
from core.ui.controls.values_with_control_names import ValueWithControlName
from core.ui.widgets.mount import mount

_NARROW = {"f": np.float32, "i": np.int32, "u": np.int32, "b": np.uint8}
_SENT = {"uint8", "int32", "uint32", "float32", "float16"}


def mount_widget(
    name: str,
    /,
    *,
    key: str,
    height: int = 240,
    click_sets: object = None,
    state: Sequence[str] = (),
    is_compressed: bool = False,
    **shown: object,
) -> dict[str, Any]:
    """Mount `assets/widgets/<name>.js` and return what the browser committed under each name of `state`.

    Args:
        height: of the empty placeholder until it is drawn, in css pixels.
        click_sets: the choices of the page that a click moves: `inputs.query`, or (`inputs.step`, its value for each
            element; None for elements that move nothing); a mapping gives them for each name that the script commits,
            by default "pick".
        is_compressed: whether the arrays are deflated, which pays off for the frames of a training run.
        shown: arrays (float64 and int64 are narrowed), also indexed by choices, go to the script's `arrays`; anything
            else, which must be JSON, to its `header`. A choice (`inputs.query`) becomes a reference.
    """
    arrays = {part: _narrow(value) for part, value in shown.items() if _is_array(value)}
    header = {part: control_to_choice_ref(value) for part, value in shown.items() if part not in arrays}
    if click_sets is not None:
        header["chooses"] = choices_set_by_click(click_sets)
    committed: dict[str, Any] = dict.fromkeys(state)
    return mount(
        name, key, pack_message({"widget": name} | header, arrays, compress=is_compressed), height=height, **committed
    )


def choices_set_by_click(chooses: object) -> dict[str, object]:
    """Return the choices that a click moves, by the name that the script commits, for its header."""
    if not isinstance(chooses, Mapping):
        return {"pick": _choice_names(chooses)}
    return {part: _choice_names(one) for part, one in chooses.items()}


def _choice_names(choice: object) -> Any:
    if isinstance(choice, Mapping):
        return {part: _choice_names(one) for part, one in choice.items()}
    if isinstance(choice, tuple) and not isinstance(choice, ValueWithControlName):
        return [_choice_names(choice[0]), [*choice[1]]]
    if isinstance(choice, ChoiceRef):
        return choice.name
    from core.ui.controls import browser_side_controls  # only here: notebooks draw without Streamlit

    return browser_side_controls.choice_ref(choice).name


def control_to_choice_ref(value: object) -> Any:
    if not isinstance(value, ValueWithControlName):
        return value
    from core.ui.controls import browser_side_controls

    return browser_side_controls.choice_ref(value) if browser_side_controls.find_choice_state(value) else value


def _is_array(value: object) -> bool:
    value = value.server_value if isinstance(value, BrowserComputedValue) else value
    return isinstance(value.values if isinstance(value, ByChoice) else value, np.ndarray)


def _narrow(value: Any) -> Any:
    if isinstance(value, BrowserComputedValue):
        return replace(value, server_value=_narrow(value.server_value))
    if isinstance(value, ByChoice):
        return replace(value, values=_narrow(value.values))
    array: NDArray[np.generic] = value
    return array if array.dtype.name in _SENT else array.astype(_NARROW[array.dtype.kind])
