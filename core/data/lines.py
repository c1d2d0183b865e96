"""Lines of a text that a person wrote or uploaded: they end where the person pressed Enter, and nowhere else."""

import re


def lines_of(text: str) -> list[str]:
    r"""The lines that aren't empty, without the spaces around them.

    Only a line feed ends one (and what belongs to it in files of Windows or of old Macs, \r\n and \r). `str.splitlines`
    also cuts at form feeds, U+0085, U+2028 and five more, which people paste inside of a line without seeing them.
    """
    return [line.strip() for line in re.split(r"\r\n|\n|\r", text) if line.strip()]
