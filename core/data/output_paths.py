"""The output folder or file of a command, checked before anything is computed or created.

A folder is free if it doesn't exist, is empty, or is ours; a file if it doesn't exist or is ours. Anything else is
refused in one sentence that names the option as it was typed and says what to do.
"""

import os
import shlex
from collections.abc import Callable
from pathlib import Path

LONGEST_NAME = 255  # bytes, on the file systems in use
CLUTTER = {".DS_Store", "Thumbs.db", "desktop.ini"}  # an operating system puts them into folders that people open


class OutputPathRefused(ValueError):
    """The message names the option, what was typed, and what to type instead."""


def output_folder(typed: str, is_ours: Callable[[Path], bool], option: str = "--out") -> Path:
    """Return the folder to write into; it need not exist yet, and isn't made here.

    Args:
        typed: what the person typed.
        is_ours: whether a folder that isn't empty is one that this command has written.
        option: the name of what was typed, for messages.

    Raises:
        OutputPathRefused: if it is empty, the root, the home folder or a file, can't be written, or holds files that
            aren't ours.
    """
    path, named = _path(typed, option, "folder"), f"{option} {quote_path(typed)}"
    try:
        _check_place(path, named)
        if path.is_file() or (path.exists() and not path.is_dir()):
            raise OutputPathRefused(f"{named} is a file, and a folder is needed: choose another name")
        place = path.resolve()
        if place == Path(place.anchor):
            raise OutputPathRefused(
                f"{named} is the root of the file system: choose a new folder, such as {option} mine"
            )
        if place == _home():
            raise OutputPathRefused(f"{named} is your home folder: choose a new folder in it, such as {option} mine")
        found = folder_entries(path)
        if found and not is_ours(path):
            others = f" and {len(found) - 1} more" if len(found) > 1 else ""
            raise OutputPathRefused(
                f"{named} is a folder with other files in it ({quote_path(found[0])}{others}), and nothing was "
                "changed: choose a new or an empty folder"
            )
    except OSError as error:
        raise OutputPathRefused(f"{named} can't be used: {error.strerror or error}") from error
    return path


def output_file(typed: str, is_ours: Callable[[Path], bool], option: str = "--out") -> Path:
    """Return the file to write; it need not exist yet, and nor need its folder.

    Args:
        typed: what the person typed.
        is_ours: whether a file that exists is one that this command has written.
        option: the name of what was typed, for messages.

    Raises:
        OutputPathRefused: if it is empty or a folder, can't be written, or exists and isn't ours.
    """
    path, named = _path(typed, option, "file"), f"{option} {quote_path(typed)}"
    try:
        if path.is_dir() or typed.endswith(("/", os.sep)):
            raise OutputPathRefused(f"{named} is a folder, and a file is needed: add a name, such as page.html")
        _check_place(path, named)
        if path.exists() and not (path.is_file() and is_ours(path)):
            raise OutputPathRefused(
                f"{named} exists and wasn't made by Glassformer, and nothing was changed: choose another name"
            )
    except OSError as error:
        raise OutputPathRefused(f"{named} can't be used: {error.strerror or error}") from error
    return path


def folder_entries(folder: Path) -> list[str]:
    """Return the names in a folder, sorted, without clutter and without half-written files of a killed program."""
    names = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    return [name for name in names if name not in CLUTTER and not (name.startswith(".write-") and name[-4:] == ".tmp")]


def quote_path(typed: str) -> str:
    """Return what was typed as one line that a shell would read as the same."""
    return shlex.quote(typed) if typed.isprintable() else ascii(typed)


def _path(typed: str, option: str, kind: str) -> Path:
    if not typed.strip():
        raise OutputPathRefused(f"{option} is empty: name a {kind}. If it came from a variable, the variable isn't set")
    if "\0" in typed:
        raise OutputPathRefused(f"{option} {quote_path(typed)} can't be the name of a {kind}: it has a zero byte")
    if any(len(os.fsencode(part)) > LONGEST_NAME for part in Path(typed).parts):
        raise OutputPathRefused(
            f"{option} {quote_path(typed)} can't be used: a name in it is longer than {LONGEST_NAME} bytes"
        )
    try:
        return Path(typed).expanduser()
    except RuntimeError as error:
        raise OutputPathRefused(f"{option} {quote_path(typed)}: there is no such home folder") from error


def _check_place(path: Path, named: str) -> None:
    """Check that a file or folder could be made here."""
    if path.is_symlink() and not path.exists():
        raise OutputPathRefused(f"{named} is a link to something that doesn't exist: choose another name")
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    if there != path and not there.is_dir():
        raise OutputPathRefused(
            f"{named} can't be made, because {quote_path(str(there))} is a file: choose another name"
        )
    if not os.access(there, os.W_OK):
        raise OutputPathRefused(f"{named} can't be written: you may not write to {quote_path(str(there))}")


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except (RuntimeError, OSError):
        return None
