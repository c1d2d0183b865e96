"""A visitor without a browser: speaks Streamlit's protocol over a raw WebSocket, and sends what no browser would.

One visitor costs the server what a browser does and costs the test almost nothing, so sixty fit beside each other.
"""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.chromium import LONGEST_WAIT

WIDGETS = ("slider", "number_input", "text_area", "text_input", "button", "button_group", "checkbox", "selectbox")


@dataclass(frozen=True)
class Widget:
    """A control that the page has drawn: its kind, id, label and the fragment that it belongs to."""

    kind: str
    id: str
    label: str
    fragment: str
    proto: Any


@dataclass
class Visitor:
    """One tab. `with Visitor(url, "heads", query="text=a") as visitor: visitor.open()`."""

    url: str
    page: str = ""
    query: str = ""
    owner: str = ""
    cookies: str = ""
    widgets: dict[str, Widget] = field(default_factory=dict)  # by label
    received: list[bytes] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    session_id: str = ""
    fragments: set[str] = field(default_factory=set)

    def __enter__(self) -> Self:
        cookie = "; ".join(one for one in (self.owner and f"glassformer_owner={self.owner}", self.cookies) if one)
        self._connection = connect(
            self.url.replace("http", "ws") + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(self.url),
            additional_headers={"Cookie": cookie} if cookie else None,
            max_size=None,
            open_timeout=LONGEST_WAIT,
        )
        self.socket: ClientConnection = self._connection.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._connection.__exit__(kind, error, _)

    def cut(self) -> None:
        """End the connection without a word, as a lost network does."""
        self.socket.socket.close()

    def open(self) -> float:
        """Load the page, or load it anew; the seconds until it stands."""
        return self._rerun(BackMsg())

    def send(self, widget: Widget, value: Any, *, whole_page: bool = False) -> float:
        """Say that the control stands at this value, checked by nobody; the seconds until the answer is complete."""
        message = BackMsg()
        message.rerun_script.fragment_id = "" if whole_page else widget.fragment
        state = message.rerun_script.widget_states.widgets.add(id=widget.id)
        if widget.kind == "slider":
            state.double_array_value.data.append(value)
        elif widget.kind == "number_input":
            state.double_value = value
        elif widget.kind == "button":
            state.trigger_value = bool(value)
        elif widget.kind == "checkbox":
            state.bool_value = bool(value)
        elif widget.kind == "button_group":
            state.string_array_value.data.extend(value)
        else:
            state.string_value = value
        return self._rerun(message)

    def text(self) -> str:
        """Everything that was received, as text."""
        return b"".join(self.received).decode("utf-8", "replace")

    def listen(self, seconds: float) -> None:
        """Take in what comes by itself."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                self._take(self.socket.recv(timeout=left, decode=False))
            except TimeoutError:
                return

    def _rerun(self, message: BackMsg) -> float:
        message.rerun_script.page_name = self.page
        if not message.rerun_script.fragment_id:
            self.widgets.clear()  # the whole page is drawn anew, perhaps without some of them
        message.rerun_script.query_string = self.query
        start = time.monotonic()
        self.socket.send(message.SerializeToString())
        while True:
            answer = self._take(self.socket.recv(timeout=LONGEST_WAIT, decode=False))
            is_finished = answer.WhichOneof("type") == "script_finished"
            if is_finished and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return time.monotonic() - start

    def _take(self, data: bytes) -> ForwardMsg:
        self.received.append(data)
        answer = ForwardMsg.FromString(data)
        kind = answer.WhichOneof("type")
        if kind == "new_session":
            self.session_id = answer.new_session.initialize.session_id
        elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
            element = answer.delta.new_element
            name = element.WhichOneof("type")
            if answer.delta.fragment_id:
                self.fragments.add(answer.delta.fragment_id)
            if name == "exception":
                self.exceptions.append(element.exception.message)
            elif name in WIDGETS:
                one = getattr(element, name)
                self.widgets[one.label] = Widget(name, one.id, one.label, answer.delta.fragment_id, one)
        return answer


def secret(number: int) -> str:
    """An owner's cookie for the visitor of this number."""
    return f"{number:032x}"


def owner_of(cookie: str) -> str:
    """The owner whose cookie this is; see `core.ui.server.identity.anonymous_owner`."""
    return hashlib.sha256(b"glassformer owner " + cookie.encode()).hexdigest()[:32]


def query(values: Mapping[str, str]) -> str:
    """An address's query, percent-encoded; lone surrogates as a browser would send them."""
    from urllib.parse import urlencode

    return urlencode(values, errors="replace")
