"""Whose runs are these? An anonymous id from a cookie; no names, no accounts."""

import hashlib
import re
import secrets
from collections.abc import Mapping

import streamlit as st
from starlette.requests import HTTPConnection

COOKIE = "glassformer_owner"
# Behind TLS: browsers take a cookie of this name from this very host alone, not from a neighbor's page or another port.
HOST_COOKIE = f"__Host-{COOKIE}"
_SECRET = re.compile(r"[0-9a-f]{32}")
_FALLBACK = "_owner_of_this_session"


def new_secret() -> str:
    """A fresh cookie value: 128 random bits, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_secret(value: object) -> bool:
    """Whether a cookie value has the form that `new_secret` gives."""
    return isinstance(value, str) and _SECRET.fullmatch(value) is not None


def secret_in(cookies: Mapping[str, str]) -> str | None:
    """Return the owner's cookie; the plain one counts where it is alone, as without TLS or from an earlier version."""
    return next((cookies[name] for name in (HOST_COOKIE, COOKIE) if is_secret(cookies.get(name))), None)


def owner_id() -> str:
    """The id under which this browser's runs and texts are kept (32 hexadecimal digits).

    It is a digest of the cookie, so that no store, file name or log ever holds the cookie itself. A browser
    that keeps no cookies gets an id that lasts as long as its session.
    """
    return id_of(secret_in(st.context.cookies) or st.session_state.setdefault(_FALLBACK, new_secret()))


def owner_of(asked: HTTPConnection) -> str | None:
    """The owner id of a request outside of a script; None: its browser keeps no cookies."""
    secret = secret_in(asked.cookies)
    return None if secret is None else id_of(secret)


def id_of(secret: str) -> str:
    """The owner id of a cookie's value."""
    return hashlib.sha256(b"glassformer owner " + secret.encode()).hexdigest()[:32]
