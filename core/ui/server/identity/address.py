"""The address that a request comes from, as limits count it: never one that the sender can choose.

address_of(request)        # "192.0.2.7"; an IPv6 address counts as its /64 network
address_mark("192.0.2.7")  # "3fa09c": a keyed digest, for files that must not hold an address
"""

import hashlib
import hmac
import ipaddress
import os

from starlette.requests import HTTPConnection

from core.ui.server.headers import LOCAL_HOSTS
from core.ui.server.identity.secret_key import secret_key
from core.ui.server.processes import n_sharing

MARK_LETTERS = 6  # about 256 IPv4 addresses share a mark, so that it cannot be turned back into one


def n_proxies(peer: str) -> int:
    """The number of trusted proxies before the app.

    It is `GLASSFORMER_PROXIES`, plus one for the HAProxy of `python -m core.ui.server`. Where the setting is missing, a
    proxy on this machine is trusted.
    """
    told = os.environ.get("GLASSFORMER_PROXIES", "")
    if told.isdecimal() and len(told) < 3:
        return int(told) + (n_sharing() is not None)
    return int(n_sharing() is not None or peer in LOCAL_HOSTS)


def address_of(asked: HTTPConnection) -> str:
    """Return the address of a visitor: the last hop that a trusted proxy has seen."""
    peer = asked.client.host if asked.client else ""
    hops = [hop.strip() for line in asked.headers.getlist("x-forwarded-for") for hop in line.split(",")]
    n = n_proxies(peer)
    return network_of(hops[-n] if 0 < n <= len(hops) else peer)


def network_of(address: str) -> str:
    """Return an address as it is counted: IPv4 as it is, IPv6 as its /64 network."""
    try:
        found = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address[:60]
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def address_mark(address: str) -> str:
    """Return a short keyed digest of an address: equal for equal addresses, and of no use to find one."""
    return hmac.new(secret_key("address.key"), address.encode(), hashlib.sha256).hexdigest()[:MARK_LETTERS]
