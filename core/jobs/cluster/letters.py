"""The way of letters into the store: what a job far away tells is written at home, each letter once and in order."""

import sqlite3
from pathlib import Path

from core.data.files import write_atomic
from core.jobs.cluster.remote import Letter
from core.jobs.reporter import StoreReporter
from core.jobs.worker import explain


class NotKept(Exception):
    """What came could not be written at home; the message says why in plain words."""


class Keeper(StoreReporter):
    """Puts into the store what a job far away tells, each letter once and in order."""

    n_known = 0
    ended: tuple[str, str] | None = None  # how the job ended, and why if it failed; None while it runs

    def take(self, letters: list[Letter]) -> None:
        """New letters, or none: that shows that the worker lives. Raises Superseded and NotKept."""
        try:
            for letter in letters:
                if letter.n > self.n_known:
                    getattr(self, letter.what)(*letter.given)
                    self.n_known = letter.n
            self.flush()
        except (OSError, sqlite3.Error) as error:
            raise NotKept(explain(error)) from error

    def keep(self, files: dict[str, bytes]) -> None:
        """A checkpoint: what the run goes on from comes first, so that it is never older than what is shown of it."""
        folder = self._store.folder(self._run_id)
        folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(files, key=lambda name: name != "run.safetensors"):
            write_atomic(folder / Path(name).name, files[name])
        self.checkpointed()

    def end(self, outcome: str, message: str) -> None:
        self.ended = outcome, message

    def log(self, text: str) -> None:
        with self._store.log_path(self._run_id).open("a", encoding="utf-8") as file:
            file.write(text)

    def kept_files(self) -> dict[str, bytes]:
        """The checkpoint from which the run goes on; nothing for a new one."""
        folder = self._store.folder(self._run_id)
        return {path.name: path.read_bytes() for path in folder.glob("[!.]*") if path.is_file()}
