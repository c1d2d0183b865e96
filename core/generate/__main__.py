"""`python -m core.generate`: the command itself is `core.generate.command`."""

import signal
import sys

if __name__ == "__main__":
    # There is nothing to lose: Ctrl-C, and a reader that has gone (`| head`), just end it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    from core.generate.command import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal may lack a letter
    sys.exit(main())
