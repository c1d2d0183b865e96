"""The progress of running work: the estimate of its remaining time, a terminal's bar, and the signals that stop it."""

import signal
import sys
from types import FrameType, TracebackType
from typing import Self, TextIO

WIDTH = 24  # characters
MIN_SHARE = 0.02  # of the work; the speed before it says little, because starting takes extra work
MIN_SECONDS = 5.0  # before an estimate is given
_CLEAR = "\r\x1b[K"  # go to the beginning of the line and delete it


def estimated_seconds_left(done: float, elapsed: float, share_per_second: float | None = None) -> float | None:
    """Return the seconds until the end; None while too little is done for an estimate.

    Args:
        done: the share of all work that is done, 0 to 1. Work that waits in line counts as not done.
        elapsed: seconds since the work began or, if nothing was started yet, since it was put in line.
        share_per_second: the speed of the last few seconds, if it is known; None: the mean speed so far.
    """
    if done >= 1:
        return 0.0
    if done < MIN_SHARE or elapsed < MIN_SECONDS:
        return None
    return (1 - done) / (share_per_second or done / elapsed)


class TerminalProgressBar:
    """A progress bar in one line of a terminal; draws nothing if the stream isn't a terminal.

    Args:
        stream: the output; None: standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = False

    def show(self, done: int, total: int, seconds_left: float | None) -> None:
        """Draw the bar for `done` of `total` steps, with the time that is left; None: not known yet."""
        if not self._stream.isatty():
            return
        full = WIDTH * done // max(total, 1)
        left = "" if seconds_left is None else f", {_format_duration(seconds_left)} left"
        self._write(f"{_CLEAR}[{'#' * full}{'.' * (WIDTH - full)}] {done:,} of {total:,}{left}")
        self._is_shown = True

    def clear(self) -> None:
        """Remove the bar, so that a line can be printed."""
        if self._is_shown:
            self._write(_CLEAR)
            self._is_shown = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal was closed
            self._is_shown = False


class TerminationSignalListener:
    """A listener for the signals that end a program; `signal` is the first one. The second one ends it at once."""

    def __init__(self) -> None:
        self.signal = 0
        numbers = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
        # Ignored signals stay ignored: for a job in the background, or one started by nohup.
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


def _format_duration(seconds: float) -> str:
    """Format a time: "45 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
