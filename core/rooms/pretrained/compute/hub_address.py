"""Safe requests to the Hugging Face hub: trusted hosts only, with limits on size and speed."""

import io
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPException, HTTPMessage
from typing import IO

from core.data.download import CHUNK, DownloadFailed
from core.data.localization.labels import module_labels
from core.models.imports.weights_file import shorten_name

LABELS = module_labels(__name__)

HUB_HOST = "huggingface.co"
TRUSTED_DOMAINS = (".huggingface.co", ".hf.co")  # the hub serves large files from its own hosts under these domains
TIMEOUT_SECONDS = 30.0  # without receiving a byte
MIN_BYTES_PER_SECOND = 10_000  # bytes per second, with a minute of grace; a slower download is refused

Opener = Callable[[str, float], io.BufferedIOBase]  # address, timeout in seconds -> the response


def read_chunks(address: str, most: int, name: str, opener: Opener | None = None) -> Iterator[bytes]:
    """Yield the content of an address, with limits on its size and its duration.

    Args:
        most: expected number of bytes.

    Raises:
        DownloadFailed: if the hub cannot be reached, refuses, sends more, or is too slow.
    """
    n_byte, deadline = 0, time.monotonic() + 60 + most / MIN_BYTES_PER_SECOND
    try:
        with closing((opener or _open)(address, TIMEOUT_SECONDS)) as answer:
            while chunk := answer.read1(CHUNK):  # bytes received so far: `read` would block for a whole chunk
                n_byte += len(chunk)
                if n_byte > most:
                    raise DownloadFailed(LABELS("too_much", host=HUB_HOST, most=most, name=name))
                if time.monotonic() > deadline:
                    raise DownloadFailed(LABELS("too_slow", host=HUB_HOST, least=MIN_BYTES_PER_SECOND, name=name))
                yield chunk
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (401, 403, 404):
            raise DownloadFailed(LABELS("no_such_model", host=HUB_HOST, name=name)) from error
        raise DownloadFailed(LABELS("server_error", host=HUB_HOST, code=error.code)) from error
    except (OSError, ValueError, HTTPException) as error:
        reason = shorten_name(str(getattr(error, "reason", None) or error), 120)
        raise DownloadFailed(LABELS("unreachable", host=HUB_HOST, reason=reason)) from error


class HubRedirects(urllib.request.HTTPRedirectHandler):
    """Follow only a few redirects, and only over https to the hub's own hosts."""

    max_redirections = 5

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if not is_trusted(newurl):
            raise urllib.error.URLError(LABELS("untrusted", place=shorten_name(repr(newurl))))
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_trusted(address: str) -> bool:
    """Return whether an address is on one of the hub's own hosts, over https, at the default port."""
    try:
        parts = urllib.parse.urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    own = host == HUB_HOST or host.endswith(TRUSTED_DOMAINS)
    return own and parts.scheme == "https" and port in (None, 443) and "@" not in parts.netloc


def _open(address: str, seconds: float) -> io.BufferedIOBase:
    request = urllib.request.Request(address, headers={"User-Agent": "glassformer"})
    answer: io.BufferedIOBase = urllib.request.build_opener(HubRedirects).open(request, timeout=seconds)
    return answer
