"""The owner of runs and texts: an anonymous id from a cookie, without names or accounts."""

import hashlib
import re
import secrets
from collections.abc import Mapping

import streamlit as st
from starlette.requests import HTTPConnection

COOKIE = "glassformer_owner"
# Behind TLS: browsers accept a cookie of this name only from this exact host, not from a sibling host or port.
HOST_COOKIE = f"__Host-{COOKIE}"
_SECRET = re.compile(r"[0-9a-f]{32}")
_FALLBACK = "_owner_of_this_session"


def new_secret() -> str:
    """Make a new cookie value: 128 random bits as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def _is_secret(value: object) -> bool:
    """Return whether a cookie value has the format of `new_secret`."""
    return isinstance(value, str) and _SECRET.fullmatch(value) is not None


def owner_cookie(cookies: Mapping[str, str]) -> str | None:
    """Return the owner's cookie; the plain one is used only if it is alone (without TLS or from an earlier version)."""
    return next((cookies[name] for name in (HOST_COOKIE, COOKIE) if _is_secret(cookies.get(name))), None)


def owner_id() -> str:
    """Return the id under which this browser's runs and texts are stored (32 hexadecimal digits).

    It is a digest of the cookie, so that no store, file name or log ever contains the cookie itself. A browser without
    cookies gets an id that lasts for its session.
    """
    return _owner_id_of(owner_cookie(st.context.cookies) or st.session_state.setdefault(_FALLBACK, new_secret()))


def request_owner(asked: HTTPConnection) -> str | None:
    """Return the owner id of a request outside a script, or None if its browser sends no cookie."""
    secret = owner_cookie(asked.cookies)
    return None if secret is None else _owner_id_of(secret)


def _owner_id_of(secret: str) -> str:
    """Return the owner id of a cookie's value."""
    return hashlib.sha256(b"glassformer owner " + secret.encode()).hexdigest()[:32]
