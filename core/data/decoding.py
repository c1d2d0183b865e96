"""From the bytes of a file to text: find the encoding, and refuse in plain words what is no text."""

import codecs

MARKS = (  # byte order marks; UTF-32 first, for its mark begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
KNOWN_FILES = (  # how other kinds of files begin
    (b"%PDF", "a PDF document"),
    (b"{\\rtf", "an RTF document"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\x1f\x8b", "a compressed (gzip) file"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
)
MAX_CONTROL_SHARE = 0.002  # real text has hardly any control characters, compressed data more than a tenth
MAX_FOREIGN_SHARE = 0.3  # Western European text has at most about one accent in ten letters
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r\f\v\x85"}


class CorpusRefused(Exception):
    """This text cannot be used; the message says why in plain words, for the person who gave it."""


def decode_bytes(data: bytes) -> str:
    """Read bytes as text.

    In this order: a byte order mark (UTF-8, UTF-16, UTF-32); UTF-16 without a mark, which shows by its many
    zero bytes; UTF-8, also with a few damaged places; Windows-1252 or Latin-1, if that gives mostly plain letters.
    Raises CorpusRefused for other kinds of files (PDF, ZIP, pictures), binary data, and encodings we cannot tell.
    """
    for start, what in KNOWN_FILES:
        if data.startswith(start):
            raise CorpusRefused(f"This is {what}, not plain text. Save it as a .txt file and try again.")
    encoding = next((encoding for mark, encoding in MARKS if data.startswith(mark)), "utf-8")
    try:
        text = _utf16_without_mark(data) if encoding == "utf-8" else None
        text = text or data.decode(encoding)
    except UnicodeDecodeError:
        if not encoding.startswith("utf-8"):
            raise CorpusRefused(f"This begins like {encoding.upper()} text but goes on as something else.") from None
        text = _damaged_utf8_or_western(data.removeprefix(codecs.BOM_UTF8))
    refuse_binary(text)
    return text


def refuse_binary(text: str) -> None:
    """Raises CorpusRefused if so many characters are control codes that this cannot be text."""
    n_control = len(text) - len(text.translate(_CONTROLS))
    if n_control > max(1, MAX_CONTROL_SHARE * len(text)):
        raise CorpusRefused(
            f"This looks like binary data, not text: {n_control:,} of its {len(text):,} characters are control codes."
        )


def _utf16_without_mark(data: bytes) -> str | None:
    """Plain Latin letters in UTF-16 have a zero in every second byte; text in UTF-8 has no zeros at all."""
    even, odd = data[0::2], data[1::2]
    n_even, n_odd = even.count(0), odd.count(0)
    if max(n_even, n_odd) < 0.1 * len(even) or min(n_even, n_odd) > 0.1 * max(n_even, n_odd):
        return None
    try:
        return data.decode("utf-16-le" if n_odd > n_even else "utf-16-be")
    except UnicodeDecodeError:
        return None


def _n_foreign(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _damaged_utf8_or_western(data: bytes) -> str:
    """UTF-8, if more of its special characters are whole than broken; else Windows-1252, or Latin-1."""
    text = data.decode("utf-8", "replace")
    n_broken = text.count("�")
    if _n_foreign(text) - n_broken > n_broken:
        return text
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    refuse_binary(text)
    if _n_foreign(text) > MAX_FOREIGN_SHARE * len(text):
        raise CorpusRefused("This file's encoding can't be determined for certain. Save it as UTF-8 and try again.")
    return text
