"""Whose runs are these? An anonymous id from a cookie; no names, no accounts."""

import hashlib
import re
import secrets

import streamlit as st
from starlette.requests import HTTPConnection

COOKIE = "glassformer_owner"
_SECRET = re.compile(r"[0-9a-f]{32}")
_FALLBACK = "_owner_of_this_session"


def new_secret() -> str:
    """A fresh cookie value: 128 random bits, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_secret(value: object) -> bool:
    """Whether a cookie value has the form that `new_secret` gives."""
    return isinstance(value, str) and _SECRET.fullmatch(value) is not None


def owner_id() -> str:
    """The id under which this browser's runs and texts are kept (32 hexadecimal digits).

    It is a digest of the cookie, so that no store, file name or log ever holds the cookie itself. A browser
    that keeps no cookies gets an id that lasts as long as its session.
    """
    secret = st.context.cookies.get(COOKIE, "")
    if not is_secret(secret):
        secret = st.session_state.setdefault(_FALLBACK, new_secret())
    return id_of(secret)


def owner_of(asked: HTTPConnection) -> str | None:
    """The same of a request outside of a script; None: its browser keeps no cookies."""
    secret = asked.cookies.get(COOKIE, "")
    return id_of(secret) if is_secret(secret) else None


def id_of(secret: str) -> str:
    """The same of a cookie's value, outside of a script."""
    return hashlib.sha256(b"glassformer owner " + secret.encode()).hexdigest()[:32]
