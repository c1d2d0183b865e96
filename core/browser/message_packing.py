"""Messages to browser widgets: `u32 little-endian header length | JSON header | arrays`.

Streamlit passes bytes to a component only at the top level of its data, so header and arrays are sent as one value.
The header is padded with spaces and each array with zeros, so that every array starts at a multiple of eight and
the browser can read it in place. `assets/widgets/drawing/frame.js` is the browser's half.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.browser.choice_indexed_values import BrowserComputedValue, ByChoice, ChoiceRef, value_at_first_option
from core.data.localization.labels import Label

_ALIGN = 8
_MANY_BYTES = 2**15
MAX_PLAIN_NAMES = (
    4_096  # names of a vocabulary without compression; with more, a message would be hundreds of kilobytes
)
_DTYPES = {"uint8": "u1", "int32": "i4", "uint32": "u4", "float32": "f4", "float16": "f2"}


def pack_message(
    header: Mapping[str, object],
    arrays: Mapping[str, NDArray[np.generic] | ByChoice | BrowserComputedValue],
    *,
    compress: bool = False,
) -> bytes:
    """Pack a JSON header and named arrays into a message.

    Args:
        header: JSON-able; "arrays" and "id" are added here, and "label_name" if its label has a name, by which the
            page's address knows the picture in every language. Lone surrogates in strings become "?".
        arrays: uint8, int32, uint32, float16 or float32, any shape; or such an array indexed by choices of the page, or
            computed from them.
        compress: deflate the arrays (zlib); worth it for attention frames, not for a single matrix. Large arrays are
            always deflated, such as the weights of all heads, half of which are masked.

    Returns:
        The message. "id" is a hash of its content; the browser keeps its state if it gets the same id again.

    Raises:
        ValueError: for a dtype that the browser does not read, or a header that contains NaN or infinity.
    """
    blocks: list[bytes] = []
    described: dict[str, dict[str, object]] = {}
    depends = _Dependencies()
    for name, given in arrays.items():
        described[name], block = _described(name, given, compress)
        described[name]["offset"] = sum(map(len, blocks))
        blocks.append(block + bytes(-len(block) % _ALIGN))
        for one in (given, given.server_value if isinstance(given, BrowserComputedValue) else None):
            if isinstance(one, ByChoice | BrowserComputedValue):
                depends.note(one)
    content = dict(header) | {"arrays": described}
    label = value_at_first_option(content.get("label"))
    if isinstance(label, Label):
        content["label_name"] = label.name
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=depends.to_json)
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8)
    for block in blocks:
        digest.update(block)
    encoded = (text[:-1] + f'{depends.fields()},"id":"{digest.hexdigest()}"}}').encode("utf-8", "replace")
    encoded += b" " * (-(len(encoded) + 4) % _ALIGN)
    return len(encoded).to_bytes(4, "little") + encoded + b"".join(blocks)


class _Dependencies:
    """The choices of the page, and the computation, that a message depends on."""

    def __init__(self) -> None:
        self.linked: dict[str, str] = {}
        self.computed: str | None = None

    def note(self, value: ByChoice | ChoiceRef | BrowserComputedValue) -> None:
        self.linked |= dict.fromkeys(value.names, "") if isinstance(value, ByChoice) else {}
        self.linked |= value.ranges
        self.computed = value.computation if isinstance(value, BrowserComputedValue) else self.computed

    def to_json(self, value: object) -> object:
        """Convert a header value that depends on choices to the browser's form."""
        if not isinstance(value, ByChoice | ChoiceRef | BrowserComputedValue):
            raise TypeError(f"a header holds no {type(value).__name__}")
        self.note(value)
        return value.to_message()

    def fields(self) -> str:
        """Return the end of the header that lists the dependencies; it is not part of the message's id."""
        linked = f',"linked":{json.dumps(self.linked, sort_keys=True)}' if self.linked else ""
        return linked + (f',"computed":"{self.computed}"' if self.computed else "")


def _described(
    name: str, given: NDArray[np.generic] | ByChoice | BrowserComputedValue, compress: bool
) -> tuple[dict[str, object], bytes]:
    """Return an array's header entry and its bytes. Raises ValueError for a dtype that the browser does not read."""
    known = given.server_value if isinstance(given, BrowserComputedValue) else given
    array = known.values if isinstance(known, ByChoice) else known
    code = _DTYPES.get(array.dtype.name)
    if code is None:
        raise ValueError(f"array {name!r} is {array.dtype.name}; a widget reads {', '.join(_DTYPES)}")
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    is_deflated = compress or (array.dtype.kind in "ui" and array.nbytes >= _MANY_BYTES)
    block = zlib.compress(little.tobytes(), level=1) if is_deflated else little.tobytes()
    entry = {"dtype": code, "shape": list(array.shape), "bytes": len(block)}
    if isinstance(known, ByChoice):
        entry["along"] = known.names
    if isinstance(given, BrowserComputedValue):
        entry["computed"] = given.part
    if is_deflated:
        entry["zlib"] = True
    return entry, block


def unpack_message(message: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Unpack a message to `(header, arrays)`, for tests and debugging."""
    length = int.from_bytes(message[:4], "little")
    header = json.loads(message[4 : 4 + length])
    payload = message[4 + length :]
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, about in header["arrays"].items():
        block = payload[about["offset"] : about["offset"] + about["bytes"]]
        if about.get("zlib"):
            block = zlib.decompress(block)
        arrays[name] = np.frombuffer(block, dtype="<" + about["dtype"]).reshape(about["shape"])
    return header, arrays


def _pack_names(tokens: Sequence[str]) -> tuple[dict[str, object], dict[str, NDArray[np.uint8]]]:
    """Return the names of a vocabulary for a message: a part of the header, and if there are many, deflated arrays.

    `assets/widgets/drawing/names.js` reads them.
    """
    joined = "\0".join(tokens)
    if len(tokens) <= MAX_PLAIN_NAMES or joined.count("\0") != len(tokens) - 1:
        return {"tokens": list(tokens)}, {}
    return {}, {"names": np.frombuffer(joined.encode("utf-8", "replace"), np.uint8)}


def as_levels(weights: NDArray[Any]) -> NDArray[np.uint8]:
    """Convert weights between 0 and 1 to bytes; bytes are unchanged."""
    if weights.dtype == np.uint8:
        return weights
    if not (np.isfinite(weights).all() and weights.min() >= -1e-6 and weights.max() <= 1 + 1e-3):
        raise ValueError(f"weights run from {weights.min()} to {weights.max()}; they must lie between 0 and 1")
    return np.rint(np.clip(weights, 0, 1) * 255).astype(np.uint8)
