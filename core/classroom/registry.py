"""All classes of this server: starting one, finding one, and deleting those that are over.

A damaged file never affects another class: it is set aside, logged once, and deleted after a day.
"""

import json
import logging
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path

from core.classroom.class_file import SCHEMA, class_file_path
from core.classroom.codes import key_digest, new_code, new_key, projector_key, read_code
from core.classroom.state import ClassDamaged, ClassRefused, ClassState
from core.classroom.store import Classroom
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

DAY = 24 * 3600.0  # after which a class that nobody has ended is deleted
UNUSED = 3 * 3600.0  # after which a class without learners and screens is deleted
NO_SCREEN = 60.0  # after which such a class may be deleted to make room for a new one
MOST_CLASSES = 200
MOST_OF_ADDRESS = 50  # classes in progress that were started from one address
MOST_OF_OWNER = 10  # and from one browser
_LOG = logging.getLogger("glassformer.classroom")


def start_class(owner: str = "", came: str = "") -> tuple[str, str]:
    """Start a class; return its code and the desk's key.

    Args:
        owner: the owner of the browser that starts it; "" for none.
        came: the mark of the address that it is started from.

    Raises:
        ClassRefused: if there are too many classes here, or too many from this address or browser.
    """
    delete_old_classes()
    _check_room(owner, came)
    while (path := class_file_path(code := new_code())).exists():
        pass
    key = new_key()
    path.parent.mkdir(parents=True, exist_ok=True)
    making = path.with_suffix(".new")
    making.unlink(missing_ok=True)
    with closing(sqlite3.connect(making)) as db:
        db.executescript(f"PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; {SCHEMA}")
        row = (
            time.time(),
            key_digest(key),
            key_digest(projector_key(key)),
            owner,
            came,
            json.dumps(asdict(ClassState())),
        )
        db.execute("INSERT INTO class VALUES (?, ?, ?, ?, ?, ?)", row)
        db.commit()
    making.rename(path)  # nobody finds half a class
    return code, key


def _class_codes() -> tuple[str, ...]:
    """Return the codes of all classes."""
    return tuple(path.stem for path in _folder().glob("*.sqlite"))


def find_class(typed: str) -> Classroom | None:
    """Return the class with this code, however it was typed, or None."""
    code = read_code(typed)
    return Classroom(code) if code is not None and class_file_path(code).is_file() else None


def delete_old_classes(now: float | None = None) -> None:
    """Delete every class that is a day old, or that nobody has joined and no screen shows."""
    now = time.time() if now is None else now
    for code in _class_codes():
        try:
            with closing(Classroom(code)) as room:
                begun, is_empty = room.age()
                if begun < now - DAY or (is_empty and begun < now - UNUSED and _touched(code) < now - UNUSED):
                    room.end()
        except ClassDamaged as damage:
            set_damaged_class_aside(code, damage)
        except ClassRefused:
            pass  # it has ended, or is busy and handled next time
        except (OSError, sqlite3.Error):
            _LOG.exception("Class %s could not be tidied up", code)
    for path in _folder().glob("*"):
        if path.suffix in (".damaged", ".new") and path.stat().st_mtime < now - DAY:
            path.unlink(missing_ok=True)


def set_damaged_class_aside(code: str, damage: Exception) -> None:
    """Move a class's unreadable file out of the way."""
    path = class_file_path(code)
    try:
        path.replace(path.with_suffix(".damaged"))
    except OSError:
        return  # another process was first
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    _LOG.error("The file of class %s is damaged and was set aside", code, exc_info=damage)


def _check_room(owner: str, came: str) -> None:
    """Raise ClassRefused if a limit is reached and all counted classes have learners or a screen."""
    begun = {code: found for code in _class_codes() if (found := _begun_by(code)) is not None}
    of_address = [code for code, one in begun.items() if came and one[1] == came]
    of_owner = [code for code, one in begun.items() if owner and one[0] == owner]
    for held, most, key in (
        (of_owner, MOST_OF_OWNER, "full.browser"),
        (of_address, MOST_OF_ADDRESS, "full.network"),
        ([*begun], MOST_CLASSES, "full.server"),
    ):
        if len(held) >= most and not _end_unused(held):
            raise ClassRefused(LABELS(key, most=most))


def _end_unused(held: list[str]) -> bool:
    """End one of these classes that nobody has joined and no screen shows; return whether there was one."""
    for code in sorted(held, key=_touched):
        if _touched(code) > time.time() - NO_SCREEN:
            return False
        with suppress(ClassRefused, OSError), closing(Classroom(code)) as room:
            if room.age()[1]:
                room.end()
                return True
    return False


def _begun_by(code: str) -> tuple[str, str] | None:
    try:
        with closing(Classroom(code)) as room:
            return room.begun_by()
    except ClassRefused:
        return None


def _touched(code: str) -> float:
    path = class_file_path(code)
    return max((one.stat().st_mtime for one in (path, path.with_name(path.name + "-wal")) if one.exists()), default=0.0)


def _folder() -> Path:
    return class_file_path("").parent
