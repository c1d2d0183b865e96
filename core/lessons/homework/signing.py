"""Signatures for homework: on links, which only this server can verify, and on receipts, which anybody can verify.

Each uses its own key, derived from `homework.key` in the data folder.
"""

import hashlib
import hmac
from functools import lru_cache

from core.lessons.homework import ed25519
from core.ui.server.identity.secret_key import secret_key

HOMEWORK_KEY = "homework.key"


def link_signature(text: str) -> str:
    """Return the signature of a homework link, 32 hexadecimal digits. Raises OSError if the key can't be read."""
    return hmac.new(_derived("link"), text.encode(), hashlib.sha256).hexdigest()[:32]


def receipt_public_key() -> bytes:
    """Return the key by which receipts of this server are verified. Raises OSError if the key can't be read."""
    return ed25519.public_key(_derived("receipt"))


def receipt_signature(content: bytes) -> bytes:
    """Return the signature of a receipt's content. Raises OSError if the key can't be read."""
    return ed25519.sign_message(_derived("receipt"), _message(content))


def is_receipt_signed(public: bytes, content: bytes, signature: bytes) -> bool:
    """Return whether the server with this public key has signed the content of a receipt."""
    return _is_signed(public, _message(content), signature)


_is_signed = lru_cache(maxsize=1024)(ed25519.verify_signature)  # the files of a class are checked repeatedly


def _message(content: bytes) -> bytes:
    return b"glassformer receipt " + hashlib.sha512(content).digest()


def _derived(purpose: str) -> bytes:
    return hmac.new(secret_key(HOMEWORK_KEY), f"glassformer homework {purpose}".encode(), hashlib.sha256).digest()
