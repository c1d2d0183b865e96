"""Limits on uploads, for each session and the whole server, checked before the first byte is accepted.

Streamlit limits only single files, and keeps every file of a session in memory until the session ends. Files whose
content has been processed are freed with `release_upload`. A model's files are handled by
`core.ui.server.model_uploads`.
"""

import re
from collections import Counter
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from core.data.localization.labels import module_labels
from core.ui.server.identity.client_ip import client_address
from core.ui.server.load_balanced_server import n_server_process

LABELS = module_labels(__name__)

SESSION_FILES = 200  # the receipts of a class arrive together
SESSION_BYTES = 100_000_000
ADDRESS_BYTES = 400_000_000  # of all processes; a school has one address
SERVER_BYTES = 1_000_000_000  # of all processes
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")


def release_upload(upload: Any) -> None:
    """Free an uploaded file whose content has been processed."""
    context = get_script_run_ctx()
    remove = getattr(context.uploaded_file_mgr, "remove_file", None) if context is not None else None
    if context is not None and remove is not None:
        remove(session_id=context.session_id, file_id=upload.file_id)


class UploadQuota:
    """ASGI middleware that refuses an upload for which there is no room. One per server, in one event loop."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._coming: Counter[str] = Counter()  # bytes in transfer, by session
        self._address: dict[str, str] = {}  # by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = _UPLOAD.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if place is None:
            await self.app(scope, receive, send)
            return
        session, address = place[1], client_address(HTTPConnection(scope))
        declared = Headers(scope=scope).get("content-length", "")
        if not (declared.isascii() and declared.isdigit() and len(declared) < 16):
            await _refuse(scope, receive, send, 411, LABELS["no_length"])
            return
        refusal = self._refusal(session, address, int(declared))
        if refusal:
            await _refuse(scope, receive, send, 413, refusal)
            return
        self._coming[session] += int(declared)
        self._address[session] = address
        try:
            await self.app(scope, receive, send)
        finally:
            self._coming[session] -= int(declared)
            self._coming += Counter()  # drops sessions without transfers

    def _refusal(self, session: str, address: str, n_byte: int) -> str:
        """Return the reason why this many more bytes are not accepted; "" if they are."""
        sizes = _sizes()
        held = Counter({name: sum(files) for name, files in sizes.items()}) + self._coming
        self._address = {name: where for name, where in self._address.items() if name in held}
        of_address = sum(held[name] for name, where in self._address.items() if where == address)
        n_process = n_server_process() or 1
        if len(sizes.get(session, ())) >= SESSION_FILES or held[session] + n_byte > SESSION_BYTES:
            return LABELS["page_full"]
        if of_address + n_byte > ADDRESS_BYTES // n_process:
            return LABELS["network_full"]
        if held.total() + n_byte > SERVER_BYTES // n_process:
            return LABELS["server_full"]
        return ""


def _sizes() -> dict[str, list[int]]:
    """Return the sizes of the files in memory, by session."""
    if not Runtime.exists():
        return {}
    storage: dict[str, dict[str, UploadedFileRec]] = getattr(get_instance().uploaded_file_mgr, "file_storage", {})
    return {name: [len(file.data) for file in list(files.values())] for name, files in list(storage.items()) if files}


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, words: str) -> None:
    await PlainTextResponse(words + "\n", status_code=status)(scope, receive, send)
