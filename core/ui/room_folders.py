"""The folders of a room's files: the app's own ones, or the folder of the package that brings the room."""

import importlib.util
from pathlib import Path

ROOMS = f"{__package__.rpartition('.')[0]}.rooms"  # the package of the app's own rooms, "core.rooms"
TEXTS = Path(__file__).resolve().parents[2] / "assets" / "rooms"


def is_third_party_package(package: str) -> bool:
    """Return whether a room's package is another one than the app's."""
    return package.rpartition(".")[0] != ROOMS


def package_folder(package: str) -> Path:
    """Return the folder of an importable package. Raises ValueError if it is none."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ValueError(f"{package} is not a package with an __init__.py")
    return Path(spec.origin).resolve().parent


def room_text_folder(package: str) -> Path:
    """Return the folder of a room's texts: `assets/rooms/<room>`, or `assets` in the folder of another package."""
    return package_folder(package) / "assets" if is_third_party_package(package) else TEXTS / package.rpartition(".")[2]
