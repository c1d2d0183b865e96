"""What only chooses what to look at, generated from the declarations: the browser has it all, and the server the rest.

What this catches: a click that chooses another thing than the one it marks, or nothing that the page has; a model too
large to be sent whole, of which another part is shown than the one that was chosen, or whose server hears of no move.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from core.browser.message_packing import unpack_message
from core.ui.controls import browser_side_controls
from tests.drawn import Drawn, choices_at_their_ends, controls_of, settings_at_their_ends
from tests.pages.choices import headers, looked, shown as header_and_arrays, told
from tests.pages.rooms import text_of
from tests.pages.test_states import NAMES, revealed, shown

LOOKS = [name for name in NAMES if any(one.view for one in controls_of(name).values())]
LARGE = [name for name in LOOKS if any(one.view and one.view.n_number for one in controls_of(name).values())]
OF_THE_PAGE = {"linked", "id", "badge", "label_name"}  # where its values come from, and what the address calls it
DECIMAL = re.compile(r"\d+\.\d+")


def addresses(name: str) -> list[dict[str, Any]]:
    """Where the choices of an exhibit begin, and where all stand at an end, with other settings, too."""
    drawing = shown(name, **revealed(name)).drawing
    assert drawing is not None
    moved = revealed(name) | choices_at_their_ends(name, drawing.inputs)
    return [revealed(name), moved, settings_at_their_ends(name, drawing.inputs) | moved | {"depth": "numbers"}]


def pictures(found: Drawn) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """What the pictures show where the choices stand, by their labels."""
    sent = [one.proto.bytes for one in found.test.get("bidi_component") if one.proto.bytes]
    every = [header_and_arrays(message, found.test) for message in sent if "label" in unpack_message(message)[0]]
    return {f"{header['widget']} {header['label']}": (header, arrays) for header, arrays in every}


@pytest.mark.parametrize("name", LOOKS)
def test_a_click_on_what_is_marked_leaves_it_marked(name: str) -> None:
    for address in addresses(name):
        test = shown(name, **address).test
        for _, header in headers(test):
            moves, marked = header.get("chooses") or {}, header.get("selected", header.get("chosen"))
            chosen = dict(_picked(moves.get("pick"), looked(marked, test), looked(header.get("values"), test)))
            assert {*_names(moves)} <= told(test).keys(), header["label"]
            assert looked(marked, test, chosen) == looked(marked, test), header["label"]


def _names(moves: Any) -> Iterator[str]:
    """Of all choices that a click moves."""
    if isinstance(moves, dict):
        for one in moves.values():
            yield from _names(one)
    else:
        yield moves[0] if isinstance(moves, list) else moves


def _picked(pick: Any, marked: Any, values: Any) -> Iterator[tuple[str, Any]]:
    """What a click on what is marked would choose: name -> value."""
    if isinstance(pick, dict):
        sides = ("row", "column") if {*pick} <= {"row", "column"} else (*pick,)
        for part, one in zip(sides, marked or (), strict=False):
            if part in pick:
                yield from _picked(pick[part], one, values)
    elif isinstance(marked, list):  # a part of one of some pictures
        yield from _picked(pick, marked[-1], values)
    elif pick is not None and marked is not None:
        name, found = pick if isinstance(pick, list) else (pick, values)
        yield name, marked if found is None else found[marked]


@pytest.mark.parametrize("name", LARGE)
def test_of_a_large_model_what_is_chosen_is_sent_and_the_server_hears_of_another(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address in addresses(name):
        whole = shown(name, **address)
        with monkeypatch.context() as patch:
            patch.setattr(browser_side_controls, "_MAX_NUMBERS", 0)
            part = shown(name, **address)
        assert numbers_of(part) == numbers_of(whole)
        seen, wanted = pictures(part), pictures(whole)
        assert seen.keys() == wanted.keys()
        for label, (header, arrays) in seen.items():
            assert not {key for key in header if header[key] != wanted[label][0][key]} - OF_THE_PAGE, label
            for key, array in arrays.items():
                whole_array = wanted[label][1][key][
                    tuple(map(slice, array.shape))
                ]  # where some have less, it is filled up
                np.testing.assert_array_equal(array, whole_array, label)
        heard = {key for script, one in headers(part.test) if script == "tell" for key in one["values"]}
        assert heard or size_of(part) == size_of(whole)


def numbers_of(found: Drawn) -> set[str]:
    """All that is said with decimals."""
    return {*DECIMAL.findall(text_of(found.test).replace("\\", ""))}


def size_of(found: Drawn) -> int:
    """Bytes of all that was sent."""
    return sum(len(one.proto.bytes) for one in found.test.get("bidi_component"))
