"""The gate in front of every request: host check, origin check, closed routes, security headers, owner cookie.

It is pure ASGI (no response is copied or buffered), so streaming and WebSockets pass through untouched.
"""

import base64
import hashlib
import logging
import os
import re
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.data.localization.labels import module_labels
from core.ui.frame.first_page_html import inline_script_hash, streamlit_index_html
from core.ui.server.identity.anonymous_owner import COOKIE, HOST_COOKIE, new_secret, owner_cookie
from core.ui.server.identity.client_ip import is_tls

LABELS = module_labels(__name__)

_LOG = logging.getLogger("glassformer")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_WILDCARDS = frozenset({"", "0.0.0.0", "::"})
_HOST = re.compile(r"(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>\d{1,5}))?")
# Metrics for operators, an interface for programs, and Streamlit's login: none of them is meant for visitors.
_CLOSED = re.compile(r"/(_stcore/(metrics|agent)|st-metrics|auth/(login|logout)|oauth2callback)(/|$)")
_ONE_YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class SecurityRules:
    """The rules that the gate enforces."""

    hosts: tuple[str, ...] = LOCAL_HOSTS  # names of this server, lower case; `*.uni.example` allows every name below
    frame_ancestors: tuple[str, ...] = ()  # further origins (a learning platform) that may embed the app in a frame
    script_hashes: tuple[str, ...] = field(default=())  # of the first page's inline scripts, Streamlit's and ours

    def allows(self, host: str) -> bool:
        """Return whether a Host header (name with or without port) names this server."""
        name = bare_host_name(host)
        if name is None:
            return False
        return any(name == rule or (rule.startswith("*.") and name.endswith(rule[1:])) for rule in self.hosts)


def bare_host_name(host: str) -> str | None:
    """Return the bare lowercase name in a Host header, or None if it is malformed."""
    match = _HOST.fullmatch(host)
    if match is None or int(match["port"] or 0) > 65535:
        return None
    return (match["v6"] or match["name"]).lower().rstrip(".")


def host_and_frame_rules(address: str | None = None, configured: list[str] | None = None) -> SecurityRules:
    """Return the rules from Streamlit's settings and two variables, each a comma-separated list.

    `GLASSFORMER_HOSTS`: further names of this server. `GLASSFORMER_FRAME_ANCESTORS`: origins that may frame it.

    Args:
        address: The address that the server is bound to.
        configured: `server.allowedHosts` of the configuration.
    Raises:
        ValueError: if a frame ancestor is not an origin such as https://moodle.uni.example.
    """
    hosts = allowed_hosts(address, configured)
    ancestors = tuple(_listed("GLASSFORMER_FRAME_ANCESTORS"))
    for origin in ancestors:
        if re.fullmatch(r"https?://(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?", origin) is None:
            raise ValueError(
                f"GLASSFORMER_FRAME_ANCESTORS has {origin!r}, which is not an origin such as https://moodle.uni.example"
            )
    return SecurityRules(hosts, ancestors, (*_streamlit_script_hashes(), inline_script_hash()))


def allowed_hosts(address: str | None, configured: list[str] | None) -> tuple[str, ...]:
    """Return the names that this server answers to, see `host_and_frame_rules`."""
    names = [*LOCAL_HOSTS, *(configured or []), *_listed("GLASSFORMER_HOSTS")]
    if address not in _WILDCARDS and address is not None:
        names.append(address)
    return tuple(dict.fromkeys(name.strip("[]").lower().rstrip(".") for name in names))


def _content_security_policy(rules: SecurityRules, host: str) -> str:
    """Return the policy for one response. Nothing is fetched from, or sent to, anywhere but this server.

    Streamlit starts inline components from `blob:` scripts, and its style engine needs `unsafe-inline` styles. The
    WebSocket's origin is spelled out for browsers that do not count it as 'self'.
    """
    scripts = " ".join(("'self'", "blob:", "'wasm-unsafe-eval'", *rules.script_hashes))
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "media-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' ws://{host} wss://{host}",
            "worker-src 'self' blob:",
            "frame-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            " ".join(("frame-ancestors 'self'", *rules.frame_ancestors)),
        )
    )


def _streamlit_script_hashes() -> tuple[str, ...]:
    """Return the CSP hashes of the inline scripts in Streamlit's page; they change with its versions."""
    page = streamlit_index_html()
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    return tuple(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)


class SecurityMiddleware:
    """ASGI middleware that applies the rules to every HTTP and WebSocket request."""

    def __init__(self, app: ASGIApp, rules: SecurityRules) -> None:
        self.app = app
        self.rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 and self.rules.allows(hosts[0]) else None
        refusal = self._refusal(scope, headers, host)
        if refusal is not None:
            await _refuse(scope, send, *refusal, self._headers(host or "127.0.0.1"))
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self._answer(scope, receive, send, headers, host or "127.0.0.1")

    def _refusal(self, scope: Scope, headers: Headers, host: str | None) -> tuple[int, str] | None:
        """Return a status and a message, or None if the request may pass."""
        if host is None:
            return 400, (LABELS["unknown_host"])
        origin = headers.get("origin")
        reads_only = scope["type"] == "http" and scope["method"] in {"GET", "HEAD", "OPTIONS"}
        if origin is not None and not (origin == "null" and reads_only) and not self._knows(origin, host):
            return 403, LABELS["other_site"]
        if _CLOSED.search(re.sub(r"/{2,}", "/", scope["path"])):
            return 404, LABELS["nothing_here"]
        return None

    def _knows(self, origin: str, host: str) -> bool:
        """Return whether pages of this origin may send requests: our own, and those under a configured public name.

        Another port of this machine is another program, so a local name must match the requested address exactly.
        """
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        if parts.scheme not in {"http", "https"}:
            return False
        is_local = bare_host_name(parts.netloc) in LOCAL_HOSTS
        return parts.netloc.lower() == host.lower() or (not is_local and self.rules.allows(parts.netloc))

    async def _answer(self, scope: Scope, receive: Receive, send: Send, headers: Headers, host: str) -> None:
        started = False
        cookie = _owner_cookie(scope, headers) if scope["method"] == "GET" else None

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                answer = MutableHeaders(scope=message)
                for name, value in self._headers(host).items():
                    answer[name] = value
                # "Not modified" has no type; it goes to a browser that has cached the page but lost the cookie.
                is_kept = message["status"] == 304 and "text/html" in headers.get("accept", "")
                if cookie is not None and (is_kept or answer.get("content-type", "").startswith("text/html")):
                    answer.append("set-cookie", cookie)
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            if started:
                raise
            fault_id = secrets.token_hex(4)
            _LOG.error("Fault %s", fault_id, exc_info=error)
            await _refuse(scope, send, 500, LABELS("server_error", fault_id=fault_id), self._headers(host))

    def _headers(self, host: str) -> dict[str, str]:
        fixed = {
            "content-security-policy": _content_security_policy(self.rules, host),
            "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), midi=(), serial=()",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
        }
        if not self.rules.frame_ancestors:  # it cannot name an allowed origin, so it would block the platform
            fixed["x-frame-options"] = "SAMEORIGIN"
        return fixed


def _listed(variable: str) -> list[str]:
    return [part.strip() for part in os.environ.get(variable, "").split(",") if part.strip()]


def _owner_cookie(scope: Scope, headers: Headers) -> str | None:
    """Return the cookie that a browser still needs, or None. Behind TLS, an earlier cookie keeps its value."""
    # Parsed by hand, because the standard parser stops at another program's first malformed cookie on this host.
    pairs = (pair.strip().partition("=") for cookie in headers.getlist("cookie") for pair in cookie.split(";"))
    had = {name: value for name, _, value in pairs}
    secret, is_safe = owner_cookie(had), is_tls(HTTPConnection(scope))
    if secret is not None and (not is_safe or secret == had.get(HOST_COOKIE)):
        return None
    # Over plain HTTP, browsers would not send back a Secure cookie.
    name, secure = (HOST_COOKIE, "; Secure") if is_safe else (COOKIE, "")
    return f"{name}={secret or new_secret()}; Path=/; Max-Age={_ONE_YEAR}; HttpOnly; SameSite=Lax{secure}"


async def _refuse(scope: Scope, send: Send, status: int, words: str, headers: dict[str, str]) -> None:
    body = (words + "\n").encode()
    fields: list[tuple[bytes, bytes]] = [(name.encode(), value.encode()) for name, value in headers.items()]
    fields += [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    prefix = ""
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": words[:120]})
            return
        prefix = "websocket."
    start = {"type": f"{prefix}http.response.start", "status": status, "headers": fields}
    await send(start)
    await send({"type": f"{prefix}http.response.body", "body": body})
