"""The entry point of `python -m core.generate`; see `core.generate.command`."""

import signal
import sys

if __name__ == "__main__":
    # Nothing can be lost, so Ctrl-C and a closed pipe (`| head`) just end the program.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    from core.generate.command import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal may lack a character
    sys.exit(main())
