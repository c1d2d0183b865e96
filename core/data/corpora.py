"""The texts that models learn from: real texts on every machine, our own grammars, and users' own texts.

Nothing here needs a network, except Tiny Shakespeare, which is downloaded on request.
"""

import codecs
import hashlib
import json
import os
import platform
import re
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from core.data import checks
from core.data.download import DownloadFailed, download_file
from core.data.files import data_dir, megabytes, write_atomic
from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates
from core.data.synthetic import bottle_and_cup, write_stories

LABELS = module_labels(__name__)

MIN_CHARACTERS = 500
MAX_BYTES = 10_000_000
MAX_OWN_BYTES = 500_000_000  # all users' own texts on this machine together
MAX_OF_LEARNER = 40_000_000
MAX_OF_ADDRESS = 250_000_000  # a school has one address, so all of a class may come from it
KEPT_DAYS = 30  # days that a learner's unused text is kept on a shared server
MAX_TITLE = 60
LIBRARY_BYTES = 2_000_000
UNTITLED = "Your own text"  # stored as the title of a text without one; its name on a page is a label

SHAKESPEARE_URL = "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
SHAKESPEARE_SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
SHAKESPEARE_BYTES = 1_115_394


@dataclass(frozen=True)
class Corpus:
    """A text with its source and license."""

    name: str  # the key, for links and files
    text: str  # with "\n" as the only line end
    source: str  # where it comes from, in a sentence
    licence: str  # an SPDX name, or who holds the rights

    @property
    def title(self) -> str:
        return corpus_title(self.name)


def names() -> list[str]:
    """Return the keys of the texts that everybody may use; the first is the default. Own texts aren't listed."""
    return [name for name in _BUILTIN if name != "tiny-shakespeare" or _shakespeare_path().exists()]


def corpus_title(name: str) -> str:
    """Return the title of a text for a page. Raises CorpusRefused if there is no such text."""
    if name in _BUILTIN:
        return _BUILTIN[name][0]
    title = str(_read_own(name)["title"])
    return LABELS["untitled"] if title == UNTITLED else title


def load(name: str) -> Corpus:
    """Read a text by its key from `names()` or `store_user_text`. Raises CorpusRefused if there is no such text."""
    if checks.check_text("name", name) in _BUILTIN:
        return _BUILTIN[name][1]()
    own = _read_own(name)
    return Corpus(name, str(own["text"]), source=LABELS["own.source"], licence=LABELS["own.licence"])


Text = TypeVar("Text", bound=Sequence[object])


def split_validation(data: Text, val_share: float = 0.1) -> tuple[Text, Text]:
    """Split a text or its ids in two: the first part for training, the last 10% for validation.

    The validation part is one block at the end. With random places, validation sentences would be next to training
    sentences.
    """
    cut = len(data) - round(len(data) * val_share)
    return data[:cut], data[cut:]  # type: ignore[return-value]


def store_user_text(name: str, data: bytes | str, learner: str = "", mark: str = "") -> str:
    """Store a text that somebody pasted or uploaded, up to 10 MB, under a title of at most 60 characters.

    Returns the key for `load`: "own-" and 12 digits made from title and text. So the same text is stored only once, and
    two people can give one text different titles.

    Args:
        learner: the id of the owner, whose quota it counts towards; "" on a user's own machine, where texts are never
            deleted.
        mark: the mark of the network address that it comes from.

    Raises CorpusRefused: if the text is too large, empty, too short or binary, or no space is left.
    """
    _check_size(len(data))
    text = clean_training_text(data)
    _check_size(len(text.encode("utf-8")))
    name = "".join(c for c in " ".join(name.split()) if c.isprintable())[:MAX_TITLE].strip() or UNTITLED
    content = json.dumps({"title": name, "text": text}, ensure_ascii=False).encode("utf-8")
    key = "own-" + hashlib.sha256(content).hexdigest()[:12]
    if _own_path(key) is None:
        whose = f".{learner[:16]}.{mark}" if learner else ""
        _check_share(whose, len(content))
        try:
            write_atomic(_own_folder() / f"{key}{whose}.json", content)
        except OSError as error:
            raise CorpusRefused(LABELS("not_saved", error=error.strerror)) from error
    return key


def delete_unused_texts(now: float | None = None) -> None:
    """Delete learners' texts that haven't been used for thirty days."""
    least = (time.time() if now is None else now) - KEPT_DAYS * 24 * 3600
    for path in _own_folder().glob("own-*.*.json"):
        with suppress(OSError):  # another process was first
            if path.stat().st_mtime < least:
                path.unlink()


def _check_share(whose: str, n_byte: int) -> None:
    """Raise CorpusRefused if the quotas of a file whose name ends in `whose` have no room for n_byte more bytes."""
    learner, mark = whose.split(".")[1:] if whose else ("", "")
    shares = [("own-*.json", MAX_OWN_BYTES, "full.everybody")]
    if whose:
        shares.insert(0, (f"own-*.{learner}.*.json", MAX_OF_LEARNER, "full.learner"))
    if mark:
        shares.insert(1, (f"own-*.*.{mark}.json", MAX_OF_ADDRESS, "full.network"))
    for names, most, message in shares:
        held = sum(path.stat().st_size for path in _own_folder().glob(names))
        if held + n_byte > most:
            raise CorpusRefused(LABELS(message, size=megabytes(held), most=megabytes(most), n_day=KEPT_DAYS))


def clean_training_text(data: bytes | str, least: int = MIN_CHARACTERS) -> str:
    """Return a user's text, of any size, ready for training: bytes are decoded, line ends become "\\n".

    Raises CorpusRefused if it is binary, empty, or has fewer characters than `least`.
    """
    text = _decode_bytes(data) if isinstance(data, bytes) else replace_surrogates(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text:
        raise CorpusRefused(LABELS["empty"])
    if all(c.isspace() or not c.isprintable() or c == "�" for c in set(text)):
        raise CorpusRefused(LABELS["nothing_to_read"])
    _refuse_binary(text)
    n_character = len(text.strip())
    if n_character < least:
        raise CorpusRefused(LABELS("too_short", n=n_character, least=least))
    return text


def _check_size(n_byte: int) -> None:
    """Raise CorpusRefused if that is more than a browser may upload."""
    if n_byte > MAX_BYTES:
        raise CorpusRefused(LABELS("too_large", size=megabytes(n_byte), most=megabytes(MAX_BYTES)))


def _own_folder() -> Path:
    return data_dir() / "texts"


def _own_path(key: str) -> Path | None:
    """Return the file of a user's own text, regardless of its owner, or None if it doesn't exist."""
    return next(_own_folder().glob(f"{key}.*json"), None)


def _read_own(key: str) -> dict[str, object]:
    if not re.fullmatch(r"own-[0-9a-f]{12}", key):  # also keeps "../" out of the path
        raise CorpusRefused(LABELS("no_text", key=repr(key[:MAX_TITLE])))
    try:
        if (path := _own_path(key)) is None:
            raise FileNotFoundError(key)
        own = json.loads(path.read_bytes())
        with suppress(OSError):
            os.utime(path)  # it is in use
    except (OSError, ValueError) as error:
        raise CorpusRefused(LABELS("gone", key=key)) from error
    return own


def _python_topics() -> Corpus:
    try:
        from pydoc_data.topics import topics
    except ImportError as error:
        raise CorpusRefused(LABELS["no_topics"]) from error
    text = "\n\n".join(topics[key].strip("\n") for key in sorted(topics)) + "\n"
    source = LABELS("topics.source", version=platform.python_version())
    return Corpus("python-topics", text, source, licence="PSF-2.0")


def _python_library() -> Corpus:
    """Join modules of the standard library, without tests, in alphabetical order up to two megabytes."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    parts: list[str] = []
    room = LIBRARY_BYTES
    for path in sorted(folder.glob("[a-z]*.py")):
        source = path.read_bytes()
        if len(source) > room or "test" in path.name:
            continue
        room -= len(source)
        parts.append(source.decode("utf-8", "replace").replace("\r\n", "\n"))
    if not parts:
        raise CorpusRefused(LABELS["no_library"])
    words = LABELS("library.source", version=platform.python_version(), n_module=len(parts))
    return Corpus("python-library", "\n\n".join(parts), words, licence="PSF-2.0")


def _stories() -> Corpus:
    text = write_stories(4000, seed=0)
    return Corpus("stories", text, LABELS["stories.source"], "MIT")


def _bottle_and_cup() -> Corpus:
    text = "".join(record.text_with_answer + "\n" for record in bottle_and_cup(4000, seed=0))
    return Corpus("bottle-and-cup", text, LABELS["bottle_and_cup.source"], "MIT")


def _shakespeare_path() -> Path:
    return data_dir() / "texts" / "tiny-shakespeare.txt"


def _tiny_shakespeare() -> Corpus:
    try:
        text = _shakespeare_path().read_text("utf-8")
    except (OSError, ValueError) as error:
        raise CorpusRefused(LABELS["no_shakespeare"]) from error
    source = LABELS["shakespeare.source"]
    return Corpus("tiny-shakespeare", text, source, licence=LABELS["shakespeare.licence"])


def download_tiny_shakespeare() -> None:
    """Download Tiny Shakespeare (1.1 MB) once; it is then one of `names()`. Call it only on a user's request.

    Raises CorpusRefused if it can't be downloaded within ten seconds.
    """
    try:
        data = download_file(SHAKESPEARE_URL, SHAKESPEARE_SHA256, max_bytes=SHAKESPEARE_BYTES)
    except DownloadFailed as error:
        raise CorpusRefused(LABELS("shakespeare_failed", error=error)) from error
    write_atomic(_shakespeare_path(), data)


_BUILTIN: Mapping[str, tuple[str, Callable[[], Corpus]]] = {
    "python-topics": (LABELS["python_topics"], _python_topics),
    "python-library": (LABELS["python_library"], _python_library),
    "stories": (LABELS["stories"], _stories),
    "bottle-and-cup": (LABELS["bottle_and_cup"], _bottle_and_cup),
    "tiny-shakespeare": (LABELS["tiny_shakespeare"], _tiny_shakespeare),
}


MARKS = (  # byte order marks; UTF-32 first, because its mark begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
KNOWN_FILES = (  # how other kinds of files begin, and the keys of what is said of them
    (b"%PDF", "pdf"),
    (b"{\\rtf", "rtf"),
    (b"PK\x03\x04", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"\x89PNG", "png"),
    (b"GIF8", "gif"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"\xd0\xcf\x11\xe0", "office"),
    (b"\x7fELF", "program"),
    (b"SQLite format 3", "database"),
)
MAX_CONTROL_SHARE = 0.002  # real text has hardly any control characters, compressed data more than a tenth
MAX_FOREIGN_SHARE = 0.3  # Western European text has at most about one accent in ten letters
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r\f\v\x85"}


class CorpusRefused(Exception):
    """This text can't be used; the message explains why to the person who provided it."""


def _decode_bytes(data: bytes) -> str:
    """Decode bytes as text, whatever their encoding.

    Tries in this order: a byte order mark (UTF-8, UTF-16, UTF-32); UTF-16 without a mark, recognized by its many zero
    bytes; UTF-8, also with a few damaged places; Windows-1252 or Latin-1, if that gives mostly plain letters.
    Raises CorpusRefused for other kinds of files (PDF, ZIP, pictures), binary data, and unknown encodings.
    """
    for start, kind in KNOWN_FILES:
        if data.startswith(start):
            raise CorpusRefused(LABELS.options("not_text")[kind])
    encoding = next((encoding for mark, encoding in MARKS if data.startswith(mark)), "utf-8")
    try:
        text = _utf16_without_mark(data) if encoding == "utf-8" else None
        text = text or data.decode(encoding)
    except UnicodeDecodeError:
        if not encoding.startswith("utf-8"):
            raise CorpusRefused(LABELS("wrong_encoding", encoding=encoding.upper())) from None
        text = _damaged_utf8_or_western(data.removeprefix(codecs.BOM_UTF8))
    _refuse_binary(text)
    return text


def _refuse_binary(text: str) -> None:
    """Raise CorpusRefused if there are too many control characters for this to be text."""
    n_control = len(text) - len(text.translate(_CONTROLS))
    if n_control > max(1, MAX_CONTROL_SHARE * len(text)):
        raise CorpusRefused(LABELS("binary", n_control=n_control, n_character=len(text)))


def _utf16_without_mark(data: bytes) -> str | None:
    """Return the UTF-16 encoding without a byte order mark that this looks like, or None.

    Plain Latin letters in UTF-16 have a zero in every second byte; text in UTF-8 has no zeros at all.
    """
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
    """Decode as UTF-8 if more of its special characters are whole than broken, else as Windows-1252 or Latin-1."""
    text = data.decode("utf-8", "replace")
    n_broken = text.count("�")
    if _n_foreign(text) - n_broken > n_broken:
        return text
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    _refuse_binary(text)
    if _n_foreign(text) > MAX_FOREIGN_SHARE * len(text):
        raise CorpusRefused(LABELS["unknown_encoding"])
    return text
