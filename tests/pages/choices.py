"""What the browser makes of choices, for a page without one: sentences filled in, and where each choice stands."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from core.browser.message_packing import unpack_message

_PLACE = re.compile("\ue000(\\d+)\ue001")


def told(test: AppTest) -> dict[str, dict[str, Any]]:
    """The choices of the page as it was sent: by name, what the browser knows of each."""
    return {one["choice"]["name"]: one["choice"] for one in _headers(test, "choice")}


def sentences(test: AppTest) -> list[str]:
    """The sentences that follow choices, as they read where these stand now: HTML, bold with two stars."""
    choices = told(test)
    return [_sentence(header, choices) for header in _headers(test, "sentence")]


def sentence(message: bytes, test: AppTest) -> str:
    """One of them."""
    return _sentence(unpack_message(message)[0], told(test))


def _sentence(header: dict[str, Any], choices: dict[str, dict[str, Any]]) -> str:
    html, facts = header["html"][_looked(header["section"], choices)], _looked(header["facts"], choices)
    text = _PLACE.sub(lambda place: str(facts[int(place[1])]), html)
    return re.sub(r"</?strong>", "**", re.sub(r"</?p>", "", text)).strip()


def unfinished(test: AppTest) -> list[str]:
    """Sentences with numbers in them that end with a colon, and nothing after it, wherever the choices stand."""
    said = [re.sub("<[^>]+>", "", one) for header in _headers(test, "sentence") for one in _texts(header["html"])]
    return [one for one in said if one.rstrip(" *_\n").endswith(":")]


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value, whatever they depend on."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def looked(value: Any, test: AppTest, moved: Mapping[str, Any] | None = None) -> Any:
    """A part of a header as it is where the choices stand now: what `assets/widgets/drawing/linked.js` does.

    Args:
        moved: choices that stand elsewhere.
    """
    return _looked(
        value, {name: one | {"value": (moved or {}).get(name, one["value"])} for name, one in told(test).items()}
    )


def _looked(value: Any, choices: dict[str, dict[str, Any]]) -> Any:
    if isinstance(value, list):
        return [_looked(one, choices) for one in value]
    if not isinstance(value, dict):
        return value
    if "along$" in value:
        found = value["values"]
        for name in value["along$"]:
            found = found[_index(choices[name])]
        return _looked(found, choices)
    if "chosen$" in value:
        now = choices[value["chosen$"]]["value"]
        return _looked(value["or"], choices) if now == value["unless"] else now
    if "computed$" in value:  # the server's own, until somebody chooses
        return _looked(value["or"], choices)
    return {name: _looked(one, choices) for name, one in value.items()}


def shown(message: bytes, test: AppTest) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A picture's header and arrays as they are where the choices stand now."""
    header, arrays = unpack_message(message)
    about, choices = header.pop("arrays"), told(test)
    at = {name: tuple(_index(choices[one]) for one in about[name].get("along", ())) for name in arrays}
    return _looked(header, choices), {name: array[at[name]] for name, array in arrays.items()}


def _index(choice: dict[str, Any]) -> int:
    if "options" in choice:
        return [value for value, *_ in choice["options"]].index(choice["value"])
    return round((choice["value"] - choice["low"]) / choice["step"])


def headers(test: AppTest) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each widget of the page was sent: its script's name, and the header."""
    for one in test.get("bidi_component"):
        if one.proto.bytes:
            yield one.proto.component_name.removeprefix("glassformer_"), unpack_message(one.proto.bytes)[0]


def every_sent(test: AppTest, script: str) -> list[bytes]:
    """What the widgets of a script were sent."""
    every = [one.proto for one in test.get("bidi_component")]
    return [one.bytes for one in every if one.component_name == f"glassformer_{script}" and one.bytes]


def sent(test: AppTest, script: str) -> bytes:
    """What the first widget of a script was sent."""
    return every_sent(test, script)[0]


def _headers(test: AppTest, script: str) -> list[dict[str, Any]]:
    return [unpack_message(message)[0] for message in every_sent(test, script)]
