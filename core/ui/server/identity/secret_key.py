"""Secret keys of this server, each in a file of the data folder that only its own account may read.

secret_key("homework.key")  # 32 random bytes, the same in every process and after every restart
"""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from core.data.files import data_dir

N_BYTES = 32


class _KeyDamaged(OSError):
    """A key file that does not contain a key; the message says what to do."""


def secret_key(name: str) -> bytes:
    """Return the key in this file of the data folder; create the file if it does not exist.

    The key is written to a temporary file and linked into place, so that neither a full disk nor a second process can
    leave an empty one.

    Raises:
        _KeyDamaged: if the file does not contain exactly 32 bytes.
        OSError: if it cannot be read or written.
    """
    path = data_dir() / name
    if not path.exists():
        _make(path)
    key = path.read_bytes()
    if len(key) != N_BYTES:
        raise _KeyDamaged(
            f"The key file {path.name} is damaged ({len(key)} bytes instead of {N_BYTES}). Delete it in the data "
            "folder, and a new key is made. What was signed with the old one then counts as signed by another server."
        )
    return key


def _make(path: Path) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".key-", suffix=".tmp")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(N_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was first
            os.link(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
