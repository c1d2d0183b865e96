"""Downloads: only on request, from a fixed address, with a time limit and a checksum."""

import hashlib
import time
import urllib.error
import urllib.request
from typing import IO

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

CHUNK = 1 << 16  # bytes


class DownloadFailed(Exception):
    """The file could not be downloaded; the message says why."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A handler that refuses redirects, because they could lead anywhere, also into a private network."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def download_file(url: str, sha256: str, *, max_bytes: int, seconds: float = 10.0) -> bytes:
    """Download a file from an https address in our code, and check that it is exactly the file we expect.

    Args:
        sha256: the expected checksum, in hexadecimal.
        max_bytes: reading stops there.
        seconds: the limit for the whole download, not only for the pauses in it.

    Raises DownloadFailed: if there is no network, or the file is too slow, too large, or not the expected one.
    """
    host = url.split("/")[2]
    deadline = time.monotonic() + seconds
    try:
        with _open(url, seconds) as answer:
            data = b""
            while chunk := answer.read(CHUNK):
                data += chunk
                if len(data) > max_bytes:
                    raise DownloadFailed(LABELS("too_long", host=host, max_bytes=max_bytes))
                if time.monotonic() > deadline:
                    raise DownloadFailed(LABELS("too_slow", host=host, seconds=seconds))
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadFailed(LABELS("unreachable", host=host, reason=reason)) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise DownloadFailed(LABELS("wrong_file", host=host))
    return data


def _open(url: str, seconds: float) -> IO[bytes]:
    answer: IO[bytes] = urllib.request.build_opener(_NoRedirect).open(url, timeout=seconds)
    return answer
