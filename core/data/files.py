"""The program's data folder, atomic writes that never leave half a file, safe file names, and sizes in words."""

import os
import re
import stat
import tempfile
import unicodedata
from contextlib import suppress
from pathlib import Path

import platformdirs

from core.data.localization.labels import module_labels
from core.data.localization.locales import localize_number

LABELS = module_labels(__name__)

_OURS = frozenset({"classes", "links", "models", "opened", "runs", "texts", "weights", "measuring.lock"})
MAX_NAME = 60  # characters; at most 240 bytes in UTF-8, and file systems allow 255


def data_dir() -> Path:
    """Return the folder for runs, own texts and downloads, and create it if needed.

    It is `$GLASSFORMER_DATA` if that is set, else the usual place for this user's data. If the home folder can't be
    written to (a classroom image, a container), it is a private folder in the directory for temporary files. Raises
    OSError if no such folder can be made.
    """
    if chosen := os.environ.get("GLASSFORMER_DATA"):
        return _make_private(Path(chosen))
    folder = Path(platformdirs.user_data_dir("glassformer", appauthor=False))
    try:
        _make_private(folder)
    except OSError:
        return _private_temporary_folder()
    return folder if os.access(folder, os.W_OK) else _private_temporary_folder()


def _make_private(folder: Path) -> Path:
    """Make a folder that other accounts can't read, or close ours to them. Raises OSError if that fails."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(OSError, AttributeError):  # a file system without modes; Windows has no such users
        about = folder.stat()
        is_open = stat.S_IMODE(about.st_mode) & 0o077
        # A folder with anything else in it serves other purposes, and may have to stay open.
        if is_open and about.st_uid == os.getuid() and all(_is_own_name(one.name) for one in folder.iterdir()):
            folder.chmod(0o700)
    return folder


def _is_own_name(name: str) -> bool:
    """Return whether a file or folder of this name in a data folder belongs to this program."""
    return name in _OURS or name.startswith((".", "homework.", "bfloat16-")) or name.endswith(".key")


def _private_temporary_folder() -> Path:
    """Return a private folder in the directory for temporary files; that is shared, so the owner is checked."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"glassformer-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.lstat().st_uid != user:
        raise PermissionError(LABELS("foreign_folder", folder=folder))
    return folder


def write_atomic(path: Path | str, data: bytes) -> None:
    """Write a file atomically: a reader, a crash or a power cut sees the old content or the new, never half of it.

    The bytes are written under a temporary name in the same folder, flushed to disk, and renamed in one step. Missing
    folders are made. Raises OSError if that is not possible; the old file is then untouched.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".write-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if os.name == "posix":  # flush the new name itself to disk; Windows can't open a folder
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_start(path: Path, most: int) -> bytes:
    """Return at most the first `most` bytes of a file, however large it is. Raises OSError."""
    with path.open("rb") as file:
        return file.read(most)


def safe_name(text: str) -> str:
    """Turn any text into a file name that is safe on Linux, macOS and Windows.

    Letters and digits of every script are kept, and so are `-`, `_`, `.` and single inner spaces; everything else
    (slashes, colons, control and direction marks) becomes `-`. The result is never empty, has at most 60
    characters, does not begin with a dot, and is not a reserved name of Windows (`CON`, `nul.txt`, `COM1`).
    """
    text = unicodedata.normalize("NFC", text)
    name = "".join(c if c.isalnum() or c in "-_. " or unicodedata.category(c)[0] == "M" else "-" for c in text)
    name = _trim(re.sub(r" +", " ", re.sub(r"-+", "-", name)))
    # Windows reserves device names whatever their case and extension; NFKC also catches `COM¹`.
    stem = unicodedata.normalize("NFKC", name.split(".")[0]).strip().upper()
    if re.fullmatch(r"CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9]", stem):
        name = _trim("file-" + name)
    return name or "unnamed"


def _trim(name: str) -> str:
    """Cut a name to length, without dots and spaces at its end (Windows drops them) or a dot that would hide it."""
    return name.lstrip(" .-")[:MAX_NAME].rstrip(" .-")


def megabytes(n_byte: int) -> str:
    """Format a number of bytes as "12.3 MB" or "1.2 GB"."""
    if n_byte >= 1_000_000_000:
        return f"{localize_number(f'{n_byte / 1e9:.1f}'.removesuffix('.0'))} GB"
    if n_byte >= 100_000:
        return f"{localize_number(f'{n_byte / 1e6:.1f}'.removesuffix('.0'))} MB"
    return f"{n_byte / 1e3:.0f} kB"
