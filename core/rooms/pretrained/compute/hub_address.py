"""One address of the Hugging Face hub, read with suspicion: where it leads, how much comes, and how slowly."""

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
from core.models.imports.weights_file import excerpt

HOST = "huggingface.co"
TRUSTED = (".huggingface.co", ".hf.co")  # the hub sends large files from hosts under these names of its own
SECONDS = 30.0  # without a byte
SLOWEST = 10_000  # bytes a second, and a minute more; less is no download

Open = Callable[[str, float], io.BufferedIOBase]  # address, seconds without a byte -> what comes


def chunks(address: str, most: int, name: str, opener: Open | None = None) -> Iterator[bytes]:
    """What comes from an address: not more, and not more slowly, than expected.

    Args:
        most: bytes that are expected.

    Raises:
        DownloadFailed: if the hub cannot be reached, refuses, sends more, or is too slow.
    """
    n_byte, deadline = 0, time.monotonic() + 60 + most / SLOWEST
    try:
        with closing((opener or _open)(address, SECONDS)) as answer:
            while chunk := answer.read1(CHUNK):  # what has come: `read` would wait for a whole chunk, however slow
                n_byte += len(chunk)
                if n_byte > most:
                    raise DownloadFailed(f"{HOST} sent more than the expected {most:,} bytes of {name}.")
                if time.monotonic() > deadline:
                    raise DownloadFailed(f"{HOST} was too slow: under {SLOWEST:,} bytes a second of {name}.")
                yield chunk
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (401, 403, 404):
            raise DownloadFailed(f"{HOST} has no model {name} that is open to everyone.") from error
        raise DownloadFailed(f"{HOST} answered with the error {error.code}; try again later.") from error
    except (OSError, ValueError, HTTPException) as error:
        reason = excerpt(str(getattr(error, "reason", None) or error), 120)
        raise DownloadFailed(f"{HOST} could not be reached ({reason}). Is there a network?") from error


class HubRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects lead to the hub's own hosts and over https only, and there are few."""

    max_redirections = 5

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if not is_trusted(newurl):
            raise urllib.error.URLError(f"it points to another place, {excerpt(repr(newurl))}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_trusted(address: str) -> bool:
    """Whether an address is on one of the hub's own hosts, over https, at the usual port."""
    try:
        parts = urllib.parse.urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    own = host == HOST or host.endswith(TRUSTED)
    return own and parts.scheme == "https" and port in (None, 443) and "@" not in parts.netloc


def _open(address: str, seconds: float) -> io.BufferedIOBase:
    request = urllib.request.Request(address, headers={"User-Agent": "glassformer"})
    answer: io.BufferedIOBase = urllib.request.build_opener(HubRedirects).open(request, timeout=seconds)
    return answer
