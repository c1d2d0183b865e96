"""Models that a learner has opened: uploads and downloads are stored in the data folder, local folders stay in place.

    <data folder>/opened/<owner>/<id>/about.json         its origin, name and time
    <data folder>/opened/<owner>/<id>/config.json, …     the files; none for a local folder
    <data folder>/opened/<owner>/.address                the mark of the address that the models count for, if any

Nothing here reads a model: `core.models.pretrained` does. File names never come from a person; only those in
`model_file_checks.NAMES` are stored, whatever an upload is called.
"""

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.data.files import megabytes, read_start, write_atomic
from core.data.localization.labels import module_labels
from core.ui.models.model_file_checks import (
    MAX_NAME,
    OpeningRefused,
    check_file_names,
    clean_model_name,
    model_folder_at,
)
from core.ui.models.upload_limits import UploadLimits, upload_limits

LABELS = module_labels(__name__)

_Origin = Literal["upload", "folder", "hub"]

MAX_MODELS = 12  # of one learner: more cannot be distinguished in a list
MAX_FETCHED = 4_000_000_000  # bytes of one learner's downloads: a few models of GPT-2's size
STALE_SECONDS = 3 * 24 * 3600  # seconds; the slowest download of the largest model takes two and a half days
LEAST_FREE = 1_000_000_000  # bytes that stay free on the disk for runs and everything else
OPENED_ID = re.compile(r"o[0-9a-f]{16}")
_OWNER = re.compile(r"[0-9a-f]{32}")
_ABOUT = "about.json"
_ADDRESS = ".address"
_SHARED = upload_limits(is_own_machine=False)
KEPT_DAYS = 90  # a learner's models on a shared server are deleted after this time without use


class OpenedModelNotFound(LookupError):
    """An opened model that does not exist, or that is another learner's folder."""


@dataclass(frozen=True)
class OpenedModel:
    """One opened model."""

    id: str  # cannot be guessed
    owner: str  # the owner's id
    name: str  # what the learner sees
    origin: _Origin  # "upload", "folder" (remembered by its path) or "hub" (downloaded by name)
    folder: Path  # contains its files
    added: float  # seconds since 1970
    n_byte: int  # of its files; 0 for a local folder


class OpenedModels:
    """The opened models of one data folder.

    Args:
        root: `<data folder>/opened`; created with the first model.
        may: the limits of the learner who opens a model now.
        mark: the mark of this learner's address; "" on the user's own machine, where nothing expires.
    """

    def __init__(self, root: Path, may: UploadLimits = _SHARED, mark: str = "") -> None:
        self.root, self.limits, self.mark = root, may, mark

    def folder_of(self, owner: str) -> Path:
        """Return the folder of an owner's models. Raises ValueError if this cannot be an owner's id."""
        if not _OWNER.fullmatch(owner):
            raise ValueError("an owner is 32 hexadecimal digits")
        return self.root / owner

    def list_models(self, owner: str) -> list[OpenedModel]:
        """Return an owner's models, newest first."""
        found = [one for one in map(self._read, self._folders(owner)) if one is not None]
        return sorted(found, key=lambda one: (-one.added, one.id))

    def get(self, id: str, owner: str | None = None) -> OpenedModel:
        """Return anybody's model by its id; a local folder is returned only to its owner.

        Raises:
            OpenedModelNotFound: if there is no such model that this learner may see.
        """
        places = self.root.glob(f"*/{id}") if OPENED_ID.fullmatch(id) else ()
        found = next((one for one in map(self._read, places) if one is not None), None)
        if found is None or (found.origin == "folder" and found.owner != owner):
            raise OpenedModelNotFound("there is no opened model of this id")
        with suppress(OSError):
            os.utime(self.folder_of(found.owner) / id / _ABOUT)  # it is in use
        return found

    def add_files(
        self, owner: str, name: str, files: Mapping[str, bytes], check: Callable[[Path], object] | None = None
    ) -> OpenedModel:
        """Store a model that is in memory.

        Args:
            owner: the owner's id.
            name: its name, which is cleaned and truncated.
            files: the contents by file name, see `core.ui.models.model_file_checks`.
            check: reads the model in its folder; if it raises an error, everything is undone.

        Raises:
            OpeningRefused: if files are missing or unknown, or there is no room.
        """
        check_file_names(files)
        n_byte = sum(map(len, files.values()))
        self.check_room(owner, n_byte, "upload")
        self.check_address(n_byte)

        def fill(folder: Path) -> None:
            for file, content in files.items():
                write_atomic(folder / file, content)

        return self._add(owner, name, "upload", fill, check)

    def add_upload(
        self, owner: str, name: str, fill: Callable[[Path], object], check: Callable[[Path], object]
    ) -> OpenedModel:
        """Store the files that `fill` moves into the folder that it gets; they are on this disk and counted already.

        Raises:
            OpeningRefused: if the owner has too many models. Errors of `fill` and `check` are passed on.
        """
        self.check_room(owner, 0, "upload")
        return self._add(owner, name, "upload", fill, check)

    def add_download(
        self,
        owner: str,
        name: str,
        n_byte: int,
        fetch: Callable[[Path], object],
        check: Callable[[Path], object] | None = None,
    ) -> OpenedModel:
        """Store the files that `fetch` writes into the folder that it gets, `n_byte` in total.

        Raises:
            OpeningRefused: if there is no room. Errors of `fetch` are passed on.
        """
        self.check_room(owner, n_byte, "hub")
        self.check_address(n_byte)
        return self._add(owner, name, "hub", fetch, check)

    def add_folder(self, owner: str, path: str, check: Callable[[Path], object] | None = None) -> OpenedModel:
        """Register a folder of this machine by its path.

        Raises:
            OpeningRefused: if there is no folder with a config.json that can be read.
        """
        folder = model_folder_at(path)
        again = next((one for one in self.list_models(owner) if one.origin == "folder" and one.folder == folder), None)
        if again is not None:
            return again
        self.check_room(owner, 0, "folder")
        if check is not None:
            check(folder)
        return self._add(owner, folder.name or "folder", "folder", lambda _: None, None, path=str(folder))

    def remove(self, id: str, owner: str) -> None:
        """Remove a model; a local folder is left unchanged.

        Raises:
            OpenedModelNotFound: if it is not this owner's.
        """
        found = self.get(id, owner)
        if found.owner != owner:
            raise OpenedModelNotFound("there is no opened model of this id")
        gone = self.root / owner / f".gone-{id}"
        try:
            (self.root / owner / id).rename(gone)  # from here on it cannot be found
        except FileNotFoundError:  # removed in another tab just now
            raise OpenedModelNotFound("there is no opened model of this id") from None
        shutil.rmtree(gone, ignore_errors=True)

    def check_room(self, owner: str, n_byte: int, origin: _Origin, drafted: int = 0) -> None:
        """Check that there is room for `n_byte` more, in addition to unopened uploads. Raises OpeningRefused."""
        have = self.list_models(owner)
        if len(have) >= MAX_MODELS:
            raise OpeningRefused(LABELS("too_many_models", n=len(have), most=MAX_MODELS))
        used = drafted + sum(one.n_byte for one in have if one.origin == origin)
        most = self.limits.owner if origin == "upload" else MAX_FETCHED
        if origin != "folder" and used + n_byte > most:
            raise OpeningRefused(LABELS("too_large_together", size=megabytes(used + n_byte), most=megabytes(most)))
        free = shutil.disk_usage(_existing(self.root)).free
        if origin != "folder" and free - n_byte < LEAST_FREE:
            raise OpeningRefused(LABELS("disk_full", free=megabytes(free), least=megabytes(LEAST_FREE)))

    def check_address(self, n_byte: int) -> None:
        """Check that this address has room for `n_byte` more. Raises OpeningRefused."""
        files = (path for folder in self._of_address() for path in folder.rglob("*") if path.name != _ADDRESS)
        held = 0
        for path in files:
            with suppress(OSError):  # it is in transfer, or was removed just now
                held += path.lstat().st_size * path.is_file()
        if self.mark and held + n_byte > self.limits.address:
            raise OpeningRefused(LABELS("network_limit", size=megabytes(held), most=megabytes(self.limits.address)))

    def note_address(self, owner: str) -> None:
        """Count an owner's models for this address, unless they count for one already."""
        place = self.folder_of(owner) / _ADDRESS
        if self.mark and not place.exists():
            write_atomic(place, self.mark.encode())

    def tidy(self, now: float | None = None) -> None:
        """Delete learners' models that have not been used for ninety days."""
        least = (time.time() if now is None else now) - KEPT_DAYS * 24 * 3600
        for place in self.root.glob(f"*/{_ADDRESS}"):
            for about in place.parent.glob(f"*/{_ABOUT}"):
                with suppress(OSError, OpenedModelNotFound):  # another process was first
                    if about.stat().st_mtime < least:
                        self.remove(about.parent.name, place.parent.name)
            if {path.name for path in place.parent.iterdir()} == {_ADDRESS}:
                with suppress(OSError):  # something new has arrived
                    place.unlink()
                    place.parent.rmdir()

    def _of_address(self) -> list[Path]:
        """Return the folders of all owners whose models count for this address."""
        places = self.root.glob(f"*/{_ADDRESS}") if self.mark else ()
        return [place.parent for place in places if place.read_bytes() == self.mark.encode()]

    def _add(
        self,
        owner: str,
        name: str,
        origin: _Origin,
        fill: Callable[[Path], object],
        check: Callable[[Path], object] | None,
        **more: str,
    ) -> OpenedModel:
        """Fill a folder under a hidden name, check it, then rename it, so that nobody ever finds half a model."""
        id = "o" + secrets.token_hex(8)
        hidden, folder = self.folder_of(owner) / f".new-{id}", self.root / owner / id
        hidden.mkdir(parents=True)
        self.note_address(owner)
        self._sweep(owner)
        try:
            fill(hidden)
            if check is not None:
                check(hidden)
            about = {"name": clean_model_name(name), "origin": origin, "added": time.time(), **more}
            write_atomic(hidden / _ABOUT, json.dumps(about, ensure_ascii=False).encode("utf-8", "replace"))
            hidden.rename(folder)
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            raise
        return self.get(id, owner)

    def _sweep(self, owner: str) -> None:
        """Delete the leftovers of a killed server: hidden folders older than the slowest download."""
        for old in (self.root / owner).glob(".[!a]*"):  # except the address file
            try:
                is_left = old.stat().st_mtime < time.time() - STALE_SECONDS
            except OSError:
                continue
            if is_left:
                shutil.rmtree(old, ignore_errors=True)

    def _folders(self, owner: str) -> list[Path]:
        if not _OWNER.fullmatch(owner):
            return []
        try:
            return [path for path in (self.root / owner).iterdir() if OPENED_ID.fullmatch(path.name)]
        except OSError:
            return []

    def _read(self, folder: Path) -> OpenedModel | None:
        try:
            about = json.loads(read_start(folder / _ABOUT, 10_000))
            name, origin, added = str(about["name"]), about["origin"], float(about["added"])
            place = Path(str(about["path"])) if origin == "folder" else folder
            n_byte = 0 if origin == "folder" else sum(file.stat().st_size for file in folder.iterdir())
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        if origin not in ("upload", "folder", "hub"):
            return None
        return OpenedModel(folder.name, folder.parent.name, name[:MAX_NAME], origin, place, added, n_byte)


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path
