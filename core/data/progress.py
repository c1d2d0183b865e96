"""How long work that is under way will still take: the one estimate that is shown anywhere, a terminal's bar, and
the signals that stop it.
"""

import signal
import sys
from types import FrameType, TracebackType
from typing import Self, TextIO

WIDTH = 24  # characters
MIN_SHARE = 0.02  # done, before which the speed says little: the start has work of its own
MIN_SECONDS = 5.0  # that it has taken
_CLEAR = "\r\x1b[K"  # to the beginning of the line, and delete what stands there


def seconds_left(done: float, elapsed: float, share_per_second: float | None = None) -> float | None:
    """Return the seconds until the end; None while too little has been seen to say it.

    Args:
        done: the share of all work that is done, 0 to 1. Whatever waits in line counts as work that isn't done.
        elapsed: seconds since the work began or, if nothing was started yet, since it was put in line.
        share_per_second: the speed of the last few seconds, if it is known; None: the mean speed so far.
    """
    if done >= 1:
        return 0.0
    if done < MIN_SHARE or elapsed < MIN_SECONDS:
        return None
    return (1 - done) / (share_per_second or done / elapsed)


class ProgressBar:
    """One line on standard error that is drawn over and over; none if that is no terminal.

    Args:
        stream: where to; None: standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = False

    def show(self, done: int, total: int, seconds_left: float | None) -> None:
        """Draw it: steps that are done, of how many, and the time that is left; None: not known yet."""
        if not self._stream.isatty():
            return
        full = WIDTH * done // max(total, 1)
        left = "" if seconds_left is None else f", {duration(seconds_left)} left"
        self._write(f"{_CLEAR}[{'#' * full}{'.' * (WIDTH - full)}] {done:,} of {total:,}{left}")
        self._is_shown = True

    def clear(self) -> None:
        """Take it away, before a line is printed."""
        if self._is_shown:
            self._write(_CLEAR)
            self._is_shown = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal was closed
            self._is_shown = False


class StopSignal:
    """Listens for what ends a program; what came is in `signal`. The second one ends it at once."""

    def __init__(self) -> None:
        self.signal = 0
        numbers = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
        # What is ignored stays so: a job in the background, or one started by nohup.
        self._numbers = [one for one in numbers if one is not None and signal.getsignal(one) is not signal.SIG_IGN]

    def __enter__(self) -> Self:
        for number in self._numbers:
            signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number in self._numbers:
            signal.signal(number, signal.SIG_DFL)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        signal.signal(number, signal.SIG_DFL)


def duration(seconds: float) -> str:
    """A time in short: "45 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
