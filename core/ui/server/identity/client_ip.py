"""The address of a request's sender as limits count it, which the sender cannot choose.

address_of(request)        # "192.0.2.7"; an IPv6 address counts as its /64 network
address_digest("192.0.2.7")  # "3fa09c": a keyed digest, for files that must not contain an address
"""

import hashlib
import hmac
import ipaddress
from collections.abc import Sequence

from starlette.requests import HTTPConnection

from core.ui.server.identity.secret_key import secret_key
from core.ui.server.load_balanced_server import n_server_process, n_trusted_proxy

MARK_LETTERS = 6  # about 256 IPv4 addresses share a mark, so that it cannot be reversed


def _n_proxies(peer: str) -> int:
    """Return the number of trusted proxies that a request from this peer has passed.

    It is `GLASSFORMER_PROXIES`, plus one for the HAProxy of `python -m core.ui.server`. Without the setting, a proxy on
    this machine is trusted.
    """
    before = n_trusted_proxy()
    if n_server_process() is not None:
        return (before or 0) + 1
    return int(_is_loopback(peer)) if before is None else before


def client_address(asked: HTTPConnection) -> str:
    """Return the address of a visitor: the last hop that a trusted proxy has seen."""
    return forwarded_address(asked.client.host if asked.client else "", asked.headers.getlist("x-forwarded-for"))


def forwarded_address(peer: str, lines: Sequence[str]) -> str:
    """Return a visitor's address, given the peer's address and its X-Forwarded-For headers in their order."""
    hops = [hop.strip() for line in lines for hop in line.split(",")]
    n = min(_n_proxies(peer), len(hops))
    return _network_of(hops[-n] if n else peer)


def is_tls(asked: HTTPConnection) -> bool:
    """Return whether the visitor's connection is encrypted; only a trusted proxy's header counts."""
    words = [word.strip() for line in asked.headers.getlist("x-forwarded-proto") for word in line.split(",")]
    if words and _n_proxies(asked.client.host if asked.client else ""):
        return words[-1] == "https"
    return asked.scope["scheme"] in {"https", "wss"}


def ip_address_digest(address: str) -> str:
    """Return a short keyed digest of an address: equal for equal addresses, but not reversible."""
    return hmac.new(secret_key("address.key"), address.encode(), hashlib.sha256).hexdigest()[:MARK_LETTERS]


def _network_of(address: str) -> str:
    """Return an address as limits count it, without a port: IPv4 unchanged, IPv6 as its /64 network."""
    bare = address.strip().lstrip("[").partition("]")[0].partition("%")[0]
    try:
        found = ipaddress.ip_address(bare.partition(":")[0] if bare.count(":") == 1 else bare)
    except ValueError:
        return address[:60]
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def _is_loopback(peer: str) -> bool:
    try:
        return ipaddress.ip_address(peer).is_loopback
    except ValueError:
        return False
