"""Drafts of uploads: a model's files before they are opened, written one by one from the network to the disk.

    <data folder>/opened/<owner>/.draft/config.json, …    the files so far, one draft for each learner
    <data folder>/opened/<owner>/.draft/.part-…           a file in transfer, from the start at its declared size

So the space reserved for one file is visible on the disk to any process that checks for room for the next. A draft
survives a reload of the page; a draft without changes for two hours is deleted.
"""

import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.data.files import megabytes
from core.data.localization.labels import module_labels
from core.ui.models.model_file_checks import OpeningRefused, check_file_names, file_refusal_reason, recognize_model_file
from core.ui.models.upload_limits import UploadLimits
from core.ui.models.user_models import LEAST_FREE, OpenedModel, OpenedModels

LABELS = module_labels(__name__)

KEEP_SECONDS = 2 * 3600  # seconds without additions until a draft is deleted
STALL_SECONDS = 300  # seconds after which a part is abandoned: more than twice `model_uploads.BLOCK_SECONDS`
MOST_AT_ONCE = 3  # transfers of one learner
MOST_FILES = 120  # in a draft: a hundred files of weights, and a few others
LOOK_BYTES = 16_000_000  # written between two checks of the free disk space
_FOLDER, _PART = ".draft", ".part-"


class UploadDrafts:
    """The drafts next to the opened models of one data folder.

    Args:
        opened: the opened models, to which a draft is added.
        limits: the limits of the current uploader.
    """

    def __init__(self, opened: OpenedModels, limits: UploadLimits) -> None:
        self.opened, self.limits = opened, limits

    def folder(self, owner: str) -> Path:
        """Return the folder of an owner's draft, whether or not it exists."""
        return self.opened.folder_of(owner) / _FOLDER

    def files(self, owner: str) -> dict[str, int]:
        """Return the files that have arrived, name -> bytes; links and other non-files are ignored."""
        found = {}
        for path in _inside(self.folder(owner)):
            about = _about(path)
            if recognize_model_file(path.name) == path.name and about is not None:
                found[path.name] = about.st_size
        return dict(sorted(found.items()))

    def check(self, owner: str, given: str, n_byte: int, besides: int = 0) -> str:
        """Check that a file may be uploaded and return the name under which it is stored.

        Args:
            given: its name on the learner's machine.
            n_byte: its size.
            besides: bytes of other files that are still to come.

        Raises:
            OpeningRefused: if no model needs it, it is too large, or there is no room for it.
        """
        name = recognize_model_file(given)
        if name is None:
            raise OpeningRefused(file_refusal_reason(given))
        if n_byte > (most := self.limits.limit_for(name)):
            raise OpeningRefused(LABELS("too_large", name=name, size=megabytes(n_byte), most=megabytes(most)))
        here = self.files(owner)
        if name not in here and len(here) >= MOST_FILES:
            raise OpeningRefused(LABELS("too_many_files", n=len(here)))
        coming = [about.st_size for path in _parts(self.folder(owner)) if (about := _about(path)) is not None]
        # The file that it replaces is not counted.
        held = sum(size for other, size in here.items() if other != name) + sum(coming)
        self.opened.check_room(owner, besides + n_byte, "upload", held)
        return name

    def begin(self, owner: str, given: str, n_byte: int) -> "UploadFileWriter":
        """Reserve room for a file whose transfer starts now.

        Raises:
            OpeningRefused: as for `check`, and if there are too many transfers at once.
            OSError: if the folder cannot be written to.
        """
        name, folder = self.check(owner, given, n_byte), self.folder(owner)
        self.opened.check_address(n_byte)
        if folder.is_symlink() or folder.parent.is_symlink():
            raise OpeningRefused(LABELS["folder_is_link"])
        folder.mkdir(parents=True, exist_ok=True)
        self.opened.note_address(owner)
        one = UploadFileWriter(folder, name, n_byte)
        try:
            # Checked again once it is on the disk, because two that start at the same moment then see each other.
            if len(_parts(folder)) > MOST_AT_ONCE:
                raise OpeningRefused(LABELS("too_many_transfers", n=MOST_AT_ONCE))
            self.check(owner, given, 0)
            self.opened.check_address(0)
        except BaseException:
            one.drop()
            raise
        return one

    def remove(self, owner: str, name: str) -> None:
        """Delete one of an owner's files, if it exists."""
        if name in self.files(owner):
            (self.folder(owner) / name).unlink(missing_ok=True)

    def open(self, owner: str, name: str, check: Callable[[Path], object]) -> OpenedModel:
        """Open the draft as a model; a refusal leaves the draft unchanged.

        Args:
            name: what to call it.
            check: reads the model in its folder.

        Raises:
            OpeningRefused: if files are missing or in transfer. Errors of `check` are passed on.
        """
        draft = self.folder(owner)
        names = tuple(self.files(owner))
        if _parts(draft):
            raise OpeningRefused(LABELS["in_transfer"])
        check_file_names(names)

        def check_or_put_back(folder: Path) -> None:
            try:
                check(folder)
            except BaseException:
                _move(names, folder, draft)
                raise

        opened = self.opened.add_upload(owner, name, lambda folder: _move(names, draft, folder), check_or_put_back)
        with suppress(OSError):  # unless something new has arrived meanwhile
            draft.rmdir()
        return opened

    def tidy(self, now: float | None = None) -> None:
        """Delete abandoned parts, for example of a killed server, and drafts without recent changes."""
        now = time.time() if now is None else now
        for draft in self.opened.root.glob(f"*/{_FOLDER}"):
            for part in _parts(draft):
                if (about := _about(part)) is not None and about.st_mtime < now - STALL_SECONDS:
                    part.unlink(missing_ok=True)
            with suppress(OSError):
                rests_since = max(path.lstat().st_mtime for path in (draft, *_inside(draft)))
                if rests_since < now - KEEP_SECONDS:
                    shutil.rmtree(draft, ignore_errors=True)
                    draft.parent.rmdir()  # the folder of a learner who has opened nothing


class UploadFileWriter:
    """A file in transfer to the disk: `write` its data, then `keep` it, or `drop` it."""

    def __init__(self, folder: Path, name: str, n_byte: int) -> None:
        self.name, self.n_byte = name, n_byte
        self._place, self._part = folder / name, folder / f"{_PART}{secrets.token_hex(8)}"
        self._written, self._looked = 0, 0
        self._file = self._part.open("xb")
        self._file.truncate(n_byte)

    def write(self, data: bytes | bytearray) -> None:
        """Append data. Raises OpeningRefused beyond the declared size, and if the disk fills up."""
        if self._written + len(data) > self.n_byte:
            raise OpeningRefused(LABELS("larger_than_declared", name=self.name))
        self._file.write(data)
        self._written += len(data)
        if self._written - self._looked >= LOOK_BYTES:
            self._looked = self._written
            if (free := shutil.disk_usage(self._place.parent).free) < LEAST_FREE:
                raise OpeningRefused(LABELS("disk_full", free=megabytes(free)))

    def keep(self) -> None:
        """Rename the complete file to its final name. Raises OpeningRefused if it is incomplete, and OSError."""
        if self._written != self.n_byte:
            raise OpeningRefused(LABELS("ended_early", name=self.name, n_written=self._written, n_byte=self.n_byte))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self._part, self._place)

    def drop(self) -> None:
        """Delete it, unless it was kept."""
        with suppress(OSError):  # if it can't be written any more, it can't be flushed
            self._file.close()
        with suppress(OSError):
            self._part.unlink(missing_ok=True)


def _move(names: tuple[str, ...], source: Path, target: Path) -> None:
    """Move the files that exist and are not in the target folder yet."""
    target.mkdir(exist_ok=True)
    for name in names:
        if not (target / name).exists():
            with suppress(FileNotFoundError):
                os.replace(source / name, target / name)


def _inside(folder: Path) -> list[Path]:
    """Return the content of a folder; nothing if it is a link or does not exist."""
    try:
        return [] if folder.is_symlink() else list(folder.iterdir())
    except OSError:
        return []


def _parts(folder: Path) -> list[Path]:
    return [path for path in _inside(folder) if path.name.startswith(_PART)]


def _about(path: Path) -> os.stat_result | None:
    """Return the status of a regular file; None for a link or anything else."""
    try:
        about = path.lstat()
    except OSError:
        return None
    return about if stat.S_ISREG(about.st_mode) else None
