"""Lines of a text that a person wrote or uploaded: they end only where the person pressed Enter."""

import re


def nonempty_lines(text: str) -> list[str]:
    r"""Return the lines that aren't empty, without the spaces around them.

    Only a line feed ends a line, or \r\n and \r in files from Windows and old Macs. `str.splitlines` also cuts at form
    feeds, U+0085, U+2028 and five more, which people paste into a line without seeing them.
    """
    return [line.strip() for line in re.split(r"\r\n|\n|\r", text) if line.strip()]
