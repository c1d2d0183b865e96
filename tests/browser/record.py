"""Record a message for each picture of the scene, after one has changed: `python -m tests.browser.record [ROOM ...]`.

Each page is run as a visitor opens it, with all its exhibits; of a picture that stands in several places the shortest
message is kept. What depends on choices of the page is taken as they stand then.
"""

import sys
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.browser.message_packing import pack_message
from core.rooms import rooms
from core.ui.exhibit import folding
from tests.browser.test_scene import MESSAGES, PICTURES
from tests.pages.choices import shown

ROOT = Path(__file__).resolve().parents[2]


def messages(page: Path) -> dict[str, bytes]:
    """What the pictures of a page are sent, the shortest message of each."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300).run().switch_page(str(page)).run()
    found: dict[str, bytes] = {}
    for one in test.get("bidi_component"):
        name = one.proto.component_name.removeprefix("glassformer_")
        if name in PICTURES and one.proto.bytes:
            header, arrays = shown(one.proto.bytes, test)
            told = {key: value for key, value in header.items() if key not in ("id", "linked", "computed")}
            message = pack_message(told, arrays, compress=True)
            found[name] = min(message, found.get(name, message), key=len)
    return found


def main() -> None:
    folding.is_unfolded = lambda *_: True
    found: dict[str, bytes] = {}
    named = sys.argv[1:]
    for room in rooms():
        if named and room.address not in named:
            continue
        for name, message in messages(Path(room.page)).items():
            found[name] = min(message, found.get(name, message), key=len)
    for name, message in found.items():
        (MESSAGES / f"{name}.bin").write_bytes(message)
    if not named:
        print("not seen on any page:", *(set(PICTURES) - set(found)), file=sys.stderr)


if __name__ == "__main__":
    main()
