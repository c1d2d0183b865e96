"""Writing the messages of remote jobs to the store, each message once and in order."""

import sqlite3
from pathlib import Path

from core.data.files import write_atomic
from core.jobs.cluster.remote_worker import JobMessage
from core.jobs.reporter import StoreReporter
from core.jobs.worker import describe_run_fault


class ReportNotStored(Exception):
    """The reports of a job couldn't be written to the store; the message says why and is fit to be shown."""


class RemoteMessageRecorder(StoreReporter):
    """A reporter that writes a remote job's messages to the store, each once and in order."""

    n_known = 0
    ended: tuple[str, str] | None = None  # how the job ended, and why if it failed; None while it runs

    def take(self, letters: list[JobMessage]) -> None:
        """Write new messages; an empty list still shows that the worker is alive. Raises Superseded and NotKept."""
        try:
            for letter in letters:
                if letter.n > self.n_known:
                    getattr(self, letter.what)(*letter.given)
                    self.n_known = letter.n
            self.flush()
        except (OSError, sqlite3.Error) as error:
            raise ReportNotStored(describe_run_fault(error)[1]) from error

    def keep(self, files: dict[str, bytes]) -> None:
        """Write a checkpoint, the file that training resumes from first, so that it is never older than the rest."""
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
        """Return the files of the checkpoint from which the run continues; {} for a new run."""
        folder = self._store.folder(self._run_id)
        return {path.name: path.read_bytes() for path in folder.glob("[!.]*") if path.is_file()}
